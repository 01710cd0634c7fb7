/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two recorded programs on the same cores: the wall time of each beside the other, and the CPU time
 * of each for which threads of the other wait.
 *
 *	consolidation_init(&consolidation, &first, &second, cores, count, &err);
 *	... consolidation.rows[i].sides[0].together_s ...
 *	consolidation_release(&consolidation);
 *
 * One machine simulates the threads of both programs, which begin at the same time. Locks and other
 * objects belong to one program each; the programs share only the cores, of which every thread gets
 * a fair part, whichever program it belongs to. The program that ends first leaves the cores to the
 * other. With
 *
 *	F	the forecast of a program alone
 *	R_1	its replay alone, and R_2 beside the other program
 *
 * the program takes F R_2 / R_1 beside the other: the forecast corrects R_2 as it corrects R_1.
 *
 * The interval: more work of the program itself lengthens R_2 by at most the same factor, and more
 * work of the other program by at most its part of the time, 1 - R_1 / R_2. So the interval of ln
 * R_2 is that of ln F of the program, and that of the other program times 1 - R_1 / R_2, added as
 * squares. It does not include contention of the two programs for caches and memory.
 */
#ifndef PSCAL_REPLAY_CONSOLIDATE_CONSOLIDATION_H
#define PSCAL_REPLAY_CONSOLIDATE_CONSOLIDATION_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct forecast;

enum { CONSOLIDATED = 2 }; /* number of programs */

/* The results of one program on a number of cores. */
struct consolidation_side {
	double alone_s, together_s;    /* wall time */
	double factor;		       /* together_s / alone_s */
	double lo_s, hi_s;	       /* 90 % interval of together_s; NaN: unknown */
	double queue_alone_s, queue_s; /* run-queue wait of all its threads, alone and together */
	double taken_s;		       /* its CPU time while as many threads of the other program
					  wait for a CPU */
};

struct consolidation_row {
	uint64_t cores;
	struct consolidation_side sides[CONSOLIDATED];
	double both_s;	  /* wall time until both have ended */
	double in_turn_s; /* wall time if the second program begins when the first has ended */
};

struct consolidation {
	const struct forecast *forecasts[CONSOLIDATED]; /* borrowed */
	double cpu_s[CONSOLIDATED];			/* CPU time of each program */
	struct consolidation_row *rows;			/* of the requested cores, in their order */
	size_t count;
};

/*
 * Both forecasts are replays for all of `cores`, without slowdown and what-if; they may be the
 * same. Returns 0, or -1 with an error; the caller releases `consolidation` in either case.
 */
int consolidation_init(struct consolidation *consolidation, const struct forecast *first,
		       const struct forecast *second, const uint64_t *cores, size_t count,
		       struct err *err);
void consolidation_release(struct consolidation *consolidation);

#endif
