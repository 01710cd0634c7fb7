/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/fit_flags.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/fit/fit_view.h"
#include "stats/series/series.h"

static bool has_few_points(const struct fit_view *view)
{
	return view->usl->n < FIT_ENOUGH_POINTS;
}

static bool has_no_freedom(const struct fit_view *view)
{
	return !view->usl->df;
}

static bool is_superlinear(const struct fit_view *view)
{
	for (size_t i = 0; i < view->series->count; i++)
		if (usl_is_superlinear(view->usl, &view->series->points[i]))
			return true;
	return false;
}

static bool is_retrograde(const struct fit_view *view)
{
	return usl_is_retrograde(view->usl);
}

static bool has_distant_peak(const struct fit_view *view)
{
	return usl_is_extrapolated(view->usl, usl_peak_n(view->usl));
}

static bool has_repeated_n(const struct fit_view *view)
{
	return view->diagnosis->distinct < view->series->count;
}

bool fit_is_unsorted(const struct fit_view *view)
{
	const struct series *series = view->series;

	for (size_t i = 1; i < series->count; i++)
		if (series->points[i].n < series->points[i - 1].n)
			return !has_repeated_n(view);
	return false;
}

static bool has_few_runs(const struct fit_view *view)
{
	return usl_diagnosis_has_few_runs(view->diagnosis);
}

static bool lacks_fit(const struct fit_view *view)
{
	return usl_diagnosis_lacks_fit(view->diagnosis);
}

static bool has_knee(const struct fit_view *view)
{
	return view->diagnosis->has_knee;
}

static bool has_outlier(const struct fit_view *view)
{
	return view->diagnosis->outliers > 0;
}

static bool has_influential(const struct fit_view *view)
{
	return view->diagnosis->influence.value > USL_INFLUENTIAL;
}

static bool has_unstable_peak(const struct fit_view *view)
{
	return view->diagnosis->drift.leaves;
}

static const struct {
	const char *word;
	bool (*holds)(const struct fit_view *view);
} flags[] = {
	{"few_points", has_few_points},
	{"no_freedom", has_no_freedom},
	{"unsorted", fit_is_unsorted},
	{"repeated_n", has_repeated_n},
	{"superlinear", is_superlinear},
	{"retrograde", is_retrograde},
	{"knee", has_knee},
	{"lack_of_fit", lacks_fit},
	{"few_runs", has_few_runs},
	{"outlier", has_outlier},
	{"influential", has_influential},
	{"nc_unstable", has_unstable_peak},
	{"nc_extrapolated", has_distant_peak},
};

_Static_assert(sizeof(flags) / sizeof(flags[0]) <= FIT_FLAGS, "room for all");

size_t fit_flags(const char *words[FIT_FLAGS], const struct fit_view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].holds(view))
			words[count++] = flags[i].word;
	return count;
}

size_t fit_point_flags(const char *words[POINT_FLAGS], const struct fit_view *view, size_t point)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;
	const double half = .5;
	size_t count = 0;

	if (usl_is_superlinear(view->usl, &view->series->points[point]))
		words[count++] = "superlinear";
	if (view->robust && view->series->trust[point] < half)
		words[count++] = "downweighted";
	if (diagnosis->points && diagnosis->points[point].outlier)
		words[count++] = "outlier";
	if (diagnosis->points && diagnosis->points[point].influential)
		words[count++] = "influential";
	return count;
}
