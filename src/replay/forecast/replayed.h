/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a program by replay: how long its steps take on other numbers of cores, one
 * after the other.
 */
#ifndef PSCAL_REPLAY_FORECAST_REPLAYED_H
#define PSCAL_REPLAY_FORECAST_REPLAYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"
#include "replay/simulate/bounds.h"
#include "replay/simulate/simulation.h"

struct err;
struct level_times;
struct wall_time;
struct wall_times;

struct replayed_point {
	uint64_t cores;
	double wall_s;
	double lo_s, hi_s;	/* of the interval, see variation.h; NaN: none */
	double least_s, most_s; /* of the answers that may be as true, see variation.h */
	double discrepancy;	/* standard deviation that the interval takes here; see there */
	size_t stuck;		/* threads that wait at the end for what does not come */
};

/* Answers that intervals reach to, beside the replay's own. */
enum {
	REPLAYED_WITHOUT_POOLS = 1,
	REPLAYED_CLOSED_FORM = 2,
	REPLAYED_EVEN_WORK = 4, /* the same for all */
	REPLAYED_OWN_WORK = 8,	/* each thread does what it did */
};

struct replayed {
	struct replayed_point *points; /* by cores, each number once */
	size_t count;
	uint64_t recorded_cores;
	double recorded_s;     /* wall time on these */
	double others_share;   /* as of replayed_others_share() */
	double polls_share;    /* of a wall time, that timed waits have; the largest: see below */
	double self_s;	       /* replayed on cores of which others have that share, ... */
	double self_scatter;   /* ... and by how much luck changes that, as in struct replay */
	double scale;	       /* what wall times on as many cores as recorded are multiplied with,
				  see scale_to_measured.h; 1 before that */
	uint64_t size;	       /* of one replay (simulation_size) */
	double calls_s;	       /* CPU time of recording calls that is in self_s alone */
	double overhead_share; /* that the intervals take for the recording's own */
	double discrepancy;    /* ... and for what no recording shows, per doubling of cores */
	size_t replicates;     /* that the intervals are made from */
	unsigned alternatives; /* REPLAYED_... that they reach to */
	struct bounds bounds;
};

/*
 * Timed waits end when whom they wait for comes, where a trace tells who that is (STEP_POLL). Where
 * it does not, each takes its time, and how many there are may be another number on other cores.
 * `polls_share` is how much of a wall time is gone when they take no time: within that a forecast
 * is a guess.
 */

/*
 * The share of the CPU time that the target of a recording could have used, and which others had:
 * with j threads active on k cores it could have used min(j, k) of them. 0..1.
 */
double replayed_others_share(const struct program *program, const struct level_times *levels,
			     uint64_t recorded_cores);

/*
 * Runs `program` on `machine` with 1, `recorded_cores` and each of `cores` cores in place of its
 * own. Returns 0, or -1 with a sentence. The caller releases in any case.
 */
int replayed_init(struct replayed *replayed, const struct program *program,
		  const struct machine *machine, uint64_t recorded_cores, double others_share,
		  const uint64_t *cores, size_t count, struct err *err);
void replayed_release(struct replayed *replayed);

/* More cores than threads change nothing: what is simulated for `cores` of them. */
unsigned replayed_cores(const struct program *program, uint64_t cores);

/* Of a number of cores that was asked for, or 1, or that of the recording. */
const struct replayed_point *replayed_find(const struct replayed *replayed, uint64_t cores);

/* Has any of them one? */
bool replayed_has_interval(const struct replayed *replayed);

/* The most threads that any of them leaves waiting for what does not come. */
size_t replayed_stuck(const struct replayed *replayed);

double replayed_speedup(const struct replayed *replayed, const struct replayed_point *point);

/*
 * How far the replay on the cores of the recording, slowed down by what others had of them, misses
 * the wall time recorded: relative, < 0 where it is shorter. NaN where no time was recorded.
 */
double replayed_self_error(const struct replayed *replayed);

/* As closed_form_error() and closed_form_mean_error(); NaN where nothing was replayed. */
double replayed_error(const struct replayed *replayed, const struct wall_time *time);
double replayed_mean_error(const struct replayed *replayed, const struct wall_times *times,
			   size_t *count);

#endif
