/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_sqlite.h"

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
 * pscal-export(1) describes the tables. A change of what a column means, or the removal of one,
 * gives EXPORT_SCHEMA its next number.
 */
#define EXPORT_SCHEMA 1

static const char schema_tables[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, tid INTEGER, pid INTEGER, comm TEXT,"
	"\n\tstart INTEGER, time INTEGER, running INTEGER);"
	"CREATE TABLE state (thread INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"\n\tstate TEXT, cpu INTEGER);"
	"CREATE TABLE task (id INTEGER PRIMARY KEY, pid INTEGER, number INTEGER,"
	"\n\tparent INTEGER REFERENCES task, nth INTEGER, level INTEGER,"
	"\n\troot INTEGER REFERENCES task, tree_path TEXT, function TEXT, file TEXT,"
	"\n\tline INTEGER, in_place INTEGER, ended INTEGER, ready INTEGER, start INTEGER,"
	"\n\ttime INTEGER, synced INTEGER);"
	"CREATE TABLE interval (file TEXT, line INTEGER, line2 INTEGER, function TEXT,"
	"\n\tlevel INTEGER, worker INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"\n\trunning INTEGER, switches INTEGER, migrations INTEGER, faults INTEGER,"
	"\n\tstep TEXT, step_end TEXT, tree_path TEXT,"
	"\n\ttask INTEGER REFERENCES task);"
	"CREATE TABLE block (name TEXT, thread INTEGER REFERENCES thread, start INTEGER,"
	"\n\ttime INTEGER, running INTEGER, depth INTEGER, unwound INTEGER);"
	"CREATE TABLE sample (thread INTEGER REFERENCES thread, at INTEGER, function TEXT,"
	"\n\tobject TEXT, address INTEGER, mode TEXT);";

/* Made when the tables are full, which takes less time than keeping them up to date. */
static const char *const schema_indexes[] = {
	"CREATE INDEX state_by_thread ON state (thread, start)",
	"CREATE INDEX task_by_parent ON task (parent)",
	"CREATE INDEX task_by_path ON task (root, tree_path)",
	"CREATE INDEX interval_by_task ON interval (task)",
	"CREATE INDEX interval_by_path ON interval (tree_path)",
	"CREATE INDEX interval_by_line ON interval (line, line2)",
	"CREATE INDEX interval_by_worker ON interval (worker, start)",
	"CREATE INDEX block_by_name ON block (name)",
	"CREATE INDEX block_by_thread ON block (thread, start)",
	"CREATE INDEX sample_by_function ON sample (function)",
	"CREATE INDEX sample_by_thread ON sample (thread, at)",
	NULL,
};

/*
 * A task below another has its path and a dot in front, and '/' is the character behind that: so it
 * is one range of the index. By sub-queries, as those for tasks that are not asked for are not
 * made.
 */
#define BELOW                                                         \
	"below.root = top.root AND below.tree_path >= top.tree_path " \
	"AND below.tree_path < top.tree_path || '/'"
#define INTERVALS_BELOW "task AS below JOIN interval ON interval.task = below.id WHERE " BELOW

/* Of what is not known of one interval the sum is not known. */
#define SUM(column)	      "CASE WHEN count(" column ") = count(*) THEN sum(" column ") END"
#define COUNTER(column)	      ",\n\t\t" SUM(column) " AS " column
#define COUNTER_BELOW(column) ",\n\t\t(SELECT " SUM(column) " FROM " INTERVALS_BELOW ") AS " column
#define COUNTERS	      COUNTER("switches") COUNTER("migrations") COUNTER("faults")

#define COUNTERS_BELOW COUNTER_BELOW("switches") COUNTER_BELOW("migrations") COUNTER_BELOW("faults")

static const char schema_views[] =
	"CREATE VIEW by_level AS"
	"\n\tSELECT level, count(DISTINCT task) AS tasks, count(*) AS intervals,"
	"\n\t\tsum(time) AS time, sum(running) AS running, max(time) AS longest" COUNTERS
	"\n\tFROM interval GROUP BY level;"
	"CREATE VIEW by_subtree AS"
	"\n\tSELECT id AS task, tree_path, level, function, file, line,"
	"\n\t\t(SELECT count(*) FROM task AS below WHERE " BELOW ") AS tasks,"
	"\n\t\t(SELECT count(*) FROM " INTERVALS_BELOW ") AS intervals,"
	"\n\t\t(SELECT sum(interval.time) FROM " INTERVALS_BELOW ") AS time,"
	"\n\t\t(SELECT sum(interval.running) FROM " INTERVALS_BELOW ") AS running" COUNTERS_BELOW
	"\n\tFROM task AS top WHERE tree_path IS NOT NULL;"
	"CREATE VIEW by_block AS"
	"\n\tSELECT function, file, line, line2, count(*) AS intervals, sum(time) AS time,"
	"\n\t\tsum(running) AS running, max(time) AS longest" COUNTERS
	"\n\tFROM interval GROUP BY function, file, line, line2;"
	"CREATE VIEW by_name AS"
	"\n\tSELECT name, count(*) AS calls, sum(time) AS time, sum(running) AS running,"
	"\n\t\tmax(time) AS longest"
	"\n\tFROM block GROUP BY name;"
	"CREATE VIEW by_state AS"
	"\n\tSELECT thread, tid, comm, state, count(*) AS intervals, sum(state.time) AS time"
	"\n\tFROM state JOIN thread ON thread.id = thread GROUP BY thread, state;";

/* --- Tables -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t columns;
} tables[EXPORT_TABLES] = {
	[EXPORT_META] = {"meta", 2},
	[EXPORT_THREAD] = {"thread", 7},
	[EXPORT_STATE] = {"state", 5},
	[EXPORT_TASK] = {"task", 17},
	[EXPORT_INTERVAL] = {"interval", EXPORT_INTERVAL_COLUMNS},
	[EXPORT_BLOCK] = {"block", 7},
	[EXPORT_SAMPLE] = {"sample", 6},
};

struct export *export_open(const char *path, bool replace, bool (*stop)(void), struct err *err)
{
	struct export *export = xcalloc(1, sizeof(*export));

	if (sqlite_file_open(&export->file, path, replace, err)) {
		free(export);
		return NULL;
	}
	sqlite_file_set_stop(&export->file, stop);
	sqlite_file_run(&export->file, schema_tables);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		sqlite_insert_begin(&export->inserts[i], &export->file, tables[i].name,
				    tables[i].columns);
	return export;
}

void export_free(struct export *export)
{
	if (!export)
		return;
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		sqlite_insert_end(&export->inserts[i]);
	sqlite_file_close(&export->file);
	free(export->threads);
	free(export);
}

int export_check(const struct export *export, struct err *err)
{
	return sqlite_file_check(&export->file, err);
}

void export_text(struct sqlite_insert *insert, int parameter, const char *text)
{
	sqlite_insert_text(insert, parameter, text, text ? strlen(text) : 0);
}

void export_id(struct sqlite_insert *insert, int parameter, int32_t id)
{
	sqlite_insert_known(insert, parameter, id >= 0, id);
}

void export_since(struct sqlite_insert *insert, int parameter, uint64_t time_ns, uint64_t origin_ns)
{
	sqlite_insert_count(insert, parameter, (int64_t)(time_ns - origin_ns));
}

/* --- Threads and what they did ------------------------------------------------------------- */

static void add_to_thread(struct export *export, const struct change *change)
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
	memcpy(thread->comm, change->comm, sizeof(change->comm));
	thread->start = change->start;
	if (change->state == STATE_RUNNING)
		thread->running_ns += change->end_ns - change->begin_ns;
	if (change->state != STATE_NONE && change->state != STATE_UNKNOWN)
		thread->has_states = true;
	/* That a new thread is runnable is known without the scheduler. */
	if (change->state == STATE_RUNNING || change->state >= STATE_INACTIVE)
		export->has_states = true;
	if (!export->end_ns || change->begin_ns < export->begin_ns)
		export->begin_ns = change->begin_ns;
	if (change->end_ns > export->end_ns)
		export->end_ns = change->end_ns;
}

void export_change(struct export *export, const struct change *change, uint64_t origin_ns)
{
	struct sqlite_insert *insert = &export->inserts[EXPORT_STATE];

	add_to_thread(export, change);
	if (change->state == STATE_NONE || change->begin_ns == change->end_ns)
		return;
	sqlite_insert_count(insert, 1, (int64_t)change->thread);
	export_since(insert, 2, change->begin_ns, origin_ns);
	sqlite_insert_count(insert, 3, (int64_t)(change->end_ns - change->begin_ns));
	export_text(insert, 4, thread_state_name(change->state));
	export_id(insert, 5, change->cpu);
	sqlite_insert_row(insert);
}

void export_span(struct export *export, const struct block_span *span, const struct blocks *blocks,
		 uint64_t origin_ns)
{
	struct sqlite_insert *insert = &export->inserts[EXPORT_BLOCK];
	uint64_t time_ns = span->leave_ns - span->enter_ns;

	export_text(insert, 1, blocks->items[span->block].name);
	sqlite_insert_count(insert, 2, (int64_t)span->thread);
	export_since(insert, 3, span->enter_ns, origin_ns);
	sqlite_insert_known(insert, 4, !span->open, (int64_t)time_ns);
	sqlite_insert_known(insert, 5,
			    !span->open && (!time_ns || span->state_ns[SPAN_OTHER] != time_ns),
			    (int64_t)span->state_ns[SPAN_RUNNING]);
	sqlite_insert_count(insert, 6, span->depth);
	sqlite_insert_count(insert, 7, span->unwound);
	sqlite_insert_row(insert);
}

/* Where nothing is known of the scheduler no thread is said to be in any state. */
static void drop_unknown_states(struct export *export)
{
	if (export->has_states)
		return;
	sqlite_file_run(&export->file, "DELETE FROM state");
	export->inserts[EXPORT_STATE].rows = 0;
}

static void write_threads(struct export *export, uint64_t origin_ns)
{
	struct sqlite_insert *insert = &export->inserts[EXPORT_THREAD];

	for (size_t i = 0; i < export->thread_count; i++) {
		const struct export_thread *thread = &export->threads[i];

		if (!thread->appeared)
			continue;
		sqlite_insert_count(insert, 1, (int64_t)i);
		sqlite_insert_count(insert, 2, thread->tid);
		export_id(insert, 3, thread->pid);
		export_text(insert, 4, *thread->comm ? thread->comm : NULL);
		export_since(insert, 5, thread->begin_ns, origin_ns);
		sqlite_insert_count(insert, 6, (int64_t)(thread->end_ns - thread->begin_ns));
		sqlite_insert_known(insert, 7, thread->has_states && export->has_states,
				    (int64_t)thread->running_ns);
		sqlite_insert_row(insert);
	}
}

/* --- Samples ------------------------------------------------------------------------------- */

/* Those of one place come one after the other. */
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

/* A place, and what is there. */
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

static void write_sample(struct export *export, const struct sampled *row, ptrdiff_t thread,
			 const struct place *place, uint64_t origin_ns)
{
	static const char *const modes[SAMPLED_MODES] = {"user", "kernel"};
	struct sqlite_insert *insert = &export->inserts[EXPORT_SAMPLE];
	bool kernel = row->mode == SAMPLED_KERNEL && !row->ip;

	sqlite_insert_count(insert, 1, thread);
	export_since(insert, 2, row->time_ns, origin_ns);
	export_text(insert, 3, place->found ? place->symbol.function : NULL);
	export_text(insert, 4, kernel ? "[kernel]" : place->found ? place->symbol.path : NULL);
	sqlite_insert_known(insert, 5, !kernel, (int64_t)row->ip);
	export_text(insert, 6, row->mode < SAMPLED_MODES ? modes[row->mode] : NULL);
	for (uint32_t i = 0; i < row->count; i++)
		sqlite_insert_row(insert);
}

uint64_t export_origin_ns(struct export *export, const struct event_source *source,
			  uint64_t timeline_begin_ns)
{
	uint64_t origin_ns = timeline_begin_ns;

	export->has_states &= !source->samples.alone; /* a birth shows a CPU for no time */
	for (size_t i = 0; !export->has_states && i < source->samples.row_count; i++)
		if (!origin_ns || source->samples.rows[i].time_ns < origin_ns)
			origin_ns = source->samples.rows[i].time_ns;
	return origin_ns;
}

static struct counted_thread *list_threads(const struct export *export)
{
	struct counted_thread *threads = xcalloc(export->thread_count, sizeof(*threads));

	for (size_t i = 0; i < export->thread_count; i++)
		threads[i] = (struct counted_thread){export->threads[i].tid, export->threads[i].pid,
						     export->threads[i].begin_ns};
	return threads;
}

/* Where nothing of the scheduler is on record a thread lasts from its first sample to its last. */
static void extend_thread(struct export *export, ptrdiff_t number, uint64_t time_ns)
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

/* Samples of threads that are not of the target are passed over. */
void export_samples(struct export *export, const struct event_source *source, uint64_t origin_ns,
		    struct progress *progress)
{
	const struct samples *samples = &source->samples;
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

static void write_text(struct export *export, const char *key, const char *text)
{
	export_text(&export->inserts[EXPORT_META], 1, key);
	export_text(&export->inserts[EXPORT_META], 2, text);
	sqlite_insert_row(&export->inserts[EXPORT_META]);
}

static void write_known(struct export *export, const char *key, uint64_t count, bool known)
{
	export_text(&export->inserts[EXPORT_META], 1, key);
	sqlite_insert_known(&export->inserts[EXPORT_META], 2, known, (int64_t)count);
	sqlite_insert_row(&export->inserts[EXPORT_META]);
}

static void write_count(struct export *export, const char *key, uint64_t count)
{
	write_known(export, key, count, true);
}

static void write_quality(struct export *export, const struct quality *quality)
{
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		bool time = quality_kind(fact) == QUALITY_TIME;
		const char *key = quality_words(fact)->key;
		size_t length = strlen(key);
		char *own;

		/* Times are nanoseconds in all of the database. */
		if (time && length > 2 && strcmp(key + length - 2, "_s") == 0)
			own = xasprintf("quality_%.*s_ns", (int)length - 2, key);
		else
			own = xasprintf("quality_%s", key);
		write_count(export, own, quality_value(quality, fact));
		free(own);
	}
}

static void write_facts(struct export *export, const struct export_facts *facts)
{
	const struct target_info *target = &facts->source->target;

	write_count(export, "schema", EXPORT_SCHEMA);
	write_text(export, "file", facts->input);
	write_text(export, "pscal_version", PSCAL_VERSION);
	write_text(export, "collector", *target->collector ? target->collector : NULL);
	write_known(export, "cores", facts->cores, facts->cores);
	write_count(export, "origin_ns", facts->origin_ns);
	write_count(export, "wall_ns", export->end_ns - export->begin_ns);
	write_count(export, "scheduler", export->has_states);
	write_count(export, "blocks_every", target->blocks_every ? target->blocks_every : 1);
	write_count(export, "events_lost", target->blocks_lost);
	write_count(export, "blocks_open", facts->spans->open);
	write_count(export, "blocks_unwound", facts->spans->unwound);
	write_count(export, "blocks_stray", facts->spans->stray);
	write_count(export, "blocks_too_deep", facts->spans->deep);
	write_known(export, "tasks_never_begun", export->never_begun, export->has_tasks);
	write_known(export, "tasks_never_run", export->never_run, export->has_tasks);
	write_known(export, "tasks_never_ended", export->never_ended, export->has_tasks);
	write_known(export, "tasks_never_synced", export->never_synced, export->has_tasks);
	write_known(export, "steps_orphaned", export->orphans, export->has_tasks);
	write_known(export, "paths_left_out", export->long_paths, export->has_tasks);
	write_count(export, "samples_left_out", export->samples_left_out);
	write_quality(export, &facts->source->quality);
}

int export_finish(struct export *export, const struct export_facts *facts, struct err *err)
{
	drop_unknown_states(export);
	thread_names_complete(export->threads, export->thread_count,
			      THREAD_NAME_PLACE(struct export_thread), facts->source);
	write_threads(export, facts->origin_ns);
	write_facts(export, facts);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		sqlite_insert_end(&export->inserts[i]);
	for (size_t i = 0; schema_indexes[i]; i++)
		sqlite_file_run(&export->file, schema_indexes[i]);
	sqlite_file_run(&export->file, schema_views);
	/* A few rows of an index tell its worth. */
	sqlite_file_run(&export->file, "PRAGMA analysis_limit = 1000; ANALYZE");
	return sqlite_file_publish(&export->file, err);
}

/* --- What is in it ------------------------------------------------------------------------- */

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

void export_report(const struct export *export, struct report *report)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < EXPORT_TABLES; i++)
		rows += export->inserts[i].rows;
	report_verdict(report, "%s has %" PRIu64 " rows in %d tables.", export->file.path, rows,
		       EXPORT_TABLES);
	report_begin(report, &exported_table);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		report_row(report, &(struct exported){tables[i].name, export->inserts[i].rows});
	report_end(report);
	report_note_if(report, !export->has_tasks,
		       "The tables interval and task are empty: the recording has no tasks "
		       "(pscal record --tasks).");
	report_note_if(report, export->samples_left_out,
		       "%" PRIu64 " samples of threads outside of the target are left out.",
		       export->samples_left_out);
	report_warning_if(report, export->long_paths,
			  "%" PRIu64 " tasks have no tree_path: it would be longer than %d "
			  "characters.",
			  export->long_paths, EXPORT_PATH_MAX);
}
