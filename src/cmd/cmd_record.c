/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/trace.h"
#include "collect/recorder.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct record_options {
	struct options common;
	char *output, *pids, *duration;
};

/* The exit status of a wrong combination, with a sentence; -1 when all is well. */
static int check_usage(const struct record_options *options, struct err *err)
{
	if (!options->pids && !options->common.arg_count)
		err_set(err, "name a COMMAND to start or a process with -p PID");
	else if (options->pids && options->common.arg_count)
		err_set(err, "%s: record either a COMMAND or running processes (-p), not both",
			options->common.args[0]);
	else if (options->duration && !options->pids)
		err_set(err, "--duration is for running processes (-p); a COMMAND is recorded "
			     "until it ends");
	else
		return -1;
	return STATUS_USAGE;
}

static int parse_duration(uint64_t *duration_ns, const char *text, struct err *err)
{
	const double longest_s = 1e9; /* 31 years */
	double seconds = 0;

	*duration_ns = 0;
	if (!text)
		return 0;
	if (parse_seconds(&seconds, text, err))
		return err_wrap(err, "--duration");
	if (seconds <= 0 || seconds > longest_s)
		return err_set(err, "--duration %s: record for more than 0 s", text);
	*duration_ns = (uint64_t)(seconds * 1e9) + 1;
	return 0;
}

/* The caller frees *pids. */
static int parse_pids(pid_t **pids, size_t *count, const char *text, struct err *err)
{
	uint64_t *numbers;

	*pids = NULL;
	*count = 0;
	if (!text)
		return 0;
	if (parse_list(&numbers, count, text, 1, INT_MAX, err))
		return err_wrap(err, "-p");
	*pids = xcalloc(*count, sizeof(**pids));
	for (size_t i = 0; i < *count; i++)
		(*pids)[i] = (pid_t)numbers[i];
	free(numbers);
	return 0;
}

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

static void print_summary(const struct recorder_result *result, const char *path)
{
	char threads[32], events[32], lost[32], bytes[32];

	fprintf(stderr, "pscal record: %.3f s wall, %s %s, %s events, %s lost, %s in %s\n",
		(double)result->wall_ns / 1e9, grouped(threads, sizeof(threads), result->threads),
		result->threads == 1 ? "thread" : "threads",
		grouped(events, sizeof(events), result->samples),
		grouped(lost, sizeof(lost), result->lost),
		in_bytes(bytes, sizeof(bytes), result->file_bytes), path);
	if (result->wrapped)
		fputs("pscal record: process ids began anew during the recording, so threads may "
		      "be missing: record again, or raise kernel.pid_max\n",
		      stderr);
}

static int record(const struct record_options *options, const char **argv, struct err *err)
{
	const char *path = options->output ? options->output : TRACE_USUAL_FILE;
	struct recorder_request request = {
		.path = path,
		.command = options->pids ? NULL : options->common.args,
		.cmdline = argv,
	};
	struct recorder_result result = {0};
	pid_t *pids;
	int status = STATUS_USAGE;

	if (parse_pids(&pids, &request.target.pid_count, options->pids, err) ||
	    parse_duration(&request.duration_ns, options->duration, err))
		goto out;
	request.target.pids = pids;
	if (recorder_run(&result, &request, err) == 0) {
		if (!options->common.quiet)
			print_summary(&result, path);
		status = result.command_status;
	} else {
		status = STATUS_FAILED;
	}
out:
	free(pids);
	return status;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct record_options options = {.output = NULL};
	const struct poptOption table[] = {
		{"output", 'o', POPT_ARG_STRING, &options.output, 0,
		 "write to FILE (default pscal.data); what is there is kept as FILE.old", "FILE"},
		{"pid", 'p', POPT_ARG_STRING, &options.pids, 0,
		 "record running processes and their descendants", "PID[,PID]"},
		{"duration", '\0', POPT_ARG_STRING, &options.duration, 0,
		 "with -p: stop after a time, say 10 or 500ms", "S"},
		POPT_TABLEEND};
	int status = options_parse(&options.common, OPTIONS_RECORD, "[--] COMMAND [ARG...]", table,
				   argc, argv, err);

	if (status < 0)
		status = check_usage(&options, err);
	if (status < 0)
		status = record(&options, argv, err);
	options_release(&options.common);
	free(options.output);
	free(options.pids);
	free(options.duration);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record a command, or running processes, into pscal.data",
	.run = run,
};
