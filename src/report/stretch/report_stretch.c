/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch.h"

#include "base/alloc.h"
#include "report/stretch/report_stretch_counters.h"
#include "report/stretch/report_stretch_notes.h"
#include "report/stretch/report_stretch_rows.h"
#include "report/stretch/report_stretch_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 48 };

/* Columns of a table that is as wide as there are columns of recordings, and a row of its cells. */
struct wide {
	struct table table;
	struct column *columns;
	struct cell *cells;
	char **labels; /* to be freed, as many as columns */
	size_t count;
};

static void wide_init(struct wide *wide, size_t most)
{
	*wide = (struct wide){
		.columns = xcalloc(most, sizeof(*wide->columns)),
		.cells = xcalloc(most, sizeof(*wide->cells)),
		.labels = xcalloc(most, sizeof(*wide->labels)),
	};
}

static void wide_release(struct wide *wide)
{
	for (size_t i = 0; i < wide->count; i++)
		free(wide->labels[i]);
	free(wide->columns);
	free(wide->cells);
	free(wide->labels);
}

/* Takes the label. */
static void add_column(struct wide *wide, char *label, enum unit unit, int width)
{
	wide->labels[wide->count] = label;
	wide->columns[wide->count++] = (struct column){"", label, unit, width};
}

static void begin(struct report *report, struct wide *wide)
{
	wide->table = (struct table){.layout = LAYOUT_ROWS,
				     .in = REPORT_TEXT,
				     .columns = wide->columns,
				     .column_count = wide->count};
	report_begin(report, &wide->table);
}

/* How many threads it had is said where that alone tells columns apart. */
static char *cores_label(const struct stretch *stretch, size_t column)
{
	const struct stretch_column *one = &stretch->columns[column];
	const char *plural = one->threads == 1 ? "" : "s";
	bool alone = true;

	for (size_t i = 0; i < stretch->column_count; i++)
		alone &= i == column || stretch->columns[i].cores != one->cores;
	if (!(one->cores > 0))
		return alone ? xstrdup("parallel")
			     : xasprintf("%zu thread%s", one->threads, plural);
	if (!alone)
		return xasprintf("%zu thread%s, %g core%s", one->threads, plural, one->cores,
				 one->cores == 1 ? "" : "s");
	return xasprintf("%g core%s", one->cores, one->cores == 1 ? "" : "s");
}

/* --- Blocks -------------------------------------------------------------------------------- */

/* Of rows that are shown: what columns they need. */
struct needs {
	bool places, doubts;
};

static const char *doubt(const struct stretch_view *view, const struct stretch_row *row)
{
	const struct stretch_cell *cell = stretch_view_cell(view, row);

	if (!(cell->seconds > 0))
		return "only in serial";
	if (!(row->serial_s > 0))
		return "only in parallel";
	return isnan(cell->stretch.value) ? "few samples" : "";
}

static struct needs needs_of(const struct stretch_view *view)
{
	struct needs needs = {.places = false};

	for (size_t i = 0; i < view->row_count; i++) {
		needs.places |= view->rows[i]->block->file != NULL;
		needs.doubts |= *doubt(view, view->rows[i]) != '\0';
	}
	return needs;
}

static void add_block_columns(struct wide *wide, const struct stretch_view *view,
			      const struct needs *needs)
{
	const struct stretch *stretch = view->stretch;
	bool one = stretch->column_count == 1;

	add_column(wide,
		   xstrdup(stretch_by_name(stretch->by == STRETCH_BY_LINE ? STRETCH_BY_FUNCTION
									  : stretch->by)),
		   UNIT_NONE, -1);
	if (needs->places)
		add_column(wide, xstrdup("source"), UNIT_NONE, -1);
	if (stretch_by_tasks(stretch->by))
		add_column(wide, xstrdup("times"), UNIT_NONE, 0);
	add_column(wide, xstrdup("serial"), UNIT_SPAN, 0);
	for (size_t i = 0; i < stretch->column_count; i++) {
		add_column(wide, cores_label(stretch, i), UNIT_SPAN, 0);
		add_column(wide, xstrdup("stretch"), UNIT_SHARE, 0);
	}
	if (one) {
		add_column(wide, xstrdup("95 % from"), UNIT_SHARE, 0);
		add_column(wide, xstrdup("to"), UNIT_SHARE, 0);
	}
	add_column(wide, xstrdup("of all stretch"), UNIT_SHARE, 0);
	if (needs->doubts)
		add_column(wide, xstrdup(""), UNIT_NONE, -1);
}

static char *short_name(const struct stretch_row *row)
{
	char *name = stretch_view_name(row), *text;

	if (strlen(name) <= NAME_WIDTH)
		return name;
	text = xasprintf("%.*s...", NAME_WIDTH - 3, name);
	free(name);
	return text;
}

static void put_row(struct report *report, struct wide *wide, const struct stretch_view *view,
		    const struct stretch_row *row, const struct needs *needs)
{
	char *name = short_name(row), *place = stretch_view_place(row);
	const struct stretch_cell *last = stretch_view_cell(view, row);
	struct cell *cell = wide->cells;

	*cell++ = cell_text(name);
	if (needs->places)
		*cell++ = cell_text(place ? place : "");
	if (stretch_by_tasks(view->stretch->by))
		*cell++ =
			cell_count(stretch_view_times(view, row, view->stretch->column_count - 1));
	*cell++ = cell_number(row->serial_s);
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		*cell++ = cell_number(row->cells[i].seconds);
		*cell++ = cell_number(row->cells[i].stretch.value);
	}
	if (view->stretch->column_count == 1) {
		*cell++ = cell_number(last->stretch.from);
		*cell++ = cell_number(last->stretch.to);
	}
	*cell++ = cell_number(last->share);
	*cell++ = cell_text(doubt(view, row));
	report_row(report, wide->cells);
	free(name);
	free(place);
}

static void put_blocks(struct report *report, const struct stretch_view *view)
{
	struct needs needs = needs_of(view);
	struct wide wide;

	if (!view->row_count)
		return;
	wide_init(&wide, 9 + 2 * view->stretch->column_count);
	add_block_columns(&wide, view, &needs);
	begin(report, &wide);
	for (size_t i = 0; i < view->row_count; i++)
		put_row(report, &wide, view, view->rows[i], &needs);
	report_end(report);
	wide_release(&wide);
}

/* --- The loss ------------------------------------------------------------------------------ */

static void put_loss(struct report *report, const struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;
	double seconds[STRETCH_PARTS];
	struct wide wide;

	if (!stretch_view_last(view)->has_loss)
		return;
	wide_init(&wide, 1 + 2 * stretch->column_count);
	add_column(&wide, xstrdup("cores x wall time"), UNIT_NONE, -1);
	for (size_t i = 0; i < stretch->column_count; i++) {
		add_column(&wide, cores_label(stretch, i), UNIT_SPAN, 0);
		add_column(&wide, xstrdup("share"), UNIT_SHARE, 0);
	}
	begin(report, &wide);
	for (enum stretch_part part = 0; part < STRETCH_PARTS; part++) {
		wide.cells[0] = cell_text(stretch_part_name(part));
		for (size_t i = 0; i < stretch->column_count; i++) {
			const struct loss *loss = &stretch->columns[i].loss;

			stretch_view_loss(seconds, view, &stretch->columns[i]);
			wide.cells[1 + 2 * i] = cell_number(seconds[part]);
			wide.cells[2 + 2 * i] =
				cell_number(seconds[part] / (loss->cores * loss->wall_s));
		}
		report_row(report, wide.cells);
	}
	report_end(report);
	wide_release(&wide);
}

static void put_parts(struct report *report, const struct stretch_view *view)
{
	static const struct column columns[] = {
		{"", "from", UNIT_SECONDS, 0},	    {"", "wall time", UNIT_SECONDS, 0},
		{"", "serial work", UNIT_SHARE, 0}, {"", "stretch", UNIT_SHARE, 0},
		{"", "overhead", UNIT_SHARE, 0},    {"", "delay", UNIT_SHARE, 0},
		{"", "no work", UNIT_SHARE, 0},
	};
	static const struct table table = {.layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (!view->part_count)
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->part_count; i++) {
		const struct sampled_loss *part = &view->parts[i];
		double all = part->loss.cores * part->loss.wall_s;

		report_row(report,
			   (struct cell[]){
				   cell_number(part->begin_s),
				   cell_number(part->loss.wall_s),
				   cell_number(part->serial_work_s / all),
				   cell_number((part->loss.work_s - part->serial_work_s) / all),
				   cell_number(part->loss.overhead_s / all),
				   cell_number(part->loss.delay_s / all),
				   cell_number(part->loss.no_work_s / all),
			   });
	}
	report_end(report);
}

/* --- All of it ----------------------------------------------------------------------------- */

void report_stretch(struct report *report, const struct stretch_view *view)
{
	if (report_shows(report, REPORT_JSON))
		report_stretch_json(report, view);
	if (report_shows(report, REPORT_CSV))
		report_stretch_csv(report, view);
	if (report_shows(report, REPORT_TEXT)) {
		char *verdict = stretch_verdict(view);

		report_note(report, "%s", verdict);
		put_blocks(report, view);
		put_loss(report, view);
		put_parts(report, view);
		report_stretch_counters(report, view);
		report_stretch_memory(report, view);
		report_stretch_notes(report, view);
		free(verdict);
	}
}
