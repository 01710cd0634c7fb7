/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "report/export/export_rows.h"
#include "report/progress.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_finder.h"

#include <stdlib.h>

enum { ROWS_A_LOOK = 1 << 14 }; /* between two looks at the clock */

/* Those of one place come one after the other. */
static int by_place(const void *a, const void *b)
{
	const struct sampled *one = *(const struct sampled *const *)a;
	const struct sampled *other = *(const struct sampled *const *)b;

	if (one->pid != other->pid)
		return (one->pid > other->pid) - (one->pid < other->pid);
	if (one->ip != other->ip)
		return (one->ip > other->ip) - (one->ip < other->ip);
	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

static const struct sampled **sorted(const struct samples *samples)
{
	const struct sampled **rows = xcalloc(samples->row_count, sizeof(*rows));

	for (size_t i = 0; i < samples->row_count; i++)
		rows[i] = &samples->rows[i];
	if (samples->row_count)
		qsort(rows, samples->row_count, sizeof(*rows), by_place);
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
	sqlite_insert_count(insert, 5, (int64_t)row->ip);
	if (kernel)
		sqlite_insert_null(insert, 5);
	export_text(insert, 6, row->mode < SAMPLED_MODES ? modes[row->mode] : NULL);
	for (uint32_t i = 0; i < row->count; i++)
		sqlite_insert_row(insert);
}

uint64_t export_origin_ns(const struct export *export, const struct event_source *source,
			  uint64_t timeline_begin_ns)
{
	uint64_t origin_ns = timeline_begin_ns;

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

/* Where nothing of the scheduler is on record a thread may be met after its first samples. */
static uint64_t time_to_find(const struct export *export, const struct sampled *row)
{
	return export->has_states ? row->time_ns : 0;
}

/* ... and then it lasts from the first of them to the last. */
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
	const struct sampled **rows = sorted(samples);
	struct thread_finder finder;
	struct symbol_finder symbols;
	struct place place = {.mapped = NULL};

	thread_finder_init(&finder, threads, export->thread_count);
	symbol_finder_init(&symbols, samples);
	for (size_t i = 0; i < samples->row_count; i++) {
		ptrdiff_t thread =
			thread_finder_find(&finder, rows[i]->tid, time_to_find(export, rows[i]));

		if (i % ROWS_A_LOOK == 0)
			progress_show(progress, i, samples->row_count);
		if (thread < 0)
			continue;
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
