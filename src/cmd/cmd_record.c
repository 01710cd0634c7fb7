/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "cmd/record/hot_functions.h"
#include "collect/kernel/run_directory.h"
#include "collect/recorder.h"
#include "collect/recording/recording.h"
#include "collect/target/target.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { STACK_EVERY = 10000 };

struct record_options {
	struct options common;
	struct recorder_request request;
	struct id_list pids, tids;
	const char *cgroup, *level, *hot_from;
	double duration_s;
	int alone; /* without what they create */
	bool compress, clean, force, chains;
	uint64_t arguments, every, stack_every; /* of blocks of code */
	int faults;				/* 1: they are asked for; -1: they are not wanted */
	struct hot_functions hot;
};

/* --- The options --------------------------------------------------------------------------- */

/* Milliseconds, as perf has it; -1: not before it is told to. */
static int read_delay(void *own, char *text, struct err *err)
{
	struct recorder_request *request = &((struct record_options *)own)->request;
	uint64_t ms;

	if (strcmp(text, "-1") == 0) {
		request->delay_ns = RECORDER_STARTS_OFF;
		return 0;
	}
	if (parse_u64(&ms, text, INT32_MAX))
		return err_set(err, "--delay %s: is not a number of milliseconds, nor -1", text);
	request->delay_ns = (int64_t)ms * 1000000;
	return 0;
}

static int read_frequency(void *own, char *text, struct err *err)
{
	struct record_options *options = own;

	return sampler_options_set_frequency(&options->request.sampling, text, "/proc", err);
}

static int read_calls(void *own, char *text, struct err *err)
{
	struct record_options *options = own;

	return sampler_options_set_calls(&options->request.sampling, text, err);
}

static int read_sync(void *own, char *text, struct err *err)
{
	struct record_options *options = own;

	if (sync_choice_parse(&options->request.sync, text, err))
		return err_wrap(err, "--sync");
	return 0;
}

static int read_collector(void *own, char *text, struct err *err)
{
	struct record_options *options = own;

	if (scheduler_choice_parse(&options->request.collector, text, err))
		return err_wrap(err, "--collector");
	return 0;
}

#define AT(field) offsetof(struct record_options, field)

static const struct option record_table[] = {
	{.type = OPTION_HEADING, .help = "Which threads:"},
	{"pid", 'p', OPTION_IDS, AT(pids), .help = "record running processes",
	 .argument = "PID[,PID]", .min = 1, .max = INT32_MAX},
	{"tid", 't', OPTION_IDS, AT(tids), .help = "record running threads",
	 .argument = "TID[,TID]", .min = 1, .max = INT32_MAX},
	{"comm", '\0', OPTION_TEXT, AT(request.target.comm), .help = "record threads of this name",
	 .argument = "NAME"},
	{"cgroup", '\0', OPTION_TEXT, AT(cgroup), .help = "record the processes of a control group",
	 .argument = "PATH"},
	{"all-cpus", 'a', OPTION_FLAG, AT(request.target.all), .help = "record all threads"},
	{"children", '\0', OPTION_VALUE, AT(alone), .value = 0,
	 .help = "with what they create (default)"},
	{"no-children", '\0', OPTION_VALUE, AT(alone), .value = 1,
	 .help = "without what they create"},

	{.type = OPTION_HEADING, .help = "When:"},
	{"duration", '\0', OPTION_SECONDS, AT(duration_s),
	 .help = "stop after a time, say 10 or 500ms", .argument = "S", .min = DBL_MIN,
	 .max = 1e9 /* 31 years */, .refusal = "record for more than 0 s"},
	{"delay", 'D', OPTION_READ, .read = read_delay,
	 .help = "begin later; -1: when told by --control", .argument = "MS"},
	{"control", '\0', OPTION_TEXT, AT(request.control),
	 .help = "read enable, disable, stop, ping from a pipe", .argument = "FIFO[,ACK]"},
	{"max-size", '\0', OPTION_SIZE, AT(request.max_bytes),
	 .help = "stop when the file is so large, say 2G", .argument = "SIZE"},

	{.type = OPTION_HEADING, .help = "What:"},
	{"event", 'e', OPTION_TEXT, AT(request.counters),
	 .help = "count events in each thread, see pscal list", .argument = "EVENT[,EVENT]"},
	{"counters-optional", '\0', OPTION_FLAG, AT(request.counters_optional),
	 .help = "... as far as this machine has them"},
	{"freq", 'F', OPTION_READ, .read = read_frequency,
	 .help = "sample what runs, so often a second", .argument = "HZ"},
	{NULL, 'g', OPTION_FLAG, AT(chains), .help = "... with call chains, by frame pointers"},
	{"call-graph", '\0', OPTION_READ, .read = read_calls,
	 .help = "... how these are found: fp, dwarf[,SIZE], or none", .argument = "MODE"},
	{"off-cpu", '\0', OPTION_FLAG, AT(request.off_cpu),
	 .help = "the user stack of threads that leave their CPU"},
	{"sync", '\0', OPTION_READ, .read = read_sync, .whole_word = "--sync=futex",
	 .help = "where threads wait: futex (default), all: with calls of the C library, none",
	 .argument = "WHICH"},
	{"collector", '\0', OPTION_READ, .read = read_collector,
	 .help = "auto (default), bpf, perf or task", .argument = "NAME"},

	{.type = OPTION_HEADING, .help = "Blocks of code:"},
	{"probe", '\0', OPTION_TEXTS, AT(request.probe.patterns),
	 .help = "when functions begin and end, say 'insert*', libz:inflate, hot:2%",
	 .argument = "[OBJECT:]GLOB"},
	{"hot-from", '\0', OPTION_TEXT, AT(hot_from),
	 .help = "... of which hot are those in its samples (default pscal.data)",
	 .argument = "FILE"},
	{"uprobe", '\0', OPTION_TEXTS, AT(request.uprobe.functions),
	 .help = "the same from outside, also with -p, at 2 us and more a call",
	 .argument = "BINARY:FUNCTION"},
	{"risk-exceptions", '\0', OPTION_FLAG, AT(request.uprobe.risk_exceptions),
	 .help = "... also of C++, where an exception through it is fatal"},
	{"arguments", '\0', OPTION_COUNT, AT(arguments),
	 .help = "... with so many arguments, 0 (default) to 4", .argument = "N",
	 .max = PLAN_ARGUMENTS_MAX, .refusal = "give a number from 0 to 4"},
	{"every", '\0', OPTION_COUNT, AT(every), .help = "... of one call in M", .argument = "M",
	 .min = 1, .max = 1e9, .refusal = "give a number from 1 to 1000000000"},
	{"stack-every", '\0', OPTION_COUNT, AT(stack_every),
	 .help = "... with the calls around each N-th (default 10000)", .argument = "N", .max = 1e9,
	 .refusal = "give a number from 0 to 1000000000"},
	{"faults", '\0', OPTION_VALUE, AT(faults), .value = 1,
	 .help = "page faults within functions (default), tasks (on request)"},
	{"no-faults", '\0', OPTION_VALUE, AT(faults), .value = -1,
	 .help = "... are left out, where there are very many"},
	{"tasks", '\0', OPTION_FLAG, AT(request.probe.tasks),
	 .help = "what tasks do, as the command tells with pscal/task.h"},
	{"omp", '\0', OPTION_FLAG, AT(request.probe.omp),
	 .help = "... and what those of OpenMP do, which tells by itself"},
	{"task-counters", '\0', OPTION_TEXT, AT(request.probe.counters),
	 .help = "... and what their threads count in them, at most 4 events",
	 .argument = "EVENTS"},

	{.type = OPTION_HEADING, .help = "Where to:"},
	{"output", 'o', OPTION_TEXT, AT(request.path),
	 .help = "FILE (default pscal.data), - is a stream; FILE.old keeps what is there",
	 .argument = "FILE"},
	{NULL, 'z', OPTION_FLAG, AT(compress), .help = "compress: -z1 (default) to -z22"},
	{"compression-level", '\0', OPTION_DIGITS, AT(level), .help = "the same",
	 .argument = "LEVEL"},
	{"clean", '\0', OPTION_FLAG, AT(clean),
	 .help = "record nothing: clear the remains of killed recordings"},
	{"force", 'f', OPTION_FLAG, AT(force),
	 .help = "read files of other users, too: --probe hot"},
	OPTION_TABLE_END};

/* --- Which of them go together ------------------------------------------------------------- */

struct rule {
	bool broken;
	const char *sentence;
};

static int check_rules(const struct rule *rules, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].broken)
			return err_set_sentence(err, rules[i].sentence);
	return 0;
}

static bool wants_call_chains(const struct record_options *options)
{
	return options->chains || options_text(&options->common, "call-graph");
}

static int check_target(const struct record_options *options, struct err *err)
{
	const struct recorder_request *request = &options->request;
	const struct target_spec *target = &request->target;
	const char *command = options->common.arg_count ? options->common.args[0] : NULL;
	bool ids = options->pids.items || options->tids.items;
	bool targets = ids || target->comm || options->cgroup;
	const struct rule rules[] = {
		{options->clean && (command || targets || target->all),
		 "--clean records nothing: it goes with no COMMAND, nor with what runs already"},
		{!command && !targets && !target->all && !options->clean,
		 "name a COMMAND to start, or what runs already; say -- COMMAND, or -p PID, -t "
		 "TID, --comm NAME, "
		 "--cgroup PATH or -a"},
		{command && targets, "record either a COMMAND or what runs already (-p, -t, "
				     "--comm, --cgroup), not both"},
		{options->cgroup && (ids || target->comm),
		 "--cgroup is all processes in it: it does not go with -p, -t or --comm"},
		{target->comm && ids, "--comm is found by its name: it does not go with -p or -t"},
		{target->all && targets,
		 "-a is everything: it does not go with -p, -t, --comm or --cgroup"},
		{target->all && options->alone,
		 "-a is everything: it does not go with --no-children"},
		{wants_call_chains(options) && !request->sampling.frequency_hz &&
			 request->sync < SYNC_RECORD_FUTEX && !request->uprobe.functions,
		 "-g and --call-graph are about samples, or calls; take samples with -F 997, or "
		 "record calls with --sync or --uprobe"},
		{request->counters_optional && !request->counters,
		 "--counters-optional is about counters; name some with -e"},
		{request->path && strcmp(request->path, "-") == 0 && isatty(STDOUT_FILENO),
		 "-o -: the recording would go to the terminal; pipe it into something, say "
		 "'pscal profile'"},
		{request->delay_ns == RECORDER_STARTS_OFF && !request->control,
		 "--delay -1: recording would never begin; give --control FIFO, and 'enable' "
		 "there"},
	};

	return check_rules(rules, COUNT(rules), err);
}

/* The probe library gets into a command when that starts. */
static int check_loading(const struct recorder_request *request, struct err *err)
{
	const struct probe_options *probe = &request->probe;

	if (!probe_options_ask(probe))
		return 0;
	if (!request->command)
		return err_set(err,
			       "%s is loaded into a command when that starts, not into what runs "
			       "already",
			       probe_options_name(probe));
	if (strcmp(request->path, "-") == 0 && probe->tasks)
		return err_set(err,
			       "%s: the names of tasks stand at the end of a recording, where a "
			       "stream has no place for them; record into a file",
			       probe->omp ? "--omp" : "--tasks");
	return 0;
}

static int check_blocks(const struct record_options *options, struct err *err)
{
	const struct options *common = &options->common;
	const struct probe_options *probe = &options->request.probe;
	const char *const *uprobes = options->request.uprobe.functions;
	bool functions = probe->patterns || uprobes;
	const struct rule counting[] = {
		{probe->counters && !probe->tasks,
		 "--task-counters is about tasks; record them with --tasks or --omp"},
	};
	const struct rule rules[] = {
		{!probe->patterns &&
			 (options_text(common, "every") || options_text(common, "stack-every")),
		 "--every and --stack-every are about functions that are watched from inside; "
		 "name some with --probe"},
		{!functions && options_text(common, "arguments"),
		 "--arguments is about functions; name some with --probe or --uprobe"},
		{!functions && !probe->tasks && options->faults > 0,
		 "--faults is about what happens within functions and tasks; name functions with "
		 "--probe or --uprobe, or have tasks with --tasks or --omp"},
		{options->request.uprobe.risk_exceptions && !uprobes,
		 "--risk-exceptions is about functions that are probed from outside; name some "
		 "with --uprobe"},
	};

	if (check_rules(counting, COUNT(counting), err) || check_loading(&options->request, err) ||
	    hot_functions_check(probe->patterns, options->hot_from, err) ||
	    check_rules(rules, COUNT(rules), err))
		return -1;
	for (size_t i = 0; uprobes && uprobes[i]; i++)
		if (uprobe_functions_check(uprobes[i], err))
			return -1;
	return 0;
}

/* --- The request --------------------------------------------------------------------------- */

/* To compress the events of functions and tasks takes less time than to write them to a file as
 * they are. */
static int read_level(struct record_options *options, struct err *err)
{
	const struct probe_options *probe = &options->request.probe;
	uint64_t number = options->compress || probe_options_ask(probe);

	if (options->level && parse_u64(&number, options->level, RECORDING_LEVEL_MAX))
		return err_set(err, "-z %s: levels are 1 to %d, and 0 is as it is", options->level,
			       RECORDING_LEVEL_MAX);
	options->request.compression_level = (int)number;
	return 0;
}

/* Of calls they are found by frame pointers, whatever is done with samples. */
static bool has_call_chains(const struct record_options *options)
{
	const struct recorder_request *request = &options->request;

	return request->off_cpu ||
	       (wants_call_chains(options) && request->sampling.calls != SAMPLER_CALLS_NONE);
}

/* What follows from the options. Returns 0, or -1 with a sentence: wrong usage. */
static int complete_request(struct record_options *options, struct err *err)
{
	struct recorder_request *request = &options->request;
	struct target_spec *target = &request->target;
	struct probe_options *probe = &request->probe;

	if (!request->path)
		request->path = TRACE_USUAL_FILE;
	request->command = options->common.arg_count ? options->common.args : NULL;
	/* A stream of records and what the command prints would not be told apart. */
	request->command_output = strcmp(request->path, "-") == 0 ? STDERR_FILENO : STDOUT_FILENO;
	target->alone = options->alone;
	target->pids = options->pids.items;
	target->pid_count = options->pids.count;
	target->tids = options->tids.items;
	target->tid_count = options->tids.count;
	if (options->duration_s > 0)
		request->duration_ns = (uint64_t)(options->duration_s * 1e9) + 1;
	probe->tasks = probe->tasks || probe->omp;
	probe->arguments = (uint32_t)options->arguments;
	probe->every = (uint32_t)options->every;
	probe->stack_every = (uint32_t)options->stack_every;
	request->uprobe.arguments = (unsigned)options->arguments;
	if (read_level(options, err) || check_blocks(options, err))
		return -1;
	request->sampling.faults =
		options->faults > 0 ||
		((probe->patterns || request->uprobe.functions) && !options->faults);
	request->sync_stacks = request->sync >= SYNC_RECORD_FUTEX && has_call_chains(options);
	request->uprobe.stacks = request->uprobe.functions && has_call_chains(options);
	return 0;
}

/* --- The summary, on standard error --------------------------------------------------------- */

/* "48 212": a recording has so many events that digits alone are hard to read. */
static const char *grouped(char *out, size_t size, uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t used = 0;

	for (int i = 0; i < length && used + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			out[used++] = ' ';
		out[used++] = digits[i];
	}
	out[used] = '\0';
	return out;
}

/* "4.1 MB", "12.3 kB" */
static const char *in_bytes(char *out, size_t size, uint64_t bytes)
{
	const char *units = "kMGT";
	double value = (double)bytes / 1e3;

	for (; value >= 1e3 && units[1]; units++)
		value /= 1e3;
	snprintf(out, size, "%.1f %cB", value, *units);
	return out;
}

/* A line. */
static void say_line(const char *sentence)
{
	printable_say(stderr, "pscal record: %s", sentence);
}

/* That much is said, where calls were asked for. */
#define CALLS_SHARE_MAX 0.05

static void warn_of_calls(const struct recorder_result *result)
{
	if (result->calls_ended)
		say_line("recording futex calls took more than 2 % of the target's CPU time, so it "
			 "was switched off: --sync=futex keeps it on, --sync=none leaves it off");
	else if (result->calls_share > CALLS_SHARE_MAX)
		printable_say(stderr,
			      "pscal record: recording the calls took %.2g %% of the target's CPU "
			      "time: see --sync in pscal-record(1)",
			      100 * result->calls_share);
}

static void warn_of_unseen(const struct recorder_result *result)
{
	char number[32];

	if (result->unseen)
		printable_say(stderr,
			      "pscal record: threads of %s %s wait for one another, but not by "
			      "calls of the C library that can be seen: a static program needs "
			      "its symbols; of a program with locks of its own, as in Go, only "
			      "waits are recorded",
			      grouped(number, sizeof(number), result->unseen),
			      result->unseen == 1 ? "process" : "processes");
}

static const char *why_no_tasks(const struct probe_options *options)
{
	return options->omp ? "the command uses no OpenMP that can be seen (OpenMP in man "
			      "pscal-record)"
			    : "the command tells of no task (pscal/task.h)";
}

/* Why something is missing, as far as that is known. */
static void print_missing_blocks(const struct block_tracer_result *blocks,
				 const struct probe_options *options)
{
	const char *option = probe_options_name(options);
	char missing[32];

	if (blocks->missing)
		printable_say(
			stderr,
			"pscal record: %s: for %s events there was no memory while the recorder "
			"was late, or no room within 'ulimit -v' and 'ulimit -f'; record fewer "
			"calls with --every, or fewer functions",
			option, grouped(missing, sizeof(missing), blocks->missing));
	if (blocks->unread)
		printable_say(stderr,
			      "pscal record: %s: up to %s events of the end are lost, as the "
			      "recorder was "
			      "late; record fewer calls with --every, or fewer functions",
			      option, grouped(missing, sizeof(missing), blocks->unread));
	if (blocks->trouble)
		printable_say(stderr, "pscal record: %s: %s", option, blocks->trouble);
	else if (!blocks->threads && !blocks->lost)
		printable_say(
			stderr,
			"pscal record: %s: nothing was recorded: %s, or the command clears its "
			"environment (LD_PRELOAD, PSCAL_SPOOL), changes its root directory, or "
			"starts what is linked statically",
			option,
			options->patterns ? "what was asked for did not run"
					  : why_no_tasks(options));
	else if (options->tasks && !blocks->steps)
		printable_say(stderr, "pscal record: %s: %s", options->omp ? "--omp" : "--tasks",
			      why_no_tasks(options));
}

static void print_events(const struct block_tracer_result *blocks,
			 const struct probe_options *options)
{
	char events[32], threads[32], lost[32], drift[32];

	fprintf(stderr, "pscal record: %s: %s %s of %s %s, %s lost, times to %s ns",
		options->patterns ? "blocks" : "tasks",
		grouped(events, sizeof(events), options->patterns ? blocks->events : blocks->steps),
		options->patterns ? "events" : "steps",
		grouped(threads, sizeof(threads), blocks->threads),
		blocks->threads == 1 ? "thread" : "threads",
		grouped(lost, sizeof(lost), blocks->lost),
		grouped(drift, sizeof(drift), blocks->drift_ns));
	if (options->every > 1)
		fprintf(stderr, ", one call in %" PRIu32, options->every);
	if (blocks->cost_ns > 0)
		fprintf(stderr, ", %.0f ns an enter and its leave", blocks->cost_ns);
	if (options->patterns && options->tasks)
		fprintf(stderr, "; %s steps of tasks",
			grouped(events, sizeof(events), blocks->steps));
	if (blocks->task_cost_ns > 0)
		fprintf(stderr, ", %.0f ns a task's begin and end", blocks->task_cost_ns);
	fputc('\n', stderr);
}

static void print_blocks(const struct block_tracer_result *blocks,
			 const struct probe_options *options)
{
	print_events(blocks, options);
	print_missing_blocks(blocks, options);
	if (blocks->unwatched)
		printable_say(stderr, "pscal record: --probe: %s", blocks->unwatched);
	if (blocks->gaps && (blocks->threads || !blocks->trouble))
		printable_say(stderr, "pscal record: %s: %s", probe_options_name(options),
			      blocks->gaps);
	if (blocks->names)
		say_line(blocks->names);
	if (blocks->lines)
		say_line(blocks->lines);
}

/* More take a fiftieth of a core at least, and a tenth where the kernel steps. */
enum { HITS_PER_S_MAX = 10000 };

static void print_uprobe(const struct recorder_result *result)
{
	const struct uprobe_result *uprobe = &result->uprobe;
	uint64_t hits = uprobe->enters + uprobe->leaves;
	double wall_s = (double)result->wall_ns / 1e9;
	char enters[32], leaves[32], missed[32], rate[32], strangers[32];

	fprintf(stderr,
		"pscal record: probes: %s enters and %s leaves of %" PRIu64
		" %s, %s counted but not recorded",
		grouped(enters, sizeof(enters), uprobe->enters),
		grouped(leaves, sizeof(leaves), uprobe->leaves), uprobe->functions,
		uprobe->functions == 1 ? "function" : "functions",
		grouped(missed, sizeof(missed), uprobe->missed));
	if (uprobe->call_ns > 0)
		fprintf(stderr, ", %.1f us a call", uprobe->call_ns / 1e3);
	fputc('\n', stderr);
	if (uprobe->strangers)
		printable_say(
			stderr,
			"pscal record: %s more hits were of processes beside the target, which "
			"run the same code and are slowed down as well; they are not in the "
			"recording",
			grouped(strangers, sizeof(strangers), uprobe->strangers));
	if (result->wall_ns && (double)hits > HITS_PER_S_MAX * wall_s)
		printable_say(
			stderr,
			"pscal record: the probes were hit %s times a second, which has slowed "
			"the target down: probe what is called less often, or start the target "
			"with --probe, and --every where that is too much",
			grouped(rate, sizeof(rate), (uint64_t)((double)hits / wall_s)));
}

/* The share of the work that was recorded, and the events that are missing. */
static void print_summary(const struct recorder_result *result,
			  const struct recorder_request *request)
{
	const char *path = request->path;
	char threads[32], events[32], number[32], bytes[32];

	printable_say(stderr, "pscal record: %.3f s wall, %s %s, %s events, %s lost, %s in %s",
		      (double)result->wall_ns / 1e9,
		      grouped(threads, sizeof(threads), result->threads),
		      result->threads == 1 ? "thread" : "threads",
		      grouped(events, sizeof(events), result->samples),
		      grouped(number, sizeof(number), result->lost),
		      in_bytes(bytes, sizeof(bytes), result->file_bytes),
		      strcmp(path, "-") == 0 ? "standard output" : path);
	if (result->left)
		printable_say(
			stderr,
			"pscal record: the command (process %d) has not ended after SIG%s: it "
			"goes on, and is not recorded any more",
			(int)result->left, sigabbrev_np(result->asked_by));
	if (probe_options_ask(&request->probe))
		print_blocks(&result->blocks, &request->probe);
	if (request->uprobe.functions)
		print_uprobe(result);
	warn_of_calls(result);
	warn_of_unseen(result);
	if (result->missed_wakes)
		printable_say(
			stderr,
			"pscal record: wakes that this kernel counted but did not record: %s; the "
			"bpf collector misses fewer",
			grouped(number, sizeof(number), result->missed_wakes));
	if (result->unknown)
		printable_say(
			stderr,
			"pscal record: %s events were left out: it is not known whether their "
			"threads belong to the target, as the kernel had no room to tell of their "
			"births",
			grouped(number, sizeof(number), result->unknown));
	if (result->cut_maps)
		printable_say(
			stderr,
			"pscal record: %s %s more memory mappings than are read: functions and "
			"locks in the rest have no names",
			grouped(number, sizeof(number), result->cut_maps),
			result->cut_maps == 1 ? "process has" : "processes have");
	if (result->wrapped)
		say_line("process ids began anew during the recording, so threads may be "
			 "missing; record again, or raise kernel.pid_max");
	if (result->full)
		say_line("the file has reached --max-size; what happened after that is not in "
			 "it");
	if (result->limits)
		say_line(result->limits);
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

	say_line(sentence);
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

static int find_cgroup(struct record_options *options, struct err *err)
{
	struct target_spec *target = &options->request.target;
	struct id_list *pids = &options->pids;

	if (cgroup_pids(&pids->items, &pids->count, CGROUP_ROOT, options->cgroup, err))
		return err_wrap(err, "--cgroup");
	target->pids = pids->items;
	target->pid_count = pids->count;
	return 0;
}

static int find_hot(struct record_options *options, struct err *err)
{
	const char *path = options->hot_from ? options->hot_from : TRACE_USUAL_FILE;
	struct probe_options *probe = &options->request.probe;

	if (hot_functions_find(&options->hot, probe->patterns, path,
			       options_owners(&options->common), err))
		return -1;
	probe->patterns = options->hot.patterns;
	return 0;
}

static void say(void *context, const char *sentence)
{
	(void)context;
	say_line(sentence);
}

static int record(struct record_options *options, struct err *err)
{
	struct recorder_request *request = &options->request;
	struct recorder_result result;

	if (complete_request(options, err))
		return STATUS_USAGE;
	if ((options->cgroup && find_cgroup(options, err)) || find_hot(options, err))
		return STATUS_FAILED;
	if (options->common.verbose)
		request->tell = say;
	record_clean_before(options->common.quiet, options->common.verbose);
	if (recorder_run(&result, request, err))
		return STATUS_FAILED;
	if (!options->common.quiet)
		print_summary(&result, request);
	free(result.limits);
	free(result.blocks.unwatched);
	free(result.blocks.trouble);
	free(result.blocks.gaps);
	free(result.blocks.names);
	free(result.blocks.lines);
	*err = (struct err){.text = ""}; /* of what went without */
	return result.command_status;
}

static int cmd_record_run(int argc, const char **argv, struct err *err)
{
	struct record_options options = {
		.request = {.cmdline = argv}, .every = 1, .stack_every = STACK_EVERY};
	struct options *common = &options.common;
	int status = options_read(common, OPTIONS_RECORD, "[--] COMMAND [ARG...]", record_table,
				  &options, argc, argv, err);

	if (status < 0) {
		common->force = options.force;
		if (check_target(&options, err))
			status = STATUS_USAGE;
		else if (options.clean)
			status = record_clean(common->quiet, err);
		else
			status = record(&options, err);
	}
	hot_functions_release(&options.hot);
	options_release(common);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record a command, or running threads, into pscal.data",
	.run = cmd_record_run,
};
