/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_verdict.h"

#include "base/alloc.h"
#include "report/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From here on one block is most of all stretch. */
static const double MOST = 0.5;

static const char *format_span(char text[32], double seconds)
{
	struct cell cell = cell_number(seconds);

	return format_cell(text, 32, &cell, UNIT_SPAN);
}

static const char *format_percent(char text[32], double share)
{
	struct cell cell = cell_number(share);

	return format_cell(text, 32, &cell, UNIT_SHARE);
}

/* --- The work ------------------------------------------------------------------------------ */

/* " (95 % interval of the stretch: 3.1 % to 33.4 %)"; "" */
static char *say_interval(const struct rate_ratio *stretch)
{
	char from[32], to[32];

	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("");
	return xasprintf(" (95 %% interval of the stretch: %s to %s)",
			 format_percent(from, stretch->from), format_percent(to, stretch->to));
}

/* "On 2 cores" */
static char *say_where(const struct stretch_column *column)
{
	return column->cores > 0
		       ? xasprintf("On %g core%s", column->cores, column->cores == 1 ? "" : "s")
		       : xstrdup("In parallel");
}

static char *say_work(const struct stretch_view *view, const struct stretch_column *column)
{
	char serial[32], parallel[32], share[32], *how, *where, *interval, *text;

	if (isnan(column->stretch.value))
		return xstrdup("There are too few samples of work to say by how much it is "
			       "stretched.");
	format_percent(share, fabs(column->stretch.value));
	how = strcmp(share, "0.0 %") == 0 ? xstrdup("as much CPU time as")
					  : xasprintf("%s %s CPU time than", share,
						      column->stretch.value < 0 ? "less" : "more");
	where = say_where(column);
	interval = say_interval(&column->stretch);
	text = xasprintf("%s the work takes %s in serial, %s instead of %s%s.", where, how,
			 format_span(parallel, column->work_s),
			 format_span(serial, view->stretch->serial_s), interval);
	free(how);
	free(where);
	free(interval);
	return text;
}

/* Nothing is known of how sure it is where there is one block, measured and not sampled. */
static bool is_beyond_chance(const struct rate_ratio *stretch)
{
	return stretch->value > 0 && !(stretch->from <= 0);
}

/* Of those that are shown: " Most of that is in matmul: ..."; "" where that may be chance. */
static char *say_block(const struct stretch_view *view)
{
	const struct stretch_row *row = view->row_count ? view->rows[0] : NULL;
	const struct stretch_cell *cell = row ? stretch_view_cell(view, row) : NULL;
	char *name, *text, serial[32], parallel[32], share[32];

	if (!row || !is_beyond_chance(&cell->stretch))
		return xstrdup("");
	name = stretch_view_name(row);
	text = xasprintf(" %s %s%s: %s instead of %s, %s more.",
			 cell->share >= MOST ? "Most of that is in" : "Most stretched is",
			 row->block->path ? "what is below task " : "", name,
			 format_span(parallel, cell->seconds), format_span(serial, row->serial_s),
			 format_percent(share, cell->stretch.value));
	free(name);
	return text;
}

/* --- The time of the cores ----------------------------------------------------------------- */

struct said_part {
	const char *name;
	double share;
};

static int most_first(const void *a, const void *b)
{
	const struct said_part *one = a, *other = b;

	return (one->share < other->share) - (one->share > other->share);
}

/* " Of the 2 x 3.10 s of all cores 61 % is serial work; the rest is 20 % no work, ..."; "" */
static char *say_loss(const struct stretch_view *view, const struct stretch_column *column)
{
	double seconds[STRETCH_PARTS], all_s = column->loss.cores * column->loss.wall_s;
	struct said_part parts[STRETCH_PARTS];
	char wall[32], share[STRETCH_PARTS][32];

	if (!column->has_loss)
		return xstrdup("");
	stretch_view_loss(seconds, view, column);
	for (enum stretch_part i = 0; i < STRETCH_PARTS; i++)
		parts[i] = (struct said_part){stretch_part_name(i), seconds[i] / all_s};
	qsort(parts + 1, STRETCH_PARTS - 1, sizeof(*parts), most_first);
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		format_percent(share[i], parts[i].share);
	return xasprintf(
		" Of the %g x %s of all cores %s is %s; the rest is %s %s, %s %s, %s %s and %s %s.",
		column->cores, format_span(wall, column->loss.wall_s), share[0], parts[0].name,
		share[1], parts[1].name, share[2], parts[2].name, share[3], parts[3].name, share[4],
		parts[4].name);
}

char *stretch_verdict(const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);
	char *work = say_work(view, column), *block = say_block(view);
	char *loss = say_loss(view, column);
	char *text = xasprintf("%s%s%s", work, block, loss);

	free(work);
	free(block);
	free(loss);
	return text;
}
