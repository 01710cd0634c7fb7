/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The uncertainty of a replayed wall time: the 90 % interval from all known sources of error. Each
 * term is the possible difference of another run, shorter and longer, as a difference of
 * logarithms:
 *
 *	steps		other times of steps, and another random order of them; see below
 *	discrepancy	effects of other numbers of cores that no recording on one of them shows:
 *			caches, memory, clock. A normal distribution [Kennedy & O'Hagan 2001 use
 *			the term], with a standard deviation s for twice as many cores, and
 *			s sqrt(d) for d doublings, as each adds its own. s was measured between
 *			runs, and includes their variation: while the variation of the speed is
 *			unknown, it is s on the recorded number of cores as well, and less than a
 *			doubling away. Two runs of 25 real programs on the same two cores differ
 *			by 8.3 %, forecasts from one core to two by 8.8 %
 *			(scripts/bench-forecast-real). With several recordings it is, between
 *			their numbers of cores, the difference of runs and the error of their
 *			slowdown
 *	speed		the speed of the machine from run to run, as calibrations measured it: a
 *			run and the recording differ by sqrt(2) times as much as either from their
 *			mean. With several recordings it is the difference between these
 *	steal		CPU time that the hypervisor took in the recording: another run may lose
 *			none, or twice as much
 *	miss		the error of the self-check, which the replay may make anywhere. CPUs that
 *			idled beside ready threads only make a run longer
 *	overhead	CPU time that recording added, which other runs do not have
 *
 * The first four are independent, and add up as squares; the others are the same in every run, and
 * are added to that sum. The rounding of recorded times, to a microsecond or less, is far below all
 * of these, and does not add up from step to step.
 *
 * If the replay rests on a guess, the interval covers all equally plausible answers (least_s,
 * most_s):
 *
 *  - if it is presumed that any thread can work on the items of a queue: also the wall times with
 *    each thread doing its recorded work;
 *  - if threads may have shared their work dynamically (recognise.h): the wall times with the same
 *    work for all of them, or if that is presumed with each thread doing its recorded work;
 *  - if the objects of waits and their order are guessed, or a deciding check fails: the closed
 *    form, which has no waits;
 *  - if threads wait for locks with unknown hold times: on more cores than recorded also the wall
 *    time of the recorded number, as the locks may be held all the time.
 *
 * The interval begins no lower than the lower bound of the wall time with the recorded work, less
 * as much work as the first two terms and the cost of recording allow for. The time under one lock
 * is such work if its calls are recorded.
 *
 * The term "steps" is found by replays of programs that could have been recorded instead.
 *
 * In each replicate CPU times and the lengths of sleeps are drawn again from those of the same
 * thread between the same operations at the same site, in blocks of neighbours and from near by, so
 * that phases stay phases [block bootstrap: Kuensch 1989]; those of pools from all their threads.
 * The order of threads that nothing decides is another one, and slices and the delays of wakeups
 * are from half to twice as long. lo and hi are the quantiles .05 and .95 of the replicates
 * relative to their median, around the point: relative, as times that are drawn for each thread
 * independently fit each other less well than recorded ones, so that all replicates wait longer
 * than they should. The recording is one run itself, and two runs differ by sqrt(2) times as much
 * as one does from the mean.
 *
 * The variation of steps is seen in steps that are alike. Programs with fewer than 100 steps need
 * ten or more of those for half of their time; without, the intervals have the other terms alone.
 *
 * So the interval is one for the wall time of another run, in which steps take other times. Its
 * coverage is measured by tests/bench/forecast_coverage.c for simulated programs, and by
 * scripts/bench-forecast-real for real ones.
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

/*
 * The largest size (simulation_size) of all simulations for the intervals of a forecast: some
 * seconds.
 */
#define VARIATION_SIZE_MOST 30000000

/*
 * Returns the number of replicates for a program of simulation_size() `size`, on `points` numbers
 * of cores: fewer if it is large, and 0 instead of fewer than 5. Quantiles need 19; with fewer they
 * are those of Student's distribution, as the sum of very many steps is normal.
 */
size_t variation_replicates(uint64_t size, size_t points);

/* Returns whether the steps of `program` show their variation. */
bool variation_is_known(const struct program *program);

/* Replaces CPU times and pauses of `program` by drawn ones. */
void variation_draw(struct program *program, uint32_t seed);

struct variation_request {
	double overhead_share;		       /* share of the recorded CPU time that recording
						  added */
	const struct level_times *closed_form; /* include this closed form in the interval, as the
						  objects of waits are guessed; or NULL */
	bool holds_unknown;		       /* threads wait for locks with unknown hold times */
	double discrepancy;		       /* s, per doubling of cores; 0: none */
	struct run_noise speed;		       /* variation of the speed of the machine; freedom 0:
						  unknown */
	double steal;			       /* share of the CPU time that the hypervisor took */
	const struct slowdown_fit *learned;    /* the slowdown learned from several recordings; or
						  NULL */
	void (*show)(void *context, uint64_t done, uint64_t size); /* shows progress; or NULL */
	void *context;
};

/*
 * Fills in the intervals of all points, which were made from `program` and `machine`. The times of
 * `program` are replaced by drawn ones, and restored at the end. Returns 0, or -1 with an error. If
 * no source of noise is known, the points have no intervals.
 */
int variation_add(struct forecast_points *replayed, struct program *program,
		  const struct machine *machine, const struct variation_request *request,
		  struct err *err);

/*
 * Writes the names of the terms in the intervals of `replayed` into `text`, of `size` bytes, and
 * returns it: "steps, miss".
 */
enum { INTERVAL_NAMES_SIZE = 112 };
const char *interval_names(char *text, size_t size, const struct forecast_points *replayed);

#endif
