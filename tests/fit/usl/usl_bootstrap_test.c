/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_intervals.h"

#include "base/alloc.h"
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct ends {
	struct usl_interval alpha, beta, gamma, peak_n, at_50;
};

static struct ends ends_of(const struct series *series, enum usl_model model, size_t refits,
			   uint32_t seed)
{
	const struct usl_bootstrap_plan plan = {.refits = refits, .seed = seed};
	struct usl usl = fitting_fit(series, model);
	struct usl_intervals *bootstrap = usl_intervals_new(&usl, series, .95, &plan);
	struct ends ends = {
		usl_interval_of(bootstrap, USL_ALPHA, 0), usl_interval_of(bootstrap, USL_BETA, 0),
		usl_interval_of(bootstrap, USL_GAMMA, 0), usl_interval_of(bootstrap, USL_PEAK_N, 0),
		usl_interval_of(bootstrap, USL_X, 50),
	};

	usl_intervals_free(bootstrap);
	return ends;
}

/* 1/X^2: all points have the same relative error. */
static void weigh_by_square(struct series *series)
{
	series->weights = xcalloc(series->count, sizeof(*series->weights));
	for (size_t i = 0; i < series->count; i++)
		series->weights[i] = pow(series->points[i].throughput, -2);
}

static void assert_near(struct usl_interval got, struct usl_interval want, double share)
{
	double width = want.high - want.low;

	if (!(fabs(got.low - want.low) <= share * width) ||
	    !(fabs(got.high - want.high) <= share * width))
		fail_msg("%.8g to %.8g, not %.8g to %.8g", got.low, got.high, want.low, want.high);
}

/*
 * Of 200 000 refits with numpy: Gauss-Newton's method from the fit, ends by bisection on the pivot.
 * Quantiles of so many refits still scatter.
 */
static const struct {
	const char *set;
	bool weighted;
	struct ends ends;
} computed[] = {
	/* clang-format off */
	{"specsdm91", false, {{.00911146537, .0699442515}, {4.23434463e-05, .000164222425}, {60.3886743, 151.523045},
	 {76.9042774, 149.321127}, {1585.46475, 1892.19134}}},
	{"raytracer6", false, {{.000469248284, .0560832705}, {.000672699781, .00236586541}, {18.5512695, 23.801352},
	 {20.56, 37.2}, {138.681017, 219.967342}}},
	{"cisco", false, {{.0179016360, .0362923515}, {.000585020348, .000938934186}, {939.297530, 1056.32770},
	 {32.3285074, 40.6004528}, {11295.4380, 12501.3828}}},
	{"cisco", true, {{.0160246136, .0254824706}, {.000745890073, .00102039571}, {938.902922, 982.516007},
	 {31.0458180, 36.1530380}, {10996.4432, 12014.0076}}},
	/* clang-format on */
};

static void intervals_meet_those_of_an_independent_simulation(void **state)
{
	const double scatter =
		.06; /* of quantiles, as a share of the interval; 6 residuals are few */

	(void)state;
	for (size_t i = 0; i < COUNT(computed); i++) {
		struct series series = fitting_read(computed[i].set);
		struct ends ends;

		/* The fit has the weights as soon as it reads them; here it is refitted.
		 */
		if (computed[i].weighted)
			weigh_by_square(&series);
		ends = ends_of(&series, USL_FULL, 50000, 1);
		assert_near(ends.alpha, computed[i].ends.alpha, scatter);
		assert_near(ends.beta, computed[i].ends.beta, scatter);
		assert_near(ends.gamma, computed[i].ends.gamma, scatter);
		assert_near(ends.peak_n, computed[i].ends.peak_n, scatter);
		assert_near(ends.at_50, computed[i].ends.at_50, scatter);
		series_release(&series);
	}
}

static void the_seed_determines_the_intervals(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct ends one = ends_of(&series, USL_FULL, 999, 1);
	struct ends same = ends_of(&series, USL_FULL, 999, 1);
	struct ends other = ends_of(&series, USL_FULL, 999, 2);

	(void)state;
	assert_true(one.alpha.low == same.alpha.low && one.peak_n.high == same.peak_n.high);
	assert_true(one.alpha.low != other.alpha.low && one.peak_n.high != other.peak_n.high);
	assert_near(other.peak_n, one.peak_n, .2);
	series_release(&series);
}

static void intervals_end_on_the_bounds_and_hold_the_best_fit(void **state)
{
	struct series series = fitting_read("raytracer"); /* beta on its bound */
	struct ends ends = ends_of(&series, USL_FULL, 999, 1);
	struct usl usl = fitting_fit(&series, USL_FULL);

	(void)state;
	assert_true(usl.beta == 0);
	assert_true(ends.beta.low == 0 && ends.beta.high >= 0);
	assert_true(isinf(ends.peak_n.high) && ends.peak_n.low > 64);
	assert_true(ends.alpha.low <= usl.alpha && usl.alpha <= ends.alpha.high);
	assert_true(ends.gamma.low <= usl.gamma && usl.gamma <= ends.gamma.high);
	series_release(&series);
}

/* With many points both methods agree. */
static void shares_are_near_those_of_the_profile(void **state)
{
	const struct usl_bootstrap_plan plan = {.refits = 9999, .seed = 1};
	struct series series = fitting_read("cisco");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *profile = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_intervals *bootstrap = usl_intervals_new(&usl, &series, .95, &plan);

	(void)state;
	for (double n = 2; n <= 64; n *= 2)
		for (enum usl_quantity part = USL_USEFUL; part <= USL_COHERENCY; part++)
			assert_near(usl_interval_of(bootstrap, part, n),
				    usl_interval_of(profile, part, n), .1);
	usl_intervals_free(bootstrap);
	usl_intervals_free(profile);
	series_release(&series);
}

/* raytracer ends on beta = 0; refits without bounds go beyond. */
static void shares_under_the_bounds_are_no_more_than_all(void **state)
{
	const struct usl_bootstrap_plan plan = {.refits = 999, .seed = 1};
	struct series series = fitting_read("raytracer");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *bootstrap = usl_intervals_new(&usl, &series, .95, &plan);

	(void)state;
	for (double n = 1; n <= 1024; n *= 2) {
		struct usl_interval useful = usl_interval_of(bootstrap, USL_USEFUL, n);
		struct usl_interval contention = usl_interval_of(bootstrap, USL_CONTENTION, n);
		struct usl_interval coherency = usl_interval_of(bootstrap, USL_COHERENCY, n);

		assert_true(useful.low >= 0 && useful.high <= 1);
		assert_true(contention.low >= 0 && contention.high <= 1 - useful.low + 1e-12);
		assert_true(coherency.low == 0 && coherency.high <= 1 - useful.low + 1e-12);
		if (n == 1)
			assert_true(useful.low == 1 && contention.high == 0);
	}
	usl_intervals_free(bootstrap);
	series_release(&series);
}

static void a_parameter_that_is_not_fitted_has_no_width(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct ends ends = ends_of(&series, USL_AMDAHL, 999, 1);

	(void)state;
	assert_true(ends.beta.low == 0 && ends.beta.high == 0);
	assert_true(isnan(ends.peak_n.low) && isnan(ends.peak_n.high));
	assert_true(ends.alpha.low >= 0 && ends.alpha.high > ends.alpha.low);
	series_release(&series);
}

static void a_curve_through_all_points_has_no_interval(void **state)
{
	struct series_point points[] = {{1, 20}, {4, 78}, {12, 170}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct ends ends = ends_of(&series, USL_FULL, 99, 1);

	(void)state;
	assert_true(isnan(ends.alpha.low) && isnan(ends.gamma.high) && isnan(ends.peak_n.low));
	assert_true(isnan(ends.at_50.low));
}

/* Only the unit of the weights differs. */
static void weights_count_up_to_a_factor(void **state)
{
	struct series series = fitting_read("cisco");
	struct ends one, other;

	(void)state;
	weigh_by_square(&series);
	one = ends_of(&series, USL_FULL, 999, 1);
	for (size_t i = 0; i < series.count; i++)
		series.weights[i] *= 1e9;
	other = ends_of(&series, USL_FULL, 999, 1);
	assert_close(other.alpha.low, one.alpha.low, 1e-6);
	assert_close(other.peak_n.high, one.peak_n.high, 1e-6);
	series_release(&series);
}

static void a_quantile_needs_a_refit_beyond_it(void **state)
{
	(void)state;
	assert_int_equal(usl_bootstrap_least(.95), 39);
	assert_int_equal(usl_bootstrap_least(.9), 19);
	assert_int_equal(usl_bootstrap_least(.99), 199);
}

static void count_call(void *context, uint64_t done, uint64_t all)
{
	assert_true(done <= all && all == 5000);
	++*(int *)context;
}

static void progress_is_reported(void **state)
{
	int calls = 0;
	size_t failed = 1;
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *bootstrap = usl_intervals_new(
		&usl, &series, .95,
		&(struct usl_bootstrap_plan){
			.refits = 5000, .seed = 1, .progress = count_call, .context = &calls});

	(void)state;
	assert_true(calls >= 5);
	assert_int_equal(usl_intervals_plan(bootstrap, &failed)->refits, 5000);
	assert_int_equal(failed, 0);
	usl_intervals_free(bootstrap);
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(intervals_meet_those_of_an_independent_simulation),
	cmocka_unit_test(the_seed_determines_the_intervals),
	cmocka_unit_test(intervals_end_on_the_bounds_and_hold_the_best_fit),
	cmocka_unit_test(shares_are_near_those_of_the_profile),
	cmocka_unit_test(shares_under_the_bounds_are_no_more_than_all),
	cmocka_unit_test(a_parameter_that_is_not_fitted_has_no_width),
	cmocka_unit_test(a_curve_through_all_points_has_no_interval),
	cmocka_unit_test(weights_count_up_to_a_factor),
	cmocka_unit_test(a_quantile_needs_a_refit_beyond_it),
	cmocka_unit_test(progress_is_reported),
};

TEST_FILE(tests);
