/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_stretch_verdict.h"

#include "base/alloc.h"
#include "report/format.h"

#include <math.h>
#include <stdlib.h>

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

/* " (18.0 % in matmul)"; "" */
static char *say_most(const struct stretch_view *view, double all_s)
{
	const struct stretch_row *row = view->stretch->row_count ? view->stretch->rows : NULL;
	const struct stretch_cell *cell = row ? stretch_view_cell(view, row) : NULL;
	char *name, *text, share[32];

	if (!row || !(cell->share >= MOST) || isnan(cell->stretch.value))
		return xstrdup("");
	name = stretch_view_name(row);
	text = xasprintf(" (%s in %s%s)", format_percent(share, cell->longer_s / all_s),
			 row->block->path ? "what is below task " : "", name);
	free(name);
	return text;
}

/* "Of 2 x 3.10 s the serial work takes 61 %, ..." */
static char *say_loss(const struct stretch_view *view, const struct stretch_column *column)
{
	double seconds[STRETCH_PARTS], all_s = column->loss.cores * column->loss.wall_s;
	char wall[32], part[STRETCH_PARTS][32], *most, *text;

	if (!column->has_loss)
		return xstrdup("");
	stretch_view_loss(seconds, view, column);
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		format_percent(part[i], seconds[i] / all_s);
	most = say_most(view, all_s);
	text = xasprintf("Of %g x %s the serial work takes %s, stretch %s%s, overhead %s, delay "
			 "%s; for %s there was no work. ",
			 column->cores, format_span(wall, column->loss.wall_s),
			 part[STRETCH_SERIAL_WORK], part[STRETCH_STRETCH], most,
			 part[STRETCH_OVERHEADS], part[STRETCH_DELAY], part[STRETCH_NO_WORK]);
	free(most);
	return text;
}

/* "a part of a share": less than none is shorter. */
static char *say_interval(const struct rate_ratio *stretch)
{
	char from[32], to[32];

	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("");
	return xasprintf(" (95 %% interval of the stretch: %s to %s)",
			 format_percent(from, stretch->from), format_percent(to, stretch->to));
}

static char *say_stretch(const struct stretch_view *view, const struct stretch_column *column)
{
	char serial[32], parallel[32], share[32];
	char *interval = say_interval(&column->stretch), *text;

	if (isnan(column->stretch.value))
		text = xasprintf("There are too few samples of work to say by how much it is "
				 "stretched.");
	else
		text = xasprintf("The work takes %s of CPU time, and %s in serial: %s %s%s.",
				 format_span(parallel, column->work_s),
				 format_span(serial, view->stretch->serial_s),
				 format_percent(share, fabs(column->stretch.value)),
				 column->stretch.value < 0 ? "less" : "more", interval);
	free(interval);
	return text;
}

char *stretch_verdict(const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);
	char *loss = say_loss(view, column), *stretch = say_stretch(view, column);
	char *text = xasprintf("%s%s", loss, stretch);

	free(loss);
	free(stretch);
	return text;
}
