/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/fit_result.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl_diagnosis.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* --- The fit ---------------------------------------------------------------- */

/* Checks the changes, which may be possible with one fit and not with another. */
static int check_changes(const struct fitted *fitted, const struct fit_wish *wish, struct err *err)
{
	for (size_t i = 0; i < wish->change_count; i++) {
		struct usl changed;

		if (usl_change_apply(&changed, &fitted->usl, &wish->changes[i], err))
			return err_wrap(err, "%s: --what-if %s", fitted->series.source,
					wish->changes[i].text);
	}
	return 0;
}

int fit_series(struct fitted *fitted, const struct fit_wish *wish, struct err *err)
{
	int rc = wish->loss == USL_LOSS_SQUARES
			 ? usl_fit(&fitted->usl, &fitted->series, &wish->form, err)
			 : usl_robust_fit(&fitted->usl, &fitted->robust, &fitted->series,
					  &wish->form, wish->loss, err);

	return rc ? rc : check_changes(fitted, wish, err);
}

/* --- Quantities that follow from the fit ------------------------------------- */

static void take_parameters(struct fit_result *result)
{
	for (enum usl_quantity i = USL_ALPHA; i <= USL_PEAK_X; i++)
		result->parameters[i] = usl_interval_of(result->intervals, i, 0);
}

/* Returns the points sorted by N. The caller frees the order. */
static size_t *order_by_n(const struct series *series)
{
	size_t *order = xcalloc(series->count, sizeof(*order));

	gsl_sort_index(order, &series->points->n, sizeof(*series->points) / sizeof(double),
		       series->count);
	return order;
}

/* Finds the least N from which on 9/10 of all CPUs are busy, in the mean of the runs at each N. */
static void take_full(struct fit_result *result)
{
	const double nearly = .9;
	const struct series *series = result->series;
	double others = 0, counted = 0;
	size_t *order;

	result->full = (struct fit_full){NAN, 0};
	if (!series->loads)
		return;
	order = order_by_n(series);
	for (size_t end = series->count, begin; end > 0; end = begin) {
		double n = series->points[order[end - 1]].n, busy = 0, here = 0;

		for (begin = end; begin > 0 && series->points[order[begin - 1]].n == n; begin--) {
			const struct series_load *load = &series->loads[order[begin - 1]];

			here += load->others > 0 ? load->others : 0;
			busy += load->own;
		}
		if (!(busy + here >= nearly * (double)series->cpus * (double)(end - begin)))
			break;
		others += here;
		counted += (double)(end - begin);
		result->full = (struct fit_full){n, others / counted};
	}
	free(order);
}

static void take_suggestion(struct fit_result *result)
{
	const double enough = 3; /* times the largest N; beyond, the law itself is doubtful */
	const struct fit_wish *wish = result->wish;
	double most = wish->suggest_most > 0 ? wish->suggest_most
					     : fmax(enough, enough * result->usl->largest_n);

	result->suggestion = xcalloc(1, sizeof(*result->suggestion));
	usl_suggest(result->suggestion, result->usl, result->series, wish->level, most);
}

static void take_curve(struct fit_result *result)
{
	const struct series_point *points = result->series->points;
	size_t *order;

	if (result->diagnosis->distinct > USL_REGION_POINTS)
		return;
	order = order_by_n(result->series);
	result->curve = xcalloc(result->series->count, sizeof(*result->curve));
	for (size_t i = 0; i < result->series->count; i++)
		result->curve[order[i]].shared = i && points[order[i - 1]].n == points[order[i]].n
							 ? result->curve[order[i - 1]].shared
							 : order[i];
	free(order);
}

struct usl_interval fit_curve_interval(const struct fit_result *result, size_t point)
{
	struct usl_interval *interval;

	if (!result->curve)
		return (struct usl_interval){NAN, NAN};
	interval = &result->curve[result->curve[point].shared].interval;
	if (interval->high == 0) /* not computed: a curve above 0 has no such interval */
		*interval =
			usl_interval_of(result->intervals, USL_X, result->series->points[point].n);
	return *interval;
}

static void take_choice(struct fit_result *result)
{
	result->choice = xcalloc(1, sizeof(*result->choice));
	usl_choose(result->choice, result->series, &result->wish->form,
		   result->robust ? result->usl : NULL);
}

/* Computes the full law. A bootstrap of this law gives the interval of N_c, if there is one. */
static void take_full_law(struct fit_result *result)
{
	const struct usl_interval none = {NAN, NAN};
	const struct usl_candidate *full = &result->choice->candidates[USL_FULL];
	struct usl_intervals *intervals;

	result->full_peak_n = result->full_useful = none;
	if (!full->fits)
		return;
	intervals = usl_intervals_new(&full->usl, result->series, result->wish->level, NULL);
	if (result->usl->form.model == USL_FULL && result->wish->bootstrap.refits)
		result->full_peak_n = result->parameters[USL_PEAK_N];
	else
		result->full_peak_n = usl_interval_of(intervals, USL_PEAK_N, 0);
	result->full_useful = usl_interval_of(intervals, USL_USEFUL, 2);
	usl_intervals_free(intervals);
}

static void take_shares(struct fit_result *result)
{
	const struct usl *usl = result->usl;
	double n = usl->largest_n;
	double d = 1 + usl->alpha * (n - 1) + usl->beta * n * (n - 1);

	result->largest_n = n;
	result->share[FIT_USEFUL] = 1 / d;
	result->share[FIT_CONTENTION] = usl->alpha * (n - 1) / d;
	result->share[FIT_COHERENCY] = usl->beta * n * (n - 1) / d;
	for (int part = 0; part < FIT_PARTS; part++)
		result->share_interval[part] = usl_interval_of(
			result->intervals, (enum usl_quantity)(USL_USEFUL + part), n);
}

static void take_predictions(struct fit_result *result)
{
	const struct fit_wish *wish = result->wish;

	result->predictions = xcalloc(wish->at_count + 1, sizeof(*result->predictions));
	for (size_t i = 0; i < wish->at_count; i++)
		result->predictions[i] = (struct fit_prediction){
			usl_throughput(result->usl, wish->at[i]),
			usl_interval_of(result->intervals, USL_X, wish->at[i]),
			usl_interval_of(result->intervals, USL_MEASURED, wish->at[i])};
}

static void take_answers(struct fit_result *result)
{
	const struct fit_wish *wish = result->wish;

	result->answers = xcalloc(wish->question_count + 1, sizeof(*result->answers));
	for (size_t i = 0; i < wish->question_count; i++)
		result->answers[i].count = usl_answer(result->answers[i].answers,
						      &wish->questions[i], result->intervals);
}

/* fit_series() has checked that each change is possible. */
static void take_changed(struct fit_result *result)
{
	const struct fit_wish *wish = result->wish;
	struct err err;

	result->changed = xcalloc(wish->change_count + 1, sizeof(*result->changed));
	for (size_t i = 0; i < wish->change_count; i++)
		usl_change_apply(&result->changed[i], result->usl, &wish->changes[i], &err);
}

struct fit_result *fit_make(const struct fitted *fitted, const struct fit_wish *wish, bool whole)
{
	const struct usl_bootstrap_plan *plan = wish->bootstrap.refits ? &wish->bootstrap : NULL;
	struct fit_result *result = xcalloc(1, sizeof(*result));

	result->wish = wish;
	result->series = &fitted->series;
	result->usl = &fitted->usl;
	result->robust = fitted->series.trust ? &fitted->robust : NULL;
	result->intervals = usl_intervals_new(result->usl, result->series, wish->level, plan);
	take_parameters(result);
	take_full(result);
	result->diagnosis = usl_diagnosis_new(result->usl, result->series,
					      &result->parameters[USL_PEAK_N], wish->level);
	if (wish->suggest)
		take_suggestion(result);
	if (!whole)
		return result;
	take_curve(result);
	take_choice(result);
	take_full_law(result);
	take_shares(result);
	take_predictions(result);
	take_answers(result);
	take_changed(result);
	return result;
}

void fit_result_free(struct fit_result *result)
{
	if (!result)
		return;
	usl_intervals_free(result->intervals);
	usl_diagnosis_free(result->diagnosis);
	free(result->suggestion);
	free(result->curve);
	free(result->choice);
	free(result->predictions);
	free(result->answers);
	free(result->changed);
	free(result);
}
