/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_steady.h"

#include "base/alloc.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum flag { FLAG_UNSETTLED, FLAG_SHORT, FLAG_TREND, FLAG_END, FLAGS };

static const char *const flag_names[FLAGS] = {"unsettled", "short", "trend", "end"};

/* --- The table ------------------------------------------------------------------------------ */

static bool has_flag(const struct series_window *window, enum flag flag)
{
	switch (flag) {
	case FLAG_UNSETTLED:
		return window->steady.at_limit;
	case FLAG_SHORT:
		return window->steady.batches < STEADY_BATCHES_ENOUGH;
	case FLAG_END:
		return window->steady.ends_off;
	default:
		return steady_trends(&window->steady);
	}
}

void report_steady(struct report *report, const struct series *series)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"from", "from", UNIT_DECIMAL, 0},
		{"to", "to", UNIT_DECIMAL, 0},
		{"rows", "rows", UNIT_NONE, 0},
		{"cut_start", "cut before", UNIT_NONE, 0},
		{"cut_end", "behind", UNIT_NONE, 0},
		{"mean", "throughput", UNIT_DECIMAL, 0},
		{"se", "its error", UNIT_DECIMAL, 0},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "steady",
					   .title = "Steady windows of the log",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = sizeof(columns) / sizeof(columns[0])};

	if (!series->windows && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; series->windows && i < series->count; i++) {
		const struct series_window *window = &series->windows[i];
		const char *flags[FLAGS];
		size_t flag_count = 0;

		for (enum flag flag = 0; flag < FLAGS; flag++)
			if (has_flag(window, flag))
				flags[flag_count++] = flag_names[flag];
		report_row(report, (struct cell[]){
					   cell_number(window->n),
					   cell_number(window->from),
					   cell_number(window->to),
					   cell_count((int64_t)window->rows),
					   cell_count((int64_t)window->cut_start),
					   cell_count((int64_t)window->cut_end),
					   cell_number(window->mean),
					   cell_number(window->steady.se),
					   cell_list(flags, flag_count),
				   });
	}
	report_end(report);
}

/* --- Warnings ------------------------------------------------------------------------------- */

/* The N of windows with a flag, "1, 2 and 8", the first few of them. Returns how many there are. */
static size_t list_flagged(char out[160], const struct series *series, enum flag flag)
{
	enum { SHOWN = 8 };
	size_t count = 0;

	*out = '\0';
	for (size_t i = 0; series->windows && i < series->count; i++) {
		if (!has_flag(&series->windows[i], flag))
			continue;
		if (count++ < SHOWN)
			snprintf(out + strlen(out), 160 - strlen(out), "%s%.6g", *out ? ", " : "",
				 series->windows[i].n);
	}
	if (count > SHOWN)
		strcat(out, ", ...");
	return count;
}

char *report_steady_unsettled(const struct series *series)
{
	char list[160];

	if (!list_flagged(list, series, FLAG_UNSETTLED))
		return NULL;
	return xasprintf("Throughput may not have become steady at N = %s: half of the rows was "
			 "cut, which is the most that is; run longer there.",
			 list);
}

char *report_steady_short(const struct series *series)
{
	char list[160];

	if (!list_flagged(list, series, FLAG_SHORT))
		return NULL;
	return xasprintf("The steady window has fewer than %d batches of %d rows at N = %s: the "
			 "cut and the error are guesses; log more rows there.",
			 STEADY_BATCHES_ENOUGH, STEADY_BATCH, list);
}

char *report_steady_trend(const struct series *series)
{
	char list[160];

	if (!list_flagged(list, series, FLAG_TREND))
		return NULL;
	return xasprintf("Throughput still rises or falls in the steady window at N = %s; run "
			 "longer there, and look what changes.",
			 list);
}

char *report_steady_end(const struct series *series)
{
	char list[160];

	if (!list_flagged(list, series, FLAG_END))
		return NULL;
	return xasprintf("Throughput changes at the end of the rows at N = %s, as a run does when "
			 "it is being stopped: --cut-end leaves that out.",
			 list);
}
