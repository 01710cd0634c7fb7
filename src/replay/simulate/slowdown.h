/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The factor by which work takes longer while so many cores are busy, as a machine of simulation.h
 * has it: relative to the work as it was recorded.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SLOWDOWN_H
#define PSCAL_REPLAY_SIMULATE_SLOWDOWN_H

#include <stddef.h>
#include <stdint.h>

#include "stats/profile/levels.h"

struct err;

struct slowdown {
	double *factors; /* [b - 1]: while b cores are busy */
	size_t count;
};

/* A factor that is known. */
struct slowdown_point {
	uint64_t cores;
	double factor;
};

enum { SLOWDOWN_CORES_MAX = 1 << 16 };

/*
 * Between two points the factor is on the line through them; below the first it is that of the
 * first. Returns 0, or -1 with a sentence: points must ascend from 1 to SLOWDOWN_CORES_MAX cores,
 * with factors above 0. The caller releases.
 */
int slowdown_init(struct slowdown *slowdown, const struct slowdown_point *points, size_t count,
		  struct err *err);
void slowdown_release(struct slowdown *slowdown);

/* While `busy` cores are; beyond the last one as there. */
double slowdown_at(const struct slowdown *slowdown, uint64_t busy);

/*
 * A program recorded on `cores` cores was slowed down itself, the more the more of them were busy.
 * With T_j, the wall time with j threads active, b_j = min(j, cores) cores were, and in b_j T_j of
 * CPU time b_j T_j / S(b_j) of work was done. So this is
 *
 *	sum_j b_j T_j / sum_j (b_j T_j / S(b_j))
 *
 * by which all factors have to be divided for run times as recorded. 1 where nothing ran.
 */
double slowdown_recorded(const struct slowdown *slowdown, const struct level_times *levels,
			 uint64_t cores);

/* Divides all factors by that. */
void slowdown_relate(struct slowdown *slowdown, const struct level_times *levels, uint64_t cores);

#endif
