/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a program by replay: a point for each number of cores. recognise_checked() makes
 * the points, scale_to_measured() corrects them by the recorded wall time, variation.h gives them
 * intervals, and forecast_usl_init() fits a curve to more of them.
 */
#ifndef PSCAL_REPLAY_FORECAST_FORECAST_POINTS_H
#define PSCAL_REPLAY_FORECAST_FORECAST_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fit/usl/usl.h"
#include "replay/program/program.h"
#include "replay/recognise/recognise.h"
#include "replay/simulate/bounds.h"
#include "replay/simulate/replays.h"
#include "replay/simulate/slowdown.h"
#include "stats/series/series.h"

struct err;
struct level_times;
struct wall_time;
struct wall_times;

struct forecast_point {
	uint64_t cores;
	double wall_s;
	double lo_s, hi_s;	/* interval of wall_s (variation.h); NaN: none */
	double least_s, most_s; /* range of equally plausible wall times (variation.h) */
	double discrepancy;	/* standard deviation of the discrepancy in the interval
				   (variation.h) */
	size_t stuck;		/* number of threads that wait forever at the end */
};

/* Other answers that the intervals include. */
enum {
	ALTERNATIVE_WITHOUT_POOLS = 1,
	ALTERNATIVE_CLOSED_FORM = 2,
	ALTERNATIVE_EVEN_WORK = 4, /* all threads of a group do the same work */
	ALTERNATIVE_OWN_WORK = 8,  /* each thread does its recorded work */
	ALTERNATIVE_NO_GAIN = 16,  /* more cores than recorded are no faster */
};

struct forecast_points {
	struct forecast_point *points; /* by number of cores, each number once */
	size_t count;
	uint64_t recorded_cores;
	double recorded_s;	/* wall time of the recording */
	double others_share;	/* from forecast_points_others_share() */
	double polls_share;	/* share of a wall time that timed waits take; the largest of all
				   points, see below */
	double loops_share;	/* share of a wall time that loops of sched_yield would take */
	double locks_share;	/* share of a wall time that waits like those for locks take, on
				   more cores */
	uint64_t lock_waits;	/* number of these waits */
	double self_s;		/* the self-check: the replay on the recorded cores that is closest
				   to recorded_s. Other programs have their share of the cores or
				   none, or some cores idle as recorded */
	double idled;		/* difference that idle cores make to ln(self_s) */
	bool self_open;		/* recorded_s is between the possible replays, and far from both */
	double self_scatter;	/* relative standard deviation of self_s from run to run, as in
				   struct replay */
	double scale;		/* factor on the wall time for the recorded number of cores; 1
				   before scale_to_measured() */
	uint64_t size;		/* size (simulation_size) of one replay */
	double calls_s;		/* CPU time of recording calls, which only self_s includes */
	double lock_costs_s;	/* CPU time of recorded waits for locks, taken out of the steps;
				   each replay adds that of its own */
	double overhead_share;	/* in the intervals: share of the CPU time that recording added */
	double discrepancy;	/* in the intervals: standard deviation of the discrepancy per
				   doubling of cores */
	double steal;		/* in the intervals: share of the CPU time that the hypervisor
				   took */
	struct run_noise speed; /* in the intervals: variation of the speed of the machine */
	size_t replicates;	/* number of replicates that the intervals are made from */
	unsigned alternatives;	/* ALTERNATIVE_... bits: answers that the intervals include */
	bool holds_known;	/* calls of the lock of bounds.serial_ns are recorded: it bounds all
				   wall times */
	struct bounds bounds;
};

/*
 * A timed wait ends when the thread that it waits for comes, if a trace shows that thread
 * (STEP_POLL). If not, it takes its recorded time, and the number of such waits may differ on other
 * cores. `polls_share` is the part of a wall time that is saved if they take no time: within that
 * share a forecast is a guess.
 *
 * Loops of sched_yield (STEP_LOOP) take no time in a replay: whether they waited, and for what, is
 * unknown. `loops_share` is the part of a wall time that they would take if they were waits whose
 * length changes with the number of cores as the wall time does.
 */

/*
 * Returns the CPU time that the target could have used: with j threads ready on k cores min(j, k) of
 * them, and no more than the quota of the recording. `levels` are without throttled time.
 */
double forecast_points_usable_ns(const struct program *program, const struct level_times *levels,
				 uint64_t recorded_cores);

/*
 * Returns the share, 0..1, of this CPU time that other programs used. `busy_ns` is from
 * cpu_taken_ns().
 */
double forecast_points_others_share(const struct program *program, const struct level_times *levels,
				    uint64_t recorded_cores, uint64_t busy_ns);

/*
 * Replays `program` on `machine` with 1, `recorded_cores` and each of `cores` cores in place of its
 * own. Returns 0, or -1 with an error. The caller always releases `replayed`.
 */
int forecast_points_init(struct forecast_points *replayed, const struct program *program,
			 const struct machine *machine, uint64_t recorded_cores,
			 double others_share, const uint64_t *cores, size_t count, struct err *err);

/*
 * Sets `lock_waits`, and `locks_share` to the share of a wall time that is saved without the waits
 * that look like those for locks with unknown hold times (recognise.h). The order in which threads
 * get a lock changes with more cores, and hardly with fewer. Returns 0, or -1 with an error.
 */
int forecast_points_find_locks(struct forecast_points *replayed, const struct program *program,
			       const struct machine *machine, struct err *err);
void forecast_points_release(struct forecast_points *replayed);

/*
 * Returns the number of cores to simulate for `cores` cores: more cores than threads change
 * nothing.
 */
unsigned forecast_points_cores(const struct program *program, uint64_t cores);

/* Returns a replay of the program on `cores` cores of `machine`, for replays_run(). */
struct replay replay_on(const struct program *program, const struct machine *machine,
			uint64_t cores);

/* Returns the point of a requested number of cores, of 1, or of the recording's; NULL: none. */
const struct forecast_point *forecast_points_find(const struct forecast_points *replayed,
						  uint64_t cores);

/* Returns whether any point has an interval. */
bool forecast_points_have_interval(const struct forecast_points *replayed);

/* Returns the largest `stuck` of all points. */
size_t forecast_points_stuck(const struct forecast_points *replayed);

double forecast_points_speedup(const struct forecast_points *replayed,
			       const struct forecast_point *point);

/*
 * Returns the relative error of the self-check: < 0 if the replay is shorter than the recorded wall
 * time. If other programs took CPU time, or CPUs idled beside ready threads, it is the smallest
 * possible one. NaN if no wall time was recorded.
 */
double forecast_points_self_error(const struct forecast_points *replayed);

/* Like closed_form_error() and closed_form_mean_error(); NaN if nothing was replayed. */
double forecast_points_error(const struct forecast_points *replayed, const struct wall_time *time);
double forecast_points_mean_error(const struct forecast_points *replayed,
				  const struct wall_times *times, size_t *count);

/* --- Mutexes --------------------------------------------------------------------------------- */

/*
 * Adds the uses of mutexes that were not recorded, as no thread had to wait (recognise_add_uses()).
 *
 * Of n uses of a mutex that threads make independently of one another, one waits with a probability
 * that is proportional to n. So the number of waits is proportional to n^2: if a replay on the
 * recorded cores waits less often than the recording, n is larger by the square root of the ratio.
 * Eight rounds of such replays come close. At most 64 uses are added for each wait; none to a mutex
 * with an unknown hold time, and none if these replays would take too long. Returns 0, or -1 with
 * an error.
 */
int mutex_uses_add(struct program *program, const struct machine *machine, unsigned cores,
		   struct err *err);

/* --- Scaled to the recording ------------------------------------------------------------------ */

/*
 * The forecast for the cores of the recording, scaled to the recorded wall time.
 *
 * One run on these cores is known, and the replay is a model of it: their ratio, a factor m =
 * recorded / replayed, is the error of the model or the noise of that run. Replays with other seeds
 * show the noise, a relative standard deviation s of a wall time. With t for the usual error of the
 * model, and both normal, the best guess of the mean of many runs is
 *
 *	replayed m^w, w = t^2 / (t^2 + s^2)
 *
 * [shrinkage, as of Stein 1956 and Efron & Morris 1975]. For a program without noise that is the
 * recorded time. A replay with as many threads as cores, or fewer, is the same on more cores.
 *
 * On other cores nothing is changed: one run of a program of few large steps can be far off the
 * mean, and so would be a forecast that repeats it there.
 *
 * t: the root of the mean square of ln(replayed / mean of 16 runs) of programs of all classes on
 * two and four cores, .018; on one core the model has no error.
 */
#define SCALE_MISS .02

/*
 * Scales `replayed`, made from `program`, to its recorded_s. Nothing changes if threads are stuck,
 * if other programs had more of the cores than VALIDITY_ALONE allows, as the forecast is for cores
 * without them, or if no time was recorded. No wall time gets shorter than its lower bound.
 */
void scale_to_measured(struct forecast_points *replayed, const struct program *program);

/* Scales `changed`, a replay of the same recording with other costs of waits, as `scaled` was. */
void scale_as(struct forecast_points *changed, const struct forecast_points *scaled,
	      const struct program *program);

/* Returns the factor on a replayed wall time for `cores`; 1: it is not scaled. */
double scale_factor(const struct forecast_points *replayed, const struct program *program,
		    uint64_t cores);

/* --- The law -------------------------------------------------------------------------------- */

/*
 * The Universal Scalability Law fitted to replayed wall times: X(N) = 1 / wall time on N cores, in
 * runs of the program per second.
 *
 * The points are computed and have no scatter. The residuals are the difference between the law and
 * the program, and give no intervals of the parameters.
 */

/*
 * Points reach at least up to FORECAST_USL_CORES cores, and a fit needs FORECAST_USL_POINTS of
 * them.
 */
enum { FORECAST_USL_CORES = 8, FORECAST_USL_POINTS = 4 };

struct forecast_usl {
	struct series series;
	struct usl usl;
	double r2;	  /* 1 - RSS / sum of squares about the mean; NaN: all X are equal */
	double rms_error; /* root of the mean square of the relative residuals, fitted / X - 1 */
	double max_error; /* the residual that is farthest from 0 */
	double max_error_n;
	bool falls;	 /* the last point has a throughput at least 1 % below that of another */
	uint64_t active; /* the largest number of threads ready at a time: the last point has as
			    many cores */
	size_t left_out; /* number of core counts without a point: the replay leaves threads stuck
			    there */
};

/*
 * Fits the law to points at N = 1, 2, 3, 4, 6, 8, 12, 16, ... up to `largest`, and that, but not
 * beyond `active`, the largest number of threads ready at a time: more cores change nothing, which
 * the law would take for contention. If throughput does not fall, beta is 0: saturated stages of a
 * pipeline bend a curve as coherency does, but only coherency makes it fall. Wall times are scaled
 * as those of `scaled`. Returns 0, or -1 with an error: there are too few points at which the
 * replay ends, one takes no time, or no curve fits. The caller always releases `replayed`.
 */
int forecast_usl_init(struct forecast_usl *replayed, const struct program *program,
		      const struct machine *machine, const struct forecast_points *scaled,
		      uint64_t largest, uint64_t active, struct err *err);
void forecast_usl_release(struct forecast_usl *replayed);

/* Returns fitted / replayed - 1 of a point. */
double forecast_usl_error(const struct forecast_usl *replayed, size_t point);

/* --- Recognition -------------------------------------------------------------------------- */

/*
 * Recognises the objects of waits in `program` as far as replays confirm them. The steps that
 * recognise() writes were possible in the recorded order, but in another order threads may meet at
 * objects and at recorded edges in a way in which neither can go on. Such a program is replayed as
 * recorded.
 *
 * An extent is accepted if its replay leaves fewer threads stuck than that of any smaller extent,
 * and repeats the recorded wall time if that of a smaller one does. Fills in `replayed` as
 * forecast_points_init() does, and `recognised`. The costs of recording calls are taken out of the
 * program and of all wall times but self_s. If that leaves out recorded calls of locks, the bound
 * of the lock that is held longest still holds for all wall times. Needs the memory of at most two
 * more such programs, and if no smaller extent is tried, that of the steps. Returns 0, or -1 with
 * an error; the caller always releases `replayed`.
 */
int recognise_checked(struct forecast_points *replayed, struct recognised *recognised,
		      struct program *program, const struct machine *machine,
		      uint64_t recorded_cores, double others_share, const uint64_t *cores,
		      size_t count, struct err *err);

#endif
