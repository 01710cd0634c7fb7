/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval of 90 % of a replayed wall time, from all that is known to put it in doubt. Each
 * term is how much shorter and longer another run may be, as a difference of logarithms:
 *
 *	steps		other times of steps, and other luck in their order: variation.h finds out
 *	discrepancy	what programs do otherwise on other numbers of cores and no recording on one
 *			of them shows: caches, memory, clock. A normal distribution [Kennedy &
 *			O'Hagan 2001 call it so], with a standard deviation s that is given for
 *			twice as many cores; s sqrt(d) for d doublings, as each brings its own
 *	miss		what the replay misses of the recorded wall time; it may do so anywhere
 *	overhead	CPU time that recording has added, and that other runs do not have
 *
 * The first two are independent, and add up as squares; the others are no luck but one and the same
 * in every run, and are added to that. Recordings have times of a microsecond or less, and what is
 * rounded off at the end of a step is added to the next: that is far below all of these.
 *
 * Where the replay rests on a guess, the interval reaches from the least to the largest of the
 * answers that may be as true; see alternatives.h.
 */
#ifndef PSCAL_REPLAY_FORECAST_INTERVAL_H
#define PSCAL_REPLAY_FORECAST_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

struct replayed;
struct replayed_point;

/*
 * The default of s: the root of the mean square of ln(forecast / measured) of nine programs (pigz,
 * pbzip2, lbzip2, xz, zstd, x264, sort, sqlite3, make; for each the median of five recordings), on
 * an AMD EPYC from one core to two and back, by `make forecast-real`, 2026-11-21; from .045 to .069
 * without any one of them. Peternier et al. 2013 measured mean absolute errors of 4.1 % from one
 * core to two and 6.4 % to four, for normal ones standard deviations of .051 and .081: their ratio
 * of 1.6 over two doublings is between the 1.4 of independent ones and 2.
 */
#define INTERVAL_DISCREPANCY .065

struct interval_terms {
	double steps_shorter, steps_longer; /* NaN: not known */
	double discrepancy;		    /* standard deviation on this number of cores */
	double miss, overhead;
};

/*
 * The standard deviation on `cores` of a program of so many threads that was recorded on
 * `recorded_cores`, with `per_doubling` for s. Cores beyond the number of threads are no other
 * cores, but every other number of them is one doubling away where it is not less.
 */
double interval_discrepancy(double per_doubling, uint64_t recorded_cores, uint64_t cores,
			    size_t threads);

/*
 * Fills in lo_s and hi_s of `point`, or NaN where neither steps nor a discrepancy tell what is
 * luck: a wall time that cannot vary is no interval.
 */
void interval_set(struct replayed_point *point, const struct interval_terms *terms);

/* What the intervals of `replayed` are made from, in `size` bytes of `text`: "steps, miss". */
enum { INTERVAL_NAMES_SIZE = 80 };
const char *interval_names(char *text, size_t size, const struct replayed *replayed);

#endif
