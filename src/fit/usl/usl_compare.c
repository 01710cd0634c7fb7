/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_compare.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/brent.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_descent.h"
#include "fit/usl/usl_means.h"
#include "fit/usl/usl_region.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/*
 * The law that fits two series best with one alpha and one beta, each with its own gamma, and the
 * p-value of the series under this law.
 *
 * With S the sum of squares of each series and s^2 its scatter about its own fit,
 *
 *	Q = min S_A(alpha, beta) / s_A^2 - S_A / s_A^2 + the same of B
 *
 * and Q/2 has about the F distribution with 2 and nu degrees of freedom, nu by Yao ("An approximate
 * degrees of freedom solution to the multivariate Behrens-Fisher problem", Biometrika 52, 1965)
 * from the covariances of alpha and beta. His factor (nu - 1)/nu is not used: with 7 points in each
 * series the test would reject 3 % at a nominal 5 %, and without it rejects 5.
 */

/* --- The common law ----------------------------------------------------------
 * With gamma_B = ratio gamma_A the points of B, divided by the ratio, are on the curve of A: the
 * law is fitted to one series, and only the ratio is to be found.
 */

struct common {
	const struct usl_sample *a, *b;
	double a_s2, b_s2;
	struct series both;
	struct usl usl; /* the fit of the last ratio */
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

/* Returns Q of the best law with this ratio; infinite if there is none. */
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

/* Returns a place with higher neighbours at the distance `step`. */
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

/* Returns the best ratio near the measured one, both as logarithms, or NaN. */
static double find_ratio(double measured, struct common *common)
{
	double step = .1, log_ratio = surround(measured, &step, common);
	struct brent_minimum best;

	if (isnan(log_ratio))
		return NAN;
	best = brent_minimum(excess, common, log_ratio - step, log_ratio, log_ratio + step,
			     (struct brent_precision){1e-7, 0}, -INFINITY);
	return isnan(best.x) ? log_ratio : best.x;
}

/* --- The p-value of the common law ------------------------------------------- */

/* A symmetric 2 x 2 matrix. */
struct covariance {
	double aa, ab, bb;
};

/* Computes the covariance of alpha and beta at the fit, to first order; -1 if it does not exist. */
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
 * Returns nu: 1 / nu = the sum over both series of (d' V^-1 V_i V^-1 d / d' V^-1 d)^2 / df_i, with
 * the difference d of alpha and beta, and V = V_A + V_B.
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

/*
 * Sets the comparison's common law and its p; NaN: not known. The rss of each fit is that of its
 * points, of which the series may hold the means.
 */
static void usl_common_fit(struct usl_comparison *comparison, const struct usl_sample *a,
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

/* A sample whose measurements at each N are joined, so that repeated fits cost little. */
struct side {
	struct usl usl; /* the fit, whose rss is the scatter of the points */
	struct series means;
	double df;
};

static void side_init(struct side *side, const struct usl_sample *sample)
{
	*side = (struct side){
		.usl = *sample->usl,
		.means = usl_means_series(sample->series, USL_REGION_POINTS),
		.df = (double)sample->usl->n - (double)usl_parameters(&sample->usl->form),
	};
	side->usl.rss =
		side->df > 0 ? side->df * usl_region_variance(sample->usl, sample->series) : 0;
}

static void side_release(struct side *side)
{
	free(side->means.points);
	free(side->means.weights);
}

/* --- The quantities, as values and as y ------------------------------------- */

static double alpha_of(const struct usl *usl)
{
	return usl->alpha;
}

static double beta_of(const struct usl *usl)
{
	return usl->beta;
}

static double gamma_of(const struct usl *usl)
{
	return usl->gamma;
}

static double peak_n_of(const struct usl *usl)
{
	return usl->beta == 0 && usl->alpha < 1 ? INFINITY : usl_peak_n(usl);
}

static double peak_throughput_of(const struct usl *usl)
{
	if (usl->beta == 0)
		return usl->alpha > 0 ? usl->gamma / usl->alpha : INFINITY;
	return usl_peak_throughput(usl);
}

static const struct compared {
	double (*value)(const struct usl *usl);
	int power; /* y = value ^ power */
} quantities[] = {
	[USL_ALPHA] = {alpha_of, 1},
	[USL_BETA] = {beta_of, 1},
	[USL_GAMMA] = {gamma_of, -1},
	[USL_PEAK_N] = {peak_n_of, -2},
	[USL_PEAK_X] = {peak_throughput_of, -1},
};

bool usl_compares_difference(enum usl_quantity quantity)
{
	return quantities[quantity].power == 1;
}

/* y and the ends of its interval; low <= value <= high. */
struct y {
	double value, low, high;
};

/* Returns the interval at the quantile t of the side's own degrees of freedom. */
static struct y y_of(const struct compared *quantity, const struct side *side, double t)
{
	double level = 1 - 2 * gsl_cdf_tdist_Q(t, side->df);
	struct usl_region *region = usl_region_new(&side->usl, &side->means, level);
	enum usl_quantity which = (enum usl_quantity)(quantity - quantities);
	struct usl_interval interval = usl_region_interval(region, which, 0);
	struct y y = {pow(quantity->value(&side->usl), quantity->power),
		      pow(interval.low, quantity->power), pow(interval.high, quantity->power)};

	usl_region_free(region);
	if (quantity->power < 0)
		y = (struct y){y.value, y.high, y.low};
	/* An end from a search may be off by rounding. */
	y.low = fmin(y.low, y.value);
	y.high = fmax(y.high, y.value);
	return y;
}

/* --- The change of one quantity ---------------------------------------------- */

struct pair {
	const struct compared *quantity;
	const struct side *a, *b;
	double df; /* the degrees of freedom of Welch and Satterthwaite */
};

/* Returns the variance from the larger distance to an end: a bound shortens the other. */
static double variance_of(const struct y *y, double t)
{
	return pow(fmax(y->high - y->value, y->value - y->low) / t, 2);
}

/*
 * Returns (v_A + v_B)^2 / (v_A^2 / df_A + v_B^2 / df_B); quantities compared as ratios have the
 * variances of their logarithms.
 */
static double welch(const struct pair *pair, double level)
{
	double ta = gsl_cdf_tdist_Pinv((1 + level) / 2, pair->a->df);
	double tb = gsl_cdf_tdist_Pinv((1 + level) / 2, pair->b->df);
	struct y a = y_of(pair->quantity, pair->a, ta), b = y_of(pair->quantity, pair->b, tb);
	double va = variance_of(&a, ta), vb = variance_of(&b, tb), share;

	if (pair->quantity->power < 0 && a.value > 0 && b.value > 0) {
		va /= a.value * a.value;
		vb /= b.value * b.value;
	}
	if (isinf(va) || isinf(vb) || !(va + vb > 0))
		return fmin(pair->a->df, pair->b->df);
	share = va / (va + vb);
	return 1 / (share * share / pair->a->df + (1 - share) * (1 - share) / pair->b->df);
}

static struct usl_interval difference(const struct y *a, const struct y *b)
{
	double change = b->value - a->value;

	return (struct usl_interval){
		change - hypot(b->value - b->low, a->high - a->value),
		change + hypot(b->high - b->value, a->value - a->low),
	};
}

/*
 * Returns the ends of y_A / y_B: the roots R of (y_A - R y_B)^2 = (y_A - l_A)^2 + R^2 (u_B - y_B)^2
 * and of the same with u_A and l_B.
 */
static struct usl_interval ratio(const struct y *a, const struct y *b)
{
	double product = a->value * b->value;
	double low0 = a->value * a->value - pow(a->value - a->low, 2);
	double low2 = b->value * b->value - pow(b->high - b->value, 2);
	double high0 = a->value * a->value - pow(a->high - a->value, 2);
	double high2 = b->value * b->value - pow(b->value - b->low, 2);
	double low = low0 / (product + sqrt(fmax(0, product * product - low2 * low0)));
	double high = (product + sqrt(fmax(0, product * product - high2 * high0))) / high2;

	return (struct usl_interval){low > 0 ? low : 0,
				     high2 > 0 && isfinite(high) ? high : INFINITY};
}

/* Returns the distance of no change from the interval at the quantile t. Nearly linear in t. */
static double outness(double t, void *data)
{
	const struct pair *pair = data;
	struct y a = y_of(pair->quantity, pair->a, t), b = y_of(pair->quantity, pair->b, t);
	double gap = fabs(a.value - b.value);
	double reach = a.value > b.value ? hypot(a.value - a.low, b.high - b.value)
					 : hypot(b.value - b.low, a.high - a.value);

	return fmax(gap - reach, -1e3 * gap);
}

/* Returns p from the t whose interval ends at no change. */
static double p_of(struct pair *pair)
{
	const double nearest = 1e-13; /* a level nearer to 1 equals 1 by rounding */
	const double smallest = 1e-3; /* shorter intervals would be rounding */
	double most = fmin(gsl_cdf_tdist_Qinv(nearest, pair->a->df),
			   gsl_cdf_tdist_Qinv(nearest, pair->b->df));
	double outside = smallest, t = 1;

	if (!(outness(smallest, pair) > 0))
		return 1;
	while (t < most && outness(t, pair) > 0) {
		outside = t;
		t = fmin(2 * t, most);
	}
	if (!(outness(t, pair) > 0))
		t = brent_root(outness, pair, outside, t, (struct brent_precision){0, 1e-7});
	return 2 * gsl_cdf_tdist_Q(t, pair->df);
}

static struct usl_shift change_of(struct pair *pair, double level)
{
	int power = pair->quantity->power;
	struct usl_shift change = {.a = pair->quantity->value(&pair->a->usl),
				   .b = pair->quantity->value(&pair->b->usl),
				   .interval = {NAN, NAN},
				   .p = NAN};
	struct y a, b;
	double t;

	change.change = power == 1 ? change.b - change.a : change.b / change.a;
	if (!(pair->a->df > 0) || !(pair->b->df > 0) || isnan(change.a) || isnan(change.b))
		return change;
	pair->df = welch(pair, level);
	t = gsl_cdf_tdist_Pinv((1 + level) / 2, pair->df);
	a = y_of(pair->quantity, pair->a, t);
	b = y_of(pair->quantity, pair->b, t);
	if (isnan(a.low) || isnan(a.high) || isnan(b.low) || isnan(b.high))
		return change;
	change.interval = power == 1 ? difference(&a, &b) : ratio(&a, &b);
	if (power == -2) {
		change.interval.low = sqrt(change.interval.low);
		change.interval.high = sqrt(change.interval.high);
	}
	change.p = p_of(pair);
	return change;
}

/* --- The whole comparison ---------------------------------------------------- */

/* Returns false for a parameter that the model lacks: it is the same in both. */
static bool is_compared(enum usl_quantity quantity, enum usl_model model)
{
	if (quantity == USL_ALPHA || quantity == USL_PEAK_X)
		return model != USL_LINEAR;
	return quantity == USL_GAMMA || model == USL_FULL;
}

void usl_compare(struct usl_comparison *comparison, const struct usl_sample *a,
		 const struct usl_sample *b, double level)
{
	struct side sides[2];

	side_init(&sides[0], a);
	side_init(&sides[1], b);
	for (size_t i = 0; i < USL_COMPARED; i++) {
		struct pair pair = {&quantities[i], &sides[0], &sides[1], NAN};

		comparison->changes[i] = (struct usl_shift){NAN, NAN, NAN, {NAN, NAN}, NAN};
		if (is_compared((enum usl_quantity)i, a->usl->form.model))
			comparison->changes[i] = change_of(&pair, level);
	}
	usl_common_fit(comparison, &(struct usl_sample){&sides[0].usl, &sides[0].means},
		       &(struct usl_sample){&sides[1].usl, &sides[1].means});
	side_release(&sides[0]);
	side_release(&sides[1]);
}
