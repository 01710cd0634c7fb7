/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a program by replay, a point for each number of cores: how long its steps take
 * there. recognise_checked() makes the points, scale_to_measured() holds them to the recorded wall
 * time, variation.h gives them intervals, and forecast_usl_init() puts a curve through more of them.
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
	double lo_s, hi_s;	/* of the interval, see variation.h; NaN: none */
	double least_s, most_s; /* of the answers that may be as true, see variation.h */
	double discrepancy;	/* standard deviation that the interval takes here; see there */
	size_t stuck;		/* threads that wait at the end for what does not come */
};

/* Answers that intervals reach to, beside the replay's own. */
enum {
	ALTERNATIVE_WITHOUT_POOLS = 1,
	ALTERNATIVE_CLOSED_FORM = 2,
	ALTERNATIVE_EVEN_WORK = 4, /* the same for all */
	ALTERNATIVE_OWN_WORK = 8,  /* each thread does what it did */
	ALTERNATIVE_NO_GAIN = 16,  /* more cores than recorded are no faster */
};

struct forecast_points {
	struct forecast_point *points; /* by cores, each number once */
	size_t count;
	uint64_t recorded_cores;
	double recorded_s;   /* wall time on these */
	double others_share; /* as of forecast_points_others_share() */
	double polls_share;  /* of a wall time, that timed waits have; the largest: see below */
	double loops_share;  /* ... and that loops of sched_yield would have */
	double locks_share;  /* ... and waits that look like those for locks, on more cores */
	uint64_t lock_waits; /* how many of these there are */
	double self_s;	     /* replayed on cores of which others have that share, or none, or on
				  those that were idle as recorded: the nearest to recorded_s, ... */
	double idled;	     /* ... its logarithm, less that of the same without idle cores, ... */
	bool self_open;	     /* ... recorded_s is far from both, and between them, ... */
	double self_scatter; /* ... and by how much noise changes that, as in struct replay */
	double scale;	     /* what wall times on as many cores as recorded are multiplied with,
				  1 before scale_to_measured() */
	uint64_t size;	     /* of one replay (simulation_size) */
	double calls_s;	     /* CPU time of recording calls that is in self_s alone */
	double overhead_share;	/* that the intervals take for the recording's own */
	double discrepancy;	/* ... and for what no recording shows, per doubling of cores */
	double steal;		/* ... for CPU time that the hypervisor took */
	struct run_noise speed; /* ... and for the speed of the machine */
	size_t replicates;	/* that the intervals are made from */
	unsigned alternatives;	/* ALTERNATIVE_... that they reach to */
	bool holds_known; /* the calls of the lock of bounds.serial_ns are recorded: no wall time is
			     less */
	struct bounds bounds;
};

/*
 * Timed waits end when the thread that they wait for comes, where a trace tells which (STEP_POLL).
 * Where it does not, each takes its time, and how many there are may be another number on other
 * cores. `polls_share` is how much of a wall time is gone when they take no time: within that a
 * forecast is a guess.
 *
 * Loops of sched_yield (STEP_LOOP) take no time in a replay: whether they were waits is not known, nor
 * for what. `loops_share` is how much of a wall time they would be if they were waits for what takes as
 * much longer or shorter on other cores as the program does.
 */

/*
 * The share of the CPU time that the target of a recording could have used, and other programs used:
 * with j threads ready on k cores it could have used min(j, k) of them, and `busy_ns` is as of
 * cpu_taken_ns(). 0..1.
 */
double forecast_points_others_share(const struct program *program, const struct level_times *levels,
				    uint64_t recorded_cores, uint64_t busy_ns);

/*
 * Runs `program` on `machine` with 1, `recorded_cores` and each of `cores` cores in place of its
 * own. Returns 0, or -1 with a sentence. The caller releases in any case.
 */
int forecast_points_init(struct forecast_points *replayed, const struct program *program,
			 const struct machine *machine, uint64_t recorded_cores,
			 double others_share, const uint64_t *cores, size_t count, struct err *err);

/*
 * Sets `lock_waits` and `locks_share`: how much of a wall time is gone without the waits that look
 * like those for locks whose hold times are not known (recognise.h). The order in which threads get
 * a lock changes with more cores, and hardly with fewer. Returns 0, or -1 with a sentence.
 */
int forecast_points_find_locks(struct forecast_points *replayed, const struct program *program,
			       const struct machine *machine, struct err *err);
void forecast_points_release(struct forecast_points *replayed);

/* More cores than threads change nothing: what is simulated for `cores` of them. */
unsigned forecast_points_cores(const struct program *program, uint64_t cores);

/* The program on `cores` cores in place of those of the machine, to be run by replays_run(). */
struct replay replay_on(const struct program *program, const struct machine *machine,
			uint64_t cores);

/* Of a number of cores that was asked for, or 1, or that of the recording. */
const struct forecast_point *forecast_points_find(const struct forecast_points *replayed,
						  uint64_t cores);

/* Has any of them one? */
bool forecast_points_have_interval(const struct forecast_points *replayed);

/* The most threads that any of them leaves waiting for what does not come. */
size_t forecast_points_stuck(const struct forecast_points *replayed);

double forecast_points_speedup(const struct forecast_points *replayed,
			       const struct forecast_point *point);

/*
 * The error of the replay on the cores of the recording against the recorded wall time: relative,
 * < 0 where it is shorter. Where other programs took CPU time, or CPUs idled beside ready threads, the
 * least of what that leaves possible. NaN where no time was recorded.
 */
double forecast_points_self_error(const struct forecast_points *replayed);

/* As closed_form_error() and closed_form_mean_error(); NaN where nothing was replayed. */
double forecast_points_error(const struct forecast_points *replayed, const struct wall_time *time);
double forecast_points_mean_error(const struct forecast_points *replayed,
				  const struct wall_times *times, size_t *count);

/* --- Mutexes --------------------------------------------------------------------------------- */

/*
 * Adds the uses of mutexes that left no trace, as no thread had to wait (recognise_add_uses()).
 *
 * Of n uses of a mutex that threads make independently of one another, one waits with a probability
 * that is proportional to n. So the number of waits is proportional to n^2: where a replay on the
 * recorded cores waits less often than was recorded, n is larger by the square root of the ratio. Eight
 * rounds of such replays come close. At most 64 uses are added for each wait; none to a mutex whose hold time
 * is not known, and none where these replays would take too long. Returns 0, or -1 with a sentence.
 */
int mutex_uses_add(struct program *program, const struct machine *machine, unsigned cores,
		   struct err *err);

/* --- Held to the recording ----------------------------------------------------------------- */

/*
 * The forecast for the cores of the recording, held to the wall time that was measured on them.
 *
 * There one run is known, and the replay is a model of it: what one is off the other, a factor
 * m = recorded / replayed, is what the model misses or the noise of that run. Replays with other
 * seeds tell how much is usual, a standard deviation s of a wall time in terms of it. With t for
 * what the model misses elsewhere, and both normal, the best guess of the mean of many runs is
 *
 *	replayed m^w, w = t^2 / (t^2 + s^2)
 *
 * [shrinkage, as of Stein 1956 and Efron & Morris 1975]. Where a program has no noise that is what
 * was measured. A replay with as many threads as cores, or fewer, is the same with more of them.
 *
 * On other cores nothing is changed: one run of a program of few large steps can be far off the mean,
 * and so would be a forecast that repeats it there.
 *
 * t: the root of the mean square of ln(replayed / mean of 16 runs) of these programs of all classes
 * on two and four cores, .018; on one core there is nothing to miss.
 */
#define SCALE_MISS .02

/*
 * Scales `replayed`, made from `program`, to its recorded_s. Nothing changes where threads are
 * stuck, where other programs had more of the cores than the condition `alone` allows, as the forecast is
 * for cores without them, or where no time was recorded. No wall time comes below its bound.
 */
void scale_to_measured(struct forecast_points *replayed, const struct program *program);

/* Has `changed`, of the same recording with other costs of waits, be as much longer or shorter. */
void scale_as(struct forecast_points *changed, const struct forecast_points *scaled,
	      const struct program *program);

/* The factor of a replayed wall time on `cores`; 1 where it stays as it is. */
double scale_factor(const struct forecast_points *replayed, const struct program *program,
		    uint64_t cores);

/* --- The law -------------------------------------------------------------------------------- */

/*
 * The Universal Scalability Law through replayed wall times: X(N) = 1 / wall time on N cores, in
 * runs of the program per second.
 *
 * The points are computed, and would be the same again. What the curve misses is that the law is
 * not the program's, and no scatter: nothing tells from it how sure the parameters are.
 */

/* There are points up to 8 cores where fewer are asked for, and no curve through less than 4. */
enum { FORECAST_USL_CORES = 8, FORECAST_USL_POINTS = 4 };

struct forecast_usl {
	struct series series;
	struct usl usl;
	double r2;	  /* 1 - RSS / the sum of squares about the mean; NaN: all X are equal */
	double rms_error; /* root of the mean square of the relative residuals, fitted / X - 1 */
	double max_error; /* the one that is farthest from 0 */
	double max_error_n;
	bool falls;	 /* the last point has 1 % less throughput than another, or even less */
	uint64_t active; /* threads at most at a time: as many cores have the last point */
	size_t left_out; /* core counts without a point: threads of the replay never end there */
};

/*
 * N = 1, 2, 3, 4, 6, 8, 12, 16, ... as far as `largest`, and that, but not beyond the number of
 * threads that are `active` at a time: on more cores nothing changes as there are no more threads,
 * which the law would take for contention. Where throughput does not fall, beta is 0: full stages of
 * a pipeline bend a curve as coherency does, but only that makes it fall. Wall times are `scaled` as
 * its own are. Returns 0, or -1 with a sentence: there are too few points at which the replay comes to
 * its end, one takes no time, or no curve fits. The caller releases in any case.
 */
int forecast_usl_init(struct forecast_usl *replayed, const struct program *program,
		      const struct machine *machine, const struct forecast_points *scaled,
		      uint64_t largest, uint64_t active, struct err *err);
void forecast_usl_release(struct forecast_usl *replayed);

/* fitted / replayed - 1 of a point. */
double forecast_usl_error(const struct forecast_usl *replayed, size_t point);

/* --- Recognition -------------------------------------------------------------------------- */

/*
 * As much of what threads wait for as a replay bears out. What recognise() rewrites was possible in
 * the recorded order, but in another order threads may meet at objects and at edges that are left
 * beside them in ways in which neither can go on. Such a program is replayed as it was recorded.
 *
 * Recognises what `program` waits for as far as its replay lets fewer threads wait for ever than
 * any replay of less, and repeats the recorded wall time where one of less does. Fills in
 * `replayed` as forecast_points_init() does, and `recognised`. What recording calls has cost is left out
 * of the program then, and of all wall times but the one that the recorded one is held to.
 * Where that leaves out recorded calls of locks, the bound of the lock that is held longest stays, and no
 * wall time is below it.
 * Meanwhile it needs the memory of two more such programs at most, and where none of less is
 * tried, of the steps. Returns 0, or -1 with a
 * sentence; the caller releases `replayed` in any case.
 */
int recognise_checked(struct forecast_points *replayed, struct recognised *recognised,
		      struct program *program, const struct machine *machine,
		      uint64_t recorded_cores, double others_share, const uint64_t *cores,
		      size_t count, struct err *err);

#endif
