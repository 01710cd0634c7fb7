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
	const char *name, *text, *kind, *address, *waited, *on_path, *without, *share;
	double wall_s, saved_s, saved_share;
	struct values callers; /* call chain of the waits, innermost function first */
};

/* Features of the table. With work, its title says how much of each is left. */
enum { HAS_WAITS = 1, HAS_WORK = 2 };

static const struct column saving_columns[] = {
	{"cores", FIELD(saving_line, cores)},
	{"site", FIELD(saving_line, why.site)},
	{"name", FIELD(saving_line, name)},
	{NULL, "waits at", UNIT_NONE, -1, FIELD(saving_line, text), .needs = HAS_WAITS},
	{NULL, "work of, or waits at", UNIT_NONE, -1, FIELD(saving_line, text), .needs = HAS_WORK},
	{"kind", "kind", UNIT_NONE, -1, FIELD(saving_line, kind), .detail = true},
	{"visits", FIELD(saving_line, why.visits)},
	{NULL, "calls", FIELD(saving_line, why.visits), .needs = HAS_WAITS, .optional = true},
	{"waited_s", FIELD(saving_line, why.waited_s)},
	{NULL, "waited", FIELD(saving_line, waited)},
	{NULL, "on path", FIELD(saving_line, on_path), .needs = HAS_WORK},
	{"wall_s", FIELD(saving_line, wall_s)},
	{"without_wall_s", FIELD(saving_line, why.wall_s)},
	{NULL, "without it", FIELD(saving_line, without), .needs = HAS_WAITS},
	{NULL, "then takes", FIELD(saving_line, without), .needs = HAS_WORK},
	{"saved_s", FIELD(saving_line, saved_s)},
	{"saved_share", FIELD(saving_line, saved_share)},
	{NULL, "saves", FIELD(saving_line, share)},
	{"sites", FIELD(saving_line, why.sites)},
	{"thread_name", FIELD(saving_line, why.name)},
	{"pid", FIELD(saving_line, why.pid)},
	{"chain", FIELD(saving_line, callers)},
	{"address", FIELD(saving_line, address)},
	{"share", FIELD(saving_line, why.share)},
	{"path_s", FIELD(saving_line, why.path_s)},
	{"work_s", FIELD(saving_line, why.work_s)},
};

/* --- One line ------------------------------------------------------------------------------ */

static const char *kind_of(const struct why *why, const struct why_saving *saving)
{
	return saving->work ? "work" : site_kind_text(&why->program->sites[saving->site]);
}

static const char *site_name(const struct why *why, const struct why_saving *saving)
{
	const char *name = why->program->sites[saving->site].name;

	return name ? name : "";
}

/*
 * Returns the text of a row: a function with its threads, a site, or the threads that wait at sites
 * of one kind.
 */
static char *saving_text(const struct why *why, const struct why_saving *saving)
{
	const char *kind = kind_of(why, saving);
	char *name;

	if (saving->work && saving->name && !work_is_of_threads(saving->work))
		return xasprintf("%s in %s", saving->work, saving->name);
	if (saving->work)
		return xstrdup(saving->work);
	if (why->by == WHY_BY_SITE)
		return xstrdup(site_name(why, saving));
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

/* Formats the address in the recorded process; NULL: no object, or several. */
static const char *address_text(char out[VALUE_SIZE], const struct why *why,
				const struct why_saving *saving)
{
	uint64_t address = saving->work ? 0 : why->program->sites[saving->site].address;

	if (!address || why->by != WHY_BY_SITE)
		return NULL;
	snprintf(out, VALUE_SIZE, "0x%" PRIx64, address);
	return out;
}

static void put_callers(struct saving_line *line, const struct forecast *forecast)
{
	const struct why *why = forecast->why;
	uint32_t callers = line->why.work ? 0 : why->program->sites[line->why.site].callers;
	const struct chain_name *name;

	if (!forecast->names || !callers || why->by != WHY_BY_SITE)
		return;
	name = chain_names_get(forecast->names, callers);
	line->callers.texts = (const char *const *)name->functions;
	line->callers.count = name->count;
}

static void put_saving(struct report *report, const struct forecast *forecast,
		       const struct why_point *point, const struct why_saving *why,
		       const struct time_scale *scale)
{
	char waited[VALUE_SIZE], on_path[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE],
		address[VALUE_SIZE];
	char *text = saving_text(forecast->why, why);
	struct saving_line line = {.cores = point->cores,
				   .why = *why,
				   .name = why->work ? why->work : text,
				   .text = text,
				   .kind = kind_of(forecast->why, why),
				   .wall_s = point->wall_s,
				   .saved_s = why_saved_s(point, why)};

	line.saved_share = point->wall_s > 0 ? line.saved_s / point->wall_s : NAN;
	line.address = address_text(address, forecast->why, why);
	line.waited = why->work ? NULL : time_text(waited, scale, why->waited_s);
	line.on_path = why->work ? time_text(on_path, scale, why->path_s) : NULL;
	line.without = time_text(without, scale, why->wall_s);
	line.share = share_text(share, line.saved_share);
	put_callers(&line, forecast);
	report_row(report, &line);
	free(text);
}

/* --- The serial part ------------------------------------------------------------------------- */

/* The smallest share of the wall time alone that makes a row. */
static const double least_serial_share = .1;

static const struct why_point *last_point(const struct why *why)
{
	return &why->points[why->count - 1];
}

/* Returns the time that one thread computes alone; NaN: too short, or several threads. */
static double serial_s_of(const struct forecast *forecast)
{
	double alone_s = forecast->bottleneck.alone_s;

	return forecast->bottleneck.kind != BOTTLENECK_NONE &&
			       alone_s >= least_serial_share * last_point(forecast->why)->wall_s
		       ? alone_s
		       : NAN;
}

/* Returns the share that is left of the serial part, as of other work. */
static double serial_left(const struct why *why)
{
	return why->work_count ? WHY_WORK_LEFT : 0;
}

static double serial_saved_s(const struct forecast *forecast)
{
	return (1 - serial_left(forecast->why)) * serial_s_of(forecast);
}

/*
 * Returns whether the serial part precedes the row. It precedes an equal saving of a wait for such
 * a part, and follows one of a lock, which may cause it, or of a function, which says more.
 */
static bool serial_precedes(const struct forecast *forecast, const struct why_saving *saving)
{
	enum site_kind kind =
		saving->work ? SITE_UNKNOWN : forecast->program->sites[saving->site].kind;
	const double least = saving->work || kind == SITE_LOCK || kind == SITE_FUTEX ? 1.02 : .98;
	double saved_s = why_saved_s(last_point(forecast->why), saving);

	return isnan(saved_s) || saving->even || serial_saved_s(forecast) >= least * saved_s;
}

bool report_why_is_serial(const struct forecast *forecast)
{
	const struct why *why = forecast->why;

	return why && why->count && !isnan(serial_s_of(forecast)) &&
	       (!why->tried || serial_precedes(forecast, last_point(why)->savings));
}

static void put_serial(struct report *report, const struct forecast *forecast,
		       const struct time_scale *scale)
{
	double saved_s = serial_saved_s(forecast), wall_s = last_point(forecast->why)->wall_s;
	char alone[VALUE_SIZE], without[VALUE_SIZE], share[VALUE_SIZE];
	char *thread = thread_text(forecast->program, forecast->bottleneck.alone);
	char *text = xasprintf("serial part: %s", thread);
	struct saving_line line = {
		.why.visits = UINT64_MAX,
		.text = text,
		.kind = "serial",
		.without = time_text(without, scale, fmax(wall_s - saved_s, 0)),
		.share = share_text(share, fmin(saved_s / wall_s, 1)),
	};
	const char **column = forecast->why->work_count ? &line.on_path : &line.waited;

	*column = time_text(alone, scale, serial_s_of(forecast));
	report_row(report, &line);
	free(text);
	free(thread);
}

/* --- The tables ---------------------------------------------------------------------------- */

/* Puts all tried savings, on all numbers of cores, for programs. */
static void put_all(struct report *report, const struct forecast *forecast,
		    const struct time_scale *scale)
{
	static const struct table table = {
		.key = "sites", .in = REPORT_CSV | REPORT_JSON, COLUMNS(saving_columns)};
	const struct why *why = forecast->why;

	report_begin(report, &table);
	for (size_t i = 0; i < why->count; i++)
		for (size_t j = 0; j < why->tried; j++)
			put_saving(report, forecast, &why->points[i], &why->points[i].savings[j],
				   scale);
	report_end(report);
}

/* Puts the savings on the most cores, for people. */
static void put_last(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = &why->points[why->count - 1];
	char *title =
		xasprintf("On %" PRIu64 " core%s%s%s", last->cores, plural(last->cores, "", "s"),
			  why->work_count ? ", with half of the work or none of the waits" : "",
			  forecast->doubt ? ", doubtful: see above" : "");
	bool serial = !isnan(serial_s_of(forecast));
	size_t telling = why_telling(why) + serial;
	const struct table table = {.title = title,
				    .in = REPORT_TEXT,
				    .has = why->work_count ? HAS_WORK : HAS_WAITS,
				    .top = telling < 3	 ? 3
					   : telling < 8 ? telling
							 : 8,
				    COLUMNS(saving_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < why->tried; i++) {
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

/* Returns a sentence on the serial part; the caller frees it. */
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

/* Returns a sentence on the first row; the caller frees it. */
static char *best_text(const struct forecast *forecast, const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = last_point(why);
	const struct why_saving *best = last->savings;
	double saved = why_saved_s(last, best) / last->wall_s;
	char wall[VALUE_SIZE], part[VALUE_SIZE], share[VALUE_SIZE];
	char *name = saving_text(why, best), *text;

	if (isnan(saved))
		text = xstrdup("The cost of the waits is unknown.");
	else if (!why_telling(why))
		text = xasprintf("No wait%s costs more than %g %% of the time by itself.",
				 why->work_count ? ", and no work that the cores do not share,"
						 : "",
				 100 * WHY_SAVING_LEAST);
	else if (best->work)
		text = xasprintf("'%s' costs most: %s of the %s critical path; half of it saves "
				 "%s.",
				 name, time_text(part, scale, best->path_s),
				 time_text(wall, scale, last->wall_s), share_text(share, saved));
	else
		text = xasprintf("Waiting at '%s' costs most: without it %s (%s less).", name,
				 time_text(wall, scale, best->wall_s), share_text(share, saved));
	free(name);
	return text;
}

/* Returns the interval of the forecast for the cores: " (0.512 - 0.601 s)", or "". */
static const char *range_text(char out[3 * VALUE_SIZE], const struct forecast *forecast,
			      uint64_t cores, const struct time_scale *scale)
{
	char range[2 * VALUE_SIZE];

	*out = '\0';
	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct forecast_row *row = &forecast->rows[i];

		if (row->cores == cores && interval_text(range, scale, row->lo_s, row->hi_s))
			snprintf(out, 3 * VALUE_SIZE, " (%s)", range);
	}
	return out;
}

void report_why_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale)
{
	const struct why *why = forecast->why;
	const struct why_point *last = last_point(why);
	char wall[VALUE_SIZE], unlimited[VALUE_SIZE], range[3 * VALUE_SIZE], *answer;

	if (report_why_is_serial(forecast))
		answer = serial_text(forecast, scale);
	else if (!why->tried)
		answer = xstrdup("No thread waits for anything but a CPU, or the end of another "
				 "thread.");
	else
		answer = best_text(forecast, scale);
	report_verdict(report, "%" PRIu64 " core%s: %s%s; unlimited cores: %s. %s", last->cores,
		       plural(last->cores, "", "s"), time_text(wall, scale, last->wall_s),
		       range_text(range, forecast, last->cores, scale),
		       time_text(unlimited, scale, why->unlimited_s), answer);
	free(answer);
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
	if (why->tried || !isnan(serial_s_of(forecast)))
		put_last(report, forecast, scale);
	report_detail_if(
		report, !isnan(last->free_s), "Without any wait: %s on %" PRIu64 " core%s.",
		time_text(without, scale, last->free_s), last->cores, plural(last->cores, "", "s"));
	report_detail_if(report, why->left_out, "%zu more sites with shorter waits were not tried.",
			 why->left_out);
	report_detail_if(report, why->work_count,
			 "Work that has no more of the critical path than if all cores shared it "
			 "comes last: more cores shorten it.");
	report_detail_if(report, why->tried,
			 "Savings overlap: do not add them. Waiting for data that does not exist "
			 "yet cannot be removed.");
}
