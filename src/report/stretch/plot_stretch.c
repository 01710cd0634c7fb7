/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "report/plot.h"
#include "report/report_text.h"
#include "report/stretch_template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HEIGHT = .9;

/* The largest number of rows that can be told apart. */
enum { ROWS_MAX = 12, NAME_WIDTH = 34, LABEL_SIZE = 32 };

/* Adds the name of a bar: the text NAME_PLACE of the script. */
static void put_label(struct plot_script *script, const char *name, size_t place, const char *text)
{
	char label[LABEL_SIZE];

	snprintf(label, sizeof(label), "%s_%zu", name, place);
	plot_script_text(script, label, text);
}

/* --- Where the core time went ---------------------------------------------------------------- */

static void put_bar(struct plot_script *script, size_t place, const double parts_s[STRETCH_PARTS])
{
	double values[1 + STRETCH_PARTS] = {(double)place};

	memcpy(values + 1, parts_s, sizeof(double) * STRETCH_PARTS);
	plot_script_row(script, values, 1 + STRETCH_PARTS);
}

/* Adds the bars of core time: the serial work, and each column with a known loss. */
static void put_core_time(struct plot_script *script, const struct stretch *stretch)
{
	double parts_s[STRETCH_PARTS] = {[STRETCH_PART_USEFUL] = stretch->serial_s};
	size_t place = 1;

	plot_script_begin(script, "cores", "place useful inflation overhead run_queue tasks idle");
	put_bar(script, place, parts_s);
	for (size_t i = 0; i < stretch->column_count; i++) {
		if (!stretch->columns[i].has_loss)
			continue;
		stretch_parts_of(parts_s, &stretch->columns[i].loss, stretch->serial_s);
		put_bar(script, ++place, parts_s);
	}
	plot_script_number(script, "bar_count", (double)place);
	place = 1;
	put_label(script, "bar", place, "serial");
	for (size_t i = 0; i < stretch->column_count; i++) {
		const struct stretch_column *column = &stretch->columns[i];
		char *name = xasprintf("%g core%s", column->cores,
				       plural((uint64_t)column->cores, "", "s"));

		if (column->has_loss)
			put_label(script, "bar", ++place, name);
		free(name);
	}
}

/* --- The rows -------------------------------------------------------------------------------- */

/* Returns "+25 % (18 to 33 %)", or "few samples". */
static char *change_text(const struct rate_ratio *stretch)
{
	if (isnan(stretch->value))
		return xstrdup("few samples");
	if (isnan(stretch->from))
		return xasprintf("%+.1f %%", 100 * stretch->value);
	return xasprintf("%+.1f %% (%.1f to %.1f %%)", 100 * stretch->value, 100 * stretch->from,
			 100 * stretch->to);
}

static void put_row_texts(struct plot_script *script, const struct stretch_view *view, size_t place)
{
	const struct stretch_row *row = view->rows[place - 1];
	char *name = stretch_view_name(row);
	char *shortened =
		xasprintf("%.*s%s", NAME_WIDTH, name, strlen(name) > NAME_WIDTH ? "..." : "");
	char *change = change_text(&stretch_view_cell(view, row)->stretch);

	put_label(script, "row", place, shortened);
	put_label(script, "change", place, change);
	free(change);
	free(shortened);
	free(name);
}

static void put_rows(struct plot_script *script, const struct stretch_view *view)
{
	size_t count = view->row_count < ROWS_MAX ? view->row_count : ROWS_MAX;

	plot_script_begin(script, "rows", "place serial_s parallel_s");
	for (size_t i = 0; i < count; i++)
		plot_script_row(script,
				(double[]){(double)i + 1, view->rows[i]->serial_s,
					   stretch_view_cell(view, view->rows[i])->seconds},
				3);
	plot_script_number(script, "row_count", (double)count);
	for (size_t i = 1; i <= count; i++)
		put_row_texts(script, view, i);
}

static void put_texts(struct plot_script *script, const struct stretch_view *view)
{
	const struct stretch_column *last = stretch_view_last(view);
	char *change = change_text(&last->stretch);
	char *summary = xasprintf("CPU time of the work with %zu thread%s: %s", last->threads,
				  plural(last->threads, "", "s"), change);
	const char *program = view->stretch->runs[view->stretch->run_count - 1].program;

	plot_script_text(script, "program", program ? program : "the program");
	plot_script_text(script, "summary", summary);
	free(summary);
	free(change);
}

int plot_stretch(const struct stretch_view *view, const char *path, struct err *err)
{
	struct stretch_view chosen = *view;
	struct plot_script *script;

	stretch_view_choose(&chosen);
	if (!chosen.row_count) {
		free(chosen.rows);
		return err_set(err,
			       "--plot: no function has %.3g %% of the work or more; take "
			       "--min-score 0",
			       100 * view->min_share);
	}
	script = plot_script_new();
	put_texts(script, &chosen);
	put_core_time(script, chosen.stretch);
	put_rows(script, &chosen);
	plot_script_template(script, stretch_template);
	free(chosen.rows);
	return plot_save(script, HEIGHT, path, err);
}
