/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_presence.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

static bool is_absent(enum task_absence_kind *kind, enum thread_state state)
{
	switch (state) {
	case STATE_RUNNING:
	case STATE_NONE:
		return false;
	case STATE_RUNNABLE:
		*kind = TASK_WAITS_FOR_CPU;
		return true;
	case STATE_UNKNOWN:
	case STATE_ACTIVE:
		*kind = TASK_STATE_UNKNOWN;
		return true;
	default:
		*kind = TASK_SLEEPS;
		return true;
	}
}

static void add_absence(struct task_worker *worker, const struct change *change)
{
	struct task_absence *last = NULL;
	enum task_absence_kind kind;

	if (change->begin_ns >= change->end_ns || !is_absent(&kind, change->state))
		return;
	if (worker->absence_count)
		last = &worker->absences[worker->absence_count - 1];
	if (last && last->end_ns == change->begin_ns && last->kind == kind) {
		last->end_ns = change->end_ns;
		return;
	}
	array_reserve(&worker->absences, &worker->absence_capacity, worker->absence_count + 1);
	worker->absences[worker->absence_count++] =
		(struct task_absence){change->begin_ns, change->end_ns, kind};
}

void task_presence_take(struct task_presence *presence, const struct change *change)
{
	struct task_presence_thread *thread;

	array_reserve(&presence->threads, &presence->capacity, change->thread + 1);
	thread = &presence->threads[change->thread];
	if (!thread->appeared)
		thread->worker.begin_ns = change->begin_ns;
	thread->appeared = true;
	thread->worker.end_ns = change->end_ns;
	thread->worker.tid = change->tid;
	thread->worker.pid = change->pid;
	memcpy(thread->worker.comm, change->comm, sizeof(thread->worker.comm));
	if (presence->has_workers)
		add_absence(&thread->worker, change);
	if (change->state != STATE_NONE && change->state != STATE_UNKNOWN)
		presence->has_states = true;
}

uint32_t task_presence_worker(struct task_presence *presence, struct task_tree *tree, size_t thread,
			      int32_t tid, int32_t pid)
{
	struct task_presence_thread *one;

	array_reserve(&presence->threads, &presence->capacity, thread + 1);
	one = &presence->threads[thread];
	if (!one->number) {
		array_reserve(&tree->workers, &tree->worker_capacity, tree->worker_count + 1);
		tree->workers[tree->worker_count].tid = tid;
		tree->workers[tree->worker_count].pid = pid;
		tree->workers[tree->worker_count].thread = thread;
		one->number = (uint32_t)++tree->worker_count;
		presence->has_workers = true;
	}
	return one->number - 1;
}

void task_presence_give(struct task_presence *presence, struct task_tree *tree)
{
	for (size_t i = 0; i < presence->capacity; i++) {
		struct task_presence_thread *thread = &presence->threads[i];

		if (!thread->number || !thread->appeared)
			continue;
		tree->workers[thread->number - 1] = thread->worker;
		tree->workers[thread->number - 1].thread = i;
		thread->worker.absences = NULL;
	}
	tree->has_states = presence->has_states;
}

void task_presence_release(struct task_presence *presence)
{
	for (size_t i = 0; i < presence->capacity; i++)
		free(presence->threads[i].worker.absences);
	free(presence->threads);
	*presence = (struct task_presence){.threads = NULL};
}

/* --- Of blocks ----------------------------------------------------------------------------- */

static uint64_t overlap_ns(const struct task_absence *absence, const struct task_interval *interval)
{
	uint64_t begin_ns =
		absence->begin_ns > interval->begin_ns ? absence->begin_ns : interval->begin_ns;
	uint64_t end_ns = absence->end_ns < interval->end_ns ? absence->end_ns : interval->end_ns;

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* A thread that has ended is in no block, wherever the task is seen again. */
static void end_with_worker(struct task_interval *interval, const struct task_worker *worker)
{
	if (worker->end_ns && interval->end_ns > worker->end_ns)
		interval->end_ns =
			worker->end_ns > interval->begin_ns ? worker->end_ns : interval->begin_ns;
}

/* `next` is the first absence that may reach into the interval, or into one behind it. */
static void measure(struct task_tree *tree, struct task_interval *interval, size_t *next)
{
	const struct task_worker *worker = &tree->workers[interval->worker];

	end_with_worker(interval, worker);
	interval->running_ns = interval->end_ns - interval->begin_ns;
	while (*next < worker->absence_count &&
	       worker->absences[*next].end_ns <= interval->begin_ns)
		++*next;
	for (size_t i = *next;
	     i < worker->absence_count && worker->absences[i].begin_ns < interval->end_ns; i++) {
		uint64_t away_ns = overlap_ns(&worker->absences[i], interval);

		if (worker->absences[i].kind == TASK_STATE_UNKNOWN)
			tree->unknown_ns += away_ns;
		else
			interval->running_ns -= away_ns;
	}
}

void task_presence_measure(struct task_tree *tree)
{
	size_t *next = xcalloc(tree->worker_count, sizeof(*next));

	for (size_t i = 0; i < tree->interval_count; i++)
		measure(tree, &tree->intervals[i], &next[tree->intervals[i].worker]);
	free(next);
}
