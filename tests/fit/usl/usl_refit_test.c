/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_descent.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *set;
	struct usl_form form;
	double scatter; /* relative */
} cases[] = {
	{"specsdm91", {.model = USL_FULL}, .02},
	{"raytracer6", {.model = USL_FULL}, .03},
	{"raytracer", {.model = USL_FULL}, .03},   /* beta on its bound */
	{"seed_table4", {.model = USL_FULL}, .01}, /* alpha on its bound */
	{"seed_table4", {.model = USL_FULL, .unbounded = true}, .01},
	{"cisco", {.model = USL_AMDAHL}, .05},
	{"cisco", {.model = USL_LINEAR}, .05},
	{"specsdm91", {.model = USL_FULL, .gamma_first = true}, .02},
};

/* Moves the measurements, except those that determine a measured gamma. */
static void scatter(struct series *series, struct usl_refit *refit, double relative, bool gamma,
		    gsl_rng *random)
{
	for (size_t i = 0; i < series->count; i++) {
		struct series_point *point = &series->points[i];

		if (gamma && point->n == 1)
			continue;
		point->throughput *= 1 + gsl_ran_gaussian(random, relative);
		refit->points[i].x = point->throughput / refit->x_unit;
	}
}

static void assert_same(const struct usl_refitted *found, const struct usl_refit *refit,
			const struct usl *usl, size_t row)
{
	const double digits = 1e-6;
	double gamma = refit->x_unit / refit->n_unit / found->theta[0];
	double alpha = found->theta[1] / found->theta[0] / refit->n_unit;
	double beta = found->theta[2] / found->theta[0] / refit->n_unit / refit->n_unit;
	double rss = found->rss * refit->x_unit * refit->x_unit;

	if (!(fabs(alpha - usl->alpha) * usl->largest_n <= digits) ||
	    !(fabs(beta - usl->beta) * pow(usl->largest_n, 2) <= digits) ||
	    !(fabs(gamma - usl->gamma) <= digits * usl->gamma) ||
	    !(fabs(rss - usl->rss) <= digits * usl->rss))
		fail_msg("case %zu: alpha %g beta %g gamma %g rss %g, not %g %g %g %g", row, alpha,
			 beta, gamma, rss, usl->alpha, usl->beta, usl->gamma, usl->rss);
}

static void a_refit_is_the_fit_to_the_other_throughputs(void **state)
{
	enum { SETS = 50 };
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	for (size_t row = 0; row < COUNT(cases); row++) {
		for (size_t set = 0; set < SETS; set++) {
			struct series series = fitting_read(cases[row].set);
			struct usl usl = fitting_fit_form(&series, &cases[row].form);
			struct usl_refitted unbounded, found;
			struct usl_refit refit;

			usl_refit_init(&refit, &usl, &series);
			scatter(&series, &refit, cases[row].scatter, cases[row].form.gamma_first,
				random);
			usl = fitting_fit_form(&series, &cases[row].form);
			assert_int_equal(usl_refit_unbounded(&unbounded, &refit), 0);
			assert_int_equal(usl_refit_bounded(&found, &refit, &unbounded), 0);
			assert_same(&found, &refit, &usl, row);
			usl_refit_release(&refit);
			series_release(&series);
		}
	}
	gsl_rng_free(random);
}

/* The standard errors of the fit itself come from another derivation. */
static void spreads_make_standard_errors(void **state)
{
	struct series series = fitting_read("cisco");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_refitted found;
	struct usl_refit refit;
	double p, s, alpha[USL_THETA], beta[USL_THETA];

	(void)state;
	usl_refit_init(&refit, &usl, &series);
	assert_int_equal(usl_refit_unbounded(&found, &refit), 0);
	p = found.theta[0];
	s = sqrt(found.rss / (double)usl.df) / p;
	alpha[0] = -found.theta[1] / p;
	alpha[1] = 1;
	alpha[2] = 0;
	beta[0] = -found.theta[2] / p;
	beta[1] = 0;
	beta[2] = 1;
	assert_close(s * sqrt(usl_refit_spread(&found, alpha, alpha)) / refit.n_unit, usl.alpha_se,
		     1e-8);
	assert_close(s * sqrt(usl_refit_spread(&found, beta, beta)) / refit.n_unit / refit.n_unit,
		     usl.beta_se, 1e-8);
	usl_refit_release(&refit);
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_refit_is_the_fit_to_the_other_throughputs),
	cmocka_unit_test(spreads_make_standard_errors),
};

TEST_FILE(tests);
