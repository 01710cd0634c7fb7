/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/stretch_view.h"

#include "base/alloc.h"
#include "report/dag/task_name.h"
#include "report/report_text.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct stretch_column *stretch_view_last(const struct stretch_view *view)
{
	return &view->stretch->columns[view->stretch->column_count - 1];
}

const struct stretch_cell *stretch_view_cell(const struct stretch_view *view,
					     const struct stretch_row *row)
{
	return &row->cells[view->stretch->column_count - 1];
}

const char *stretch_by_name(enum stretch_by by)
{
	static const char *const names[STRETCH_BYS] = {"function", "line",  "path",   "block",
						       "task",	   "level", "subtree"};

	return names[by];
}

int64_t stretch_view_times(const struct stretch_view *view, const struct stretch_row *row,
			   size_t column)
{
	return llround(row->cells[column].samples /
		       (double)view->stretch->columns[column].run_count);
}

size_t stretch_view_counters(const struct stretch_view *view)
{
	return view->stretch->counters ? view->stretch->counters->count : 0;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Of the work of the one side or the other. */
static double share_of(const struct stretch_view *view, const struct stretch_row *row)
{
	double share = row->serial_s / view->stretch->serial_s;

	for (size_t i = 0; i < view->stretch->column_count; i++)
		share = fmax(share, row->cells[i].seconds / view->stretch->columns[i].work_s);
	return share;
}

void stretch_view_init(struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;

	view->rows = xcalloc(stretch->row_count + 1, sizeof(const struct stretch_row *));
	view->row_count = view->below = view->beyond = 0;
	for (size_t i = 0; i < stretch->row_count; i++) {
		if (share_of(view, &stretch->rows[i]) < view->min_share)
			view->below++;
		else if (view->row_count == view->limit)
			view->beyond++;
		else
			view->rows[view->row_count++] = &stretch->rows[i];
	}
}

void stretch_view_release(struct stretch_view *view)
{
	free(view->rows);
	view->rows = NULL;
}

char *stretch_view_name(const struct stretch_row *row)
{
	const struct stretch_block *block = row->block;

	if (block->level >= 0)
		return xasprintf("level %d", (int)block->level);
	if (block->path)
		return xstrdup(block->path);
	if (!block->object)
		return xstrdup("[unknown]");
	if (!block->function)
		return *block->object == '[' ? xstrdup(block->object)
					     : xasprintf("%s (no symbols)", block->object);
	return row->of_program ? task_name(block->function, strlen(block->function))
			       : xasprintf("%s (%s)", block->function, block->object);
}

char *stretch_view_place(const struct stretch_row *row)
{
	const char *slash = row->block->file ? strrchr(row->block->file, '/') : NULL;

	const char *file = slash ? slash + 1 : row->block->file;

	if (!file)
		return NULL;
	if (!row->block->line)
		return xstrdup(file);
	return row->block->line2 ? xasprintf("%s:%u-%u", file, row->block->line, row->block->line2)
				 : xasprintf("%s:%u", file, row->block->line);
}

/* --- The loss ------------------------------------------------------------------------------ */

const char *stretch_part_name(enum stretch_part part)
{
	static const char *const names[STRETCH_PARTS] = {"serial work", "stretch", "overhead",
							 "delay", "no work"};

	return names[part];
}

void stretch_view_loss(double seconds[STRETCH_PARTS], const struct stretch_view *view,
		       const struct stretch_column *column)
{
	const struct time_loss *loss = &column->loss;

	for (size_t i = 0; i < STRETCH_PARTS; i++)
		seconds[i] = NAN;
	if (!column->has_loss)
		return;
	seconds[STRETCH_SERIAL_WORK] = view->stretch->serial_s;
	seconds[STRETCH_STRETCH] = loss->work_s - view->stretch->serial_s;
	seconds[STRETCH_OVERHEADS] = loss->overhead_s;
	seconds[STRETCH_DELAY] = loss->delay_s;
	seconds[STRETCH_NO_WORK] = loss->no_work_s;
}

/* --- Verdict: the work --------------------------------------------------------------------- */

/* From here on one block is most of all stretch. */
static const double MOST = 0.5;

/* " (95 % interval of the stretch: 3.1 % to 33.4 %)"; "" */
static char *say_interval(const struct rate_ratio *stretch)
{
	char from[VALUE_SIZE], to[VALUE_SIZE];

	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("");
	return xasprintf(" (95 %% interval of the stretch: %s to %s)",
			 format_value(from, stretch->from, UNIT_SHARE),
			 format_value(to, stretch->to, UNIT_SHARE));
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
	char serial[VALUE_SIZE], parallel[VALUE_SIZE], share[VALUE_SIZE], *how, *where, *interval,
		*text;

	if (isnan(column->stretch.value))
		return xstrdup("There are too few samples of work to say by how much it is "
			       "stretched.");
	format_value(share, fabs(column->stretch.value), UNIT_SHARE);
	how = strcmp(share, "0.0 %") == 0 ? xstrdup("as much CPU time as")
					  : xasprintf("%s %s CPU time than", share,
						      column->stretch.value < 0 ? "less" : "more");
	where = say_where(column);
	interval = say_interval(&column->stretch);
	text = xasprintf("%s the work takes %s in serial, %s instead of %s%s.", where, how,
			 format_value(parallel, column->work_s, UNIT_SPAN),
			 format_value(serial, view->stretch->serial_s, UNIT_SPAN), interval);
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
	char *name, *text, serial[VALUE_SIZE], parallel[VALUE_SIZE], share[VALUE_SIZE];

	if (!row || !is_beyond_chance(&cell->stretch))
		return xstrdup("");
	name = stretch_view_name(row);
	text = xasprintf(" %s %s%s: %s instead of %s, %s more.",
			 cell->share >= MOST ? "Most of that is in" : "Most stretched is",
			 row->block->path ? "what is below task " : "", name,
			 format_value(parallel, cell->seconds, UNIT_SPAN),
			 format_value(serial, row->serial_s, UNIT_SPAN),
			 format_value(share, cell->stretch.value, UNIT_SHARE));
	free(name);
	return text;
}

/* --- Verdict: the time of the cores -------------------------------------------------------- */

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
	char wall[VALUE_SIZE], share[STRETCH_PARTS][VALUE_SIZE];

	if (!column->has_loss)
		return xstrdup("");
	stretch_view_loss(seconds, view, column);
	for (enum stretch_part i = 0; i < STRETCH_PARTS; i++)
		parts[i] = (struct said_part){stretch_part_name(i), seconds[i] / all_s};
	qsort(parts + 1, STRETCH_PARTS - 1, sizeof(*parts), most_first);
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		format_value(share[i], parts[i].share, UNIT_SHARE);
	return xasprintf(
		" Of the %g x %s of all cores %s is %s; the rest is %s %s, %s %s, %s %s and %s %s.",
		column->cores, format_value(wall, column->loss.wall_s, UNIT_SPAN), share[0],
		parts[0].name, share[1], parts[1].name, share[2], parts[2].name, share[3],
		parts[3].name, share[4], parts[4].name);
}

/* Where the time of the cores went and which block is stretched most, in a few sentences; to be
 * freed. */
char *stretch_view_verdict(const struct stretch_view *view)
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
