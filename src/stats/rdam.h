/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much the varying duration of code that is run again and again costs [Mosli Bouksiaa,
 * "Performance variation considered helpful", 2018]. What has run often has run at least once
 * undisturbed, so what an occurrence takes longer than the fastest one is time lost:
 *
 *	score = sum over the occurrences (duration - min duration) / T
 *
 * of a sequence of events in one thread, T being the wall time of the thread. Scores of sequences
 * that contain one another count the same time twice: they are not to be added up.
 *
 * The excess of each occurrence is split by what the scheduler shows within it.
 */
#ifndef PSCAL_STATS_RDAM_H
#define PSCAL_STATS_RDAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/block_trace.h"

struct err;

enum rdam_min {
	RDAM_MIN_THREAD, /* the fastest of the thread */
	RDAM_MIN_POOLED, /* the fastest of all threads, and one row for all of them */
};

/* Where the excess went. */
enum rdam_cause {
	RDAM_CPU_WAIT_OWN,	/* runnable, another thread of the target had its CPU */
	RDAM_CPU_WAIT_STRANGER, /* ... somebody else had */
	RDAM_CPU_WAIT,		/* ... it is not known who */
	RDAM_BLOCKED,		/* slept until a thread of the target let it go on */
	RDAM_BLOCKED_OTHER,	/* ... until anything else did: time, a device, a stranger */
	RDAM_DISK,		/* state D */
	RDAM_STOPPED,
	RDAM_UNKNOWN, /* states that are not known */
	RDAM_ON_CPU,  /* the rest: it ran, but slower (caches, memory, false sharing) or longer */
	RDAM_CAUSES,
};

/* "cpu_wait_own", ...: the key in JSON is this and "_s". */
const char *rdam_cause_name(enum rdam_cause cause);

struct rdam_options {
	enum rdam_min min;
	size_t least; /* sequences with fewer occurrences are left out; at least 2 */
	/* Occurrences with different values of this argument are of different sequences. */
	const struct rdam_key {
		const char *block; /* its name */
		size_t argument;   /* 0 is the first */
	} *keys;
	size_t key_count;
};

/* How the duration depends on one argument of the block that a sequence begins with. */
struct rdam_dependence {
	bool tested;   /* the argument is on record, and takes different values */
	bool depends;  /* |spearman| is large and not by chance */
	double spearman;
	double slope;	  /* Theil-Sen, seconds per unit of the argument */
	double score;	  /* what is left of the score when the line is taken off */
};

struct rdam_row {
	uint32_t *tokens; /* of the sequence; a run is in it once, see sequences.h */
	size_t token_count;
	char *name;	 /* "Foo", "Foo { Bar+ }"; with a key "Foo(n=7)" */
	uint32_t block;	 /* that it begins with */
	size_t thread;	 /* SIZE_MAX: all of them, with RDAM_MIN_POOLED */
	uint64_t occurrences; /* on record; times `every` is what there were */
	double score, lost_s;
	double min_s, median_s, p99_s, total_s;
	double causes_s[RDAM_CAUSES]; /* of lost_s */
	struct rdam_dependence dependence[BLOCK_ARGUMENTS];
	bool known_dependent; /* by its name: a function whose work depends on its arguments */
	bool parameter_dependent; /* that, or one of the dependences */
	double grouped_score;	  /* ... with the argument that explains most taken into account */
	bool few;		  /* so few occurrences that the fastest may not be undisturbed */
};

struct rdam {
	struct rdam_row *rows; /* the highest score first */
	size_t row_count, row_capacity;
	uint64_t events, unbalanced; /* unbalanced: leaves with no enter and the other way round */
};

/* Returns 0, or -1 with a sentence: a key that names nothing. Release it in both cases. */
int rdam_init(struct rdam *rdam, const struct block_trace *trace,
	      const struct rdam_options *options, struct err *err);
void rdam_release(struct rdam *rdam);

#endif
