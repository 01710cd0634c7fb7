/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads that a timeline knows to live, by tid and in the order of their appearance; and the
 * CPUs, which of them runs on each.
 */
#ifndef PSCAL_DECODE_TIMELINE_THREAD_TABLE_H
#define PSCAL_DECODE_TIMELINE_THREAD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "decode/event/event.h"

/* A thread was found on a CPU which it was not seen to get: since when may yet be told. */
struct found {
	bool open;
	uint64_t begin_ns;	      /* of the interval that ended when it was found */
	uint64_t since_ns;	      /* it cannot have had the CPU before this */
	enum thread_state from, past; /* what it did up to then: as known, if it is told when */
	int32_t waker;
};

struct thread {
	int32_t tid, pid; /* pid -1: not known */
	char comm[COMM_SIZE];
	enum thread_state state;
	uint64_t since_ns;   /* it is in `state` from here */
	uint64_t seen_ns;    /* it was last known to run */
	uint64_t left_ns;    /* it was last seen to leave a CPU */
	int32_t cpu, waker;  /* in `state`; -1: none */
	uint32_t chain;	     /* of calls, when it last left a CPU; 0: not known */
	uint32_t call_chain; /* ... when it began the system call that it is in */
	size_t number;	     /* among the target's threads */
	size_t told;	     /* the place of its last change; 0: it has none */
	bool in_tree;	     /* a descendant of the target */
	bool target;	     /* counted: changes are told */
	bool met;	     /* there has been evidence of its state */
	bool newborn;	     /* ... but only its fork */
	bool woken;	     /* while it ran */
	bool maybe_woken;    /* `woken` when it went to sleep */
	bool left_by_switch; /* a sched_switch told that it left its CPU */
	bool exiting;	     /* it runs for the last time */
	struct found found;
	uint64_t serial;		/* of its appearance */
	size_t known;			/* its place among the known, from 1 on; 0: it is not */
	struct thread *previous, *next; /* in the table */
	/* a ring, of its process; NULL: it is in none */
	struct thread *process_previous, *process_next;
};

struct thread_table {
	struct sparse by_tid;
	struct sparse by_pid; /* the one that has been longest in the process */
	struct thread *first, *last;
	struct thread **known; /* something is, since all was last forgotten */
	size_t known_count, known_capacity;
	uint64_t added;
};

/* Can a thread have this number? 0 is the idle thread of a CPU, and none. */
static inline bool thread_table_takes(int32_t tid)
{
	return tid > 0 && tid < SPARSE_MAX;
}

/* NULL when there is none. */
static inline struct thread *thread_table_find(const struct thread_table *table, int32_t tid)
{
	return thread_table_takes(tid) ? sparse_get(&table->by_tid, (uint32_t)tid) : NULL;
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

/* Puts the known into the order of their appearance, for who is to forget them. */
void thread_table_sort_known(struct thread_table *table);

/* They are known no more. */
void thread_table_forget_known(struct thread_table *table);

void thread_table_release(struct thread_table *table);

/* The thread on each CPU, and which CPUs the target has used. */
struct cpu_state {
	uint64_t since_ns; /* of `tid`; 0: not known */
	int32_t tid;	   /* who runs on it; 0: nobody, -1: not known any more */
	int32_t before;	   /* who left it then, as far as that was seen; else -1 */
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

/* Who runs on a CPU; 0: nobody, or never known; -1: not known any more. */
static inline int32_t cpu_table_at(const struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return 0;
	return table->cpus[cpu].epoch == table->epoch ? table->cpus[cpu].tid : -1;
}

/* All that is known of a CPU; zero where that is nothing. */
struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu);

/*
 * From `since_ns` on `tid` is on a CPU, which `before` has left for it. Returns who was on it as
 * far as the table knew; 0 for a CPU that cannot be.
 */
int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns);

/* From `since_ns` on it is not known any more who runs on a CPU; -1: on any. */
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

#endif
