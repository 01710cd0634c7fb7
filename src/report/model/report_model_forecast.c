/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/printable.h"
#include "model/forecast/model_measured.h"
#include "report/model/report_model.h"
#include "report/report.h"
#include "report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest factor beyond the recording that is an extrapolation. */
#define BEYOND_LEAST 1.1

/* --- Words ----------------------------------------------------------------------------------- */

static bool is_batch(const struct model_forecast *forecast)
{
	return forecast->row_count && !isnan(forecast->rows[0].result.wall_s);
}

static const char *span(char text[VALUE_SIZE], double seconds)
{
	return isinf(seconds) ? "grows" : format_value(text, seconds, UNIT_SPAN);
}

/* Returns "4.40 - 4.90 ms"; NULL: no interval. */
static const char *interval_text(char out[2 * VALUE_SIZE], const struct model_interval *interval)
{
	char low[VALUE_SIZE], high[VALUE_SIZE];
	const char *to = span(high, interval->hi), *unit = strrchr(to, ' ');
	size_t length;

	if (isnan(interval->lo))
		return NULL;
	span(low, interval->lo);
	length = strlen(low) - (unit && strlen(low) > strlen(unit) ? strlen(unit) : 0);
	if (unit && strcmp(low + length, unit) == 0)
		low[length] = '\0';
	snprintf(out, 2 * VALUE_SIZE, "%s - %s", low, to);
	return out;
}

/* Returns whether a member differs between rows. */
#define VARIES(forecast, member)                                            \
	((forecast)->row_count > 1 &&                                       \
	 rows_differ(forecast, offsetof(struct model_forecast_row, member), \
		     sizeof(((struct model_forecast_row *)NULL)->member)))

static bool rows_differ(const struct model_forecast *forecast, size_t offset, size_t size)
{
	for (size_t i = 1; i < forecast->row_count; i++)
		if (memcmp((const char *)&forecast->rows[i] + offset,
			   (const char *)&forecast->rows[0] + offset, size) != 0)
			return true;
	return false;
}

/* Returns "600 requests a second", "32 clients", which the caller frees; NULL: a batch. */
static char *load_text(const struct model_forecast_row *row)
{
	char rate[VALUE_SIZE];

	if (row->rate > 0)
		return xasprintf("%s requests a second", format_value(rate, row->rate, UNIT_SHORT));
	if (row->clients)
		return xasprintf("%" PRIu32 " client%s", row->clients,
				 plural(row->clients, "", "s"));
	return NULL;
}

/* Returns "8 threads of worker on 4 cores"; the caller frees it. */
static char *size_text(const struct model_view *view, const struct model_forecast *forecast,
		       const struct model_forecast_row *row)
{
	bool named = forecast->pool < view->model->pool_count && view->model->pool_count > 1;
	char *text = NULL;

	if (row->threads)
		xappend(&text, "", "%" PRIu32 " thread%s%s%s", row->threads,
			plural(row->threads, "", "s"), named ? " of " : "",
			named ? view->model->pools[forecast->pool].name : "");
	if (!text || VARIES(forecast, cores))
		xappend(&text, " on ", "%" PRIu32 " core%s", row->cores,
			plural(row->cores, "", "s"));
	return text;
}

/* --- The answer ------------------------------------------------------------------------------ */

/* Returns "4.58 ms on average, 95 % within 13.2 ms"; the caller frees it. */
static char *times_text(const struct model_forecast_row *row)
{
	char mean[VALUE_SIZE], p95[VALUE_SIZE], rate[VALUE_SIZE];
	const struct model_result *result = &row->result;

	format_value(rate, result->throughput_per_s, UNIT_SHORT);
	if (!isnan(result->wall_s))
		return xasprintf("%s, %s items a second", span(mean, result->wall_s), rate);
	if (isnan(result->response_s))
		return xasprintf("%s requests a second", rate);
	return xasprintf("%s%s%s on average, 95 %% within %s", row->rate > 0 ? "" : rate,
			 row->rate > 0 ? "" : " requests a second, ",
			 span(mean, result->response_s), span(p95, result->response_p95_s));
}

/*
 * Returns "; 90 % interval 11.5 ms to 16.2 ms", or "" if all of it, or none, meets the goal. The
 * caller frees it.
 */
static char *doubt_text(const struct model_forecast *forecast, const struct model_forecast_row *row)
{
	const struct model_interval *own =
		forecast->goal.metric == MODEL_GOAL_P95 ? &row->response_p95_s : &row->response_s;
	char lo[VALUE_SIZE], hi[VALUE_SIZE];

	if (row->goal_sure)
		return xstrdup("");
	return xasprintf("; 90 %% interval %s to %s", span(lo, own->lo),
			 isinf(own->hi) ? "no bound" : span(hi, own->hi));
}

static void put_goal_verdict(struct report *report, const struct model_view *view,
			     const struct model_forecast *forecast)
{
	const struct model_forecast_row *row = &forecast->rows[forecast->row_count - 1];
	const struct model_goal *goal = &forecast->goal;
	const char *metric = goal->metric == MODEL_GOAL_P95 ? "95 %" : "the mean";
	char bound[VALUE_SIZE], *size = size_text(view, forecast, row), *load = load_text(row);
	char *times = times_text(row), *doubt = doubt_text(forecast, row);

	span(bound, goal->seconds);
	if (forecast->searches > 1)
		report_verdict(report,
			       "%zu of %zu configurations can keep %s of the response times within "
			       "%s.",
			       forecast->goals_met, forecast->searches, metric, bound);
	else if (forecast->goals_met && goal->load)
		report_verdict(report, "%s keep%s %s within %s up to %s: %s%s.", size,
			       row->threads > 1 ? "" : "s", metric, bound, load, times, doubt);
	else if (forecast->goals_met)
		report_verdict(report, "%s suffice%s to keep %s within %s: %s%s.", size,
			       row->threads > 1 ? "" : "s", metric, bound, times, doubt);
	else
		report_verdict(report, "No %s keeps %s within %s; with %s: %s.",
			       goal->load ? "load" : "number of threads", metric, bound,
			       goal->load ? load : size,
			       row->result.grows ? "requests pile up" : times);
	free(doubt);
	free(times);
	free(load);
	free(size);
}

/*
 * Returns the row with the highest rate of those that are overloaded or lose requests (`full`), or
 * of the others; NULL: none.
 */
static const struct model_forecast_row *highest_rate(const struct model_forecast *forecast,
						     bool full)
{
	const struct model_forecast_row *found = NULL;

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct model_forecast_row *row = &forecast->rows[i];

		if ((row->result.grows || model_loses(&row->result)) == full &&
		    (!found || row->rate > found->rate))
			found = row;
	}
	return found;
}

/* Adds the verdict if the system is not overloaded, but requests find no room. */
static void put_lost_verdict(struct report *report, const struct model_forecast *forecast,
			     const struct model_forecast_row *row,
			     const struct model_forecast_row *most, const char *load,
			     const char *size)
{
	double lost = 100 * model_lost_share(&row->result);
	char rate[VALUE_SIZE];

	if (most)
		report_verdict(report,
			       "Up to %s requests a second find room; at %s, %.1f %% do not.",
			       format_value(rate, most->rate, UNIT_SHORT), load, lost);
	else if (forecast->row_count == 1)
		report_verdict(report, "With %s, %.1f %% of %s find no room.", size, lost, load);
	else
		report_verdict(report, "No configuration has room for %s.", load);
}

/* Adds the verdict if all rows with the highest load are overloaded, or lose requests. */
static void put_full_verdict(struct report *report, const struct model_view *view,
			     const struct model_forecast *forecast)
{
	const struct model_forecast_row *row = highest_rate(forecast, true);
	const struct model_forecast_row *most = highest_rate(forecast, false);
	char *load = load_text(row), *size = size_text(view, forecast, row);
	char *limit = model_limit_text(view->model, row->result.limit, row->result.limit_index);
	char *full = limit ? xasprintf(": %s %s full", limit, strcmp(limit, "cores") ? "is" : "are")
			   : xstrdup("");
	char more[VALUE_SIZE], rate[VALUE_SIZE];

	if (!row->result.grows)
		put_lost_verdict(report, forecast, row, most, load, size);
	else if (most)
		report_verdict(report,
			       "Up to %s requests a second are answered; %s are too many%s.",
			       format_value(rate, most->rate, UNIT_SHORT), load, full);
	else if (forecast->row_count == 1)
		report_verdict(
			report, "Overloaded: with %s, %s are %s more than can be answered%s.", size,
			load, format_value(more, row->result.growth_per_s, UNIT_SHORT), full);
	else
		report_verdict(report, "Overloaded: no configuration keeps up with %s.", load);
	free(full);
	free(limit);
	free(size);
	free(load);
}

static void put_best_verdict(struct report *report, const struct model_view *view,
			     const struct model_forecast *forecast)
{
	const struct model_forecast_row *best = &forecast->rows[forecast->best];
	const struct model_forecast_row *last = &forecast->rows[forecast->row_count - 1];
	char *load = load_text(best), *size = size_text(view, forecast, best);
	char *times = times_text(best);
	bool more = best->threads < last->threads && !VARIES(forecast, rate) &&
		    !VARIES(forecast, clients) && !VARIES(forecast, cores);

	if (forecast->row_count == 1)
		report_verdict(report, "%s%s%s: %s.", size, load ? ", " : "", load ? load : "",
			       times);
	else
		report_verdict(report, "Best%s%s: %s, %s.%s", load ? " with " : "",
			       load ? load : "", size, times,
			       more ? " More threads gain nothing." : "");
	free(times);
	free(size);
	free(load);
}

/* --- Warnings -------------------------------------------------------------------------------- */

/*
 * Alerts if the mean number of threads that wait for devices is above half of the largest recorded
 * number.
 */
static void put_depths(struct report *report, const struct model *model,
		       const struct model_forecast *forecast)
{
	for (size_t i = 0; i < model->station_count; i++) {
		const struct model_station *station = &model->stations[i];
		size_t deeper = 0;

		for (size_t j = 0; j < forecast->row_count && station->deepest > 0; j++)
			deeper += forecast->rows[j].result.stations[i].utilisation >
				  station->deepest / 2;
		report_alert_if(
			report, deeper,
			"In %zu of %zu rows more threads wait at %s than the %.0f that were "
			"recorded at a time: they may wait longer than forecast.",
			deeper, forecast->row_count, station->name, station->deepest);
	}
}

static void put_alerts(struct report *report, const struct model_view *view,
		       const struct model_forecast *forecast)
{
	size_t grow = 0, lose = 0, beyond = 0;
	double farthest = 0;

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct model_forecast_row *row = &forecast->rows[i];

		grow += row->result.grows;
		lose += model_loses(&row->result);
		beyond += row->extrapolated > BEYOND_LEAST;
		farthest = fmax(farthest, row->extrapolated);
	}
	report_alert_if(report, forecast->reason, "The self-check fails: %s.", forecast->reason);
	report_alert_if(report, grow && forecast->best != SIZE_MAX,
			"%zu of %zu configurations %s overloaded: requests pile up there.", grow,
			forecast->row_count, plural(grow, "is", "are"));
	report_alert_if(report, lose, "Requests find no room in %zu of %zu configurations.", lose,
			forecast->row_count);
	report_alert_if(report, farthest >= 4,
			"%zu of %zu rows %s extrapolated, up to %.3gx beyond the recording.",
			beyond, forecast->row_count, plural(beyond, "is", "are"), farthest);
	put_depths(report, view->model, forecast);
	for (size_t i = 0; view->findings && i < view->findings->doubt_count; i++)
		report_alert(report, "%s", view->findings->doubts[i]);
}

/* --- Rows ------------------------------------------------------------------------------------ */

/* The features of a forecast that columns need. */
enum {
	FOR_THREADS = 1,
	FOR_RATE = 2,
	FOR_CLIENTS = 4,
	FOR_CORES = 8,
	FOR_RESPONSE = 16,
	FOR_WALL = 32,
	FOR_RECORDED = 64,
	FOR_GOAL = 128,
	FOR_BUSY = 256,
	FOR_MEASURED = 512,
};

struct model_row_line {
	struct model_forecast_row row;
	uint32_t threads, clients; /* all bits set: none */
	const char *mean, *interval, *p95, *limit, *beyond, *goal;
	/* measured values, and relative errors of the forecast; NaN: unknown */
	double measured[MEASURED_COLUMNS], errors[MEASURED_COLUMNS];
};

#define ROW_FIELD(member) FIELD(model_row_line, row.member)

#define MEASURED_FIELDS(name, error_name, column)                                        \
	{name, FIELD(model_row_line, measured[column]), .needs = FOR_MEASURED},          \
	{                                                                                \
		error_name, FIELD(model_row_line, errors[column]), .needs = FOR_MEASURED \
	}

/* The columns of CSV; JSON has some more. */
static const struct column row_columns[] = {
	{"threads", FIELD(model_row_line, threads)},
	{"rate_per_s", ROW_FIELD(rate)},
	{"clients", FIELD(model_row_line, clients)},
	{"cores", ROW_FIELD(cores)},
	{"throughput_per_s", ROW_FIELD(result.throughput_per_s)},
	{"response_s", ROW_FIELD(result.response_s)},
	{"response_lo_s", ROW_FIELD(response_s.lo)},
	{"response_hi_s", ROW_FIELD(response_s.hi)},
	{"response_p95_s", ROW_FIELD(result.response_p95_s)},
	{"busy_cores", ROW_FIELD(result.busy_cores)},
	{"limit", FIELD(model_row_line, limit)},
	{"wall_s", ROW_FIELD(result.wall_s), .needs = FOR_WALL},
	{"wall_lo_s", ROW_FIELD(wall_s.lo), .needs = FOR_WALL},
	{"wall_hi_s", ROW_FIELD(wall_s.hi), .needs = FOR_WALL},
	MEASURED_FIELDS("measured_throughput_per_s", "throughput_error", MEASURED_THROUGHPUT),
	MEASURED_FIELDS("measured_response_s", "response_error", MEASURED_RESPONSE),
	MEASURED_FIELDS("measured_response_p95_s", "response_p95_error", MEASURED_P95),
	MEASURED_FIELDS("measured_wall_s", "wall_error", MEASURED_WALL),
};

static const struct column more_columns[] = {
	{"throughput_lo_per_s", ROW_FIELD(throughput_per_s.lo)},
	{"throughput_hi_per_s", ROW_FIELD(throughput_per_s.hi)},
	{"response_p50_s", ROW_FIELD(result.response_p50_s)},
	{"response_p95_lo_s", ROW_FIELD(response_p95_s.lo)},
	{"response_p95_hi_s", ROW_FIELD(response_p95_s.hi)},
	{"response_p99_s", ROW_FIELD(result.response_p99_s)},
	{"grows", ROW_FIELD(result.grows)},
	{"growth_per_s", ROW_FIELD(result.growth_per_s)},
	{"lost_requests", ROW_FIELD(result.lost)},
	{"requests", ROW_FIELD(result.requests)},
	{"extrapolated", ROW_FIELD(extrapolated)},
	{"meets_goal", ROW_FIELD(meets_goal), .needs = FOR_GOAL},
	{"goal_is_sure", ROW_FIELD(goal_sure), .needs = FOR_GOAL},
};

static const struct column text_columns[] = {
	{NULL, "threads", FIELD(model_row_line, threads), .needs = FOR_THREADS},
	{NULL, "rate/s", UNIT_SHORT, ROW_FIELD(rate), .needs = FOR_RATE},
	{NULL, "clients", FIELD(model_row_line, clients), .needs = FOR_CLIENTS},
	{NULL, "cores", ROW_FIELD(cores), .needs = FOR_CORES},
	{NULL, "wall time", UNIT_SPAN, ROW_FIELD(result.wall_s), .needs = FOR_WALL},
	{NULL, "90 % interval", FIELD(model_row_line, interval), .needs = FOR_WALL},
	{NULL, "items/s", UNIT_SHORT, ROW_FIELD(result.throughput_per_s), .needs = FOR_WALL},
	{NULL, "answered/s", UNIT_SHORT, ROW_FIELD(result.throughput_per_s), .needs = FOR_RESPONSE},
	{NULL, "mean", FIELD(model_row_line, mean), .needs = FOR_RESPONSE},
	{NULL, "90 % interval", FIELD(model_row_line, interval), .needs = FOR_RESPONSE},
	{NULL, "95 %", FIELD(model_row_line, p95), .needs = FOR_RESPONSE},
	{NULL, "busy cores", UNIT_SHORT, ROW_FIELD(result.busy_cores), .needs = FOR_BUSY,
	 .optional = true},
	{NULL, "limit", UNIT_NONE, -1, FIELD(model_row_line, limit)},
	{NULL, "error of wall time", UNIT_SHARE, FIELD(model_row_line, errors[MEASURED_WALL]),
	 .needs = FOR_MEASURED | FOR_WALL},
	{NULL, "error of answered", UNIT_SHARE, FIELD(model_row_line, errors[MEASURED_THROUGHPUT]),
	 .needs = FOR_MEASURED | FOR_RESPONSE},
	{NULL, "of mean", UNIT_SHARE, FIELD(model_row_line, errors[MEASURED_RESPONSE]),
	 .needs = FOR_MEASURED | FOR_RESPONSE},
	{NULL, "of 95 %", UNIT_SHARE, FIELD(model_row_line, errors[MEASURED_P95]),
	 .needs = FOR_MEASURED | FOR_RESPONSE, .optional = true},
	{NULL, "beyond", FIELD(model_row_line, beyond), .needs = FOR_RECORDED},
	{NULL, "goal", UNIT_NONE, -1, FIELD(model_row_line, goal), .needs = FOR_GOAL},
};

static unsigned features_of(const struct model_forecast *forecast)
{
	const struct model_forecast_row *row = forecast->rows;
	unsigned features = VARIES(forecast, cores) ? FOR_CORES : 0;

	features |= row->threads ? FOR_THREADS : FOR_CORES;
	features |= row->rate > 0 ? FOR_RATE : 0;
	features |= row->clients ? FOR_CLIENTS : 0;
	features |= is_batch(forecast) ? FOR_WALL : FOR_RESPONSE;
	features |= forecast->goal.metric != MODEL_GOAL_NONE ? FOR_GOAL : FOR_BUSY;
	for (size_t i = 0; i < forecast->row_count; i++)
		features |= forecast->rows[i].extrapolated > BEYOND_LEAST ? FOR_RECORDED : 0;
	return features;
}

static const char *goal_text(const struct model_forecast_row *row)
{
	static const char *const texts[2][2] = {{"not met", "not met, uncertain"},
						{"met", "met, uncertain"}};

	return texts[row->meets_goal][!row->goal_sure];
}

/* Sets the measured values and the errors; without a measurement all are NaN. */
static void compare_line(struct model_row_line *line, const struct model_measured *measured)
{
	const struct model_measured_row *found =
		measured ? model_measured_find(measured, &line->row) : NULL;

	for (int i = 0; i < MEASURED_COLUMNS; i++) {
		line->measured[i] = found ? found->values[i] : NAN;
		line->errors[i] =
			model_measured_forecast(&line->row, (enum model_measured_column)i) /
				line->measured[i] -
			1;
	}
}

static void put_row(struct report *report, const struct model_view *view,
		    const struct model_forecast_row *row)
{
	const struct model_result *result = &row->result;
	char mean[2 * VALUE_SIZE], p95[VALUE_SIZE], interval[2 * VALUE_SIZE], beyond[VALUE_SIZE];
	char more[VALUE_SIZE], *limit;
	struct model_row_line line = {
		.row = *row,
		.threads = row->threads ? row->threads : UINT32_MAX,
		.clients = row->clients ? row->clients : UINT32_MAX,
		.mean = span(mean, result->response_s),
		.interval = interval_text(interval,
					  isnan(result->wall_s) ? &row->response_s : &row->wall_s),
		.p95 = result->grows ? "grows" : span(p95, result->response_p95_s),
		.goal = goal_text(row),
	};

	compare_line(&line, view->measured);
	if (result->grows) {
		snprintf(mean, sizeof(mean), "grows %s/s",
			 format_value(more, result->growth_per_s, UNIT_SHORT));
		line.mean = mean;
	}
	if (row->extrapolated > BEYOND_LEAST) {
		snprintf(beyond, sizeof(beyond), "%.2gx", row->extrapolated);
		line.beyond = beyond;
	}
	line.limit = limit = model_limit_text(view->model, result->limit, result->limit_index);
	report_row(report, &line);
	free(limit);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_rows(struct report *report, const struct model_view *view,
		     const struct model_forecast *forecast)
{
	struct column json[COUNT(row_columns) + COUNT(more_columns)];
	unsigned has = features_of(forecast) | (view->measured ? FOR_MEASURED : 0);
	const struct table tables[] = {
		{.key = "forecast", .in = REPORT_TEXT, .has = has, COLUMNS(text_columns)},
		{.key = "forecast", .in = REPORT_CSV, .has = has, COLUMNS(row_columns)},
		{.key = "forecast", .in = REPORT_JSON, .has = has, COLUMNS(json)},
	};

	memcpy(json, row_columns, sizeof(row_columns));
	memcpy(json + COUNT(row_columns), more_columns, sizeof(more_columns));
	for (size_t i = 0; i < COUNT(tables); i++) {
		if (!report_shows(report, tables[i].in))
			continue;
		report_begin(report, &tables[i]);
		for (size_t j = 0; j < forecast->row_count; j++)
			put_row(report, view, &forecast->rows[j]);
		report_end(report);
	}
	report_note_if(
		report, has & FOR_RECORDED,
		"beyond: threads, rate, cores or waiting requests, as a multiple of the recorded.");
}

/* --- Beside measurements ---------------------------------------------------------------------- */

/* Returns the mean error of a column, over `count` rows. */
static double mean_error(size_t *count, const struct model_view *view,
			 const struct model_forecast *forecast, enum model_measured_column column)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < forecast->row_count; i++) {
		struct model_row_line line = {.row = forecast->rows[i]};

		compare_line(&line, view->measured);
		if (isnan(line.errors[column]))
			continue;
		sum += fabs(line.errors[column]);
		(*count)++;
	}
	return sum / (double)*count;
}

/*
 * Returns "throughput by 2.1 % on average (3 rows)", which the caller frees; NULL: no row was
 * measured.
 */
static char *errors_text(const struct model_view *view, const struct model_forecast *forecast)
{
	static const char *const words[MEASURED_COLUMNS] = {
		[MEASURED_THROUGHPUT] = "throughput",
		[MEASURED_RESPONSE] = "response time",
		[MEASURED_P95] = "95th percentile",
		[MEASURED_WALL] = "wall time",
	};
	char *text = NULL;

	for (int i = MEASURED_THROUGHPUT; view->measured && i < MEASURED_COLUMNS; i++) {
		size_t count;
		double error = mean_error(&count, view, forecast, (enum model_measured_column)i);

		if (count)
			xappend(&text, "; ", "%s by %.1f %% on average (%zu row%s)", words[i],
				100 * error, count, plural(count, "", "s"));
	}
	return text;
}

/* --- All of it ------------------------------------------------------------------------------- */

static void put_details(struct report *report, const struct model_view *view,
			const struct model_forecast *forecast)
{
	uint64_t requests = 0, imprecise = 0;

	for (size_t i = 0; i < forecast->row_count; i++) {
		requests += forecast->rows[i].result.requests;
		imprecise += !forecast->rows[i].result.precise;
	}
	report_detail(report,
		      "%" PRIu64
		      " requests were simulated; the intervals come from %d runs a row with "
		      "resampled visits, and CPU times and waits that vary by 3 %%.",
		      requests, MODEL_REPLICATES);
	report_detail_if(report, imprecise,
			 "In %" PRIu64 " of %zu rows the error of the mean is above 1 %%.",
			 imprecise, forecast->row_count);
	report_detail_if(report, !view->model->has_check,
			 "The model does not come from a recording: there is no self-check.");
}

/*
 * Writes a goal that can be met: the 95th percentile of the best row, else the recorded one, rounded
 * up to two digits, as "13ms"; TIME if both are unknown.
 */
static const char *example_goal(char out[VALUE_SIZE], const struct model_view *view,
				const struct model_forecast *forecast)
{
	double ms = 1e3 * (forecast->best != SIZE_MAX
				   ? forecast->rows[forecast->best].result.response_p95_s
				   : view->model->check.response_p95_s.recorded);
	double unit = pow(10, floor(log10(ms)) - 1);

	if (!(ms > 0) || !isfinite(ms))
		return "TIME";
	snprintf(out, VALUE_SIZE, "%.6gms", ceil(ms / unit) * unit);
	return out;
}

static void put_next(struct report *report, const struct model_view *view,
		     const struct model_forecast *forecast)
{
	char goal[VALUE_SIZE];

	if (!view->again || forecast->goal.metric != MODEL_GOAL_NONE || is_batch(forecast))
		return;
	report_next_step(report, "pscal forecast --goal p95=%s%s%s",
			 example_goal(goal, view, forecast), view->options ?: "", view->again);
}

void report_model_forecast(struct report *report, const struct model_view *view,
			   const struct model_forecast *forecast)
{
	char *errors = errors_text(view, forecast);

	if (forecast->goal.metric != MODEL_GOAL_NONE)
		put_goal_verdict(report, view, forecast);
	else if (forecast->best == SIZE_MAX)
		put_full_verdict(report, view, forecast);
	else
		put_best_verdict(report, view, forecast);
	put_alerts(report, view, forecast);
	report_alert_if(report, view->measured && !errors,
			"None of the measured configurations is in this forecast.");
	put_rows(report, view, forecast);
	report_note_if(report, errors, "The forecast misses the measurements: %s.", errors);
	put_details(report, view, forecast);
	put_next(report, view, forecast);
	free(errors);
}
