/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/counter_table.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A count of a thread of the target. */
struct owned {
	ptrdiff_t thread;
	int32_t pid;
	const struct count *count;
};

struct work {
	const struct counted_thread *threads;
	size_t thread_count;
	struct thread_finder finder;
	int32_t *pids; /* of the threads, sorted */
	struct owned *owned;
	size_t owned_count;
};

/* By thread and counter, several threads last: -1 is the largest number there is. */
static int compare_owned(const void *a, const void *b)
{
	const struct owned *one = a, *other = b;

	return compare_values((uint64_t)one->thread, (uint64_t)other->thread)
		       ?: compare_values(one->pid, other->pid)
		       ?: compare_values(one->count->counter, other->count->counter);
}

/* --- Whose it is --------------------------------------------------------------------------- */

static void sort_pids(struct work *work)
{
	work->pids = xcalloc(work->thread_count, sizeof(*work->pids));
	for (size_t i = 0; i < work->thread_count; i++)
		work->pids[i] = work->threads[i].pid;
	sort_items(work->pids, work->thread_count, compare_i32);
}

static bool has_process(const struct work *work, int32_t pid)
{
	return work->thread_count &&
	       bsearch(&pid, work->pids, work->thread_count, sizeof(*work->pids), compare_i32);
}

static void own(struct work *work, const struct count *count)
{
	bool several = count->tid < 0;
	ptrdiff_t thread = COUNTER_SEVERAL;
	struct owned *owned = &work->owned[work->owned_count];

	if (!several)
		thread = thread_finder_find(&work->finder, count->tid, count->time_ns);
	if (several ? !has_process(work, count->pid) : thread < 0)
		return;
	owned->thread = thread;
	owned->pid = several ? count->pid : 0;
	owned->count = count;
	work->owned_count++;
}

static void own_all(struct work *work, const struct counts *counts)
{
	for (size_t i = 0; i < counts->row_count; i++)
		own(work, &counts->rows[i]);
	sort_items(work->owned, work->owned_count, compare_owned);
}

/* --- What it is ---------------------------------------------------------------------------- */

struct sum {
	uint64_t value, enabled_ns, running_ns;
	bool has_times;
};

/* Of an event on several CPUs each is enabled wherever its thread runs: all say the same. */
static void sum_add(struct sum *sum, const struct count *count)
{
	sum->value += count->value;
	sum->running_ns += count->running_ns;
	if (count->enabled_ns > sum->enabled_ns)
		sum->enabled_ns = count->enabled_ns;
	sum->has_times |= count->has_times;
}

static struct counter_value value_of(const struct sum *sum)
{
	struct counter_value value = {(double)sum->value, sum->has_times ? 1 : (double)NAN};

	if (!sum->has_times || !sum->enabled_ns || sum->running_ns >= sum->enabled_ns)
		return value;
	value.share = (double)sum->running_ns / (double)sum->enabled_ns;
	value.value = sum->running_ns ? (double)sum->value / value.share : (double)NAN;
	return value;
}

/* Of all threads together: what is not known of one adds nothing. */
static void add_total(struct counter_value *total, struct sum *times, const struct sum *sum)
{
	const struct counter_value value = value_of(sum);

	total->value += isfinite(value.value) ? value.value : 0;
	times->enabled_ns += sum->enabled_ns;
	times->running_ns += sum->running_ns;
	times->has_times |= sum->has_times;
}

static void sum_up(struct counter_table *table, const struct work *work, struct sum *times)
{
	size_t next;

	for (size_t i = 0; i < work->owned_count; i = next) {
		const struct owned *first = &work->owned[i];
		struct sum sum = {0};

		for (next = i;
		     next < work->owned_count && !compare_owned(first, &work->owned[next]); next++)
			sum_add(&sum, work->owned[next].count);
		table->rows[table->row_count++] = (struct counter_row){
			first->thread, first->pid, first->count->counter, value_of(&sum)};
		add_total(&table->totals[first->count->counter], &times[first->count->counter],
			  &sum);
	}
}

/* Leaves out the events that counted in no thread of the target, as those that only sample. */
static void keep_used(struct counter_table *table, const struct counts *counts,
		      const struct sum *times)
{
	size_t *numbers = xcalloc(counts->counter_count, sizeof(*numbers));
	bool *used = xcalloc(counts->counter_count, sizeof(*used));

	for (size_t i = 0; i < table->row_count; i++)
		used[table->rows[i].counter] = true;
	for (size_t i = 0; i < counts->counter_count; i++) {
		struct counter_value total = table->totals[i];

		if (!used[i])
			continue;
		total.share = value_of(&times[i]).share;
		numbers[i] = table->counter_count;
		table->totals[table->counter_count] = total;
		table->counters[table->counter_count] = counts->counters[i];
		table->counters[table->counter_count++].name = xstrdup(counts->counters[i].name);
	}
	for (size_t i = 0; i < table->row_count; i++)
		table->rows[i].counter = numbers[table->rows[i].counter];
	free(numbers);
	free(used);
}

void counter_table_init(struct counter_table *table, const struct counts *counts,
			const struct counted_thread *threads, size_t thread_count)
{
	struct work work = {.threads = threads,
			    .thread_count = counts->row_count ? thread_count : 0};
	struct sum *times = xcalloc(counts->counter_count, sizeof(*times));

	thread_finder_init(&work.finder, threads, work.thread_count);
	sort_pids(&work);
	work.owned = xcalloc(counts->row_count, sizeof(*work.owned));
	own_all(&work, counts);
	*table = (struct counter_table){
		.counters = xcalloc(counts->counter_count, sizeof(*table->counters)),
		.totals = xcalloc(counts->counter_count, sizeof(*table->totals)),
		.rows = xcalloc(work.owned_count, sizeof(*table->rows)),
	};
	sum_up(table, &work, times);
	keep_used(table, counts, times);
	free(times);
	thread_finder_release(&work.finder);
	free(work.pids);
	free(work.owned);
}

void counter_table_release(struct counter_table *table)
{
	for (size_t i = 0; i < table->counter_count; i++)
		free(table->counters[i].name);
	free(table->counters);
	free(table->totals);
	free(table->rows);
	*table = (struct counter_table){0};
}
