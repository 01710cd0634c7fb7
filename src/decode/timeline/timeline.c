/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/timeline/timeline_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Time ---------------------------------------------------------------------------------- */

/*
 * The time of a timeline, which never goes back, whatever the times of the events do.
 *
 * An event a little older than the one before happens now: the buffers of CPUs were read a little
 * out of step. One more than EVENT_CLOCK_BACK_NS older does not belong here: its time is damaged,
 * or another recording follows, or the clock was set back. EVENT_CLOCK_STRAYS such events in a row,
 * near to one another, show that the clock was set back: then the new time goes on from the end of
 * the old one.
 */
enum { EVENT_CLOCK_BACK_NS = 100000000, EVENT_CLOCK_STRAYS = 16 };

enum event_clock_step {
	CLOCK_LATE, /* the event happens now, although it is older */
	CLOCK_BACK, /* the event is too old, and must be ignored */
	CLOCK_SET,  /* the first event after the clock was set back: all states are forgotten */
};

struct event_clock {
	uint64_t now_ns;
	uint64_t ahead_ns; /* added to the times of the input, since the clock was set back */
	uint64_t stray_ns; /* the last time that was too old */
	unsigned strays;   /* the number of such times in a row */
};

static uint64_t clock_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns true if the time is near the stray one before, as in one recording. */
static bool clock_goes_on(const struct event_clock *clock, uint64_t time_ns)
{
	return clock->strays && clock_add(time_ns, EVENT_CLOCK_BACK_NS) >= clock->stray_ns;
}

/* Sets the time to that of an event. Returns false if the event is older than the time. */
static inline bool event_clock_goes_on(struct event_clock *clock, uint64_t time_ns)
{
	uint64_t at_ns = clock_add(time_ns, clock->ahead_ns);

	if (at_ns < clock->now_ns)
		return false;
	clock->now_ns = at_ns;
	clock->strays = 0;
	return true;
}

/* Classifies an event that is older than the time, and sets the time. */
static enum event_clock_step event_clock_step(struct event_clock *clock, uint64_t time_ns)
{
	uint64_t at_ns = clock_add(time_ns, clock->ahead_ns);

	if (clock->now_ns - at_ns <= EVENT_CLOCK_BACK_NS) {
		clock->strays = 0;
		return CLOCK_LATE;
	}
	clock->strays = clock_goes_on(clock, time_ns) ? clock->strays + 1 : 1;
	clock->stray_ns = time_ns;
	if (clock->strays < EVENT_CLOCK_STRAYS)
		return CLOCK_BACK;
	clock->strays = 0;
	clock->ahead_ns = clock->now_ns - time_ns;
	return CLOCK_SET;
}

/* Sets the time to at least this one, for events that do not advance it by themselves. */
static void event_clock_reach(struct event_clock *clock, uint64_t time_ns)
{
	uint64_t at_ns = clock_add(time_ns, clock->ahead_ns);

	if (at_ns > clock->now_ns)
		clock->now_ns = at_ns;
}

/* --- States -------------------------------------------------------------------------------- */

/* Borrows `source`, and what `selection` points to, until the release. */
static void states_init(struct states *states, struct event_source *source,
			const struct selection *selection)
{
	*states = (struct states){
		.target = &source->target,
		.quality = &source->quality,
		.selection = *selection,
		.is_chosen = !selection_is_empty(selection),
	};
}

/* Starts with the first event: by then the input has described its target. */
static void states_start(struct states *states)
{
	states->started = true;
	states->lossy = states->target->filtered;
	states->threads.target = states->target;
	states->threads.names_tids = states->is_chosen && states->selection.tid_count;
	states->threads.names_pids =
		states->is_chosen && states->selection.pid_count && !states->selection.tid_count;
	states->awaits_exec = states->target->launched && !states->target->attached;
	if (!states->is_chosen)
		states->as_recorded = selection_as_recorded(&states->selection, states->target);
}

static void states_release(struct states *states)
{
	thread_table_release(&states->threads);
	cpu_table_release(&states->cpus);
	held_changes_release(&states->held);
	free(states->findings);
}

/* --- Changes ------------------------------------------------------------------------------- */

/* Sets the members one by one: a wide read of just-written narrow ones would stall the CPU. */
static void make_change(struct change *change, const struct thread *thread, enum thread_state state,
			uint64_t begin_ns, uint64_t end_ns, enum thread_state next)
{
	change->begin_ns = begin_ns;
	change->end_ns = end_ns;
	change->state = state;
	change->next = next;
	change->left_cpu = false;
	change->by = change->before = BY_NO_THREAD;
	change->thread = thread->number;
	change->tid = thread->tid;
	change->pid = thread->pid;
	change->cpu = state == STATE_RUNNING ? thread->cpu : -1;
	change->waker = state == STATE_RUNNABLE ? thread->waker : -1;
	change->chain = state >= STATE_RUNNABLE ? thread->chain : 0;
	change->start = thread->start;
	memcpy(change->comm, thread->comm, sizeof(change->comm));
}

/*
 * The largest number of changes to hold, usually those of a few milliseconds. An input whose time
 * stands still would have all of them held.
 */
enum { HELD_MAX = 1 << 16 };

static struct change *tell_change(struct states *states, struct thread *thread,
				  enum thread_state state, uint64_t begin_ns, uint64_t end_ns,
				  enum thread_state next)
{
	struct change *change = held_changes_add(&states->held, end_ns, &thread->told);

	make_change(change, thread, state, begin_ns, end_ns, next);
	return change;
}

/*
 * Detects contradictions that the rules miss: if two threads seem to have been on one CPU at the
 * same time, the one reported later was not there all the time.
 */
static bool is_contradicted(struct states *states, const struct thread *thread, uint64_t end_ns)
{
	if (cpu_table_tell(&states->cpus, thread->cpu, thread->since_ns, end_ns))
		return false;
	states_note(states, QUALITY_MISSED_SWITCH_OUTS, thread, STATE_UNKNOWN, thread->since_ns);
	return true;
}

struct change *states_move_on_at(struct states *states, struct thread *thread,
				 enum thread_state was, enum thread_state next, uint64_t at_ns)
{
	struct change *told = NULL;

	if (thread->target && states->begun && was == STATE_RUNNING &&
	    is_contradicted(states, thread, at_ns))
		was = STATE_UNKNOWN;
	if (thread->target && states->begun)
		told = tell_change(states, thread, was, thread->since_ns, at_ns, next);
	thread->state = next;
	thread->since_ns = at_ns;
	thread->waker = -1;
	if (!thread->met)
		thread_table_put_back(&states->threads, thread);
	thread->met = true;
	thread->newborn = thread->unsure = false;
	if (thread->found)
		thread_table_forget_found(&states->threads, thread);
	thread_table_learn(&states->threads, thread);
	return told;
}

struct change *states_move_on(struct states *states, struct thread *thread, enum thread_state was,
			      enum thread_state next)
{
	return states_move_on_at(states, thread, was, next, states->now_ns);
}

bool states_amend(struct states *states, const struct found *found, uint64_t at_ns)
{
	struct thread *thread = found->thread;
	struct change *change;

	if (thread->target && states->begun) {
		change = held_changes_find(&states->held, thread->told);
		if (!change || change->end_ns != thread->since_ns || change->begin_ns > at_ns ||
		    change->state == STATE_NONE)
			return false;
		change = held_changes_advance(&states->held, thread->told, at_ns);
		change->state = found->past;
		change->waker = found->past == STATE_RUNNABLE ? found->waker : -1;
	}
	thread->since_ns = at_ns;
	return true;
}

/*
 * Returns the state at the end. A thread that was about to end has ended, unless records were lost.
 * A thread that was ready to run was on no CPU, if the threads of all CPUs are known.
 */
static enum thread_state states_at_end(const struct states *states, const struct thread *thread)
{
	unsigned cpus = states->target->wide ? states->target->online_count : 0;

	if (thread->state == STATE_ACTIVE && cpus && states->cpus.recent_count >= cpus)
		return STATE_RUNNABLE;
	return thread->exiting && states->lossy ? STATE_UNKNOWN : thread->state;
}

/*
 * Returns the changes that would follow if all threads ended now: those that are held back, and the
 * open interval of each thread of the target. The caller frees *open.
 */
static size_t states_open(const struct states *states, struct change **open)
{
	size_t count = held_changes_count(&states->held), capacity = 0;

	*open = NULL;
	if (!states->begun)
		return 0;
	array_reserve(open, &capacity, count);
	count = held_changes_copy(&states->held, *open);
	for (const struct thread *thread = thread_table_first(&states->threads); thread;
	     thread = thread_table_next(&states->threads, thread)) {
		if (!thread->target || thread->state == STATE_NONE)
			continue;
		array_reserve(open, &capacity, count + 1);
		make_change(&(*open)[count++], thread, states_at_end(states, thread),
			    thread->since_ns, states->now_ns, STATE_NONE);
	}
	return count;
}

/*
 * Begins the timeline of a program that ran before: the threads found so far appear. Their states
 * hold since the beginning or, with `unseen`, since now, and are unknown before.
 */
static void states_begin_at(struct states *states, uint64_t begin_ns, bool unseen)
{
	states->begun = true;
	states->begin_ns = begin_ns;
	if (states->now_ns < states->begin_ns) /* no event after the beginning */
		states->now_ns = states->begin_ns;
	for (struct thread *thread = thread_table_first(&states->threads); thread;
	     thread = thread_table_next(&states->threads, thread)) {
		if (thread->target)
			thread->number = (uint32_t)states->target_threads++;
		thread->since_ns = unseen && thread->met ? states->now_ns : states->begin_ns;
		if (thread->target && thread->met)
			tell_change(states, thread, unseen ? STATE_UNKNOWN : STATE_NONE,
				    states->begin_ns, thread->since_ns, thread->state);
	}
}

/* Begins the timeline at the exec of the process that the recorder started, and which waited. */
static void states_see_exec(struct states *states)
{
	const struct event *event = states->event;

	if (!states->lossy && (event->kind != EVENT_EXEC || event->pid != states->target->launched))
		return;
	states->awaits_exec = false;
	if (states->found_threads)
		states_begin_at(states, states->now_ns, false);
}

/* Begins it without the exec: a birth in the process, or its end, shows that the exec is lost. */
static void states_miss_exec(struct states *states)
{
	const struct event *event = states->event;

	if (event->tid != states->target->launched ||
	    (event->kind != EVENT_FORK &&
	     (event->kind != EVENT_SWITCH || event->state != STATE_NONE)))
		return;
	states->awaits_exec = false;
	states_begin_at(states, states->first_ns, true);
}

/* --- Marks --------------------------------------------------------------------------------- */

uint32_t states_actor(const struct states *states, const struct thread *thread)
{
	const struct event *event = states->event;

	if (event->interrupt || event->tid == 0) /* the idle thread wakes only in interrupts */
		return BY_INTERRUPT;
	if (thread && thread->target && thread->number < BY_INTERRUPT)
		return thread->number;
	return thread ? BY_STRANGER : BY_NO_THREAD;
}

void states_tell_mark(struct states *states, const struct thread *thread, uint32_t by)
{
	struct mark mark = {states->event, states->now_ns, thread->number, thread->pid, by};

	if (states->take_mark && thread->target && states->begun)
		states->take_mark(states->mark_context, &mark);
}

/* --- Threads ------------------------------------------------------------------------------- */

static bool is_target(const struct states *states, const struct thread *thread)
{
	struct candidate candidate = {thread->tid, thread->pid, thread->comm, thread->in_tree};

	return selection_holds(&states->selection, &candidate);
}

struct change *states_enrol(struct states *states, struct thread *thread, bool from_now)
{
	uint64_t now_ns = states->now_ns;

	if (thread->target || !is_target(states, thread))
		return NULL;
	thread->target = true;
	thread->in_tree = selection_follows(&states->selection);
	thread->number = BY_NO_THREAD;
	thread->since_ns = now_ns;
	states->found_threads = true;
	if (!states->begun && (states->target->attached || states->awaits_exec))
		return NULL;
	thread->number = (uint32_t)states->target_threads++;
	if (!states->begun)
		states->begin_ns = from_now || !states->quality->events ? now_ns : states->first_ns;
	states->begun = true;
	if (from_now)
		return tell_change(states, thread, STATE_NONE, now_ns, now_ns, thread->state);
	if (thread->met)
		return tell_change(states, thread, STATE_UNKNOWN, states->begin_ns, now_ns,
				   thread->state);
	thread->since_ns = states->begin_ns;
	return NULL;
}

struct thread *states_find_or_add(struct states *states, int32_t tid)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	if (!thread && thread_table_takes(tid))
		thread = thread_table_add(&states->threads, tid);
	return thread;
}

bool states_describe(struct states *states, struct thread *thread, int32_t pid, const char *comm)
{
	bool renamed = *comm && *thread->comm && strcmp(comm, thread->comm) != 0;

	if (pid >= 0)
		thread_table_describe(&states->threads, thread, pid);
	if (*comm)
		memcpy(thread->comm, comm, sizeof(thread->comm));
	return renamed;
}

struct thread *states_replace(struct states *states, struct thread *thread)
{
	int32_t tid = thread->tid;

	states_note(states, QUALITY_REUSED_NUMBERS, thread, STATE_UNKNOWN, thread->since_ns);
	states_move_on(states, thread, STATE_UNKNOWN, STATE_NONE);
	thread_table_drop(&states->threads, thread);
	return thread_table_add(&states->threads, tid);
}

struct thread *states_meet_closer(struct states *states, int32_t tid, int32_t pid, const char *comm)
{
	bool reborn = thread_table_takes(tid) && thread_table_has_left(&states->threads, tid);
	struct thread *thread;
	bool replaced;

	if ((!states->lossy || states->target->filtered) &&
	    thread_table_has_ended(&states->threads, tid))
		return NULL;
	thread = states_find_or_add(states, tid);
	if (!thread) {
		if (tid) {
			states->quality->malformed++;
			states_tell_finding(states, QUALITY_MALFORMED);
		}
		return NULL;
	}
	replaced = states_is_another(thread, pid);
	if (replaced)
		thread = states_replace(states, thread);
	states_enrol(states, thread,
		     states_describe(states, thread, pid, comm) || replaced || reborn);
	if (reborn)
		states_note(states, QUALITY_REUSED_NUMBERS, thread, STATE_UNKNOWN, states->now_ns);
	return thread;
}

/* The time of a block may be of another clock, a little before or behind that of the kernel. */
void states_tell_block(struct states *states, const struct event *event)
{
	bool exists = thread_table_takes(event->tid) &&
		      !thread_table_has_left(&states->threads, event->tid);
	const struct thread *thread =
		exists ? states_meet(states, event->tid, event->pid, event->comm) : NULL;

	if (!thread)
		return;
	if (thread->target && states->begun && event->kind == EVENT_ENTER)
		++*(event->cpu < 0 ? &states->calls.blocks : &states->calls.probed);
	if (thread->target && states->begun && event->kind == EVENT_STEP)
		states->calls.steps++;
	states_tell_mark(states, thread, BY_NO_THREAD);
}

/* Work of the network belongs to no thread: the thread in such an event had no part in it. */
void states_tell_socket(struct states *states, const struct event *event)
{
	bool is_network = event->socket != SOCKET_RECEIVED && event->socket != SOCKET_SENT;
	struct mark mark = {event, states->now_ns, MARK_OF_NETWORK, -1, BY_NO_THREAD};
	const struct thread *thread;

	if (!is_network) {
		thread = states_meet(states, event->tid, event->pid, event->comm);
		if (!thread || !thread->target)
			return;
		mark.thread = thread->number;
		mark.pid = thread->pid;
	}
	if (states->take_socket && states->begun)
		states->take_socket(states->socket_context, &mark);
}

/* Returns the oldest change that is due, or NULL if none is. Borrowed until the next event. */
static inline const struct change *states_pop(struct states *states)
{
	const struct change *first = held_changes_first(&states->held);

	if (!first)
		return NULL;
	if (states->now_ns - first->end_ns < states->hold_ns &&
	    held_changes_count(&states->held) <= HELD_MAX)
		return NULL;
	states->given_ns = first->end_ns;
	return held_changes_take(&states->held, first);
}

/* --- Findings ------------------------------------------------------------------------------ */

static struct finding *add_finding(struct states *states, enum quality_fact fact)
{
	struct finding *finding;

	if (states->finding_begin == states->finding_end)
		states->finding_begin = states->finding_end = 0;
	array_reserve(&states->findings, &states->finding_capacity, states->finding_end + 1);
	finding = &states->findings[states->finding_end++];
	*finding = (struct finding){
		.fact = fact,
		.time_ns = states->now_ns,
		.place = states->event ? states->event->place : 0,
		.cpu = states->event ? states->event->cpu : -1,
		.tid = -1,
		.past = STATE_NONE,
	};
	return finding;
}

void states_tell_finding(struct states *states, enum quality_fact fact)
{
	struct finding *finding;

	if (!states->audited)
		return;
	finding = add_finding(states, fact);
	if (!states->event)
		return;
	finding->tid = states->event->tid;
	memcpy(finding->comm, states->event->comm, sizeof(finding->comm));
}

void states_note(struct states *states, enum quality_fact fact, const struct thread *thread,
		 enum thread_state past, uint64_t since_ns)
{
	struct finding *finding;

	if (!thread->target)
		return;
	quality_count(states->quality, fact);
	if (!states->audited)
		return;
	finding = add_finding(states, fact);
	finding->since_ns = since_ns;
	finding->past = past;
	finding->tid = thread->tid;
	memcpy(finding->comm, thread->comm, sizeof(finding->comm));
}

/* Gives the next finding; all are due at once. */
static bool states_pop_finding(struct states *states, struct finding *finding)
{
	if (states->finding_begin == states->finding_end)
		return false;
	*finding = states->findings[states->finding_begin++];
	return true;
}

/* --- The timeline -------------------------------------------------------------------------- */

struct timeline {
	struct event_source *source;
	struct states states;
	struct event_clock clock;
	struct event event; /* the last event */
	bool finished;	    /* the source has ended: now one thread after the other ends */
};

struct timeline *timeline_new(struct event_source *source, const struct selection *selection)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->source = source;
	states_init(&timeline->states, source, selection);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	states_release(&timeline->states);
	free(timeline);
}

void timeline_want_marks(struct timeline *timeline,
			 void (*take)(void *context, const struct mark *mark), void *context)
{
	timeline->states.take_mark = take;
	timeline->states.mark_context = context;
}

void timeline_want_sockets(struct timeline *timeline,
			   void (*take)(void *context, const struct mark *mark), void *context)
{
	timeline->states.take_socket = take;
	timeline->states.socket_context = context;
}

struct timeline_calls timeline_calls(const struct timeline *timeline)
{
	return timeline->states.calls;
}

uint64_t timeline_begin_ns(const struct timeline *timeline)
{
	return timeline->states.begin_ns;
}

size_t timeline_open(const struct timeline *timeline, struct change **open)
{
	return states_open(&timeline->states, open);
}

unsigned timeline_cpus(const struct timeline *timeline)
{
	return timeline->states.cpus.used;
}

/* Returns true if Linux may have this CPU and these processes, or -1. Threads are checked later. */
static inline bool has_good_numbers(const struct event *event)
{
	return (uint32_t)event->cpu + 1 <= CPU_MAX && (uint32_t)event->pid + 1 <= SPARSE_MAX &&
	       (uint32_t)event->other_pid + 1 <= SPARSE_MAX;
}

/* Replaces impossible numbers, which are damaged, by -1. */
static __attribute__((cold, noinline)) void drop_numbers(struct states *states, struct event *event)
{
	states->event = event;
	states->quality->malformed++;
	states_tell_finding(states, QUALITY_MALFORMED);
	if ((uint32_t)event->cpu >= CPU_MAX)
		event->cpu = -1;
	if ((uint32_t)event->pid >= SPARSE_MAX)
		event->pid = -1;
	if ((uint32_t)event->other_pid >= SPARSE_MAX)
		event->other_pid = -1;
}

/* Returns true for an event that names threads or places, but does not advance the time. */
static inline bool is_timeless(const struct states *states, const struct event *event)
{
	return event->kind == EVENT_TASK || event->kind == EVENT_NOTE ||
	       (event->kind == EVENT_LAST && !states->lossy);
}

/* Returns true for an event that may be recorded apart from, and later than, those around it. */
static inline bool is_aside(const struct event *event)
{
	const uint32_t aside =
		1U << EVENT_STATE | 1U << EVENT_GAP | 1U << EVENT_EXEC | 1U << EVENT_LAST;

	return aside >> event->kind & 1;
}

/* Handles an event older than the one before. Returns false if it does not count. */
static __attribute__((cold, noinline)) bool timeline_go_back(struct timeline *timeline,
							     const struct event *event)
{
	struct states *states = &timeline->states;
	struct quality *quality = states->quality;
	enum event_clock_step step = event_clock_step(&timeline->clock, event->time_ns);

	quality_count(quality, step == CLOCK_LATE ? QUALITY_LATE : QUALITY_CLOCK_BACK);
	states_tell_finding(states, step == CLOCK_LATE ? QUALITY_LATE : QUALITY_CLOCK_BACK);
	if (step == CLOCK_SET)
		event_rules_forget(states);
	return step != CLOCK_BACK;
}

/* Advances the time. Returns false if the event does not count. */
static inline bool timeline_advance(struct timeline *timeline, const struct event *event)
{
	if (is_aside(event)) {
		event_clock_reach(&timeline->clock, event->time_ns);
		return true;
	}
	if (!timeline->states.quality->events++)
		timeline->states.first_ns = event->time_ns;
	return event_clock_goes_on(&timeline->clock, event->time_ns) ||
	       timeline_go_back(timeline, event);
}

static inline void timeline_apply(struct timeline *timeline, const struct event *event)
{
	struct states *states = &timeline->states;
	const struct target_info *target = states->target;

	states->event = event;
	if (!is_timeless(states, event)) {
		if (!timeline_advance(timeline, event))
			return;
		states->now_ns = timeline->clock.now_ns;
		if (target->attached && !states->begun && states->now_ns >= target->start_ns)
			states_begin_at(states, target->start_ns, false);
	}
	if (states->awaits_exec)
		states_miss_exec(states);
	event_rules_apply(states, event);
	if (states->awaits_exec)
		states_see_exec(states);
}

/* Prepares the end of all intervals at the end of the recording; they end one by one, on demand. */
static void timeline_finish(struct states *states)
{
	const struct target_info *target = states->target;

	states->event = NULL;
	states->hold_ns = 0;
	if (target->attached && target->end_ns > states->now_ns)
		states->now_ns = target->end_ns;
	if ((target->attached || states->awaits_exec) && !states->begun)
		states_begin_at(states, target->attached ? target->start_ns : states->first_ns,
				!target->attached);
	if (states->quality->no_wakes) {
		/* The recording has no wakes: the flaw counts only if one was needed. */
		states->quality->no_wakes = states->quality->repaired_wakes > 0;
		states->quality->repaired_wakes = 0;
	}
	if (states->quality->partial) { /* single ones are not missing, either */
		states->quality->partial =
			states->quality->missed_switch_ins || states->quality->missed_switch_outs;
		states->quality->missed_switch_ins = 0;
	}
}

/* Ends one thread, and drops it. Returns false if there is none. */
static bool end_next_thread(struct states *states)
{
	struct thread *thread = thread_table_first(&states->threads);

	if (!thread)
		return false;
	if (thread->target)
		states_move_on(states, thread, states_at_end(states, thread), STATE_NONE);
	thread_table_drop(&states->threads, thread);
	return true;
}

/* Reports that the recording has no thread of the target. */
static int refuse_nothing(struct states *states, struct err *err)
{
	char *names = thread_table_names(&states->threads);
	uint64_t damaged_at = states->quality->damaged_at;
	char *words = states->is_chosen ? selection_words(&states->selection) : NULL;
	char *question = thread_table_question(&states->threads, states->selection.comm);

	if (words)
		err_set(err, "the recording has no thread for %s%s%s", words,
			question ? "; " : names, question ? question : "");
	else
		err_set(err, "the recording %s",
			states->as_recorded
				? "holds nothing of the target; name another one with --comm"
				: "shows no thread; record while the program runs");
	if (damaged_at)
		err_wrap(err, "cut off or damaged at byte %" PRIu64, damaged_at);
	free(question);
	free(words);
	free(names);
	return -1;
}

/* Applies the next event. Returns 1, 0 if all changes were given out, or -1 with an error. */
static inline int timeline_step(struct timeline *timeline, struct err *err)
{
	struct event *event = &timeline->event;
	int rc;

	if (timeline->finished)
		return end_next_thread(&timeline->states);
	rc = event_source_next(timeline->source, event, err);
	if (rc < 0)
		return -1;
	if (!timeline->states.started)
		states_start(&timeline->states);
	if (rc) {
		if (!has_good_numbers(event))
			drop_numbers(&timeline->states, event);
		timeline_apply(timeline, event);
		return 1;
	}
	timeline->finished = true;
	timeline_finish(&timeline->states);
	return timeline->states.target_threads ? 1 : refuse_nothing(&timeline->states, err);
}

int timeline_borrow(struct timeline *timeline, const struct change **change, struct err *err)
{
	while (!(*change = states_pop(&timeline->states))) {
		int rc = timeline_step(timeline, err);

		if (rc <= 0)
			return rc;
	}
	return 1;
}

int timeline_next(struct timeline *timeline, struct change *change, struct err *err)
{
	const struct change *borrowed;
	int rc = timeline_borrow(timeline, &borrowed, err);

	if (rc > 0)
		*change = *borrowed;
	return rc;
}

int timeline_next_finding(struct timeline *timeline, struct finding *finding, struct err *err)
{
	timeline->source->audited = timeline->states.audited = true;
	while (!states_pop_finding(&timeline->states, finding)) {
		int rc = timeline_step(timeline, err);

		if (rc <= 0)
			return rc;
		while (states_pop(&timeline->states))
			; /* changes are not wanted */
	}
	return 1;
}
