/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/cpu_table.h"
#include "decode/thread_table.h"

#include <stdlib.h>
#include <string.h>

struct timeline {
	struct event_source *source;
	struct selection selection;
	struct thread_table threads;
	struct cpu_table cpus;
	size_t target_threads;
	struct change *queue; /* changes to give out: queue[queue_begin..queue_end) */
	size_t queue_begin, queue_end, queue_capacity;
	uint64_t first_ns, now_ns, begin_ns;
	bool as_recorded; /* the target is what the input says */
	bool begun;	  /* begin_ns is known */
	bool lossy;	  /* records were lost: what was not seen may have happened */
	bool finished;
};

struct timeline *timeline_new(struct event_source *source, const struct selection *selection)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->source = source;
	timeline->selection = *selection;
	if (selection_is_empty(selection) && source->target.root_count) {
		timeline->as_recorded = true;
		timeline->selection.pids = source->target.roots;
		timeline->selection.pid_count = source->target.root_count;
	}
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	thread_table_release(&timeline->threads);
	cpu_table_release(&timeline->cpus);
	free(timeline->queue);
	free(timeline);
}

uint64_t timeline_begin_ns(const struct timeline *timeline)
{
	return timeline->begin_ns;
}

unsigned timeline_cpus(const struct timeline *timeline)
{
	return timeline->cpus.used;
}

/* --- Changes ------------------------------------------------------------------------------- */

/* Returns the change, for as long as no other is told. */
static struct change *tell(struct timeline *timeline, const struct thread *thread,
			   enum thread_state state, uint64_t begin_ns, uint64_t end_ns,
			   enum thread_state next)
{
	struct change change = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.state = state,
		.next = next,
		.thread = thread->number,
		.tid = thread->tid,
		.pid = thread->pid,
		.cpu = state == STATE_RUNNING ? thread->cpu : -1,
		.waker = state == STATE_RUNNABLE ? thread->waker : -1,
	};

	memcpy(change.comm, thread->comm, sizeof(change.comm));
	if (timeline->queue_begin == timeline->queue_end)
		timeline->queue_begin = timeline->queue_end = 0;
	array_reserve(&timeline->queue, &timeline->queue_capacity, timeline->queue_end + 1);
	timeline->queue[timeline->queue_end] = change;
	return &timeline->queue[timeline->queue_end++];
}

/*
 * From now on `thread` is in state `next`, and what it has been doing turns out to be `was`.
 * Returns the change that was told, or NULL.
 */
static struct change *move_on(struct timeline *timeline, struct thread *thread,
			      enum thread_state was, enum thread_state next)
{
	struct change *told = NULL;

	if (thread->target && timeline->begun)
		told = tell(timeline, thread, was, thread->since_ns, timeline->now_ns, next);
	thread->state = next;
	thread->since_ns = timeline->now_ns;
	thread->waker = -1;
	thread->met = true;
	thread->newborn = false;
	return told;
}

/* A recording of a running program starts: the threads found so far appear. */
static void begin_attached(struct timeline *timeline)
{
	timeline->begun = true;
	timeline->begin_ns = timeline->source->target.start_ns;
	if (timeline->now_ns < timeline->begin_ns) /* nothing happened after the start */
		timeline->now_ns = timeline->begin_ns;
	for (struct thread *thread = timeline->threads.first; thread; thread = thread->next) {
		thread->since_ns = timeline->begin_ns;
		if (thread->target && thread->met)
			tell(timeline, thread, STATE_NONE, timeline->begin_ns, timeline->begin_ns,
			     thread->state);
	}
}

/* --- Threads ------------------------------------------------------------------------------- */

static bool is_target(const struct timeline *timeline, const struct thread *thread)
{
	struct candidate candidate = {thread->tid, thread->pid, thread->comm, thread->in_tree};

	return selection_holds(&timeline->selection, &candidate);
}

/*
 * `thread` may just have become one of the target. One that was born or renamed now counts from
 * now; of any other the past is unknown, back to where the timeline begins.
 */
static void enrol(struct timeline *timeline, struct thread *thread, bool from_now)
{
	uint64_t now_ns = timeline->now_ns;

	if (thread->target || !is_target(timeline, thread))
		return;
	thread->target = true;
	thread->in_tree = timeline->selection.pid_count > 0;
	thread->number = timeline->target_threads++;
	thread->since_ns = now_ns;
	if (!timeline->begun && timeline->source->target.attached)
		return;
	if (!timeline->begun)
		timeline->begin_ns = from_now ? now_ns : timeline->first_ns;
	timeline->begun = true;
	if (from_now)
		tell(timeline, thread, STATE_NONE, now_ns, now_ns, thread->state);
	else if (thread->met)
		tell(timeline, thread, STATE_UNKNOWN, timeline->begin_ns, now_ns, thread->state);
	else
		thread->since_ns = timeline->begin_ns;
}

/* The thread of this number, new if need be; NULL for idle and impossible ones. */
static struct thread *find_or_add(struct timeline *timeline, int32_t tid)
{
	struct thread *thread = thread_table_find(&timeline->threads, tid);

	if (!thread && thread_table_takes(tid))
		thread = thread_table_add(&timeline->threads, tid);
	return thread;
}

/* Takes down what an event tells of a thread. Returns whether it has got another name. */
static bool describe(struct thread *thread, int32_t pid, const char *comm)
{
	bool renamed = *comm && *thread->comm && strcmp(comm, thread->comm) != 0;

	if (pid >= 0)
		thread->pid = pid;
	if (*comm)
		memcpy(thread->comm, comm, sizeof(thread->comm));
	return renamed;
}

/* The thread of an event; NULL for idle and impossible ones. */
static struct thread *meet(struct timeline *timeline, int32_t tid, int32_t pid, const char *comm)
{
	struct thread *thread = find_or_add(timeline, tid);

	if (!thread) {
		timeline->source->quality.malformed += tid != 0;
		return NULL;
	}
	enrol(timeline, thread, describe(thread, pid, comm));
	return thread;
}

/* --- What events mean ---------------------------------------------------------------------- */

static void count(const struct thread *thread, uint64_t *counter)
{
	*counter += thread->target;
}

static void note_use(struct timeline *timeline, const struct thread *thread, int32_t cpu)
{
	if (thread->target)
		cpu_table_use(&timeline->cpus, cpu);
}

/* `cpu` is now run by `tid`. If somebody else was on it and has not left, he left unseen. */
static void occupy(struct timeline *timeline, int32_t cpu, int32_t leaving, int32_t tid)
{
	int32_t before = cpu_table_put(&timeline->cpus, cpu, tid);
	struct thread *thread = thread_table_find(&timeline->threads, before);

	if (!thread || before == leaving || before == tid || thread->state != STATE_RUNNING ||
	    thread->cpu != cpu)
		return;
	count(thread, &timeline->source->quality.missed_switch_outs);
	move_on(timeline, thread, STATE_UNKNOWN, STATE_UNKNOWN);
}

/* What a thread has been doing that turns out to run on a CPU which it was not seen to get. */
static enum thread_state past_of(struct timeline *timeline, const struct thread *thread)
{
	if (thread->state == STATE_ACTIVE || thread->state == STATE_UNKNOWN)
		return thread->state;
	count(thread, &timeline->source->quality.missed_switch_ins);
	if (thread->state == STATE_RUNNABLE)
		return STATE_ACTIVE;
	if (thread->state >= STATE_INACTIVE && thread->maybe_woken)
		return STATE_ACTIVE;
	return STATE_UNKNOWN;
}

static void leave_cpu(struct timeline *timeline, struct thread *thread, int32_t cpu,
		      enum thread_state next)
{
	bool seen = thread->state == STATE_RUNNING && (thread->cpu == cpu || cpu < 0);
	enum thread_state was = seen ? STATE_RUNNING : past_of(timeline, thread);
	struct change *told = move_on(timeline, thread, was, next);

	note_use(timeline, thread, cpu);
	if (told)
		told->left_cpu = true;
	thread->maybe_woken = thread->woken;
	thread->woken = false;
	if (next == STATE_NONE)
		thread_table_drop(&timeline->threads, thread);
}

static void run_on(struct timeline *timeline, struct thread *thread, enum thread_state was,
		   int32_t cpu)
{
	move_on(timeline, thread, was, STATE_RUNNING);
	note_use(timeline, thread, cpu);
	thread->cpu = cpu;
	thread->woken = thread->maybe_woken = false;
}

static void enter_cpu(struct timeline *timeline, struct thread *thread, int32_t cpu)
{
	struct quality *quality = &timeline->source->quality;
	enum thread_state was = thread->state;

	if (thread->state == STATE_RUNNING) {
		count(thread, &quality->missed_switch_outs);
		was = STATE_UNKNOWN;
	} else if (thread->state >= STATE_INACTIVE && thread->maybe_woken) {
		was = STATE_RUNNABLE;
	} else if (thread->state >= STATE_INACTIVE) {
		count(thread, &quality->repaired_wakes);
	}
	run_on(timeline, thread, was, cpu);
}

/* The thread of an event that is raised by what runs on a CPU: so it runs there. */
static struct thread *meet_running(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = meet(timeline, event->tid, event->pid, event->comm);

	if (!thread || event->cpu < 0 ||
	    (thread->state == STATE_RUNNING && thread->cpu == event->cpu))
		return thread;
	occupy(timeline, event->cpu, -1, event->tid);
	run_on(timeline, thread, past_of(timeline, thread), event->cpu);
	return thread;
}

static void handle_switch(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = meet(timeline, event->tid, event->pid, event->comm);

	occupy(timeline, event->cpu, event->tid, event->other);
	if (thread)
		leave_cpu(timeline, thread, event->cpu, event->state);
	thread = meet(timeline, event->other, event->other_pid, event->other_comm);
	if (thread)
		enter_cpu(timeline, thread, event->cpu);
}

/* Comes after the sched_switch of the same switch, where there is one. */
static void handle_switch_in(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = meet(timeline, event->tid, event->pid, event->comm);

	occupy(timeline, event->cpu, -1, event->tid);
	if (thread && (thread->state != STATE_RUNNING || thread->cpu != event->cpu))
		enter_cpu(timeline, thread, event->cpu);
}

static void handle_switch_out(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = thread_table_find(&timeline->threads, event->tid);

	if (thread && thread->state == STATE_RUNNING && thread->cpu == event->cpu)
		leave_cpu(timeline, thread, event->cpu, event->state);
}

static void handle_wake(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = meet(timeline, event->other, event->other_pid, event->other_comm);
	enum thread_state was;

	meet_running(timeline, event);
	if (!thread || thread->state == STATE_RUNNABLE || thread->state == STATE_ACTIVE)
		return;
	if (thread->state == STATE_RUNNING) {
		thread->woken = true;
		return;
	}
	was = !thread->met && !timeline->lossy ? STATE_INACTIVE : thread->state;
	move_on(timeline, thread, was, STATE_RUNNABLE);
	thread->waker = event->tid;
	thread->maybe_woken = false;
}

static void handle_fork(struct timeline *timeline, const struct event *event)
{
	const struct thread *parent = meet_running(timeline, event);
	bool in_tree = parent && parent->target && parent->in_tree;
	struct thread *thread = find_or_add(timeline, event->other);

	if (!thread || thread->newborn)
		return; /* sched_wakeup_new comes after sched_process_fork */
	if (thread->met) {
		/* Its number is used again, so it has ended; when is not on record. */
		move_on(timeline, thread, thread->state, STATE_NONE);
		thread_table_drop(&timeline->threads, thread);
		thread = thread_table_add(&timeline->threads, event->other);
	}
	thread->in_tree = in_tree;
	thread->state = STATE_RUNNABLE;
	thread->since_ns = timeline->now_ns;
	thread->met = thread->newborn = true;
	describe(thread, event->other_pid, event->other_comm);
	enrol(timeline, thread, true);
}

/* Tells who is who. It is no evidence of what a thread does, nor that it does anything. */
static void handle_task(struct timeline *timeline, const struct event *event)
{
	const struct thread *parent = thread_table_find(&timeline->threads, event->other_pid);
	struct thread *thread = find_or_add(timeline, event->tid);
	bool renamed;

	if (!thread)
		return;
	if (parent && parent->target && parent->in_tree)
		thread->in_tree = true;
	renamed = describe(thread, event->pid, event->comm);
	if (thread->met)
		enrol(timeline, thread, renamed);
}

static void handle_state(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = find_or_add(timeline, event->tid);

	if (!thread)
		return;
	if (timeline->as_recorded)
		thread->in_tree = true;
	enrol(timeline, thread, describe(thread, event->pid, event->comm));
	if (!thread->met)
		move_on(timeline, thread, STATE_UNKNOWN, event->state);
}

static void handle_gap(struct timeline *timeline, const struct event *event)
{
	timeline->lossy = true;
	for (struct thread *thread = timeline->threads.first; thread; thread = thread->next) {
		bool untouched = thread->state == STATE_RUNNING && event->cpu >= 0 &&
				 thread->cpu != event->cpu;

		if (!untouched && thread->met && thread->state != STATE_UNKNOWN)
			move_on(timeline, thread, thread->state, STATE_UNKNOWN);
	}
}

static void handle_exit(struct timeline *timeline, const struct event *event)
{
	meet_running(timeline, event);
}

static void handle_end(struct timeline *timeline, const struct event *event)
{
	struct thread *thread = thread_table_find(&timeline->threads, event->tid);

	if (!thread)
		return;
	move_on(timeline, thread, thread->state, STATE_NONE);
	thread_table_drop(&timeline->threads, thread);
}

static void (*const handlers[])(struct timeline *, const struct event *) = {
	[EVENT_SWITCH] = handle_switch,
	[EVENT_SWITCH_IN] = handle_switch_in,
	[EVENT_SWITCH_OUT] = handle_switch_out,
	[EVENT_WAKE] = handle_wake,
	[EVENT_FORK] = handle_fork,
	[EVENT_EXIT] = handle_exit,
	[EVENT_END] = handle_end,
	[EVENT_TASK] = handle_task,
	[EVENT_STATE] = handle_state,
	[EVENT_GAP] = handle_gap,
};

/* --- Time ---------------------------------------------------------------------------------- */

/* Time never goes back: an event that comes too late happens now, and is counted. */
static void advance(struct timeline *timeline, const struct event *event)
{
	const struct target_info *target = &timeline->source->target;
	struct quality *quality = &timeline->source->quality;

	if (event->kind == EVENT_TASK)
		return; /* tells who is who, and not that anything happened */
	if (event->kind != EVENT_STATE && event->kind != EVENT_GAP) {
		if (!quality->events++)
			timeline->first_ns = event->time_ns;
		quality->late += event->time_ns < timeline->now_ns;
	}
	if (event->time_ns > timeline->now_ns)
		timeline->now_ns = event->time_ns;
	if (target->attached && !timeline->begun && timeline->now_ns >= target->start_ns)
		begin_attached(timeline);
}

/* All intervals end where the recording ended. */
static void finish(struct timeline *timeline)
{
	const struct target_info *target = &timeline->source->target;

	timeline->finished = true;
	if (target->attached && target->end_ns > timeline->now_ns)
		timeline->now_ns = target->end_ns;
	if (target->attached && !timeline->begun)
		begin_attached(timeline);
	for (struct thread *thread = timeline->threads.first; thread; thread = thread->next)
		if (thread->target)
			move_on(timeline, thread, thread->state, STATE_NONE);
}

int timeline_next(struct timeline *timeline, struct change *change, struct err *err)
{
	while (timeline->queue_begin == timeline->queue_end) {
		struct event event;
		int rc;

		if (timeline->finished)
			return 0;
		rc = event_source_next(timeline->source, &event, err);
		if (rc < 0)
			return -1;
		if (!rc) {
			finish(timeline);
			if (!timeline->target_threads)
				return err_set(err, "the recording holds nothing of the target; "
						    "name another with --pid, --tid or --comm");
			continue;
		}
		advance(timeline, &event);
		handlers[event.kind](timeline, &event);
	}
	*change = timeline->queue[timeline->queue_begin++];
	return 1;
}
