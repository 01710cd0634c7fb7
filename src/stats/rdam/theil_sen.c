/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/theil_sen.h"

#include "base/alloc.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

struct slopes {
	double *items;
	size_t count;
};

static void add_slope(struct slopes *slopes, const double *x, const double *y, size_t i, size_t k)
{
	if (x[i] < x[k] || x[i] > x[k])
		slopes->items[slopes->count++] = (y[k] - y[i]) / (x[k] - x[i]);
}

static void add_all(struct slopes *slopes, const double *x, const double *y, size_t count)
{
	slopes->items = xreallocarray(NULL, count * (count - 1) / 2, sizeof(*slopes->items));
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			add_slope(slopes, x, y, i, k);
}

static void add_drawn(struct slopes *slopes, const double *x, const double *y, size_t count)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	gsl_rng_set(random, 1);
	slopes->items = xreallocarray(NULL, THEIL_SEN_DRAWN, sizeof(*slopes->items));
	for (size_t i = 0; i < THEIL_SEN_DRAWN; i++)
		add_slope(slopes, x, y, gsl_rng_uniform_int(random, count),
			  gsl_rng_uniform_int(random, count));
	gsl_rng_free(random);
}

double theil_sen_slope(const double *x, const double *y, size_t count)
{
	struct slopes slopes = {0};
	double slope = NAN;

	if (count < 2)
		return NAN;
	if (count <= THEIL_SEN_EXACT)
		add_all(&slopes, x, y, count);
	else
		add_drawn(&slopes, x, y, count);
	if (slopes.count)
		slope = gsl_stats_median(slopes.items, 1, slopes.count);
	free(slopes.items);
	return slope;
}
