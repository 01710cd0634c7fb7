/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "report/fit/report_fit_private.h"
#include "report/fit_chart_template.h"
#include "report/fit_template.h"
#include "report/plot.h"

#include <ctype.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The numbers of steps of the curve: within the measured N, and beyond them. FINER multiplies them
 * for a drawing with characters.
 */
enum { CURVE_STEPS = 72, BEYOND_STEPS = 24, FINER = 4 };
/* The largest factor between a peak and the largest measured N with which the peak is drawn. */
static const double PEAK_REACH = 4;

/* The limits of the picture. */
struct frame {
	double start, least; /* start of the curve, and the smallest measured N */
	double left, right, top;
	bool logarithmic;
	bool bands;
	int finer; /* factor on the number of steps, for a drawing with characters */
	struct usl_interval peak;
};

/* --- The frame ----------------------------------------------------------------------------- */

static bool is_shown(const struct frame *frame, double n)
{
	return n >= frame->left && n <= frame->right;
}

/* Returns whether most points would be in a twentieth of a linear axis. */
static bool wants_logarithmic(const struct series *series, double right)
{
	double *n = xcalloc(series->count, sizeof(*n)), median;

	for (size_t i = 0; i < series->count; i++)
		n[i] = series->points[i].n;
	gsl_sort(n, 1, series->count);
	median = n[series->count / 2];
	free(n);
	return median < right / 20;
}

static double least_n(const struct series *series)
{
	double least = series->points[0].n;

	for (size_t i = 1; i < series->count; i++)
		least = fmin(least, series->points[i].n);
	return least;
}

static void set_width(struct frame *frame, const struct fit_result *result)
{
	double largest = result->usl->largest_n, peak = usl_peak_n(result->usl);

	frame->least = least_n(result->series);
	frame->start = fmin(1, frame->least);
	frame->right = 1.3 * largest;
	if (peak <= PEAK_REACH * largest)
		frame->right = fmax(frame->right, 1.1 * peak);
	for (size_t i = 0; i < result->wish->at_count; i++) {
		frame->start = fmin(frame->start, result->wish->at[i]);
		frame->right = fmax(frame->right, 1.05 * result->wish->at[i]);
	}
	frame->logarithmic = wants_logarithmic(result->series, frame->right);
	frame->left = frame->logarithmic ? frame->start / 1.2 : 0;
}

/* Returns step `i` of `steps` from one N to another, evenly on the axis. */
static double step_of(const struct frame *frame, double from, double to, int i, int steps)
{
	double share = (double)i / steps;

	if (frame->logarithmic)
		return from * pow(to / from, share);
	return from + (to - from) * share;
}

static void set_height(struct frame *frame, const struct fit_result *result)
{
	double most = series_max_throughput(result->series), scatter = 0;

	for (int i = 0; i <= CURVE_STEPS; i++) {
		double n = step_of(frame, frame->start, frame->right, i, CURVE_STEPS);
		double curve = usl_throughput(result->usl, n);

		if (curve < 2 * most) /* an unbounded law may have a pole */
			most = fmax(most, curve);
		if (frame->bands && isfinite(curve))
			scatter = fmax(scatter,
				       usl_interval_of(result->intervals, USL_MEASURED, n).high);
	}
	frame->top = 1.06 * fmax(most, fmin(scatter, 1.25 * most));
}

static void set_frame(struct frame *frame, const struct fit_result *result, bool characters)
{
	*frame = (struct frame){.peak = result->parameters[USL_PEAK_N],
				.finer = characters ? FINER : 1};
	frame->bands = !characters && series_distinct(result->series) <= USL_REGION_POINTS &&
		       isfinite(result->parameters[USL_GAMMA].low);
	set_width(frame, result);
	set_height(frame, result);
}

/* --- The data ------------------------------------------------------------------------------ */

/* Moves a value to the border of the picture if it is outside. */
static double clamped(double value, double low, double high)
{
	return isnan(value) ? value : fmin(fmax(value, low), high);
}

static double positive(double throughput)
{
	return throughput > 0 && isfinite(throughput) ? throughput : NAN;
}

static void put_curve_row(struct plot_script *script, const struct fit_result *result,
			  const struct frame *frame, double n)
{
	const struct usl *usl = result->usl;
	struct usl_interval curve = {NAN, NAN}, measured = {NAN, NAN};
	double fitted = positive(usl_throughput(usl, n));
	double top = 1.5 * frame->top;

	if (frame->bands) {
		curve = usl_interval_of(result->intervals, USL_X, n);
		measured = usl_interval_of(result->intervals, USL_MEASURED, n);
	}
	plot_script_row(script,
			(double[]){n, fitted, clamped(curve.low, 0, top),
				   clamped(curve.high, 0, top), clamped(measured.low, 0, top),
				   clamped(measured.high, 0, top),
				   positive(usl->gamma * n / (1 + usl->alpha * (n - 1))),
				   usl->gamma * n, fitted / (usl->one * n)},
			9);
}

static void put_curve(struct plot_script *script, const struct fit_result *result,
		      const struct frame *frame, double from, double to, int steps)
{
	steps *= frame->finer;
	for (int i = 0; i <= steps; i++)
		put_curve_row(script, result, frame, step_of(frame, from, to, i, steps));
}

/*
 * Writes the curve within the measured N, and beyond them on both sides, with an empty line between
 * these.
 */
static void put_curves(struct plot_script *script, const struct fit_result *result,
		       const struct frame *frame)
{
	static const char columns[] = "N fitted low high measured_low measured_high "
				      "without_coherency linear efficiency";
	double largest = result->usl->largest_n;

	plot_script_begin(script, "curve", columns);
	put_curve(script, result, frame, frame->least, largest, CURVE_STEPS);
	plot_script_begin(script, "beyond", columns);
	if (frame->start < frame->least) {
		put_curve(script, result, frame, frame->start, frame->least, BEYOND_STEPS);
		plot_script_row(script, NULL, 0);
	}
	put_curve(script, result, frame, largest, frame->right, BEYOND_STEPS);
}

static void put_point(struct plot_script *script, const struct fit_result *result, size_t i)
{
	const struct series_point *point = &result->series->points[i];

	plot_script_row(script,
			(double[]){point->n, point->throughput, usl_efficiency(result->usl, point),
				   point->throughput - usl_throughput(result->usl, point->n)},
			4);
}

/* Writes the points: of very many every stride-th by N, so that each N keeps its share. */
static void put_points(struct plot_script *script, const struct fit_result *result)
{
	enum { MOST = 5000 };
	const struct series *series = result->series;
	size_t *order = xcalloc(series->count, sizeof(*order));
	size_t stride = (series->count + MOST - 1) / MOST;

	if (stride > 1)
		gsl_sort_index(order, &series->points[0].n,
			       sizeof(series->points[0]) / sizeof(double), series->count);
	plot_script_begin(script, "points", "N throughput efficiency residual");
	for (size_t i = 0; i < series->count; i += stride)
		put_point(script, result, stride > 1 ? order[i] : i);
	plot_script_number(script, "one_of", (double)stride);
	free(order);
}

static void put_predictions(struct plot_script *script, const struct fit_result *result,
			    const struct frame *frame)
{
	plot_script_begin(script, "predictions", "N fitted measured_low measured_high");
	for (size_t i = 0; i < result->wish->at_count; i++) {
		double n = result->wish->at[i];
		double fitted = positive(result->predictions[i].throughput);
		struct usl_interval measured = {NAN, NAN};

		if (frame->bands)
			measured = result->predictions[i].measured;
		if (isnan(measured.low))
			measured = (struct usl_interval){fitted, fitted};
		plot_script_row(script,
				(double[]){n, fitted, clamped(measured.low, 0, 1.5 * frame->top),
					   clamped(measured.high, 0, 1.5 * frame->top)},
				4);
	}
	plot_script_number(script, "has_predictions", result->wish->at_count > 0);
}

/* --- The texts ----------------------------------------------------------------------------- */

/* Returns "N_c = 96.5 (78.3 to 157)". */
static char *peak_text(const struct fit_result *result, const struct frame *frame)
{
	double peak = usl_peak_n(result->usl);
	const char *where = is_shown(frame, peak) ? "" : ", beyond this picture";
	char high[32];

	if (isnan(peak) && isnan(frame->peak.low))
		return xstrdup("");
	if (isnan(peak))
		return xasprintf("no N_c below %.3g", frame->peak.low);
	if (isnan(frame->peak.low))
		return xasprintf("N_c = %.3g%s", peak, where);
	snprintf(high, sizeof(high), "%.3g", frame->peak.high);
	return xasprintf("N_c = %.3g (%.3g to %s)%s", peak, frame->peak.low,
			 isinf(frame->peak.high) ? "∞" : high, where);
}

static void put_peak(struct plot_script *script, const struct fit_result *result,
		     const struct frame *frame)
{
	bool falls = usl_is_retrograde(result->usl);
	char *text = falls ? xstrdup("") : peak_text(result, frame);
	bool shades = !falls && frame->peak.low < frame->right;

	plot_script_number(script, "has_peak", !falls && is_shown(frame, usl_peak_n(result->usl)));
	plot_script_number(script, "peak", usl_peak_n(result->usl));
	plot_script_text(script, "peak_text", text);
	plot_script_number(script, "has_peak_interval", shades);
	plot_script_number(script, "peak_low", clamped(frame->peak.low, frame->left, frame->right));
	plot_script_number(script, "peak_high",
			   clamped(frame->peak.high, frame->left, frame->right));
	free(text);
}

/* Returns the name of the N column, unless that is a number or a single letter. */
static const char *name_of_n(const struct series *series)
{
	const char *name = series->origin.n;

	return name && strlen(name) > 1 && !isdigit((unsigned char)*name)
		       ? name
		       : "threads, cores or clients";
}

static void put_texts(struct plot_script *script, const struct fit_result *result)
{
	enum { LINE_WIDTH = 100 };
	static const char *const laws[] = {[USL_FULL] = "Universal Scalability Law",
					   [USL_AMDAHL] = "Amdahl's law",
					   [USL_LINEAR] = "linear scaling"};
	const struct usl *usl = result->usl;
	char *parameters = xasprintf("%s: α = %.4g, β = %.4g, γ = %.4g", laws[usl->form.model],
				     usl->alpha, usl->beta, usl->gamma);
	char *verdict = fit_verdict(result);

	plot_script_file(script, "file", result->series->source);
	plot_script_text(script, "n_name", name_of_n(result->series));
	plot_script_text(script, "parameters", parameters);
	plot_script_paragraph(script, "verdict", verdict ? verdict : "", LINE_WIDTH);
	plot_script_number(script, "level_percent", 100 * result->wish->level);
	free(verdict);
	free(parameters);
}

/* --- The drawing --------------------------------------------------------------------------- */

static struct plot_script *draw(const struct fit_result *result, bool characters)
{
	struct plot_script *script = plot_script_new();
	struct frame frame;

	set_frame(&frame, result, characters);
	put_texts(script, result);
	plot_script_number(script, "left_n", frame.left);
	plot_script_number(script, "right_n", frame.right);
	plot_script_number(script, "top_throughput", frame.top);
	plot_script_number(script, "logarithmic", frame.logarithmic);
	plot_script_number(script, "has_bands", frame.bands);
	plot_script_number(script, "has_amdahl", result->usl->alpha != 0 && result->usl->beta != 0);
	plot_script_number(script, "has_linear", result->usl->alpha != 0 || result->usl->beta != 0);
	put_peak(script, result, &frame);
	put_points(script, result);
	put_curves(script, result, &frame);
	put_predictions(script, result, &frame);
	plot_script_template(script, characters ? fit_chart_template : fit_template);
	return script;
}

int plot_fit(const struct fit_result *result, const char *path, struct err *err)
{
	return plot_save(draw(result, false), 1, path, err);
}

int chart_fit(struct report *report, const struct fit_result *result, struct err *err)
{
	return plot_print(report, draw(result, true), err);
}
