/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "cmd/record/hot_functions.h"
#include "cmd/record/record_request.h"
#include "collect/kernel/run_directory.h"
#include "collect/recorder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_line(const char *sentence)
{
	printable_say(stderr, "pscal record: %s", sentence);
}

/* --- The remains of killed recordings ------------------------------------------------------ */

/* The directory of root's recordings, which only root can list. */
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

static int record_clean(bool quiet, struct err *err)
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

/* Clears the remains before a recording. Prints one line about them, or with `verbose` each. */
static void record_clean_before(bool quiet, bool verbose)
{
	struct run_left left = {.cleared_count = 0};
	char number[64];

	run_left_clear(&left);
	for (size_t i = 0; verbose && i < left.kept_count; i++)
		say_left("not cleared: ", left.kept[i]);
	if (!quiet && left.cleared_count > 1 && !verbose) {
		snprintf(number, sizeof(number), "%zu killed recordings left", left.cleared_count);
		say_left("cleared what ", number);
	} else if (!quiet) {
		for (size_t i = 0; i < left.cleared_count; i++)
			say_left("cleared ", left.cleared[i]);
	}
	run_left_release(&left);
}

/* --- Numbers and lines --------------------------------------------------------------------- */

enum { NUMBER_SIZE = 32 };

/* Groups digits, as "48 212": large counts are hard to read without. */
static const char *group_digits(char out[NUMBER_SIZE], uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t used = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[used++] = ' ';
		out[used++] = digits[i];
	}
	out[used] = '\0';
	return out;
}

#define GROUPED(number) group_digits((char[NUMBER_SIZE]){""}, number)
#define PLURAL(number)	((number) == 1 ? "" : "s")

/* Formats a size, as "12.3 kB" or "4.1 MB". */
static const char *in_bytes(char out[NUMBER_SIZE], uint64_t bytes)
{
	const char *units = "kMGT";
	double value = (double)bytes / 1e3;

	for (; value >= 1e3 && units[1]; units++)
		value /= 1e3;
	snprintf(out, NUMBER_SIZE, "%.1f %cB", value, *units);
	return out;
}

__attribute__((format(printf, 2, 3))) static void alert_if(bool holds, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (!holds)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		printable_say(stderr, "! %s", text);
	va_end(args);
	free(text);
}

static void alert_text(const char *sentence)
{
	if (sentence)
		printable_say(stderr, "! %s", sentence);
}

/* --- Functions and tasks, from inside ------------------------------------------------------- */

static const char *why_no_tasks(const struct probe_options *options)
{
	return options->omp ? "the command uses no OpenMP that pscal can see (--tasks in man "
			      "pscal-record)"
			    : "the command marks no task (pscal/task.h)";
}

/* Prints warnings about missing events, and their causes if known. */
static void alert_of_blocks(const struct block_tracer_result *blocks,
			    const struct probe_options *options)
{
	const char *option = probe_options_name(options);
	bool nothing = !blocks->trouble && !blocks->threads && !blocks->lost;

	alert_if(blocks->missing,
		 "%s: %s events are missing: the recorder was late and memory, 'ulimit -v' or "
		 "'ulimit -f' was too small for them. Record fewer calls (every=N), or fewer "
		 "functions.",
		 option, GROUPED(blocks->missing));
	alert_if(blocks->unread,
		 "%s: up to %s events at the end are lost, as the recorder was late. Record fewer "
		 "calls (every=N), or fewer functions.",
		 option, GROUPED(blocks->unread));
	alert_if(blocks->trouble, "%s: %s", option, blocks->trouble);
	alert_if(nothing,
		 "%s: nothing was recorded: %s, or the command clears its environment "
		 "(LD_PRELOAD, PSCAL_SPOOL), changes its root directory, or starts a program "
		 "that is linked statically",
		 option, options->patterns ? "the functions did not run" : why_no_tasks(options));
	alert_if(!blocks->trouble && !nothing && options->tasks && !blocks->steps, "%s: %s",
		 options->omp ? "--tasks=omp" : "--tasks", why_no_tasks(options));
	alert_if(blocks->gaps && (blocks->threads || !blocks->trouble), "%s: %s", option,
		 blocks->gaps);
}

static void print_blocks(const struct block_tracer_result *blocks,
			 const struct probe_options *options)
{
	bool functions = options->patterns;

	fprintf(stderr, "%s: %s %s of %s thread%s, %s lost", functions ? "functions" : "tasks",
		GROUPED(functions ? blocks->events : blocks->steps), functions ? "events" : "steps",
		GROUPED(blocks->threads), PLURAL(blocks->threads), GROUPED(blocks->lost));
	if (options->every > 1)
		fprintf(stderr, ", one call in %" PRIu32, options->every);
	if (functions && options->tasks)
		fprintf(stderr, ", %s steps of tasks", GROUPED(blocks->steps));
	if (blocks->cost_ns > 0)
		fprintf(stderr, "; overhead %.0f ns a call", blocks->cost_ns);
	if (blocks->task_cost_ns > 0)
		fprintf(stderr, "; overhead %.0f ns a task", blocks->task_cost_ns);
	fprintf(stderr, "; times exact to %s ns\n", GROUPED(blocks->drift_ns));
	if (blocks->unwatched)
		printable_say(stderr, "--probe: %s", blocks->unwatched);
}

/* --- Functions from outside ----------------------------------------------------------------- */

/*
 * The most hits a second without a warning. They take 2 % of a core, and 10 % where the kernel has
 * to step through an instruction.
 */
enum { HITS_PER_S_MAX = 10000 };

static void print_uprobe(const struct uprobe_result *uprobe)
{
	fprintf(stderr, "probes: %s enters and %s leaves of %s function%s, %s not recorded",
		GROUPED(uprobe->enters), GROUPED(uprobe->leaves), GROUPED(uprobe->functions),
		PLURAL(uprobe->functions), GROUPED(uprobe->missed));
	if (uprobe->call_ns > 0)
		fprintf(stderr, "; overhead %.1f us a call", uprobe->call_ns / 1e3);
	fputc('\n', stderr);
}

static void alert_of_uprobe(const struct recorder_result *result)
{
	const struct uprobe_result *uprobe = &result->uprobe;
	double hits = (double)(uprobe->enters + uprobe->leaves);
	double wall_s = (double)result->wall_ns / 1e9;

	alert_if(uprobe->strangers,
		 "%s more hits came from other processes that run the same code: they are slowed "
		 "down, too, and are not in the recording.",
		 GROUPED(uprobe->strangers));
	alert_if(result->wall_ns && hits > HITS_PER_S_MAX * wall_s,
		 "The probes were hit %s times a second, which slowed the target down. Probe "
		 "functions with fewer calls, or start the target with --probe (and every=N).",
		 GROUPED((uint64_t)(hits / wall_s)));
}

/* --- The summary ------------------------------------------------------------------------------ */

static void print_alerts(const struct recorder_result *result,
			 const struct recorder_request *request)
{
	alert_if(result->left,
		 "The command (process %d) has not ended after SIG%s: it continues, and is no "
		 "longer recorded.",
		 (int)result->left, result->left ? sigabbrev_np(result->asked_by) : "");
	alert_if(result->lost,
		 "%s events are missing, as the recorder was late: thread states are unknown "
		 "meanwhile.",
		 GROUPED(result->lost));
	if (probe_options_ask(&request->probe))
		alert_of_blocks(&result->blocks, &request->probe);
	if (request->uprobe.functions)
		alert_of_uprobe(result);
	alert_if(result->calls_ended,
		 "Recording futex calls took more than 2 %% of the target's CPU time, and was "
		 "switched off: --sync=futex keeps it on, --sync=none leaves it off.");
	alert_if(result->spent,
		 "The recording ended after %.3g s of %.3g s: recording calls took %.2g %% of the "
		 "target's CPU time, which is the budget (%.0f %%) of the whole duration.",
		 (double)result->wall_ns / 1e9, (double)request->duration_ns / 1e9,
		 100 * result->calls_share, 100 * RECORDER_CALLS_SHARE_MAX);
	alert_if(!result->calls_ended && !result->spent &&
			 result->calls_share > RECORDER_CALLS_SHARE_MAX,
		 "Recording the calls took %.2g %% of the target's CPU time: see --sync in "
		 "pscal-record(1).",
		 100 * result->calls_share);
	alert_if(result->refused, "--sync=all misses calls of %s: the kernel takes no probe there.",
		 result->refused);
	alert_if(result->unseen,
		 "Threads of %s process%s wait for each other, but not by visible calls of the C "
		 "library: a static program needs its symbols. Of locks of its own, as in Go, only "
		 "waits are recorded.",
		 GROUPED(result->unseen), result->unseen == 1 ? "" : "es");
	alert_if(result->missed_wakes,
		 "%s wakeups are missing: this kernel counted them but did not record them. The "
		 "bpf collector misses fewer.",
		 GROUPED(result->missed_wakes));
	alert_if(result->unknown,
		 "%s events were left out: the kernel lost records of new threads, so it is "
		 "unknown whether these belong to the target.",
		 GROUPED(result->unknown));
	alert_if(result->cut_maps,
		 "%s process%s more memory mappings than are read: functions and locks in the rest "
		 "have no names.",
		 GROUPED(result->cut_maps), result->cut_maps == 1 ? " has" : "es have");
	alert_if(result->mixed_faults,
		 "%s records of page faults were left out: another recorder watches page faults, "
		 "too, and the kernel mixed their ids and times.",
		 GROUPED(result->mixed_faults));
	alert_if(result->wrapped, "Process ids wrapped around during the recording: threads may be "
				  "missing. Record again, or raise kernel.pid_max.");
	alert_if(result->full, "The file has reached --max-size: later events are not in it.");
}

/* Prints the next command, which depends on the kind of the recording. */
static void print_next(const struct recorder_request *request)
{
	const char *words[] = {request->path, NULL};
	char *name = strcmp(request->path, TRACE_USUAL_FILE) ? shell_quote(words) : xstrdup("");
	const char *blank = *name ? " " : "";

	if (request->requests)
		printable_say(stderr, "next: pscal model%s%s", blank, name);
	else if (request->probe.patterns || request->uprobe.functions)
		printable_say(stderr, "next: pscal rdam%s%s", blank, name);
	else if (request->probe.tasks)
		printable_say(stderr, "next: pscal dag%s%s", blank, name);
	else if (request->sampling.frequency_hz && request->sampling.calls == SAMPLER_CALLS_FP)
		printable_say(stderr, "next: pscal profile --by function%s%s", blank, name);
	else
		printable_say(stderr, "next: pscal profile%s%s; pscal forecast%s%s", blank, name,
			      blank, name);
	free(name);
}

/* Prints the summary on standard error. Its last line names the next command if `is_last`. */
static void print_summary(const struct recorder_result *result,
			  const struct recorder_request *request, bool is_last)
{
	bool is_stream = strcmp(request->path, "-") == 0;
	bool has_blocks = probe_options_ask(&request->probe);

	printable_say(stderr,
		      "pscal record: %.3f s wall, %s thread%s, %s events, %s lost, %s in %s",
		      (double)result->wall_ns / 1e9, GROUPED(result->threads),
		      PLURAL(result->threads), GROUPED(result->samples), GROUPED(result->lost),
		      in_bytes((char[NUMBER_SIZE]){""}, result->file_bytes),
		      is_stream ? "standard output" : request->path);
	if (has_blocks)
		print_blocks(&result->blocks, &request->probe);
	if (request->uprobe.functions)
		print_uprobe(&result->uprobe);
	print_alerts(result, request);
	alert_text(has_blocks ? result->blocks.names : NULL);
	alert_text(has_blocks ? result->blocks.lines : NULL);
	alert_text(result->limits);
	if (!is_stream && is_last)
		print_next(request);
}

/* --- The recording ------------------------------------------------------------------------- */

static int find_cgroup(struct record_request *request, struct err *err)
{
	struct target_spec *target = &request->recorder.target;
	struct id_list *pids = &request->pids;

	if (!request->cgroup)
		return 0;
	if (cgroup_pids(&pids->items, &pids->count, CGROUP_ROOT, request->cgroup, err))
		return err_wrap(err, "--cgroup");
	target->pids = pids->items;
	target->pid_count = pids->count;
	return 0;
}

static int find_hot(struct record_request *request, struct err *err)
{
	const char *from = request->settings.from;
	struct probe_options *probe = &request->recorder.probe;

	if (hot_functions_find(&request->hot, probe->patterns, from ? from : TRACE_USUAL_FILE,
			       options_owners(&request->common), err))
		return -1;
	probe->patterns = request->hot.patterns;
	return 0;
}

static void say(void *context, const char *sentence)
{
	(void)context;
	say_line(sentence);
}

static void result_release(struct recorder_result *result)
{
	free(result->limits);
	free(result->refused);
	free(result->blocks.unwatched);
	free(result->blocks.trouble);
	free(result->blocks.gaps);
	free(result->blocks.names);
	free(result->blocks.lines);
}

int record_run(struct record_request *request, bool is_last, struct err *err)
{
	const struct options *common = &request->common;
	struct recorder_result result;

	if (record_request_complete(request, err))
		return STATUS_USAGE;
	if (request->clean)
		return record_clean(common->quiet, err);
	if (find_cgroup(request, err) || find_hot(request, err))
		return STATUS_FAILED;
	if (common->verbose)
		request->recorder.tell = say;
	if (!common->quiet)
		request->recorder.warn = say;
	if (!common->quiet && isatty(STDERR_FILENO))
		request->recorder.announce = say;
	record_clean_before(common->quiet, common->verbose);
	if (recorder_run(&result, &request->recorder, err))
		return STATUS_FAILED;
	if (!common->quiet)
		print_summary(&result, &request->recorder, is_last);
	result_release(&result);
	*err = (struct err){.text = ""}; /* an optional part that failed leaves its error */
	return result.command_status;
}
