/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of a model as curves: times and throughput over the parameter with the most values, and
 * a curve for each combination of the others.
 */
#include "base/alloc.h"
#include "base/sorted.h"
#include "model/forecast/model_measured.h"
#include "report/model/report_model.h"
#include "report/model_chart_template.h"
#include "report/model_template.h"
#include "report/plot.h"
#include "report/report_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double HEIGHT = .8;

/* The largest number of curves that can be told apart. */
enum { CURVES_DRAWN = 8, AXES = MEASURED_THROUGHPUT };

static const struct {
	const char *label, *unit;
} axes[AXES] = {
	[MEASURED_THREADS] = {"threads", " threads"},
	[MEASURED_RATE] = {"requests a second", "/s"},
	[MEASURED_CLIENTS] = {"clients", " clients"},
	[MEASURED_CORES] = {"cores", " cores"},
};

struct drawn {
	const struct model_view *view;
	const struct model_forecast *forecast;
	enum model_measured_column axis;
	bool varies[AXES];
	size_t *order;	/* row numbers, one curve after the other */
	size_t *curves; /* [row]: number of its curve */
	size_t curve_count;
};

/* --- Which rows are a curve ------------------------------------------------------------------- */

static double place(const struct drawn *drawn, size_t row, int axis)
{
	double value = model_measured_forecast(&drawn->forecast->rows[row],
					       (enum model_measured_column)axis);

	return isnan(value) ? 0 : value;
}

static size_t count_values(const struct drawn *drawn, int axis)
{
	size_t count = 0;

	for (size_t i = 0; i < drawn->forecast->row_count; i++) {
		size_t j = 0;

		while (j < i && place(drawn, j, axis) != place(drawn, i, axis))
			j++;
		count += j == i;
	}
	return count;
}

static void choose_axis(struct drawn *drawn)
{
	size_t most = 0;

	for (int axis = 0; axis < AXES; axis++) {
		size_t count = count_values(drawn, axis);
		bool is_known = place(drawn, 0, axis) > 0;

		drawn->varies[axis] = count > 1;
		if (count <= most || !is_known)
			continue;
		most = count;
		drawn->axis = (enum model_measured_column)axis;
	}
}

static bool is_same_curve(const struct drawn *drawn, size_t row, size_t other)
{
	for (int axis = 0; axis < AXES; axis++)
		if (axis != (int)drawn->axis &&
		    place(drawn, row, axis) != place(drawn, other, axis))
			return false;
	return true;
}

static int by_curve(const void *left, const void *right, void *context)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct drawn *drawn = context;

	return compare_values(drawn->curves[a], drawn->curves[b])
		       ?: compare_values(place(drawn, a, (int)drawn->axis),
					 place(drawn, b, (int)drawn->axis))
		       ?: compare_values(a, b);
}

static void find_curves(struct drawn *drawn)
{
	size_t count = drawn->forecast->row_count;

	drawn->order = xcalloc(count + 1, sizeof(*drawn->order));
	drawn->curves = xcalloc(count + 1, sizeof(*drawn->curves));
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		while (j < i && !is_same_curve(drawn, j, i))
			j++;
		drawn->curves[i] = j < i ? drawn->curves[j] : ++drawn->curve_count;
		drawn->order[i] = i;
	}
	qsort_r(drawn->order, count, sizeof(*drawn->order), by_curve, drawn);
}

/* --- The script ------------------------------------------------------------------------------- */

/*
 * Returns "8 threads, 600/s": the parameters that distinguish the curve of a row. The caller frees
 * it.
 */
static char *curve_title(const struct drawn *drawn, size_t row)
{
	char *text = NULL, number[VALUE_SIZE];

	for (int axis = 0; axis < AXES; axis++)
		if (axis != (int)drawn->axis && drawn->varies[axis])
			xappend(&text, ", ", "%s%s",
				format_value(number, place(drawn, row, axis), UNIT_SHORT),
				axes[axis].unit);
	return text ? text : xstrdup("forecast");
}

static void put_titles(struct plot_script *script, const struct drawn *drawn)
{
	for (size_t curve = 1; curve <= drawn->curve_count && curve <= CURVES_DRAWN; curve++) {
		char *name = xasprintf("title_%zu", curve), *title;
		size_t row = 0;

		while (drawn->curves[row] != curve)
			row++;
		title = curve_title(drawn, row);
		plot_script_text(script, name, title);
		free(title);
		free(name);
	}
}

/*
 * Writes the rows. The time of a batch is its wall time. Also writes the numbers of measured times
 * and throughputs.
 */
static void put_rows(struct plot_script *script, const struct drawn *drawn, bool batch)
{
	enum model_measured_column time = batch ? MEASURED_WALL : MEASURED_RESPONSE;
	size_t times = 0, throughputs = 0;

	plot_script_begin(script, "rows",
			  "curve x time_s lo_s hi_s p95_s throughput lo hi measured_s "
			  "measured_throughput");
	for (size_t i = 0; i < drawn->forecast->row_count; i++) {
		size_t at = drawn->order[i];
		const struct model_forecast_row *row = &drawn->forecast->rows[at];
		const struct model_interval *interval = batch ? &row->wall_s : &row->response_s;
		const struct model_measured_row *found =
			drawn->view->measured ? model_measured_find(drawn->view->measured, row)
					      : NULL;
		const double values[] = {
			(double)drawn->curves[at],
			place(drawn, at, (int)drawn->axis),
			model_measured_forecast(row, time),
			interval->lo,
			interval->hi,
			row->result.response_p95_s,
			row->result.throughput_per_s,
			row->throughput_per_s.lo,
			row->throughput_per_s.hi,
			found ? found->values[time] : NAN,
			found ? found->values[MEASURED_THROUGHPUT] : NAN,
		};

		if (drawn->curves[at] > CURVES_DRAWN)
			continue;
		times += found && !isnan(found->values[time]);
		throughputs += found && !isnan(found->values[MEASURED_THROUGHPUT]);
		plot_script_row(script, values, sizeof(values) / sizeof(*values));
	}
	plot_script_number(script, "measured_times", (double)times);
	plot_script_number(script, "measured_throughputs", (double)throughputs);
}

/* Writes the ranges of the axes, which gnuplot cannot find without numbers. */
static void put_ranges(struct plot_script *script, const struct drawn *drawn, bool batch)
{
	double least = INFINITY, most = 0;
	bool has_times = false;

	for (size_t i = 0; i < drawn->forecast->row_count; i++) {
		const struct model_result *result = &drawn->forecast->rows[i].result;

		least = fmin(least, place(drawn, i, (int)drawn->axis));
		most = fmax(most, place(drawn, i, (int)drawn->axis));
		has_times |= (batch ? result->wall_s : result->response_s) > 0;
	}
	plot_script_number(script, "least", least);
	plot_script_number(script, "most", most);
	plot_script_number(script, "has_times", has_times);
	plot_script_number(script, "is_batch", batch);
	plot_script_number(script, "curve_count", fmin((double)drawn->curve_count, CURVES_DRAWN));
	plot_script_number(script, "curves_left",
			   fmax((double)drawn->curve_count - CURVES_DRAWN, 0));
}

static struct plot_script *draw(const struct model_view *view,
				const struct model_forecast *forecast, const char *template)
{
	struct drawn drawn = {.view = view, .forecast = forecast};
	struct plot_script *script = plot_script_new();
	bool batch = forecast->row_count && !isnan(forecast->rows[0].result.wall_s);

	choose_axis(&drawn);
	find_curves(&drawn);
	plot_script_file(script, "file", strcmp(view->path, "-") ? view->path : "standard input");
	plot_script_text(script, "axis", axes[drawn.axis].label);
	put_ranges(script, &drawn, batch);
	put_titles(script, &drawn);
	put_rows(script, &drawn, batch);
	plot_script_template(script, template);
	free(drawn.order);
	free(drawn.curves);
	return script;
}

int plot_model_forecast(const struct model_view *view, const struct model_forecast *forecast,
			const char *path, struct err *err)
{
	return plot_save(draw(view, forecast, model_template), HEIGHT, path, err);
}

int chart_model_forecast(struct report *report, const struct model_view *view,
			 const struct model_forecast *forecast, struct err *err)
{
	return plot_print(report, draw(view, forecast, model_chart_template), err);
}
