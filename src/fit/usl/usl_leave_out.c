/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_leave_out.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double peak_of(const struct usl *usl)
{
	double peak = usl_peak_n(usl);

	if (usl_is_retrograde(usl))
		return 0;
	return isnan(peak) ? INFINITY : peak;
}

static struct usl_left_out fit_others(const struct series *others, const struct usl_form *form,
				      const struct series_point *point)
{
	struct usl usl;
	struct err err;

	if (usl_fit(&usl, others, form, &err))
		return (struct usl_left_out){NAN, NAN, NAN, NAN, NAN};
	return (struct usl_left_out){usl.alpha, usl.beta, usl.gamma, peak_of(&usl),
				     point->throughput - usl_throughput(&usl, point->n)};
}

/* A copy without the last point, whose place `keep` fills below. */
static struct series all_but_last(const struct series *series)
{
	struct series others = {.source = series->source, .count = series->count - 1};

	others.points = xcalloc(series->count, sizeof(*others.points));
	memcpy(others.points, series->points, others.count * sizeof(*others.points));
	if (series->weights) {
		others.weights = xcalloc(series->count, sizeof(*others.weights));
		memcpy(others.weights, series->weights, others.count * sizeof(*others.weights));
	}
	if (series->trust) {
		others.trust = xcalloc(series->count, sizeof(*others.trust));
		memcpy(others.trust, series->trust, others.count * sizeof(*others.trust));
	}
	return others;
}

static void put(struct series *others, size_t place, const struct series *series, size_t point)
{
	others->points[place] = series->points[point];
	if (series->weights)
		others->weights[place] = series->weights[point];
	if (series->trust)
		others->trust[place] = series->trust[point];
}

struct usl_left_out *usl_leave_out(const struct series *series, const struct usl_form *form)
{
	struct usl_left_out *left_out;
	struct series others;

	if (series->count > USL_LEAVE_OUT_POINTS)
		return NULL;
	left_out = xcalloc(series->count, sizeof(*left_out));
	others = all_but_last(series);
	/* From the last point on, the hole moves towards the first. */
	for (size_t i = series->count; i-- > 0;) {
		if (i < others.count)
			put(&others, i, series, i + 1);
		left_out[i] = fit_others(&others, form, &series->points[i]);
	}
	free(others.points);
	free(others.weights);
	free(others.trust);
	return left_out;
}
