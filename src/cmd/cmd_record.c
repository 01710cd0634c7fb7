/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "cmd/record/record_probe.h"
#include "cmd/record/record_summary.h"
#include "collect/kernel/run_left.h"
#include "collect/recorder.h"
#include "collect/recording/compressor.h"
#include "collect/target/target.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record_options {
	struct options common;
	char *pids, *tids, *comm, *cgroup;
	int all, alone;
	char *duration, *delay, *control, *max_size;
	char *counters, *frequency, *call_graph, *sync, *collector;
	struct record_probe probe;
	int counters_optional, off_cpu;
	char *output, *level;
	int compress, verbose, clean;
	pid_t *pid_list, *tid_list;
};

/* --- The request, from the words of the command line ---------------------------------------- */

/* The exit status of a wrong combination, with a sentence; -1 when all is well. */
static int check_usage(const struct record_options *options, struct err *err)
{
	const char *command = options->common.arg_count ? options->common.args[0] : NULL;
	int targets = !!options->pids + !!options->tids + !!options->comm + !!options->cgroup;
	const struct {
		bool wrong;
		const char *sentence;
	} cases[] = {
		{options->clean && (command || targets || options->all),
		 "--clean records nothing: it goes with no COMMAND, nor with what runs already"},
		{!command && !targets && !options->all && !options->clean,
		 "name a COMMAND to start, or what runs already: -p PID, -t TID, --comm NAME, "
		 "--cgroup PATH, -a"},
		{command && targets, "record either a COMMAND or what runs already (-p, -t, "
				     "--comm, --cgroup), not both"},
		{options->cgroup && (options->pids || options->tids || options->comm),
		 "--cgroup is all processes in it: it does not go with -p, -t or --comm"},
		{options->comm && (options->pids || options->tids),
		 "--comm is found by its name: it does not go with -p or -t"},
		{options->all && targets,
		 "-a is everything: it does not go with -p, -t, --comm or --cgroup"},
		{options->all && options->alone,
		 "-a is everything: it does not go with --no-children"},
		{options->call_graph && !options->frequency && !options->sync &&
			 !options->probe.uprobes,
		 "--call-graph is about samples, or calls: say how many with -F HZ, or --sync or "
		 "--uprobe"},
		{options->counters_optional && !options->counters,
		 "--counters-optional is about counters: name some with -e"},
		{options->output && strcmp(options->output, "-") == 0 && isatty(STDOUT_FILENO),
		 "-o -: the recording would go to the terminal: pipe it into something, say "
		 "'pscal profile'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!cases[i].wrong)
			continue;
		err_set(err, "%s", cases[i].sentence);
		return STATUS_USAGE;
	}
	return -1;
}

static int read_duration(uint64_t *duration_ns, const char *text, struct err *err)
{
	const double longest_s = 1e9; /* 31 years */
	double seconds = 0;

	if (!text)
		return 0;
	if (parse_seconds(&seconds, text, err))
		return err_wrap(err, "--duration");
	if (seconds <= 0 || seconds > longest_s)
		return err_set(err, "--duration %s: record for more than 0 s", text);
	*duration_ns = (uint64_t)(seconds * 1e9) + 1;
	return 0;
}

/* Milliseconds, as perf has it; -1: not before it is told to. */
static int read_delay(int64_t *delay_ns, const struct record_options *options, struct err *err)
{
	uint64_t ms;

	if (!options->delay)
		return 0;
	if (strcmp(options->delay, "-1") == 0) {
		*delay_ns = RECORDER_STARTS_OFF;
		return options->control ? 0
					: err_set(err, "--delay -1: recording would never begin: "
						       "give --control FIFO, and 'enable' there");
	}
	if (parse_u64(&ms, options->delay, INT32_MAX))
		return err_set(err, "--delay %s: is not a number of milliseconds, nor -1",
			       options->delay);
	*delay_ns = (int64_t)ms * 1000000;
	return 0;
}

/* To compress the events of functions and tasks takes less time than to write them to a file as
 * they are. */
static int read_level(int *level, const struct record_options *options, struct err *err)
{
	uint64_t number = options->compress || options->probe.patterns || options->probe.tasks ||
			  options->probe.omp;

	if (options->level && parse_u64(&number, options->level, COMPRESSOR_LEVEL_MAX))
		return err_set(err, "-z %s: levels are 1 to %d, and 0 is as it is", options->level,
			       COMPRESSOR_LEVEL_MAX);
	*level = (int)number;
	return 0;
}

static int read_sampling(struct sampler_options *sampling, const struct record_options *options,
			 struct err *err)
{
	if (options->frequency &&
	    sampler_options_set_frequency(sampling, options->frequency, "/proc", err))
		return -1;
	if (options->call_graph)
		return sampler_options_set_calls(sampling, options->call_graph, err);
	return 0;
}

/* Of calls they are found by frame pointers, whatever is done with samples. */
static bool has_call_chains(const struct record_options *options,
			    const struct sampler_options *sampling)
{
	return options->off_cpu || (options->call_graph && sampling->calls != SAMPLER_CALLS_NONE);
}

/* The lists of ids belong to `options`. Returns 0, or -1 with a sentence: wrong usage. */
static int make_request(struct recorder_request *request, struct record_options *options,
			struct err *err)
{
	struct target_spec *target = &request->target;

	request->path = options->output ? options->output : TRACE_USUAL_FILE;
	request->command = options->common.arg_count ? options->common.args : NULL;
	request->control = options->control;
	request->counters = options->counters;
	request->counters_optional = options->counters_optional;
	request->off_cpu = options->off_cpu;
	/* A stream of records and what the command prints would not be told apart. */
	request->command_output = strcmp(request->path, "-") == 0 ? STDERR_FILENO : STDOUT_FILENO;
	target->comm = options->comm;
	target->all = options->all;
	target->alone = options->alone;
	if (options_ids(&options->pid_list, &target->pid_count, options->pids, "-p", err) ||
	    options_ids(&options->tid_list, &target->tid_count, options->tids, "-t", err) ||
	    read_duration(&request->duration_ns, options->duration, err) ||
	    read_delay(&request->delay_ns, options, err) ||
	    read_level(&request->compression_level, options, err) ||
	    read_sampling(&request->sampling, options, err))
		return -1;
	target->pids = options->pid_list;
	target->tids = options->tid_list;
	if (record_probe_parse(&request->probe, &options->probe, request, err) ||
	    record_probe_parse_uprobes(&request->uprobe, &options->probe, err))
		return -1;
	request->sampling.faults = record_probe_wants_faults(&options->probe);
	if (options->sync && sync_choice_parse(&request->sync, options->sync, err))
		return err_wrap(err, "--sync");
	request->sync_stacks = request->sync && has_call_chains(options, &request->sampling);
	request->uprobe.stacks =
		request->uprobe.functions && has_call_chains(options, &request->sampling);
	if (options->max_size && parse_size(&request->max_bytes, options->max_size, err))
		return err_wrap(err, "--max-size");
	if (options->collector &&
	    scheduler_choice_parse(&request->collector, options->collector, err))
		return err_wrap(err, "--collector");
	return 0;
}

/* --- The remains of killed recordings ------------------------------------------------------ */

/* Only root can list it. */
#define OF_ROOT "/run/pscal"

static void print_cleared(const struct run_left *left)
{
	for (size_t i = 0; i < left->cleared_count; i++)
		printf("cleared %s\n", left->cleared[i]);
	if (!left->cleared_count && !left->kept_count)
		puts("nothing was left");
	if (geteuid() != 0 && access(OF_ROOT, F_OK) == 0)
		puts("only root can clear the remains of root's recordings");
}

/* --clean: prints a line for each. The exit status; STATUS_FAILED with a sentence. */
static int record_clean(int quiet, struct err *err)
{
	struct run_left left = {.cleared_count = 0};
	int status = STATUS_DONE;

	run_left_clear(&left);
	if (!quiet)
		print_cleared(&left);
	if (left.kept_count) {
		err_set(err, "%zu recording%s could not be cleared: %s", left.kept_count,
			left.kept_count == 1 ? "" : "s", left.kept[0]);
		status = STATUS_FAILED;
	}
	run_left_release(&left);
	return status;
}

static void say_left(const char *what, const char *line)
{
	char *sentence = xasprintf("%s%s", what, line);

	record_summary_say(sentence);
	free(sentence);
}

/* Before a recording, in one line unless it is to be quiet, and not at all if nothing was left. */
static void record_clean_before(int quiet, int verbose)
{
	struct run_left left = {.cleared_count = 0};
	char number[64];

	run_left_clear(&left);
	for (size_t i = 0; verbose && i < left.kept_count; i++)
		say_left("not cleared: ", left.kept[i]);
	if (!quiet && left.cleared_count > 1 && !verbose) {
		snprintf(number, sizeof(number), "%zu recordings that were killed have left",
			 left.cleared_count);
		say_left("cleared what ", number);
	} else if (!quiet) {
		for (size_t i = 0; i < left.cleared_count; i++)
			say_left("cleared ", left.cleared[i]);
	}
	run_left_release(&left);
}

/* --- The command --------------------------------------------------------------------------- */

static void release_options(struct record_options *options)
{
	options_release(&options->common);
	free(options->pid_list);
	free(options->tid_list);
}

static int find_cgroup(struct target_spec *target, struct record_options *options, struct err *err)
{
	if (cgroup_pids(&options->pid_list, &target->pid_count, CGROUP_ROOT, options->cgroup, err))
		return err_wrap(err, "--cgroup");
	target->pids = options->pid_list;
	return 0;
}

static void say(void *context, const char *sentence)
{
	(void)context;
	record_summary_say(sentence);
}

static int record(struct record_options *options, const char **argv, struct err *err)
{
	struct recorder_request request = {.cmdline = argv};
	struct recorder_result result;

	if (make_request(&request, options, err))
		return STATUS_USAGE;
	if (options->cgroup && find_cgroup(&request.target, options, err))
		return STATUS_FAILED;
	if (record_probe_find_hot(&request.probe, &options->probe, TRACE_USUAL_FILE,
				  options_owners(&options->common), err))
		return STATUS_FAILED;
	if (options->verbose)
		request.tell = say;
	record_clean_before(options->common.quiet, options->verbose);
	if (recorder_run(&result, &request, err))
		return STATUS_FAILED;
	if (!options->common.quiet)
		record_summary_print(&result, &request);
	free(result.limits);
	free(result.blocks.unwatched);
	free(result.blocks.trouble);
	free(result.blocks.gaps);
	free(result.blocks.names);
	free(result.blocks.lines);
	return result.command_status;
}

/*
 * -z3 is -z -3: popt would let the argument of -z be left out, but then takes the next word for
 * it, which here may be the COMMAND.
 */
static void add_digit(poptContext context, enum poptCallbackReason reason,
		      const struct poptOption *option, const char *argument, const void *data)
{
	struct record_options *options = *(struct record_options *const *)data;
	char *longer = xasprintf("%s%c", options->level ? options->level : "", option->shortName);

	(void)context, (void)reason, (void)argument;
	free(options->level);
	options->level = longer;
}

#define DIGIT(digit)                                                                      \
	{                                                                                 \
		NULL, digit, POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, 1, NULL, NULL \
	}

/* The options in groups, for --help. */
enum { GROUP_MAX = 10 };
typedef struct poptOption option_group[GROUP_MAX];

static void put_group(option_group group, const struct poptOption *table, size_t size)
{
	assert(size <= sizeof(option_group));
	memcpy(group, table, size);
}

static void group_who(option_group group, struct record_options *options)
{
	const struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &options->pids, 0, "record running processes",
		 "PID[,PID]"},
		{"tid", 't', POPT_ARG_STRING, &options->tids, 0, "record running threads",
		 "TID[,TID]"},
		{"comm", '\0', POPT_ARG_STRING, &options->comm, 0, "record threads of this name",
		 "NAME"},
		{"cgroup", '\0', POPT_ARG_STRING, &options->cgroup, 0,
		 "record the processes of a control group", "PATH"},
		{"all-cpus", 'a', POPT_ARG_NONE, &options->all, 0, "record all threads", NULL},
		{"children", '\0', POPT_ARG_VAL, &options->alone, 0,
		 "with what they create (default)", NULL},
		{"no-children", '\0', POPT_ARG_VAL, &options->alone, 1, "without what they create",
		 NULL},
		POPT_TABLEEND};

	put_group(group, table, sizeof(table));
}

static void group_when(option_group group, struct record_options *options)
{
	const struct poptOption table[] = {{"duration", '\0', POPT_ARG_STRING, &options->duration,
					    0, "stop after a time, say 10 or 500ms", "S"},
					   {"delay", 'D', POPT_ARG_STRING, &options->delay, 0,
					    "begin later; -1: when told by --control", "MS"},
					   {"control", '\0', POPT_ARG_STRING, &options->control, 0,
					    "read enable, disable, stop, ping from a pipe",
					    "FIFO[,ACK]"},
					   {"max-size", '\0', POPT_ARG_STRING, &options->max_size,
					    0, "stop when the file is so large, say 2G", "SIZE"},
					   POPT_TABLEEND};

	put_group(group, table, sizeof(table));
}

static void group_what(option_group group, struct record_options *options)
{
	const struct poptOption table[] = {
		{"event", 'e', POPT_ARG_STRING, &options->counters, 0,
		 "count events in each thread, see pscal list", "EVENT[,EVENT]"},
		{"counters-optional", '\0', POPT_ARG_NONE, &options->counters_optional, 0,
		 "... as far as this machine has them", NULL},
		{"freq", 'F', POPT_ARG_STRING, &options->frequency, 0,
		 "sample what runs, so often a second", "HZ"},
		{"call-graph", '\0', POPT_ARG_STRING, &options->call_graph, 0,
		 "... with call chains: fp (default), dwarf[,SIZE] or none", "MODE"},
		{"off-cpu", '\0', POPT_ARG_NONE, &options->off_cpu, 0,
		 "the user stack of threads that leave their CPU", NULL},
		{"sync", '\0', POPT_ARG_STRING, &options->sync, 0,
		 "where threads wait for each other: --sync is futex; or all", "WHICH"},
		{"collector", '\0', POPT_ARG_STRING, &options->collector, 0,
		 "auto (default), bpf, perf or task", "NAME"},
		POPT_TABLEEND};

	put_group(group, table, sizeof(table));
}

static void group_where(option_group group, struct record_options *options)
{
	const struct poptOption table[] = {
		{"output", 'o', POPT_ARG_STRING, &options->output, 0,
		 "FILE (default pscal.data), - is a stream; FILE.old keeps what is there", "FILE"},
		{NULL, 'z', POPT_ARG_NONE, &options->compress, 0, "compress: -z1 (default) to -z22",
		 NULL},
		{"compression-level", '\0', POPT_ARG_STRING, &options->level, 0, "the same",
		 "LEVEL"},
		{"clean", '\0', POPT_ARG_NONE, &options->clean, 0,
		 "record nothing: clear the remains of killed recordings", NULL},
		{"force", 'f', POPT_ARG_NONE, &options->common.force, 0,
		 "read files of other users, too: --probe hot", NULL},
		{"verbose", 'v', POPT_ARG_NONE, &options->verbose, 0, "say what is done and why",
		 NULL},
		POPT_TABLEEND};

	put_group(group, table, sizeof(table));
}

static int cmd_record_run(int argc, const char **argv, struct err *err)
{
	struct record_options options = {.output = NULL};
	const struct record_options *const self = &options;
	const struct poptOption digits[] = {
		{NULL, '\0', POPT_ARG_CALLBACK, (void *)add_digit, 0, (const char *)&self, NULL},
		DIGIT('0'),
		DIGIT('1'),
		DIGIT('2'),
		DIGIT('3'),
		DIGIT('4'),
		DIGIT('5'),
		DIGIT('6'),
		DIGIT('7'),
		DIGIT('8'),
		DIGIT('9'),
		POPT_TABLEEND};
	option_group who = {POPT_TABLEEND}, when = {POPT_TABLEEND};
	option_group what = {POPT_TABLEEND}, where = {POPT_TABLEEND};
	const struct poptOption blocks[] = {RECORD_PROBE_OPTIONS(&options.probe), POPT_TABLEEND};
	const struct poptOption table[] = {options_include(who, "Who is recorded:"),
					   options_include(when, "When:"),
					   options_include(what, "What:"),
					   options_include(blocks, "Blocks of code:"),
					   options_include(where, "Where to:"),
					   options_include(digits, NULL),
					   POPT_TABLEEND};
	const char **words;
	int status;

	group_who(who, &options);
	group_when(when, &options);
	group_what(what, &options);
	group_where(where, &options);
	words = options_spell_out(table, argc, argv, "--sync", "--sync=futex");
	status = options_parse(&options.common, OPTIONS_RECORD, "[--] COMMAND [ARG...]", table,
			       argc, words, err);
	if (status < 0)
		status = check_usage(&options, err);
	if (status < 0 && options.clean)
		status = record_clean(options.common.quiet, err);
	if (status < 0)
		status = record(&options, argv, err);
	release_options(&options);
	options_free_texts(table);
	free(words);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record a command, or running threads, into pscal.data",
	.run = cmd_record_run,
};
