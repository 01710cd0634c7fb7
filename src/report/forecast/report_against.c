/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error of a forecast against recordings on other cores, split by cause (against.h). */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "replay/forecast/against.h"
#include "replay/forecast/forecast.h"
#include "report/forecast/forecast_words.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- The recordings -------------------------------------------------------------------------- */

struct recording_line {
	const char *path, *model, *doubt;
	uint64_t cores;
	double forecast_s, lo_s, hi_s, measured_s, with_work_s, others_s, idle_s;
	double error, work, others, idle, structure; /* relative to the forecast */
	double closed_form_s, closed_form_with_work_s, closed_form_error, closed_form_work,
		closed_form_structure;
	double forecast_cpu_s, measured_cpu_s;
};

static const struct column recording_columns[] = {
	{"recording", "recording", FIELD(recording_line, path)},
	{"cores", "cores", FIELD(recording_line, cores)},
	{"model", FIELD(recording_line, model)},
	{"doubt", FIELD(recording_line, doubt)},
	{"forecast_s", "forecast", UNIT_SPAN, FIELD(recording_line, forecast_s)},
	{"lo_s", FIELD(recording_line, lo_s)},
	{"hi_s", FIELD(recording_line, hi_s)},
	{"measured_s", "measured", UNIT_SPAN, FIELD(recording_line, measured_s)},
	{"error", "error", UNIT_SHARE, FIELD(recording_line, error)},
	{"work", "work", UNIT_SHARE, FIELD(recording_line, work)},
	{"others", "others", UNIT_SHARE, FIELD(recording_line, others)},
	{"idle", "idle CPUs", UNIT_SHARE, FIELD(recording_line, idle)},
	{"structure", "structure", UNIT_SHARE, FIELD(recording_line, structure)},
	{"with_work_s", FIELD(recording_line, with_work_s)},
	{"others_s", FIELD(recording_line, others_s)},
	{"idle_s", FIELD(recording_line, idle_s)},
	{"forecast_cpu_s", FIELD(recording_line, forecast_cpu_s)},
	{"measured_cpu_s", FIELD(recording_line, measured_cpu_s)},
	{"closed_form_s", FIELD(recording_line, closed_form_s)},
	{"closed_form_with_work_s", FIELD(recording_line, closed_form_with_work_s)},
	{"closed_form_error", FIELD(recording_line, closed_form_error)},
	{"closed_form_work", FIELD(recording_line, closed_form_work)},
	{"closed_form_structure", FIELD(recording_line, closed_form_structure)},
};

static struct recording_line recording_line_of(const struct against_view *view,
					       const struct forecast *forecast)
{
	const struct against *against = view->against;
	const struct against_split *shown = against_shown(against), *closed = &against->closed_form;
	struct recording_line line = {
		.path = view->path,
		.model = forecast->shown ? "replay" : "closed-form",
		.doubt = forecast->doubt ? forecast->doubt : forecast->reason,
		.cores = against->cores,
		.forecast_s = shown->forecast_s,
		.lo_s = NAN,
		.hi_s = NAN,
		.measured_s = against->measured_s,
		.with_work_s = shown->with_work_s,
		.others_s = against->others_s,
		.idle_s = shown->idle_s,
		.error = against->measured_s / shown->forecast_s - 1,
		.work = against_work_s(shown) / shown->forecast_s,
		.others = against->others_s / shown->forecast_s,
		.idle = shown->idle_s / shown->forecast_s,
		.structure = against_structure_s(against, shown) / shown->forecast_s,
		.closed_form_s = closed->forecast_s,
		.closed_form_with_work_s = closed->with_work_s,
		.closed_form_error = against->measured_s / closed->forecast_s - 1,
		.closed_form_work = against_work_s(closed) / closed->forecast_s,
		.closed_form_structure = against_structure_s(against, closed) / closed->forecast_s,
		.forecast_cpu_s = against->forecast_cpu_s,
		.measured_cpu_s = against->measured_cpu_s,
	};

	for (size_t i = 0; i < forecast->row_count; i++)
		if (forecast->rows[i].cores == against->cores) {
			line.lo_s = forecast->rows[i].lo_s;
			line.hi_s = forecast->rows[i].hi_s;
		}
	return line;
}

/* --- The answer ------------------------------------------------------------------------------ */

static void put_verdict(struct report *report, const struct recording_line *line)
{
	struct time_scale scale = time_scale_of(fmin(line->forecast_s, line->measured_s),
						fmax(line->forecast_s, line->measured_s));
	struct time_scale cpu = time_scale_of(fmin(line->forecast_cpu_s, line->measured_cpu_s),
					      fmax(line->forecast_cpu_s, line->measured_cpu_s));
	char forecast[VALUE_SIZE], measured[VALUE_SIZE], had[VALUE_SIZE], expected[VALUE_SIZE];

	report_verdict(
		report,
		"Forecast %s on %" PRIu64
		" core%s, measured %s: %+.1f %%, of which %+.1f %% work (CPU time %s "
		"instead of %s), %+.1f %% other programs, %+.1f %% idle CPUs, %+.1f %% structure.",
		time_text(forecast, &scale, line->forecast_s), line->cores,
		plural(line->cores, "", "s"), time_text(measured, &scale, line->measured_s),
		100 * line->error, 100 * line->work, time_text(had, &cpu, line->measured_cpu_s),
		time_text(expected, &cpu, line->forecast_cpu_s), 100 * line->others,
		100 * line->idle, 100 * line->structure);
}

static void put_mean_verdict(struct report *report, const struct recording_line *lines,
			     size_t count)
{
	double error = 0, work = 0, others = 0, idle = 0, structure = 0, n = (double)count;

	for (size_t i = 0; i < count; i++) {
		error += fabs(lines[i].error) / n;
		work += fabs(lines[i].work) / n;
		others += (isnan(lines[i].others) ? 0 : fabs(lines[i].others)) / n;
		idle += fabs(lines[i].idle) / n;
		structure += fabs(lines[i].structure) / n;
	}
	report_verdict(report,
		       "Mean error of %zu forecasts: %.1f %%; work %.1f %%, other programs %.1f "
		       "%%, idle CPUs %.1f %%, structure %.1f %%.",
		       count, 100 * error, 100 * work, 100 * others, 100 * idle, 100 * structure);
}

/* --- The parts ------------------------------------------------------------------------------- */

struct part_line {
	const char *path, *part, *name;
	uint64_t cores;
	double forecast_s, measured_s, difference_s, error;
	const char *forecast, *measured, *difference;
};

/* The feature of a table that its columns need. */
enum { FOR_SEVERAL = 1 };

static const struct column part_columns[] = {
	{"recording", FIELD(part_line, path)},
	{NULL, "recording", UNIT_NONE, -1, FIELD(part_line, path), .needs = FOR_SEVERAL},
	{"cores", FIELD(part_line, cores)},
	{"part", "part", UNIT_NONE, -1, FIELD(part_line, part)},
	{"name", "of", UNIT_NONE, -1, FIELD(part_line, name)},
	{"forecast_s", FIELD(part_line, forecast_s)},
	{NULL, "forecast", FIELD(part_line, forecast)},
	{"measured_s", FIELD(part_line, measured_s)},
	{NULL, "measured", FIELD(part_line, measured)},
	{"difference_s", FIELD(part_line, difference_s)},
	{NULL, "difference", FIELD(part_line, difference)},
	{"error", "of the forecast", UNIT_SHARE, FIELD(part_line, error)},
};

struct parts {
	struct report *report;
	const struct against_view *view;
	struct time_scale scale;
	double wall_s; /* wall time of the forecast */
};

static void put_part(const struct parts *parts, const char *part, const char *name,
		     double forecast_s, double measured_s, bool of_wall)
{
	char forecast[VALUE_SIZE], measured[VALUE_SIZE], difference[VALUE_SIZE];
	double by_s = measured_s - forecast_s;

	snprintf(difference, sizeof(difference), "%+.*f %s", parts->scale.digits,
		 by_s * parts->scale.per_second, parts->scale.unit);
	report_row(parts->report,
		   &(struct part_line){
			   .path = parts->view->path,
			   .part = part,
			   .name = name,
			   .cores = parts->view->against->cores,
			   .forecast_s = forecast_s,
			   .measured_s = measured_s,
			   .difference_s = by_s,
			   .error = of_wall ? by_s / parts->wall_s : NAN,
			   .forecast = time_text(forecast, &parts->scale, forecast_s),
			   .measured = time_text(measured, &parts->scale, measured_s),
			   .difference = difference,
		   });
}

/* Limits of a table in text: the largest shares, and none that is tiny beside the wall time. */
enum { SHARES_SHOWN = 5 };
static const double least_share = .002;

static void put_shares(const struct parts *parts, const char *part,
		       const struct against_share *shares, size_t count)
{
	bool all = !report_shows(parts->report, REPORT_TEXT);

	for (size_t i = 0; i < count && (all || i < SHARES_SHOWN); i++) {
		const struct against_share *share = &shares[i];
		double by_s = fabs(share->measured_s - share->forecast_s);

		if (all || by_s >= least_share * parts->wall_s)
			put_part(parts, part, share->name, share->forecast_s, share->measured_s,
				 false);
	}
}

/* Puts the parts: from work to others, each begins where the one before ends. */
static void put_parts(const struct parts *parts)
{
	const struct against *against = parts->view->against;
	const struct against_split *shown = against_shown(against);
	double alone_s = against->measured_s - against_others_s(against);
	double served_s = alone_s - shown->idle_s;

	put_part(parts, "error", NULL, shown->forecast_s, against->measured_s, true);
	put_part(parts, "work", NULL, shown->forecast_s, shown->with_work_s, true);
	put_shares(parts, "thread", against->threads, against->thread_count);
	put_shares(parts, "function", parts->view->functions, parts->view->function_count);
	put_part(parts, "structure", NULL, shown->with_work_s, served_s, true);
	put_shares(parts, "wait", against->waits, against->wait_count);
	put_part(parts, "idle", NULL, served_s, alone_s, true);
	put_part(parts, "others", NULL, alone_s, against->measured_s, true);
}

/* --- The report ------------------------------------------------------------------------------- */

static void put_notes(struct report *report, const struct against_view *view,
		      const struct forecast *forecast, bool several)
{
	const struct against *against = view->against;
	const char *path = several ? view->path : "The other recording";
	size_t threads = view->measured->program->thread_count;
	size_t expected = forecast->program->thread_count;

	report_alert_if(report, isnan(against->others_s),
			"%s lacks the CPU time of other programs: structure includes it.", path);
	report_alert_if(report, !against->by_group,
			"%s has other thread names: one factor scales the work of all threads.",
			path);
	report_alert_if(report, view->measured->judged && !view->measured->shown,
			"%s cannot be replayed: its waits are not compared.", path);
	report_note_if(report, threads != expected,
		       "%s has %zu thread%s instead of %zu: if a program derives their number from "
		       "the cores, structure includes what that changes.",
		       path, threads, plural(threads, "", "s"), expected);
}

void report_against(struct report *report, const struct against_view *views, size_t count,
		    const struct forecast *forecast)
{
	static const struct table summary = {.key = "against", COLUMNS(recording_columns)};
	static const struct table in_json = {
		.key = "against", .in = REPORT_JSON, COLUMNS(recording_columns)};
	static const struct table part_table = {
		.key = "parts", .in = REPORT_ALL, COLUMNS(part_columns)};
	static const struct table part_details = {.key = "parts",
						  .in = REPORT_ALL,
						  .detail = true,
						  .has = FOR_SEVERAL,
						  COLUMNS(part_columns)};
	struct recording_line *lines = xcalloc(count + 1, sizeof(*lines));

	for (size_t i = 0; i < count; i++)
		lines[i] = recording_line_of(&views[i], forecast);
	if (count == 1)
		put_verdict(report, lines);
	else
		put_mean_verdict(report, lines, count);
	for (size_t i = 0; i < count; i++)
		put_notes(report, &views[i], forecast, count > 1);
	report_forecast_alerts(report, forecast);
	report_table(report, count == 1 ? &in_json : &summary, lines, count);
	report_begin(report, count == 1 ? &part_table : &part_details);
	for (size_t i = 0; i < count; i++) {
		double wall_s = against_shown(views[i].against)->forecast_s;

		put_parts(
			&(struct parts){report, &views[i], time_scale_of(wall_s, wall_s), wall_s});
	}
	report_end(report);
	free(lines);
}
