/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/scale_to_measured.h"

#include "replay/forecast/replayed.h"
#include "replay/forecast/validity.h"

#include <math.h>

double scale_factor(const struct replayed *replayed, const struct program *program, uint64_t cores)
{
	return replayed_cores(program, cores) == replayed_cores(program, replayed->recorded_cores)
		       ? replayed->scale
		       : 1;
}

static double weight(double scatter)
{
	return SCALE_MISS * SCALE_MISS / (SCALE_MISS * SCALE_MISS + scatter * scatter);
}

static bool is_comparable(const struct replayed *replayed)
{
	return replayed->recorded_s > 0 && replayed->self_s > 0 && !replayed_stuck(replayed) &&
	       replayed->others_share <= validity_words(VALIDITY_ALONE)->limit;
}

static void scale_points(struct replayed *replayed, const struct program *program)
{
	for (size_t i = 0; i < replayed->count; i++) {
		struct replayed_point *point = &replayed->points[i];
		double factor = scale_factor(replayed, program, point->cores);

		point->wall_s *= factor;
		point->least_s *= factor;
		point->most_s *= factor;
	}
}

void scale_to_measured(struct replayed *replayed, const struct program *program)
{
	unsigned cores = replayed_cores(program, replayed->recorded_cores);
	double bound_s = (double)bounds_wall_ns(&replayed->bounds, cores) / 1e9;
	double wall_s = replayed_find(replayed, replayed->recorded_cores)->wall_s;

	if (!is_comparable(replayed) || !(wall_s > 0))
		return;
	replayed->scale =
		pow(replayed->recorded_s / replayed->self_s, weight(replayed->self_scatter));
	if (replayed->scale < 1)
		replayed->scale = fmin(fmax(replayed->scale, bound_s / wall_s), 1);
	scale_points(replayed, program);
}

void scale_as(struct replayed *changed, const struct replayed *scaled,
	      const struct program *program)
{
	changed->scale = scaled->scale;
	scale_points(changed, program);
}
