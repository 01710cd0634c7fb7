/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_private.h"

#include "base/alloc.h"
#include "replay/forecast/why.h"
#include "report/forecast/forecast_view.h"
#include "report/report.h"
#include "stats/spin/chain_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of text, where nobody wants to read more. */
enum { TEXT_SITES = 10 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *kind_of(const struct site *site)
{
	return site->kind == SITE_UNKNOWN && site->address ? "condition"
							   : site_kind_name(site->kind);
}

/* --- A what-if ----------------------------------------------------------------------------- */

static void note_what_ifs(struct report *report, const struct forecast_view *view)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < view->what_if_count; i++) {
		const struct wait_cost *cost = &view->what_ifs[i];
		char *longer = xasprintf("%s%s%g %% of what it did at site %" PRIu32 " (%s)", text,
					 i ? ", and " : "", 100 * cost->share, cost->site,
					 view->sites[cost->site].name);

		free(text);
		text = longer;
	}
	report_note(report,
		    "A what-if, and no forecast of the program as it is: waiting costs %s. Whether "
		    "a program can be made that way it does not tell.",
		    text);
	free(text);
}

void report_what_if(struct report *report, const struct forecast_view *view)
{
	static const struct column columns[] = {{"site", "", UNIT_NONE, 0},
						{"name", "", UNIT_NONE, 0},
						{"kind", "", UNIT_NONE, 0},
						{"share", "", UNIT_NONE, 0}};
	static const struct table table = {.key = "what_if",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (!view->what_if_count)
		return;
	note_what_ifs(report, view);
	report_begin(report, &table);
	for (size_t i = 0; i < view->what_if_count; i++) {
		const struct wait_cost *cost = &view->what_ifs[i];
		const struct site *site = &view->sites[cost->site];

		report_row(report,
			   (struct cell[]){cell_count(cost->site), cell_text(site->name),
					   cell_text(kind_of(site)), cell_number(cost->share)});
	}
	report_end(report);
}

/* --- What would be saved ------------------------------------------------------------------- */

static const struct why_point *last_point(const struct why *why)
{
	return &why->points[why->count - 1];
}

static void put_facts(struct report *report, const struct why *why)
{
	static const struct column columns[] = {{"cores", "", UNIT_NONE, 0},
						{"wall_s", "", UNIT_SECONDS, 0},
						{"unlimited_wall_s", "", UNIT_SECONDS, 0},
						{"no_waits_wall_s", "", UNIT_SECONDS, 0},
						{"left_out", "", UNIT_NONE, 0}};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct why_point *last = last_point(why);

	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){cell_count((int64_t)last->cores), cell_number(last->wall_s),
				   cell_number(why->unlimited_s), cell_number(last->free_s),
				   cell_count((int64_t)why->left_out)});
	report_end(report);
}

/* Where threads come from that wait there, the innermost function first. */
static struct cell callers_of(const struct site *site, const struct chain_names *names)
{
	const struct chain_name *name;

	if (!names || !site->callers)
		return cell_null();
	name = chain_names_get(names, site->callers);
	return cell_list((const char *const *)name->functions, name->count);
}

static void put_saving(struct report *report, const struct forecast_view *view,
		       const struct why_point *point, const struct why_saving *saving)
{
	const struct site *site = &view->why->program->sites[saving->site];
	double saved_s = why_saved_s(point, saving);
	struct cell cells[] = {
		cell_count((int64_t)point->cores),
		cell_count(saving->site),
		cell_text(site->name),
		cell_text(kind_of(site)),
		cell_count((int64_t)saving->visits),
		cell_number(saving->waited_s),
		cell_number(point->wall_s),
		cell_number(saving->wall_s),
		cell_number(saved_s),
		point->wall_s > 0 ? cell_number(saved_s / point->wall_s) : cell_null(),
		callers_of(site, view->names),
	};

	report_row(report, cells);
}

/* For programs: all that was tried. */
static void put_rows(struct report *report, const struct forecast_view *view)
{
	static const struct column columns[] = {
		{"cores", "", UNIT_NONE, 0},	  {"site", "", UNIT_NONE, 0},
		{"name", "", UNIT_NONE, 0},	  {"kind", "", UNIT_NONE, 0},
		{"visits", "", UNIT_NONE, 0},	  {"waited_s", "", UNIT_SECONDS, 0},
		{"wall_s", "", UNIT_SECONDS, 0},  {"without_wall_s", "", UNIT_SECONDS, 0},
		{"saved_s", "", UNIT_SECONDS, 0}, {"saved_share", "", UNIT_SHARE, 0},
		{"chain", "", UNIT_NONE, 0},
	};
	const struct why *why = view->why;
	static const struct table table = {.key = "sites",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_CSV | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < why->count; i++)
		for (size_t j = 0; j < why->sites; j++)
			put_saving(report, view, &why->points[i], &why->points[i].savings[j]);
	report_end(report);
}

static struct cell known_or_text(double number)
{
	return isnan(number) ? cell_text("not known") : cell_number(number);
}

/* For people: on the most cores, and not more than they want to read. */
static void put_text(struct report *report, const struct why *why)
{
	static const struct column columns[] = {
		{"", "site", UNIT_NONE, 0},	     {"", "waits at", UNIT_NONE, -1},
		{"", "kind", UNIT_NONE, -1},	     {"", "times", UNIT_NONE, 0},
		{"", "waited", UNIT_SECONDS, 0},     {"", "saved", UNIT_SECONDS, 0},
		{"", "of wall time", UNIT_SHARE, 0},
	};
	const struct why_point *last = last_point(why);
	char *title = xasprintf("On %" PRIu64 " core%s, if waiting there cost nothing", last->cores,
				last->cores == 1 ? "" : "s");
	struct table table = {.title = title,
			      .layout = LAYOUT_ROWS,
			      .in = REPORT_TEXT,
			      .columns = columns,
			      .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < why->sites && i < TEXT_SITES; i++) {
		const struct why_saving *saving = &last->savings[i];
		const struct site *site = &why->program->sites[saving->site];
		double saved_s = why_saved_s(last, saving);

		report_row(report,
			   (struct cell[]){cell_count(saving->site), cell_text(site->name),
					   cell_text(kind_of(site)),
					   cell_count((int64_t)saving->visits),
					   cell_number(saving->waited_s), known_or_text(saved_s),
					   last->wall_s > 0 ? known_or_text(saved_s / last->wall_s)
							    : cell_null()});
	}
	report_end(report);
	free(title);
}

static void note_rest(struct report *report, const struct why *why)
{
	if (why->sites > TEXT_SITES)
		report_note(report, "JSON and CSV have the others that were tried, %zu in all.",
			    why->sites);
	if (why->left_out)
		report_note(report, "At %zu more threads wait for less time; these were not tried.",
			    why->left_out);
}

/* What waits can be held against: cores, and work. */
static void note_alternatives(struct report *report, const struct why *why)
{
	const struct why_point *last = last_point(why);
	size_t threads = why->program->thread_count;
	char *free_text =
		isnan(last->free_s)
			? xstrdup("")
			: xasprintf("; no wait at all, on as many cores, to %.4f s", last->free_s);

	report_note(report,
		    "On %" PRIu64 " core%s it takes %.4f s. More cores can bring that to %.4f s, "
		    "with one for each of its %zu thread%s%s.",
		    last->cores, last->cores == 1 ? "" : "s", last->wall_s, why->unlimited_s,
		    threads, threads == 1 ? "" : "s", free_text);
	free(free_text);
}

void report_why(struct report *report, const struct forecast_view *view)
{
	const struct why *why = view->why;

	if (!why->count)
		return;
	report_group(report, "why");
	put_facts(report, why);
	put_rows(report, view);
	report_ungroup(report);
	note_alternatives(report, why);
	if (why->sites) {
		put_text(report, why);
		note_rest(report, why);
	} else {
		report_note(report, "No thread waits for another, or for anything else but a CPU.");
	}
	if (why->sites)
		report_note(report,
			    "Savings do not add up: without one wait threads come to the next. And "
			    "a wait for what another thread has yet to do cannot be left out of a "
			    "program: this tells where time goes.");
}
