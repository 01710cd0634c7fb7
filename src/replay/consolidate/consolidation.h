/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two recorded programs on the same cores: the wall time of each beside the other, and the CPU time
 * of each for which threads of the other wait.
 *
 *	consolidation_init(&consolidation, &first, &second, cores, count, &err);
 *	... consolidation.rows[i].sides[0].together_s ...
 *	consolidation_release(&consolidation);
 *
 * The threads of both are simulated on one machine, from the same beginning. Locks and other objects
 * belong to one program each; all that they share are cores, which every thread gets a fair part of,
 * whichever program it is of. The one that ends first leaves the cores to the other. With
 *
 *	F	the forecast of a program alone
 *	R_1	its replay alone, and R_2 beside the other program
 *
 * it takes F R_2 / R_1 beside the other: what the forecast corrects of its replay is corrected here.
 *
 * The interval of that: more work of the program itself lengthens it by no more than as much, and
 * more work of the other by no more than its part of the time, 1 - R_1 / R_2. So the interval of ln R_2
 * is that of ln F, and that of the other times 1 - R_1 / R_2, added up as squares. Contention of the
 * two programs for caches and memory is not in it.
 */
#ifndef PSCAL_REPLAY_CONSOLIDATE_CONSOLIDATION_H
#define PSCAL_REPLAY_CONSOLIDATE_CONSOLIDATION_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct forecast;

enum { CONSOLIDATED = 2 }; /* programs */

/* A program on some cores. */
struct consolidation_side {
	double alone_s, together_s;    /* wall time */
	double factor;		       /* together_s / alone_s */
	double lo_s, hi_s;	       /* of together_s, 90 %; NaN: none is known */
	double queue_alone_s, queue_s; /* run-queue wait of all its threads, alone and together */
	double taken_s; /* CPU time that it has while as many threads of the other wait for a CPU */
};

struct consolidation_row {
	uint64_t cores;
	struct consolidation_side sides[CONSOLIDATED];
	double both_s;	  /* until both have ended */
	double in_turn_s; /* ... if the second begins when the first has ended */
};

struct consolidation {
	const struct forecast *forecasts[CONSOLIDATED]; /* borrowed */
	double cpu_s[CONSOLIDATED];			/* CPU time of each program */
	struct consolidation_row *rows;			/* of the cores asked for, in their order */
	size_t count;
};

/*
 * Both forecasts are replays, for all of `cores`, without slowdown and what-if; they may be the same.
 * Returns 0, or -1 with a sentence; the caller releases in any case.
 */
int consolidation_init(struct consolidation *consolidation, const struct forecast *first,
		       const struct forecast *second, const uint64_t *cores, size_t count,
		       struct err *err);
void consolidation_release(struct consolidation *consolidation);

#endif
