/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_summary.h"

#include "base/printable.h"
#include "collect/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

void record_summary_say(const char *sentence)
{
	printable_say(stderr, "pscal record: %s", sentence);
}

/* Each of them took 1 us and more of the target's time: this is a twentieth of one core. */
enum { CALLS_PER_S_MAX = 50000 };

static void warn_of_calls(const struct recorder_result *result)
{
	double wall_s = (double)result->wall_ns / 1e9;
	char number[32];

	if ((double)result->calls > CALLS_PER_S_MAX * wall_s && result->wall_ns)
		printable_say(
			stderr,
			"pscal record: %s calls a second have been recorded, which has slowed the "
			"target down: see --sync in pscal-record(1)",
			grouped(number, sizeof(number),
				(uint64_t)((double)result->calls / wall_s)));
}

static void warn_of_unseen(const struct recorder_result *result)
{
	char number[32];

	if (result->unseen)
		printable_say(
			stderr,
			"pscal record: no call of the C library was seen of %s %s with threads "
			"that "
			"wait for one another: what is linked statically needs its symbols, and "
			"what has locks of its own, as Go, shows only where it waits",
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
			"was late, or no room within 'ulimit -v' and 'ulimit -f': record fewer "
			"calls with --every, or fewer functions",
			option, grouped(missing, sizeof(missing), blocks->missing));
	if (blocks->unread)
		printable_say(stderr,
			      "pscal record: %s: up to %s events of the end are lost, as the "
			      "recorder was "
			      "late: record fewer calls with --every, or fewer functions",
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
		record_summary_say(blocks->names);
	if (blocks->lines)
		record_summary_say(blocks->lines);
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

void record_summary_print(const struct recorder_result *result,
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
	if (result->wrapped)
		record_summary_say("process ids began anew during the recording, so threads may be "
				   "missing: record again, or raise kernel.pid_max");
	if (result->full)
		record_summary_say(
			"the file has reached --max-size; what happened after that is not in "
			"it");
	if (result->limits)
		record_summary_say(result->limits);
}
