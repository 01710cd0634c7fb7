/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a timeline, their states, and the changes of these. timeline.c holds them and says
 * when events happen, event_rules.c has the rule of each event, and occupancy.c the way of threads
 * onto CPUs and off; thread_table.c and held_changes.c are the containers.
 */
#ifndef PSCAL_DECODE_TIMELINE_TIMELINE_PRIVATE_H
#define PSCAL_DECODE_TIMELINE_TIMELINE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "decode/event/event.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "decode/timeline/timeline.h"

/* --- Threads and CPUs ---------------------------------------------------------------------- */

/*
 * The living threads that a timeline knows, by tid and in the order of their appearance, and the
 * CPUs with the thread that runs on each.
 */

/*
 * A thread that was found on a CPU without a record that it got the CPU: a later event may say
 * when. There are few such threads at a time.
 */
struct found {
	struct thread *thread;
	uint64_t begin_ns; /* the beginning of the interval that ended when it was found */
	uint64_t since_ns; /* the thread got the CPU no earlier */
	int32_t waker;
	enum thread_state from, past; /* earlier state: as known, and once the time is known */
	enum thread_state without;    /* ... and as long as it is not */
};

/* A timeline may have a million threads: no member has more bytes than it needs. */
struct thread {
	int32_t tid, pid; /* pid -1: not known */
	char comm[COMM_SIZE];
	uint64_t since_ns;   /* the beginning of `state` */
	uint64_t seen_ns;    /* the last time it was known to run */
	uint64_t left_ns;    /* the last time it left a CPU */
	int32_t cpu, waker;  /* the CPU and the waker of `state`; -1: none */
	uint32_t chain;	     /* the call chain of its last switch-out; 0: not known */
	uint32_t start;	     /* the start, see struct change */
	uint32_t call_chain; /* the call chain of the system call that it is in */
	uint32_t number;     /* among the target's threads */
	uint32_t known;	     /* the place in thread_table.known, from 1 on; 0: none */
	uint32_t serial;     /* counts the threads that appeared */
	uint32_t told;	     /* the place of its last change; 0: none */
	uint32_t found;	     /* the place in thread_table.found, from 1 on; 0: none */
	/* Places in the table; 0: none. */
	uint32_t place;				 /* the place of this thread */
	uint32_t previous, next;		 /* the neighbours in the order of appearance */
	uint32_t process_previous, process_next; /* the neighbours in the ring of the process */
	enum thread_state state;
	bool target;		 /* the thread belongs to the target: its changes are reported */
	bool met : 1;		 /* an event has shown its state */
	bool woken : 1;		 /* a wakeup came while it ran */
	bool maybe_woken : 1;	 /* `woken` when it last left a CPU */
	bool left_by_switch : 1; /* a sched_switch showed that it left its CPU */
	bool newborn : 1;	 /* the fork of the thread is the only event so far */
	bool born : 1;		 /* the fork of the thread is recorded */
	bool in_tree : 1;	 /* a descendant of the target */
	bool exiting : 1;	 /* the thread runs for the last time */
	bool recorded : 1;	 /* a thread of the recorded target created it */
	bool unsure : 1;	 /* it left its CPU for an unknown reason: `state` is unknown */
};

static inline bool thread_is_known(const struct thread *thread)
{
	return thread->state != STATE_ACTIVE && thread->state != STATE_UNKNOWN;
}

static inline bool thread_was_woken(const struct thread *thread)
{
	return thread->state == STATE_RUNNABLE ||
	       (thread->state >= STATE_INACTIVE && thread->maybe_woken);
}

/* THREAD_BLOCK is so large that the C library gives a freed block back to the kernel. */
enum { THREAD_NAMES = 8, THREAD_BLOCK = 4096 };

struct thread_table {
	struct sparse by_tid;
	struct sparse by_pid;	/* the thread that is longest in the process */
	uint32_t first, last;	/* places of the first and the last thread */
	struct thread **blocks; /* the threads, THREAD_BLOCK in each block */
	size_t block_capacity;
	uint32_t used;	 /* the number of places that were ever used */
	uint32_t unused; /* the first free place, linked by `next` */
	uint32_t *known; /* places of threads with a known state since the last loss */
	size_t known_count, known_capacity;
	struct found *found; /* unordered */
	size_t found_count, found_capacity;
	uint32_t added;
	struct thread ended; /* stands in `by_tid` for a thread that ended */
	struct thread gone;  /* stands in `by_tid` for a thread that left its CPU for ever */
	struct {
		int32_t id; /* the thread or its process; -1: only names are shown */
		char comm[COMM_SIZE];
	} names[THREAD_NAMES]; /* the first threads that ended */
	size_t name_count;
	bool names_tids, names_pids;
	const struct target_info
		*target; /* borrowed: names of other programs are not kept; NULL: all are */
};

/* Returns true if the thread belongs to the recorded target, whatever the user has selected. */
bool thread_table_is_recorded(const struct thread_table *table, const struct thread *thread);

/*
 * Returns "; its threads are pigz, xz", or "; its processes are 17 (pigz), 18 (xz)" if the user
 * asked for numbers: the first of them. The caller frees the text.
 */
char *thread_table_names(struct thread_table *table);

/* Returns "did you mean 'pigz'?", which the caller frees, or NULL; after thread_table_names(). */
char *thread_table_question(const struct thread_table *table, const char *comm);

/* Returns the thread at a place; NULL for place 0. */
static inline struct thread *thread_table_at(const struct thread_table *table, uint32_t place)
{
	uint32_t i = place - 1;

	return place ? &table->blocks[i / THREAD_BLOCK][i % THREAD_BLOCK] : NULL;
}

/* Return the first thread, and the one that appeared after `thread`, or NULL if there is none. */
static inline struct thread *thread_table_first(const struct thread_table *table)
{
	return thread_table_at(table, table->first);
}

static inline struct thread *thread_table_next(const struct thread_table *table,
					       const struct thread *thread)
{
	return thread_table_at(table, thread->next);
}

/* Returns true if a thread may have this number; 0 is the idle thread of a CPU. */
static inline bool thread_table_takes(int32_t tid)
{
	return tid > 0 && tid < SPARSE_MAX;
}

/* Returns the thread with this number, or NULL if there is none. */
static inline struct thread *thread_table_find(const struct thread_table *table, int32_t tid)
{
	struct thread *found =
		thread_table_takes(tid) ? sparse_get(&table->by_tid, (uint32_t)tid) : NULL;

	return found == &table->ended || found == &table->gone ? NULL : found;
}

/* Notes the end of the thread with this number, up to the next thread with it. */
void thread_table_end(struct thread_table *table, int32_t tid);
static inline bool thread_table_has_ended(const struct thread_table *table, int32_t tid)
{
	return sparse_get(&table->by_tid, (uint32_t)tid) == &table->ended;
}

/* Notes the end of a thread by its last switch: an event of its number is of another thread. */
void thread_table_leave(struct thread_table *table, struct thread *thread);
static inline bool thread_table_has_left(const struct thread_table *table, int32_t tid)
{
	return sparse_get(&table->by_tid, (uint32_t)tid) == &table->gone;
}

/* Adds a thread in STATE_UNKNOWN; there must be none with this tid. */
struct thread *thread_table_add(struct thread_table *table, int32_t tid);

/* Removes the thread, and frees it. */
void thread_table_drop(struct thread_table *table, struct thread *thread);

/* Puts the thread into this process; -1: not known. */
void thread_table_describe(struct thread_table *table, struct thread *thread, int32_t pid);

/*
 * Return the first thread of a process, and the one that came to it after `thread`, except for
 * those set aside, or NULL if there is none.
 */
struct thread *thread_table_first_of(const struct thread_table *table, int32_t pid);
struct thread *thread_table_next_of(const struct thread_table *table, const struct thread *thread);

/* Hides a thread from the list of its process, until it is put back at the end of it. */
void thread_table_set_aside(struct thread_table *table, struct thread *thread);
void thread_table_put_back(struct thread_table *table, struct thread *thread);

/* Adds the thread to the known ones. */
void thread_table_begin_to_know(struct thread_table *table, struct thread *thread);

/* Adds the thread to the known ones, unless it is one. */
static inline void thread_table_learn(struct thread_table *table, struct thread *thread)
{
	if (!thread->known)
		thread_table_begin_to_know(table, thread);
}

/* Sorts the known threads by their appearance, for a caller that is about to forget them. */
void thread_table_sort_known(struct thread_table *table);

/* Empties the list of known threads. */
void thread_table_forget_known(struct thread_table *table);

/* Adds the record of a thread that was found running; it must have none. */
void thread_table_add_found(struct thread_table *table, const struct found *found);

/* Returns the record of the thread, or NULL; valid until one is added or forgotten. */
static inline const struct found *thread_table_found(const struct thread_table *table,
						     const struct thread *thread)
{
	return thread->found ? &table->found[thread->found - 1] : NULL;
}

/* Removes the record of the thread. */
void thread_table_forget_found(struct thread_table *table, struct thread *thread);

void thread_table_release(struct thread_table *table);

/* The thread on a CPU, and the use of the CPU by the target. */
struct cpu_state {
	uint64_t since_ns; /* the time when `tid` got the CPU; 0: not known */
	int32_t tid;	   /* the thread on the CPU; 0: none, -1: no longer known */
	int32_t before;	   /* the thread that left the CPU to `tid`; -1: not known */
	bool used;	   /* the target has used the CPU */
	bool recent;	   /* the CPU is in the list `recent` */
	uint32_t epoch;	   /* cpu_table.epoch when `tid` was put here */
	uint64_t told_ns;  /* the end of the last run reported on this CPU */
};

struct cpu_table {
	struct cpu_state *cpus;
	size_t capacity;
	unsigned used;	 /* the number of CPUs with `used` */
	int32_t *recent; /* CPUs with a thread put since the last time that all were forgotten */
	size_t recent_count, recent_capacity;
	uint32_t epoch;	       /* the number of times that all CPUs were forgotten */
	uint64_t forgotten_ns; /* the last such time */
};

/* Returns the thread on a CPU; 0: none, or never known; -1: no longer known. */
static inline int32_t cpu_table_at(const struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return 0;
	return table->cpus[cpu].epoch == table->epoch ? table->cpus[cpu].tid : -1;
}

/* Returns the state of a CPU; all zero if nothing is known. */
struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu);

/*
 * Puts `tid` on a CPU from `since_ns` on, which `before` has left to it. Returns the thread that
 * was on the CPU as far as the table knew; 0 for an impossible CPU.
 */
int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns);

/* Forgets the thread on a CPU from `since_ns` on; -1: on all CPUs. */
void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns);

/*
 * Notes a run on a CPU that is reported. Returns false, and notes nothing, if the run of another
 * thread there ended after this one began.
 */
bool cpu_table_tell(struct cpu_table *table, int32_t cpu, uint64_t begin_ns, uint64_t end_ns);

/* Notes the first use of a CPU by the target. */
void cpu_table_begin_use(struct cpu_table *table, int32_t cpu);

/* Notes a use of a CPU by the target. */
static inline void cpu_table_use(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity || !table->cpus[cpu].used)
		cpu_table_begin_use(table, cpu);
}

void cpu_table_release(struct cpu_table *table);

/* --- Changes that are held back ------------------------------------------------------------ */

/*
 * Changes that are not given out yet, as later events may amend them or add earlier ones. They come
 * out in the order of their ends. Most come in that order, and are in a ring. A change that comes
 * too late for the ring, or is amended, is in a heap, so that either costs O(log n) at most.
 */

struct late_change;

struct held_changes {
	struct change *ring;	  /* the size is a power of two or 0 */
	size_t size, begin, end;  /* begin and end are never reduced */
	struct late_change *late; /* a heap; the earliest is the first */
	size_t late_count, late_capacity;
	uint64_t serial; /* the number of changes ever put into the heap */
};

void held_changes_release(struct held_changes *held);

/* Returns the number of places taken, also by amended changes. */
static inline size_t held_changes_count(const struct held_changes *held)
{
	return held->end - held->begin + held->late_count;
}

/*
 * Returns the place of a change with this end, behind those with the same end; the caller fills it
 * in at once. *place finds it again: the number of the change modulo 2^32; 0: it cannot be found.
 */
struct change *held_changes_add(struct held_changes *held, uint64_t end_ns, uint32_t *place);

/* Returns the change at a place, or NULL if it is no longer held there. */
struct change *held_changes_find(const struct held_changes *held, uint32_t place);

/* Moves the end of the change at a place back to `end_ns`, behind those with the same end. */
struct change *held_changes_advance(struct held_changes *held, uint32_t place, uint64_t end_ns);

const struct change *held_changes_first_late(const struct held_changes *held,
					     const struct change *first);
const struct change *held_changes_take_late(struct held_changes *held);

/* The thread of a change in the ring that has moved to the heap. */
#define HELD_MOVED SIZE_MAX

static inline struct change *held_at(const struct held_changes *held, size_t i)
{
	return &held->ring[i & (held->size - 1)];
}

/* Returns the first change, or NULL if there is none. */
static inline const struct change *held_changes_first(struct held_changes *held)
{
	const struct change *first;

	while (held->begin != held->end && held_at(held, held->begin)->thread == HELD_MOVED)
		held->begin++;
	first = held->begin == held->end ? NULL : held_at(held, held->begin);
	return held->late_count ? held_changes_first_late(held, first) : first;
}

/* Removes the first change, which is valid until one is added. */
static inline const struct change *held_changes_take(struct held_changes *held,
						     const struct change *first)
{
	if (held->late_count && (held->begin == held->end || first != held_at(held, held->begin)))
		return held_changes_take_late(held);
	held->begin++;
	__builtin_prefetch(held_at(held, held->begin + 8)); /* the entry was written long ago */
	return first;
}

/* Copies all changes, in order, to room for held_changes_count(). Returns their number. */
size_t held_changes_copy(const struct held_changes *held, struct change *changes);

/* --- States -------------------------------------------------------------------------------- */

struct states {
	const struct target_info *target; /* borrowed */
	struct quality *quality;	  /* borrowed; cases are counted into it */
	struct selection selection;
	struct thread_table threads;
	struct cpu_table cpus;
	size_t target_threads;	  /* threads of the target with a number: none before begin_ns */
	struct held_changes held; /* changes not given out yet */
	struct finding *findings; /* findings not given out yet, of an audit */
	size_t finding_begin, finding_end, finding_capacity;
	struct timeline_calls calls;
	void (*take_mark)(void *context, const struct mark *mark); /* NULL: marks are not wanted */
	void *mark_context;
	void (*take_socket)(void *context, const struct mark *mark); /* NULL: not wanted */
	void *socket_context;
	const struct event *event; /* the current event; NULL: none */
	uint64_t first_ns, now_ns, begin_ns;
	uint64_t hold_ns;   /* the age at which a change is given out */
	uint64_t given_ns;  /* the end of the last change that was given out */
	bool is_chosen;	    /* the user has chosen the target */
	bool as_recorded;   /* else: the input names the target */
	bool started;	    /* the selection is final */
	bool begun;	    /* begin_ns is known */
	bool found_threads; /* there is a thread of the target */
	bool awaits_exec;   /* begin_ns is the exec of the launched process */
	bool audited;	    /* findings are wanted */
	bool lossy;	    /* records were lost: unseen events may have happened */
};

static inline bool states_was_idle(const struct states *states, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.since_ns && !state.tid;
}

/* Returns true if another thread has had the CPU since the thread runs. */
static inline bool states_was_taken(const struct states *states, const struct thread *thread,
				    int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.tid != thread->tid && state.since_ns > thread->since_ns;
}

/*
 * Ends the interval of `thread`, which was in state `was`, and begins one in state `next`. Returns
 * the change, or NULL if there is none; valid until the next one.
 */
struct change *states_move_on(struct states *states, struct thread *thread, enum thread_state was,
			      enum thread_state next);

/*
 * Does the same as states_move_on() at `at_ns`: no earlier than the thread's last change and
 * states->given_ns, no later than now.
 */
struct change *states_move_on_at(struct states *states, struct thread *thread,
				 enum thread_state was, enum thread_state next, uint64_t at_ns);

/*
 * Moves the end of the interval before a thread was found running back to `at_ns`. Returns false if
 * that is too late, as the change was given out.
 */
bool states_amend(struct states *states, const struct found *found, uint64_t at_ns);

/*
 * Counts a case of `fact` on an interval of a thread, which is assumed to be in `past`, if the
 * thread belongs to the target, and adds it to the findings of an audit.
 */
void states_note(struct states *states, enum quality_fact fact, const struct thread *thread,
		 enum thread_state past, uint64_t since_ns);

/* Adds a finding on the event and no thread, which the caller counts. */
void states_tell_finding(struct states *states, enum quality_fact fact);

/* Returns the thread of this number, new if need be, or NULL for idle and impossible ones. */
struct thread *states_find_or_add(struct states *states, int32_t tid);

/* Gives the current event to the taker of marks, as a mark on `thread`. */
void states_tell_mark(struct states *states, const struct thread *thread, uint32_t by);

/* Handles an event of a block of code, a task or a page fault. */
void states_tell_block(struct states *states, const struct event *event);

/* Handles an event of a thread of the target, or of the network, at a socket. */
void states_tell_socket(struct states *states, const struct event *event);

/* Returns the actor of the current event, as in struct change. NULL: the actor is not known. */
uint32_t states_actor(const struct states *states, const struct thread *thread);

/*
 * Checks if `thread` has just joined the target. One that was born or renamed now (`from_now`)
 * counts from now on; of any other the past is unknown, back to the beginning of the timeline.
 * Returns the change, or NULL if there is none; valid until the next one.
 */
struct change *states_enrol(struct states *states, struct thread *thread, bool from_now);

/* Returns true if `pid` is not the process of `thread`: the number is used again. */
static inline bool states_is_another(const struct thread *thread, int32_t pid)
{
	return thread->met && pid > 0 && thread->pid > 0 && thread->pid != pid;
}

/* Ends `thread`, whose number is used again; its end is not recorded. Returns the new thread. */
struct thread *states_replace(struct states *states, struct thread *thread);

/* Notes the process and the name of a thread. Returns true if the name has changed. */
bool states_describe(struct states *states, struct thread *thread, int32_t pid, const char *comm);

/* Returns the thread of an event, all of the above done; NULL: idle, impossible or ended. */
struct thread *states_meet_closer(struct states *states, int32_t tid, int32_t pid,
				  const char *comm);

/* Does the same as states_meet_closer(), fast for a thread of the target that has not changed. */
static inline struct thread *states_meet(struct states *states, int32_t tid, int32_t pid,
					 const char *comm)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	if (thread && thread->target && (pid < 0 || pid == thread->pid) &&
	    (!*comm || memcmp(comm, thread->comm, sizeof(thread->comm)) == 0))
		return thread;
	return states_meet_closer(states, tid, pid, comm);
}

/* --- Occupancy ----------------------------------------------------------------------------- */

/* The thread `tid`, if it runs on this CPU; else NULL. */
struct thread *occupancy_runner(const struct states *states, int32_t cpu, int32_t tid);

/* Ends the run of this thread, if it is still on the CPU that another one has taken. */
void occupancy_displace(struct states *states, int32_t cpu, int32_t tid);

/*
 * Gives `cpu` to `tid` from `since_ns` on, after `leaving` has left it. If another thread was on
 * it, that one left unseen; if it was about to end, it is dropped.
 */
static inline void occupancy_take(struct states *states, int32_t cpu, int32_t leaving, int32_t tid,
				  uint64_t since_ns)
{
	int32_t before = cpu_table_put(&states->cpus, cpu, tid, leaving, since_ns);

	if (before != leaving && before != tid)
		occupancy_displace(states, cpu, before);
}

/* Returns the past state of a thread found on a CPU without a record that it got the CPU. */
enum thread_state occupancy_past(struct states *states, const struct thread *thread);

/*
 * Give a CPU to a thread, and take it away. The first returns the change, valid until the next one,
 * or NULL if there is none. A thread that leaves for STATE_NONE is dropped.
 */
struct change *occupancy_enter(struct states *states, struct thread *thread, int32_t cpu);
void occupancy_leave(struct states *states, struct thread *thread, int32_t cpu,
		     enum thread_state next);

/*
 * Puts the thread on a CPU, however it got there. One that was found ready to run has been there
 * all the time, unless another has had the CPU since.
 */
void occupancy_find(struct states *states, struct thread *thread, int32_t cpu);

/* Puts a thread that may run at an unknown place on this CPU, which it may be about to leave. */
void occupancy_settle(struct states *states, struct thread *thread, int32_t cpu);

/* Confirms that the thread runs on a CPU. Returns true if nothing else is to be done. */
static inline bool occupancy_confirm(const struct states *states, struct thread *thread,
				     int32_t cpu)
{
	if (thread->state != STATE_RUNNING || thread->cpu != cpu || thread->found)
		return false;
	thread->seen_ns = states->now_ns;
	return true;
}

/* Handles a thread that runs, and has run for `ran_ns`; cpu -1: on an unknown CPU. */
void occupancy_ran(struct states *states, struct thread *thread, int32_t cpu, uint64_t ran_ns);

/* --- Rules --------------------------------------------------------------------------------- */

/* Applies the rules that timeline.h lists: `event` happens now. */
void event_rules_apply(struct states *states, const struct event *event);

/* Forgets all states: the time between this event and the one before is unknown. */
void event_rules_forget(struct states *states);

#endif
