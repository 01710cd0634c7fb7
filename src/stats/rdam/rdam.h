/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of varying durations of repeated code [Mosli Bouksiaa, "Performance variation considered
 * helpful", 2018]. Code that ran often ran at least once undisturbed, so its time beyond the
 * fastest call is lost:
 *
 *	score = sum over the calls (duration - min duration) / T
 *
 * for a sequence of events in one thread, where T is the wall time of the thread. Scores of
 * sequences that contain one another count the same time twice, and must not be added up. Pooled,
 * min is the fastest call of all threads and T the sum over the threads that have the sequence.
 *
 * A row is
 *  - a sequence that begins with an enter and ends with its leave: a block with all blocks entered
 *    within it, "Foo { Bar+ }" (rdam_private.h). If the options ask for it, any other sequence,
 *    from its first event to its last, is a row, too;
 *  - a block with any contents, "Foo" with `any_content`, if its calls are not all of one such
 *    sequence, or if that is too long to read (RDAM_TOKENS_MAX). Of a recursion only the outermost
 *    call counts. A sequence of the block alone is then "Foo { }".
 *
 * So no two calls of a row overlap in a thread, and no score is above 1. If only one in `every`
 * calls is recorded, the contents of calls are not known, and all rows are of the second kind;
 * lost_s, total_s, the causes and the score are scaled up to all calls. The outermost calls of a
 * recursion are not known either: each call counts, which avoids a bias. If some recorded calls are
 * within others the row is `overlapping`, and its score may be above 1.
 *
 * An enter without a leave is in no row. The leave of an enter is the next of its block in the
 * thread that no later enter has; blocks entered in between and not left (longjmp) have none.
 *
 * Causes. The excess of each call is split by the states of its thread: for each state the time
 * beyond that of the fastest call (the first of these), with the rest as on-CPU. If the call has
 * less of one state and more of another, the parts exceed the excess, and are reduced in
 * proportion. So no part is negative, and they sum to lost_s. Time that a hypervisor takes is not
 * visible, and counts as on-CPU.
 *
 * Page faults. A recording has the times at which the kernel begins and ends to provide the memory.
 * The exception before that and the return behind it are assumed to take the time that the recorder
 * measured (fault_outside_ns), and all faults together at most the CPU time of the call. If page
 * faults were not recorded, their time is in RDAM_DISK if the thread waited, else on-CPU.
 *
 * Memory is 72 bytes for each interval of a state, 8 for each event, the need of sequences_find()
 * for the events of the thread with the most of them (pooled: of all), and 8 to 40 for each call of
 * the current row.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_H
#define PSCAL_STATS_RDAM_RDAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam_trace.h"

struct err;

enum rdam_min {
	RDAM_MIN_THREAD, /* the fastest call of the thread */
	RDAM_MIN_POOLED, /* the fastest call of all threads, which share a row */
};

/* The causes of the excess. */
enum rdam_cause {
	RDAM_CPU_WAIT_OWN,	/* run-queue wait while another thread of the target had the CPU */
	RDAM_CPU_WAIT_STRANGER, /* run-queue wait while a thread of another program had it */
	RDAM_CPU_WAIT, /* run-queue wait, CPU idle or its thread not known: the time to wake up */
	RDAM_BLOCKED,  /* slept until a thread of the target woke it */
	RDAM_BLOCKED_OTHER, /* slept until something else did: time, a device, another program */
	RDAM_PAGE_FAULTS,   /* the time in page faults, on a CPU or in state D */
	RDAM_DISK,	    /* other time in state D */
	RDAM_STOPPED,
	RDAM_UNKNOWN, /* unknown states */
	RDAM_ON_CPU,  /* the rest: it ran slower (caches, memory, false sharing) or longer */
	RDAM_CAUSES,
};

enum {
	/*
	 * With fewer calls the fastest may not be undisturbed: if one in ten is, the chance that
	 * none of n is 0.9^n, which is below 1 % from 44 on.
	 */
	RDAM_FEW = 44,
	RDAM_WAKERS = 4,
	RDAM_TOKENS_MAX = 1000, /* a sequence of more events, runs counted once, is no row */
	/* A cause of durations: an argument, or the number of calls within. */
	RDAM_CALLS = BLOCK_ARGUMENTS,
	RDAM_DEPENDENCES,
};

struct rdam_options {
	enum rdam_min min;
	size_t least;	    /* sequences with fewer calls are left out; at least 2 */
	bool all_sequences; /* also sequences that are not a block */
	const char *only;   /* rows of the block with this name, or the row; NULL: all */
	bool want_spread;   /* asks for the spread of the first row */
	/* Calls with different values of this argument belong to different sequences. */
	const struct rdam_key {
		const char *block;    /* the name of the block */
		const char *argument; /* the name of the argument, or arg1, arg2, ... */
	} * keys;
	size_t key_count;
};

/*
 * The dependence of the duration on one argument of the block with which a sequence begins, or on
 * the number of calls within it. It is tested if all calls have a recorded finite value, and the
 * values differ and are no addresses (all in [2^40, 2^48)). More calls within may also be an effect
 * of interference, as for a thread that tries again.
 */
struct rdam_dependence {
	bool tested;
	bool depends;	 /* |spearman| >= 0.5 and p < 0.001 (Student's t, n - 2 degrees) */
	double spearman; /* over all calls, or over 100 000 drawn ones */
	double slope;	 /* seconds per unit (Theil-Sen) if it depends; see rdam_dependence.c */
	double score; /* if it depends: the score left after the values, or the line, are removed */
	bool by_value; /* each value has its own min, with 10 calls or more for each */
};

/* A thread that ended sleeps of a row's calls. */
struct rdam_waker {
	uint32_t thread; /* the number of a thread, or BY_STRANGER, BY_INTERRUPT, BY_NO_THREAD */
	uint64_t waits;
	double slept_s; /* sleep within calls, not only the excess */
};

/* The number of a row's calls with this call chain. */
struct rdam_stack {
	uint32_t chain; /* a number of the source's chains */
	uint64_t count;
};

struct rdam_row {
	char *name;	      /* "Foo", "Foo { Bar+ }"; with a key "Foo(n=7)" */
	uint32_t token_count; /* events of the sequence, a run counted once */
	uint32_t block;	      /* the block with which it begins */
	bool any_content;     /* a block with any contents */
	bool overlapping;     /* calls of a recursion, each of which counts */
	bool is_block;	      /* the row begins with an enter and ends with its leave */
	size_t thread;	      /* SIZE_MAX: all threads, with RDAM_MIN_POOLED */
	uint64_t occurrences; /* recorded calls; there were `every` times as many */
	double score, lost_s;
	double min_s, median_s, p99_s, total_s;
	double wall_s; /* T, the wall time */
	/* The slowest call, the first of these: its thread, and the numbers of its events. */
	struct {
		size_t thread, first, last;
	} slowest;
	double causes_s[RDAM_CAUSES]; /* the parts of lost_s */
	/* sorted, the one that ended most of the sleep first */
	struct rdam_waker wakers[RDAM_WAKERS];
	size_t waker_count;
	bool wakers_left_out; /* too many rows with too many states to count all wakers */
	struct rdam_dependence dependence[RDAM_DEPENDENCES];
	bool known_dependent;	   /* the name is of a function that depends on its arguments */
	bool parameter_dependent;  /* known_dependent, or one of the dependences */
	double grouped_score;	   /* the score with the strongest dependence removed */
	struct rdam_stack *stacks; /* sorted, the most frequent first */
	size_t stack_count;
	bool few; /* the fastest of so few calls may not be undisturbed */
};

/* Calls with a duration from `from_s` up to `to_s`, which only the last class includes. */
struct rdam_class {
	double from_s, to_s;
	uint64_t count;
	double causes_s[RDAM_CAUSES]; /* the causes of their excess */
};

/* the largest number of classes; their widths are equal on a logarithmic scale */
enum { RDAM_CLASSES = 60 };

struct rdam {
	struct rdam_row *rows; /* sorted, the highest score first */
	size_t row_count, row_capacity;
	struct rdam_class *classes; /* the spread of the first row, if the options ask for it */
	size_t class_count;
	/* unbalanced: leaves without an enter, enters without a leave */
	uint64_t events, unbalanced;
};

/*
 * Returns 0, or -1 with an error: a key or an `only` that names nothing, or more events than can be
 * searched. The caller releases the result in either case.
 */
int rdam_init(struct rdam *rdam, const struct rdam_trace *trace, const struct rdam_options *options,
	      struct err *err);
void rdam_release(struct rdam *rdam);

#endif
