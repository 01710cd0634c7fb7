/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch.h"

#include "base/alloc.h"
#include "report/dag/report_dag.h"
#include "report/report.h"
#include "report/stretch/report_stretch_private.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- Words and rows ------------------------------------------------------------------------ */

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
	static const char *const names[STRETCH_BYS] = {"function", "line",  "path",   "segment",
						       "task",	   "level", "subtree"};

	return names[by];
}

char *stretch_view_name(const struct stretch_row *row)
{
	const struct stretch_region *block = row->block;

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

/* Returns "triad.c:12", "fib.c:12-20", which the caller frees; NULL: unknown. */
static char *place_of(const struct stretch_row *row)
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

char *stretch_view_count(const struct stretch_view *view, size_t count)
{
	const char *name = stretch_by_name(view->stretch->by);

	return xasprintf("%zu %s%s", count, name, plural(count, "", "s"));
}

/* The widths of names in text; JSON has whole names. */
enum { NAME_WIDTH = 28, LONG_NAME_WIDTH = 64, TOP_ROWS = 8 };

/* Returns the number of cores; unknown, which is 0, becomes NaN. */
static double known_cores(double cores)
{
	return cores > 0 ? cores : (double)NAN;
}

/* --- Tables with a column for each counter or recording --------------------------------------- */

struct wide {
	struct table table;
	struct column *columns;
	char **texts; /* [column]: its key or label, if allocated */
};

static void wide_init(struct wide *wide, size_t most)
{
	wide->columns = xcalloc(most, sizeof(*wide->columns));
	wide->texts = xcalloc(most, sizeof(*wide->texts));
	wide->table.columns = wide->columns;
	wide->table.column_count = 0;
}

static void wide_release(struct wide *wide)
{
	for (size_t i = 0; i < wide->table.column_count; i++)
		free(wide->texts[i]);
	free(wide->texts);
	free(wide->columns);
}

/* Adds a column, and takes ownership of `text`, its key or label, or NULL. */
static void wide_add(struct wide *wide, struct column column, char *text)
{
	wide->texts[wide->table.column_count] = text;
	wide->columns[wide->table.column_count++] = column;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* A row: in text with all columns of recordings, else with one of them. */
struct row_line {
	struct stretch_region block;
	struct stretch_cell cell; /* text: the last column */
	double serial_s, cores;
	uint32_t line, line2;
	int64_t times, serial_times, serial_samples, samples;
	/* for text */
	char *name, *place, *interval;
	const char *doubt;
	double more[]; /* text: seconds and stretch of each column; else values of each counter */
};

static const struct column row_columns[] = {
	{"function", FIELD(row_line, block.function)},
	{"line", FIELD(row_line, line)},
	{"line2", FIELD(row_line, line2)},
	{"file", FIELD(row_line, block.file)},
	{"object", FIELD(row_line, block.object)},
	{"level", FIELD(row_line, block.level)},
	{"tree_path", FIELD(row_line, block.path)},
	{"cores", FIELD(row_line, cores)},
	{"serial_s", FIELD(row_line, serial_s)},
	{"parallel_s", FIELD(row_line, cell.seconds)},
	{"inflation", FIELD(row_line, cell.stretch.value)},
	{"inflation_from", FIELD(row_line, cell.stretch.from)},
	{"inflation_to", FIELD(row_line, cell.stretch.to)},
	{"inflation_s", FIELD(row_line, cell.longer_s)},
	{"inflation_share", FIELD(row_line, cell.share)},
	{"times", FIELD(row_line, times)},
	{"serial_times", FIELD(row_line, serial_times)},
	{"serial_samples", FIELD(row_line, serial_samples)},
	{"parallel_samples", FIELD(row_line, samples)},
};
static const char *const counter_keys[] = {"serial", "parallel", "more", "cost_s"};
enum {
	ROW_COLUMNS = sizeof(row_columns) / sizeof(row_columns[0]),
	EACH = sizeof(counter_keys) / sizeof(counter_keys[0])
};

static size_t count_counters(const struct stretch_view *view)
{
	return view->stretch->counters ? view->stretch->counters->count : 0;
}

static struct row_line *line_new(size_t more)
{
	return xcalloc(1, sizeof(struct row_line) + more * sizeof(double));
}

static void line_fill(struct row_line *line, const struct stretch_view *view,
		      const struct stretch_row *row, size_t column)
{
	const struct stretch *stretch = view->stretch;
	const struct stretch_cell *cell = &row->cells[column];
	bool tasks = stretch_by_tasks(stretch->by);
	double runs = (double)stretch->columns[column].run_count;
	double base_runs = (double)stretch->base_count;

	line->block = *row->block;
	line->cell = *cell;
	line->serial_s = row->serial_s;
	line->cores = known_cores(stretch->columns[column].cores);
	line->line = row->block->line ? row->block->line : UINT32_MAX;
	line->line2 = row->block->line2 ? row->block->line2 : UINT32_MAX;
	line->times = tasks ? llround(cell->samples / runs) : -1;
	line->serial_times = tasks ? llround(row->serial_samples / base_runs) : -1;
	line->serial_samples = tasks ? -1 : llround(row->serial_samples);
	line->samples = tasks ? -1 : llround(cell->samples);
}

static void put_row(struct report *report, struct row_line *line, const struct stretch_view *view,
		    const struct stretch_row *row, size_t column)
{
	double *more = line->more;

	line_fill(line, view, row, column);
	for (size_t i = 0; i < count_counters(view); i++) {
		const struct stretch_surplus *surplus = &line->cell.surplus[i];

		*more++ = surplus->serial;
		*more++ = surplus->parallel;
		*more++ = surplus->parallel - surplus->serial;
		*more++ = surplus->cost_s;
	}
	report_row(report, line);
}

static void put_rows(struct report *report, const struct stretch_view *view, const char *key,
		     size_t first)
{
	size_t more = EACH * count_counters(view);
	struct row_line *line = line_new(more);
	struct wide wide = {.table = {.key = key, .in = REPORT_CSV | REPORT_JSON}};

	wide_init(&wide, ROW_COLUMNS + more);
	for (size_t i = 0; i < ROW_COLUMNS; i++)
		wide_add(&wide, row_columns[i], NULL);
	for (size_t i = 0; i < more; i++) {
		const struct task_counter *counter = &view->stretch->counters->items[i / EACH];
		char *name = xasprintf("%s%s_%s", counter->name, counter->in_ns ? "_ns" : "",
				       counter_keys[i % EACH]);

		wide_add(&wide, (struct column){name, FIELD(row_line, more[i])}, name);
	}
	report_begin(report, &wide.table);
	for (size_t i = 0; i < view->row_count; i++)
		for (size_t j = first; j < view->stretch->column_count; j++)
			put_row(report, line, view, view->rows[i], j);
	report_end(report);
	wide_release(&wide);
	free(line);
}

/* --- Rows in text -------------------------------------------------------------------------- */

enum { HAS_PLACES = 1, HAS_TIMES = 2, HAS_INTERVAL = 4, HAS_DOUBTS = 8, NEEDS_PLACES = 16 };

/* The columns before and after those of recordings. */
static const struct column before_columns[] = {
	{NULL, "source", UNIT_NONE, -1, FIELD(row_line, place), .absent = "", .needs = HAS_PLACES,
	 .detail = true},
	{NULL, "source", UNIT_NONE, -1, FIELD(row_line, place), .absent = "",
	 .needs = NEEDS_PLACES},
	{NULL, "times", FIELD(row_line, times), .needs = HAS_TIMES},
	{NULL, "serial", UNIT_SPAN, FIELD(row_line, serial_s)},
};
static const struct column behind_columns[] = {
	{NULL, "95 % interval", UNIT_NONE, -1, FIELD(row_line, interval), .needs = HAS_INTERVAL},
	{NULL, "of all change", UNIT_SHARE, FIELD(row_line, cell.share), .detail = true},
	{NULL, "", UNIT_NONE, -1, FIELD(row_line, doubt), .needs = HAS_DOUBTS},
};
enum {
	BEFORE = sizeof(before_columns) / sizeof(before_columns[0]),
	BEHIND = sizeof(behind_columns) / sizeof(behind_columns[0])
};

/* Returns the number of cores, with the threads if the cores are the same in another column. */
static char *cores_label(const struct stretch *stretch, size_t column)
{
	const struct stretch_column *one = &stretch->columns[column];
	const char *threads = plural(one->threads, "", "s");
	bool alone = true;

	for (size_t i = 0; i < stretch->column_count; i++)
		alone &= i == column || stretch->columns[i].cores != one->cores;
	if (!(one->cores > 0))
		return alone ? xstrdup("parallel")
			     : xasprintf("%zu thread%s", one->threads, threads);
	if (!alone)
		return xasprintf("%zu thread%s, %g core%s", one->threads, threads, one->cores,
				 one->cores == 1 ? "" : "s");
	return xasprintf("%g core%s", one->cores, one->cores == 1 ? "" : "s");
}

/* Returns the reason for a missing interval, or "". */
static const char *doubt(const struct stretch_view *view, const struct stretch_row *row)
{
	const struct stretch_cell *cell = stretch_view_cell(view, row);

	if (!(cell->seconds > 0))
		return "only in serial";
	if (!(row->serial_s > 0))
		return "only in parallel";
	return isnan(cell->stretch.value) ? "few samples" : "";
}

/* Returns the interval, or the reason why it is missing. The caller frees it. */
static char *interval_of(const struct stretch_view *view, const struct stretch_row *row)
{
	const struct rate_ratio *stretch = &stretch_view_cell(view, row)->stretch;

	if (*doubt(view, row))
		return xstrdup(doubt(view, row));
	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("-");
	return xasprintf("%.1f to %.1f %%", 100 * stretch->from, 100 * stretch->to);
}

/* Returns the flags of the shown rows. */
static unsigned features_of(const struct stretch_view *view)
{
	bool one = view->stretch->column_count == 1;
	bool by_place =
		view->stretch->by == STRETCH_BY_LINE || view->stretch->by == STRETCH_BY_SEGMENT;
	unsigned has =
		(stretch_by_tasks(view->stretch->by) ? HAS_TIMES : 0) | (one ? HAS_INTERVAL : 0);

	for (size_t i = 0; i < view->row_count; i++) {
		has |= !view->rows[i]->block->file ? 0 : by_place ? NEEDS_PLACES : HAS_PLACES;
		has |= !one && *doubt(view, view->rows[i]) ? HAS_DOUBTS : 0;
	}
	return has;
}

/* Returns a name cut to the width of the column. The caller frees it. */
static char *short_name(const struct report *report, const struct stretch_row *row)
{
	size_t width = report_says(report, SENTENCE_DETAIL) ? LONG_NAME_WIDTH : NAME_WIDTH;
	char *name = stretch_view_name(row), *text;

	if (strlen(name) <= width)
		return name;
	text = xasprintf("%.*s...", (int)width - 3, name);
	free(name);
	return text;
}

static void put_text_row(struct report *report, struct row_line *line,
			 const struct stretch_view *view, const struct stretch_row *row)
{
	size_t count = view->stretch->column_count;

	line_fill(line, view, row, count - 1);
	line->name = short_name(report, row);
	line->place = place_of(row);
	line->interval = interval_of(view, row);
	line->doubt = doubt(view, row);
	for (size_t i = 0; i < count; i++) {
		line->more[2 * i] = row->cells[i].seconds;
		line->more[2 * i + 1] = row->cells[i].stretch.value;
	}
	report_row(report, line);
	free(line->name);
	free(line->place);
	free(line->interval);
}

static void put_text_rows(struct report *report, const struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;
	const char *by =
		stretch_by_name(stretch->by == STRETCH_BY_LINE ? STRETCH_BY_FUNCTION : stretch->by);
	struct row_line *line = line_new(2 * stretch->column_count);
	struct wide wide = {.table = {.has = features_of(view), .top = TOP_ROWS}};

	wide_init(&wide, 1 + BEFORE + 2 * stretch->column_count + BEHIND);
	wide_add(&wide, (struct column){NULL, by, UNIT_NONE, -1, FIELD(row_line, name)}, NULL);
	for (size_t i = 0; i < BEFORE; i++)
		wide_add(&wide, before_columns[i], NULL);
	for (size_t i = 0; i < stretch->column_count; i++) {
		char *label = cores_label(stretch, i);

		wide_add(&wide,
			 (struct column){NULL, label, UNIT_SPAN, FIELD(row_line, more[2 * i])},
			 label);
		wide_add(&wide,
			 (struct column){NULL, "change", UNIT_SHARE,
					 FIELD(row_line, more[2 * i + 1])},
			 NULL);
	}
	for (size_t i = 0; i < BEHIND; i++)
		wide_add(&wide, behind_columns[i], NULL);
	report_begin(report, &wide.table);
	for (size_t i = 0; i < view->row_count; i++)
		put_text_row(report, line, view, view->rows[i]);
	report_end(report);
	wide_release(&wide);
	free(line);
}

/* --- Core time ----------------------------------------------------------------------------- */

/* The core time of a column of recordings, or of a part of its time. */
struct core_time {
	struct stretch_column column;
	double begin_s, cores, wall_s, crowded_s; /* NaN: unknown */
	double parts_s[STRETCH_PARTS], shares[STRETCH_PARTS];
	char *label; /* for text */
};

/* Fills in the parts of core time. `loss` NULL: unknown. */
static void core_time_fill(struct core_time *line, const struct time_loss *loss, double serial_s)
{
	line->wall_s = loss ? loss->wall_s : (double)NAN;
	line->crowded_s = loss ? loss->crowded_s : (double)NAN;
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		line->parts_s[i] = NAN;
	if (loss)
		stretch_parts_of(line->parts_s, loss, serial_s);
	for (size_t i = 0; i < STRETCH_PARTS && loss; i++)
		line->shares[i] = line->parts_s[i] / (loss->cores * loss->wall_s);
}

enum { BY_TASKS = 1 };

#define PARTS                                                                                      \
	{"useful_work_s", FIELD(core_time, parts_s[STRETCH_PART_USEFUL])},                         \
		{"work_inflation_s", FIELD(core_time, parts_s[STRETCH_PART_INFLATION])},           \
		{"overhead_s", FIELD(core_time, parts_s[STRETCH_PART_OVERHEAD])},                  \
		{"run_queue_wait_s", FIELD(core_time, parts_s[STRETCH_PART_RUN_QUEUE])},           \
		{"task_wait_s", FIELD(core_time, parts_s[STRETCH_PART_TASKS])},                    \
		{"idle_s", FIELD(core_time, parts_s[STRETCH_PART_IDLE])},                          \
		{NULL, "useful", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_USEFUL])},       \
		{NULL, "inflation", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_INFLATION])}, \
		{NULL, "overhead", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_OVERHEAD])},   \
		{NULL, "run queue", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_RUN_QUEUE])}, \
		{NULL, "task wait", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_TASKS]),      \
		 .needs = BY_TASKS},                                                               \
	{                                                                                          \
		NULL, "idle", UNIT_SHARE, FIELD(core_time, shares[STRETCH_PART_IDLE])              \
	}

static const struct column core_time_columns[] = {
	{NULL, "share of core time", UNIT_NONE, -1, FIELD(core_time, label)},
	{"cores", FIELD(core_time, cores)},
	{"wall_s", FIELD(core_time, wall_s)},
	PARTS,
	{"crowded_s", FIELD(core_time, crowded_s)},
	{"threads", FIELD(core_time, column.threads)},
	{"runs", FIELD(core_time, column.run_count)},
	{"covers_runs", FIELD(core_time, column.has_repeats)},
	{"work_s", FIELD(core_time, column.work_s)},
	{"inflation", FIELD(core_time, column.stretch.value)},
	{"inflation_from", FIELD(core_time, column.stretch.from)},
	{"inflation_to", FIELD(core_time, column.stretch.to)},
};

static void put_core_time(struct report *report, const struct stretch_view *view)
{
	const struct table table = {
		.key = "core_times",
		COLUMNS(core_time_columns),
		.has = stretch_by_tasks(view->stretch->by) ? BY_TASKS : 0,
	};
	size_t count = view->stretch->column_count;
	struct core_time *lines = xcalloc(count, sizeof(*lines));

	for (size_t i = 0; i < count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];
		char wall[VALUE_SIZE], *cores = cores_label(view->stretch, i);

		lines[i] =
			(struct core_time){.column = *column, .cores = known_cores(column->cores)};
		core_time_fill(&lines[i], column->has_loss ? &column->loss : NULL,
			       view->stretch->serial_s);
		lines[i].label =
			xasprintf("%s x %s", cores, format_value(wall, lines[i].wall_s, UNIT_SPAN));
		free(cores);
	}
	if (report_shows(report, REPORT_JSON))
		report_facts(report, "core_time", core_time_columns, &lines[count - 1]);
	if (report_shows(report, REPORT_JSON) || stretch_view_last(view)->has_loss)
		report_table(report, &table, lines, count);
	for (size_t i = 0; i < count; i++)
		free(lines[i].label);
	free(lines);
}

static const struct column interval_columns[] = {
	{"begin_s", "from", UNIT_SECONDS, FIELD(core_time, begin_s)},
	{"wall_s", "wall time", UNIT_SECONDS, FIELD(core_time, wall_s)},
	PARTS,
};

static void put_intervals(struct report *report, const struct stretch_view *view)
{
	const struct table table = {
		.key = "core_time_intervals",
		COLUMNS(interval_columns),
		.has = stretch_by_tasks(view->stretch->by) ? BY_TASKS : 0,
	};

	report_begin(report, &table);
	for (size_t i = 0; i < view->part_count; i++) {
		struct core_time line = {.begin_s = view->parts[i].begin_s};

		core_time_fill(&line, &view->parts[i].loss, view->parts[i].serial_work_s);
		report_row(report, &line);
	}
	report_end(report);
}

/* --- Counters ------------------------------------------------------------------------------ */

struct counted {
	char *name, *place; /* for text */
	double cores;
	struct stretch_surplus of;
	const char *unit;
	double more, shown_serial, shown_parallel, shown_more; /* shown: times in seconds */
};

enum { OF_ROWS = 1 };

static const struct column counted_columns[] = {
	{NULL, "function", UNIT_NONE, -1, FIELD(counted, name), .needs = OF_ROWS},
	{NULL, "source", UNIT_NONE, -1, FIELD(counted, place), .absent = "", .needs = OF_ROWS},
	{"cores", FIELD(counted, cores)},
	{"counter", "counted", UNIT_NONE, -1, FIELD(counted, of.counter)},
	{"unit", FIELD(counted, unit)},
	{"serial", FIELD(counted, of.serial)},
	{"parallel", FIELD(counted, of.parallel)},
	{"more", FIELD(counted, more)},
	{NULL, "serial", UNIT_DECIMAL, FIELD(counted, shown_serial)},
	{NULL, "parallel", UNIT_DECIMAL, FIELD(counted, shown_parallel)},
	{NULL, "more", UNIT_DECIMAL, FIELD(counted, shown_more)},
	{"cost_s", "inflation per extra", UNIT_SPAN, FIELD(counted, of.cost_s)},
};
static const struct table counter_table = {
	.key = "counters", .in = REPORT_JSON, COLUMNS(counted_columns)};
static const struct table text_counter_table = {
	.in = REPORT_TEXT, COLUMNS(counted_columns), .detail = true};
static const struct table row_counter_table = {
	.in = REPORT_TEXT, .has = OF_ROWS, COLUMNS(counted_columns)};

static void put_surplus(struct report *report, const struct stretch_surplus *surplus, double cores,
			char *name, char *place)
{
	double more = surplus->parallel - surplus->serial, unit = surplus->in_ns ? 1e-9 : 1;

	report_row(report, &(struct counted){.name = name,
					     .place = place,
					     .cores = known_cores(cores),
					     .of = *surplus,
					     .unit = surplus->in_ns ? "ns" : NULL,
					     .more = more,
					     .shown_serial = surplus->serial * unit,
					     .shown_parallel = surplus->parallel * unit,
					     .shown_more = more * unit});
}

/* Adds the requested counters of each shown block. */
static void put_row_counters(struct report *report, const struct stretch_view *view)
{
	if (!view->shown_count || !view->row_count)
		return;
	report_begin(report, &row_counter_table);
	for (size_t i = 0; i < view->row_count; i++) {
		const struct stretch_cell *cell = stretch_view_cell(view, view->rows[i]);
		char *name = short_name(report, view->rows[i]);
		char *place = place_of(view->rows[i]);

		for (size_t k = 0; k < view->shown_count; k++)
			put_surplus(report, &cell->surplus[view->shown[k]], 0, name, place);
		free(name);
		free(place);
	}
	report_end(report);
}

/* Adds the counters of all work; in text those of the last column. */
static void put_counters(struct report *report, const struct stretch_view *view,
			 const struct table *table, size_t first)
{
	report_begin(report, table);
	for (size_t i = first; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		for (size_t j = 0; j < column->surplus_count; j++)
			put_surplus(report, &column->surplus[j], column->cores, NULL, NULL);
	}
	report_end(report);
}

/* --- Recordings ---------------------------------------------------------------------------- */

struct recording {
	const char *path;
	struct stretch_run run;
	struct task_tree tree; /* all bits set: none */
	size_t changed_files, samples;
	double cores, wall_s, named_share, several_share, unknown_s;
	bool is_base;
};

static const struct column recording_columns[] = {
	{"file", FIELD(recording, path)},
	{"base", FIELD(recording, is_base)},
	{"program", FIELD(recording, run.program)},
	{"changed_files", FIELD(recording, changed_files)},
	{"cores", FIELD(recording, cores)},
	{"threads", FIELD(recording, run.threads)},
	{"wall_s", FIELD(recording, wall_s)},
	{"cpu_s", FIELD(recording, run.all_s)},
	{"work_s", FIELD(recording, run.work_s)},
	{"overhead_s", FIELD(recording, run.overhead_s)},
	{"waiting_s", FIELD(recording, run.waiting_s)},
	{"named_share", FIELD(recording, named_share)},
	{"several_share", FIELD(recording, several_share)},
	{"unknown_s", FIELD(recording, unknown_s)},
	{"samples", FIELD(recording, samples)},
	{"dropped_samples", FIELD(recording, run.quality.dropped_samples)},
	{"lost", FIELD(recording, run.quality.lost)},
	{"truncated", FIELD(recording, run.quality.truncated)},
	/* number of tasks, and their flaws */
	{"tasks", FIELD(recording, tree.task_count)},
	{"never_begun", FIELD(recording, tree.never_begun)},
	{"never_run", FIELD(recording, tree.never_run)},
	{"never_ended", FIELD(recording, tree.never_ended)},
	{"never_synced", FIELD(recording, tree.never_synced)},
	{"orphans", FIELD(recording, tree.orphans)},
	{"events_lost", FIELD(recording, tree.lost)},
};
static const struct table recording_table = {.key = "recordings", COLUMNS(recording_columns)};

/*
 * Returns the number of files that changed since the first recording; SIZE_MAX: unknown, as for
 * tasks.
 */
static size_t changed_files(const struct stretch_view *view, size_t i)
{
	const struct stretch_run *runs = view->stretch->runs;
	const char *path;

	return runs[0].files.count && runs[i].files.count
		       ? stretch_files_changed(&path, &runs[0].files, &runs[i].files)
		       : SIZE_MAX;
}

static void put_recordings(struct report *report, const struct stretch_view *view)
{
	report_begin(report, &recording_table);
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		struct recording line = {.path = view->paths[i],
					 .run = *run,
					 .changed_files = changed_files(view, i),
					 .samples = run->tree ? SIZE_MAX : run->samples,
					 .cores = known_cores(run->cores),
					 .wall_s = run->has_states ? run->wall_s : (double)NAN,
					 .named_share = run->named_s / run->work_s,
					 .several_share = stretch_run_several_share(run),
					 .unknown_s =
						 run->has_states ? run->unknown_s : (double)NAN,
					 .is_base = i < view->stretch->base_count};

		memset(&line.tree, 0xff, sizeof(line.tree));
		if (run->tree)
			line.tree = *run->tree;
		report_row(report, &line);
	}
	report_end(report);
}

/* --- All of it ----------------------------------------------------------------------------- */

/* Returns the largest share of a row in the serial work or in the work of a column. */
static double share_of(const struct stretch_view *view, const struct stretch_row *row)
{
	double share = row->serial_s / view->stretch->serial_s;

	for (size_t i = 0; i < view->stretch->column_count; i++)
		share = fmax(share, row->cells[i].seconds / view->stretch->columns[i].work_s);
	return share;
}

void stretch_view_choose(struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;

	view->rows = xcalloc(stretch->row_count + 1, sizeof(const struct stretch_row *));
	view->row_count = view->below = 0;
	for (size_t i = 0; i < stretch->row_count; i++) {
		if (share_of(view, &stretch->rows[i]) < view->min_share)
			view->below++;
		else
			view->rows[view->row_count++] = &stretch->rows[i];
	}
	view->verdict = stretch_verdict_of(stretch, view->rows, view->row_count);
}

static void put_json(struct report *report, const struct stretch_view *view)
{
	report_sentence(report, "by", stretch_by_name(view->stretch->by));
	put_rows(report, view, "rows", view->stretch->column_count - 1);
	if (view->stretch->column_count > 1)
		put_rows(report, view, "row_columns", 0);
	put_core_time(report, view);
	if (view->parts)
		put_intervals(report, view);
	put_counters(report, view, &counter_table, 0);
	put_recordings(report, view);
}

static void put_text(struct report *report, const struct stretch_view *view)
{
	put_core_time(report, view);
	if (view->row_count)
		put_text_rows(report, view);
	if (view->part_count)
		put_intervals(report, view);
	put_row_counters(report, view);
	if (stretch_view_last(view)->surplus_count > 1) /* switches alone say little about work */
		put_counters(report, view, &text_counter_table, view->stretch->column_count - 1);
}

void report_stretch(struct report *report, const struct stretch_view *view)
{
	struct stretch_view chosen = *view;

	stretch_view_choose(&chosen);
	stretch_say_verdict(report, &chosen);
	if (report_shows(report, REPORT_JSON))
		put_json(report, &chosen);
	if (report_shows(report, REPORT_CSV))
		put_rows(report, &chosen, NULL, 0);
	if (report_shows(report, REPORT_TEXT))
		put_text(report, &chosen);
	stretch_notes(report, &chosen);
	free(chosen.rows);
}
