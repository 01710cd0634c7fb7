/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_common.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_compare.h"
#include "fit/usl/usl_refit.h"
#include "stats/series/series.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>

/* --- The common law ----------------------------------------------------------
 * With gamma_B = ratio gamma_A the points of B over the ratio are on the curve of A: one series, to
 * which the law is fitted. What is left is to find the ratio.
 */

struct common {
	const struct usl_sample *a, *b;
	double a_s2, b_s2;
	struct series both;
	struct usl usl; /* of the ratio looked at last */
};

static double scatter(const struct usl_sample *sample)
{
	const double parameters = 3;

	return sample->usl->rss / ((double)sample->usl->n - parameters);
}

static double squares(const struct usl_sample *sample, const struct usl *usl, double ratio)
{
	double sum = 0;

	for (size_t i = 0; i < sample->series->count; i++) {
		const struct series_point *point = &sample->series->points[i];
		double residual = point->throughput - ratio * usl_throughput(usl, point->n);

		sum += series_weight(sample->series, i) * residual * residual;
	}
	return sum;
}

static void stack(struct common *common, double ratio)
{
	const struct usl_sample *a = common->a, *b = common->b;
	size_t first = a->series->count;

	for (size_t i = 0; i < first; i++) {
		common->both.points[i] = a->series->points[i];
		common->both.weights[i] = series_weight(a->series, i) / common->a_s2;
	}
	for (size_t i = 0; i < b->series->count; i++) {
		common->both.points[first + i] = (struct series_point){
			b->series->points[i].n, b->series->points[i].throughput / ratio};
		common->both.weights[first + i] =
			series_weight(b->series, i) * ratio * ratio / common->b_s2;
	}
}

/* Q of the best law with this ratio; infinite where there is none. */
static double excess(double log_ratio, void *data)
{
	struct common *common = data;
	double ratio = exp(log_ratio);
	struct err err;

	stack(common, ratio);
	if (usl_fit(&common->usl, &common->both, &common->a->usl->form, &err))
		return HUGE_VAL;
	return (squares(common->a, &common->usl, 1) - squares(common->a, common->a->usl, 1)) /
		       common->a_s2 +
	       (squares(common->b, &common->usl, ratio) - squares(common->b, common->b->usl, 1)) /
		       common->b_s2;
}

/* A place whose neighbours at the distance `step` are higher. */
static double surround(double middle, double *step, struct common *common)
{
	enum { TRIES = 40 };
	double here = excess(middle, common);

	for (int i = 0; i < TRIES; i++) {
		double below = excess(middle - *step, common),
		       above = excess(middle + *step, common);

		if (below > here && above > here)
			return middle;
		if (fmin(below, above) < here) {
			middle += below < above ? -*step : *step;
			here = fmin(below, above);
		} else {
			*step *= 2; /* level ground */
		}
	}
	return NAN;
}

/* The best ratio near the one measured, as logarithms, or NaN. */
static double find_ratio(double measured, struct common *common)
{
	enum { ITERATIONS = 60 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function function = {.function = excess, .params = common};
	double step = .1;
	double log_ratio = surround(measured, &step, common);

	if (solver && !isnan(log_ratio) &&
	    gsl_min_fminimizer_set(solver, &function, log_ratio, log_ratio - step,
				   log_ratio + step) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS; i++)
			if (gsl_min_fminimizer_iterate(solver) ||
			    gsl_min_test_interval(gsl_min_fminimizer_x_lower(solver),
						  gsl_min_fminimizer_x_upper(solver), 1e-7,
						  0) == GSL_SUCCESS)
				break;
		log_ratio = gsl_min_fminimizer_x_minimum(solver);
	}
	gsl_min_fminimizer_free(solver);
	gsl_set_error_handler(handler);
	return log_ratio;
}

/* --- Its p ------------------------------------------------------------------- */

/* A symmetric 2 x 2 matrix. */
struct covariance {
	double aa, ab, bb;
};

/* Of alpha and beta, to first order, at the fit to the sample. -1 where they are not told apart. */
static int covariance_of(struct covariance *covariance, const struct usl_sample *sample, double s2)
{
	struct usl_refit refit;
	struct usl_refitted found;
	int rc;

	usl_refit_init(&refit, sample->usl, sample->series);
	rc = usl_refit_unbounded(&found, &refit);
	if (rc == 0) {
		double p = found.theta[0], x = s2 / refit.x_unit / refit.x_unit / p / p;
		double alpha[USL_THETA] = {-found.theta[1] / p / refit.n_unit, 1 / refit.n_unit, 0};
		double square = refit.n_unit * refit.n_unit;
		double beta[USL_THETA] = {-found.theta[2] / p / square, 0, 1 / square};

		*covariance = (struct covariance){x * usl_refit_spread(&found, alpha, alpha),
						  x * usl_refit_spread(&found, alpha, beta),
						  x * usl_refit_spread(&found, beta, beta)};
	}
	usl_refit_release(&refit);
	return rc;
}

/*
 * 1 / nu = the sum over both series of (d' V^-1 V_i V^-1 d / d' V^-1 d)^2 / df_i, with d the
 * difference of alpha and beta and V = V_A + V_B.
 */
static double yao(const struct common *common)
{
	const struct usl *a = common->a->usl, *b = common->b->usl;
	struct covariance va, vb, v;
	double d[2] = {b->alpha - a->alpha, b->beta - a->beta}, w[2], share, whole;

	if (covariance_of(&va, common->a, common->a_s2) ||
	    covariance_of(&vb, common->b, common->b_s2))
		return NAN;
	v = (struct covariance){va.aa + vb.aa, va.ab + vb.ab, va.bb + vb.bb};
	/* V^-1 d, up to a factor */
	w[0] = v.bb * d[0] - v.ab * d[1];
	w[1] = v.aa * d[1] - v.ab * d[0];
	whole = v.aa * w[0] * w[0] + 2 * v.ab * w[0] * w[1] + v.bb * w[1] * w[1];
	if (!(whole > 0)) /* both on the same bound */
		return fmin((double)a->n, (double)b->n) - 3;
	share = (va.aa * w[0] * w[0] + 2 * va.ab * w[0] * w[1] + va.bb * w[1] * w[1]) / whole;
	return 1 / (share * share / ((double)a->n - 3) +
		    (1 - share) * (1 - share) / ((double)b->n - 3));
}

static void describe(struct usl_comparison *comparison, struct common *common)
{
	double measured = log(common->b->usl->gamma / common->a->usl->gamma);
	bool is_fitted = !common->a->usl->form.gamma_first;
	double log_ratio = is_fitted ? find_ratio(measured, common) : measured;
	double nu = yao(common), q;

	if (isnan(log_ratio) || !(nu > 0))
		return;
	q = fmax(0, excess(log_ratio, common));
	if (isinf(q))
		return;
	comparison->alpha = common->usl.alpha;
	comparison->beta = common->usl.beta;
	comparison->gamma_a = common->usl.gamma;
	comparison->gamma_b = common->usl.gamma * exp(log_ratio);
	comparison->p = gsl_cdf_fdist_Q(q / 2, 2, nu);
}

void usl_common_fit(struct usl_comparison *comparison, const struct usl_sample *a,
		    const struct usl_sample *b)
{
	struct common common = {.a = a, .b = b};
	size_t count = a->series->count + b->series->count;

	comparison->alpha = comparison->beta = comparison->gamma_a = comparison->gamma_b = NAN;
	comparison->p = NAN;
	if (a->usl->form.model != USL_FULL || a->usl->n <= 3 || b->usl->n <= 3)
		return;
	common.a_s2 = scatter(a);
	common.b_s2 = scatter(b);
	if (!(common.a_s2 > 0) || !(common.b_s2 > 0))
		return;
	common.both = (struct series){.source = a->series->source,
				      .points = xcalloc(count, sizeof(*common.both.points)),
				      .weights = xcalloc(count, sizeof(*common.both.weights)),
				      .count = count};
	describe(comparison, &common);
	free(common.both.points);
	free(common.both.weights);
}
