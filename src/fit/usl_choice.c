/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl_choice.h"

#include "base/alloc.h"
#include "base/err.h"
#include "stats/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Each leaves one point out and fits the others. */
enum { LOO_POINTS = 200 };

static size_t parameters_of(enum usl_model model)
{
	return model == USL_FULL ? 3 : model == USL_AMDAHL ? 2 : 1;
}

static double sum_of_weights(const struct series *series)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++)
		sum += series_weight(series, i);
	return sum;
}

/* A curve through all points but for rounding has no scatter to speak of. */
static bool is_exact(const struct usl *usl, const struct series *series)
{
	double largest = series_max_throughput(series);

	return usl->rss <= sum_of_weights(series) * pow(8 * DBL_EPSILON * largest, 2);
}

static void take_criteria(struct usl_candidate *candidate, const struct series *series)
{
	double n = (double)candidate->usl.n;
	double k = (double)parameters_of(candidate->usl.form.model) + 1;
	double deviance = n * (log(2 * M_PI) + log(candidate->usl.rss / n) + 1);

	for (size_t i = 0; series->weights && i < series->count; i++)
		deviance -= log(series->weights[i]);

	if (is_exact(&candidate->usl, series))
		return;
	candidate->bic = k * log(n) + deviance;
	if (n > k + 1)
		candidate->aicc = 2 * k + deviance + 2 * k * (k + 1) / (n - k - 1);
}

static double leave_one_out(const struct series *series, const struct usl_form *form)
{
	struct series others = {.source = series->source, .count = series->count - 1};
	double sum = 0, weights = 0;

	if (series->count > LOO_POINTS)
		return NAN;
	others.points = xcalloc(series->count, sizeof(*others.points));
	others.weights = series->weights ? xcalloc(series->count, sizeof(*others.weights)) : NULL;
	for (size_t i = 0; i < series->count && !isnan(sum); i++) {
		struct series_point point = series->points[i];
		struct usl usl;
		struct err err;

		if (form->gamma_first && point.n == 1)
			continue;
		weights += series_weight(series, i);
		for (size_t k = 0; k < others.count; k++)
			others.points[k] = series->points[k < i ? k : k + 1];
		for (size_t k = 0; series->weights && k < others.count; k++)
			others.weights[k] = series->weights[k < i ? k : k + 1];
		sum = usl_fit(&usl, &others, form, &err)
			      ? NAN
			      : sum + series_weight(series, i) *
						pow(point.throughput -
							    usl_throughput(&usl, point.n),
						    2);
	}
	free(others.points);
	free(others.weights);
	return sqrt(sum / weights);
}

/* Against `simpler`, the law with one parameter less; without a bound on two sides. */
static double p_against(const struct usl_candidate *candidate, const struct usl_candidate *simpler,
			const struct series *series)
{
	const struct usl *usl = &candidate->usl;
	size_t parameters = parameters_of(usl->form.model);
	double df, t;

	if (usl->n <= parameters || !simpler->fits || is_exact(usl, series))
		return NAN;
	df = (double)(usl->n - parameters);
	t = sqrt(fmax(0, simpler->usl.rss - usl->rss) / (usl->rss / df));
	/* On its bound the parameter says nothing against the simpler law. */
	if (!(t > 0) || is_exact(&simpler->usl, series))
		return 1;
	return (usl->form.unbounded ? 2 : 1) * gsl_cdf_tdist_Q(t, df);
}

void usl_choose(struct usl_choice *choice, const struct series *series, const struct usl_form *form)
{
	for (size_t i = 0; i < USL_MODELS; i++) {
		struct usl_candidate *candidate = &choice->candidates[i];
		struct usl_form own = *form;
		struct err err;

		own.model = (enum usl_model)i;
		*candidate = (struct usl_candidate){.aicc = NAN, .bic = NAN, .loo = NAN, .p = NAN};
		candidate->fits = usl_fit(&candidate->usl, series, &own, &err) == 0;
		if (!candidate->fits)
			continue;
		take_criteria(candidate, series);
		candidate->loo = leave_one_out(series, &own);
	}
	for (size_t i = 0; i < USL_MODELS; i++)
		if (i != USL_LINEAR && choice->candidates[i].fits)
			choice->candidates[i].p = p_against(&choice->candidates[i],
							    &choice->candidates[i + 1], series);
}
