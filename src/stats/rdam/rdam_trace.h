/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that the threads of a trace entered and left, kept, and beside it what the scheduler did with
 * them meanwhile. Read in one pass; memory is 12 bytes for each event, 8 for each enter that
 * has arguments and 8 for each of these, 32 for each page fault and 24 for each change of a
 * thread's state; up to twice that while it is read, and 40 for each time that a thread has run.
 *
 * Where a trace has no scheduling events the states are unknown, and the rest is the same.
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

/* An event: a block of the source's blocks, and whether it is left there. */
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

/* A thread was in this state up to `end_ns`, from the end of the one before on. */
struct block_interval {
	uint64_t end_ns;
	enum thread_state state;
	int32_t cpu; /* where it ran; -1: it did not, or not known */
	uint32_t by; /* the thread that ended it, as in struct change */
	/*
	 * Of STATE_RUNNABLE, the thread that had the CPU meanwhile: after a preemption the one that
	 * got it then, by number or BY_STRANGER; after a wake the one that left the CPU when this
	 * one got it, or the thread of the target that had done so just before. BY_NO_THREAD: not
	 * known, or the CPU was idle. Where the target had the CPU for a part of the time this is
	 * told as two intervals, each as long as all that either had.
	 */
	uint32_t holder;
};

/* A page fault, from where the kernel begins to look for the memory to where that is there. */
struct block_fault {
	uint64_t begin_ns, end_ns;
	/* Of all before this one: how long they had a CPU, and how long they waited in state D. */
	uint64_t cpu_ns, disk_ns;
};

/* Events of a thread beyond these have no arguments: no search takes so many (rdam_private.h). */
#define RDAM_EVENTS_MAX ((size_t)1 << 31)

struct rdam_thread {
	int32_t tid, pid; /* pid -1: not known */
	struct thread_name name;
	uint32_t start; /* as in struct change */
	/*
	 * When it appeared and ended. Where nothing is known of it but its events: the first and
	 * the last of them.
	 */
	uint64_t begin_ns, end_ns;
	uint32_t *tokens;   /* in the order in which they happened */
	uint64_t *times_ns; /* of each, never less than that before */
	size_t count, capacity;
	struct block_interval *intervals; /* from begin_ns to end_ns without a gap, or none */
	size_t interval_count, interval_capacity;
	struct rdam_details *details; /* NULL: none, as of nearly all where there are very many */
};

/* The rest, which few threads have. */
struct rdam_details {
	/*
	 * Enters that have arguments: which ones, and where theirs begin, BLOCK_ARGUMENTS of each
	 * at most. Sorted by event. What is returned is needed nowhere, and not kept.
	 */
	struct block_arguments {
		uint64_t event : 31; /* RDAM_EVENTS_MAX */
		uint64_t first : 33;
	} * with_arguments;
	size_t with_count, with_capacity;
	double *arguments;
	size_t argument_count, argument_capacity;
	/* Enters of which the caller is known: which ones, and chains of the source. */
	struct block_chain {
		size_t event;
		uint32_t chain;
	} * chains;
	size_t chain_count, chain_capacity;
	/* In the order of their times, and one more behind them, with what all of them took. */
	struct block_fault *faults;
	size_t fault_count, fault_capacity;
};

static inline const struct rdam_details *rdam_details(const struct rdam_thread *thread)
{
	static const struct rdam_details none;

	return thread->details ? thread->details : &none;
}

/* The number of arguments of number `i` of those that have any. */
static inline size_t block_arguments_count(const struct rdam_details *details, size_t i)
{
	size_t end = i + 1 < details->with_count ? details->with_arguments[i + 1].first
						 : details->argument_count;

	return end - details->with_arguments[i].first;
}

struct rdam_trace {
	struct rdam_thread *threads; /* by their number in the timeline */
	size_t thread_count, thread_capacity;
	const struct blocks *blocks; /* borrowed from the source */
	uint64_t every;		     /* one in so many calls is on record; 1: all */
	uint64_t lost;		     /* events that were not recorded */
	double cost_ns;		     /* that recording added to a block; 0: not known */
	uint64_t begin_ns, end_ns;
	uint64_t origin_ns; /* where the timeline begins: what people count times from */
	uint64_t events;
	bool has_faults; /* page faults are on record */
	bool has_states; /* something of the scheduler is on record */
	struct quality quality;
};

/*
 * Reads `source` to its end; it is borrowed for as long as the trace lives. Returns 0, or -1 with a
 * sentence, also when no thread of the target entered anything.
 */
int rdam_trace_read(struct rdam_trace *trace, struct event_source *source,
		    const struct selection *selection, struct err *err);
void rdam_trace_release(struct rdam_trace *trace);

/* --- While it is read: page faults, and holders of the CPU --------------------------------- */

/* One begins (EVENT_FAULT) or ends. What is only half on record is dropped. */
void block_faults_take(struct rdam_thread *thread, enum event_kind kind, uint64_t time_ns);

/*
 * Once the thread's intervals are there: adds up of each fault how long the thread had a CPU, and
 * `outside_ns` beside that, and how long it waited in state D. Of what a fault waits for a CPU that
 * is not to blame on it, nor is what else it may be asleep for.
 */
void block_faults_measure(struct rdam_thread *thread, double outside_ns);

/* The first fault that does not begin before `time_ns`. `guess`: it is likely to be near to that.
 */
size_t block_faults_find(const struct rdam_thread *thread, uint64_t time_ns, size_t guess);

/*
 * The CPU time of each thread while another one waited for that CPU: threads of the target, of
 * which it is known when they ran where, and for the rest of the time strangers. The one that takes
 * the CPU from a thread may have it for a moment only, and strangers for long behind.
 *
 * Divides those intervals of STATE_RUNNABLE in which both the target and strangers had the CPU,
 * each for longer than `moment_ns`, into one of each, as struct block_interval has it. The CPU is
 * the one that the thread was preempted on, or where it ran next after a wake.
 */
void block_holders_divide(struct rdam_trace *trace, uint64_t moment_ns);

/* --- Calls --------------------------------------------------------------------------------- */

/* Tokens [begin, end) of a list. */
struct occurrence {
	uint32_t begin, end;
};

/*
 * Which leave belongs to which enter. A leave ends the last enter of its block that is not ended;
 * what was entered since and not left has no leave: a longjmp, an exception, a lost event.
 */
#define NO_LEAVE UINT32_MAX

/* A block that is met, and its calls that have a leave. */
struct called_block {
	uint32_t block;
	uint32_t calls;
	uint32_t open; /* while they are matched */
	uint32_t end;  /* of its calls so far, while they are listed */
	uint32_t outer_count;
	size_t outer;	 /* its calls within no other of them, or all, in `outer` */
	bool has_nested; /* some of its calls are within others of them */
};

struct block_calls {
	bool each;	  /* `outer` has each call, and not only those within no other of theirs */
	uint32_t *leaves; /* of each enter; NO_LEAVE, as of anything else */
	struct called_block *blocks;
	size_t count, capacity;
	struct occurrence *outer;
	uint64_t unbalanced; /* enters without a leave, leaves without an enter */
	uint32_t *slots;     /* of each block of the trace: its place in `blocks` + 1 */
};

/*
 * Blocks are less than `blocks`; any other token stands between two threads. `slots` is one for
 * each of these, zero, and so again after the release: there may be many blocks, of which each of
 * many threads meets few. With `each` all calls are listed.
 */
void block_calls_init(struct block_calls *calls, const uint32_t *tokens, size_t count,
		      size_t blocks, uint32_t *slots, bool each);
void block_calls_release(struct block_calls *calls);

/* NULL: it is not met. */
const struct called_block *block_calls_of(const struct block_calls *calls, uint32_t block);

#endif
