/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_private.h"

#include "base/alloc.h"
#include "report/dag/report_dag.h"
#include "report/report_text.h"

#include <math.h>
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

/* --- Rows ---------------------------------------------------------------------------------- */

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
