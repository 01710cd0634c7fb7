/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a timeline, what each of them is doing now, and the changes that this makes.
 * timeline.c holds them and says when events happen, event_rules.c what each event means;
 * thread_table.c and held_changes.c are its containers.
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
 * The threads that a timeline knows to live, by tid and in the order of their appearance; and the
 * CPUs, which of them runs on each.
 */

/*
 * A thread was found on a CPU which it was not seen to get: since when may yet be told. This is so
 * of few threads at a time.
 */
struct found {
	struct thread *thread;
	uint64_t begin_ns; /* of the interval that ended when it was found */
	uint64_t since_ns; /* it cannot have had the CPU before this */
	int32_t waker;
	enum thread_state from, past; /* what it did up to then: as known, if it is told when */
};

/* There may be a million of them: no field has more bytes than it needs. */
struct thread {
	int32_t tid, pid; /* pid -1: not known */
	char comm[COMM_SIZE];
	uint64_t since_ns;   /* it is in `state` from here */
	uint64_t seen_ns;    /* it was last known to run */
	uint64_t left_ns;    /* it was last seen to leave a CPU */
	int32_t cpu, waker;  /* in `state`; -1: none */
	uint32_t chain;	     /* of calls, when it last left a CPU; 0: not known */
	uint32_t start;	     /* as in struct change */
	uint32_t call_chain; /* ... when it began the system call that it is in */
	uint32_t number;     /* among the target's threads */
	uint32_t known;	     /* its place among the known, from 1 on; 0: it is not */
	uint32_t serial;     /* of its appearance */
	uint32_t told;	     /* the place of its last change; 0: it has none */
	uint32_t found;	     /* its place among those found running, from 1 on; 0: it is not */
	/* Places in the table, of which 0 is none: */
	uint32_t place;				 /* its own */
	uint32_t previous, next;		 /* ... in the order of appearance */
	uint32_t process_previous, process_next; /* a ring, of its process */
	enum thread_state state;
	bool target;		 /* counted: changes are told */
	bool met : 1;		 /* there has been evidence of its state */
	bool woken : 1;		 /* while it ran */
	bool maybe_woken : 1;	 /* `woken` when it went to sleep */
	bool left_by_switch : 1; /* a sched_switch told that it left its CPU */
	bool newborn : 1;	 /* only its fork has been evidence */
	bool born : 1;		 /* its fork is on record */
	bool in_tree : 1;	 /* a descendant of the target */
	bool exiting : 1;	 /* it runs for the last time */
	bool recorded : 1;	 /* created by a thread of the target of the recording */
	bool unsure : 1;	 /* it left its CPU, not told why: `state` is unknown */
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

/* So large that the C library gives a block back to the kernel when it is freed. */
enum { THREAD_NAMES = 8, THREAD_BLOCK = 4096 };

struct thread_table {
	struct sparse by_tid;
	struct sparse by_pid;	/* the one that has been longest in the process */
	uint32_t first, last;	/* places */
	struct thread **blocks; /* the threads themselves, THREAD_BLOCK in one */
	size_t block_capacity;
	uint32_t used;	 /* places that ever were */
	uint32_t unused; /* ... and are free again, linked by `next` */
	uint32_t *known; /* places: something is, since all was last forgotten */
	size_t known_count, known_capacity;
	struct found *found; /* in no order */
	size_t found_count, found_capacity;
	uint32_t added;
	struct thread ended; /* stands in `by_tid` for one that has */
	struct thread gone;  /* ... for one that was seen to leave its last CPU */
	struct {
		int32_t id; /* of the thread or its process; -1: threads are told by name alone */
		char comm[COMM_SIZE];
	} names[THREAD_NAMES]; /* of the first threads that have ended */
	size_t name_count;
	bool names_tids, names_pids;
	const struct target_info
		*target; /* borrowed: names of other programs are not kept; NULL: of all */
};

/* Does the thread belong to the target of the recording, whatever the user has selected? */
bool thread_table_is_recorded(const struct thread_table *table, const struct thread *thread);

/*
 * "; its threads are pigz, xz", or "; its processes are 17 (pigz), 18 (xz)" where numbers were asked
 * for: the first of them; to be freed.
 */
char *thread_table_names(struct thread_table *table);

/* "did you mean 'pigz'?", behind thread_table_names; to be freed. NULL: no name is near, or asked for. */
char *thread_table_question(const struct thread_table *table, const char *comm);

/* The thread at a place; NULL: at none. */
static inline struct thread *thread_table_at(const struct thread_table *table, uint32_t place)
{
	uint32_t i = place - 1;

	return place ? &table->blocks[i / THREAD_BLOCK][i % THREAD_BLOCK] : NULL;
}

/* The first thread, or the one that appeared after `thread`; NULL when there is none. */
static inline struct thread *thread_table_first(const struct thread_table *table)
{
	return thread_table_at(table, table->first);
}

static inline struct thread *thread_table_next(const struct thread_table *table,
					       const struct thread *thread)
{
	return thread_table_at(table, thread->next);
}

/* Can a thread have this number? 0 is the idle thread of a CPU, and none. */
static inline bool thread_table_takes(int32_t tid)
{
	return tid > 0 && tid < SPARSE_MAX;
}

/* NULL when there is none. */
static inline struct thread *thread_table_find(const struct thread_table *table, int32_t tid)
{
	struct thread *found =
		thread_table_takes(tid) ? sparse_get(&table->by_tid, (uint32_t)tid) : NULL;

	return found == &table->ended || found == &table->gone ? NULL : found;
}

/* A thread has ended, and none of this number has been added since. */
void thread_table_end(struct thread_table *table, int32_t tid);
static inline bool thread_table_has_ended(const struct thread_table *table, int32_t tid)
{
	return sparse_get(&table->by_tid, (uint32_t)tid) == &table->ended;
}

/* The same, seen by its last switch: what has its number now is another thread. */
void thread_table_leave(struct thread_table *table, struct thread *thread);
static inline bool thread_table_has_left(const struct thread_table *table, int32_t tid)
{
	return sparse_get(&table->by_tid, (uint32_t)tid) == &table->gone;
}

/* A new thread in STATE_UNKNOWN; there must be none of this tid. */
struct thread *thread_table_add(struct thread_table *table, int32_t tid);

/* Takes the thread out and frees it. */
void thread_table_drop(struct thread_table *table, struct thread *thread);

/* The thread turns out to be of this process; -1: not known. */
void thread_table_describe(struct thread_table *table, struct thread *thread, int32_t pid);

/*
 * The first thread of a process, and the next one that came to it, but for those set aside; NULL
 * when there is none.
 */
struct thread *thread_table_first_of(const struct thread_table *table, int32_t pid);
struct thread *thread_table_next_of(const struct thread_table *table, const struct thread *thread);

/* The thread of a process is not to be found among the others, until it is put back behind them. */
void thread_table_set_aside(struct thread_table *table, struct thread *thread);
void thread_table_put_back(struct thread_table *table, struct thread *thread);

/* Something is known of the thread, for the first time ... */
void thread_table_begin_to_know(struct thread_table *table, struct thread *thread);

/* ... or once more. */
static inline void thread_table_learn(struct thread_table *table, struct thread *thread)
{
	if (!thread->known)
		thread_table_begin_to_know(table, thread);
}

/* Puts the known into the order of their appearance, for a caller that is to forget them. */
void thread_table_sort_known(struct thread_table *table);

/* They are known no more. */
void thread_table_forget_known(struct thread_table *table);

/* Remembers a thread that was found running; there is no entry of it yet ... */
void thread_table_add_found(struct thread_table *table, const struct found *found);

/* ... valid until one is added or forgotten ... */
static inline const struct found *thread_table_found(const struct thread_table *table,
						     const struct thread *thread)
{
	return thread->found ? &table->found[thread->found - 1] : NULL;
}

/* ... and remembered no more. */
void thread_table_forget_found(struct thread_table *table, struct thread *thread);

void thread_table_release(struct thread_table *table);

/* The thread on each CPU, and which CPUs the target has used. */
struct cpu_state {
	uint64_t since_ns; /* of `tid`; 0: not known */
	int32_t tid;	   /* the thread that runs on it; 0: none, -1: not known any more */
	int32_t before;	   /* the one that left it then, as far as that was seen; else -1 */
	bool used;	   /* by the target */
	bool recent;	   /* it is in the list of those */
	uint32_t epoch;	   /* how often all CPUs had been forgotten when this was known */
	uint64_t told_ns;  /* up to here threads have been told to run on it */
};

struct cpu_table {
	struct cpu_state *cpus;
	size_t capacity;
	unsigned used;	 /* how many */
	int32_t *recent; /* those of which anything was put since all were forgotten */
	size_t recent_count, recent_capacity;
	uint32_t epoch;	       /* how often that was */
	uint64_t forgotten_ns; /* ... and when */
};

/* The thread that runs on a CPU; 0: none, or never known; -1: not known any more. */
static inline int32_t cpu_table_at(const struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return 0;
	return table->cpus[cpu].epoch == table->epoch ? table->cpus[cpu].tid : -1;
}

/* All that is known of a CPU; zero where that is nothing. */
struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu);

/*
 * From `since_ns` on `tid` is on a CPU, which `before` has left for it. Returns the thread that was
 * on it as far as the table knew; 0 for a CPU that cannot be.
 */
int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns);

/* From `since_ns` on it is not known any more which thread runs on a CPU; -1: on any. */
void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns);

/*
 * A thread is told to have run on a CPU. Returns false, and tells nothing, if another has been told
 * to have run there after its run began.
 */
bool cpu_table_tell(struct cpu_table *table, int32_t cpu, uint64_t begin_ns, uint64_t end_ns);

/* The target has been seen on it, for the first time ... */
void cpu_table_begin_use(struct cpu_table *table, int32_t cpu);

/* ... or once more. */
static inline void cpu_table_use(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity || !table->cpus[cpu].used)
		cpu_table_begin_use(table, cpu);
}

void cpu_table_release(struct cpu_table *table);

/* --- Changes that are held back ------------------------------------------------------------ */

/*
 * Changes that are not given out yet, as later events may amend them or tell of earlier ones.
 * They come out in the order of their ends, of which most are told in order: those are in a ring.
 * A change that is told too late for it, or amended, is in a heap, so that either costs O(log n) at
 * most.
 */

struct late_change;

struct held_changes {
	struct change *ring;	  /* its size is a power of two or 0 */
	size_t size, begin, end;  /* the last two count up for ever */
	struct late_change *late; /* a heap; the earliest is the first */
	size_t late_count, late_capacity;
	uint64_t serial; /* how many have got into it */
};

void held_changes_release(struct held_changes *held);

/* The number of places taken, also by amended changes. */
static inline size_t held_changes_count(const struct held_changes *held)
{
	return held->end - held->begin + held->late_count;
}

/*
 * The place of a change that ends then, which the caller fills in at once; it stands behind those
 * that end at the same time. *place is where to find it again, the number of the change modulo 2^32;
 * 0: nowhere.
 */
struct change *held_changes_add(struct held_changes *held, uint64_t end_ns, uint32_t *place);

/* The change at a place; NULL when it is not held there any more. */
struct change *held_changes_find(const struct held_changes *held, uint32_t place);

/* The change at a place ends earlier, at `end_ns`, and stands behind those that do so, too. */
struct change *held_changes_advance(struct held_changes *held, uint32_t place, uint64_t end_ns);

const struct change *held_changes_first_late(const struct held_changes *held,
					     const struct change *first);
const struct change *held_changes_take_late(struct held_changes *held);

/* The thread of a change in the ring that is to be found in the heap. */
#define HELD_MOVED SIZE_MAX

static inline struct change *held_at(const struct held_changes *held, size_t i)
{
	return &held->ring[i & (held->size - 1)];
}

/* The first one; NULL when there is none. */
static inline const struct change *held_changes_first(struct held_changes *held)
{
	const struct change *first;

	while (held->begin != held->end && held_at(held, held->begin)->thread == HELD_MOVED)
		held->begin++;
	first = held->begin == held->end ? NULL : held_at(held, held->begin);
	return held->late_count ? held_changes_first_late(held, first) : first;
}

/* It is given out: valid until one is added. */
static inline const struct change *held_changes_take(struct held_changes *held,
						     const struct change *first)
{
	if (held->late_count && (held->begin == held->end || first != held_at(held, held->begin)))
		return held_changes_take_late(held);
	held->begin++;
	__builtin_prefetch(held_at(held, held->begin + 8)); /* made long ago */
	return first;
}

/* Copies all, in their order, to where there is room for held_changes_count(). Returns how many. */
size_t held_changes_copy(const struct held_changes *held, struct change *changes);

/* --- States -------------------------------------------------------------------------------- */

struct states {
	const struct target_info *target; /* borrowed, and so is */
	struct quality *quality;	  /* ... counted into */
	struct selection selection;
	struct thread_table threads;
	struct cpu_table cpus;
	size_t target_threads;	  /* that have a number: none has before begin_ns */
	struct held_changes held; /* changes to give out */
	struct finding *findings; /* the same, where it is audited */
	size_t finding_begin, finding_end, finding_capacity;
	struct timeline_calls calls;
	void (*take_mark)(void *context, const struct mark *mark); /* NULL: they are not wanted */
	void *mark_context;
	void (*take_socket)(void *context, const struct mark *mark); /* ... */
	void *socket_context;
	const struct event *event; /* that happens now; NULL: none */
	uint64_t first_ns, now_ns, begin_ns;
	uint64_t hold_ns;   /* a change is given out when it is so old ... */
	uint64_t given_ns;  /* ... as those up to here have been */
	bool is_chosen;	    /* the target is what the user asked for ... */
	bool as_recorded;   /* ... or else what the input says */
	bool started;	    /* the selection is what it is to be */
	bool begun;	    /* begin_ns is known */
	bool found_threads; /* of the target */
	bool awaits_exec;   /* ... which is not before the launched process has done one */
	bool audited;	    /* findings are wanted */
	bool lossy;	    /* records were lost: what was not seen may have happened */
};

static inline bool states_was_idle(const struct states *states, int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.since_ns && !state.tid;
}

/* Has another one had the CPU since the thread runs? Then it has not been there all the time. */
static inline bool states_was_taken(const struct states *states, const struct thread *thread,
				    int32_t cpu)
{
	struct cpu_state state = cpu_table_get(&states->cpus, cpu);

	return state.tid != thread->tid && state.since_ns > thread->since_ns;
}

/*
 * From now on `thread` is in state `next`, and what it has been doing turns out to be `was`.
 * Returns the change that was told, or NULL; valid until the next one.
 */
struct change *states_move_on(struct states *states, struct thread *thread, enum thread_state was,
			      enum thread_state next);

/*
 * The same from `at_ns` on: no earlier than the thread's last change and states->given_ns, no later
 * than now.
 */
struct change *states_move_on_at(struct states *states, struct thread *thread,
				 enum thread_state was, enum thread_state next, uint64_t at_ns);

/*
 * The interval of a thread that ended when it was found running ended at `at_ns`. Returns whether
 * that could still be said: only if it has not been given out.
 */
bool states_amend(struct states *states, const struct found *found, uint64_t at_ns);

/*
 * A case of `fact` that concerns an interval of a thread, which is taken as `past`: counted if the
 * thread is one of the target, and told in an audit.
 */
void states_note(struct states *states, enum quality_fact fact, const struct thread *thread,
		 enum thread_state past, uint64_t since_ns);

/* A case that concerns the event and no thread, which the caller counts. */
void states_tell_finding(struct states *states, enum quality_fact fact);

/* The thread of this number, new if need be; NULL for idle and impossible ones. */
struct thread *states_find_or_add(struct states *states, int32_t tid);

/* Tells the taker of marks the event that happens now to `thread`. */
void states_tell_mark(struct states *states, const struct thread *thread, uint32_t by);

/* The event is of a block of code, a task or a page fault, ... */
void states_tell_block(struct states *states, const struct event *event);

/* ... of what a thread of the target, or the network, does at a socket. */
void states_tell_socket(struct states *states, const struct event *event);

/* The actor of the event that happens now, as changes have it. NULL: it is not known. */
uint32_t states_actor(const struct states *states, const struct thread *thread);

/*
 * `thread` may just have become one of the target. One that was born or renamed now counts from
 * now; of any other the past is unknown, back to where the timeline begins. Returns the change that
 * was told, or NULL; valid until the next one.
 */
struct change *states_enrol(struct states *states, struct thread *thread, bool from_now);

/* A thread stays in its process: is this another one of the same number? */
static inline bool states_is_another(const struct thread *thread, int32_t pid)
{
	return thread->met && pid > 0 && thread->pid > 0 && thread->pid != pid;
}

/*
 * The number of `thread` is used again, so it has ended; when is not on record. Returns the new
 * one.
 */
struct thread *states_replace(struct states *states, struct thread *thread);

/* Takes down what an event tells of a thread. Returns whether it has got another name. */
bool states_describe(struct states *states, struct thread *thread, int32_t pid, const char *comm);

/* The thread of an event, with all of the above; NULL for idle, impossible and ended ones. */
struct thread *states_meet_closer(struct states *states, int32_t tid, int32_t pid,
				  const char *comm);

/* The same. Nearly always it is known to be one of the target, and so is all that is told of it. */
static inline struct thread *states_meet(struct states *states, int32_t tid, int32_t pid,
					 const char *comm)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	if (thread && thread->target && (pid < 0 || pid == thread->pid) &&
	    (!*comm || memcmp(comm, thread->comm, sizeof(thread->comm)) == 0))
		return thread;
	return states_meet_closer(states, tid, pid, comm);
}

/* The rules that timeline.h lists: `event` happens now. */
void event_rules_apply(struct states *states, const struct event *event);

/* Between this event and the one before lies a time of which nothing is known. */
void event_rules_forget(struct states *states);

#endif
