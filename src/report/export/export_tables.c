/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_format.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "report/export/export_private.h"
#include "report/export/sqlite_file.h"
#include "report/progress.h"
#include "report/report.h"
#include "stats/profile/block_spans.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- The schema ---------------------------------------------------------------------------- */

/*
 * The version of the tables that pscal-export(1) describes. It is increased if the meaning of a
 * column changes, or a column is removed.
 */
#define EXPORT_SCHEMA 2

static const struct table_column meta_columns[] = {
	{"key", COLUMN_TEXT, " PRIMARY KEY"},
	{"value", COLUMN_ANY, NULL},
};

static const struct table_column thread_columns[] = {
	{"id", COLUMN_COUNT, " PRIMARY KEY"}, {"tid", COLUMN_COUNT, NULL},
	{"pid", COLUMN_COUNT, NULL},	      {"comm", COLUMN_TEXT, NULL},
	{"start", COLUMN_COUNT, NULL},	      {"time", COLUMN_COUNT, NULL},
	{"running", COLUMN_COUNT, NULL},      {"name", COLUMN_TEXT, NULL},
};

static const struct table_column state_columns[] = {
	{"thread", COLUMN_COUNT, " REFERENCES thread"},
	{"start", COLUMN_COUNT, NULL},
	{"time", COLUMN_COUNT, NULL},
	{"state", COLUMN_TEXT, NULL},
	{"cpu", COLUMN_COUNT, NULL},
};

static const struct table_column task_columns[] = {
	{"id", COLUMN_COUNT, " PRIMARY KEY"},
	{"pid", COLUMN_COUNT, NULL},
	{"number", COLUMN_COUNT, NULL},
	{"parent", COLUMN_COUNT, " REFERENCES task"},
	{"nth", COLUMN_COUNT, NULL},
	{"level", COLUMN_COUNT, NULL},
	{"root", COLUMN_COUNT, " REFERENCES task"},
	{"tree_path", COLUMN_TEXT, NULL},
	{"function", COLUMN_TEXT, NULL},
	{"file", COLUMN_TEXT, NULL},
	{"line", COLUMN_COUNT, NULL},
	{"in_place", COLUMN_COUNT, NULL},
	{"ended", COLUMN_COUNT, NULL},
	{"ready", COLUMN_COUNT, NULL},
	{"start", COLUMN_COUNT, NULL},
	{"time", COLUMN_COUNT, NULL},
	{"synced", COLUMN_COUNT, NULL},
};

static const struct table_column interval_columns[] = {
	{"file", COLUMN_TEXT, NULL},	    {"line", COLUMN_COUNT, NULL},
	{"line2", COLUMN_COUNT, NULL},	    {"function", COLUMN_TEXT, NULL},
	{"level", COLUMN_COUNT, NULL},	    {"worker", COLUMN_COUNT, " REFERENCES thread"},
	{"start", COLUMN_COUNT, NULL},	    {"time", COLUMN_COUNT, NULL},
	{"running", COLUMN_COUNT, NULL},    {"switches", COLUMN_COUNT, NULL},
	{"migrations", COLUMN_COUNT, NULL}, {"faults", COLUMN_COUNT, NULL},
	{"step", COLUMN_TEXT, NULL},	    {"step_end", COLUMN_TEXT, NULL},
	{"tree_path", COLUMN_TEXT, NULL},   {"task", COLUMN_COUNT, " REFERENCES task"},
};

static const struct table_column call_columns[] = {
	{"name", COLUMN_TEXT, NULL},	 {"thread", COLUMN_COUNT, " REFERENCES thread"},
	{"start", COLUMN_COUNT, NULL},	 {"time", COLUMN_COUNT, NULL},
	{"running", COLUMN_COUNT, NULL}, {"depth", COLUMN_COUNT, NULL},
	{"unwound", COLUMN_COUNT, NULL},
};

static const struct table_column sample_columns[] = {
	{"thread", COLUMN_COUNT, " REFERENCES thread"},
	{"at", COLUMN_COUNT, NULL},
	{"function", COLUMN_TEXT, NULL},
	{"object", COLUMN_TEXT, NULL},
	{"address", COLUMN_COUNT, NULL},
	{"mode", COLUMN_TEXT, NULL},
};

#define TABLE_OF(name)                                                                    \
	{                                                                                 \
#name, name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0]) \
	}

const struct table_kind table_kinds[TABLE_TABLES] = {
	[TABLE_META] = TABLE_OF(meta),	       [TABLE_THREAD] = TABLE_OF(thread),
	[TABLE_STATE] = TABLE_OF(state),       [TABLE_TASK] = TABLE_OF(task),
	[TABLE_INTERVAL] = TABLE_OF(interval), [TABLE_CALL] = TABLE_OF(call),
	[TABLE_SAMPLE] = TABLE_OF(sample),
};

/* --- Rows ---------------------------------------------------------------------------------- */

static void row_cell(struct table_rows *rows, int column, const struct table_cell *cell)
{
	struct table_cell *old = &rows->cells[column - 1];

	if (old->kind == cell->kind && old->count == cell->count && old->text == cell->text &&
	    old->length == cell->length)
		return;
	*old = *cell;
	old->changed = true;
}

void row_name(struct table_rows *rows, int column, const char *text, size_t length)
{
	row_cell(rows, column,
		 &(struct table_cell){.kind = text ? CELL_IS_TEXT : CELL_IS_NULL,
				      .text = text,
				      .length = text ? length : 0});
}

/* The text is marked as changed: another text may have had the same address. */
void row_text(struct table_rows *rows, int column, const char *text, size_t length)
{
	row_name(rows, column, text, length);
	rows->cells[column - 1].changed = true;
}

void row_string(struct table_rows *rows, int column, const char *text)
{
	row_text(rows, column, text, text ? strlen(text) : 0);
}

void row_known(struct table_rows *rows, int column, bool known, int64_t count)
{
	row_cell(rows, column,
		 &(struct table_cell){.kind = known ? CELL_IS_COUNT : CELL_IS_NULL,
				      .count = known ? count : 0});
}

void row_count(struct table_rows *rows, int column, int64_t count)
{
	row_known(rows, column, true, count);
}

void row_id(struct table_rows *rows, int column, int32_t id)
{
	row_known(rows, column, id >= 0, id);
}

void row_since(struct table_rows *rows, int column, uint64_t time_ns, uint64_t origin_ns)
{
	row_count(rows, column, (int64_t)(time_ns - origin_ns));
}

void row_put(struct table_rows *rows)
{
	rows->sink->put(rows->own, rows->table, rows->cells);
	rows->count++;
}

void tables_add_columns(struct export_tables *export, enum export_table table,
			const char *const *names, size_t count)
{
	struct table_rows *rows = &export->tables[table];

	rows->cells = xreallocarray(rows->cells, rows->column_count + count, sizeof(*rows->cells));
	memset(rows->cells + rows->column_count, 0, count * sizeof(*rows->cells));
	rows->column_count += count;
	for (size_t i = 0; i < rows->column_count; i++)
		rows->cells[i].changed = true;
	export->sink->add_columns(export->own, table, names, count);
}

static void *tables_open(const struct table_sink *sink, const struct export_request *request,
			 struct event_source *source, struct err *err)
{
	struct export_tables *export = xcalloc(1, sizeof(*export));

	export->sink = sink;
	export->path = request->path;
	export->input = request->input;
	export->source = source;
	source->samples.timed = true;
	export->own = sink->open(request, err);
	if (!export->own) {
		free(export);
		return NULL;
	}
	for (enum export_table i = 0; i < TABLE_TABLES; i++) {
		struct table_rows *rows = &export->tables[i];

		rows->sink = sink;
		rows->own = export->own;
		rows->table = i;
		rows->column_count = table_kinds[i].count;
		rows->cells = xcalloc(rows->column_count, sizeof(*rows->cells));
	}
	return export;
}

static void *sqlite_open(const struct export_request *request, struct event_source *source,
			 struct err *err)
{
	return tables_open(&sqlite_sink, request, source, err);
}

static void *csv_open(const struct export_request *request, struct event_source *source,
		      struct err *err)
{
	return tables_open(&csv_sink, request, source, err);
}

static void tables_free(void *own)
{
	struct export_tables *export = own;

	for (size_t i = 0; i < TABLE_TABLES; i++)
		free(export->tables[i].cells);
	export->sink->close(export->own);
	for (size_t i = 0; i < export->thread_count; i++)
		thread_name_release(&export->threads[i].name);
	free(export->threads);
	free(export);
}

static int tables_check(const void *own, struct err *err)
{
	const struct export_tables *export = own;

	return export->sink->check(export->own, err);
}

/* --- Threads and their states -------------------------------------------------------------- */

static void add_to_thread(struct export_tables *export, const struct change *change)
{
	struct export_thread *thread;

	array_reserve(&export->threads, &export->thread_capacity, change->thread + 1);
	if (export->thread_count <= change->thread)
		export->thread_count = change->thread + 1;
	thread = &export->threads[change->thread];
	if (!thread->appeared)
		thread->begin_ns = change->begin_ns;
	thread->appeared = true;
	thread->tid = change->tid;
	thread->pid = change->pid;
	thread->end_ns = change->end_ns;
	thread_name_take(&thread->name, change->comm);
	thread->start = change->start;
	if (change->state == STATE_RUNNING)
		thread->running_ns += change->end_ns - change->begin_ns;
	if (change->state != STATE_NONE && change->state != STATE_UNKNOWN)
		thread->has_states = true;
	/* a new thread is known to be runnable without the scheduler */
	if (change->state == STATE_RUNNING || change->state >= STATE_INACTIVE)
		export->has_states = true;
	if (!export->end_ns || change->begin_ns < export->begin_ns)
		export->begin_ns = change->begin_ns;
	if (change->end_ns > export->end_ns)
		export->end_ns = change->end_ns;
}

static void tables_change(void *own, const struct change *change, uint64_t origin_ns)
{
	struct export_tables *export = own;
	struct table_rows *rows = &export->tables[TABLE_STATE];
	const char *state = thread_state_name(change->state);

	add_to_thread(export, change);
	if (change->state == STATE_NONE || change->begin_ns == change->end_ns)
		return;
	row_count(rows, 1, (int64_t)change->thread);
	row_since(rows, 2, change->begin_ns, origin_ns);
	row_count(rows, 3, (int64_t)(change->end_ns - change->begin_ns));
	row_name(rows, 4, state, strlen(state));
	row_id(rows, 5, change->cpu);
	row_put(rows);
}

static void tables_span(void *own, const struct block_span *span, uint64_t origin_ns)
{
	struct export_tables *export = own;
	const struct blocks *blocks = &export->source->blocks;
	struct table_rows *rows = &export->tables[TABLE_CALL];
	uint64_t time_ns = span->leave_ns - span->enter_ns;

	row_string(rows, 1, blocks->items[span->block].name);
	row_count(rows, 2, (int64_t)span->thread);
	row_since(rows, 3, span->enter_ns, origin_ns);
	row_known(rows, 4, !span->open, (int64_t)time_ns);
	row_known(rows, 5, !span->open && (!time_ns || span->state_ns[SPAN_OTHER] != time_ns),
		  (int64_t)span->state_ns[SPAN_RUNNING]);
	row_count(rows, 6, span->depth);
	row_count(rows, 7, span->unwound);
	row_put(rows);
}

/* Removes all states if the recording has no scheduler events: the states are unknown. */
static void drop_unknown_states(struct export_tables *export)
{
	if (export->has_states)
		return;
	export->sink->clear(export->own, TABLE_STATE);
	export->tables[TABLE_STATE].count = 0;
}

static void write_threads(struct export_tables *export, uint64_t origin_ns)
{
	struct table_rows *rows = &export->tables[TABLE_THREAD];

	for (size_t i = 0; i < export->thread_count; i++) {
		const struct export_thread *thread = &export->threads[i];
		const char *comm = thread_name_comm(&thread->name);
		const char *name = thread_name_text(&thread->name);

		if (!thread->appeared)
			continue;
		row_count(rows, 1, (int64_t)i);
		row_count(rows, 2, thread->tid);
		row_id(rows, 3, thread->pid);
		row_string(rows, 4, *comm ? comm : NULL);
		row_since(rows, 5, thread->begin_ns, origin_ns);
		row_count(rows, 6, (int64_t)(thread->end_ns - thread->begin_ns));
		row_known(rows, 7, thread->has_states && export->has_states,
			  (int64_t)thread->running_ns);
		row_string(rows, 8, *name ? name : NULL);
		row_put(rows);
	}
}

/* --- Samples ------------------------------------------------------------------------------- */

/* Sorts samples by process, place and time: samples of a place are together. */
static int by_place(const void *a, const void *b)
{
	const struct sampled *one = *(const struct sampled *const *)a;
	const struct sampled *other = *(const struct sampled *const *)b;

	return compare_values(one->pid, other->pid)
		       ?: compare_values(one->ip, other->ip)
		       ?: compare_values(one->time_ns, other->time_ns);
}

static const struct sampled **sort_samples(const struct samples *samples)
{
	const struct sampled **rows = xcalloc(samples->row_count, sizeof(*rows));

	for (size_t i = 0; i < samples->row_count; i++)
		rows[i] = &samples->rows[i];
	sort_items(rows, samples->row_count, by_place);
	return rows;
}

/* A place in the code, and its symbol. */
struct place {
	const struct mapped *mapped;
	uint64_t ip;
	struct symbol symbol;
	bool found;
};

static void find_place(struct place *place, struct symbol_finder *finder, const struct sampled *row)
{
	const struct mapped *mapped =
		row->ip ? map_finder_find(&finder->maps, row->pid, row->ip, row->time_ns) : NULL;

	if (mapped && mapped == place->mapped && row->ip == place->ip)
		return;
	place->mapped = mapped;
	place->ip = row->ip;
	place->found = mapped &&
		       symbol_finder_find(&place->symbol, finder, row->pid, row->ip, row->time_ns);
}

static void write_sample(struct export_tables *export, const struct sampled *row, ptrdiff_t thread,
			 const struct place *place, uint64_t origin_ns)
{
	static const char *const modes[SAMPLED_MODES] = {"user", "kernel"};
	struct table_rows *rows = &export->tables[TABLE_SAMPLE];
	bool kernel = row->mode == SAMPLED_KERNEL && !row->ip;

	row_count(rows, 1, thread);
	row_since(rows, 2, row->time_ns, origin_ns);
	row_string(rows, 3, place->found ? place->symbol.function : NULL);
	row_string(rows, 4, kernel ? "[kernel]" : place->found ? place->symbol.path : NULL);
	row_known(rows, 5, !kernel, (int64_t)row->ip);
	row_string(rows, 6, row->mode < SAMPLED_MODES ? modes[row->mode] : NULL);
	for (uint32_t i = 0; i < row->count; i++)
		row_put(rows);
}

/* Returns the origin of times; if the recording has samples only, the time of the first one. */
static uint64_t find_origin(struct export_tables *export, uint64_t begin_ns)
{
	const struct event_source *source = export->source;
	uint64_t origin_ns = begin_ns;

	export->has_states &= !source->samples.alone; /* the start of a thread shows a CPU for 0
							 s */
	for (size_t i = 0; !export->has_states && i < source->samples.row_count; i++)
		if (!origin_ns || source->samples.rows[i].time_ns < origin_ns)
			origin_ns = source->samples.rows[i].time_ns;
	return origin_ns;
}

static struct counted_thread *list_threads(const struct export_tables *export)
{
	struct counted_thread *threads = xcalloc(export->thread_count, sizeof(*threads));

	for (size_t i = 0; i < export->thread_count; i++)
		threads[i] = (struct counted_thread){export->threads[i].tid, export->threads[i].pid,
						     export->threads[i].begin_ns};
	return threads;
}

/* Extends a thread from its first sample to its last, if the recording has no scheduler events. */
static void extend_thread(struct export_tables *export, ptrdiff_t number, uint64_t time_ns)
{
	struct export_thread *thread = &export->threads[number];

	if (time_ns < thread->begin_ns || !thread->sampled)
		thread->begin_ns = time_ns;
	if (time_ns > thread->end_ns || !thread->sampled)
		thread->end_ns = time_ns;
	if (!export->sampled || time_ns < export->begin_ns)
		export->begin_ns = time_ns;
	if (!export->sampled || time_ns > export->end_ns)
		export->end_ns = time_ns;
	thread->sampled = export->sampled = true;
}

/* Writes the samples of threads of the target. */
static void write_samples(struct export_tables *export, uint64_t origin_ns,
			  struct progress *progress)
{
	const struct samples *samples = &export->source->samples;
	struct counted_thread *threads = list_threads(export);
	const struct sampled **rows = sort_samples(samples);
	struct thread_finder finder;
	struct symbol_finder symbols;
	struct place place = {.mapped = NULL};

	thread_finder_init(&finder, threads, export->thread_count);
	symbol_finder_init(&symbols, samples);
	for (size_t i = 0; i < samples->row_count; i++) {
		ptrdiff_t thread = thread_finder_find(&finder, rows[i]->tid, rows[i]->time_ns);

		if (i % EXPORT_ROWS_A_LOOK == 0)
			progress_show(progress, i, samples->row_count);
		if (thread < 0) {
			export->samples_left_out += rows[i]->count;
			continue;
		}
		if (!export->has_states)
			extend_thread(export, thread, rows[i]->time_ns);
		find_place(&place, &symbols, rows[i]);
		write_sample(export, rows[i], thread, &place, origin_ns);
	}
	symbol_finder_release(&symbols);
	thread_finder_release(&finder);
	free(rows);
	free(threads);
}

/* --- The recording as a whole -------------------------------------------------------------- */

static void write_text(struct export_tables *export, const char *key, const char *text)
{
	row_string(&export->tables[TABLE_META], 1, key);
	row_string(&export->tables[TABLE_META], 2, text);
	row_put(&export->tables[TABLE_META]);
}

static void write_known(struct export_tables *export, const char *key, uint64_t count, bool known)
{
	row_string(&export->tables[TABLE_META], 1, key);
	row_known(&export->tables[TABLE_META], 2, known, (int64_t)count);
	row_put(&export->tables[TABLE_META]);
}

static void write_count(struct export_tables *export, const char *key, uint64_t count)
{
	write_known(export, key, count, true);
}

static void write_quality(struct export_tables *export, const struct quality *quality)
{
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		bool time = quality_kind(fact) == QUALITY_TIME;
		const char *key = quality_words(fact)->key;
		size_t length = strlen(key);
		char *own;

		/* all times in the tables are in nanoseconds */
		if (time && length > 2 && strcmp(key + length - 2, "_s") == 0)
			own = xasprintf("quality_%.*s_ns", (int)length - 2, key);
		else
			own = xasprintf("quality_%s", key);
		write_count(export, own, quality_value(quality, fact));
		free(own);
	}
}

static void write_facts(struct export_tables *export, const struct export_facts *facts,
			uint64_t origin_ns)
{
	const struct event_source *source = export->source;
	const struct target_info *target = &source->target;
	unsigned cores = target->affinity_count ? target->affinity_count : facts->cores;

	write_count(export, "schema", EXPORT_SCHEMA);
	write_text(export, "file", export->input);
	write_text(export, "pscal_version", PSCAL_VERSION);
	write_text(export, "collector", *target->collector ? target->collector : NULL);
	write_known(export, "cores", cores, cores);
	write_count(export, "origin_ns", origin_ns);
	write_count(export, "wall_ns", export->end_ns - export->begin_ns);
	write_count(export, "scheduler", export->has_states);
	write_count(export, "calls_every", target->blocks_every ? target->blocks_every : 1);
	write_count(export, "events_lost", target->blocks_lost);
	write_count(export, "calls_open", facts->spans->open);
	write_count(export, "calls_unwound", facts->spans->unwound);
	write_count(export, "calls_stray", facts->spans->stray);
	write_count(export, "calls_too_deep", facts->spans->deep);
	write_known(export, "tasks_never_begun", export->never_begun, export->has_tasks);
	write_known(export, "tasks_never_run", export->never_run, export->has_tasks);
	write_known(export, "tasks_never_ended", export->never_ended, export->has_tasks);
	write_known(export, "tasks_never_synced", export->never_synced, export->has_tasks);
	write_known(export, "steps_orphaned", export->orphans, export->has_tasks);
	write_known(export, "paths_left_out", export->long_paths, export->has_tasks);
	write_count(export, "samples_left_out", export->samples_left_out);
	write_quality(export, &source->quality);
}

static int tables_finish(void *own, const struct export_facts *facts, struct err *err)
{
	struct export_tables *export = own;
	uint64_t origin_ns;

	if (facts->tree)
		tables_tasks(export, facts->tree, facts->progress);
	origin_ns = find_origin(export, facts->begin_ns);
	write_samples(export, origin_ns, facts->progress);
	drop_unknown_states(export);
	thread_names_complete(export->threads, export->thread_count,
			      THREAD_NAME_PLACE(struct export_thread), export->source);
	write_threads(export, origin_ns);
	write_facts(export, facts, origin_ns);
	return export->sink->publish(export->own, err);
}

/* --- The contents -------------------------------------------------------------------------- */

struct exported {
	const char *table;
	uint64_t rows;
};

static const struct column exported_columns[] = {
	{"table", "table", FIELD(exported, table)},
	{"rows", "rows", FIELD(exported, rows)},
};
static const struct table exported_table = {
	.key = "tables", .in = REPORT_ALL, COLUMNS(exported_columns)};

static void tables_report(const void *own, struct report *report)
{
	const struct export_tables *export = own;
	uint64_t rows = 0;

	for (size_t i = 0; i < TABLE_TABLES; i++)
		rows += export->tables[i].count;
	report_verdict(report, "%s has %" PRIu64 " rows in %d tables.", export->path, rows,
		       TABLE_TABLES);
	report_begin(report, &exported_table);
	for (size_t i = 0; i < TABLE_TABLES; i++)
		report_row(report,
			   &(struct exported){table_kinds[i].name, export->tables[i].count});
	report_end(report);
	report_note_if(report, !export->has_tasks,
		       "The tables interval and task are empty: the recording has no tasks "
		       "(pscal record --tasks).");
	report_note_if(report, export->samples_left_out,
		       "%" PRIu64 " samples of threads outside the target are left out.",
		       export->samples_left_out);
	report_warning_if(report, export->long_paths,
			  "%" PRIu64 " tasks have no tree_path: it would be longer than %d "
			  "characters.",
			  export->long_paths, EXPORT_PATH_MAX);
}

#define TABLES_FORMAT(open_it)                                                       \
	{                                                                            \
		.task_tree = true, .open = (open_it), .change = tables_change,       \
		.span = tables_span, .check = tables_check, .finish = tables_finish, \
		.report = tables_report, .free = tables_free                         \
	}

const struct export_format export_sqlite = TABLES_FORMAT(sqlite_open);
const struct export_format export_csv = TABLES_FORMAT(csv_open);
