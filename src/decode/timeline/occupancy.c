/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads get CPUs and leave them: on record, not on record, or shown later by a witness.
 *
 * The witness is sched_stat_runtime (EVENT_RAN in event.h). update_curr() of kernel/sched/fair.c
 * counts from exec_start, which is set when a thread gets a CPU and whenever an account is given.
 * So the first account of a run shows when it began, and each later one that it goes on. Limits:
 * only threads of the fair class have it; the time that interrupts and the hypervisor take is not
 * counted (rq_clock_task), so a run may have begun by that much earlier; and accounts may be lost,
 * so that a run began no later than the first account says.
 *
 * A claim is limited by earlier events: a run does not begin before the thread's last change, nor
 * before another thread was last known on the CPU, nor before the last change given out. A claim to
 * have run before a recorded switch-out is not believed.
 */
#include "decode/timeline/timeline_private.h"

static uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct thread *occupancy_runner(const struct states *states, int32_t cpu, int32_t tid)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	return thread && thread->state == STATE_RUNNING && thread->cpu == cpu ? thread : NULL;
}

void occupancy_displace(struct states *states, int32_t cpu, int32_t tid)
{
	struct thread *thread = occupancy_runner(states, cpu, tid);

	if (!thread)
		return;
	states_note(states, QUALITY_MISSED_SWITCH_OUTS, thread, STATE_UNKNOWN, thread->since_ns);
	states_move_on(states, thread, STATE_UNKNOWN, thread->exiting ? STATE_NONE : STATE_UNKNOWN);
	if (thread->exiting)
		thread_table_drop(&states->threads, thread);
}

/* Returns the time at which another thread was last known to be on a CPU. */
static uint64_t taken_until(const struct states *states, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);
	const struct thread *thread = occupancy_runner(states, cpu, state.tid);

	return thread ? max_ns(state.since_ns, thread->seen_ns) : state.since_ns;
}

/* Returns the past state of a thread if it is not known when it got the CPU. */
static enum thread_state past_without(const struct thread *thread)
{
	if (!thread_is_known(thread))
		return thread->state;
	return thread_was_woken(thread) ? STATE_ACTIVE : STATE_UNKNOWN;
}

/* Returns the same if that is known. No thread waits for an idle CPU: it slept until then. */
static enum thread_state past_up_to(const struct thread *thread, bool idle)
{
	if (!thread_is_known(thread))
		return thread->state;
	if (thread_was_woken(thread))
		return STATE_RUNNABLE;
	return idle && thread->state >= STATE_INACTIVE ? thread->state : STATE_UNKNOWN;
}

enum thread_state occupancy_past(struct states *states, const struct thread *thread)
{
	enum thread_state past = past_without(thread);

	if (thread_is_known(thread))
		states_note(states, QUALITY_MISSED_SWITCH_INS, thread, past, thread->since_ns);
	return past;
}

static struct change *run_on(struct states *states, struct thread *thread, enum thread_state was,
			     int32_t cpu, uint64_t since_ns)
{
	struct change *told = states_move_on_at(states, thread, was, STATE_RUNNING, since_ns);

	if (thread->target)
		cpu_table_use(&states->cpus, cpu);
	thread->cpu = cpu;
	thread->seen_ns = states->now_ns;
	thread->woken = thread->maybe_woken = thread->left_by_switch = false;
	return told;
}

struct change *occupancy_enter(struct states *states, struct thread *thread, int32_t cpu)
{
	enum thread_state was = thread->state;

	if (thread->state == STATE_RUNNING) {
		was = STATE_UNKNOWN;
		states_note(states, QUALITY_MISSED_SWITCH_OUTS, thread, was, thread->since_ns);
	} else if (thread->newborn || thread->state == STATE_ACTIVE || thread_was_woken(thread)) {
		was = STATE_RUNNABLE;
	} else if (thread->state >= STATE_INACTIVE) {
		states_note(states, QUALITY_REPAIRED_WAKES, thread, was, thread->since_ns);
	}
	return run_on(states, thread, was, cpu, states->now_ns);
}

/* Closes the record of a found thread: no event has shown since when it ran. */
static void close_found(struct states *states, struct thread *thread)
{
	const struct found *found = thread_table_found(&states->threads, thread);

	if (!found)
		return;
	if (found->from != STATE_ACTIVE && found->from != STATE_UNKNOWN)
		states_note(states, QUALITY_MISSED_SWITCH_INS, thread, found->without,
			    found->begin_ns);
	thread_table_forget_found(&states->threads, thread);
}

/* Puts the thread on a CPU. A witness to come, if there are any, may show since when it ran. */
static void find_running(struct states *states, struct thread *thread, int32_t cpu)
{
	bool open = states->hold_ns && thread->state != STATE_RUNNING;
	struct found found = {
		.thread = thread,
		.begin_ns = thread->since_ns,
		.since_ns =
			max_ns(max_ns(thread->since_ns, thread->left_ns), taken_until(states, cpu)),
		.from = thread_was_woken(thread) ? STATE_RUNNABLE : thread->state,
		.past = past_up_to(thread, states_was_idle(states, cpu)),
		.without = past_without(thread),
		.waker = thread->waker,
	};

	occupancy_take(states, cpu, -1, thread->tid, states->now_ns);
	run_on(states, thread, open ? found.without : occupancy_past(states, thread), cpu,
	       states->now_ns);
	if (open)
		thread_table_add_found(&states->threads, &found);
}

void occupancy_find(struct states *states, struct thread *thread, int32_t cpu)
{
	if (cpu < 0)
		return;
	if (thread->state == STATE_ACTIVE && !states_was_taken(states, thread, cpu)) {
		thread->state = STATE_RUNNING;
		thread->cpu = -1;
	}
	if (thread->state != STATE_RUNNING ||
	    (thread->cpu != cpu && (thread->cpu >= 0 || states_was_taken(states, thread, cpu)))) {
		find_running(states, thread, cpu);
		return;
	}
	thread->seen_ns = states->now_ns;
	if (thread->cpu == cpu)
		return;
	occupancy_take(states, cpu, -1, thread->tid, states->now_ns);
	thread->cpu = cpu;
	if (thread->target)
		cpu_table_use(&states->cpus, cpu);
}

void occupancy_settle(struct states *states, struct thread *thread, int32_t cpu)
{
	if (thread->state == STATE_ACTIVE || (thread->state == STATE_RUNNING && thread->cpu < 0))
		occupancy_find(states, thread, cpu);
}

void occupancy_leave(struct states *states, struct thread *thread, int32_t cpu,
		     enum thread_state next)
{
	enum thread_state was = STATE_RUNNING;
	struct change *told;

	occupancy_settle(states, thread, cpu);
	close_found(states, thread);
	if (thread->state != STATE_RUNNING || (thread->cpu != cpu && cpu >= 0))
		was = occupancy_past(states, thread);
	told = states_move_on(states, thread, was, next);
	thread->unsure = next == STATE_UNKNOWN;
	if (thread->target)
		cpu_table_use(&states->cpus, cpu);
	if (told)
		told->left_cpu = true;
	thread->left_ns = states->now_ns;
	thread->maybe_woken = thread->woken;
	thread->woken = false;
	if (next == STATE_NONE)
		thread_table_leave(&states->threads, thread);
}

static void note_witnessed(struct states *states, const struct thread *thread,
			   enum thread_state from, enum thread_state past, uint64_t since_ns)
{
	states_note(states, QUALITY_WITNESSED_SWITCH_INS, thread, past, since_ns);
	if (from == STATE_RUNNING)
		states_note(states, QUALITY_MISSED_SWITCH_OUTS, thread, past, since_ns);
	else if (past >= STATE_INACTIVE)
		states_note(states, QUALITY_REPAIRED_WAKES, thread, past, since_ns);
}

/*
 * Completes the record of a found thread: now it is known since when it ran. The kernel may count
 * from a moment before the last event of the thread that had the CPU; the run begins at the event.
 */
static void complete_found(struct states *states, struct thread *thread, uint64_t claim_ns)
{
	struct found found = *thread_table_found(&states->threads, thread);
	uint64_t since_ns = max_ns(claim_ns, found.since_ns);

	found.past = since_ns == claim_ns ? found.past : found.without;
	if (claim_ns < thread->left_ns || since_ns < states->given_ns ||
	    since_ns > thread->since_ns || !states_amend(states, &found, since_ns)) {
		close_found(states, thread);
		return;
	}
	if (found.from != STATE_ACTIVE && found.from != STATE_UNKNOWN)
		note_witnessed(states, thread, found.from, found.past, found.begin_ns);
	thread_table_forget_found(&states->threads, thread);
}

void occupancy_ran(struct states *states, struct thread *thread, int32_t cpu, uint64_t ran_ns)
{
	uint64_t claim_ns = ran_ns < states->now_ns ? states->now_ns - ran_ns : 0;
	bool runs = thread->state == STATE_RUNNING, exact;
	enum thread_state past;
	uint64_t since_ns;

	if (runs && (cpu < 0 || thread->cpu < 0 || thread->cpu == cpu)) {
		occupancy_find(states, thread, cpu);
		if (thread->found)
			complete_found(states, thread, claim_ns);
		return;
	}
	if (claim_ns < (runs ? thread->since_ns : thread->left_ns))
		return;
	since_ns = max_ns(claim_ns, thread->since_ns);
	since_ns = max_ns(since_ns, max_ns(taken_until(states, cpu), states->given_ns));
	exact = since_ns == claim_ns;
	past = exact ? past_up_to(thread, states_was_idle(states, cpu)) : past_without(thread);
	if (thread_is_known(thread))
		note_witnessed(states, thread, thread->state, past, thread->since_ns);
	occupancy_take(states, cpu, -1, thread->tid, since_ns);
	run_on(states, thread, past, cpu, since_ns);
}
