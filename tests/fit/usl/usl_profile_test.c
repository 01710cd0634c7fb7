/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_profile.h"

#include "support.h"

#include <gsl/gsl_rng.h>
#include <math.h>

enum { POINTS = 6, BOUNDS = 7 };

struct problem {
	struct usl_descent_point points[POINTS];
	double basis[POINTS][USL_THETA], target[POINTS], best_d[POINTS];
};

/* D = 1 + n + n^2 / 4 at n = 1/6 .. 1, with a factor on each X. */
static struct usl_profile profile_of(struct problem *problem, gsl_rng *random)
{
	struct usl_profile profile = {.points = problem->points,
				      .basis = problem->basis,
				      .target = problem->target,
				      .best_d = problem->best_d,
				      .count = POINTS,
				      .rss = INFINITY,
				      .bounds = BOUNDS};

	for (size_t i = 0; i < POINTS; i++) {
		double n = (double)(i + 1) / POINTS;
		double noise = random ? .6 + .8 * gsl_rng_uniform(random) : 1;

		problem->points[i] = (struct usl_descent_point){
			.n = n, .x = noise * n / (1 + n + n * n / 4), .weight = 1};
		problem->basis[i][0] = 1;
		problem->basis[i][1] = n;
		problem->basis[i][2] = n * n;
		problem->target[i] = n / problem->points[i].x;
	}
	return profile;
}

static double rss_at(const struct usl_profile *profile, const double *theta)
{
	double sum = 0;

	for (size_t i = 0; i < profile->count; i++)
		sum += pow(profile->points[i].n / usl_profile_dot(theta, profile->basis[i]) -
				   profile->points[i].x,
			   2);
	return sum;
}

static void no_point_of_the_plane_within_the_bounds_fits_better(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct problem problem;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct usl_profile profile = profile_of(&problem, random);
		double ratio = 4 * gsl_rng_uniform(random), theta[USL_THETA];
		/* q = ratio p */
		struct usl_plane plane = {.normal = {-ratio, 1, 0}};
		double least = usl_profile_minimum(theta, &profile, &plane);

		assert_true(theta[0] > 0 && theta[1] >= 0 && theta[2] >= 0);
		assert_close(theta[1], ratio * theta[0], 1e-12);
		assert_close(rss_at(&profile, theta), least, 1e-10);
		for (int k = 0; k < 100; k++) {
			double p = 2 * gsl_rng_uniform(random), r = 3 * gsl_rng_uniform(random);

			if (k % 4 == 0)
				r = 0;
			assert_true(rss_at(&profile, (double[]){p, ratio * p, r}) >=
				    least * (1 - 1e-10));
		}
	}
	gsl_rng_free(random);
}

static void without_bounds_a_coefficient_may_be_negative(void **state)
{
	struct problem problem;
	struct usl_profile profile = profile_of(&problem, NULL);
	struct usl_plane plane = {.normal = {-1.5, 1, 0}}; /* q = 1.5 p, where q = p is true */
	double theta[USL_THETA], bounded[USL_THETA];

	(void)state;
	assert_true(usl_profile_unbounded(theta, &profile, &plane) <
		    usl_profile_minimum(bounded, &profile, &plane));
	assert_true(theta[2] < 0 && bounded[2] == 0);
}

static void the_truth_of_exact_points_is_on_its_plane(void **state)
{
	struct problem problem;
	struct usl_profile profile = profile_of(&problem, NULL);
	struct usl_plane plane = {.normal = {1, 0, 0}, .level = 1}; /* p = 1 */
	double theta[USL_THETA];

	(void)state;
	assert_true(usl_profile_minimum(theta, &profile, &plane) < 1e-20);
	assert_close(theta[1], 1, 1e-9);
	assert_close(theta[2], .25, 1e-9);
}

static void a_plane_that_nothing_is_on_has_no_minimum(void **state)
{
	struct problem problem;
	struct usl_profile profile = profile_of(&problem, NULL);
	struct usl_plane plane = {.level = 1}; /* 0 = 1 */
	double theta[USL_THETA];

	(void)state;
	assert_true(isinf(usl_profile_minimum(theta, &profile, &plane)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_point_of_the_plane_within_the_bounds_fits_better),
		cmocka_unit_test(without_bounds_a_coefficient_may_be_negative),
		cmocka_unit_test(the_truth_of_exact_points_is_on_its_plane),
		cmocka_unit_test(a_plane_that_nothing_is_on_has_no_minimum),
	};

	return RUN_TESTS(tests);
}
