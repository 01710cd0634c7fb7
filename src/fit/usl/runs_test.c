/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/runs_test.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

static void count_runs(struct runs_test *test, const double *values, size_t count)
{
	double last = 0;

	for (size_t i = 0; i < count; i++) {
		if (values[i] > 0)
			test->above++;
		else if (values[i] < 0)
			test->below++;
		else
			continue;
		test->runs += !(values[i] * last > 0);
		last = values[i] > 0 ? 1 : -1;
	}
}

/* In how many ways `count` alike things are put into `parts` groups that are not empty; log. */
static double log_ways(size_t count, size_t parts)
{
	return parts >= 1 && parts <= count
		       ? gsl_sf_lnchoose((unsigned)count - 1, (unsigned)parts - 1)
		       : -INFINITY;
}

/* Of `runs` runs in all orders of the signs. Even numbers have as many runs of one sign as of the
 * other, odd ones one more of one of the two. */
static double probability(const struct runs_test *test, size_t runs)
{
	double all = gsl_sf_lnchoose((unsigned)(test->above + test->below), (unsigned)test->above);
	size_t half = runs / 2;

	if (runs % 2 == 0)
		return 2 * exp(log_ways(test->above, half) + log_ways(test->below, half) - all);
	return exp(log_ways(test->above, half + 1) + log_ways(test->below, half) - all) +
	       exp(log_ways(test->above, half) + log_ways(test->below, half + 1) - all);
}

static void take_exact(struct runs_test *test)
{
	double few = 0, many = 0;

	for (size_t runs = 2; runs <= test->above + test->below; runs++) {
		double share = probability(test, runs);

		few += runs <= test->runs ? share : 0;
		many += runs >= test->runs ? share : 0;
	}
	test->p_few = fmin(1, few);
	test->p = fmin(1, 2 * fmin(few, many));
}

/* With the mean and the variance of the number of runs, and half a run for its steps. */
static void take_normal(struct runs_test *test)
{
	double signs = (double)(test->above + test->below);
	double pairs = 2 * (double)test->above * (double)test->below;
	double distance = (double)test->runs - (pairs / signs + 1);
	double sigma = sqrt(pairs * (pairs - signs) / (signs * signs * (signs - 1)));

	test->p_few = gsl_cdf_ugaussian_P((distance + .5) / sigma);
	test->p = fmin(1, 2 * gsl_cdf_ugaussian_Q((fabs(distance) - .5) / sigma));
}

void runs_test(struct runs_test *test, const double *values, size_t count)
{
	*test = (struct runs_test){.p_few = NAN, .p = NAN};
	count_runs(test, values, count);
	if (!test->above || !test->below)
		return;
	if (test->above + test->below <= RUNS_EXACT)
		take_exact(test);
	else
		take_normal(test);
}
