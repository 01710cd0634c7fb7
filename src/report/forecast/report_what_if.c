/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_words.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct what_if_line {
	const char *what_if;
	uint32_t site;
	const char *name, *kind;
	double share;
};

static const struct column what_if_columns[] = {
	{"what_if", FIELD(what_if_line, what_if)}, {"site", FIELD(what_if_line, site)},
	{"name", FIELD(what_if_line, name)},	   {"kind", FIELD(what_if_line, kind)},
	{"share", FIELD(what_if_line, share)},
};
static const struct table what_if_table = {
	.key = "what_if", .in = REPORT_JSON, COLUMNS(what_if_columns)};

static void put_changes(struct report *report, const struct forecast *forecast)
{
	report_begin(report, &what_if_table);
	for (size_t i = 0; i < forecast->what_if_count; i++)
		for (size_t j = 0; j < forecast->request.change_count; j++) {
			const struct wait_cost *cost = &forecast->what_ifs[i].costs[j];
			const struct site *site = &forecast->program->sites[cost->site];

			report_row(report, &(struct what_if_line){
						   forecast->what_ifs[i].text, cost->site,
						   site->name, site_kind_text(site), cost->share});
		}
	report_end(report);
}

/* A row of the table of text: each what-if beside the program as it is. */
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
			100 * forecast->what_ifs[what_if].costs[i].share);
	return text;
}

static char *changes_text(const struct forecast *forecast)
{
	char *text = xstrdup("wall time, if waiting costs this share at");

	for (size_t i = 0; i < forecast->request.change_count; i++) {
		uint32_t site = forecast->what_ifs[0].costs[i].site;

		xappend(&text, i ? "," : "", " '%s'", forecast->program->sites[site].name);
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

void report_what_ifs(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale)
{
	if (!forecast->what_if_count)
		return;
	put_changes(report, forecast);
	put_compared(report, forecast, scale);
	report_detail(report, "A what-if does not tell whether the program can be changed that "
			      "way.");
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
