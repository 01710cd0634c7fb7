/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_counters.h"

#include "base/alloc.h"
#include "report/format.h"
#include "stats/stretch/stretch_surplus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 32 };

static const struct column columns[] = {
	{"", "block", UNIT_NONE, -1},
	{"", "source", UNIT_NONE, -1},
	{"", "counted", UNIT_NONE, -1},
	{"", "serial", UNIT_DECIMAL, 0},
	{"", "parallel", UNIT_DECIMAL, 0},
	{"", "more", UNIT_DECIMAL, 0},
	{"", "stretch for each one more", UNIT_SPAN, 0},
};

/* The first two are of blocks only. */
static const struct table block_table = {.layout = LAYOUT_ROWS,
					 .in = REPORT_TEXT,
					 .columns = columns,
					 .column_count = COUNT(columns)};
static const struct table all_table = {.layout = LAYOUT_ROWS,
				       .in = REPORT_TEXT,
				       .columns = columns + 2,
				       .column_count = COUNT(columns) - 2};

static void put_surplus(struct report *report, const struct stretch_surplus *surplus,
			const char *name, const char *place)
{
	double unit = surplus->in_ns ? 1e-9 : 1;
	const struct cell cells[] = {
		cell_text(name),
		cell_text(place),
		cell_text(surplus->counter),
		cell_number(surplus->serial * unit),
		cell_number(surplus->parallel * unit),
		cell_number((surplus->parallel - surplus->serial) * unit),
		cell_number(surplus->cost_s),
	};

	report_row(report, name ? cells : cells + 2);
}

static void put_block(struct report *report, const struct stretch_view *view,
		      const struct stretch_row *row)
{
	char *name = stretch_view_name(row), *place = stretch_view_place(row);

	if (strlen(name) > NAME_WIDTH)
		memcpy(name + NAME_WIDTH - 3, "...", 4);
	for (size_t i = 0; i < view->shown_count; i++)
		put_surplus(report, &stretch_view_cell(view, row)->surplus[view->shown[i]], name,
			    place ? place : "");
	free(name);
	free(place);
}

static void put_blocks(struct report *report, const struct stretch_view *view)
{
	if (!view->shown_count || !view->row_count)
		return;
	report_begin(report, &block_table);
	for (size_t i = 0; i < view->row_count; i++)
		put_block(report, view, view->rows[i]);
	report_end(report);
}

void report_stretch_counters(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	put_blocks(report, view);
	if (column->surplus_count < 2) /* switches alone say little of work */
		return;
	report_begin(report, &all_table);
	for (size_t i = 0; i < column->surplus_count; i++)
		put_surplus(report, &column->surplus[i], NULL, NULL);
	report_end(report);
}

/* --- Memory -------------------------------------------------------------------------------- */

/* Between the two they were waited for one after the other, as far as that can be told. */
static const double SEVERAL_AT_ONCE = 1.5, LESS_THAN_ONE = .5;

static void note_memory(struct report *report, const struct stretch_surplus *surplus)
{
	double at_once = stretch_surplus_at_once(surplus);
	struct cell cell = cell_number(surplus->cost_s);
	char cost[32], *meaning;

	if (isnan(at_once))
		return;
	if (at_once >= SEVERAL_AT_ONCE)
		meaning = xasprintf("some %.2g of them were on their way at once", at_once);
	else if (at_once > LESS_THAN_ONE)
		meaning = xstrdup("they were waited for one after the other");
	else
		meaning = xstrdup("something else has stretched it, or memory was busy");
	report_note(report,
		    "If nothing but %s has stretched the work, each one more has cost %s; where "
		    "memory answers in %.0f ns, %s.",
		    surplus->counter, format_cell(cost, sizeof(cost), &cell, UNIT_SPAN),
		    1e9 * STRETCH_MEMORY_S, meaning);
	free(meaning);
}

void report_stretch_memory(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	for (size_t i = 0; i < column->surplus_count; i++)
		note_memory(report, &column->surplus[i]);
}
