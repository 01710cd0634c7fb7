/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of varying durations of repeated code [Mosli Bouksiaa, "Performance variation considered
 * helpful", 2018]. Code that ran often ran at least once undisturbed, so the time beyond the
 * fastest call is lost:
 *
 *	score = sum over the calls (duration - min duration) / T
 *
 * of a sequence of events in one thread, T being the wall time of the thread. Scores of sequences
 * that contain one another count the same time twice: they are not to be added up. Pooled, min is
 * the fastest of all threads and T the sum over those where the sequence occurs.
 *
 * A row is
 *  - a sequence that begins with an enter and ends with its leave: a block with all that is entered
 *    within it, "Foo { Bar+ }" (rdam_private.h). Or, if that is asked for, any other sequence, from
 *    its first event to its last;
 *  - a block whatever happens within it, "Foo" with `any_content`, where its calls are not all of
 *    one such sequence, or that is longer than people would read (RDAM_TOKENS_MAX). Of a recursion
 *    that is the outermost call. A sequence of the block alone is then "Foo { }".
 *
 * So no two calls of a row overlap in a thread, and no score is beyond 1. Where only one in
 * `every` calls is on record, what is within a call is not known, and all rows are of the second
 * kind; lost_s, total_s, the causes and the score are then what they would be for all calls. Nor is
 * it known which calls of a recursion are the outermost: each counts, so that none of these is
 * biased, and where some are seen within others the row is `overlapping`, and its score may be
 * beyond 1.
 *
 * An enter without a leave is of no row: its leave is the next of the block in the thread that no
 * later enter has, and what was entered meanwhile and not left (longjmp, an exception) has none.
 *
 * Causes. The excess of each call is split by what the scheduler shows within it: of each
 * state so much as it has more than the fastest call (the first of these) had, and what is in
 * no state below, as on-CPU. Where it has less of one state and more of another this is more than
 * the excess, and all parts are reduced in proportion. So no part is negative, and they sum to
 * lost_s. The time that a hypervisor takes away cannot be seen and is on-CPU.
 *
 * Page faults. Of each it is on record when the kernel begins to look for the memory and when that
 * is there; the exception before that and what is behind it are taken to be as long as they were
 * when the recorder measured that (fault_outside_ns), and all faults together no longer than what
 * the call had a CPU. Where they were not recorded none are known: what they took is in
 * RDAM_DISK if the thread waited, and else on-CPU.
 *
 * Memory is 72 bytes for each interval of a state, 8 for each event and what sequences_find needs
 * for the events of the thread that has most (pooled: of all); 8 to 40 for each call of the
 * row that is worked at.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_H
#define PSCAL_STATS_RDAM_RDAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam_trace.h"

struct err;

enum rdam_min {
	RDAM_MIN_THREAD, /* the fastest of the thread */
	RDAM_MIN_POOLED, /* the fastest of all threads, and one row for all of them */
};

/* The excess by its causes. */
enum rdam_cause {
	RDAM_CPU_WAIT_OWN,	/* runnable, another thread of the target had its CPU */
	RDAM_CPU_WAIT_STRANGER, /* ... a stranger had */
	RDAM_CPU_WAIT,		/* ... it is not known which, or none had: the time to wake up */
	RDAM_BLOCKED,		/* slept until a thread of the target woke it */
	RDAM_BLOCKED_OTHER,	/* ... until anything else did: time, a device, a stranger */
	RDAM_PAGE_FAULTS,	/* within page faults, on a CPU or in state D */
	RDAM_DISK,		/* state D otherwise */
	RDAM_STOPPED,
	RDAM_UNKNOWN, /* states that are not known */
	RDAM_ON_CPU,  /* the rest: it ran, but slower (caches, memory, false sharing) or longer */
	RDAM_CAUSES,
};

enum {
	/*
	 * With fewer calls the fastest may not be undisturbed: if one in ten is, the chance
	 * that none of n is 0.9^n, which is less than 1 % from 44 on.
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
	bool all_sequences; /* also those that are no block */
	const char *only;   /* rows of the block of this name, or the row; NULL: all */
	bool want_spread;   /* of the row that turns out to be the first */
	/* Calls with different values of this argument are of different sequences. */
	const struct rdam_key {
		const char *block;    /* its name */
		const char *argument; /* its name, or arg1, arg2, ... */
	} * keys;
	size_t key_count;
};

/*
 * The dependence of the duration on one argument of the block that a sequence begins with, or on
 * the calls within it: tested if a finite value is on record for all calls, they take different
 * values and are no addresses (all in [2^40, 2^48)). More calls within may also be what
 * interference does, as where a thread tries again.
 */
struct rdam_dependence {
	bool tested;
	bool depends;	 /* |spearman| >= 0.5 and p < 0.001 (Student's t, n - 2 degrees) */
	double spearman; /* of all, or of 100 000 drawn calls */
	double slope;	 /* if it depends: Theil-Sen, seconds per unit; see rdam_dependence.c */
	double score;	 /* ... what is left when each value, or the line, is taken off */
	bool by_value;	 /* ... each value has its own min: there are 10 calls of each */
};

/* A thread that let a row's calls go on when they slept. */
struct rdam_waker {
	uint32_t thread; /* its number, or BY_STRANGER, BY_INTERRUPT, BY_NO_THREAD */
	uint64_t waits;
	double slept_s; /* within calls: all of it, not the excess alone */
};

/* The number of a row's calls that are known to be called from there. */
struct rdam_stack {
	uint32_t chain; /* of the source's chains */
	uint64_t count;
};

struct rdam_row {
	char *name;	      /* "Foo", "Foo { Bar+ }"; with a key "Foo(n=7)" */
	uint32_t token_count; /* events of the sequence, a run counted once */
	uint32_t block;	      /* that it begins with */
	bool any_content;     /* of a block whatever is within */
	bool overlapping;     /* calls of a recursion, each of which counts */
	bool is_block;	      /* it begins with an enter and ends with its leave */
	size_t thread;	      /* SIZE_MAX: all of them, with RDAM_MIN_POOLED */
	uint64_t occurrences; /* on record; times `every` is what there were */
	double score, lost_s;
	double min_s, median_s, p99_s, total_s;
	double wall_s; /* T */
	/* The slowest one, the first of these: its thread, and its events by their numbers. */
	struct {
		size_t thread, first, last;
	} slowest;
	double causes_s[RDAM_CAUSES];	       /* of lost_s */
	struct rdam_waker wakers[RDAM_WAKERS]; /* those that ended most of the sleep first */
	size_t waker_count;
	bool wakers_left_out; /* there are too many rows with too many states to look at all */
	struct rdam_dependence dependence[RDAM_DEPENDENCES];
	bool known_dependent;	   /* by its name: a function whose work depends on its arguments */
	bool parameter_dependent;  /* that, or one of the dependences */
	double grouped_score;	   /* ... with what explains most taken into account */
	struct rdam_stack *stacks; /* the most frequent first */
	size_t stack_count;
	bool few; /* so few calls that the fastest may not be undisturbed */
};

/* Calls whose duration is at least `from_s` and less than `to_s`, or in the last at most. */
struct rdam_class {
	double from_s, to_s;
	uint64_t count;
	double causes_s[RDAM_CAUSES]; /* of what they have lost */
};

enum { RDAM_CLASSES = 60 }; /* at most; they are equally wide on the scale of logarithms */

struct rdam {
	struct rdam_row *rows; /* the highest score first */
	size_t row_count, row_capacity;
	struct rdam_class *classes; /* of the first row, where options ask for its spread */
	size_t class_count;
	uint64_t events, unbalanced; /* unbalanced: leaves with no enter and the other way round */
};

/*
 * Returns 0, or -1 with a sentence: a key or an `only` that names nothing, more events than can be
 * searched. Release it in both cases.
 */
int rdam_init(struct rdam *rdam, const struct rdam_trace *trace, const struct rdam_options *options,
	      struct err *err);
void rdam_release(struct rdam *rdam);

#endif
