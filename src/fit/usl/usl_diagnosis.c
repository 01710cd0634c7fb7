/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_descent.h"
#include "fit/usl/usl_means.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns ln of the number of ways to put `count` equal items into `parts` nonempty groups. */
static double log_ways(size_t count, size_t parts)
{
	return parts >= 1 && parts <= count
		       ? gsl_sf_lnchoose((unsigned)count - 1, (unsigned)parts - 1)
		       : -INFINITY;
}

/*
 * Returns the probability of `runs` runs over all orders of the signs. An even number has equally
 * many runs of both signs, an odd one has one more of either.
 */
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

/* Takes p from the mean and the variance of the number of runs, corrected by half a run. */
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

/* --- A knee -----------------------------------------------------------------
 * Tests if the points from some N on follow another curve, for example if threads begin to share
 * cores or use a second socket: the law in one piece,
 *
 *	X = N / D(N),  D(N) = p + q (N - 1) + r N (N - 1),
 *
 * against all laws in two pieces that share r, the lower one up to the last N before the knee, and
 * then
 *
 *	D(N) + s + t (N - first)  from the first N behind the knee on
 *
 * Both are without bounds, so that one is a special case of the other, and the F-test for s = t = 0
 * has 2 and n - 5 degrees of freedom. Its p is that of the best place times the number of places
 * tried (Bonferroni). Each piece has at least three different N.
 *
 * With equal weights a second test has the weights for scatter in proportion to throughput, and the
 * larger p counts: large scatter at large throughput must not look like a knee.
 */

/* The largest number of different N, beyond which neighbours are joined, and of places tried. */
enum { KNEE_POINTS = 500, KNEE_PLACES = 100 };

/* The number of unknowns in one and in two pieces, and the least number of N of a piece. */
enum { ONE = 3, TWO = 5, SIDE = 3 };

struct knee_search {
	struct usl_descent descent;
	double one;		     /* N = 1, scaled */
	double whole[USL_UNKNOWNS];  /* the unknowns in one piece */
	double whole_rss, least_rss; /* sums without the part that no curve can reduce */
	double best[USL_UNKNOWNS];   /* the unknowns of the best two pieces so far */
	size_t place;		     /* the first point behind the knee, at that place */
};

static void knee_take_points(struct knee_search *search, const struct usl_mean *means, size_t count)
{
	search->descent.points = xcalloc(count, sizeof(*search->descent.points));
	search->descent.count = count;
	for (size_t i = 0; i < count; i++) {
		struct usl_descent_point *point = &search->descent.points[i];

		*point = (struct usl_descent_point){.n = means[i].n,
						    .x = (double)means[i].x,
						    .weight = (double)means[i].weight};
		point->column[0] = 1;
		point->column[1] = point->n - search->one;
		point->column[2] = point->n * (point->n - search->one);
	}
}

/* Sets the columns of the terms that are added from `place` on. */
static void knee_take_place(struct knee_search *search, size_t place)
{
	struct usl_descent_point *points = search->descent.points;

	for (size_t i = 0; i < search->descent.count; i++) {
		points[i].column[ONE] = i >= place;
		points[i].column[ONE + 1] = i >= place ? points[i].n - points[place].n : 0;
	}
}

/* Fits one piece, from the known fit, which may be on a bound or have fewer parameters. */
static void knee_fit_whole(struct knee_search *search, const struct usl *usl,
			   const struct usl_units *units)
{
	double p = units->x / units->n / usl->gamma;

	search->whole[0] = p;
	search->whole[1] = usl->alpha * units->n * p;
	search->whole[2] = usl->beta * units->n * units->n * p;
	search->descent.unknowns = ONE;
	search->whole_rss = usl_descent_run(&search->descent, search->whole);
}

/* Fits two pieces, from the curve in one piece, or from the linear form if that is better. */
static void knee_try_place(struct knee_search *search, size_t place)
{
	double unknown[USL_UNKNOWNS], linear[USL_UNKNOWNS], rss;

	knee_take_place(search, place);
	memcpy(unknown, search->whole, sizeof(unknown));
	search->descent.unknowns = TWO;
	if (!usl_descent_start(&search->descent, linear, NULL) &&
	    usl_descent_rss(&search->descent, linear) < search->whole_rss)
		memcpy(unknown, linear, sizeof(unknown));
	rss = usl_descent_run(&search->descent, unknown);
	if (!(rss < search->least_rss))
		return;
	search->least_rss = rss;
	search->place = place;
	memcpy(search->best, unknown, sizeof(unknown));
}

static size_t knee_try_places(struct knee_search *search)
{
	size_t all = search->descent.count - 2 * SIDE + 1;
	size_t places = all < KNEE_PLACES ? all : KNEE_PLACES;

	for (size_t i = 0; i < places; i++)
		knee_try_place(search, SIDE + i * all / places);
	return places;
}

static double knee_curve(const struct usl_descent_point *point, const double *unknown,
			 size_t unknowns)
{
	double d = 0;

	for (size_t k = 0; k < unknowns; k++)
		d += unknown[k] * point->column[k];
	return point->n / d;
}

static double knee_distance_share(struct knee_search *search)
{
	double apart = 0, squares = 0;

	knee_take_place(search, search->place);
	for (size_t i = 0; i < search->descent.count; i++) {
		const struct usl_descent_point *point = &search->descent.points[i];

		apart += point->weight * pow(knee_curve(point, search->best, TWO) -
						     knee_curve(point, search->whole, ONE),
					     2);
		squares += point->weight * point->x * point->x;
	}
	return sqrt(apart / squares);
}

/* Computes the RSS that no curve can reduce, and the part lost to rounding. */
static void knee_floor(double *spread, double *rounding, const struct usl_mean *means,
		       const struct knee_search *search)
{
	double squares = 0;

	*spread = 0;
	for (size_t i = 0; i < search->descent.count; i++) {
		const struct usl_descent_point *point = &search->descent.points[i];

		*spread += (double)means[i].spread * point->weight / (double)means[i].weight;
		squares += point->weight * point->x * point->x;
	}
	*rounding = pow(8 * DBL_EPSILON, 2) * squares;
}

static double knee_p(const struct knee_search *search, size_t places, const struct usl *usl,
		     const struct usl_mean *means)
{
	double df = (double)(usl->n - TWO), spread, rounding, two, f;

	knee_floor(&spread, &rounding, means, search);
	two = fmax(search->least_rss + spread, rounding);
	f = fmax(0, search->whole_rss + spread - two) / (TWO - ONE) / (two / df);
	return fmin(1, (double)places * gsl_cdf_fdist_Q(f, TWO - ONE, df));
}

/* Returns -1 if there is no curve in one or in two pieces. */
static int knee_run(struct knee_search *search, struct usl_knee *knee, const struct usl *usl,
		    const struct usl_mean *means, const struct usl_units *units)
{
	search->least_rss = INFINITY;
	knee_fit_whole(search, usl, units);
	if (!isfinite(search->whole_rss))
		return -1;
	knee->places = knee_try_places(search);
	if (!isfinite(search->least_rss))
		return -1;
	knee->p = knee_p(search, knee->places, usl, means);
	return 0;
}

static void knee_take_result(struct usl_knee *knee, struct knee_search *search,
			     const struct usl_mean *means, const struct usl_units *units)
{
	double unit = units->x * units->x * units->weight, spread, rounding;

	knee_floor(&spread, &rounding, means, search);
	knee->last = means[search->place - 1].n * units->n;
	knee->first = means[search->place].n * units->n;
	knee->one_rss = (search->whole_rss + spread) * unit;
	knee->rss = (search->least_rss + spread) * unit;
	knee->distance_share = knee_distance_share(search);
}

/* Weighs points as if they scattered in proportion to the curve in one piece. */
static void knee_weigh_by_throughput(struct knee_search *search)
{
	for (size_t i = 0; i < search->descent.count; i++) {
		struct usl_descent_point *point = &search->descent.points[i];

		point->weight /= pow(knee_curve(point, search->whole, ONE), 2);
	}
}

static void knee_look(struct usl_knee *knee, struct knee_search *search, const struct usl *usl,
		      const struct usl_mean *means, const struct usl_units *units, bool weighted)
{
	const struct usl_knee none = {0, NAN, NAN, NAN, NAN, NAN, NAN};
	double p;

	if (knee_run(search, knee, usl, means, units)) {
		*knee = none;
		return;
	}
	knee_take_result(knee, search, means, units);
	if (weighted)
		return;
	p = knee->p;
	knee_weigh_by_throughput(search);
	if (knee_run(search, knee, usl, means, units))
		*knee = none;
	else
		knee->p = fmax(knee->p, p);
}

/*
 * Finds the knee in the points of these means (usl_means with the limit KNEE_POINTS), beginning
 * from a fit. `weighted`: the weights are known.
 */
static void knee_find(struct usl_knee *knee, const struct usl *usl, const struct usl_mean *means,
		      size_t count, const struct usl_units *units, bool weighted)
{
	struct knee_search search = {.one = 1 / units->n};

	*knee = (struct usl_knee){0, NAN, NAN, NAN, NAN, NAN, NAN};
	if (count < (size_t)2 * SIDE || count <= TWO || usl->n <= TWO)
		return;
	knee_take_points(&search, means, count);
	knee_look(knee, &search, usl, means, units, weighted);
	free(search.descent.points);
}

/* Returns true if p is small enough, and the curves are apart by 1 % or more. */
static bool knee_is_clear(const struct usl_knee *knee)
{
	return knee->p < USL_KNEE_P && knee->distance_share >= .01;
}

/* --- Lack of fit --------------------------------------------------------------
 * Measurements at the same N scatter about their mean whatever the curve is. The F-test of lack of
 * fit, valid for any scatter, tests if the means lie farther from the curve than this pure error
 * explains:
 *
 *	F = ((RSS - SSPE) / (m - p)) / (SSPE / (n - m))
 *
 * with n points at m different N, p parameters fitted, and the weighted sum SSPE of the squares
 * about the means at each N.
 */

/* The sums of squares about the means, and of the means about 0; scaled. */
struct mean_squares {
	double spread, total;
};

static struct mean_squares squares_of(const struct usl_mean *means, size_t count)
{
	struct mean_squares squares = {0};

	for (size_t i = 0; i < count; i++) {
		squares.spread += (double)means[i].spread;
		squares.total += (double)(means[i].weight * means[i].x * means[i].x);
	}
	return squares;
}

/* Tests a fit to the points of these means (usl_means without a limit). */
static void lack_of_fit_find(struct usl_lack_of_fit *lack, const struct usl *usl,
			     const struct usl_mean *means, size_t count,
			     const struct usl_units *units)
{
	struct mean_squares squares = squares_of(means, count);
	double unit = units->x * units->x * units->weight;
	size_t parameters = usl->n - usl->df;

	*lack = (struct usl_lack_of_fit){.distinct = count,
					 .pure_df = usl->n - count,
					 .lack_df = count > parameters ? count - parameters : 0,
					 .pure_error = NAN,
					 .f = NAN,
					 .p = NAN};
	if (!lack->pure_df)
		return;
	lack->pure_error = sqrt(squares.spread * unit / (double)lack->pure_df);
	if (!lack->lack_df || squares.spread <= pow(8 * DBL_EPSILON, 2) * squares.total)
		return;
	lack->f = fmax(0, usl->rss / unit - squares.spread) / (double)lack->lack_df /
		  (squares.spread / (double)lack->pure_df);
	lack->p = gsl_cdf_fdist_Q(lack->f, (double)lack->lack_df, (double)lack->pure_df);
}

static const struct usl_interval unknown = {NAN, NAN};
static const struct usl_left_out not_left_out = {NAN, NAN, NAN, NAN, NAN};

static struct usl_interval around(double middle, double half)
{
	return isnan(half) ? unknown : (struct usl_interval){middle - half, middle + half};
}

/* --- Point by point --------------------------------------------------------- */

/* The scatter of all points. */
struct scatter {
	double sigma; /* the scatter of a measurement of weight 1; NaN: not known */
	double quantile;
	double df, parameters;
	bool robust; /* no single point determines sigma */
};

static struct scatter scatter_of(const struct usl *usl, const struct series *series, double level)
{
	double df = (double)usl->df;

	return (struct scatter){.sigma = sqrt(usl->s2),
				.quantile = usl->df ? gsl_cdf_tdist_Pinv((1 + level) / 2, df) : NAN,
				.df = df,
				.parameters = (double)(usl->n - usl->df - usl->form.gamma_first),
				.robust = series->trust != NULL};
}

/*
 * Compares a residual, unless the other points have no degrees of freedom, or the curve must pass
 * through the point.
 */
static void residual_compare(struct usl_point_diagnosis *point, const struct scatter *scatter,
			     double weight, double hat)
{
	const double rounding = 1e-9;
	double free = 1 - hat, r, rest;

	if (!(free > rounding))
		return;
	r = point->residual * sqrt(weight) / (scatter->sigma * sqrt(free));
	rest = scatter->df - r * r;
	point->standardised = r;
	if (scatter->parameters > 0)
		point->cook = r * r * point->hat / (1 - point->hat) / scatter->parameters;
	if (scatter->robust)
		point->studentised = r;
	if (scatter->robust || scatter->df < 2)
		return;
	/* The others may lie on a curve. */
	point->studentised = rest > rounding * scatter->df ? r * sqrt((scatter->df - 1) / rest)
							   : copysign(INFINITY, r);
}

/* The effect of the curve's shape at each point. */
struct shape {
	double *spread;
	double *hat; /* as if all points had their full weight: for r */
};

static struct shape shape_of(const struct usl *usl, const struct series *series)
{
	struct series trusted = *series;

	trusted.trust = NULL;
	return (struct shape){usl_spread(usl, series), usl_leverage(usl, &trusted)};
}

static void shape_release(struct shape *shape)
{
	free(shape->spread);
	free(shape->hat);
}

static void describe_point(struct usl_point_diagnosis *point, const struct usl *usl,
			   const struct series *series, size_t i, const struct scatter *scatter,
			   const struct shape *shape, bool exact)
{
	const struct series_point *measured = &series->points[i];
	double weight = series_weight(series, i), own = series_own_weight(series, i);
	double x = usl_throughput(usl, measured->n), t = scatter->quantile;
	double spread = shape->spread[i];

	point->residual = measured->throughput - x;
	point->hat = isnan(spread) ? spread : fmin(1, weight * spread);
	point->fitted_se = scatter->sigma * sqrt(usl->inflation * spread);
	point->fitted = around(x, t * point->fitted_se);
	point->measured = around(x, t * hypot(point->fitted_se, scatter->sigma / sqrt(own)));
	point->standardised = point->studentised = point->cook = NAN;
	if (!exact)
		residual_compare(point, scatter, own, shape->hat[i]);
}

static void take_points(struct usl_diagnosis *diagnosis, const struct usl *usl,
			const struct series *series, double level)
{
	struct scatter scatter = scatter_of(usl, series, level);
	struct usl_left_out *left_out = usl_leave_out(series, &usl->form);
	struct shape shape = shape_of(usl, series);

	diagnosis->left_out = left_out != NULL;
	diagnosis->points = xcalloc(series->count, sizeof(*diagnosis->points));
	for (size_t i = 0; i < series->count; i++) {
		struct usl_point_diagnosis *point = &diagnosis->points[i];

		point->left_out = left_out ? left_out[i] : not_left_out;
		describe_point(point, usl, series, i, &scatter, &shape, diagnosis->exact);
	}
	free(left_out);
	shape_release(&shape);
}

/* --- Outliers with weights for proportional scatter -------------------------- */

static double limit_of(const struct usl *usl)
{
	const double error = .05;

	return usl->df > 1 ? gsl_cdf_tdist_Qinv(error / 2 / (double)usl->n, (double)usl->df - 1)
			   : NAN;
}

static double studentised(const struct usl *usl, const struct series *series, size_t i,
			  double level)
{
	struct scatter scatter = scatter_of(usl, series, level);
	struct shape shape = shape_of(usl, series);
	struct usl_point_diagnosis point;

	describe_point(&point, usl, series, i, &scatter, &shape, false);
	shape_release(&shape);
	return point.studentised;
}

static bool is_sure_outlier(size_t point, const struct usl *usl, const struct series *series,
			    double level)
{
	struct series weighted = *series;
	bool sure = true;
	struct usl other;
	struct err err;

	if (series->weights || series->trust)
		return true;
	weighted.weights = xcalloc(series->count, sizeof(*weighted.weights));
	for (size_t i = 0; i < series->count; i++)
		weighted.weights[i] = pow(usl_throughput(usl, series->points[i].n), -2);
	if (usl_fit(&other, &weighted, &usl->form, &err) == 0)
		sure = fabs(studentised(&other, &weighted, point, level)) > limit_of(&other);
	free(weighted.weights);
	return sure;
}

/* --- The points that stand out ----------------------------------------------- */

static void find_outliers(struct usl_diagnosis *diagnosis, const struct usl *usl,
			  const struct series *series, double level)
{
	diagnosis->outlier_limit = limit_of(usl);
	for (size_t i = 0; i < diagnosis->count; i++) {
		struct usl_point_diagnosis *point = &diagnosis->points[i];
		double t = fabs(point->studentised);

		point->outlier = t > diagnosis->outlier_limit;
		diagnosis->outliers += point->outlier;
		if (t > diagnosis->outlier.value || isnan(diagnosis->outlier.value))
			diagnosis->outlier = (struct usl_extreme){i, t};
	}
	if (diagnosis->outliers)
		diagnosis->sure_outlier =
			is_sure_outlier(diagnosis->outlier.point, usl, series, level);
}

static void find_influence(struct usl_diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->count; i++) {
		struct usl_point_diagnosis *point = &diagnosis->points[i];

		point->influential = point->cook > USL_INFLUENTIAL;
		if (point->cook > diagnosis->influence.value || isnan(diagnosis->influence.value))
			diagnosis->influence = (struct usl_extreme){i, point->cook};
	}
}

/* Returns the distance that a peak has moved, in either direction; infinite if it is gone. */
static double moved(double peak, double from)
{
	return peak > 0 ? fabs(log(peak / from)) : INFINITY;
}

/* Finds the range of N_c. Points without which no fit is possible are ignored. */
static void find_drift(struct usl_drift *drift, const struct usl_diagnosis *diagnosis,
		       const struct usl *usl, const struct usl_interval *interval)
{
	const double much = log(1.5);
	double peak = usl_peak_n(usl), farthest = -1;

	if (!diagnosis->left_out || isnan(peak) || usl_is_retrograde(usl))
		return;
	for (size_t i = 0; i < diagnosis->count; i++) {
		double without = diagnosis->points[i].left_out.peak_n;

		if (isnan(without))
			continue;
		drift->low = fmin(drift->low, without);
		drift->high = fmax(drift->high, without);
		if (moved(without, peak) <= farthest)
			continue;
		farthest = moved(without, peak);
		drift->point = i;
	}
	drift->leaves =
		farthest > much || drift->low < interval->low || drift->high > interval->high;
}

/* --- The whole diagnosis ------------------------------------------------------ */

static void test_runs(struct usl_diagnosis *diagnosis, const struct usl *usl,
		      const struct usl_mean *means, size_t count, const struct usl_units *units)
{
	double *residuals = xcalloc(count, sizeof(*residuals));

	for (size_t i = 0; i < count; i++)
		residuals[i] =
			(double)means[i].x * units->x - usl_throughput(usl, means[i].n * units->n);
	runs_test(&diagnosis->runs, residuals, count);
	free(residuals);
}

/* Returns the least RSS without any one point, to first order. */
static double least_rss_without_one(const struct usl_diagnosis *diagnosis, const struct usl *usl)
{
	double most = 0;

	for (size_t i = 0; diagnosis->points && i < diagnosis->count; i++)
		most = fmax(most, pow(diagnosis->points[i].standardised, 2));
	return usl->df ? usl->rss * (1 - most / (double)usl->df) : 0;
}

static void test_means(struct usl_diagnosis *diagnosis, const struct usl *usl,
		       const struct series *series)
{
	struct usl_units units = usl_units_of(series);
	size_t count;
	struct usl_mean *means = usl_means(&count, series, &units, 0);

	test_runs(diagnosis, usl, means, count, &units);
	/* Points with a trust that depends on their distance from the curve have no F-test. */
	if (series->trust) {
		free(means);
		return;
	}
	lack_of_fit_find(&diagnosis->lack_of_fit, usl, means, count, &units);
	if (count > KNEE_POINTS) {
		free(means);
		means = usl_means(&count, series, &units, KNEE_POINTS);
	}
	knee_find(&diagnosis->knee, usl, means, count, &units, series->weights != NULL);
	diagnosis->has_knee = knee_is_clear(&diagnosis->knee) &&
			      diagnosis->knee.rss < least_rss_without_one(diagnosis, usl);
	free(means);
}

struct usl_diagnosis *usl_diagnosis_new(const struct usl *usl, const struct series *series,
					const struct usl_interval *peak_n, double level)
{
	struct usl_diagnosis *diagnosis = xcalloc(1, sizeof(*diagnosis));

	*diagnosis = (struct usl_diagnosis){.exact = usl_is_exact(usl, series),
					    .distinct = series_distinct(series),
					    .outlier = {0, NAN},
					    .outlier_limit = NAN,
					    .influence = {0, NAN},
					    .drift = {.low = NAN, .high = NAN},
					    .runs = {.p = NAN, .p_few = NAN},
					    .lack_of_fit = {.pure_error = NAN, .f = NAN, .p = NAN},
					    .knee = {0, NAN, NAN, NAN, NAN, NAN, NAN}};
	if (series->count <= USL_DIAGNOSIS_POINTS) {
		diagnosis->count = series->count;
		take_points(diagnosis, usl, series, level);
		find_outliers(diagnosis, usl, series, level);
		find_influence(diagnosis);
		find_drift(&diagnosis->drift, diagnosis, usl, peak_n);
	}
	if (!diagnosis->exact && diagnosis->distinct <= USL_DIAGNOSIS_POINTS)
		test_means(diagnosis, usl, series);
	return diagnosis;
}

void usl_diagnosis_free(struct usl_diagnosis *diagnosis)
{
	if (diagnosis)
		free(diagnosis->points);
	free(diagnosis);
}

bool usl_diagnosis_has_few_runs(const struct usl_diagnosis *diagnosis)
{
	return diagnosis->runs.p_few < .05;
}

bool usl_diagnosis_lacks_fit(const struct usl_diagnosis *diagnosis)
{
	return diagnosis->lack_of_fit.p < .05;
}
