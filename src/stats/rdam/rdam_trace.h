/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All enters and leaves of the threads of a trace, with the states of the threads. Read in one
 * pass; memory is 12 bytes for each event, 8 for each enter with arguments and 8 for each argument,
 * 32 for each page fault and 24 for each change of a thread's state; up to twice that while
 * reading, and 40 for each run of a thread.
 *
 * In a trace without scheduling events the states are unknown.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_TRACE_H
#define PSCAL_STATS_RDAM_RDAM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "decode/event/event_source.h"
#include "decode/event/quality.h"
#include "decode/timeline/selection.h"
#include "stats/spin/thread_names.h"

struct err;

/* Returns the token of an event: a number of the source's blocks, and a bit for a leave. */
static inline uint32_t block_token(uint32_t block, bool leave)
{
	return block << 1 | leave;
}

static inline uint32_t block_of_token(uint32_t token)
{
	return token >> 1;
}

static inline bool block_token_leaves(uint32_t token)
{
	return token & 1;
}

/* A state of a thread, from the end of the interval before up to `end_ns`. */
struct block_interval {
	uint64_t end_ns;
	enum thread_state state;
	int32_t cpu; /* the CPU of a running thread; -1: not running, or not known */
	uint32_t by; /* the thread that ended the interval, as in struct change */
	/*
	 * Of STATE_RUNNABLE, the thread that had the CPU: after a preemption the one that got it
	 * then, by number or BY_STRANGER; after a wakeup the one that left the CPU to this one, or
	 * the thread of the target that had left it just before. BY_NO_THREAD: not known, or the
	 * CPU was idle. If the target had the CPU for a part of the time, there are two intervals,
	 * with the lengths of the two parts.
	 */
	uint32_t holder;
};

/* A page fault, from the time when the kernel begins to provide the memory to the end of that. */
struct block_fault {
	uint64_t begin_ns, end_ns;
	/* The sums over all faults before this one: CPU time, and time in state D. */
	uint64_t cpu_ns, disk_ns;
};

/* The most events with arguments in a thread: no search takes more (rdam_private.h). */
#define RDAM_EVENTS_MAX ((size_t)1 << 31)

struct rdam_thread {
	int32_t tid, pid; /* pid -1: not known */
	struct thread_name name;
	uint32_t start; /* the start, see struct change */
	/* The life of the thread. If only its events are known: the first and the last. */
	uint64_t begin_ns, end_ns;
	uint32_t *tokens;   /* the tokens in the order of time */
	uint64_t *times_ns; /* the time of each token, ascending */
	size_t count, capacity;
	struct block_interval *intervals; /* from begin_ns to end_ns without a gap, or none */
	size_t interval_count, interval_capacity;
	struct rdam_details *details; /* NULL: none, as for nearly all of very many threads */
};

/* Data that few threads have. */
struct rdam_details {
	/*
	 * Enters with arguments: their events, and the first of their up to BLOCK_ARGUMENTS
	 * arguments. Sorted by event. Return values are not kept, as they have no use.
	 */
	struct block_arguments {
		uint64_t event : 31; /* below RDAM_EVENTS_MAX */
		uint64_t first : 33;
	} * with_arguments;
	size_t with_count, with_capacity;
	double *arguments;
	size_t argument_count, argument_capacity;
	/* Enters with a known caller: their events, and chains of the source. */
	struct block_chain {
		size_t event;
		uint32_t chain;
	} * chains;
	size_t chain_count, chain_capacity;
	/* Sorted by time, with one more at the end that has the sums over all of them. */
	struct block_fault *faults;
	size_t fault_count, fault_capacity;
};

static inline const struct rdam_details *rdam_details(const struct rdam_thread *thread)
{
	static const struct rdam_details none;

	return thread->details ? thread->details : &none;
}

/* Returns the number of arguments of item `i` of with_arguments. */
static inline size_t block_arguments_count(const struct rdam_details *details, size_t i)
{
	size_t end = i + 1 < details->with_count ? details->with_arguments[i + 1].first
						 : details->argument_count;

	return end - details->with_arguments[i].first;
}

struct rdam_trace {
	struct rdam_thread *threads; /* the threads, by their numbers in the timeline */
	size_t thread_count, thread_capacity;
	const struct blocks *blocks; /* borrowed from the source */
	uint64_t every;		     /* one in so many calls is recorded; 1: all */
	uint64_t lost;		     /* events that were not recorded */
	double cost_ns;		     /* CPU time that recording added to a block; 0: not known */
	uint64_t begin_ns, end_ns;
	uint64_t origin_ns; /* the beginning of the timeline, from which reports count times */
	uint64_t events;
	bool has_faults; /* page faults are recorded */
	bool has_states; /* some states are known */
	struct quality quality;
};

/*
 * Reads `source`, which is borrowed for as long as the trace lives, to its end. Returns 0, or -1
 * with an error, also if no thread of the target entered a block.
 */
int rdam_trace_read(struct rdam_trace *trace, struct event_source *source,
		    const struct selection *selection, struct err *err);
void rdam_trace_release(struct rdam_trace *trace);

/* --- Page faults and holders of the CPU ---------------------------------------------------- */

/* Takes the begin (EVENT_FAULT) or the end of a fault. A fault without one of them is dropped. */
void block_faults_take(struct rdam_thread *thread, enum event_kind kind, uint64_t time_ns);

/*
 * Measures the faults when the thread's intervals are known: adds up, for each fault, its CPU time
 * with `outside_ns`, and its time in state D. A fault is not to blame for run-queue waits, nor for
 * other sleep.
 */
void block_faults_measure(struct rdam_thread *thread, double outside_ns);

/* Returns the first fault that begins at `time_ns` or later. `guess` is likely to be near. */
size_t block_faults_find(const struct rdam_thread *thread, uint64_t time_ns, size_t guess);

/*
 * Finds the threads that had the CPU while another waited for it: threads of the target, whose runs
 * are known, and other programs for the rest of the time. The thread that takes the CPU may have it
 * for a moment only, and other programs for long behind it.
 *
 * Divides intervals of STATE_RUNNABLE in which both the target and other programs had the CPU, each
 * for longer than `moment_ns`, into two, as in struct block_interval. The CPU is the one on which
 * the thread was preempted, or on which it ran next after a wakeup.
 */
void block_holders_divide(struct rdam_trace *trace, uint64_t moment_ns);

/* --- Calls --------------------------------------------------------------------------------- */

/* Tokens [begin, end) of a list. */
struct occurrence {
	uint32_t begin, end;
};

/*
 * Matches enters and leaves. A leave ends the last open enter of its block; blocks entered since
 * and not left have no leave: a longjmp, an exception, a lost event.
 */
#define NO_LEAVE UINT32_MAX

/* A block that occurs, and its calls that have a leave. */
struct called_block {
	uint32_t block;
	uint32_t calls;
	uint32_t open; /* while they are matched */
	uint32_t end;  /* the end of its calls so far, while they are listed */
	uint32_t outer_count;
	size_t outer;	 /* its calls outside of all its others, or all calls, in `outer` */
	bool has_nested; /* some of its calls are within others of them */
};

struct block_calls {
	bool each;	  /* `outer` has all calls, and not only the outermost */
	uint32_t *leaves; /* the leave of each enter; NO_LEAVE for other tokens */
	struct called_block *blocks;
	size_t count, capacity;
	struct occurrence *outer;
	uint64_t unbalanced; /* enters without a leave, leaves without an enter */
	uint32_t *slots;     /* for each block of the trace: its place in `blocks`, plus 1 */
};

/*
 * Blocks are below `blocks`; other tokens stand between two threads. `slots` has one item for each
 * block, all zero, also again after the release: there may be many blocks, of which each of many
 * threads has few. `each` lists all calls.
 */
void block_calls_init(struct block_calls *calls, const uint32_t *tokens, size_t count,
		      size_t blocks, uint32_t *slots, bool each);
void block_calls_release(struct block_calls *calls);

/* Returns the block, or NULL if it does not occur. */
const struct called_block *block_calls_of(const struct block_calls *calls, uint32_t block);

#endif
