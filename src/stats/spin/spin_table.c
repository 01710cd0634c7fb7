/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/spin_table.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/samples.h"
#include "stats/spin/mapped_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_places(const void *a, const void *b)
{
	const struct sampled *one = ((const struct spin_row *)a)->row;
	const struct sampled *other = ((const struct spin_row *)b)->row;

	return compare_values(one->mode, other->mode)
		       ?: compare_values(one->pid, other->pid)
		       ?: compare_values(one->ip, other->ip);
}

/* With one caller after the other. */
static int compare_rows(const void *a, const void *b)
{
	const struct spin_row *one = a, *other = b;

	return compare_places(one, other) ?: compare_values(one->row->chain, other->row->chain);
}

/* In the kernel a thread does what it asked for, which is no waiting of its own. */
static enum code_use use_of(const struct sampled *row, const struct map_finder *finder,
			    struct mapped_code *files)
{
	struct code_window window;
	const struct mapped *mapped;

	if (row->mode == SAMPLED_KERNEL)
		return CODE_WORKS;
	mapped = map_finder_find(finder, row->pid, row->ip, row->time_ns);
	if (mapped_code_read(&window, files, mapped, row->ip))
		return CODE_UNKNOWN;
	return wait_loop_find(window.reader, &window.code, row->ip);
}

static size_t own_rows(struct spin_row *owned, const struct samples *samples,
		       const struct counted_thread *threads, size_t thread_count)
{
	struct thread_finder finder;
	size_t count = 0;

	thread_finder_init(&finder, threads, samples->row_count ? thread_count : 0);
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		ptrdiff_t thread = thread_finder_find(&finder, row->tid, row->time_ns);

		if (thread >= 0)
			owned[count++] = (struct spin_row){(size_t)thread, row, CODE_UNKNOWN};
	}
	thread_finder_release(&finder);
	return count;
}

struct spin_row *spin_rows(size_t *count, const struct samples *samples,
			   const struct counted_thread *threads, size_t thread_count)
{
	struct spin_row *rows = xcalloc(samples->row_count, sizeof(*rows));
	struct mapped_code files = {0};
	struct map_finder finder;

	*count = own_rows(rows, samples, threads, thread_count);
	sort_items(rows, *count, compare_rows);
	map_finder_init(&finder, samples);
	/* Threads of a process are at the same places again and again. */
	for (size_t i = 0; i < *count; i++)
		rows[i].use = i && !compare_places(&rows[i - 1], &rows[i])
				      ? rows[i - 1].use
				      : use_of(rows[i].row, &finder, &files);
	map_finder_release(&finder);
	mapped_code_release(&files);
	return rows;
}

void spin_share_add(struct spin_share *share, const struct spin_row *row)
{
	uint64_t count = row->row->count;

	share->samples += count;
	share->waiting += row->use == CODE_WAITS ? count : 0;
	share->unknown += row->use == CODE_UNKNOWN ? count : 0;
}

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count)
{
	size_t count;
	struct spin_row *rows = spin_rows(&count, samples, threads, thread_count);

	*table = (struct spin_table){.threads = xcalloc(thread_count, sizeof(*table->threads))};
	for (size_t i = 0; i < count; i++) {
		spin_share_add(&table->threads[rows[i].thread], &rows[i]);
		spin_share_add(&table->all, &rows[i]);
	}
	free(rows);
}

void spin_table_release(struct spin_table *table)
{
	free(table->threads);
	*table = (struct spin_table){0};
}

static double part(uint64_t some, const struct spin_share *share)
{
	return share->samples ? (double)some / (double)share->samples : (double)NAN;
}

double spin_share_value(const struct spin_share *share)
{
	return part(share->waiting, share);
}

double spin_share_error(const struct spin_share *share)
{
	double value = spin_share_value(share);

	return sqrt(value * (1 - value) / (double)share->samples);
}

double spin_share_unknown(const struct spin_share *share)
{
	return part(share->unknown, share);
}
