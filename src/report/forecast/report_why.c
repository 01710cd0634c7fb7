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
	double wall_s, unlimited_s, free_s, serial_s;
	size_t left_out;
	const char *serial_thread;
};

static const struct column why_columns[] = {
	{"cores", FIELD(why_facts, cores)},
	{"wall_s", FIELD(why_facts, wall_s)},
	{"unlimited_wall_s", FIELD(why_facts, unlimited_s)},
	{"no_waits_wall_s", FIELD(why_facts, free_s)},
	{"left_out", FIELD(why_facts, left_out)},
	{"serial_s", FIELD(why_facts, serial_s)},
	{"serial_thread", FIELD(why_facts, serial_thread)},
};
static const struct table why_table = {.layout = LAYOUT_FACTS, COLUMNS(why_columns)};

struct saving_line {
	uint64_t cores;
	struct why_saving why;
	const char *name, *kind, *address, *waited, *without, *share;
	double wall_s, saved_s, saved_share;
	struct values callers; /* of threads that wait there, the innermost function first */
};

static const struct column saving_columns[] = {
	{"cores", FIELD(saving_line, cores)},
	{"site", FIELD(saving_line, why.site)},
	{"name", "waits at", UNIT_NONE, -1, FIELD(saving_line, name)},
	{"kind", "kind", UNIT_NONE, -1, FIELD(saving_line, kind), .detail = true},
	{"visits", "calls", FIELD(saving_line, why.visits), .optional = true},
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
	{"address", FIELD(saving_line, address)},
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

/* In the process that was recorded; NULL: it is of no object, or of several. */
static const char *address_text(char out[VALUE_SIZE], const struct why *why,
				const struct why_saving *saving)
{
	uint64_t address = why->program->sites[saving->site].address;

	if (!address || why->by != WHY_BY_SITE)
		return NULL;
	snprintf(out, VALUE_SIZE, "0x%" PRIx64, address);
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
	char waited[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE], address[VALUE_SIZE];
	char *name = saving_name(forecast->why, why);
	struct saving_line line = {.cores = point->cores,
				   .why = *why,
				   .name = name,
				   .kind = site_kind_text(&forecast->program->sites[why->site]),
				   .wall_s = point->wall_s,
				   .saved_s = why_saved_s(point, why)};

	line.saved_share = point->wall_s > 0 ? line.saved_s / point->wall_s : NAN;
	line.address = address_text(address, forecast->why, why);
	line.waited = time_text(waited, scale, why->waited_s);
	line.without = time_text(without, scale, why->wall_s);
	line.share = share_text(share, line.saved_share);
	put_callers(&line, forecast);
	report_row(report, &line);
	free(name);
}

/* --- The serial part ------------------------------------------------------------------------- */

/* A thread that is alone for less of the wall time is no row. */
static const double least_serial_share = .1;

static const struct why_point *last_point(const struct why *why)
{
	return &why->points[why->count - 1];
}

/* For how long one thread computes alone; NaN: for too short a time, or it is several. */
static double serial_s_of(const struct forecast *forecast)
{
	double alone_s = forecast->bottleneck.alone_s;

	return forecast->bottleneck.kind != BOTTLENECK_NONE &&
			       alone_s >= least_serial_share * last_point(forecast->why)->wall_s
		       ? alone_s
		       : NAN;
}

/*
 * Before an equal saving of a wait for such a part, and behind one of a lock, which lets a thread
 * compute alone while it keeps the rest waiting.
 */
static bool serial_precedes(const struct forecast *forecast, const struct why_saving *saving)
{
	enum site_kind kind = forecast->program->sites[saving->site].kind;
	const double least = kind == SITE_LOCK || kind == SITE_FUTEX ? 1.02 : .98;
	double saved_s = why_saved_s(last_point(forecast->why), saving);

	return isnan(saved_s) || serial_s_of(forecast) >= least * saved_s;
}

bool report_why_is_serial(const struct forecast *forecast)
{
	const struct why *why = forecast->why;

	return why && why->count && !isnan(serial_s_of(forecast)) &&
	       (!why->sites || serial_precedes(forecast, last_point(why)->savings));
}

static void put_serial(struct report *report, const struct forecast *forecast,
		       const struct time_scale *scale)
{
	double serial_s = serial_s_of(forecast), wall_s = last_point(forecast->why)->wall_s;
	char waited[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE];
	char *thread = thread_text(forecast->program, forecast->bottleneck.alone);
	char *name = xasprintf("serial part: %s", thread);

	report_row(report, &(struct saving_line){
				   .why.visits = UINT64_MAX,
				   .name = name,
				   .kind = "serial",
				   .waited = time_text(waited, scale, serial_s),
				   .without = time_text(without, scale, fmax(wall_s - serial_s, 0)),
				   .share = share_text(share, fmin(serial_s / wall_s, 1)),
			   });
	free(name);
	free(thread);
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
	bool serial = !isnan(serial_s_of(forecast));
	size_t telling = why_telling(why) + serial;
	const struct table table = {.title = title,
				    .in = REPORT_TEXT,
				    .top = telling < 3	 ? 3
					   : telling < 8 ? telling
							 : 8,
				    COLUMNS(saving_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < why->sites; i++) {
		if (serial && serial_precedes(forecast, &last->savings[i])) {
			put_serial(report, forecast, scale);
			serial = false;
		}
		put_saving(report, forecast, last, &last->savings[i], scale);
	}
	if (serial)
		put_serial(report, forecast, scale);
	report_end(report);
	free(title);
}

/* To be freed. */
static char *serial_text(const struct forecast *forecast, const struct time_scale *scale)
{
	double serial_s = serial_s_of(forecast), wall_s = last_point(forecast->why)->wall_s;
	char *thread = thread_text(forecast->program, forecast->bottleneck.alone);
	char time[VALUE_SIZE], share[VALUE_SIZE];
	char *text = xasprintf("Its serial part costs most: %s, computes alone for %s (%s).",
			       thread, time_text(time, scale, serial_s),
			       share_text(share, fmin(serial_s / wall_s, 1)));

	free(thread);
	return text;
}

void report_why_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	const struct why_saving *best = why->sites ? last->savings : NULL;
	double saved = best ? why_saved_s(last, best) / last->wall_s : 0;
	char wall[VALUE_SIZE], unlimited[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE];
	char *name = best ? saving_name(why, best) : NULL, *answer;

	if (report_why_is_serial(forecast))
		answer = serial_text(forecast, scale);
	else if (!best)
		answer = xstrdup("No thread waits for anything but a CPU, or the end of another "
				 "thread.");
	else if (why_telling(why))
		answer = xasprintf("Waiting at '%s' costs most: without it %s (%s less).", name,
				   time_text(without, scale, best->wall_s),
				   share_text(share, saved));
	else if (isnan(saved))
		answer = xstrdup("The cost of the waits is unknown.");
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
	bool alone = forecast->bottleneck.kind != BOTTLENECK_NONE &&
		     forecast->bottleneck.alone != PROGRAM_NONE;
	char *thread = alone ? thread_text(forecast->program, forecast->bottleneck.alone) : NULL;

	report_group(report, "why");
	report_table(report, &why_table,
		     (&(struct why_facts){last->cores, last->wall_s, why->unlimited_s, last->free_s,
					  forecast->bottleneck.alone_s, why->left_out, thread}),
		     1);
	free(thread);
	put_all(report, forecast, scale);
	report_ungroup(report);
	if (why->sites || !isnan(serial_s_of(forecast)))
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
