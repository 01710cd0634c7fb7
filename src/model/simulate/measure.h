/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of the requests of a simulation, in little memory for any number of them: a histogram
 * of response times in bins of 1 %, and batches of successive requests, which double in size when
 * there are many. They give means with standard errors, percentiles, the end of the warm-up, and
 * the growth of the number of requests in the system.
 *
 * A mark is set at 1, 2, 4, 8 ... requests, with the numbers 1, 2, 3, 4 ...; mark 0 is the
 * beginning. The warm-up ends at a mark, so that a caller that keeps its sums at each mark knows
 * them from there on.
 */
#ifndef PSCAL_MODEL_SIMULATE_MEASURE_H
#define PSCAL_MODEL_SIMULATE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEASURE_BATCHES = 4096, /* the largest number of batches; at least half as many */
	MEASURE_GROUPS = 32,	/* groups of batches, for standard errors */
	MEASURE_MARKS = 40,
	/*
	 * Bins of an octave: the first are 1/128 wide, the last 1/256. There are 64 octaves, from 1
	 * ns on.
	 */
	MEASURE_OCTAVE = 128,
	MEASURE_BINS = 64 * MEASURE_OCTAVE,
};

struct measure_batch {
	double response_ns; /* sum of the response times */
	double end_ns;	    /* time of its last answer */
	uint32_t beyond;    /* number of requests with a response time above `beyond_ns` */
	uint32_t inside;    /* number of requests in the system at the end */
};

struct measure {
	uint64_t count;		       /* number of requests */
	struct measure_batch *batches; /* the last batch is not full yet */
	size_t batch_count;	       /* number of full batches */
	uint64_t batch_size;
	uint64_t filled; /* number of requests in the last batch */
	uint32_t *bins;
	uint32_t *marked; /* [mark][bin]: bins at that mark */
	unsigned marks;	  /* number of marks that are set */
	double mark_ns[MEASURE_MARKS];
	double beyond_ns;      /* estimate of the 95th percentile */
	uint64_t beyond_since; /* number of requests before `beyond_ns` was last changed */
};

/* The results of the requests after a mark. */
struct measured {
	uint64_t count; /* number of requests */
	double since_ns, until_ns;
	double mean_ns, mean_se_ns;
	double per_ns, per_se_ns; /* throughput and its standard error */
	double p50_ns, p95_ns, p99_ns, p95_se_ns;
	double correlation; /* correlation of successive groups: close to 0 if the standard errors
			       are right */
};

void measure_init(struct measure *measure);
void measure_release(struct measure *measure);

/*
 * Adds a request that was answered at `now_ns`, with `inside` requests in the system. Returns
 * whether a mark has been set, which is then number `marks`.
 */
bool measure_add(struct measure *measure, double response_ns, double now_ns, uint32_t inside);

/* Returns the mark at which the warm-up is over (MSER-5); -1: not yet. */
int measure_warm_up(const struct measure *measure);

/* Returns the last mark in the first half. */
unsigned measure_half(const struct measure *measure);

void measure_read(struct measured *measured, const struct measure *measure, unsigned mark);

/*
 * Returns the growth of the number of requests in the system over the last half, in requests per
 * ns. *by_error: that divided by its standard error, as for a sum of independent steps. In a stable
 * system the steps are not independent but return to a mean: this error is too large then, and the
 * ratio small.
 */
double measure_growth(const struct measure *measure, double *by_error);

#endif
