/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam.h"

#include "base/alloc.h"
#include "report/rdam/report_rdam_notes.h"
#include "report/rdam/report_rdam_rows.h"
#include "report/rdam/report_rdam_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 48 };

/* "blocked 93 %, on CPU 7 %": what there is 5 % of. */
static char *main_causes(const struct rdam_row *row)
{
	static const double WORTH_IT = 0.045;
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);
	char *text = xstrdup("");

	for (size_t i = 0; i < RDAM_KINDS && row->lost_s > 0; i++) {
		double share = kinds.seconds[kinds.order[i]] / row->lost_s;
		char *longer;

		if (share < WORTH_IT)
			break;
		longer = xasprintf("%s%s%s %.0f %%", text, i ? ", " : "",
				   rdam_kind_words(kinds.order[i]), 100 * share);
		free(text);
		text = longer;
	}
	return text;
}

static const char *doubts(const struct rdam_row *row)
{
	static const char *const words[2][2][2] = {
		{{"", "depends"}, {"overlaps", "overlaps, depends"}},
		{{"few", "few, depends"}, {"few, overlaps", "few, overlaps, depends"}},
	};

	return words[row->few][row->overlapping][row->parameter_dependent];
}

static bool has_doubts(const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		if (*doubts(view->rows[i]))
			return true;
	return false;
}

static char *short_name(const char *name)
{
	size_t length = strlen(name);

	if (length <= NAME_WIDTH)
		return xstrdup(name);
	return xasprintf("%.*s...", NAME_WIDTH - 3, name);
}

static void put_row(struct report *report, const struct rdam_view *view, const struct rdam_row *row)
{
	char *causes = main_causes(row), *name = short_name(row->name);
	const struct block_thread *thread =
		row->thread == SIZE_MAX ? NULL : &view->trace->threads[row->thread];

	double begin_s, slowest_s = rdam_view_slowest_s(view, row, &begin_s);

	report_row(report, (struct cell[]){cell_text(name),
					   thread ? cell_count(thread->tid) : cell_text("all"),
					   cell_text(thread ? thread->comm : ""),
					   cell_count((int64_t)row->occurrences),
					   cell_number(row->score), cell_number(row->lost_s),
					   cell_number(row->min_s), cell_number(row->median_s),
					   cell_number(row->p99_s), cell_number(slowest_s),
					   cell_text(causes), cell_text(doubts(row))});
	free(causes);
	free(name);
}

static void put_text(struct report *report, const struct rdam_view *view)
{
	static const struct column columns[] = {
		{"", "block", UNIT_NONE, -1},
		{"", "tid", UNIT_NONE, 0},
		{"", "thread", UNIT_NONE, -1},
		{"", "times", UNIT_NONE, 0},
		{"", "score", UNIT_SHARE, 0},
		{"", "lost", UNIT_SPAN, 0},
		{"", "min", UNIT_SPAN, 0},
		{"", "median", UNIT_SPAN, 0},
		{"", "p99", UNIT_SPAN, 0},
		{"", "max", UNIT_SPAN, 0},
		{"", "where it went", UNIT_NONE, -1},
		{"", "in doubt", UNIT_NONE, -1},
	};
	const struct table table = {.layout = LAYOUT_ROWS,
				    .in = REPORT_TEXT,
				    .columns = columns,
				    .column_count = COUNT(columns) - !has_doubts(view)};

	if (!view->row_count)
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++)
		put_row(report, view, view->rows[i]);
	report_end(report);
}

void report_rdam(struct report *report, const struct rdam_view *view)
{
	if (report_shows(report, REPORT_JSON))
		report_rdam_json(report, view);
	if (report_shows(report, REPORT_CSV))
		report_rdam_csv(report, view);
	if (report_shows(report, REPORT_TEXT)) {
		char *verdict = rdam_verdict(view);

		report_note(report, "%s", verdict);
		put_text(report, view);
		report_rdam_notes(report, view);
		free(verdict);
	}
}
