/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin_table.h"

#include "base/alloc.h"
#include "stats/mapped_code.h"
#include "stats/wait_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of the samples that is of a thread of the target. */
struct owned_row {
	size_t thread;
	const struct sampled *row;
};

static int compare_places(const void *a, const void *b)
{
	const struct sampled *one = ((const struct owned_row *)a)->row;
	const struct sampled *other = ((const struct owned_row *)b)->row;

	if (one->mode != other->mode)
		return (one->mode > other->mode) - (one->mode < other->mode);
	if (one->pid != other->pid)
		return (one->pid > other->pid) - (one->pid < other->pid);
	return (one->ip > other->ip) - (one->ip < other->ip);
}

/* In the kernel a thread does what it asked for, which is no waiting of its own. */
static enum code_use use_of(const struct sampled *row, const struct samples *samples,
			    struct mapped_code *files)
{
	struct code_window window;
	const struct mapped *mapped;

	if (row->mode == SAMPLED_KERNEL)
		return CODE_WORKS;
	mapped = samples_mapped(samples, row->pid, row->ip, row->time_ns);
	if (mapped_code_read(&window, files, mapped, row->ip))
		return CODE_UNKNOWN;
	return wait_loop_find(window.reader, &window.code, row->ip);
}

static void add(struct spin_share *share, uint64_t count, enum code_use use)
{
	share->samples += count;
	share->waiting += use == CODE_WAITS ? count : 0;
	share->unknown += use == CODE_UNKNOWN ? count : 0;
}

static struct owned_row *own_rows(size_t *count, const struct samples *samples,
				  const struct counted_thread *threads, size_t thread_count)
{
	struct owned_row *owned = xcalloc(samples->row_count, sizeof(*owned));
	struct thread_finder finder;

	*count = 0;
	thread_finder_init(&finder, threads, thread_count);
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		ptrdiff_t thread = thread_finder_find(&finder, row->tid, row->time_ns);

		if (thread >= 0)
			owned[(*count)++] = (struct owned_row){(size_t)thread, row};
	}
	thread_finder_release(&finder);
	return owned;
}

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count)
{
	struct mapped_code files = {0};
	enum code_use use = CODE_UNKNOWN;
	size_t count;
	struct owned_row *owned = own_rows(&count, samples, threads, thread_count);

	*table = (struct spin_table){.threads = xcalloc(thread_count, sizeof(*table->threads))};
	if (count)
		qsort(owned, count, sizeof(*owned), compare_places);
	for (size_t i = 0; i < count; i++) {
		/* Threads of a process are at the same places again and again. */
		if (!i || compare_places(&owned[i - 1], &owned[i]))
			use = use_of(owned[i].row, samples, &files);
		add(&table->threads[owned[i].thread], owned[i].row->count, use);
		add(&table->all, owned[i].row->count, use);
	}
	mapped_code_release(&files);
	free(owned);
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
