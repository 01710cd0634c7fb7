/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_functions.h"

#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/function_times.h"

#include <inttypes.h>

/* The share of samples without callers, or without symbols, that makes a column misleading. */
#define MISSING_SHARE .2

enum { OF_SAMPLES = 1, OF_BLOCKS = 2 };

static const struct column function_columns[] = {
	{"function", "function", UNIT_NONE, -1, FIELD(function_row, function)},
	{"file", "file", UNIT_NONE, -1, FIELD(function_row, file), .optional = true},
	{"cpu_s", "CPU", UNIT_SPAN, 0, FIELD(function_row, cpu_s), .needs = OF_SAMPLES},
	{"cpu_share", "share", UNIT_SHARE, 0, FIELD(function_row, cpu_share), .needs = OF_SAMPLES},
	{"samples", "samples", UNIT_NONE, 0, FIELD(function_row, samples), .needs = OF_SAMPLES,
	 .detail = true},
	{"kernel_samples", "in kernel", UNIT_NONE, 0, FIELD(function_row, in_kernel),
	 .needs = OF_SAMPLES, .detail = true},
	{"blocked_s", "blocked", UNIT_SPAN, 0, FIELD(function_row, blocked_s), .needs = OF_BLOCKS},
	{"blocks", "times", UNIT_NONE, 0, FIELD(function_row, blocks), .needs = OF_BLOCKS},
	{"callers", "mostly called from", UNIT_NONE, -1, FIELD(function_row, callers),
	 .optional = true},
};

static const struct column total_columns[] = {
	{"cpu_s", NULL, UNIT_SECONDS, 0, FIELD(function_times, cpu_s)},
	{"samples", NULL, UNIT_NONE, 0, FIELD(function_times, samples)},
	{"samples_without_caller", NULL, UNIT_NONE, 0, FIELD(function_times, callerless)},
	{"blocked_s", NULL, UNIT_SECONDS, 0, FIELD(function_times, blocked_s)},
	{"blocked_elsewhere_s", NULL, UNIT_SECONDS, 0, FIELD(function_times, unplaced_s)},
};

/*
 * Returns whether the row is a function: not a file without symbols, and not unknown code, which
 * has no file.
 */
static bool is_function(const struct function_row *row)
{
	return !row->nameless && *row->file;
}

static bool is_more_blocked(const struct function_row *a, const struct function_row *b)
{
	return is_function(a) != is_function(b) ? is_function(a) : a->blocked_s > b->blocked_s;
}

static const struct function_row *most_blocked(const struct function_times *times)
{
	const struct function_row *most = NULL;

	for (size_t i = 0; i < times->count; i++)
		if (times->rows[i].blocks && (!most || is_more_blocked(&times->rows[i], most)))
			most = &times->rows[i];
	return most;
}

static void say_verdict(struct report *report, const struct function_times *times)
{
	const struct function_row *most = most_blocked(times);
	char cpu[VALUE_SIZE], all[VALUE_SIZE], blocked[VALUE_SIZE];

	if (most)
		format_value(blocked, most->blocked_s, UNIT_SPAN);
	format_value(all, times->cpu_s, UNIT_SPAN);
	if (times->samples && most)
		report_verdict(report,
			       "%s takes %s of %s CPU time; threads block mostly in %s: %s.",
			       times->rows[0].function,
			       format_value(cpu, times->rows[0].cpu_share, UNIT_SHARE), all,
			       most->function, blocked);
	else if (times->samples)
		report_verdict(report, "%s takes %s of %s CPU time.", times->rows[0].function,
			       format_value(cpu, times->rows[0].cpu_share, UNIT_SHARE), all);
	else if (most)
		report_verdict(report, "Threads block mostly in %s: %s.", most->function, blocked);
	else
		report_verdict(
			report,
			"The recording has neither samples nor stacks: functions are unknown.");
}

static void say_what_is_missing(struct report *report, const struct function_times *times)
{
	double samples = times->samples ? (double)times->samples : 1;
	double callerless = (double)times->callerless / samples;
	double nameless = (double)times->nameless / samples;

	report_alert_if(report, !times->samples,
			"CPU time by function is unknown: record with -F 499 -g.");
	report_alert_if(report, nameless > MISSING_SHARE,
			"%.0f %% of the samples are in files that have no symbols or have changed "
			"since: build with -g, or install the -dbgsym package.",
			100 * nameless);
	report_alert_if(report, times->samples && !times->chained,
			"The samples have no callers: record with -g.");
	report_alert_if(
		report, times->chained && callerless > MISSING_SHARE,
		"%.0f %% of the samples have no callers: build with -fno-omit-frame-pointer.",
		100 * callerless);
	report_alert_if(report, times->blocked_s > 0 && times->unplaced_s == times->blocked_s,
			"Functions where threads block are unknown: record with --off-cpu.");
	report_alert_if(report,
			times->unplaced_s > MISSING_SHARE * times->blocked_s &&
				times->unplaced_s < times->blocked_s,
			"Of %.3g s blocked, %.3g s have no call chain.", times->blocked_s,
			times->unplaced_s);
}

void report_functions(struct report *report, const struct function_times *times, const char *again)
{
	const struct function_row *most = most_blocked(times);
	const struct table table = {
		.key = "functions",
		.in = times->count ? REPORT_ALL : REPORT_CSV | REPORT_JSON,
		COLUMNS(function_columns),
		.has = (times->samples ? OF_SAMPLES : 0U) | (most ? OF_BLOCKS : 0U),
		.top = 12,
	};

	say_verdict(report, times);
	say_what_is_missing(report, times);
	report_facts(report, NULL, total_columns, times);
	report_table(report, &table, times->rows, times->count);
	report_detail_if(report, times->samples > 0,
			 "CPU time is the share of %" PRIu64
			 " samples of the target, times its CPU time. A function's own time is "
			 "without that of its callees.",
			 times->samples);
	if (again)
		report_next_step(report, "pscal forecast --why%s", again);
}
