/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The uncertainty of a replayed wall time: the 90 % interval from all known sources of error. Each
 * term tells how much shorter and longer another run may be, as a difference of logarithms:
 *
 *	steps		other times of steps, and another random order of them; see below
 *	discrepancy	what programs do otherwise on other numbers of cores and no recording on one
 *			of them shows: caches, memory, clock. A normal distribution [Kennedy &
 *			O'Hagan 2001 call it so], with a standard deviation s that is given for
 *			twice as many cores; s sqrt(d) for d doublings, as each brings its own.
 *			s was measured between runs, and has their variation in it: as long as the
 *			speed is not known, it is s on the recorded number of cores as well, and less
 *			than a doubling away. Two runs of 25 real programs on the same two cores differ
 *			by 8.3 %, forecasts from one core to two by 8.8 % (scripts/bench-forecast-real).
 *			Of several recordings it is known between the numbers of cores that they
 *			were made on: there it is what runs differ by, and the error of the
 *			slowdown that they show
 *	speed		the speed of the machine from one run to another, as calibrations found it: a
 *			run and the recording differ by sqrt(2) times as much as two of these from
 *			their mean. Of several recordings it is what these differ by
 *	steal		CPU time that the hypervisor took in the recording: another run may lose
 *			none, or twice as much
 *	miss		what the replay misses of the recorded wall time; it may do so anywhere. What
 *			CPUs idled beside ready threads makes a run only longer
 *	overhead	CPU time that recording has added, and that other runs do not have
 *
 * The first four are independent, and add up as squares; the others are no noise but one and the
 * same in every run, and are added to that. The rounding of recorded times, to a microsecond or less,
 * is far below all of these, and does not add up from step to step.
 *
 * If the replay rests on a guess, the interval covers all equally plausible answers (least_s,
 * most_s):
 *
 *  - whether any thread can do what is taken from a queue is not recorded: where that is presumed,
 *    also the wall times with each thread doing what it did;
 *  - where threads may have shared their work as it came (recognise.h): the wall times with all of
 *    them doing the same, or where that is presumed with each doing what it did;
 *  - where it is a guess what threads wait for, and in which order, or a check fails that decides:
 *    the closed form, without waits;
 *  - where threads wait for locks, and how long these are held is not known: on more cores than recorded
 *    also the wall time of these, as the locks may be held all the time.
 *
 * The interval begins no lower than the wall time can be with the recorded work, and as much less work
 * as the first two terms and the cost of recording allow for. That one lock is held is such work, where
 * its calls are recorded.
 *
 * The steps are found by replaying programs that the recorded one could have been.
 *
 * In each replicate CPU times and the lengths of sleeps are drawn again from those of the same
 * thread between the same operations at the same site, in blocks of neighbours and from near by, so
 * that phases stay phases [block bootstrap: Kuensch 1989]; those of pools from what all did. The
 * thread that goes first where nothing decides is another one, and slices and the delays of wakes
 * are from half to twice as long. lo and hi are the quantiles .05 and .95 of the replicates
 * relative to their median, around the point: relative, as times that are drawn for each thread by
 * itself fit each other less well than those that were taken together, so that all replicates wait
 * longer than they should. The recording is one run itself, and two runs differ by sqrt(2) times as
 * much as one does from the mean.
 *
 * How much steps vary is seen in those that are alike. Programs with fewer than 100 steps need ten
 * or more of those for half of what they do; without, the intervals have the other terms alone.
 *
 * So the interval is one for the wall time of another run, in which steps take other times. What it
 * holds of simulated programs is measured by tests/bench/forecast_coverage.c, and of real ones by
 * scripts/bench-forecast-real.
 */
#ifndef PSCAL_REPLAY_FORECAST_VARIATION_H
#define PSCAL_REPLAY_FORECAST_VARIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/forecast_points.h"
#include "replay/simulate/slowdown.h"

struct err;
struct level_times;

/*
 * The default of s: the root of the mean square of ln(forecast / measured) of nine programs (pigz,
 * pbzip2, lbzip2, xz, zstd, x264, sort, sqlite3, make; for each the median of five recordings), on
 * an AMD EPYC from one core to two and back, by `make forecast-real`, 2026-11-21; from .045 to .069
 * without any one of them. Peternier et al. 2013 measured mean absolute errors of 4.1 % from one
 * core to two and 6.4 % to four, for normal ones standard deviations of .051 and .081: their ratio
 * of 1.6 over two doublings is between the 1.4 of independent ones and 2.
 */
#define INTERVAL_DISCREPANCY .065

enum { VARIATION_STEPS_LEAST = 100, VARIATION_ALIKE_LEAST = 10, VARIATION_REPLICATES = 39 };

/* Of all simulations (simulation_size) that a forecast may make for its interval: some seconds. */
#define VARIATION_SIZE_MOST 30000000

/*
 * The number of replicates of a program of that simulation_size(), on so many numbers of cores:
 * fewer where it is large, and none, 0, below 5. Quantiles need 19; with fewer they are those of
 * Student's distribution, as the sum of very many steps is normal.
 */
size_t variation_replicates(uint64_t size, size_t points);

/* Do its steps tell how much they vary? */
bool variation_is_known(const struct program *program);

/* Draws CPU times and pauses of `program` again. */
void variation_draw(struct program *program, uint32_t seed);

struct variation_request {
	double overhead_share; /* of the CPU time recorded: what recording has added to it */
	const struct level_times
		*closed_form; /* what threads wait for is a guess: reach there; or NULL */
	bool holds_unknown;   /* threads wait for locks, and how long these are held is not known */
	double discrepancy;   /* per doubling of cores, see above; 0: none */
	struct run_noise speed;		    /* of the machine; freedom 0: not known */
	double steal;			    /* the share of the CPU time that was stolen */
	const struct slowdown_fit *learned; /* of several recordings; or NULL */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

/*
 * Fills in the intervals of all points, which were made from `program` and `machine`. The program's
 * times are replaced by drawn ones meanwhile, and put back in the end.
 * Returns 0, or -1 with a sentence; where nothing is known of what is noise, the points stay without
 * one.
 */
int variation_add(struct forecast_points *replayed, struct program *program,
		  const struct machine *machine, const struct variation_request *request,
		  struct err *err);

/* The parts of the intervals of `replayed`, in `size` bytes of `text`: "steps, miss". */
enum { INTERVAL_NAMES_SIZE = 112 };
const char *interval_names(char *text, size_t size, const struct forecast_points *replayed);

#endif
