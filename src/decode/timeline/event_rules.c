/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/event_rules.h"

#include "decode/timeline/occupancy.h"
#include "decode/timeline/states.h"

/* --- Exec ---------------------------------------------------------------------------------- */

/* By one that was done on `cpu`, maybe by this thread, under its old number. */
static void end_by_exec(struct states *states, struct thread *thread, int32_t cpu)
{
	bool seen = thread->state == STATE_RUNNING && thread->cpu == cpu;

	states_move_on(states, thread, seen ? STATE_RUNNING : occupancy_past(states, thread),
		       STATE_NONE);
	thread_table_drop(&states->threads, thread);
}

/* Whoever did the exec goes on as the first thread of its process, which has died for that. */
static void become_first(struct states *states, int32_t pid, int32_t cpu, bool in_tree, uint32_t by)
{
	struct thread *thread = thread_table_find(&states->threads, pid);
	struct change *told;

	if (thread) {
		states_move_on(states, thread, thread->state, STATE_NONE);
		thread_table_drop(&states->threads, thread);
	}
	occupancy_take(states, cpu, -1, pid);
	thread = thread_table_add(&states->threads, pid);
	thread->in_tree = in_tree;
	thread->state = STATE_RUNNING;
	thread->cpu = cpu;
	thread->since_ns = states->now_ns;
	thread->met = true;
	thread_table_learn(&states->threads, thread);
	thread_table_describe(&states->threads, thread, pid);
	told = states_enrol(states, thread, true);
	if (told)
		told->by = by;
}

static uint32_t number_of(const struct thread *thread)
{
	return thread->target && thread->number < BY_INTERRUPT ? (uint32_t)thread->number
							       : (uint32_t)BY_NOBODY;
}

/*
 * The first thread of a process has ended, at most a new name of it is on record since, and it
 * shows up where another one of the process runs: that one is doing an exec, of which the record
 * follows.
 */
static void renumber(struct states *states, int32_t tid, int32_t cpu)
{
	int32_t current = cpu_table_at(&states->cpus, cpu);
	struct thread *runner, *first;
	bool in_tree;
	uint32_t by;

	if (current == tid)
		return;
	runner = thread_table_find(&states->threads, current);
	if (!runner || !thread_table_takes(tid) || runner->pid != tid || runner->cpu != cpu ||
	    runner->state != STATE_RUNNING)
		return;
	first = thread_table_find(&states->threads, tid);
	if (first && first->met)
		return;
	in_tree = runner->in_tree;
	by = number_of(runner);
	end_by_exec(states, runner, cpu);
	become_first(states, tid, cpu, in_tree, by);
}

/* --- Switches and wakes -------------------------------------------------------------------- */

/* The thread of an event that is raised by what runs on a CPU: so it runs there. */
static struct thread *meet_running(struct states *states, const struct event *event)
{
	struct thread *thread;

	if (event->tid < 0)
		return NULL; /* it is not known who did it */
	renumber(states, event->tid, event->cpu);
	thread = states_meet(states, event->tid, event->pid, event->comm);
	if (thread)
		occupancy_find(states, thread, event->cpu);
	return thread;
}

/* Far less than a thread needs to leave a CPU, to get it back and to leave it once more. */
enum { REPEAT_NS = 1000 };

static bool is_repeated(struct states *states, const struct event *event)
{
	struct cpu_state last = cpu_table_get(&states->cpus, event->cpu);

	if (!last.since_ns || last.tid != event->other || last.before != event->tid ||
	    states->now_ns - last.since_ns > REPEAT_NS)
		return false;
	states->quality->repeated++;
	states_tell_finding(states, QUALITY_REPEATED);
	return true;
}

/* As the one who leaves a CPU is told to the one who gets it. */
static uint32_t leaver(const struct event *event, const struct thread *thread)
{
	if (event->tid <= 0)
		return BY_NOBODY;
	return thread && thread->target ? number_of(thread) : (uint32_t)BY_STRANGER;
}

static void handle_switch(struct states *states, const struct event *event)
{
	struct thread *thread;
	struct change *told;
	uint32_t before;

	if (is_repeated(states, event))
		return;
	if (event->tid == event->other && event->tid) { /* it has the CPU and keeps it */
		meet_running(states, event);
		return;
	}
	renumber(states, event->tid, event->cpu);
	thread = states_meet(states, event->tid, event->pid, event->comm);
	before = leaver(event, thread);
	if (thread)
		occupancy_settle(states, thread, event->cpu);
	occupancy_take(states, event->cpu, event->tid, event->other);
	if (thread) {
		thread->left_by_switch = true;
		thread->chain = event->chain ? event->chain : thread->call_chain;
		occupancy_leave(states, thread, event->cpu, event->state);
	}
	thread = states_meet(states, event->other, event->other_pid, event->other_comm);
	told = thread ? occupancy_enter(states, thread, event->cpu) : NULL;
	if (told && told->state == STATE_RUNNABLE)
		told->before = before;
}

/* Comes after the sched_switch of the same switch, where there is one. */
static void handle_switch_in(struct states *states, const struct event *event)
{
	struct thread *thread = states_meet(states, event->tid, event->pid, event->comm);
	bool known = thread && thread->state == STATE_RUNNING &&
		     (thread->cpu == event->cpu || thread->cpu < 0);

	if (known) {
		occupancy_find(states, thread, event->cpu);
		return;
	}
	occupancy_take(states, event->cpu, -1, event->tid);
	if (thread)
		occupancy_enter(states, thread, event->cpu);
}

/*
 * The same. A thread that is on no record yet, or no longer, is none: with sched_switch it has died
 * by now, without it has been announced. One that runs elsewhere got there later, by a clock that
 * is behind.
 */
static void handle_switch_out(struct states *states, const struct event *event)
{
	int32_t now_there = cpu_table_at(&states->cpus, event->cpu);
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	if (!thread || thread->left_by_switch)
		return;
	if (thread->state == STATE_RUNNING && event->cpu >= 0 && thread->cpu >= 0 &&
	    thread->cpu != event->cpu)
		return;
	if (thread->state != STATE_RUNNING && thread->left_ns &&
	    states->now_ns - thread->left_ns <= REPEAT_NS) {
		states_note(states, QUALITY_REPEATED, thread, thread->state, thread->since_ns);
		return;
	}
	thread = states_meet(states, event->tid, event->pid, event->comm);
	thread->chain = thread->call_chain;
	occupancy_leave(states, thread, event->cpu, event->state);
	if (event->cpu >= 0 && (now_there == event->tid || now_there < 0))
		cpu_table_forget(&states->cpus, event->cpu, states->now_ns);
}

static void handle_wake(struct states *states, const struct event *event)
{
	struct thread *thread, *waker;
	struct change *told;
	enum thread_state was;

	states_meet(states, event->other, event->other_pid, event->other_comm);
	waker = meet_running(states, event); /* may tell that the other has got another number */
	thread = thread_table_find(&states->threads, event->other);
	if (!thread || thread->state == STATE_RUNNABLE || thread->state == STATE_ACTIVE)
		return;
	if (thread->state == STATE_RUNNING) {
		if (!thread->woken) /* sched_wakeup comes after sched_waking */
			states_tell_mark(states, thread, states_actor(states, waker));
		thread->woken = true;
		return;
	}
	was = !thread->met && !states->lossy ? STATE_INACTIVE : thread->state;
	told = states_move_on(states, thread, was, STATE_RUNNABLE);
	if (told)
		told->by = states_actor(states, waker);
	thread->waker = event->tid;
	thread->maybe_woken = false;
}

static void handle_fork(struct states *states, const struct event *event)
{
	const struct thread *parent;
	struct change *told;
	struct thread *thread;
	bool in_tree;

	if (event->other == event->tid) { /* nobody creates himself */
		states->quality->malformed++;
		states_tell_finding(states, QUALITY_MALFORMED);
		return;
	}
	parent = meet_running(states, event);
	in_tree = parent && parent->target && parent->in_tree;
	thread = states_find_or_add(states, event->other);

	if (!thread || thread->newborn)
		return; /* sched_wakeup_new comes after sched_process_fork */
	if (thread->met || thread->target)
		thread = states_replace(states, thread);
	thread->in_tree = in_tree;
	thread->state = STATE_RUNNABLE;
	thread->since_ns = states->now_ns;
	thread->met = thread->newborn = true;
	thread_table_put_back(&states->threads, thread);
	thread_table_learn(&states->threads, thread);
	states_describe(states, thread, event->other_pid, event->other_comm);
	told = states_enrol(states, thread, true);
	if (told)
		told->by = states_actor(states, parent);
}

/* Tells who is who. It is no evidence of what a thread does, nor that it does anything. */
static void handle_task(struct states *states, const struct event *event)
{
	struct thread *thread = states_find_or_add(states, event->tid);
	const struct thread *parent;
	bool renamed;

	if (!thread)
		return;
	if (states_is_another(thread, event->pid))
		thread = states_replace(states, thread);
	parent = thread_table_find(&states->threads, event->other_pid);
	if (parent && parent->target && parent->in_tree)
		thread->in_tree = true;
	renamed = states_describe(states, thread, event->pid, event->comm);
	if (thread->met)
		states_enrol(states, thread, renamed);
}

/*
 * An exec ends all other threads of its process. Those of which nothing is known are left as they
 * are, and not looked at by the next one.
 */
static void handle_exec(struct states *states, const struct event *event)
{
	bool others = false, in_tree = false;
	uint32_t by = BY_NOBODY;
	struct thread *next;

	for (struct thread *thread = thread_table_first_of(&states->threads, event->pid); thread;
	     thread = next) {
		next = thread_table_next_of(&states->threads, thread);
		if (!thread->met)
			thread_table_set_aside(&states->threads, thread);
		if (thread->tid == event->tid || !thread->met)
			continue;
		others = true;
		in_tree |= thread->in_tree;
		if (thread->state == STATE_RUNNING && thread->cpu == event->cpu)
			by = number_of(thread);
		end_by_exec(states, thread, event->cpu);
	}
	if (others && thread_table_takes(event->tid))
		become_first(states, event->tid, event->cpu, in_tree, by);
	handle_task(states, event);
}

static void handle_state(struct states *states, const struct event *event)
{
	struct thread *thread = states_find_or_add(states, event->tid);

	if (!thread)
		return;
	if (states->as_recorded)
		thread->in_tree = true;
	states_enrol(states, thread, states_describe(states, thread, event->pid, event->comm));
	if (!thread->met || thread->state == STATE_UNKNOWN)
		states_move_on(states, thread, STATE_UNKNOWN, event->state);
}

static void learn_of(struct states *states, int32_t cpu)
{
	struct thread *thread =
		thread_table_find(&states->threads, cpu_table_at(&states->cpus, cpu));

	if (thread && thread->state == STATE_RUNNING && thread->cpu == cpu)
		thread_table_learn(&states->threads, thread);
}

/*
 * What may have happened on a CPU, or to whoever is on none, is not known. Who runs elsewhere is
 * left out, and not looked at again: as long as it does, it is the CPU that is known to run it.
 */
static void forget(struct states *states, int32_t cpu)
{
	struct thread_table *threads = &states->threads;

	states->lossy = true;
	if (cpu >= 0)
		learn_of(states, cpu);
	for (size_t i = 0; cpu < 0 && i < states->cpus.recent_count; i++)
		learn_of(states, states->cpus.recent[i]);
	cpu_table_forget(&states->cpus, cpu, states->now_ns);
	thread_table_sort_known(threads);
	for (size_t i = 0; i < threads->known_count; i++) {
		struct thread *thread = threads->known[i];
		bool untouched = thread->state == STATE_RUNNING && cpu >= 0 && thread->cpu >= 0 &&
				 thread->cpu != cpu;

		if (untouched)
			continue;
		thread->woken = thread->maybe_woken = false;
		if (thread->state != STATE_UNKNOWN)
			states_move_on(states, thread, thread->state, STATE_UNKNOWN);
	}
	thread_table_forget_known(threads);
}

static void handle_gap(struct states *states, const struct event *event)
{
	bool paused = event->note == QUALITY_PAUSED;

	states_tell_finding(states, paused ? QUALITY_PAUSED : QUALITY_LOST);
	forget(states, event->cpu);
}

static void handle_end(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	if (!thread)
		return;
	thread = states_meet(states, event->tid, event->pid, event->comm);
	occupancy_leave(states, thread, event->cpu, STATE_NONE);
}

static void handle_exit(struct states *states, const struct event *event)
{
	struct thread *thread = meet_running(states, event);

	if (thread)
		thread->exiting = true;
}

/* A tick may be late, but not by so much. */
enum { HOLD_NS = 20000000 };

static void handle_ran(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	states->hold_ns = HOLD_NS; /* from now on events tell of what was before */
	if (thread && occupancy_confirm(states, thread, event->cpu))
		return; /* as nearly always */
	thread = states_meet(states, event->tid, event->pid, event->comm);
	if (thread)
		occupancy_ran(states, thread, event->cpu, event->ran_ns);
}

/* Whoever calls something runs. Of calls of a library it is not on record when they end. */
static void handle_call(struct states *states, const struct event *event)
{
	struct thread *thread = meet_running(states, event);
	bool enters = event->kind == EVENT_CALL && sync_call_is_system(event->call);

	if (!thread)
		return;
	if (enters || event->kind == EVENT_RETURN)
		thread->call_chain = enters ? event->chain : 0;
	if (thread->target && states->begun && event->kind == EVENT_CALL && event->call)
		++*(sync_call_is_system(event->call) ? &states->calls.system
						     : &states->calls.library);
	states_tell_mark(states, thread, BY_NOBODY);
}

/* A block's time may be of another clock, a little before or behind that of the kernel. */
static void handle_block(struct states *states, const struct event *event)
{
	const struct thread *thread =
		event->tid < 0 ? NULL : states_meet(states, event->tid, event->pid, event->comm);

	if (!thread)
		return;
	if (thread->target && states->begun && event->kind == EVENT_ENTER)
		++*(event->cpu < 0 ? &states->calls.blocks : &states->calls.probed);
	if (thread->target && states->begun && event->kind == EVENT_STEP)
		states->calls.steps++;
	states_tell_mark(states, thread, BY_NOBODY);
}

static void handle_note(struct states *states, const struct event *event)
{
	states_tell_finding(states, event->note);
}

static void (*const handlers[])(struct states *, const struct event *) = {
	[EVENT_SWITCH] = handle_switch,
	[EVENT_SWITCH_IN] = handle_switch_in,
	[EVENT_SWITCH_OUT] = handle_switch_out,
	[EVENT_WAKE] = handle_wake,
	[EVENT_FORK] = handle_fork,
	[EVENT_EXIT] = handle_exit,
	[EVENT_END] = handle_end,
	[EVENT_EXEC] = handle_exec,
	[EVENT_TASK] = handle_task,
	[EVENT_STATE] = handle_state,
	[EVENT_GAP] = handle_gap,
	[EVENT_RAN] = handle_ran,
	[EVENT_CALL] = handle_call,
	[EVENT_RETURN] = handle_call,
	[EVENT_ENTER] = handle_block,
	[EVENT_LEAVE] = handle_block,
	[EVENT_FAULT] = handle_block,
	[EVENT_FAULT_END] = handle_block,
	[EVENT_STEP] = handle_block,
	[EVENT_NOTE] = handle_note,
};

void event_rules_apply(struct states *states, const struct event *event)
{
	handlers[event->kind](states, event);
}

void event_rules_forget(struct states *states)
{
	forget(states, -1);
}
