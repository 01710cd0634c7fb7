/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_private.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/variation.h"
#include "replay/program/spin.h"
#include "report/report.h"

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

const char *report_forecast_assumptions(const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;

	return forecast->shown
		       ? replay_assumptions[request->slowdown_text != NULL][request->spin_waits]
		       : closed_form_assumptions;
}

/* --- What a replay takes for granted ------------------------------------------------------- */

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
			append_text(&text, "%swhether %s", *text ? ", and " : "",
				    validity_words(i)->what);
	report_warning_if(report, *text, "Not known from this recording: %s.", text);
	free(text);
}

/*
 * What a replay takes for granted: in JSON all of it, in text what the replay makes of the
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

/* What else may be as true: ALTERNATIVE_..., and the sentence. */
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

/* What speaks against it comes first, and what is always so last. */
void report_forecast_notes(struct report *report, const struct forecast *forecast)
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
	report_note(report, "%s", report_forecast_assumptions(forecast));
}
