/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of the requests of a simulation, in little memory whatever their number: a histogram
 * of response times in bins of 1 %, and batches of requests in their order, which double in size
 * when there are many. From these come means with standard errors, percentiles, where the warm-up
 * ends, and whether the number of requests in the system grows.
 *
 * At 1, 2, 4, 8 ... requests a mark is set, of the numbers 1, 2, 3, 4 ..., and 0 is the beginning.
 * The warm-up ends at one of them, so that sums of anything
 * are known from there on if they are kept at the marks.
 */
#ifndef PSCAL_MODEL_SIMULATE_MEASURE_H
#define PSCAL_MODEL_SIMULATE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEASURE_BATCHES = 4096, /* at most; at least half as many */
	MEASURE_GROUPS = 32,	/* into which these are put for standard errors */
	MEASURE_MARKS = 40,
	/* Bins of one octave: the first are 1/128 wide, the last 1/256. Of 64 octaves, from 1 ns on. */
	MEASURE_OCTAVE = 128,
	MEASURE_BINS = 64 * MEASURE_OCTAVE,
};

struct measure_batch {
	double response_ns; /* sum */
	double end_ns;	    /* when the last of them was answered */
	uint32_t beyond;    /* answered later than in `beyond_ns` */
	uint32_t inside;    /* requests in the system at the end */
};

struct measure {
	uint64_t count;		       /* of requests */
	struct measure_batch *batches; /* the last one is not full yet */
	size_t batch_count;	       /* whole ones */
	uint64_t batch_size;
	uint64_t filled; /* of the one that is not */
	uint32_t *bins;
	uint32_t *marked; /* [mark][bin] */
	unsigned marks;	  /* so many are set */
	double mark_ns[MEASURE_MARKS];
	double beyond_ns;      /* about the 95th percentile */
	uint64_t beyond_since; /* requests before `beyond_ns` was chosen last */
};

/* Results on the requests behind a mark. */
struct measured {
	uint64_t count; /* of requests */
	double since_ns, until_ns;
	double mean_ns, mean_se_ns;
	double per_ns, per_se_ns; /* throughput */
	double p50_ns, p95_ns, p99_ns, p95_se_ns;
	double correlation; /* of successive groups: near to 0 standard errors are right */
};

void measure_init(struct measure *measure);
void measure_release(struct measure *measure);

/* A request was answered at `now_ns`. Returns whether a mark has been set, of the number `marks`. */
bool measure_add(struct measure *measure, double response_ns, double now_ns, uint32_t inside);

/* The mark at which the warm-up is over (MSER-5); -1: not yet. */
int measure_warm_up(const struct measure *measure);

/* The last mark in the first half. */
unsigned measure_half(const struct measure *measure);

void measure_read(struct measured *measured, const struct measure *measure, unsigned mark);

/*
 * By how many requests a second the number in the system grows over the last half, and that by its
 * standard error, as that of a sum of independent steps: in a system that is stable these are not
 * independent but go back, so it is too large then, and the ratio is small.
 */
double measure_growth(const struct measure *measure, double *by_error);

#endif
