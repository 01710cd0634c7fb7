/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_words.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/what_if.h"
#include "replay/forecast/why.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct what_if_line {
	const char *what_if;
	size_t site;
	const char *name, *kind;
	double share, cpu_share;
	size_t samples;
};

static const struct column what_if_columns[] = {
	{"what_if", FIELD(what_if_line, what_if)}, {"site", FIELD(what_if_line, site)},
	{"name", FIELD(what_if_line, name)},	   {"kind", FIELD(what_if_line, kind)},
	{"share", FIELD(what_if_line, share)},	   {"cpu_share", FIELD(what_if_line, cpu_share)},
	{"samples", FIELD(what_if_line, samples)},
};
static const struct table what_if_table = {
	.key = "what_if", .in = REPORT_JSON, COLUMNS(what_if_columns)};

static const char *kind_of(const struct forecast *forecast, const struct forecast_changed *changed)
{
	return site_kind_text(&forecast->program->sites[changed->site]);
}

static void put_changes(struct report *report, const struct forecast *forecast)
{
	report_begin(report, &what_if_table);
	for (size_t i = 0; i < forecast->what_if_count; i++)
		for (size_t j = 0; j < forecast->request.change_count; j++) {
			const struct forecast_changed *changed = &forecast->what_ifs[i].changes[j];
			bool is_work = changed->site == PROGRAM_NONE;

			report_row(
				report,
				&(struct what_if_line){
					.what_if = forecast->what_ifs[i].text,
					.site = is_work ? SIZE_MAX : changed->site,
					.name = changed->name,
					.kind = is_work ? "work" : kind_of(forecast, changed),
					.share = changed->share,
					.cpu_share = changed->cpu_share,
					.samples = changed->samples ? changed->samples : SIZE_MAX});
		}
	report_end(report);
}

/* A row of the table in text: each what-if beside the unchanged program. */
struct compared_line {
	uint64_t cores;
	const char *unchanged, *walls[FORECAST_WHAT_IFS];
};

static const struct column compared_columns[] = {
	{NULL, "cores", FIELD(compared_line, cores)},
	{NULL, "as it is", FIELD(compared_line, unchanged)},
};
static const struct column compared_column = {NULL, NULL, FIELD(compared_line, walls[0])};

static void put_compared_row(struct report *report, const struct forecast *forecast, size_t row,
			     const struct time_scale *scale)
{
	char unchanged[VALUE_SIZE], walls[FORECAST_WHAT_IFS][2 * VALUE_SIZE], wall[VALUE_SIZE];
	const struct forecast_row *first = &forecast->rows[row];
	struct compared_line line = {.cores = first->cores,
				     .unchanged = time_text(unchanged, scale, first->unchanged_s)};

	for (size_t i = 0; i < forecast->what_if_count; i++) {
		const struct forecast_row *own = first + i * forecast->request.count;

		snprintf(walls[i], sizeof(walls[i]), "%s (%+.0f %%)",
			 time_text(wall, scale, own->wall_s),
			 round(100 * (own->wall_s / own->unchanged_s - 1)) + 0.);
		line.walls[i] = walls[i];
	}
	report_row(report, &line);
}

/* "0 %, 50 %": the shares of one what-if. */
static char *shares_text(const struct forecast *forecast, size_t what_if)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < forecast->request.change_count; i++)
		xappend(&text, i ? ", " : "", "%g %%",
			100 * forecast->what_ifs[what_if].changes[i].share);
	return text;
}

static char *changes_text(const struct forecast *forecast)
{
	char *text = xstrdup("wall time, if this share is left of");

	for (size_t i = 0; i < forecast->request.change_count; i++) {
		const struct forecast_changed *changed = &forecast->what_ifs[0].changes[i];

		xappend(&text, i ? " and " : " ", "%s '%s'",
			changed->site == PROGRAM_NONE ? "the work of" : "the waits at",
			changed->name);
	}
	return text;
}

static void put_compared(struct report *report, const struct forecast *forecast,
			 const struct time_scale *scale)
{
	size_t fixed = sizeof(compared_columns) / sizeof(compared_columns[0]);
	struct column
		columns[sizeof(compared_columns) / sizeof(compared_columns[0]) + FORECAST_WHAT_IFS];
	char *title = changes_text(forecast), *labels[FORECAST_WHAT_IFS];

	for (size_t i = 0; i < fixed; i++)
		columns[i] = compared_columns[i];
	for (size_t i = 0; i < forecast->what_if_count; i++) {
		labels[i] = shares_text(forecast, i);
		columns[fixed + i] = compared_column;
		columns[fixed + i].label = labels[i];
		columns[fixed + i].offset += i * sizeof(const char *);
	}
	report_begin(report,
		     &(const struct table){.title = title,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = fixed + forecast->what_if_count});
	for (size_t i = 0; i < forecast->request.count; i++)
		put_compared_row(report, forecast, i, scale);
	report_end(report);
	for (size_t i = 0; i < forecast->what_if_count; i++)
		free(labels[i]);
	free(title);
}

/* --- Functions to change ---------------------------------------------------------------------- */

struct function_line {
	const char *name;
	uint64_t samples;
	double cpu_share;
};

static const struct column function_columns[] = {
	{"cpu_share", "CPU time", UNIT_SHARE, 1, FIELD(function_line, cpu_share)},
	{"samples", NULL, FIELD(function_line, samples)},
	{"name", "in the function, with those that it calls", UNIT_NONE, -1,
	 FIELD(function_line, name)},
};
static const struct table function_table = {
	.key = "functions", .in = REPORT_TEXT | REPORT_JSON, COLUMNS(function_columns)};

void report_work_functions(struct report *report, const struct forecast *forecast)
{
	enum { SHOWN = 20 };
	const struct work_function *functions;
	uint64_t of_samples;
	size_t count;

	if (!forecast->work)
		return;
	functions = work_functions(&count, &of_samples, forecast->work);
	if (!count)
		return;
	report_begin(report, &function_table);
	for (size_t i = 0; i < count && i < SHOWN; i++)
		report_row(report, &(struct function_line){functions[i].name, functions[i].samples,
							   (double)functions[i].samples /
								   (double)of_samples});
	report_end(report);
}

/* --- What-ifs --------------------------------------------------------------------------------- */

/* Holds of 24 us were forecast right, those of 12 us not: a wait took 7 us of CPU time. */
enum { HOLD_LEAST_NS = 20000 };

/* Of n samples of which a share p is in a function the standard error is sqrt(p (1 - p) / n). */
static void warn_of_samples(struct report *report, const struct forecast_changed *changed)
{
	enum { FEW = 100 };
	double share = changed->cpu_share;

	report_alert_if(report, changed->samples && changed->samples < FEW,
			"'%s' has %.1f %% of the CPU time, by %" PRIu64
			" samples only: +- %.1f %%.",
			changed->name, 100 * share, changed->samples,
			100 * share * sqrt((1 - share) / (double)changed->samples));
	report_alert_if(report, changed->coarse,
			"Locks and waits are more frequent than samples: how much of '%s' runs "
			"under a lock is unknown. Sample more often (-F).",
			changed->name);
	report_alert_if(
		report, changed->hold_ns && changed->hold_ns < HOLD_LEAST_NS,
		"'%s' runs under a lock held for %.1f us: waits for it cost about as much "
		"CPU time, and the forecast keeps all of them. The real gain may be larger.",
		changed->name, (double)changed->hold_ns / 1e3);
}

void report_what_ifs(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale)
{
	if (!forecast->what_if_count)
		return;
	for (size_t i = 0; i < forecast->request.change_count; i++)
		warn_of_samples(report, &forecast->what_ifs[0].changes[i]);
	put_changes(report, forecast);
	put_compared(report, forecast, scale);
	report_detail(report,
		      "A what-if does not show whether the program can be changed that way.");
}

void report_what_if_verdict(struct report *report, const struct forecast *forecast,
			    const struct time_scale *scale)
{
	const struct forecast_row *best = forecast->gain.most;
	char wall[VALUE_SIZE], unchanged[VALUE_SIZE];
	double change;

	for (size_t i = 0; i < forecast->row_count; i++)
		if (forecast->rows[i].cores == best->cores &&
		    forecast->rows[i].wall_s < best->wall_s)
			best = &forecast->rows[i];
	change = round(100 * (best->wall_s / best->unchanged_s - 1));
	time_text(wall, scale, best->wall_s);
	if (change == 0)
		report_verdict(report, "With '%s': %s on %" PRIu64 " core%s, as without.",
			       best->what_if, wall, best->cores, plural(best->cores, "", "s"));
	else
		report_verdict(report,
			       "With '%s': %s on %" PRIu64
			       " core%s, %.0f %% %s than the %s as it is.",
			       best->what_if, wall, best->cores, plural(best->cores, "", "s"),
			       fabs(change), change < 0 ? "less" : "more",
			       time_text(unchanged, scale, best->unchanged_s));
}

/* --- The sites that a what-if can change --------------------------------------------------- */

const char *site_kind_text(const struct site *site)
{
	return (site->kind == SITE_FUTEX && site->is_condition) ||
			       (site->kind == SITE_UNKNOWN && site->address)
		       ? "condition"
		       : site_kind_names[site->kind];
}

struct site_line {
	uint32_t site;
	const char *kind, *name;
	uint64_t visits;
};

static const struct column site_columns[] = {
	{"site", "site", FIELD(site_line, site)},
	{"kind", "kind", UNIT_NONE, -1, FIELD(site_line, kind)},
	{"visits", "calls", FIELD(site_line, visits)},
	{"name", "waits at", UNIT_NONE, -1, FIELD(site_line, name)},
};
static const struct table site_table = {.key = "sites", .in = REPORT_ALL, COLUMNS(site_columns)};

void report_what_if_sites(struct report *report, const struct program *program)
{
	uint64_t *visits = wait_sites_visits(program);

	report_begin(report, &site_table);
	for (uint32_t i = 0; i < program->site_count; i++)
		if (visits[i])
			report_row(report,
				   &(struct site_line){i, site_kind_text(&program->sites[i]),
						       program->sites[i].name, visits[i]});
	report_end(report);
	free(visits);
}
