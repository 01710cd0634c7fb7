/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast.h"
#include "report/forecast_chart_template.h"
#include "report/forecast_template.h"
#include "report/plot.h"
#include "report/report_text.h"
#include "stats/profile/wall_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double HEIGHT = .8;

/* The largest number of points of a curve: one for each number of cores, or fewer. */
enum { CURVE_STEPS = 200 };

static uint64_t most_cores(const struct forecast *forecast)
{
	uint64_t most = forecast->request.measured_cores;

	for (size_t i = 0; i < forecast->request.count; i++)
		most = forecast->request.cores[i] > most ? forecast->request.cores[i] : most;
	return most;
}

static void put_closed_form(struct plot_script *script, const struct forecast *forecast,
			    uint64_t cores)
{
	struct closed_form form =
		closed_form(forecast->levels, forecast->request.measured_cores, cores);

	plot_script_row(script, (double[]){(double)cores, form.wall_s, form.speedup}, 3);
}

static void put_closed_form_curve(struct plot_script *script, const struct forecast *forecast,
				  uint64_t most)
{
	uint64_t cores = 1;

	for (int i = 1; cores < most; i++) {
		put_closed_form(script, forecast, cores);
		cores++;
		if (most > CURVE_STEPS)
			cores = (uint64_t)fmax((double)cores,
					       pow((double)most, (double)i / CURVE_STEPS));
	}
	put_closed_form(script, forecast, most);
}

/* Draws the replay on the replayed numbers of cores, and the closed form beside it. */
static void put_curves(struct plot_script *script, const struct forecast *forecast, uint64_t most)
{
	const struct forecast_points *replay = forecast->shown;

	plot_script_begin(script, "curve", "cores wall_s speedup");
	for (size_t i = 0; replay && i < replay->count; i++)
		plot_script_row(script,
				(double[]){(double)replay->points[i].cores,
					   replay->points[i].wall_s,
					   forecast_points_speedup(replay, &replay->points[i])},
				3);
	if (!replay)
		put_closed_form_curve(script, forecast, most);
	plot_script_begin(script, "beside", "cores wall_s speedup");
	if (replay)
		put_closed_form_curve(script, forecast, most);
}

/* Draws the interval; has_interval says whether it is known. */
static void put_interval(struct plot_script *script, const struct forecast_points *replay)
{
	size_t known = 0;

	plot_script_begin(script, "interval", "cores lo_s hi_s");
	for (size_t i = 0; replay && i < replay->count; i++) {
		const struct forecast_point *point = &replay->points[i];

		if (isnan(point->lo_s))
			continue;
		known++;
		plot_script_row(script, (double[]){(double)point->cores, point->lo_s, point->hi_s},
				3);
	}
	plot_script_number(script, "has_interval", known > 0);
	plot_script_number(script, "is_replay", replay != NULL);
}

/* The Universal Scalability Law, relative to the replay on one core. */
static void put_law(struct plot_script *script, const struct forecast *forecast, uint64_t most)
{
	const struct forecast_usl *law = forecast->usl;
	double one_s = law ? 1 / law->series.points[0].throughput : NAN;

	plot_script_begin(script, "law", "cores wall_s speedup");
	for (int i = 0; law && i <= CURVE_STEPS; i++) {
		double cores = 1 + (double)(most - 1) * i / CURVE_STEPS;
		double throughput = usl_throughput(&law->usl, cores);

		plot_script_row(script, (double[]){cores, 1 / throughput, one_s * throughput}, 3);
	}
	plot_script_number(script, "has_law", law != NULL);
}

static void put_asked(struct plot_script *script, const struct forecast *forecast)
{
	plot_script_begin(script, "asked", "cores wall_s speedup");
	for (size_t i = 0; i < forecast->request.count; i++) {
		const struct forecast_row *row = &forecast->rows[i];

		plot_script_row(script, (double[]){(double)row->cores, row->wall_s, row->speedup},
				3);
	}
}

/* Draws measured points; their speedup needs a wall time measured on one core. */
static void put_measured(struct plot_script *script, const struct forecast *forecast)
{
	const struct wall_time *one =
		forecast->request.measured ? wall_times_find(forecast->request.measured, 1) : NULL;
	size_t count = forecast->request.measured ? forecast->request.measured->count : 0;

	plot_script_begin(script, "measured", "cores mean_s least_s most_s speedup error_percent");
	for (size_t i = 0; i < count; i++) {
		const struct wall_time *time = &forecast->request.measured->items[i];

		plot_script_row(script,
				(double[]){(double)time->cores, time->mean_s, time->least_s,
					   time->most_s, one ? one->mean_s / time->mean_s : NAN,
					   100 * forecast_error(forecast, time)},
				6);
	}
	plot_script_number(script, "measured_count", (double)count);
	plot_script_number(script, "has_measured_speedup", one != NULL);
}

static void put_summary(struct plot_script *script, const struct forecast *forecast)
{
	uint64_t cores = forecast->request.measured_cores;
	char *summary =
		xasprintf("%s %.4g s on %" PRIu64 " core%s",
			  forecast->shown ? "replay of" : "closed form, from a profile of",
			  (double)forecast->levels->total_ns / 1e9, cores, plural(cores, "", "s"));

	if (forecast->judged &&
	    forecast->validity.findings[VALIDITY_ALONE].answer == VALIDITY_FAILS)
		xappend(&summary, "", " while other programs took %.0f %% of the CPU time",
			100 * forecast->others_share);
	if (forecast->errors.count)
		xappend(&summary, "", "; mean absolute relative error %.1f %%",
			100 * forecast->errors.mean);
	plot_script_text(script, "summary", summary);
	free(summary);
}

static struct plot_script *draw(const struct forecast *forecast, const char *source,
				const char *template)
{
	struct plot_script *script = plot_script_new();
	uint64_t most = most_cores(forecast);

	plot_script_file(script, "file", source);
	put_summary(script, forecast);
	plot_script_number(script, "most_cores", (double)most);
	plot_script_number(script, "profile_cores", (double)forecast->request.measured_cores);
	plot_script_number(script, "profile_s", (double)forecast->levels->total_ns / 1e9);
	put_curves(script, forecast, most);
	put_interval(script, forecast->shown);
	put_law(script, forecast, most);
	put_asked(script, forecast);
	put_measured(script, forecast);
	plot_script_template(script, template);
	return script;
}

int plot_forecast(const struct forecast *forecast, const char *source, const char *path,
		  struct err *err)
{
	return plot_save(draw(forecast, source, forecast_template), HEIGHT, path, err);
}

int chart_forecast(struct report *report, const struct forecast *forecast, struct err *err)
{
	return plot_print(report, draw(forecast, "", forecast_chart_template), err);
}
