/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_compare.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_common.h"
#include "fit/usl/usl_means.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>

/* A sample with its measurements at each N as one, so that looking at it often costs little. */
struct side {
	struct usl usl; /* whose rss tells how much points scatter */
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
	struct usl_interval (*interval)(struct usl_region *region);
	int power; /* y = value ^ power */
} quantities[] = {
	[USL_COMPARED_ALPHA] = {alpha_of, usl_region_alpha, 1},
	[USL_COMPARED_BETA] = {beta_of, usl_region_beta, 1},
	[USL_COMPARED_GAMMA] = {gamma_of, usl_region_gamma, -1},
	[USL_COMPARED_PEAK_N] = {peak_n_of, usl_region_peak_n, -2},
	[USL_COMPARED_PEAK_THROUGHPUT] = {peak_throughput_of, usl_region_peak_throughput, -1},
};

bool usl_compares_difference(enum usl_compared quantity)
{
	return quantities[quantity].power == 1;
}

/* y and the ends of its interval; low <= value <= high. */
struct y {
	double value, low, high;
};

/* The interval that goes to the quantile t of the side's own degrees of freedom. */
static struct y y_of(const struct compared *quantity, const struct side *side, double t)
{
	double level = 1 - 2 * gsl_cdf_tdist_Q(t, side->df);
	struct usl_region *region = usl_region_new(&side->usl, &side->means, level);
	struct usl_interval interval = quantity->interval(region);
	struct y y = {pow(quantity->value(&side->usl), quantity->power),
		      pow(interval.low, quantity->power), pow(interval.high, quantity->power)};

	usl_region_free(region);
	if (quantity->power < 0)
		y = (struct y){y.value, y.high, y.low};
	/* An end that was found by searching may miss by rounding. */
	y.low = fmin(y.low, y.value);
	y.high = fmax(y.high, y.value);
	return y;
}

/* --- Of one quantity --------------------------------------------------------- */

struct pair {
	const struct compared *quantity;
	const struct side *a, *b;
	double df; /* of Welch and Satterthwaite */
};

/* The larger distance to an end: a bound would make the other too short. */
static double variance_of(const struct y *y, double t)
{
	return pow(fmax(y->high - y->value, y->value - y->low) / t, 2);
}

/*
 * (v_A + v_B)^2 / (v_A^2 / df_A + v_B^2 / df_B), of quantities that are compared as ratios with
 * the variances of their logarithms.
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
 * The ends of y_A / y_B: the roots R of (y_A - R y_B)^2 = (y_A - l_A)^2 + R^2 (u_B - y_B)^2 and of
 * the same with u_A and l_B.
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

/* How far no change is outside of the interval of the quantile t. Nearly linear. */
static double outness(double t, void *data)
{
	const struct pair *pair = data;
	struct y a = y_of(pair->quantity, pair->a, t), b = y_of(pair->quantity, pair->b, t);
	double gap = fabs(a.value - b.value);
	double reach = a.value > b.value ? hypot(a.value - a.low, b.high - b.value)
					 : hypot(b.value - b.low, a.high - a.value);

	return fmax(gap - reach, -1e3 * gap);
}

/* The t between one whose interval excludes no change and one whose does not. */
static double search_t(struct pair *pair, double outside, double inside)
{
	enum { ITERATIONS = 100 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function function = {.function = outness, .params = pair};
	double t = inside;

	if (solver && gsl_root_fsolver_set(solver, &function, outside, inside) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS; i++)
			if (gsl_root_fsolver_iterate(solver) ||
			    gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver), 0,
						   1e-7) == GSL_SUCCESS)
				break;
		t = gsl_root_fsolver_root(solver);
	}
	gsl_root_fsolver_free(solver);
	gsl_set_error_handler(handler);
	return t;
}

/* From the t whose interval has no change as its end. */
static double p_of(struct pair *pair)
{
	const double nearest = 1e-13; /* a level nearer to 1 is no longer told from it */
	const double smallest = 1e-3; /* intervals are no shorter than rounding */
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
		t = search_t(pair, outside, t);
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

/* --- All --------------------------------------------------------------------- */

/* A parameter that the model does not have is the same in both, which says nothing. */
static bool is_compared(enum usl_compared quantity, enum usl_model model)
{
	if (quantity == USL_COMPARED_ALPHA || quantity == USL_COMPARED_PEAK_THROUGHPUT)
		return model != USL_LINEAR;
	return quantity == USL_COMPARED_GAMMA || model == USL_FULL;
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
		if (is_compared((enum usl_compared)i, a->usl->form.model))
			comparison->changes[i] = change_of(&pair, level);
	}
	usl_common_fit(comparison, &(struct usl_sample){&sides[0].usl, &sides[0].means},
		       &(struct usl_sample){&sides[1].usl, &sides[1].means});
	side_release(&sides[0]);
	side_release(&sides[1]);
}
