/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_sqlite.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "report/export/export_rows.h"
#include "report/export/export_schema.h"
#include "report/report.h"
#include "stats/profile/block_spans.h"

#include <stdlib.h>
#include <string.h>

/* --- Tables -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *insert;
} tables[EXPORT_TABLES] = {
	[EXPORT_META] = {"meta", "INSERT INTO meta VALUES (?,?)"},
	[EXPORT_THREAD] = {"thread", "INSERT INTO thread VALUES (?,?,?,?,?,?,?)"},
	[EXPORT_STATE] = {"state", "INSERT INTO state VALUES (?,?,?,?,?)"},
	[EXPORT_TASK] = {"task", "INSERT INTO task VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
	[EXPORT_INTERVAL] = {"interval",
			     "INSERT INTO interval VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
	[EXPORT_BLOCK] = {"block", "INSERT INTO block VALUES (?,?,?,?,?,?,?)"},
	[EXPORT_SAMPLE] = {"sample", "INSERT INTO sample VALUES (?,?,?,?,?,?)"},
};

struct export *export_open(const char *path, bool replace, bool (*stop)(void), struct err *err)
{
	struct export *export = xcalloc(1, sizeof(*export));

	if (sqlite_file_open(&export->file, path, replace, err)) {
		free(export);
		return NULL;
	}
	sqlite_file_set_stop(&export->file, stop);
	sqlite_file_run(&export->file, export_tables);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		sqlite_insert_begin(&export->inserts[i], &export->file, tables[i].insert);
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
	if (id < 0)
		sqlite_insert_null(insert, parameter);
	else
		sqlite_insert_count(insert, parameter, id);
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
	memcpy(thread->comm, change->comm, sizeof(thread->comm));
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
	sqlite_insert_count(insert, 4, (int64_t)time_ns);
	sqlite_insert_count(insert, 5, (int64_t)span->state_ns[SPAN_RUNNING]);
	if (span->open)
		sqlite_insert_null(insert, 4);
	if (span->open || (time_ns && span->state_ns[SPAN_OTHER] == time_ns))
		sqlite_insert_null(insert, 5);
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
		if (thread->has_states && export->has_states)
			sqlite_insert_count(insert, 7, (int64_t)thread->running_ns);
		else
			sqlite_insert_null(insert, 7);
		sqlite_insert_row(insert);
	}
}

/* --- The recording as a whole -------------------------------------------------------------- */

static void write_text(struct export *export, const char *key, const char *text)
{
	export_text(&export->inserts[EXPORT_META], 1, key);
	export_text(&export->inserts[EXPORT_META], 2, text);
	sqlite_insert_row(&export->inserts[EXPORT_META]);
}

static void write_count(struct export *export, const char *key, uint64_t count)
{
	export_text(&export->inserts[EXPORT_META], 1, key);
	sqlite_insert_count(&export->inserts[EXPORT_META], 2, (int64_t)count);
	sqlite_insert_row(&export->inserts[EXPORT_META]);
}

static void write_known(struct export *export, const char *key, uint64_t count, bool known)
{
	if (known)
		write_count(export, key, count);
	else
		write_text(export, key, NULL);
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
	write_quality(export, &facts->source->quality);
}

int export_finish(struct export *export, const struct export_facts *facts, struct err *err)
{
	drop_unknown_states(export);
	write_threads(export, facts->origin_ns);
	write_facts(export, facts);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		sqlite_insert_end(&export->inserts[i]);
	for (size_t i = 0; export_indexes[i]; i++)
		sqlite_file_run(&export->file, export_indexes[i]);
	sqlite_file_run(&export->file, export_views);
	/* What an index is worth is known from a few of its rows. */
	sqlite_file_run(&export->file, "PRAGMA analysis_limit = 1000; ANALYZE");
	return sqlite_file_publish(&export->file, err);
}

/* --- What is in it ------------------------------------------------------------------------- */

static const struct column columns[] = {
	{"table", "table", UNIT_NONE, 0},
	{"rows", "rows", UNIT_NONE, 0},
};

static const struct table table = {
	.key = "tables",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

void export_report(const struct export *export, struct report *report)
{
	report_begin(report, &table);
	for (size_t i = 0; i < EXPORT_TABLES; i++)
		report_row(report, (struct cell[]){
					   cell_text(tables[i].name),
					   cell_count((int64_t) export->inserts[i].rows),
				   });
	report_end(report);
	if (!export->has_tasks)
		report_note(report, "The recording tells of no tasks, so that interval and task "
				    "are empty; 'pscal record --tasks' records them.");
	if (export->long_paths)
		report_warning(report,
			       "%llu tasks are so deep that their paths are longer than %d "
			       "characters; they have none.",
			       (unsigned long long)export->long_paths, EXPORT_PATH_MAX);
}
