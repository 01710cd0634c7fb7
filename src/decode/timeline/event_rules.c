/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of each kind of event on the states of threads: the rules that timeline.h lists. */
#include "decode/timeline/timeline_private.h"

/* --- Exec ---------------------------------------------------------------------------------- */

/* Ends a thread by an exec on `cpu`, which it may have done itself, with its old number. */
static void end_by_exec(struct states *states, struct thread *thread, int32_t cpu)
{
	bool seen = thread->state == STATE_RUNNING && thread->cpu == cpu;

	states_move_on(states, thread, seen ? STATE_RUNNING : occupancy_past(states, thread),
		       STATE_NONE);
	thread_table_drop(&states->threads, thread);
}

/* Makes the thread that did the exec the first of its process; the old first thread has died. */
static void become_first(struct states *states, int32_t pid, int32_t cpu, bool in_tree, uint32_t by)
{
	struct thread *thread = thread_table_find(&states->threads, pid);
	struct change *told;

	if (thread) {
		states_move_on(states, thread, thread->state, STATE_NONE);
		thread_table_drop(&states->threads, thread);
	}
	occupancy_take(states, cpu, -1, pid, states->now_ns);
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

static uint32_t target_number(const struct thread *thread)
{
	return thread->target && thread->number < BY_INTERRUPT ? thread->number : BY_NO_THREAD;
}

/*
 * Detects an exec whose record follows: the first thread of a process has ended, with at most a new
 * name recorded since, and appears on the CPU where another thread of the process ran.
 */
static __attribute__((noinline)) void renumber_other(struct states *states, int32_t current,
						     int32_t tid, int32_t cpu)
{
	struct thread *runner = occupancy_runner(states, cpu, current), *first;
	bool in_tree;
	uint32_t by;

	if (!runner || !thread_table_takes(tid) || runner->pid != tid)
		return;
	first = thread_table_find(&states->threads, tid);
	if (first && first->met)
		return;
	in_tree = runner->in_tree;
	by = target_number(runner);
	end_by_exec(states, runner, cpu);
	become_first(states, tid, cpu, in_tree, by);
}

static inline void renumber(struct states *states, int32_t tid, int32_t cpu)
{
	int32_t current = cpu_table_at(&states->cpus, cpu);

	if (current != tid)
		renumber_other(states, current, tid, cpu);
}

/* --- Switches and wakes -------------------------------------------------------------------- */

/* Returns the thread that raises the event: it runs on the CPU. */
static struct thread *meet_running(struct states *states, const struct event *event)
{
	struct thread *thread;

	if (event->tid < 0)
		return NULL; /* the thread is unknown */
	renumber(states, event->tid, event->cpu);
	thread = states_meet(states, event->tid, event->pid, event->comm);
	if (thread)
		occupancy_find(states, thread, event->cpu);
	return thread;
}

/* Far less than the time to leave a CPU, to get it back and to leave it once more. */
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

/* Returns the number of the thread that leaves a CPU, as in change.before. */
static uint32_t leaver_number(const struct event *event, const struct thread *thread)
{
	if (event->tid <= 0)
		return BY_NO_THREAD;
	return thread && thread->target ? target_number(thread) : (uint32_t)BY_STRANGER;
}

static void handle_switch(struct states *states, const struct event *event)
{
	struct thread *thread;
	struct change *told;
	uint32_t before;

	if (is_repeated(states, event))
		return;
	if (event->tid == event->other && event->tid) { /* the thread keeps the CPU */
		meet_running(states, event);
		return;
	}
	renumber(states, event->tid, event->cpu);
	thread = states_meet(states, event->tid, event->pid, event->comm);
	before = leaver_number(event, thread);
	if (thread)
		occupancy_settle(states, thread, event->cpu);
	occupancy_take(states, event->cpu, event->tid, event->other, states->now_ns);
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

/* Ends the run of the thread that left its CPU to that of the event, if no record did. */
static void leave_before(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->other);

	if (!thread || event->cpu < 0 || event->other == event->tid)
		return;
	occupancy_settle(states, thread, event->cpu);
	if (!occupancy_runner(states, event->cpu, event->other))
		return;
	if (!thread->exiting)
		states_note(states, QUALITY_UNMARKED_SWITCH_OUTS, thread, STATE_NONE, 0);
	occupancy_leave(states, thread, event->cpu, thread->exiting ? STATE_NONE : STATE_UNKNOWN);
}

/*
 * Comes after the sched_switch of the same switch, if any. A thread that has ended has the number
 * -1 when it gets its CPU for the last time; its sched_switch has shown which one it is.
 */
static void handle_switch_in(struct states *states, const struct event *event)
{
	struct thread *thread =
		event->tid < 0 ? NULL : states_meet(states, event->tid, event->pid, event->comm);
	const struct thread *runner;

	if (thread && thread->state == STATE_RUNNING &&
	    (thread->cpu == event->cpu || thread->cpu < 0)) {
		occupancy_find(states, thread, event->cpu);
		return;
	}
	leave_before(states, event);
	runner = occupancy_runner(states, event->cpu, cpu_table_at(&states->cpus, event->cpu));
	if (event->tid < 0 && runner && runner->exiting)
		return;
	occupancy_take(states, event->cpu, event->other, event->tid, states->now_ns);
	if (thread)
		occupancy_enter(states, thread, event->cpu);
}

/*
 * Comes after the sched_switch of the same switch, if any. A thread without a record yet, or no
 * longer, is ignored: with sched_switch it has died already. A thread that runs elsewhere got there
 * later, by a clock that is behind.
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
	if (event->state == STATE_UNKNOWN)
		states_note(states, QUALITY_UNMARKED_SWITCH_OUTS, thread, STATE_NONE, 0);
	occupancy_leave(states, thread, event->cpu, event->state);
	if (event->cpu >= 0 && (now_there == event->tid || now_there < 0))
		cpu_table_forget(&states->cpus, event->cpu, states->now_ns);
}

static void handle_wake(struct states *states, const struct event *event)
{
	struct thread *thread, *waker;
	struct change *told;
	bool asleep;

	states_meet(states, event->other, event->other_pid, event->other_comm);
	waker = meet_running(states, event); /* may give the other thread another number */
	thread = thread_table_find(&states->threads, event->other);
	if (!thread || thread->state == STATE_RUNNABLE || thread->state == STATE_ACTIVE)
		return;
	if (thread->state == STATE_RUNNING) {
		if (!thread->woken) /* sched_wakeup comes after sched_waking */
			states_tell_mark(states, thread, states_actor(states, waker));
		thread->woken = true;
		return;
	}
	asleep = thread->unsure || (!thread->met && !states->lossy);
	told = states_move_on(states, thread, asleep ? STATE_INACTIVE : thread->state,
			      STATE_RUNNABLE);
	if (told)
		told->by = states_actor(states, waker);
	thread->waker = event->tid;
	thread->maybe_woken = false;
}

/* Returns true if the birth is known: sched_wakeup_new follows sched_process_fork, maybe late. */
static bool is_told_again(const struct states *states, const struct thread *thread)
{
	const uint64_t ahead_ns = 1000000;
	bool first_run = thread->born && thread->state == STATE_RUNNING && !thread->left_ns;

	return thread->newborn || (first_run && states->now_ns - thread->since_ns <= ahead_ns);
}

static void handle_fork(struct states *states, const struct event *event)
{
	const struct thread *parent;
	struct change *told;
	struct thread *thread;
	bool in_tree;

	if (event->other == event->tid) { /* no thread creates itself */
		states->quality->malformed++;
		states_tell_finding(states, QUALITY_MALFORMED);
		return;
	}
	parent = meet_running(states, event);
	in_tree = parent && parent->target && parent->in_tree;
	thread = states_find_or_add(states, event->other);
	if (!thread || is_told_again(states, thread))
		return;
	if (thread->met || thread->target)
		thread = states_replace(states, thread);
	thread->in_tree = in_tree;
	thread->recorded = parent && thread_table_is_recorded(&states->threads, parent);
	thread->state = states->target->filtered ? STATE_UNKNOWN : STATE_RUNNABLE;
	thread->since_ns = states->now_ns;
	thread->met = thread->newborn = thread->born = true;
	thread_table_put_back(&states->threads, thread);
	thread_table_learn(&states->threads, thread);
	states_describe(states, thread, event->other_pid,
			parent && !*event->other_comm ? parent->comm : event->other_comm);
	told = states_enrol(states, thread, true);
	if (told)
		told->by = states_actor(states, parent);
}

/* Names a thread and its process. This is no evidence of the thread's state. */
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
	thread->in_tree |= parent && parent->target && parent->in_tree;
	thread->recorded |= parent && thread_table_is_recorded(&states->threads, parent);
	renamed = states_describe(states, thread, event->pid, event->comm);
	thread->start = event->kind == EVENT_EXEC ? 0 : event->chain ?: thread->start;
	if (thread->met)
		states_enrol(states, thread, renamed);
}

/*
 * Ends all other threads of the process, as an exec does, but for two kinds, which later execs
 * skip, too: threads with an unknown state, and those whose exit is recorded, as they may leave
 * their CPUs later.
 */
static void handle_exec(struct states *states, const struct event *event)
{
	bool others = false, in_tree = false;
	uint32_t by = BY_NO_THREAD;
	struct thread *next;

	for (struct thread *thread = thread_table_first_of(&states->threads, event->pid); thread;
	     thread = next) {
		next = thread_table_next_of(&states->threads, thread);
		if (!thread->met || thread->exiting)
			thread_table_set_aside(&states->threads, thread);
		if (thread->tid == event->tid || !thread->met || thread->exiting)
			continue;
		others = true;
		in_tree |= thread->in_tree;
		if (thread->state == STATE_RUNNING && thread->cpu == event->cpu)
			by = target_number(thread);
		end_by_exec(states, thread, event->cpu);
	}
	if (others && thread_table_takes(event->tid))
		become_first(states, event->tid, event->cpu, in_tree, by);
	handle_task(states, event);
}

static void handle_state(struct states *states, const struct event *event)
{
	struct thread *thread = states_find_or_add(states, event->tid);
	bool asleep;

	if (!thread)
		return;
	asleep = thread->unsure && event->state >= STATE_INACTIVE;
	if (states->as_recorded)
		thread->in_tree = true;
	states_enrol(states, thread, states_describe(states, thread, event->pid, event->comm));
	if (!thread->met || thread->state == STATE_UNKNOWN)
		states_move_on(states, thread, asleep ? event->state : STATE_UNKNOWN, event->state);
}

static void learn_of(struct states *states, int32_t cpu)
{
	struct thread *thread = occupancy_runner(states, cpu, cpu_table_at(&states->cpus, cpu));

	if (thread)
		thread_table_learn(&states->threads, thread);
}

/*
 * Forgets the state of a CPU, or of all, and of threads on no CPU. Threads that run elsewhere keep
 * their states, and are no longer in the list: their CPUs are known to run them.
 */
static void forget_cpu(struct states *states, int32_t cpu)
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
		struct thread *thread = thread_table_at(threads, threads->known[i]);
		bool untouched = thread->state == STATE_RUNNING && cpu >= 0 && thread->cpu >= 0 &&
				 thread->cpu != cpu;

		if (untouched)
			continue;
		thread->woken = thread->maybe_woken = thread->unsure = false;
		if (thread->state == STATE_RUNNING && thread->exiting) {
			states_move_on(states, thread, thread->state, STATE_NONE);
			thread_table_drop(threads, thread);
			i--; /* another thread has taken the place */
		} else if (thread->state != STATE_UNKNOWN) {
			states_move_on(states, thread, thread->state, STATE_UNKNOWN);
			thread->chain = 0; /* the thread may have left another CPU since */
		}
	}
	thread_table_forget_known(threads);
}

static void handle_gap(struct states *states, const struct event *event)
{
	bool paused = event->note == QUALITY_PAUSED;

	states_tell_finding(states, paused ? QUALITY_PAUSED : QUALITY_LOST);
	forget_cpu(states, event->cpu);
}

/* Ends the thread, even if it is preempted and gets a CPU once more. */
static void handle_end(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	if (thread) {
		thread = states_meet(states, event->tid, event->pid, event->comm);
		occupancy_leave(states, thread, event->cpu, STATE_NONE);
	}
	thread_table_end(&states->threads, event->tid);
}

static void handle_exit(struct states *states, const struct event *event)
{
	struct thread *thread = meet_running(states, event);

	if (thread)
		thread->exiting = true;
}

/*
 * Handles PERF_RECORD_EXIT if the last sched_switch follows. After losses the record is evidence
 * that the thread runs: the switch may be lost, too, and the thread would live on.
 */
static void handle_last(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	if (thread && thread->met && states->lossy)
		occupancy_find(states, thread, event->cpu);
	if (thread)
		thread->exiting = true;
}

/* A tick may be late, but by less than this. */
enum { HOLD_NS = 20000000 };

static __attribute__((noinline)) void witness(struct states *states, const struct event *event)
{
	struct thread *thread = states_meet(states, event->tid, event->pid, event->comm);

	if (thread)
		occupancy_ran(states, thread, event->cpu, event->ran_ns);
}

static void handle_ran(struct states *states, const struct event *event)
{
	struct thread *thread = thread_table_find(&states->threads, event->tid);

	states->hold_ns = HOLD_NS; /* from now on events may be about the past */
	if (!thread || !occupancy_confirm(states, thread, event->cpu)) /* rare */
		witness(states, event);
}

/* A thread that calls runs. The ends of library calls and yields may be missing. */
static void handle_call(struct states *states, const struct event *event)
{
	struct thread *thread = meet_running(states, event);
	bool enters = event->kind == EVENT_CALL && sync_call_is_system(event->call);

	if (!thread)
		return;
	if (enters || event->kind == EVENT_RETURN)
		thread->call_chain = enters && event->call != SYNC_YIELD ? event->chain : 0;
	if (thread->target && states->begun && event->kind == EVENT_CALL && event->call)
		++*(sync_call_is_system(event->call) ? &states->calls.system
						     : &states->calls.library);
	states_tell_mark(states, thread, BY_NO_THREAD);
}

/* A thread that has ended is sampled until it leaves its CPU. */
static void handle_sampled(struct states *states, const struct event *event)
{
	struct thread *thread = NULL;

	if (!thread_table_has_ended(&states->threads, event->tid))
		thread = states_meet(states, event->tid, event->pid, event->comm);
	if (thread && !thread->met)
		states_move_on(states, thread, STATE_UNKNOWN, STATE_UNKNOWN);
	if (thread && thread->target)
		cpu_table_use(&states->cpus, event->cpu);
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
	[EVENT_LAST] = handle_last,
	[EVENT_END] = handle_end,
	[EVENT_EXEC] = handle_exec,
	[EVENT_TASK] = handle_task,
	[EVENT_STATE] = handle_state,
	[EVENT_GAP] = handle_gap,
	[EVENT_RAN] = handle_ran,
	[EVENT_CALL] = handle_call,
	[EVENT_RETURN] = handle_call,
	[EVENT_ENTER] = states_tell_block,
	[EVENT_LEAVE] = states_tell_block,
	[EVENT_FAULT] = states_tell_block,
	[EVENT_FAULT_END] = states_tell_block,
	[EVENT_STEP] = states_tell_block,
	[EVENT_SOCKET] = states_tell_socket,
	[EVENT_SAMPLED] = handle_sampled,
	[EVENT_NOTE] = handle_note,
};

void event_rules_apply(struct states *states, const struct event *event)
{
	handlers[event->kind](states, event);
}

void event_rules_forget(struct states *states)
{
	forget_cpu(states, -1);
}
