/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "replay/program/spin.h"
#include "report/report.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* --- What the model takes for granted ------------------------------------------------------ */

static const char closed_form_assumptions[] =
	"The closed form takes active threads to be independent, and their work, the clock and the "
	"speed of memory not to depend on the number of cores: no lock that binds only on more of "
	"them, no spinning. It gives no interval.";

#define REPLAY_ASSUMPTIONS(same, waits, but)                                                    \
	"The replay lets threads take the steps that they took, and wait for each other as "    \
	"they did. It takes their work" same ", and waits " waits "for what is outside not to " \
	"depend on the number of cores" but "."
#define SAME	   ", the clock, the speed of memory"
#define BUT_SLOWER ", but for work being slower while more of them are busy"

/* [with --slowdown][with --spin waiting] */
static const char *const replay_assumptions[2][2] = {
	{REPLAY_ASSUMPTIONS(SAME, "", ""), REPLAY_ASSUMPTIONS(SAME, "by spinning and ", "")},
	{REPLAY_ASSUMPTIONS("", "", BUT_SLOWER),
	 REPLAY_ASSUMPTIONS("", "by spinning and ", BUT_SLOWER)},
};

static const char *assumptions_of(const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;

	return forecast->shown
		       ? replay_assumptions[request->slowdown_text != NULL][request->spin_waits]
		       : closed_form_assumptions;
}

/* --- Facts --------------------------------------------------------------------------------- */

struct facts {
	const char *model, *slowdown, *reason, *assumptions, *spin;
	uint64_t measured_cores, wall_ns, unknown_ns, known_unknown_ns;
	double spin_share, yield_share, calls_cost_s, anchor;
	size_t replicates;
	bool attached;
};

static const struct column fact_columns[] = {
	{"model", "model", FIELD(facts, model)},
	{"measured_cores", "measured on cores", FIELD(facts, measured_cores)},
	{"measured_wall_s", "measured wall time", UNIT_SECONDS, NS(facts, wall_ns)},
	{"unknown_s", NS(facts, unknown_ns)},
	{NULL, "of it unknown", UNIT_SECONDS, NS(facts, known_unknown_ns)},
	{"slowdown", "slowdown", FIELD(facts, slowdown)},
	{"reason", FIELD(facts, reason)},
	{"assumptions", FIELD(facts, assumptions)},
	{"spin", FIELD(facts, spin)},
	{"spin_share", FIELD(facts, spin_share)},
	{"yield_share", FIELD(facts, yield_share)},
	{"replicates", FIELD(facts, replicates)},
	{"calls_cost_s", FIELD(facts, calls_cost_s)},
	{"anchor", FIELD(facts, anchor)},
	{"attached", FIELD(facts, attached)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

static void put_facts(struct report *report, const struct forecast *forecast)
{
	const struct level_times *levels = forecast->levels;
	const struct forecast_points *replay = forecast->shown;
	const struct spun *spun = forecast->judged ? &forecast->spun : NULL;
	const struct facts facts = {
		.model = replay ? "replay" : "closed-form",
		.measured_cores = forecast->request.measured_cores,
		.wall_ns = levels->total_ns,
		.unknown_ns = levels->unknown_ns,
		.known_unknown_ns = levels->unknown_ns ? levels->unknown_ns : UINT64_MAX,
		.slowdown = replay ? forecast->request.slowdown_text : NULL,
		.reason = forecast->reason,
		.assumptions = assumptions_of(forecast),
		.spin = !replay			       ? NULL
			: forecast->request.spin_waits ? "waiting"
						       : "work",
		.spin_share = spun ? spin_share_estimate(&spun->share).value : NAN,
		.yield_share = spun ? yielded_share(&spun->yielded) : NAN,
		.replicates = replay ? replay->replicates : SIZE_MAX,
		.calls_cost_s = replay && replay->calls_s > 0 ? replay->calls_s : NAN,
		.anchor = replay ? replay->scale : NAN,
		.attached = forecast->attached,
	};

	report_table(report, &fact_table, &facts, 1);
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Columns are there for these features of a forecast. */
enum {
	FOR_MEASURED = 1,
	FOR_REPLAY = 2,
	FOR_INTERVAL = 4,
	FOR_UNMEASURED = 8,
	FOR_WHAT_IF = 16,
	FOR_UNCHANGED = 32,
};

static const struct column row_columns[] = {
	{"cores", "cores", FIELD(forecast_row, cores)},
	{"wall_s", "wall time", UNIT_SECONDS, FIELD(forecast_row, wall_s)},
	{NULL, "90 % from", UNIT_SECONDS, FIELD(forecast_row, lo_s), .needs = FOR_INTERVAL},
	{NULL, "to", UNIT_SECONDS, FIELD(forecast_row, hi_s), .needs = FOR_INTERVAL},
	{NULL, "as it is", UNIT_SECONDS, FIELD(forecast_row, unchanged_s), .needs = FOR_WHAT_IF},
	{"speedup", "speed-up", UNIT_FACTOR, FIELD(forecast_row, speedup)},
	{"efficiency", "efficiency", UNIT_SHARE, FIELD(forecast_row, efficiency)},
	{"measured_s", "measured", UNIT_SECONDS, FIELD(forecast_row, measured_s),
	 .needs = FOR_MEASURED},
	{"runs", "runs", FIELD(forecast_row, runs), .needs = FOR_MEASURED},
	{"error", "error", UNIT_SHARE, FIELD(forecast_row, error), .needs = FOR_MEASURED},
	{NULL, "bound", UNIT_SECONDS, FIELD(forecast_row, bound_s),
	 .needs = FOR_REPLAY | FOR_UNMEASURED | FOR_UNCHANGED},
	{"model", FIELD(forecast_row, model)},
	{"lo_s", FIELD(forecast_row, lo_s)},
	{"hi_s", FIELD(forecast_row, hi_s)},
	{"discrepancy", FIELD(forecast_row, discrepancy)},
	{"closed_form_s", FIELD(forecast_row, closed_form_s)},
	{NULL, "closed form", UNIT_SECONDS, FIELD(forecast_row, closed_form_s),
	 .needs = FOR_REPLAY | FOR_UNCHANGED},
	{"closed_form_error", FIELD(forecast_row, closed_form_error), .needs = FOR_MEASURED},
	{NULL, "its error", UNIT_SHARE, FIELD(forecast_row, closed_form_error),
	 .needs = FOR_MEASURED | FOR_REPLAY | FOR_UNCHANGED},
	{"work_bound_s", FIELD(forecast_row, work_bound_s)},
	{"path_bound_s", FIELD(forecast_row, path_bound_s)},
	{"lock_bound_s", FIELD(forecast_row, lock_bound_s)},
	{"unchanged_s", FIELD(forecast_row, unchanged_s), .needs = FOR_WHAT_IF},
};

static unsigned features_of(const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;

	return (forecast->request.measured ? FOR_MEASURED : FOR_UNMEASURED) |
	       (replayed ? FOR_REPLAY : 0) |
	       (replayed && forecast_points_have_interval(replayed) ? FOR_INTERVAL : 0) |
	       (forecast->unchanged ? FOR_WHAT_IF : FOR_UNCHANGED);
}

static void put_rows(struct report *report, const struct forecast *forecast)
{
	const struct table table = {.key = "forecast",
				    .in = forecast->why ? REPORT_TEXT | REPORT_JSON : REPORT_ALL,
				    .has = features_of(forecast),
				    COLUMNS(row_columns)};

	report_table(report, &table, forecast->rows, forecast->request.count);
}

/* --- What the forecast misses -------------------------------------------------------------- */

static const struct column error_columns[] = {{"mean_abs_error", FIELD(forecast_errors, mean)}};
static const struct table error_table = {.layout = LAYOUT_FACTS, COLUMNS(error_columns)};

static void put_errors(struct report *report, const struct forecast *forecast)
{
	const struct forecast_errors *errors = &forecast->errors;
	bool known = !isnan(errors->mean);

	if (!forecast->request.measured)
		return;
	report_table(report, &error_table, errors, 1);
	report_note_if(report, !known,
		       "Nothing was measured on other core counts than the profile: how good the "
		       "forecast is remains unknown.");
	report_note_if(report, known,
		       "The forecast misses what was measured by %.1f %% on average: the mean "
		       "absolute relative error on %zu core count%s, without the %" PRIu64
		       " that the profile is of.",
		       100 * errors->mean, errors->count, plural(errors->count, "", "s"),
		       forecast->request.measured_cores);
	report_note_if(report, known && forecast->shown && !forecast->unchanged,
		       "The closed form misses it by %.1f %%.", 100 * errors->closed_form_mean);
}

/* --- The Universal Scalability Law --------------------------------------------------------- */

/* Of a point by which the law may miss it and still be said to describe the program. */
static const double usual_error = .05;

struct law {
	struct forecast_usl replayed;
	double peak_n, peak_throughput;
};

static const struct column law_columns[] = {
	{"alpha", "alpha, contention", UNIT_DECIMAL, FIELD(law, replayed.usl.alpha)},
	{"beta", "beta, coherency", UNIT_DECIMAL, FIELD(law, replayed.usl.beta)},
	{"gamma", "gamma, runs per second on one", UNIT_DECIMAL, FIELD(law, replayed.usl.gamma)},
	{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, FIELD(law, peak_n)},
	{"xmax", "throughput there, X_max", UNIT_DECIMAL, FIELD(law, peak_throughput)},
	{"r2", "R^2", UNIT_DECIMAL, FIELD(law, replayed.r2)},
	{"rms_error", "misses the replay by (RMS)", UNIT_SHARE, FIELD(law, replayed.rms_error)},
	{"max_error", "... at worst by", UNIT_SHARE, FIELD(law, replayed.max_error)},
	{"max_error_n", "... on cores", UNIT_DECIMAL, FIELD(law, replayed.max_error_n)},
	{"falls", FIELD(law, replayed.falls)},
};
static const struct table law_table = {.title = "Universal Scalability Law through the replay",
				       .layout = LAYOUT_FACTS,
				       COLUMNS(law_columns)};

struct law_point {
	uint64_t cores;
	double wall_s, throughput, fitted, error;
};

static const struct column point_columns[] = {
	{"cores", FIELD(law_point, cores)},	      {"wall_s", FIELD(law_point, wall_s)},
	{"throughput", FIELD(law_point, throughput)}, {"fitted", FIELD(law_point, fitted)},
	{"error", FIELD(law_point, error)},
};
static const struct table point_table = {.key = "points", COLUMNS(point_columns)};

static void note_usl(struct report *report, const struct forecast_usl *replayed)
{
	double largest = series_max_n(&replayed->series);

	report_note(report,
		    "Fitted to %zu replays, up to %.0f cores. What the curve misses there is that "
		    "the law is not the program's, and no scatter, so that there are no intervals. "
		    "How far the replay is from the truth comes on top.",
		    replayed->series.count, largest);
	if (fabs(replayed->max_error) > usual_error)
		report_note(report,
			    "The law does not describe this program: take the replayed wall times, "
			    "and parameters and peak for no more than a summary.");
	report_note_if(report, !replayed->falls,
		       "Replayed throughput does not fall up to %.0f cores, so that beta is 0.",
		       largest);
	if (largest >= (double)replayed->active)
		report_note(report,
			    "No more than %" PRIu64 " threads are active at a time, so that more "
			    "cores change nothing: beyond, the curve is that of a program with "
			    "more threads.",
			    replayed->active);
}

/* The law through replayed wall times, and how far it departs from them. Not in CSV. */
static void put_usl(struct report *report, const struct forecast_usl *replayed)
{
	const struct law law = {*replayed, usl_peak_n(&replayed->usl),
				usl_peak_throughput(&replayed->usl)};

	report_group(report, "usl");
	report_table(report, &law_table, &law, 1);
	report_begin(report, &point_table);
	for (size_t i = 0; i < replayed->series.count; i++) {
		const struct series_point *point = &replayed->series.points[i];

		report_row(report, &(struct law_point){(uint64_t)point->n, 1 / point->throughput,
						       point->throughput,
						       usl_throughput(&replayed->usl, point->n),
						       forecast_usl_error(replayed, i)});
	}
	report_end(report);
	report_ungroup(report);
	note_usl(report, replayed);
}

/* Of text, where more would not be read. */
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

static void put_what_if(struct report *report, const struct forecast *forecast)
{
	size_t count = forecast->unchanged ? forecast->request.change_count : 0;
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		const struct wait_cost *cost = &forecast->what_ifs[i];

		xappend(&text, "", "%s%g %% of what it did at site %" PRIu32 " (%s)",
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

/* Waits are held against cores, and against work. */
static void note_why(struct report *report, const struct why *why)
{
	const struct why_point *last = &why->points[why->count - 1];
	size_t threads = why->program->thread_count;
	char *free_text = xstrdup("");

	if (!isnan(last->free_s))
		xappend(&free_text, "", "; no wait at all, on as many cores, to %.4f s",
			last->free_s);
	report_note(report,
		    "On %" PRIu64 " core%s it takes %.4f s. More cores can bring that to %.4f s, "
		    "with one for each of its %zu thread%s%s.",
		    last->cores, plural(last->cores, "", "s"), last->wall_s, why->unlimited_s,
		    threads, plural(threads, "", "s"), free_text);
	free(free_text);
}

static void put_why(struct report *report, const struct forecast *forecast)
{
	const struct why *why = forecast->why;
	const struct why_point *last;

	if (!why || !why->count)
		return;
	last = &why->points[why->count - 1];
	report_group(report, "why");
	report_table(report, &why_table,
		     (&(struct why_facts){last->cores, last->wall_s, why->unlimited_s, last->free_s,
					  why->left_out}),
		     1);
	report_begin(report, &saving_table);
	for (size_t i = 0; i < why->count; i++)
		put_savings(report, forecast, &why->points[i], why->sites);
	report_end(report);
	report_ungroup(report);
	note_why(report, why);
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

/* --- The assumptions of a replay ---------------------------------------------------------- */

struct condition {
	const char *key, *meaning;
	struct truth holds;
	double value, limit;
	bool decides;
};

static const struct column condition_columns[] = {
	{"condition", FIELD(condition, key)},	{"holds", FIELD(condition, holds)},
	{"value", FIELD(condition, value)},	{"limit", FIELD(condition, limit)},
	{"decides", FIELD(condition, decides)}, {"meaning", FIELD(condition, meaning)},
};
static const struct table condition_table = {.key = "validity", COLUMNS(condition_columns)};

static void put_conditions(struct report *report, const struct validity *validity)
{
	report_begin(report, &condition_table);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		const struct validity_finding *finding = &validity->findings[i];
		const struct validity_words *words = validity_words(i);
		bool holds = finding->answer == VALIDITY_HOLDS;
		bool known = finding->answer != VALIDITY_UNKNOWN;

		report_row(report, &(struct condition){
					   .key = words->key,
					   .holds = {known, holds},
					   .value = finding->value,
					   .limit = words->limit,
					   .decides = words->decides,
					   .meaning = holds ? words->what : words->fails,
				   });
	}
	report_end(report);
}

static const char *value_text(char *out, size_t size, double value,
			      const struct validity_words *words)
{
	if (isnan(value))
		snprintf(out, size, "not known");
	else if (words->unit == VALIDITY_SHARE)
		snprintf(out, size, "%.3g %%", 100 * value);
	else if (words->unit == VALIDITY_SECONDS)
		snprintf(out, size, "%.4g s", value);
	else
		snprintf(out, size, "%.0f", value);
	return out;
}

/* In few words: what to do about it is in the page, and in JSON. */
static void note_unknown_conditions(struct report *report, const struct validity *validity)
{
	char *text = xstrdup("");

	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if (validity->findings[i].answer == VALIDITY_UNKNOWN)
			xappend(&text, "", "%swhether %s", *text ? ", and " : "",
				validity_words(i)->what);
	report_warning_if(report, *text, "Not known from this recording: %s.", text);
	free(text);
}

/*
 * The assumptions of a replay: in JSON all of them, in text what the replay makes of the
 * recording itself and what does not hold or is not known. `taken` tells whether the forecast is
 * that replay's.
 */
static void put_validity(struct report *report, const struct validity *validity, bool taken)
{
	const struct validity_finding *repeats = &validity->findings[VALIDITY_REPEATS];
	char text[64];

	put_conditions(report, validity);
	report_note_if(report, repeats->answer != VALIDITY_UNKNOWN,
		       "On the cores of the recording, as far as the target had them, the replay "
		       "misses its wall time by %.2f %%.",
		       100 * repeats->value);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		const struct validity_finding *finding = &validity->findings[i];
		const struct validity_words *words = validity_words(i);

		report_warning_if(
			report, finding->answer == VALIDITY_FAILS && (taken || i == VALIDITY_ALONE),
			"Does not hold: %s (%s): %s.", words->what,
			value_text(text, sizeof(text), finding->value, words), words->fails);
	}
	if (taken)
		note_unknown_conditions(report, validity);
}

/* --- What the intervals of a replay are made from ------------------------------------------ */

struct interval {
	const char *terms;
	double discrepancy, overhead_share;
};

static const struct column interval_columns[] = {
	{"interval_terms", FIELD(interval, terms)},
	{"discrepancy_per_doubling", FIELD(interval, discrepancy)},
	{"overhead_share", FIELD(interval, overhead_share)},
};
static const struct table interval_table = {.layout = LAYOUT_FACTS, COLUMNS(interval_columns)};

/* Other answers that may be as true: ALTERNATIVE_..., and the sentence. */
static const struct {
	unsigned flag;
	const char *sentence;
} alternatives[] = {
	{ALTERNATIVE_CLOSED_FORM,
	 "What threads wait for is in part a guess: the interval reaches to the closed form."},
	{ALTERNATIVE_WITHOUT_POOLS, "That any thread can do what is taken from a queue is a guess: "
				    "the interval reaches to the "
				    "wall time without that."},
	{ALTERNATIVE_EVEN_WORK,
	 "Threads end together, so that they may have shared their work as it came: the interval "
	 "reaches to the wall time with the same for all."},
	{ALTERNATIVE_OWN_WORK,
	 "More threads than cores end together, so that they are taken to share their work as it "
	 "comes: the interval reaches to the wall time with each doing what it did."},
};

static void note_interval(struct report *report, const struct forecast_points *replayed)
{
	/* Their number is limited by what they would take. */
	size_t most = variation_replicates(replayed->size, replayed->count);
	bool few = replayed->replicates && replayed->replicates < VARIATION_REPLICATES;

	report_note_if(report, few,
		       "The program is large: the interval is made from %zu replays and not from "
		       "%d. Fewer numbers of cores (-k) leave time for more.",
		       replayed->replicates, VARIATION_REPLICATES);
	report_note_if(report, !few && !most && replayed->size,
		       "The program is too large to find out within some seconds how much its "
		       "steps vary. Fewer numbers of cores (-k) leave time for it.");
	/* Of steps that vary the condition `steps` says why it has nothing. */
	report_note_if(report, replayed->discrepancy > 0,
		       "For each doubling of cores the interval takes %.3g %% for what that "
		       "changes in caches, memory and clock (--discrepancy).%s",
		       100 * replayed->discrepancy,
		       replayed->replicates ? "" : " It has nothing for steps that vary.");
	report_note_if(report, !(replayed->discrepancy > 0),
		       "The interval takes nothing for what other numbers of cores change in "
		       "caches, memory and clock (--discrepancy).");
	for (size_t i = 0; i < sizeof(alternatives) / sizeof(alternatives[0]); i++)
		report_note_if(report, replayed->alternatives & alternatives[i].flag, "%s",
			       alternatives[i].sentence);
}

static void put_interval(struct report *report, const struct forecast_points *replayed)
{
	bool known = forecast_points_have_interval(replayed);
	char names[INTERVAL_NAMES_SIZE];
	struct interval facts = {NULL, NAN, NAN};

	if (known)
		facts = (struct interval){interval_names(names, sizeof(names), replayed),
					  replayed->discrepancy, replayed->overhead_share};
	report_table(report, &interval_table, &facts, 1);
	if (known)
		note_interval(report, replayed);
}

/* --- Notes --------------------------------------------------------------------------------- */

/* Below, other numbers of cores change next to nothing. */
static const double least_active_share = .01;

/* A scale that changes more than the last digit shown. */
static const double least_scale = 5e-5;

static void note_spin(struct report *report, const struct spun *spun)
{
	const struct spin_share *share = &spun->share;

	report_warning_if(report, !share->samples && !spun->yielded.calls,
			  "The recording has no samples of running threads and no calls of "
			  "sched_yield, so that --spin waiting changes nothing: record with -F, or "
			  "with --sync.");
	report_note_if(report, share->samples,
		       "Threads spin for %.2f %% (+- %.2f %%) of their CPU time, which the replay "
		       "takes for waits of the same length.",
		       100 * spin_share_estimate(share).value,
		       100 * spin_share_estimate(share).error);
	report_note_if(
		report, spun->yielded.calls,
		"Threads call sched_yield again and again for %.2f %% of their CPU time, which the "
		"replay takes for waits of the same length.%s",
		100 * yielded_share(&spun->yielded),
		share->samples
			? ""
			: " Other loops that wait are known from samples only: record with -F.");
}

static void note_slowdown(struct report *report, const struct forecast *forecast)
{
	size_t known = forecast->slowdown.count;
	uint64_t most = 0;

	for (size_t i = 0; i < forecast->request.count; i++)
		most = forecast->rows[i].cores > most ? forecast->rows[i].cores : most;
	report_note_if(report, most > known,
		       "How much slower they are is known of up to %zu busy core%s, and taken to "
		       "stay so beyond.",
		       known, plural(known, "", "s"));
}

static void note_replay(struct report *report, const struct forecast *forecast)
{
	const struct forecast_points *replay = forecast->shown;

	put_interval(report, replay);
	report_note_if(report, replay->calls_s > 0,
		       "To record its calls took %.1f ms of the program's CPU time, which are left "
		       "out of all replayed wall times.",
		       1e3 * replay->calls_s);
	report_note_if(report, fabs(replay->scale - 1) >= least_scale,
		       "On the cores of the recording the forecast is the replay times %.4f, "
		       "towards what was measured there, as far as that is not luck.",
		       replay->scale);
	if (forecast->request.slowdown_text)
		note_slowdown(report, forecast);
	if (forecast->request.spin_waits)
		note_spin(report, &forecast->spun);
}

static void note_closed_form(struct report *report, const struct forecast *forecast)
{
	report_note_if(report, forecast->request.slowdown_text,
		       "The closed form does not know of cores that are slower.");
	report_note_if(report, forecast->request.spin_waits,
		       "The closed form takes all CPU time for work, --spin or not.");
}

/* Doubts come first, and the assumptions of the model last. */
static void put_notes(struct report *report, const struct forecast *forecast)
{
	const struct level_times *levels = forecast->levels;
	double total_ns = (double)levels->total_ns, unknown_ns = (double)levels->unknown_ns;
	double active_share = 1 - ((double)levels->wall_ns[0] + unknown_ns) / total_ns;

	report_note_if(report, forecast->reason, "It is the closed form, and not a replay: %s.",
		       forecast->reason);
	report_note_if(report, levels->unknown_ns && !forecast->shown,
		       "For %.3g %% of the wall time (%.4f s) it is not known how many threads "
		       "were active; that time is carried over as it is.",
		       100 * unknown_ns / total_ns, unknown_ns / 1e9);
	report_note_if(report, forecast->attached,
		       "The program ran already: it is a forecast of the part that was recorded.");
	report_note_if(report, active_share < least_active_share && !levels->unknown_ns,
		       "Threads were active for %.2g %% of the wall time: the number of cores "
		       "matters little to what waits.",
		       100 * active_share);
	if (forecast->shown)
		note_replay(report, forecast);
	else
		note_closed_form(report, forecast);
	if (forecast->judged)
		put_validity(report, &forecast->validity, forecast->shown);
	report_note(report, "%s", assumptions_of(forecast));
}

/* --- All of it ----------------------------------------------------------------------------- */

void report_forecast(struct report *report, const struct forecast *forecast)
{
	put_what_if(report, forecast);
	put_facts(report, forecast);
	put_rows(report, forecast);
	put_errors(report, forecast);
	put_why(report, forecast);
	if (forecast->usl)
		put_usl(report, forecast->usl);
	put_notes(report, forecast);
}
