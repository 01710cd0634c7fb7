/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/slowdown.h"

#include "base/alloc.h"
#include "base/err.h"

#include <inttypes.h>
#include <stdlib.h>

static int check_points(const struct slowdown_point *points, size_t count, struct err *err)
{
	uint64_t before = 0;

	if (!count)
		return err_set(err, "has no core counts");
	for (size_t i = 0; i < count; i++) {
		if (points[i].cores <= before || points[i].cores > SLOWDOWN_CORES_MAX)
			return err_set(err,
				       "%" PRIu64 " cores: numbers of cores must ascend, from 1 to "
				       "%d",
				       points[i].cores, SLOWDOWN_CORES_MAX);
		if (!(points[i].factor >= 1e-6 && points[i].factor <= 1e6))
			return err_set(err,
				       "%" PRIu64 " cores: work cannot take %g times as long; "
				       "give a factor like 1.25",
				       points[i].cores, points[i].factor);
		before = points[i].cores;
	}
	return 0;
}

int slowdown_init(struct slowdown *slowdown, const struct slowdown_point *points, size_t count,
		  struct err *err)
{
	size_t next = 0;

	*slowdown = (struct slowdown){.count = 0};
	if (check_points(points, count, err))
		return -1;
	slowdown->count = points[count - 1].cores;
	slowdown->factors = xcalloc(slowdown->count, sizeof(*slowdown->factors));
	for (uint64_t b = 1; b <= slowdown->count; b++) {
		const struct slowdown_point *to, *from;

		while (points[next].cores < b)
			next++;
		to = &points[next];
		from = next ? to - 1 : to;
		slowdown->factors[b - 1] = to->factor;
		if (from != to)
			slowdown->factors[b - 1] += (from->factor - to->factor) *
						    (double)(to->cores - b) /
						    (double)(to->cores - from->cores);
	}
	return 0;
}

void slowdown_release(struct slowdown *slowdown)
{
	free(slowdown->factors);
	free(slowdown->group_of);
	free(slowdown->group_factors);
	*slowdown = (struct slowdown){.count = 0};
}

/* Returns the slowdown with `busy` busy cores; beyond the last factor, the last one. */
static double slowdown_at(const struct slowdown *slowdown, uint64_t busy)
{
	if (!slowdown->count)
		return 1;
	return slowdown->factors[(busy < slowdown->count ? busy : slowdown->count) - 1];
}

double slowdown_recorded(const struct slowdown *slowdown, const struct level_times *levels,
			 uint64_t cores)
{
	double ran_ns = 0, work_ns = 0;

	for (uint64_t j = 1; j <= levels->max_active; j++) {
		uint64_t busy = j < cores ? j : cores;
		double ns = (double)levels->wall_ns[j] * (double)busy;

		ran_ns += ns;
		work_ns += ns / slowdown_at(slowdown, busy);
	}
	return work_ns > 0 ? ran_ns / work_ns : 1;
}

void slowdown_relate(struct slowdown *slowdown, const struct level_times *levels, uint64_t cores)
{
	double recorded = slowdown_recorded(slowdown, levels, cores);

	for (size_t i = 0; i < slowdown->count; i++)
		slowdown->factors[i] /= recorded;
}
