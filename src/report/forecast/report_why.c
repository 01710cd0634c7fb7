/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_private.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/why.h"
#include "report/report.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Of text, where nobody wants to read more. */
enum { TEXT_SITES = 10 };

static const char *kind_of(const struct site *site)
{
	return site->kind == SITE_UNKNOWN && site->address ? "condition"
							   : site_kind_names[site->kind];
}

/* --- A what-if ----------------------------------------------------------------------------- */

struct what_if {
	uint32_t site;
	const char *name, *kind;
	double share;
};

static const struct column what_if_columns[] = {
	{"site", FIELD(what_if, site)},
	{"name", FIELD(what_if, name)},
	{"kind", FIELD(what_if, kind)},
	{"share", FIELD(what_if, share)},
};
static const struct table what_if_table = {.key = "what_if", COLUMNS(what_if_columns)};

void report_what_if(struct report *report, const struct forecast *forecast)
{
	size_t count = forecast->unchanged ? forecast->request.change_count : 0;
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		const struct wait_cost *cost = &forecast->what_ifs[i];

		append_text(&text, "%s%g %% of what it did at site %" PRIu32 " (%s)",
			    i ? ", and " : "", 100 * cost->share, cost->site,
			    forecast->sites[cost->site].name);
	}
	report_note_if(report, count,
		       "A what-if, and no forecast of the program as it is: waiting costs %s. "
		       "Whether a program can be made that way it does not tell.",
		       text);
	free(text);
	if (!count)
		return;
	report_begin(report, &what_if_table);
	for (size_t i = 0; i < count; i++) {
		const struct wait_cost *cost = &forecast->what_ifs[i];
		const struct site *site = &forecast->sites[cost->site];

		report_row(report,
			   &(struct what_if){cost->site, site->name, kind_of(site), cost->share});
	}
	report_end(report);
}

/* --- What would be saved ------------------------------------------------------------------- */

struct facts {
	uint64_t cores;
	double wall_s, unlimited_s, free_s;
	size_t left_out;
};

static const struct column fact_columns[] = {
	{"cores", FIELD(facts, cores)},
	{"wall_s", FIELD(facts, wall_s)},
	{"unlimited_wall_s", FIELD(facts, unlimited_s)},
	{"no_waits_wall_s", FIELD(facts, free_s)},
	{"left_out", FIELD(facts, left_out)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

struct saving {
	uint64_t cores;
	struct why_saving why;
	const char *name, *kind;
	double wall_s, saved_s, saved_share;
	struct values callers; /* of threads that wait there, the innermost function first */
};

static const struct column saving_columns[] = {
	{"cores", FIELD(saving, cores)},
	{"site", "site", FIELD(saving, why.site)},
	{"name", "waits at", UNIT_NONE, -1, FIELD(saving, name)},
	{"kind", "kind", UNIT_NONE, -1, FIELD(saving, kind)},
	{"visits", "times", FIELD(saving, why.visits)},
	{"waited_s", "waited", UNIT_SECONDS, FIELD(saving, why.waited_s)},
	{"wall_s", FIELD(saving, wall_s)},
	{"without_wall_s", FIELD(saving, why.wall_s)},
	{"saved_s", "saved", UNIT_SECONDS, FIELD(saving, saved_s), .absent = "not known"},
	{"saved_share", "of wall time", UNIT_SHARE, FIELD(saving, saved_share),
	 .absent = "not known"},
	{"chain", FIELD(saving, callers)},
};

/* For programs: all that was tried. */
static const struct table saving_table = {
	.key = "sites", .in = REPORT_CSV | REPORT_JSON, COLUMNS(saving_columns)};

static void put_savings(struct report *report, const struct forecast *forecast,
			const struct why_point *point, size_t count)
{
	const struct chain_names *names = forecast->names;

	for (size_t i = 0; i < count; i++) {
		const struct why_saving *why = &point->savings[i];
		const struct site *site = &forecast->why->program->sites[why->site];
		struct saving row = {.cores = point->cores,
				     .why = *why,
				     .name = site->name,
				     .kind = kind_of(site),
				     .wall_s = point->wall_s,
				     .saved_s = why_saved_s(point, why)};

		row.saved_share = point->wall_s > 0 ? row.saved_s / point->wall_s : NAN;
		if (names && site->callers) {
			const struct chain_name *name = chain_names_get(names, site->callers);

			row.callers.texts = (const char *const *)name->functions;
			row.callers.count = name->count;
		}
		report_row(report, &row);
	}
}

/* For people: on the most cores, and not more than they want to read. */
static void put_text(struct report *report, const struct forecast *forecast)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	char *title = xasprintf("On %" PRIu64 " core%s, if waiting there cost nothing", last->cores,
				plural(last->cores, "", "s"));
	struct table table = {.title = title, .in = REPORT_TEXT, COLUMNS(saving_columns)};

	report_begin(report, &table);
	put_savings(report, forecast, last, why->sites < TEXT_SITES ? why->sites : TEXT_SITES);
	report_end(report);
	free(title);
}

/* What waits can be held against: cores, and work. */
static void note_alternatives(struct report *report, const struct why *why)
{
	const struct why_point *last = &why->points[why->count - 1];
	size_t threads = why->program->thread_count;
	char *free_text = xstrdup("");

	if (!isnan(last->free_s))
		append_text(&free_text, "; no wait at all, on as many cores, to %.4f s",
			    last->free_s);
	report_note(report,
		    "On %" PRIu64 " core%s it takes %.4f s. More cores can bring that to %.4f s, "
		    "with one for each of its %zu thread%s%s.",
		    last->cores, plural(last->cores, "", "s"), last->wall_s, why->unlimited_s,
		    threads, plural(threads, "", "s"), free_text);
	free(free_text);
}

void report_why(struct report *report, const struct forecast *forecast)
{
	const struct why *why = forecast->why;
	const struct why_point *last;

	if (!why || !why->count)
		return;
	last = &why->points[why->count - 1];
	report_group(report, "why");
	report_table(report, &fact_table,
		     (&(struct facts){last->cores, last->wall_s, why->unlimited_s, last->free_s,
				      why->left_out}),
		     1);
	report_begin(report, &saving_table);
	for (size_t i = 0; i < why->count; i++)
		put_savings(report, forecast, &why->points[i], why->sites);
	report_end(report);
	report_ungroup(report);
	note_alternatives(report, why);
	if (why->sites)
		put_text(report, forecast);
	report_note_if(report, why->sites > TEXT_SITES,
		       "JSON and CSV have the others that were tried, %zu in all.", why->sites);
	report_note_if(report, why->sites && why->left_out,
		       "At %zu more threads wait for less time; these were not tried.",
		       why->left_out);
	report_note_if(report, !why->sites,
		       "No thread waits for another, or for anything else but a CPU.");
	report_note_if(report, why->sites,
		       "Savings do not add up: without one wait threads come to the next. And a "
		       "wait for what another thread has yet to do cannot be left out of a "
		       "program: this tells where time goes.");
}
