/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "replay/program/program_gaps.h"
#include "replay/program/program_read_private.h"
#include "replay/program/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- The reader ----------------------------------------------------------------------------- */

/* A thread while it is read. There may be a million. */
struct reading {
	struct program_marks *marks; /* NULL: none */
	struct arrivals *arrivals;   /* NULL: the thread has not slept */
	uint64_t run_ns;	     /* CPU time since the last step */
	uint64_t ran_ns;	     /* CPU time since the beginning */
	uint64_t runs_from_ns;	     /* start of its last run */
	uint64_t waits_from_work_ns; /* work_ns of the reader when its last wait began */
	uint32_t site;		     /* site of the current system call */
	uint32_t call;		     /* `count` of the step of that call; 0: in no call */
	struct yield_loop yields;
	uint32_t last;		   /* if `ended`: the step of the exit, and of waits at that very
				      time */
	enum thread_state now : 8; /* state after the last change */
	bool found_free;	   /* a core was free at the wakeup */
	bool has_rest;		   /* a part of the time slice is left after a preemption */
	bool ended;
};

struct program_reader {
	struct program *program;
	struct timeline *timeline;
	const struct event_source *source;
	struct reading *readings; /* [thread of the program] */
	size_t capacity;
	struct call_sites sites;
	struct program_polls polls;
	struct program_kills kills;
	struct cost_wakes wakes;
	struct cost_preemptions preempted;
	unsigned affinity;	/* CPUs that the target may use; 0: not known */
	size_t running, active; /* threads that run; that run or are runnable */
	uint64_t work_ns;	/* CPU time of all threads up to `end_ns` */
	struct cost_idle idle;	/* CPUs idle beside ready threads */
	uint64_t active_ns;	/* time of the last wakeup, also of a thread that still ran */
	uint64_t end_ns;	/* end of the last interval; times are since the beginning */
	uint64_t alive_ns;	/* end of the last interval but waits without an end */
	uint64_t last_wait_ns;	/* begin of the last wait without an end */
	uint64_t unsure;	/* edges that unrecorded interrupts may have raised */
	uint32_t waiter;	/* thread of that wait; PROGRAM_NONE: none */
	bool wants_gaps, keeps_sleeps; /* keeps_sleeps: sleeps stay as recorded */
};

static uint64_t since_begin(const struct program_reader *reader, uint64_t time_ns)
{
	uint64_t begin_ns = timeline_begin_ns(reader->timeline);

	return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

/* Returns the thread of a number: events of threads come in any order of their numbers. */
static struct reading *reading_of(struct program_reader *reader, size_t number)
{
	array_reserve(&reader->readings, &reader->capacity, number + 1);
	while (reader->program->thread_count <= number)
		program_add_thread(reader->program, -1, -1, "");
	return &reader->readings[number];
}

/* --- Steps --------------------------------------------------------------------------------- */

static struct step *add_step(struct program_reader *reader, uint32_t thread, enum step_op op)
{
	struct reading *reading = &reader->readings[thread];
	uint64_t run_ns = reading->run_ns;

	reading->run_ns = 0;
	return program_add_step(reader->program, thread, run_ns, op);
}

/*
 * Inserts a STEP_NONE before the step at `place`, and moves its CPU time there; the caller fills in
 * the operation.
 */
static struct step *insert_step(struct program *program, uint32_t thread, size_t place)
{
	struct program_thread *own = &program->threads[thread];
	size_t behind = own->count - place;
	struct step *step;

	program_add_step(program, thread, 0, STEP_NONE);
	step = &own->steps[place];
	memmove(step + 1, step, behind * sizeof(*step));
	step[1].run_op = step_run_op(0, step_op(&step[1]));
	step->run_op = step_run_op(step_run_ns(step), STEP_NONE);
	return step;
}

/* Adds an event at the end of a thread just before its exit. */
static void add_before_exit(struct program_reader *reader, uint32_t thread, struct step step)
{
	size_t place = reader->readings[thread].last++;
	struct step *added = insert_step(reader->program, thread, place);

	step.run_op = step_run_op(step_run_ns(added), step_op(&step));
	*added = step;
}

/* Adds a mark at a time, as its CPU time is not known yet. */
static void add_mark(struct program_reader *reader, uint32_t thread, uint64_t at_ns,
		     enum step_op op, struct step step)
{
	struct reading *reading = reading_of(reader, thread);

	step.run_op = step_run_op(0, op);
	if (reading->ended)
		add_before_exit(reader, thread, step);
	else
		marks_add(&reading->marks, at_ns, step);
}

static void add_pause(struct program_reader *reader, uint32_t thread, enum step_op op,
		      uint64_t length_ns, uint32_t chain)
{
	const uint64_t key[] = {chain, (uint64_t)op << 32}; /* unlike any object's key */
	const struct site new = {.pid = -1, .chain = chain};
	uint32_t site = chain ? call_sites_find(&reader->sites, reader->program, key, &new)
			      : (uint32_t)PROGRAM_NONE;

	if (length_ns)
		add_step(reader, thread, op)->pause = step_pause(length_ns, site);
}

/* --- Marks --------------------------------------------------------------------------------- */

static bool is_in(const struct reading *reading, enum sync_call call)
{
	return (reading->call & 0xff) == (uint32_t)call;
}

/* Begins a call. Only system calls in which threads wait have a recorded end: not sched_yield(). */
static void begin_call(struct program_reader *reader, uint32_t thread, struct step mark)
{
	struct reading *reading = &reader->readings[thread];
	enum sync_call call = step_call(&mark);

	if (call == SYNC_MUTEX_TRYLOCK)
		yield_loop_try(&reading->yields);
	if (call && call <= SYNC_YIELD) {
		reading->site = mark.site;
		reading->call = call == SYNC_YIELD ? 0 : mark.count;
	}
	if (call == SYNC_YIELD)
		add_step(reader, thread, STEP_YIELD);
	else if (call != SYNC_SLEEP)
		*add_step(reader, thread, STEP_CALL) = mark;
}

static void end_call(struct program_reader *reader, uint32_t thread, struct step mark)
{
	struct reading *reading = &reader->readings[thread];

	mark.site = reading->site;
	mark.count = reading->call;
	if (reading->call && !is_in(reading, SYNC_SLEEP))
		*add_step(reader, thread, STEP_RETURN) = mark;
	reading->call = 0;
}

static void place_mark(struct program_reader *reader, uint32_t thread, struct step mark)
{
	enum step_op op = step_op(&mark);

	mark.run_op = step_run_op(reader->readings[thread].run_ns, op);
	if (op == STEP_CALL)
		begin_call(reader, thread, mark);
	else if (op == STEP_RETURN)
		end_call(reader, thread, mark);
	else
		*add_step(reader, thread, op) = mark;
}

/* Adds time in a state other than waiting. */
static void pass(struct program_reader *reader, uint32_t thread, enum thread_state state,
		 uint64_t ns)
{
	struct program_shares *shares = &reader->program->shares;

	if (state == STATE_RUNNING) {
		reader->readings[thread].run_ns += ns;
		reader->readings[thread].ran_ns += ns;
		shares->run_ns += ns;
	} else if (state == STATE_RUNNABLE) {
		shares->runnable_ns += ns;
	} else if (state == STATE_UNKNOWN || state == STATE_ACTIVE) {
		add_pause(reader, thread, STEP_UNKNOWN, ns, 0);
		shares->unknown_ns += ns;
		shares->unsure_ns += ns;
	}
}

/* Adds an interval up to its end, with the marks in it. */
static void pass_through(struct program_reader *reader, uint32_t thread,
			 const struct change *change)
{
	struct program_marks **marks = &reader->readings[thread].marks;
	uint64_t at_ns = since_begin(reader, change->begin_ns);
	uint64_t end_ns = since_begin(reader, change->end_ns);
	bool waits = change->state >= STATE_INACTIVE;
	const struct step *mark;

	while ((mark = marks_take(marks, end_ns, waits))) {
		uint64_t mark_ns = step_run_ns(mark);
		struct step step = *mark;

		if (mark_ns > at_ns) {
			pass(reader, thread, change->state, mark_ns - at_ns);
			at_ns = mark_ns;
		}
		place_mark(reader, thread, step);
	}
	pass(reader, thread, change->state, end_ns - at_ns);
}

/* --- Waits --------------------------------------------------------------------------------- */

/* Notes the CPU time of the waking thread during a wait in a system call. */
static void note_meeting(struct program_reader *reader, uint32_t edge, const struct change *change)
{
	struct program *program = reader->program;
	uint64_t from_ns = reading_of(reader, change->by)->runs_from_ns, met_ns;

	if (!from_ns || !reader->readings[change->thread].call)
		return;
	from_ns = change->begin_ns > from_ns ? change->begin_ns : from_ns;
	if (change->end_ns <= from_ns)
		return;
	met_ns = change->end_ns - from_ns;
	array_reserve(&program->met_ns, &program->met_count, (size_t)edge + 1);
	program->met_ns[edge] = met_ns < UINT32_MAX ? (uint32_t)met_ns : UINT32_MAX;
}

/* Notes the CPU time of all threads during a wait. */
static void note_work(struct program_reader *reader, uint32_t edge, size_t thread)
{
	struct program *program = reader->program;
	uint64_t us = (reader->work_ns - reader->readings[thread].waits_from_work_ns + 999) / 1000;

	array_reserve(&program->work_us, &program->work_count, (size_t)edge + 1);
	program->work_us[edge] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

/* Adds a wait that a thread of the target ended. */
static void add_edge(struct program_reader *reader, uint32_t thread, const struct change *change)
{
	struct program *program = reader->program;
	uint32_t edge = program->edge_count++;
	uint64_t length_ns = change->end_ns - change->begin_ns;
	struct step *block = add_step(reader, thread, STEP_BLOCK);

	block->edge = edge;
	note_meeting(reader, edge, change);
	note_work(reader, edge, change->thread);
	if (change->state == STATE_DISK && !program->device_site)
		program->device_site = program_add_site(program, SITE_DEVICE) + 1;
	if (change->state == STATE_DISK)
		block->site = program->device_site - 1;
	wait_chains_note_edge(&program->chains, edge, change->chain);
	program_polls_find(&reader->polls, &reader->sites.words, program, thread, length_ns);
	program->shares.edge_ns += length_ns;
	add_mark(reader, change->by, since_begin(reader, change->end_ns), STEP_WAKE,
		 (struct step){.thread = thread, .edge = edge});
}

/* Returns the cause of a wait that no thread of the target ended; see the header. */
static enum step_op pause_of(const struct program_reader *reader, const struct change *change)
{
	if (is_in(&reader->readings[change->thread], SYNC_SLEEP))
		return STEP_SLEEP;
	if (change->next != STATE_RUNNABLE && change->next != STATE_RUNNING)
		return STEP_UNKNOWN;
	if (change->state == STATE_DISK)
		return STEP_DEVICE;
	if (change->by == BY_INTERRUPT)
		return STEP_SLEEP;
	return change->by == BY_STRANGER ? STEP_EXTERNAL : STEP_UNKNOWN;
}

static void note_arrival(struct program_reader *reader, const struct change *change)
{
	struct reading *reading = &reader->readings[change->thread];

	if (!reading->arrivals)
		reading->arrivals = xcalloc(1, sizeof(*reading->arrivals));
	arrivals_note(reading->arrivals, &reader->program->threads[change->thread],
		      since_begin(reader, change->end_ns),
		      change->by < BY_INTERRUPT ? (uint32_t)change->by : (uint32_t)PROGRAM_NONE);
}

static void add_wait_without_edge(struct program_reader *reader, const struct change *change)
{
	struct program_shares *shares = &reader->program->shares;
	enum step_op op = pause_of(reader, change);
	uint64_t length_ns = change->end_ns - change->begin_ns;

	*(op == STEP_SLEEP	? &shares->sleep_ns
	  : op == STEP_DEVICE	? &shares->device_ns
	  : op == STEP_EXTERNAL ? &shares->external_ns
				: &shares->unknown_ns) += length_ns;
	shares->guessed += change->by == BY_NO_THREAD && op != STEP_SLEEP;
	if (op == STEP_SLEEP && length_ns)
		note_arrival(reader, change);
	add_pause(reader, (uint32_t)change->thread, op, length_ns, change->chain);
}

/* Adds a wait without an end: the thread or the trace ended first. */
static void add_last_wait(struct program_reader *reader, uint32_t thread, uint64_t begin_ns)
{
	add_step(reader, thread, STEP_BLOCK);
	if (reader->waiter != PROGRAM_NONE && reader->last_wait_ns > begin_ns)
		return;
	reader->last_wait_ns = begin_ns;
	reader->waiter = thread;
}

static bool is_edge(const struct program_reader *reader, const struct change *change)
{
	return change->by < BY_INTERRUPT && change->by != change->thread &&
	       !is_in(&reader->readings[change->thread], SYNC_SLEEP);
}

static void end_wait(struct program_reader *reader, const struct change *change)
{
	struct program_shares *shares = &reader->program->shares;
	uint32_t thread = (uint32_t)change->thread;

	if (change->next == STATE_NONE) {
		add_last_wait(reader, thread, since_begin(reader, change->begin_ns));
		return;
	}
	shares->waits++;
	program_kills_note_wait(&reader->kills, thread,
				change->by == BY_STRANGER ? reader->work_ns : 0);
	if (!is_edge(reader, change)) {
		add_wait_without_edge(reader, change);
		return;
	}
	shares->edges++;
	reader->unsure += !reader->readings[thread].call;
	add_edge(reader, thread, change);
}

/* --- Gaps ----------------------------------------------------------------------------------- */

static enum gap_kind gap_kind_of(const struct program_reader *reader, const struct change *change)
{
	if (change->state == STATE_RUNNABLE || change->state == STATE_NONE)
		return GAP_READY;
	return change->state >= STATE_INACTIVE && is_edge(reader, change) ? GAP_EDGE : GAP_PAUSE;
}

static void note_gap(struct program_reader *reader, const struct change *change)
{
	const struct program_gap gap = {
		.run_ns = reader->readings[change->thread].ran_ns,
		.begin_ns = since_begin(reader, change->begin_ns),
		.end_ns = since_begin(reader, change->end_ns),
		.kind = gap_kind_of(reader, change),
	};

	if (change->state != STATE_RUNNING)
		program_add_gap(reader->program, change->thread, gap);
}

/* --- Changes ------------------------------------------------------------------------------- */

static void begin_thread(struct program_reader *reader, const struct change *change)
{
	struct program_thread *thread = &reader->program->threads[change->thread];
	uint64_t at_ns = since_begin(reader, change->end_ns);

	if (change->by >= BY_INTERRUPT || change->by == change->thread) {
		thread->start_ns = at_ns;
		return;
	}
	thread->forked = true;
	add_mark(reader, change->by, at_ns, STEP_FORK,
		 (struct step){.thread = (uint32_t)change->thread});
}

/* Frees unused steps of a thread, which is complete but for wakeups at the time of its exit. */
static void trim(struct program_thread *thread)
{
	struct step *steps = thread->steps;

	if (thread->count == thread->capacity)
		return;
	thread->steps = xreallocarray(NULL, thread->count, sizeof(*steps));
	memcpy(thread->steps, steps, thread->count * sizeof(*steps));
	thread->capacity = thread->count;
	free(steps);
}

static void end_thread(struct program_reader *reader, uint32_t thread, uint64_t at_ns)
{
	struct program_thread *own = &reader->program->threads[thread];
	struct reading *reading = &reader->readings[thread];
	const struct step *mark;

	reading->last = own->count;
	while ((mark = marks_take(&reading->marks, UINT64_MAX, false)))
		place_mark(reader, thread, *mark);
	add_step(reader, thread, STEP_EXIT)->exit_ns = at_ns;
	trim(own);
	reading->ended = true;
	program_kills_note_end(&reader->kills, thread, reader->work_ns);
}

/* Notes a loop, which is over when the thread runs for longer: its step comes before that. */
static void note_loop(struct program_reader *reader, const struct change *change,
		      const struct cost_run *run)
{
	struct yield_loop *loop = &reader->readings[change->thread].yields;
	uint64_t looped_ns = yield_loop_run(loop, run, change->next == STATE_RUNNABLE);

	if (looped_ns && !reader->keeps_sleeps)
		add_step(reader, (uint32_t)change->thread, STEP_LOOP)->pause =
			step_pause(looped_ns, PROGRAM_NONE);
}

/* Notes a wakeup while a core was free. */
static void note_free_wake(struct program_reader *reader, uint32_t before, uint64_t waited_ns)
{
	cost_wakes_add(&reader->wakes, before, waited_ns);
	reader->program->shares.wake_ns +=
		waited_ns < FREE_WAKE_MOST_NS ? waited_ns : FREE_WAKE_MOST_NS;
}

static unsigned cores_of(const struct program_reader *reader)
{
	return reader->affinity ? reader->affinity : timeline_cpus(reader->timeline);
}

static void learn_costs(struct program_reader *reader, const struct change *change)
{
	struct reading *reading = &reader->readings[change->thread];
	bool leaves = change->state == STATE_RUNNING && change->left_cpu;
	unsigned cores = cores_of(reader);
	const struct cost_run run = {change->begin_ns, change->end_ns, reader->active_ns,
				     reading->has_rest};

	if (change->state == STATE_RUNNABLE && change->next == STATE_RUNNING && reading->found_free)
		note_free_wake(reader, change->before, change->end_ns - change->begin_ns);
	if (leaves)
		note_loop(reader, change, &run);
	if (leaves && reader->active > cores && change->next >= STATE_INACTIVE)
		cost_preemptions_add_uncut(&reader->preempted, &run);
	if (leaves)
		reading->has_rest = change->next == STATE_RUNNABLE &&
				    (reader->active <= cores ||
				     !cost_preemptions_add(&reader->preempted, &run));
	reader->program->shares.preempted += leaves && change->next == STATE_RUNNABLE;
	if (thread_state_is_active(change->next) && !thread_state_is_active(change->state))
		reader->active_ns = change->end_ns;
	reader->active += thread_state_is_active(change->next);
	reader->active -= thread_state_is_active(reading->now);
	reading->now = change->next;
	reading->found_free = change->state >= STATE_INACTIVE && reader->active <= cores;
}

/* Goes on to the end of the interval. Call it before the state of the thread changes. */
static void pass_time(struct program_reader *reader, const struct change *change)
{
	uint64_t end_ns = since_begin(reader, change->end_ns);
	struct reading *reading = &reader->readings[change->thread];

	if (end_ns > reader->end_ns) {
		reader->work_ns += reader->running * (end_ns - reader->end_ns);
		reader->program->shares.brief_idle_ns += cost_idle_pass(
			&reader->idle, reader->running, reader->active, cores_of(reader), end_ns);
		reader->end_ns = end_ns;
	}
	reader->running += change->next == STATE_RUNNING;
	reader->running -= reading->now == STATE_RUNNING;
	if (change->next >= STATE_INACTIVE)
		reading->waits_from_work_ns = reader->work_ns;
}

void program_reader_take(void *context, const struct change *change)
{
	struct program_reader *reader = context;
	uint32_t thread = (uint32_t)change->thread;
	bool waits = change->state >= STATE_INACTIVE;
	struct program_thread *own;

	reading_of(reader, thread);
	own = &reader->program->threads[thread];
	if (change->next == STATE_RUNNING)
		reader->readings[thread].runs_from_ns = change->end_ns;
	own->tid = change->tid;
	own->pid = change->pid;
	own->start = change->start;
	thread_name_take(&own->name, change->comm);
	pass_time(reader, change);
	if (!waits || change->next != STATE_NONE)
		reader->alive_ns = reader->end_ns;
	learn_costs(reader, change);
	if (reader->wants_gaps)
		note_gap(reader, change);
	if (change->state == STATE_NONE)
		begin_thread(reader, change);
	else
		pass_through(reader, thread, change);
	if (waits)
		end_wait(reader, change);
	if (change->next == STATE_NONE && !change->left_cpu) /* the recording ends first */
		program_kills_note_wait(&reader->kills, thread, 0);
	if (change->next == STATE_NONE)
		end_thread(reader, thread, reader->end_ns);
}

/* --- Events -------------------------------------------------------------------------------- */

static void add_call(struct program_reader *reader, const struct mark *mark, enum sync_call call,
		     uint64_t object)
{
	struct program *program = reader->program;
	struct step step = {0};

	step.site = call_sites_find_object(&reader->sites, program, object, mark->pid);
	step.count = call_sites_call(&reader->sites, program, step.site, call, mark->event);
	add_mark(reader, (uint32_t)mark->thread, since_begin(reader, mark->time_ns), STEP_CALL,
		 step);
}

/* Adds a call. A call with two objects is a call without a name at the second, and then itself. */
static void take_call(struct program_reader *reader, const struct mark *mark)
{
	const struct event *event = mark->event;
	bool alone = event->call == SYNC_SLEEP || event->call == SYNC_YIELD;
	struct step step = {.count = step_call_count(event->call, 0)};

	reader->program->shares.calls++;
	if (alone) {
		add_mark(reader, (uint32_t)mark->thread, since_begin(reader, mark->time_ns),
			 STEP_CALL, step);
		return;
	}
	if (event->object2)
		add_call(reader, mark, SYNC_NONE, event->object2);
	add_call(reader, mark, event->call, event->object);
}

/* Adds an edge for a wakeup before the wait: the thread may have to wait on other cores. */
static void take_early_wake(struct program_reader *reader, const struct mark *mark, uint64_t at_ns)
{
	uint32_t thread = (uint32_t)mark->thread, edge = reader->program->edge_count;

	if (mark->by >= BY_INTERRUPT || mark->by == thread)
		return;
	reader->program->edge_count++;
	add_mark(reader, mark->by, at_ns, STEP_WAKE, (struct step){.thread = thread, .edge = edge});
	add_mark(reader, thread, at_ns, STEP_BLOCK,
		 (struct step){.thread = PROGRAM_NONE, .edge = edge});
}

static void take_mark(void *context, const struct mark *mark)
{
	struct program_reader *reader = context;
	uint64_t at_ns = since_begin(reader, mark->time_ns);

	if (mark->event->kind == EVENT_WAKE) {
		reader->active_ns = mark->time_ns;
		take_early_wake(reader, mark, at_ns);
	} else if (mark->event->kind == EVENT_CALL && mark->event->call)
		take_call(reader, mark);
	else if (mark->event->kind == EVENT_RETURN)
		add_mark(reader, (uint32_t)mark->thread, at_ns, STEP_RETURN, (struct step){0});
}

/* Adds a use of a socket. Failed calls are left out. */
static void take_socket(void *context, const struct mark *mark)
{
	struct program_reader *reader = context;
	struct program *program = reader->program;
	const struct event *event = mark->event;
	bool is_network = mark->thread == MARK_OF_NETWORK;
	uint64_t at_ns = since_begin(reader, mark->time_ns);

	if (program->socket_use_count >= PROGRAM_NONE || (!is_network && event->count < 0))
		return;
	if (!is_network)
		add_mark(reader, (uint32_t)mark->thread, at_ns, STEP_SOCKET,
			 (struct step){.socket = (uint32_t)program->socket_use_count});
	array_reserve(&program->socket_uses, &program->socket_use_capacity,
		      program->socket_use_count + 1);
	program->socket_uses[program->socket_use_count++] = (struct socket_use){
		.time_ns = at_ns,
		.socket = event->object,
		.thread = is_network ? (uint32_t)PROGRAM_NONE : (uint32_t)mark->thread,
		.count = event->count,
		.event = event->socket,
	};
}

/* --- The whole program --------------------------------------------------------------------- */

/* If no thread was active at the end, the thread that began to wait last waits until then. */
static void pass_to_the_end(struct program_reader *reader)
{
	struct program_thread *thread;
	struct step *block;

	if (reader->waiter == PROGRAM_NONE || reader->alive_ns == reader->end_ns)
		return;
	thread = &reader->program->threads[reader->waiter];
	block = &thread->steps[thread->count - 2];
	block->run_op = step_run_op(step_run_ns(block), STEP_EXTERNAL);
	block->pause = step_pause(reader->end_ns - reader->last_wait_ns, PROGRAM_NONE);
}

/* Turns the last sleep into a wait for the end of the process, which `killer` ended. */
static void add_kill(struct program_reader *reader, uint32_t thread, uint32_t killer)
{
	struct program *program = reader->program;
	struct program_shares *shares = &program->shares;
	struct program_thread *own = &program->threads[thread];
	struct step *sleep = &own->steps[own->count - 2];
	uint64_t length_ns = step_pause_ns(sleep);
	uint32_t edge = program->edge_count++;

	*sleep = (struct step){.run_op = step_run_op(step_run_ns(sleep), STEP_BLOCK)};
	sleep->site = PROGRAM_NONE;
	sleep->edge = edge;
	add_mark(reader, killer, 0, STEP_WAKE, (struct step){.thread = thread, .edge = edge});
	shares->sleep_ns -= length_ns;
	shares->edge_ns += length_ns;
	shares->edges++;
}

/*
 * Finds the killer of a thread. A thread seems to be woken from a sleep by whichever thread the
 * timer interrupted. But if it does nothing more, and the waker is of its process and ends soon and
 * before it, the waker ended the process, and the sleep with it.
 */
static void find_kill(struct program_reader *reader, uint32_t thread)
{
	const uint64_t at_once_ns = 10000000;
	const struct program *program = reader->program;
	const struct program_thread *own = &program->threads[thread], *killer;
	struct arrivals *arrivals = reader->readings[thread].arrivals;
	uint64_t end_ns, exit_ns, own_exit_ns;

	if (!arrivals || arrivals->waker == PROGRAM_NONE || arrivals->waker == thread ||
	    own->count < 2)
		return;
	killer = &program->threads[arrivals->waker];
	end_ns = arrivals_end_ns(arrivals, own->count - 2);
	exit_ns = killer->steps[killer->count - 1].exit_ns;
	own_exit_ns = own->steps[own->count - 1].exit_ns;
	if (!end_ns || exit_ns < end_ns || exit_ns - end_ns > at_once_ns ||
	    own_exit_ns <= exit_ns || own->pid < 0 || killer->pid != own->pid)
		return;
	add_kill(reader, thread, arrivals->waker);
}

static void find_polls(struct program_reader *reader)
{
	struct program *program = reader->program;
	const struct arrivals **arrivals = xcalloc(program->thread_count, sizeof(*arrivals));

	for (size_t i = 0; i < program->thread_count; i++)
		arrivals[i] = reader->keeps_sleeps ? NULL : reader->readings[i].arrivals;
	program_polls_finish(&reader->polls, &reader->sites.words, arrivals, program);
	free(arrivals);
}

void program_reader_finish(struct program_reader *reader)
{
	const struct event_source *source = reader->source;
	struct program *program = reader->program;

	program->tells_interrupts =
		target_tells_interrupts(&source->target) && !source->target.hides_interrupts;
	for (size_t i = 0; i < program->thread_count; i++)
		if (!reading_of(reader, i)->ended)
			end_thread(reader, (uint32_t)i, 0);
	pass_to_the_end(reader);
	/* A model keeps sleeps as recorded. */
	for (size_t i = 0; i < program->thread_count && !reader->keeps_sleeps; i++)
		find_kill(reader, (uint32_t)i);
	if (!reader->keeps_sleeps && program->tells_interrupts)
		program_kills_apply(&reader->kills, program);
	find_polls(reader);
	futex_words_finish(&reader->sites.words, program);
	if (reader->wants_gaps)
		array_reserve(&program->gaps, &program->gap_capacity, program->thread_count);
	for (size_t i = 0; i < program->thread_count; i++)
		if (reader->readings[i].arrivals)
			arrivals_apply(reader->readings[i].arrivals, &program->threads[i]);
	if (!target_tells_interrupts(&source->target))
		program->shares.guessed += reader->unsure;
	program->begin_ns = timeline_begin_ns(reader->timeline);
	program->wall_ns = reader->end_ns;
	if (reader->wants_gaps && !reader->keeps_sleeps && source->samples.timed)
		program_gaps_add_samples(program, &source->samples);
	program->cores = cores_of(reader);
	program->others_ns = cost_others_ns(&source->target, program->shares.run_ns);
	program->has_wakes = !source->quality.no_wakes;
	program->quota =
		cost_quota_left(&source->target.quota, program->shares.run_ns, program->wall_ns);
	cost_tell(&program->costs, &reader->wakes, &reader->preempted, &source->target);
}

struct program_reader *program_reader_new(struct program *program, struct timeline *timeline,
					  const struct event_source *source)
{
	struct program_reader *reader = xcalloc(1, sizeof(*reader));

	*program = (struct program){0};
	reader->program = program;
	reader->timeline = timeline;
	reader->source = source;
	reader->waiter = PROGRAM_NONE;
	reader->affinity = source->target.affinity_count;
	timeline_want_marks(timeline, take_mark, reader);
	timeline_want_sockets(timeline, take_socket, reader);
	return reader;
}

void program_reader_want_gaps(struct program_reader *reader)
{
	reader->wants_gaps = true;
}

void program_reader_free(struct program_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->capacity; i++) {
		free(reader->readings[i].marks);
		if (reader->readings[i].arrivals)
			arrivals_release(reader->readings[i].arrivals);
		free(reader->readings[i].arrivals);
	}
	free(reader->readings);
	call_sites_release(&reader->sites);
	program_polls_release(&reader->polls);
	program_kills_release(&reader->kills);
	cost_wakes_release(&reader->wakes);
	cost_samples_release(&reader->preempted.slices);
	cost_samples_release(&reader->preempted.uncut);
	free(reader);
}

static int program_read_with(struct program *program, bool wants_gaps, struct event_source *source,
			     const struct selection *selection, struct err *err)
{
	struct timeline *timeline = timeline_new(source, selection);
	struct program_reader *reader = program_reader_new(program, timeline, source);
	const struct change *change;
	int rc;

	reader->wants_gaps = reader->keeps_sleeps = wants_gaps;
	while ((rc = timeline_borrow(timeline, &change, err)) > 0)
		program_reader_take(reader, change);
	if (!rc)
		program_reader_finish(reader);
	else
		program_release(program);
	program_reader_free(reader);
	timeline_free(timeline);
	return rc;
}

int program_read(struct program *program, struct event_source *source,
		 const struct selection *selection, struct err *err)
{
	return program_read_with(program, false, source, selection, err);
}

int program_read_with_gaps(struct program *program, struct event_source *source,
			   const struct selection *selection, struct err *err)
{
	return program_read_with(program, true, source, selection, err);
}
