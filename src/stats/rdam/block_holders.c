/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/block_holders.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/timeline/timeline.h"
#include "stats/rdam/block_trace.h"

#include <stdlib.h>

/* A thread of the target ran on a CPU. */
struct run {
	uint64_t begin_ns, end_ns;
	uint64_t before_ns; /* what all runs before this one took there */
	uint32_t thread;
	int32_t cpu;
};

/* In the order of CPU and time. */
struct runs {
	struct run *items;
	size_t count, capacity;
};

/* --- Who ran where ------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
	const struct run *one = a, *other = b;

	return compare_values(one->cpu, other->cpu)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

static void add_runs(struct runs *runs, const struct block_trace *trace, size_t number)
{
	const struct block_thread *thread = &trace->threads[number];
	uint64_t begin_ns = thread->begin_ns;

	for (size_t i = 0; i < thread->interval_count; i++) {
		const struct block_interval *interval = &thread->intervals[i];

		if (interval->state == STATE_RUNNING && interval->cpu >= 0) {
			array_reserve(&runs->items, &runs->capacity, runs->count + 1);
			runs->items[runs->count++] = (struct run){
				.begin_ns = begin_ns,
				.end_ns = interval->end_ns,
				.thread = (uint32_t)number,
				.cpu = interval->cpu,
			};
		}
		begin_ns = interval->end_ns;
	}
}

static void sort_runs(struct runs *runs)
{
	sort_items(runs->items, runs->count, compare_runs);
	for (size_t i = 1; i < runs->count; i++) {
		const struct run *before = &runs->items[i - 1];
		struct run *run = &runs->items[i];

		if (run->cpu != before->cpu)
			continue;
		/* Damaged recordings have two on one CPU at once. */
		if (run->begin_ns < before->end_ns)
			run->begin_ns = before->end_ns;
		if (run->end_ns < run->begin_ns)
			run->end_ns = run->begin_ns;
		run->before_ns = before->before_ns + (before->end_ns - before->begin_ns);
	}
}

/* The last one on the CPU that begins before `time_ns`; NULL: there is none. */
static const struct run *last_run(const struct runs *runs, int32_t cpu, uint64_t time_ns)
{
	size_t behind =
		find_first(i, 0, runs->count,
			   runs->items[i].cpu > cpu || (runs->items[i].cpu == cpu &&
							runs->items[i].begin_ns >= time_ns));

	return behind && runs->items[behind - 1].cpu == cpu ? &runs->items[behind - 1] : NULL;
}

/* How long threads of the target have had the CPU up to then. */
static uint64_t run_up_to_ns(const struct run *last, uint64_t time_ns)
{
	if (!last)
		return 0;
	return last->before_ns + (time_ns < last->end_ns ? time_ns : last->end_ns) - last->begin_ns;
}

/* --- Who had the CPU ----------------------------------------------------------------------- */

static bool was_preempted(const struct block_thread *thread, size_t i)
{
	return i && thread->intervals[i - 1].state == STATE_RUNNING;
}

static int32_t awaited_cpu(const struct block_thread *thread, size_t i)
{
	if (was_preempted(thread, i))
		return thread->intervals[i - 1].cpu;
	if (i + 1 < thread->interval_count && thread->intervals[i + 1].state == STATE_RUNNING)
		return thread->intervals[i + 1].cpu;
	return -1;
}

/*
 * Writes interval `i` of the thread to `parts`, whole or as two. Returns how many that are. Who was
 * preempted waited first for who took the CPU; who was woken last for who left it.
 */
static size_t divide(struct block_interval parts[2], const struct runs *runs,
		     const struct block_thread *thread, size_t i, uint64_t moment_ns)
{
	uint64_t begin_ns = i ? thread->intervals[i - 1].end_ns : thread->begin_ns;
	uint64_t end_ns = thread->intervals[i].end_ns, own_ns, rest_ns;
	int32_t cpu = awaited_cpu(thread, i);
	const struct run *last = last_run(runs, cpu, end_ns);
	bool preempted = was_preempted(thread, i);
	uint32_t holder = thread->intervals[i].holder, stranger;

	parts[0] = thread->intervals[i];
	if (parts[0].state != STATE_RUNNABLE || holder == BY_NOBODY || cpu < 0)
		return 1;
	own_ns = run_up_to_ns(last, end_ns) - run_up_to_ns(last_run(runs, cpu, begin_ns), begin_ns);
	rest_ns = end_ns - begin_ns - own_ns;
	if (own_ns > end_ns - begin_ns || !own_ns || rest_ns <= moment_ns)
		return 1;
	if (holder == BY_STRANGER && own_ns <= moment_ns)
		return 1;
	/* Before who left the CPU there may have been nobody: a wake takes time. */
	stranger = preempted ? BY_STRANGER : holder == BY_STRANGER ? BY_STRANGER : BY_NOBODY;
	if (holder == BY_STRANGER)
		holder = last->thread;
	parts[1] = parts[0];
	parts[0].end_ns = begin_ns + (preempted ? own_ns : rest_ns);
	parts[0].by = BY_NOBODY;
	parts[0].holder = preempted ? holder : stranger;
	parts[1].holder = preempted ? stranger : holder;
	return 2;
}

static void divide_thread(struct block_thread *thread, const struct runs *runs, uint64_t moment_ns)
{
	struct block_interval *divided = NULL, parts[2];
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < thread->interval_count; i++) {
		size_t more = divide(parts, runs, thread, i, moment_ns);

		array_reserve(&divided, &capacity, count + more);
		for (size_t j = 0; j < more; j++)
			divided[count++] = parts[j];
	}
	free(thread->intervals);
	thread->intervals = divided;
	thread->interval_count = count;
	thread->interval_capacity = capacity;
}

void block_holders_divide(struct block_trace *trace, uint64_t moment_ns)
{
	struct runs runs = {0};

	for (size_t i = 0; i < trace->thread_count; i++)
		add_runs(&runs, trace, i);
	sort_runs(&runs);
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count)
			divide_thread(&trace->threads[i], &runs, moment_ns);
	free(runs.items);
}
