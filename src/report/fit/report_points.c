/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_points.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/fit/fit_flags.h"
#include "report/fit/fit_view.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a row is made from. Without a diagnosis all its numbers are NaN, which is null. */
struct row {
	const struct series_point *point;
	struct usl_point_diagnosis diagnosis;
	double fitted, efficiency;
	struct usl_interval curve;
	const char *flags[POINT_FLAGS];
	size_t flag_count;
};

/* One at each of very many N would take longer than anybody reads. */
static bool shows_curve_intervals(const struct fit_view *view)
{
	return view->diagnosis->distinct <= USL_REGION_POINTS;
}

static void take_row(struct row *row, const struct fit_view *view, size_t i, bool intervals)
{
	const struct series_point *point = &view->series->points[i];
	static const struct usl_point_diagnosis unknown = {
		.residual = NAN,
		.fitted_se = NAN,
		.hat = NAN,
		.standardised = NAN,
		.studentised = NAN,
		.cook = NAN,
		.left_out = {NAN, NAN, NAN, NAN, NAN},
	};

	*row = (struct row){.point = point,
			    .diagnosis =
				    view->diagnosis->points ? view->diagnosis->points[i] : unknown,
			    .fitted = usl_throughput(view->usl, point->n),
			    .efficiency = usl_efficiency(view->usl, point),
			    .curve = {NAN, NAN}};
	if (intervals)
		row->curve = usl_interval_of(view->intervals, USL_X, point->n);
	row->diagnosis.residual = point->throughput - row->fitted;
	row->flag_count = fit_point_flags(row->flags, view, i);
}

/* --- JSON: all of it, or nothing -------------------------------------------------------- */

static void put_json(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"throughput", "", UNIT_NONE, 0},
		{"fitted", "", UNIT_NONE, 0},
		{"fitted_low", "", UNIT_NONE, 0},
		{"fitted_high", "", UNIT_NONE, 0},
		{"fitted_se", "", UNIT_NONE, 0},
		{"efficiency", "", UNIT_NONE, 0},
		{"residual", "", UNIT_NONE, 0},
		{"standardised", "", UNIT_NONE, 0},
		{"studentised", "", UNIT_NONE, 0},
		{"hat", "", UNIT_NONE, 0},
		{"cook", "", UNIT_NONE, 0},
		{"loo_alpha", "", UNIT_NONE, 0},
		{"loo_beta", "", UNIT_NONE, 0},
		{"loo_gamma", "", UNIT_NONE, 0},
		{"loo_nc", "", UNIT_NONE, 0},
		{"loo_residual", "", UNIT_NONE, 0},
		{"flags", "", UNIT_NONE, 0},
		{"weight", "", UNIT_NONE, 0}, /* of robust fits */
	};
	const struct table table = {.key = "points",
				    .layout = LAYOUT_ROWS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = COUNT(columns) - !view->robust};
	bool intervals = shows_curve_intervals(view);

	report_begin(report, &table);
	for (size_t i = 0; i < view->diagnosis->count; i++) {
		struct row row;

		take_row(&row, view, i, intervals);
		report_row(report, (struct cell[]){
					   cell_number(row.point->n),
					   cell_number(row.point->throughput),
					   cell_number(row.fitted),
					   cell_number(row.curve.low),
					   cell_number(row.curve.high),
					   cell_number(row.diagnosis.fitted_se),
					   cell_number(row.efficiency),
					   cell_number(row.diagnosis.residual),
					   cell_number(row.diagnosis.standardised),
					   cell_number(row.diagnosis.studentised),
					   cell_number(row.diagnosis.hat),
					   cell_number(row.diagnosis.cook),
					   cell_number(row.diagnosis.left_out.alpha),
					   cell_number(row.diagnosis.left_out.beta),
					   cell_number(row.diagnosis.left_out.gamma),
					   cell_number(row.diagnosis.left_out.peak_n),
					   cell_number(row.diagnosis.left_out.residual),
					   cell_list(row.flags, row.flag_count),
					   cell_number(view->robust ? view->series->trust[i] : 1),
				   });
	}
	report_end(report);
}

/* --- Text ------------------------------------------------------------------- */

/* So many points are listed; of more only some of those with a flag. */
enum { LISTED = 200, FLAGGED = 20 };

struct list {
	size_t points[LISTED];
	size_t count;
};

static void take_list(struct list *list, const struct fit_view *view)
{
	bool all = view->series->count <= LISTED;

	list->count = 0;
	for (size_t i = 0; i < view->series->count && (all || list->count < FLAGGED); i++) {
		const char *flags[POINT_FLAGS];

		if (all || fit_point_flags(flags, view, i))
			list->points[list->count++] = i;
	}
}

/* Two digits behind the point are enough for what is compared with a limit. */
struct digits {
	char text[24];
};

static struct cell rounded(struct digits *digits, double number)
{
	if (isnan(number))
		return cell_null();
	snprintf(digits->text, sizeof(digits->text), fabs(number) < 1e6 ? "%.2f" : "%.3g", number);
	return cell_text(digits->text);
}

static void put_measured(struct report *report, const struct fit_view *view,
			 const struct list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"fitted", "fitted", UNIT_DECIMAL, 0},
		{"fitted_low", "from", UNIT_DECIMAL, 0},
		{"fitted_high", "to", UNIT_DECIMAL, 0},
		{"efficiency", "efficiency", UNIT_SHARE, 0},
		{"studentised", "t", UNIT_NONE, 0},
		{"flags", "flags", UNIT_NONE, -1},
		{"weight", "weight", UNIT_DECIMAL, 0}, /* of robust fits */
	};
	const struct table table = {.title = "Measured and fitted",
				    .layout = LAYOUT_ROWS,
				    .in = REPORT_TEXT,
				    .columns = columns,
				    .column_count = COUNT(columns) - !view->robust};
	bool intervals = shows_curve_intervals(view);

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct digits t;
		struct row row;

		take_row(&row, view, list->points[i], intervals);
		report_row(report,
			   (struct cell[]){
				   cell_number(row.point->n),
				   cell_number(row.point->throughput),
				   cell_number(row.fitted),
				   cell_number(row.curve.low),
				   cell_number(row.curve.high),
				   cell_number(row.efficiency),
				   rounded(&t, row.diagnosis.studentised),
				   cell_list(row.flags, row.flag_count),
				   cell_number(view->robust ? view->series->trust[list->points[i]]
							    : 1),
			   });
	}
	report_end(report);
}

static void put_residuals(struct report *report, const struct fit_view *view,
			  const struct list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"residual", "residual", UNIT_DECIMAL, 0},
		{"fitted_se", "error", UNIT_DECIMAL, 0},
		{"standardised", "standardised", UNIT_NONE, 0},
		{"studentised", "studentised", UNIT_NONE, 0},
		{"hat", "hat", UNIT_NONE, 0},
		{"cook", "Cook's distance", UNIT_NONE, 0},
	};
	static const struct table table = {.title = "Residuals",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct digits digits[4];
		struct row row;

		take_row(&row, view, list->points[i], false);
		report_row(report, (struct cell[]){
					   cell_number(row.point->n),
					   cell_number(row.diagnosis.residual),
					   cell_number(row.diagnosis.fitted_se),
					   rounded(&digits[0], row.diagnosis.standardised),
					   rounded(&digits[1], row.diagnosis.studentised),
					   rounded(&digits[2], row.diagnosis.hat),
					   rounded(&digits[3], row.diagnosis.cook),
				   });
	}
	report_end(report);
}

static void put_left_out(struct report *report, const struct fit_view *view,
			 const struct list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"loo_alpha", "alpha", UNIT_DECIMAL, 0},
		{"loo_beta", "beta", UNIT_DECIMAL, 0},
		{"loo_gamma", "gamma", UNIT_DECIMAL, 0},
		{"loo_nc", "N_c", UNIT_DECIMAL, 0},
		{"loo_residual", "residual", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.title = "Without each point",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct row row;

		take_row(&row, view, list->points[i], false);
		report_row(report, (struct cell[]){
					   cell_number(row.point->n),
					   cell_number(row.diagnosis.left_out.alpha),
					   cell_number(row.diagnosis.left_out.beta),
					   cell_number(row.diagnosis.left_out.gamma),
					   cell_number(row.diagnosis.left_out.peak_n),
					   cell_number(row.diagnosis.left_out.residual),
				   });
	}
	report_end(report);
}

static void put_text(struct report *report, const struct fit_view *view)
{
	struct list list;

	take_list(&list, view);
	if (list.count)
		put_measured(report, view, &list);
	if (list.count < view->series->count)
		report_note(report, "Of %zu points only %s with flags are listed%s.",
			    view->series->count, list.count == FLAGGED ? "the first ones" : "those",
			    view->diagnosis->points ? "; --format json has all" : "");
	if (!view->details || !list.count)
		return;
	put_residuals(report, view, &list);
	if (view->diagnosis->left_out)
		put_left_out(report, view, &list);
}

void report_points(struct report *report, const struct fit_view *view)
{
	if (report_shows(report, REPORT_JSON))
		put_json(report, view);
	if (report_shows(report, REPORT_TEXT))
		put_text(report, view);
}
