/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_words.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/why.h"
#include "report/report.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct why_facts {
	uint64_t cores;
	double wall_s, unlimited_s, free_s;
	size_t left_out;
};

static const struct column why_columns[] = {
	{"cores", FIELD(why_facts, cores)},
	{"wall_s", FIELD(why_facts, wall_s)},
	{"unlimited_wall_s", FIELD(why_facts, unlimited_s)},
	{"no_waits_wall_s", FIELD(why_facts, free_s)},
	{"left_out", FIELD(why_facts, left_out)},
};
static const struct table why_table = {.layout = LAYOUT_FACTS, COLUMNS(why_columns)};

struct saving_line {
	uint64_t cores;
	struct why_saving why;
	const char *name, *kind, *waited, *without, *share;
	double wall_s, saved_s, saved_share;
	struct values callers; /* of threads that wait there, the innermost function first */
};

static const struct column saving_columns[] = {
	{"cores", FIELD(saving_line, cores)},
	{"site", FIELD(saving_line, why.site)},
	{"name", "waits at", UNIT_NONE, -1, FIELD(saving_line, name)},
	{"kind", "kind", UNIT_NONE, -1, FIELD(saving_line, kind), .detail = true},
	{"visits", "times", FIELD(saving_line, why.visits), .optional = true},
	{"waited_s", FIELD(saving_line, why.waited_s)},
	{NULL, "waited", FIELD(saving_line, waited)},
	{"wall_s", FIELD(saving_line, wall_s)},
	{"without_wall_s", FIELD(saving_line, why.wall_s)},
	{NULL, "without it", FIELD(saving_line, without)},
	{"saved_s", FIELD(saving_line, saved_s)},
	{"saved_share", FIELD(saving_line, saved_share)},
	{NULL, "saves", FIELD(saving_line, share)},
	{"sites", FIELD(saving_line, why.sites)},
	{"thread_name", FIELD(saving_line, why.name)},
	{"pid", FIELD(saving_line, why.pid)},
	{"chain", FIELD(saving_line, callers)},
};

/* --- One line ------------------------------------------------------------------------------ */

/* The name of several sites that are one: whose threads wait, and for which object. */
static char *saving_name(const struct why *why, const struct why_saving *saving)
{
	const struct site *site = &why->program->sites[saving->site];
	const char *kind = site_kind_text(site);
	char *name;

	if (why->by == WHY_BY_SITE)
		return xstrdup(site->name ? site->name : "");
	if (why->by == WHY_BY_NAME)
		name = xasprintf("%s: %s", saving->name ? saving->name : "several names", kind);
	else if (saving->pid >= 0)
		name = xasprintf("process %" PRId32 ": %s", saving->pid, kind);
	else
		name = xasprintf("several processes: %s", kind);
	if (saving->sites > 1)
		xappend(&name, "", " (%" PRIu32 " sites)", saving->sites);
	return name;
}

static const char *share_text(char out[VALUE_SIZE], double share)
{
	if (isnan(share))
		snprintf(out, VALUE_SIZE, "not known");
	else if (share < WHY_SAVING_LEAST)
		snprintf(out, VALUE_SIZE, "nothing");
	else
		snprintf(out, VALUE_SIZE, "%.1f %%", 100 * share);
	return out;
}

static void put_callers(struct saving_line *line, const struct forecast *forecast)
{
	const struct site *site = &forecast->why->program->sites[line->why.site];
	const struct chain_name *name;

	if (!forecast->names || !site->callers || forecast->why->by != WHY_BY_SITE)
		return;
	name = chain_names_get(forecast->names, site->callers);
	line->callers.texts = (const char *const *)name->functions;
	line->callers.count = name->count;
}

static void put_saving(struct report *report, const struct forecast *forecast,
		       const struct why_point *point, const struct why_saving *why,
		       const struct time_scale *scale)
{
	char waited[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE];
	char *name = saving_name(forecast->why, why);
	struct saving_line line = {.cores = point->cores,
				   .why = *why,
				   .name = name,
				   .kind = site_kind_text(&forecast->program->sites[why->site]),
				   .wall_s = point->wall_s,
				   .saved_s = why_saved_s(point, why)};

	line.saved_share = point->wall_s > 0 ? line.saved_s / point->wall_s : NAN;
	line.waited = time_text(waited, scale, why->waited_s);
	line.without = time_text(without, scale, why->wall_s);
	line.share = share_text(share, line.saved_share);
	put_callers(&line, forecast);
	report_row(report, &line);
	free(name);
}

/* --- The tables ---------------------------------------------------------------------------- */

/* For programs: all that was tried, on all numbers of cores. */
static void put_all(struct report *report, const struct forecast *forecast,
		    const struct time_scale *scale)
{
	static const struct table table = {
		.key = "sites", .in = REPORT_CSV | REPORT_JSON, COLUMNS(saving_columns)};
	const struct why *why = forecast->why;

	report_begin(report, &table);
	for (size_t i = 0; i < why->count; i++)
		for (size_t j = 0; j < why->sites; j++)
			put_saving(report, forecast, &why->points[i], &why->points[i].savings[j],
				   scale);
	report_end(report);
}

/* For people: on the most cores. */
static void put_last(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	char *title =
		xasprintf("On %" PRIu64 " core%s%s", last->cores, plural(last->cores, "", "s"),
			  forecast->doubt ? ", doubtful: see above" : "");
	size_t telling = why_telling(why);
	const struct table table = {.title = title,
				    .in = REPORT_TEXT,
				    .top = telling < 3	 ? 3
					   : telling < 8 ? telling
							 : 8,
				    COLUMNS(saving_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < why->sites; i++)
		put_saving(report, forecast, last, &last->savings[i], scale);
	report_end(report);
	free(title);
}

void report_why_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	const struct why_saving *best = why->sites ? last->savings : NULL;
	double saved = best ? why_saved_s(last, best) / last->wall_s : 0;
	char wall[VALUE_SIZE], unlimited[VALUE_SIZE], without[VALUE_SIZE];
	char *name = best ? saving_name(why, best) : NULL, *answer;

	if (!best)
		answer = xstrdup("No thread waits for anything but a CPU.");
	else if (why_telling(why))
		answer = xasprintf("Waiting at '%s' costs most: without it %s (%.0f %% less).",
				   name, time_text(without, scale, best->wall_s), 100 * saved);
	else if (isnan(saved))
		answer = xstrdup("What the waits cost is not known.");
	else
		answer = xasprintf("No wait costs more than %g %% of that by itself.",
				   100 * WHY_SAVING_LEAST);
	report_verdict(report, "%" PRIu64 " core%s: %s; unlimited cores: %s. %s", last->cores,
		       plural(last->cores, "", "s"), time_text(wall, scale, last->wall_s),
		       time_text(unlimited, scale, why->unlimited_s), answer);
	free(answer);
	free(name);
}

void report_why(struct report *report, const struct forecast *forecast,
		const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	char without[VALUE_SIZE];

	report_group(report, "why");
	report_table(report, &why_table,
		     (&(struct why_facts){last->cores, last->wall_s, why->unlimited_s, last->free_s,
					  why->left_out}),
		     1);
	put_all(report, forecast, scale);
	report_ungroup(report);
	if (why->sites)
		put_last(report, forecast, scale);
	report_detail_if(
		report, !isnan(last->free_s), "Without any wait: %s on %" PRIu64 " core%s.",
		time_text(without, scale, last->free_s), last->cores, plural(last->cores, "", "s"));
	report_detail_if(report, why->left_out, "%zu more sites with shorter waits were not tried.",
			 why->left_out);
	report_detail_if(report, why->sites,
			 "Savings overlap: do not add them. Waiting for data that does not exist "
			 "yet cannot be removed.");
}
