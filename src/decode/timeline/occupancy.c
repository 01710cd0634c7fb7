/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/occupancy.h"

#include "decode/timeline/states.h"

static uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A case that concerns what the thread is doing now. */
static void note(struct states *states, enum quality_fact fact, const struct thread *thread,
		 enum thread_state past)
{
	states_note(states, fact, thread, past, thread->since_ns);
}

/* --- Who is on a CPU ----------------------------------------------------------------------- */

static void take_from(struct states *states, int32_t cpu, int32_t leaving, int32_t tid,
		      uint64_t since_ns)
{
	int32_t before = cpu_table_put(&states->cpus, cpu, tid, leaving, since_ns);
	struct thread *thread;

	if (before == leaving || before == tid)
		return;
	thread = thread_table_find(&states->threads, before);
	if (!thread || thread->state != STATE_RUNNING || thread->cpu != cpu)
		return;
	note(states, QUALITY_MISSED_SWITCH_OUTS, thread, STATE_UNKNOWN);
	states_move_on(states, thread, STATE_UNKNOWN, thread->exiting ? STATE_NONE : STATE_UNKNOWN);
	if (thread->exiting)
		thread_table_drop(&states->threads, thread);
}

void occupancy_take(struct states *states, int32_t cpu, int32_t leaving, int32_t tid)
{
	take_from(states, cpu, leaving, tid, states->now_ns);
}

/* When somebody else was last known to be on a CPU. */
static uint64_t taken_until(const struct states *states, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);
	const struct thread *thread = thread_table_find(&states->threads, state.tid);

	if (thread && thread->state == STATE_RUNNING && thread->cpu == cpu)
		return max_ns(state.since_ns, thread->seen_ns);
	return state.since_ns;
}

static bool was_idle(const struct states *states, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.since_ns && !state.tid;
}

/* --- What a thread did before it had a CPU ------------------------------------------------- */

static bool is_known_past(const struct thread *thread)
{
	return thread->state != STATE_ACTIVE && thread->state != STATE_UNKNOWN;
}

static bool was_woken(const struct thread *thread)
{
	return thread->state == STATE_RUNNABLE ||
	       (thread->state >= STATE_INACTIVE && thread->maybe_woken);
}

/* If it is not known when it got the CPU. */
static enum thread_state past_without(const struct thread *thread)
{
	if (!is_known_past(thread))
		return thread->state;
	return was_woken(thread) ? STATE_ACTIVE : STATE_UNKNOWN;
}

/* If it is. Who becomes runnable on an idle CPU does not wait: until then it was asleep. */
static enum thread_state past_up_to(const struct thread *thread, bool idle)
{
	if (!is_known_past(thread))
		return thread->state;
	if (was_woken(thread))
		return STATE_RUNNABLE;
	return idle && thread->state >= STATE_INACTIVE ? thread->state : STATE_UNKNOWN;
}

enum thread_state occupancy_past(struct states *states, const struct thread *thread)
{
	enum thread_state past = past_without(thread);

	if (is_known_past(thread))
		note(states, QUALITY_MISSED_SWITCH_INS, thread, past);
	return past;
}

/* --- Getting it and leaving it ------------------------------------------------------------- */

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
		note(states, QUALITY_MISSED_SWITCH_OUTS, thread, was);
	} else if (thread->state >= STATE_INACTIVE && thread->maybe_woken) {
		was = STATE_RUNNABLE;
	} else if (thread->state >= STATE_INACTIVE) {
		note(states, QUALITY_REPAIRED_WAKES, thread, was);
	}
	return run_on(states, thread, was, cpu, states->now_ns);
}

/* Nobody has told since when it ran. */
static void close_found(struct states *states, struct thread *thread)
{
	const struct found *found = &thread->found;

	if (found->open && found->from != STATE_ACTIVE && found->from != STATE_UNKNOWN)
		states_note(states, QUALITY_MISSED_SWITCH_INS, thread,
			    found->from == STATE_RUNNABLE ? STATE_ACTIVE : STATE_UNKNOWN,
			    found->begin_ns);
	thread->found.open = false;
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
	if (thread->target)
		cpu_table_use(&states->cpus, cpu);
	if (told)
		told->left_cpu = true;
	thread->left_ns = states->now_ns;
	thread->maybe_woken = thread->woken;
	thread->woken = false;
	if (next == STATE_NONE)
		thread_table_drop(&states->threads, thread);
}

/* It has a CPU. Since when may be told by a witness that is to come, where there are any. */
static void find_running(struct states *states, struct thread *thread, int32_t cpu)
{
	struct found found = {
		.open = states->hold_ns && thread->state != STATE_RUNNING,
		.begin_ns = thread->since_ns,
		.since_ns =
			max_ns(max_ns(thread->since_ns, thread->left_ns), taken_until(states, cpu)),
		.from = was_woken(thread) ? STATE_RUNNABLE : thread->state,
		.past = past_up_to(thread, was_idle(states, cpu)),
		.waker = thread->waker,
	};
	enum thread_state past;

	occupancy_take(states, cpu, -1, thread->tid);
	past = found.open ? past_without(thread) : occupancy_past(states, thread);
	run_on(states, thread, past, cpu, states->now_ns);
	thread->found = found;
}

/* Has somebody else had the CPU since the thread runs? Then it has not been there all the time. */
static bool was_taken(const struct states *states, const struct thread *thread, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.tid != thread->tid && state.since_ns > thread->since_ns;
}

void occupancy_find(struct states *states, struct thread *thread, int32_t cpu)
{
	bool runs = thread->state == STATE_RUNNING;

	if (cpu < 0)
		return;
	if (!runs || (thread->cpu != cpu && (thread->cpu >= 0 || was_taken(states, thread, cpu)))) {
		find_running(states, thread, cpu);
		return;
	}
	thread->seen_ns = states->now_ns;
	if (thread->cpu == cpu)
		return;
	occupancy_take(states, cpu, -1, thread->tid);
	thread->cpu = cpu;
	if (thread->target)
		cpu_table_use(&states->cpus, cpu);
}

void occupancy_settle(struct states *states, struct thread *thread, int32_t cpu)
{
	if (thread->state == STATE_RUNNING && thread->cpu < 0)
		occupancy_find(states, thread, cpu);
}

/* --- The witness --------------------------------------------------------------------------- */

static void note_witnessed(struct states *states, const struct thread *thread,
			   enum thread_state from, enum thread_state past, uint64_t since_ns)
{
	states_note(states, QUALITY_WITNESSED_SWITCH_INS, thread, past, since_ns);
	if (from == STATE_RUNNING)
		states_note(states, QUALITY_MISSED_SWITCH_OUTS, thread, past, since_ns);
	else if (past >= STATE_INACTIVE)
		states_note(states, QUALITY_REPAIRED_WAKES, thread, past, since_ns);
}

/* It was found running already, and now it is told since when. */
static void complete(struct states *states, struct thread *thread, uint64_t claim_ns)
{
	struct found found = thread->found;

	thread->found.open = false;
	if (claim_ns < found.since_ns || claim_ns < states->given_ns ||
	    claim_ns > thread->since_ns || !states_amend(states, thread, found.past, claim_ns)) {
		thread->found.open = true;
		close_found(states, thread);
		return;
	}
	if (found.from != STATE_ACTIVE && found.from != STATE_UNKNOWN)
		note_witnessed(states, thread, found.from, found.past, found.begin_ns);
}

bool occupancy_confirm(const struct states *states, struct thread *thread, int32_t cpu)
{
	if (thread->state != STATE_RUNNING || thread->cpu != cpu || thread->found.open)
		return false;
	thread->seen_ns = states->now_ns;
	return true;
}

void occupancy_ran(struct states *states, struct thread *thread, int32_t cpu, uint64_t ran_ns)
{
	uint64_t claim_ns = ran_ns < states->now_ns ? states->now_ns - ran_ns : 0;
	bool runs = thread->state == STATE_RUNNING, exact;
	enum thread_state past;
	uint64_t since_ns;

	if (runs && (cpu < 0 || thread->cpu < 0 || thread->cpu == cpu)) {
		occupancy_find(states, thread, cpu);
		if (thread->found.open)
			complete(states, thread, claim_ns);
		return;
	}
	if (claim_ns < (runs ? thread->since_ns : thread->left_ns))
		return;
	since_ns = max_ns(claim_ns, thread->since_ns);
	since_ns = max_ns(since_ns, max_ns(taken_until(states, cpu), states->given_ns));
	exact = since_ns == claim_ns;
	past = exact ? past_up_to(thread, was_idle(states, cpu)) : past_without(thread);
	if (is_known_past(thread))
		note_witnessed(states, thread, thread->state, past, thread->since_ns);
	take_from(states, cpu, -1, thread->tid, since_ns);
	run_on(states, thread, past, cpu, since_ns);
}
