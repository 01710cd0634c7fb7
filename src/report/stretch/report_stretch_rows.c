/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_private.h"

#include "base/alloc.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Blocks -------------------------------------------------------------------------------- */

static const struct column block_columns[] = {
	{"function", "", UNIT_NONE, 0},
	{"line", "", UNIT_NONE, 0},
	{"line2", "", UNIT_NONE, 0},
	{"file", "", UNIT_NONE, 0},
	{"object", "", UNIT_NONE, 0},
	{"level", "", UNIT_NONE, 0},
	{"tree_path", "", UNIT_NONE, 0},
	{"cores", "", UNIT_DECIMAL, 0},
	{"serial_s", "", UNIT_SECONDS, 0},
	{"parallel_s", "", UNIT_SECONDS, 0},
	{"stretch", "", UNIT_SHARE, 0},
	{"stretch_from", "", UNIT_SHARE, 0},
	{"stretch_to", "", UNIT_SHARE, 0},
	{"longer_s", "", UNIT_SECONDS, 0},
	{"share", "", UNIT_SHARE, 0},
	{"occurrences", "", UNIT_NONE, 0},
	{"serial_occurrences", "", UNIT_NONE, 0},
	{"serial_samples", "", UNIT_NONE, 0},
	{"parallel_samples", "", UNIT_NONE, 0},
};

/* Of each counter of tasks, behind these. */
static const char *const counter_keys[] = {"serial", "parallel", "surplus", "cost_s"};

struct block_rows {
	const struct stretch_view *view;
	struct column *columns;
	char **keys; /* of the counters, to be freed */
	struct cell *cells;
	size_t count; /* of columns */
};

static void block_rows_init(struct block_rows *rows, const struct stretch_view *view)
{
	size_t counters = stretch_view_counters(view), each = COUNT(counter_keys);

	*rows = (struct block_rows){.view = view, .count = COUNT(block_columns) + counters * each};
	rows->columns = xcalloc(rows->count, sizeof(*rows->columns));
	rows->cells = xcalloc(rows->count, sizeof(*rows->cells));
	rows->keys = xcalloc(counters * each + 1, sizeof(*rows->keys));
	memcpy(rows->columns, block_columns, sizeof(block_columns));
	for (size_t i = 0; i < counters * each; i++) {
		const struct task_counter *counter = &view->stretch->counters->items[i / each];

		rows->keys[i] = xasprintf("%s%s_%s", counter->name, counter->in_ns ? "_ns" : "",
					  counter_keys[i % each]);
		rows->columns[COUNT(block_columns) + i] =
			(struct column){.key = rows->keys[i], .unit = UNIT_DECIMAL};
	}
}

static void block_rows_release(struct block_rows *rows)
{
	for (size_t i = 0; i < rows->count - COUNT(block_columns); i++)
		free(rows->keys[i]);
	free(rows->keys);
	free(rows->columns);
	free(rows->cells);
}

static void set_counters(struct cell *cells, const struct stretch_view *view,
			 const struct stretch_cell *cell)
{
	for (size_t i = 0; i < stretch_view_counters(view); i++) {
		const struct stretch_surplus *surplus = &cell->surplus[i];

		*cells++ = cell_number(surplus->serial);
		*cells++ = cell_number(surplus->parallel);
		*cells++ = cell_number(surplus->parallel - surplus->serial);
		*cells++ = cell_number(surplus->cost_s);
	}
}

static struct cell cell_line(uint32_t line)
{
	return line ? cell_count(line) : cell_null();
}

/* A value that is known of tasks only, or of samples only. */
static struct cell cell_if(bool known, int64_t count)
{
	return known ? cell_count(count) : cell_null();
}

static struct cell cell_cores(double cores)
{
	return cores > 0 ? cell_number(cores) : cell_null();
}

static void put_block(struct report *report, struct block_rows *rows, const struct stretch_row *row,
		      size_t column)
{
	const struct stretch_view *view = rows->view;
	const struct stretch_block *block = row->block;
	const struct stretch_cell *cell = &row->cells[column];
	bool tasks = stretch_by_tasks(view->stretch->by);
	double serial = row->serial_samples / (double)view->stretch->base_count;

	const struct cell cells[] = {
		cell_text(block->function),
		cell_line(block->line),
		cell_line(block->line2),
		cell_text(block->file),
		cell_text(block->object),
		cell_if(block->level >= 0, block->level),
		cell_text(block->path),
		cell_cores(view->stretch->columns[column].cores),
		cell_number(row->serial_s),
		cell_number(cell->seconds),
		cell_number(cell->stretch.value),
		cell_number(cell->stretch.from),
		cell_number(cell->stretch.to),
		cell_number(cell->longer_s),
		cell_number(cell->share),
		cell_if(tasks, stretch_view_times(view, row, column)),
		cell_if(tasks, llround(serial)),
		cell_if(!tasks, llround(row->serial_samples)),
		cell_if(!tasks, llround(cell->samples)),
	};

	memcpy(rows->cells, cells, sizeof(cells));
	set_counters(rows->cells + COUNT(block_columns), view, cell);
	report_row(report, rows->cells);
}

static void put_blocks(struct report *report, const struct stretch_view *view, const char *key,
		       size_t first)
{
	struct table table = {.key = key, .layout = LAYOUT_ROWS, .in = REPORT_JSON | REPORT_CSV};
	struct block_rows rows;

	block_rows_init(&rows, view);
	table.columns = rows.columns;
	table.column_count = rows.count;
	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++)
		for (size_t j = first; j < view->stretch->column_count; j++)
			put_block(report, &rows, view->rows[i], j);
	report_end(report);
	block_rows_release(&rows);
}

void report_stretch_csv(struct report *report, const struct stretch_view *view)
{
	put_blocks(report, view, NULL, 0);
}

/* --- The loss ------------------------------------------------------------------------------ */

#define PART_COLUMNS                                                                   \
	{"serial_work_s", "", UNIT_SECONDS, 0}, {"stretch_s", "", UNIT_SECONDS, 0},    \
		{"overhead_s", "", UNIT_SECONDS, 0}, {"delay_s", "", UNIT_SECONDS, 0}, \
	{                                                                              \
		"no_work_s", "", UNIT_SECONDS, 0                                       \
	}

static const struct column loss_columns[] = {
	{"cores", "", UNIT_DECIMAL, 0},
	{"wall_s", "", UNIT_SECONDS, 0},
	PART_COLUMNS,
	{"preempted_s", "", UNIT_SECONDS, 0},
	{"crowded_s", "", UNIT_SECONDS, 0},
	{"threads", "", UNIT_NONE, 0},
	{"runs", "", UNIT_NONE, 0},
	{"work_s", "", UNIT_SECONDS, 0},
	{"stretch", "", UNIT_SHARE, 0},
	{"stretch_from", "", UNIT_SHARE, 0},
	{"stretch_to", "", UNIT_SHARE, 0},
};

static void put_loss_row(struct report *report, const struct stretch_view *view,
			 const struct stretch_column *column)
{
	double parts[STRETCH_PARTS];

	stretch_view_loss(parts, view, column);
	report_row(report,
		   (struct cell[]){
			   cell_cores(column->cores),
			   cell_number(column->has_loss ? column->loss.wall_s : (double)NAN),
			   cell_number(parts[STRETCH_SERIAL_WORK]),
			   cell_number(parts[STRETCH_STRETCH]),
			   cell_number(parts[STRETCH_OVERHEADS]),
			   cell_number(parts[STRETCH_DELAY]),
			   cell_number(parts[STRETCH_NO_WORK]),
			   cell_number(column->has_loss ? column->loss.preempted_s : (double)NAN),
			   cell_number(column->has_loss ? column->loss.crowded_s : (double)NAN),
			   cell_count((int64_t)column->threads),
			   cell_count((int64_t)column->run_count),
			   cell_number(column->work_s),
			   cell_number(column->stretch.value),
			   cell_number(column->stretch.from),
			   cell_number(column->stretch.to),
		   });
}

static void put_loss(struct report *report, const struct stretch_view *view)
{
	const struct table facts = {.layout = LAYOUT_FACTS,
				    .in = REPORT_JSON,
				    .columns = loss_columns,
				    .column_count = COUNT(loss_columns)};
	const struct table rows = {.key = "losses",
				   .layout = LAYOUT_ROWS,
				   .in = REPORT_JSON,
				   .columns = loss_columns,
				   .column_count = COUNT(loss_columns)};

	report_group(report, "loss");
	report_begin(report, &facts);
	put_loss_row(report, view, stretch_view_last(view));
	report_end(report);
	report_ungroup(report);
	report_begin(report, &rows);
	for (size_t i = 0; i < view->stretch->column_count; i++)
		put_loss_row(report, view, &view->stretch->columns[i]);
	report_end(report);
}

static void put_parts(struct report *report, const struct stretch_view *view)
{
	static const struct column columns[] = {
		{"begin_s", "", UNIT_SECONDS, 0}, {"wall_s", "", UNIT_SECONDS, 0}, PART_COLUMNS};
	static const struct table table = {.key = "loss_intervals",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < view->part_count; i++) {
		const struct sampled_loss *part = &view->parts[i];

		report_row(report, (struct cell[]){
					   cell_number(part->begin_s),
					   cell_number(part->loss.wall_s),
					   cell_number(part->serial_work_s),
					   cell_number(part->loss.work_s - part->serial_work_s),
					   cell_number(part->loss.overhead_s),
					   cell_number(part->loss.delay_s),
					   cell_number(part->loss.no_work_s),
				   });
	}
	report_end(report);
}

/* --- Counters ------------------------------------------------------------------------------ */

static void put_surplus(struct report *report, const struct stretch_view *view)
{
	static const struct column columns[] = {
		{"cores", "", UNIT_DECIMAL, 0},	   {"counter", "", UNIT_NONE, 0},
		{"unit", "", UNIT_NONE, 0},	   {"serial", "", UNIT_DECIMAL, 0},
		{"parallel", "", UNIT_DECIMAL, 0}, {"surplus", "", UNIT_DECIMAL, 0},
		{"cost_s", "", UNIT_SECONDS, 0},
	};
	static const struct table table = {.key = "counters",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		for (size_t j = 0; j < column->surplus_count; j++) {
			const struct stretch_surplus *surplus = &column->surplus[j];

			report_row(report, (struct cell[]){
						   cell_cores(column->cores),
						   cell_text(surplus->counter),
						   cell_text(surplus->in_ns ? "ns" : NULL),
						   cell_number(surplus->serial),
						   cell_number(surplus->parallel),
						   cell_number(surplus->parallel - surplus->serial),
						   cell_number(surplus->cost_s),
					   });
		}
	}
	report_end(report);
}

/* --- Recordings ---------------------------------------------------------------------------- */

static struct cell cell_known(const struct stretch_run *run, double value)
{
	return run->has_states ? cell_number(value) : cell_null();
}

/* Since the first recording; of tasks it is not known what files were there. */
static struct cell cell_changed(const struct stretch_view *view, size_t i)
{
	const struct stretch_run *runs = view->stretch->runs;
	const char *path;

	return runs[0].files.count && runs[i].files.count
		       ? cell_count((int64_t)stretch_files_changed(&path, &runs[0].files,
								   &runs[i].files))
		       : cell_null();
}

static const struct column recording_columns[] = {
	{"file", "", UNIT_NONE, 0},
	{"base", "", UNIT_NONE, 0},
	{"program", "", UNIT_NONE, 0},
	{"changed_files", "", UNIT_NONE, 0},
	{"cores", "", UNIT_DECIMAL, 0},
	{"threads", "", UNIT_NONE, 0},
	{"wall_s", "", UNIT_SECONDS, 0},
	{"cpu_s", "", UNIT_SECONDS, 0},
	{"work_s", "", UNIT_SECONDS, 0},
	{"overhead_s", "", UNIT_SECONDS, 0},
	{"waiting_s", "", UNIT_SECONDS, 0},
	{"named_share", "", UNIT_SHARE, 0},
	{"several_share", "", UNIT_SHARE, 0},
	{"unknown_s", "", UNIT_SECONDS, 0},
	{"samples", "", UNIT_NONE, 0},
	{"dropped_samples", "", UNIT_NONE, 0},
	{"lost", "", UNIT_NONE, 0},
	{"truncated", "", UNIT_NONE, 0},
	/* How many tasks, and what is wrong with them: */
	{"tasks", "", UNIT_NONE, 0},
	{"never_begun", "", UNIT_NONE, 0},
	{"never_run", "", UNIT_NONE, 0},
	{"never_ended", "", UNIT_NONE, 0},
	{"never_synced", "", UNIT_NONE, 0},
	{"orphans", "", UNIT_NONE, 0},
	{"steps_lost", "", UNIT_NONE, 0},
};

static void put_recordings(struct report *report, const struct stretch_view *view)
{
	static const struct table table = {.key = "recordings",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = recording_columns,
					   .column_count = COUNT(recording_columns)};
	static const struct task_tree none;

	report_begin(report, &table);
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		const struct task_tree *tree = run->tree ? run->tree : &none;

		report_row(report, (struct cell[]){
					   cell_text(view->paths[i]),
					   cell_bool(i < view->stretch->base_count),
					   cell_text(run->program),
					   cell_changed(view, i),
					   cell_cores(run->cores),
					   cell_count((int64_t)run->threads),
					   cell_known(run, run->wall_s),
					   cell_number(run->all_s),
					   cell_number(run->work_s),
					   cell_number(run->overhead_s),
					   cell_number(run->waiting_s),
					   cell_number(run->named_s / run->work_s),
					   cell_number(stretch_run_several_share(run)),
					   cell_known(run, run->unknown_s),
					   cell_if(!run->tree, (int64_t)run->samples),
					   cell_count((int64_t)run->quality.dropped_samples),
					   cell_count((int64_t)run->quality.lost),
					   cell_bool(run->quality.truncated),
					   cell_if(run->tree, (int64_t)tree->task_count),
					   cell_if(run->tree, (int64_t)tree->never_begun),
					   cell_if(run->tree, (int64_t)tree->never_run),
					   cell_if(run->tree, (int64_t)tree->never_ended),
					   cell_if(run->tree, (int64_t)tree->never_synced),
					   cell_if(run->tree, (int64_t)tree->orphans),
					   cell_if(run->tree, (int64_t)tree->lost),
				   });
	}
	report_end(report);
}

static void put_facts(struct report *report, const struct stretch_view *view)
{
	static const struct column columns[] = {{"by", "", UNIT_NONE, 0}};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(stretch_by_name(view->stretch->by))});
	report_end(report);
}

void report_stretch_json(struct report *report, const struct stretch_view *view)
{
	put_facts(report, view);
	put_blocks(report, view, "blocks", view->stretch->column_count - 1);
	if (view->stretch->column_count > 1)
		put_blocks(report, view, "block_columns", 0);
	put_loss(report, view);
	if (view->parts)
		put_parts(report, view);
	put_surplus(report, view);
	put_recordings(report, view);
}
