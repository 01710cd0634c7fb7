/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/states.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void states_init(struct states *states, struct event_source *source,
		 const struct selection *selection)
{
	*states = (struct states){
		.target = &source->target,
		.quality = &source->quality,
		.selection = *selection,
	};
	if (selection_is_empty(selection))
		states->as_recorded = selection_as_recorded(&states->selection, &source->target);
}

void states_release(struct states *states)
{
	thread_table_release(&states->threads);
	cpu_table_release(&states->cpus);
	free(states->queue);
}

/* --- Changes ------------------------------------------------------------------------------- */

/*
 * Made field by field where it is to be: reading as a whole what has just been written in pieces
 * would make the CPU wait for them.
 */
static void make_change(struct change *change, const struct thread *thread, enum thread_state state,
			uint64_t begin_ns, uint64_t end_ns, enum thread_state next)
{
	change->begin_ns = begin_ns;
	change->end_ns = end_ns;
	change->state = state;
	change->next = next;
	change->left_cpu = false;
	change->thread = thread->number;
	change->tid = thread->tid;
	change->pid = thread->pid;
	change->cpu = state == STATE_RUNNING ? thread->cpu : -1;
	change->waker = state == STATE_RUNNABLE ? thread->waker : -1;
	memcpy(change->comm, thread->comm, sizeof(change->comm));
}

/* Returns the change, for as long as no other is told. */
static struct change *tell(struct states *states, const struct thread *thread,
			   enum thread_state state, uint64_t begin_ns, uint64_t end_ns,
			   enum thread_state next)
{
	struct change *change;

	if (states->queue_begin == states->queue_end)
		states->queue_begin = states->queue_end = 0;
	array_reserve(&states->queue, &states->queue_capacity, states->queue_end + 1);
	change = &states->queue[states->queue_end++];
	make_change(change, thread, state, begin_ns, end_ns, next);
	return change;
}

struct change *states_move_on(struct states *states, struct thread *thread, enum thread_state was,
			      enum thread_state next)
{
	struct change *told = NULL;

	if (thread->target && states->begun)
		told = tell(states, thread, was, thread->since_ns, states->now_ns, next);
	thread->state = next;
	thread->since_ns = states->now_ns;
	thread->waker = -1;
	thread->met = true;
	thread->newborn = false;
	return told;
}

size_t states_open(const struct states *states, struct change **open)
{
	size_t count = 0, capacity = 0;

	*open = NULL;
	if (!states->begun)
		return 0;
	for (const struct thread *thread = states->threads.first; thread; thread = thread->next) {
		if (!thread->target || thread->state == STATE_NONE)
			continue;
		array_reserve(open, &capacity, count + 1);
		make_change(&(*open)[count++], thread, thread->state, thread->since_ns,
			    states->now_ns, STATE_NONE);
	}
	return count;
}

void states_begin_attached(struct states *states)
{
	states->begun = true;
	states->begin_ns = states->target->start_ns;
	if (states->now_ns < states->begin_ns) /* nothing happened after the start */
		states->now_ns = states->begin_ns;
	for (struct thread *thread = states->threads.first; thread; thread = thread->next) {
		thread->since_ns = states->begin_ns;
		if (thread->target && thread->met)
			tell(states, thread, STATE_NONE, states->begin_ns, states->begin_ns,
			     thread->state);
	}
}

/* --- Threads ------------------------------------------------------------------------------- */

static bool is_target(const struct states *states, const struct thread *thread)
{
	struct candidate candidate = {thread->tid, thread->pid, thread->comm, thread->in_tree};

	return selection_holds(&states->selection, &candidate);
}

void states_enrol(struct states *states, struct thread *thread, bool from_now)
{
	uint64_t now_ns = states->now_ns;

	if (thread->target || !is_target(states, thread))
		return;
	thread->target = true;
	thread->in_tree = selection_follows(&states->selection);
	thread->number = states->target_threads++;
	thread->since_ns = now_ns;
	if (!states->begun && states->target->attached)
		return;
	if (!states->begun)
		states->begin_ns = from_now || !states->quality->events ? now_ns : states->first_ns;
	states->begun = true;
	if (from_now)
		tell(states, thread, STATE_NONE, now_ns, now_ns, thread->state);
	else if (thread->met)
		tell(states, thread, STATE_UNKNOWN, states->begin_ns, now_ns, thread->state);
	else
		thread->since_ns = states->begin_ns;
}

struct thread *states_find_or_add(struct states *states, int32_t tid)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	if (!thread && thread_table_takes(tid))
		thread = thread_table_add(&states->threads, tid);
	return thread;
}

bool states_describe(struct thread *thread, int32_t pid, const char *comm)
{
	bool renamed = *comm && *thread->comm && strcmp(comm, thread->comm) != 0;

	if (pid >= 0)
		thread->pid = pid;
	if (*comm)
		memcpy(thread->comm, comm, sizeof(thread->comm));
	return renamed;
}

struct thread *states_meet(struct states *states, int32_t tid, int32_t pid, const char *comm)
{
	struct thread *thread = states_find_or_add(states, tid);

	if (!thread) {
		states->quality->malformed += tid != 0;
		return NULL;
	}
	states_enrol(states, thread, states_describe(thread, pid, comm));
	return thread;
}

bool states_pop(struct states *states, struct change *change)
{
	if (states->queue_begin == states->queue_end)
		return false;
	*change = states->queue[states->queue_begin++];
	return true;
}
