/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_choice.h"
#include "fit/usl/usl_leverage.h"
#include "fit/usl/usl_means.h"
#include "stats/series/series.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const struct usl_interval unknown = {NAN, NAN};
static const struct usl_left_out not_left_out = {NAN, NAN, NAN, NAN, NAN};

static struct usl_interval around(double middle, double half)
{
	return isnan(half) ? unknown : (struct usl_interval){middle - half, middle + half};
}

/* --- Point by point --------------------------------------------------------- */

/* What all points have in common. */
struct scatter {
	double sigma; /* of a measurement of weight 1; NaN where it is not known */
	double quantile;
	double df, parameters;
	bool robust; /* no single point has a share in sigma */
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

/* Without degrees of freedom for the others, or at a point that the curve has to pass through,
 * there is nothing to compare a residual with. */
static void compare_residual(struct usl_point_diagnosis *point, const struct scatter *scatter,
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

/* What the curve's shape at the points says, for each of them. */
struct shape {
	double *spread;
	double *hat; /* as all points would have it with all their weight, which r goes by */
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
		compare_residual(point, scatter, own, shape->hat[i]);
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

/* --- The same as if points scattered in proportion to throughput ------------- */

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

/* How far a peak has moved, in either direction: without end where it is gone. */
static double moved(double peak, double from)
{
	return peak > 0 ? fabs(log(peak / from)) : INFINITY;
}

/* Points without which nothing can be fitted say nothing of the others. */
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

/* --- All together ------------------------------------------------------------- */

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

/* What is left of the RSS when the one point is left out that this makes least of, to first
 * order. */
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
	/* Sums of squares of points trusted by how far they lie from the curve have no F. */
	if (series->trust) {
		free(means);
		return;
	}
	usl_lack_of_fit(&diagnosis->lack_of_fit, usl, means, count, &units);
	if (count > USL_KNEE_POINTS) {
		free(means);
		means = usl_means(&count, series, &units, USL_KNEE_POINTS);
	}
	usl_knee(&diagnosis->knee, usl, means, count, &units, series->weights != NULL);
	diagnosis->has_knee = usl_knee_is_clear(&diagnosis->knee) &&
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
