/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_private.h"

#include "base/alloc.h"
#include "replay/forecast/replayed.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/variation.h"
#include "replay/program/spin.h"
#include "report/forecast/forecast_view.h"
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

const char *report_forecast_assumptions(const struct forecast_view *view)
{
	if (!view->replay)
		return closed_form_assumptions;
	return replay_assumptions[view->slowdown != NULL][view->spin_waits];
}

/* --- What a replay takes for granted ------------------------------------------------------- */

static const struct column validity_columns[] = {
	{"condition", "", UNIT_NONE, 0}, {"holds", "", UNIT_NONE, 0},
	{"value", "", UNIT_NONE, 0},	 {"limit", "", UNIT_NONE, 0},
	{"decides", "", UNIT_NONE, 0},	 {"meaning", "", UNIT_NONE, 0},
};

static const struct table validity_table = {
	.key = "validity",
	.layout = LAYOUT_ROWS,
	.in = REPORT_JSON,
	.columns = validity_columns,
	.column_count = sizeof(validity_columns) / sizeof(validity_columns[0]),
};

static void put_condition(struct report *report, const struct validity_finding *finding,
			  const struct validity_words *words)
{
	bool holds = finding->answer == VALIDITY_HOLDS;

	report_row(report,
		   (struct cell[]){
			   cell_text(words->key),
			   finding->answer == VALIDITY_UNKNOWN ? cell_null() : cell_bool(holds),
			   cell_number(finding->value),
			   cell_number(words->limit),
			   cell_bool(words->decides),
			   cell_text(holds ? words->what : words->fails),
		   });
}

static void put_conditions(struct report *report, const struct validity *validity)
{
	report_begin(report, &validity_table);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		put_condition(report, &validity->findings[i], validity_words(i));
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

static void note_self_check(struct report *report, const struct validity *validity)
{
	const struct validity_finding *repeats = &validity->findings[VALIDITY_REPEATS];

	if (repeats->answer != VALIDITY_UNKNOWN)
		report_note(report,
			    "On the cores of the recording, as far as the target had them, the "
			    "replay misses its wall time by %.2f %%.",
			    100 * repeats->value);
}

static void warn_condition(struct report *report, const struct validity_finding *finding,
			   const struct validity_words *words)
{
	char text[64];

	report_warning(report, "Does not hold: %s (%s): %s.", words->what,
		       value_text(text, sizeof(text), finding->value, words), words->fails);
}

/* In few words: what to do about it is in the page, and in JSON. */
static void note_unknown_conditions(struct report *report, const struct validity *validity)
{
	char *text = xstrdup("");

	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		char *longer;

		if (validity->findings[i].answer != VALIDITY_UNKNOWN)
			continue;
		longer = xasprintf("%s%swhether %s", text, *text ? ", and " : "",
				   validity_words(i)->what);
		free(text);
		text = longer;
	}
	if (*text)
		report_warning(report, "Not known from this recording: %s.", text);
	free(text);
}

/*
 * What a replay takes for granted: in JSON all of it, in text what the replay makes of the
 * recording itself and what does not hold or is not known. `taken` tells whether the forecast is
 * that replay's.
 */
static void put_validity(struct report *report, const struct validity *validity, bool taken)
{
	put_conditions(report, validity);
	note_self_check(report, validity);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if ((taken || i == VALIDITY_ALONE) &&
		    validity->findings[i].answer == VALIDITY_FAILS)
			warn_condition(report, &validity->findings[i], validity_words(i));
	if (taken)
		note_unknown_conditions(report, validity);
}

/* --- What the intervals of a replay are made from ------------------------------------------ */

static const struct column interval_columns[] = {
	{"interval_terms", "", UNIT_NONE, 0},
	{"discrepancy_per_doubling", "", UNIT_SHARE, 0},
	{"overhead_share", "", UNIT_SHARE, 0},
};

static const struct table interval_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = interval_columns,
	.column_count = sizeof(interval_columns) / sizeof(interval_columns[0]),
};

static void put_interval_facts(struct report *report, const struct replayed *replayed)
{
	bool known = replayed_has_interval(replayed);
	char names[INTERVAL_NAMES_SIZE];

	interval_names(names, sizeof(names), replayed);
	report_begin(report, &interval_table);
	report_row(report, (struct cell[]){
				   cell_text(known ? names : NULL),
				   known ? cell_number(replayed->discrepancy) : cell_null(),
				   known ? cell_number(replayed->overhead_share) : cell_null(),
			   });
	report_end(report);
}

/* The number of replays that an interval is made from is limited by what they would take. */
static void note_replicates(struct report *report, const struct replayed *replayed)
{
	size_t most = variation_replicates(replayed->size, replayed->count);

	if (replayed->replicates && replayed->replicates < VARIATION_REPLICATES)
		report_note(report,
			    "The program is large: the interval is made from %zu replays and not "
			    "from %d. Fewer numbers of cores (-k) leave time for more.",
			    replayed->replicates, VARIATION_REPLICATES);
	else if (!most && replayed->size)
		report_note(report,
			    "The program is too large to find out within some seconds how much its "
			    "steps vary. Fewer numbers of cores (-k) leave time for it.");
}

/* Of steps that vary the condition `steps` says why it has nothing. */
static void note_discrepancy(struct report *report, const struct replayed *replayed)
{
	const char *lack = replayed->replicates ? "" : " It has nothing for steps that vary.";

	if (replayed->discrepancy > 0)
		report_note(report,
			    "For each doubling of cores the interval takes %.3g %% for what that "
			    "changes in caches, memory and clock (--discrepancy).%s",
			    100 * replayed->discrepancy, lack);
	else
		report_note(report, "The interval takes nothing for what other numbers of cores "
				    "change in caches, memory and clock (--discrepancy).");
}

static void note_alternatives(struct report *report, const struct replayed *replayed)
{
	if (replayed->alternatives & REPLAYED_CLOSED_FORM)
		report_note(report,
			    "What threads wait for is in part a guess: the interval reaches "
			    "to the closed form.");
	if (replayed->alternatives & REPLAYED_WITHOUT_POOLS)
		report_note(report, "That any thread can do what is taken from a queue is a guess: "
				    "the interval reaches to the wall time without that.");
	if (replayed->alternatives & REPLAYED_EVEN_WORK)
		report_note(report,
			    "Threads end together, so that they may have shared their work as it "
			    "came: the interval reaches to the wall time with the same for all.");
	if (replayed->alternatives & REPLAYED_OWN_WORK)
		report_note(report,
			    "More threads than cores end together, so that they are taken to share "
			    "their work as it comes: the interval reaches to the wall time with "
			    "each doing what it did.");
}

/* As facts in JSON, and notes in text. */
static void put_interval(struct report *report, const struct replayed *replayed)
{
	put_interval_facts(report, replayed);
	if (!replayed_has_interval(replayed))
		return;
	note_replicates(report, replayed);
	note_discrepancy(report, replayed);
	note_alternatives(report, replayed);
}

/* --- Notes --------------------------------------------------------------------------------- */

/* Below, other numbers of cores change next to nothing. */
static const double least_active_share = .01;

static void note_yields(struct report *report, const struct spun *spun)
{
	report_note(
		report,
		"Threads call sched_yield again and again for %.2f %% of their CPU time, which "
		"the replay takes for waits of the same length.%s",
		100 * yielded_share(&spun->yielded),
		spun->share.samples
			? ""
			: " Other loops that wait are known from samples only: record with -F.");
}

static void note_spin(struct report *report, const struct forecast_view *view)
{
	const struct spun *spun = view->spun;

	if (!view->replay) {
		report_note(report, "The closed form takes all CPU time for work, --spin or not.");
		return;
	}
	if (!spun->share.samples && !spun->yielded.calls)
		report_warning(report,
			       "The recording has no samples of running threads and no calls of "
			       "sched_yield, so that --spin waiting changes nothing: record with "
			       "-F, or with --sync.");
	if (spun->share.samples)
		report_note(report,
			    "Threads spin for %.2f %% (+- %.2f %%) of their CPU time, which the "
			    "replay takes for waits of the same length.",
			    100 * spin_share_value(&spun->share),
			    100 * spin_share_error(&spun->share));
	if (spun->yielded.calls)
		note_yields(report, spun);
}

static void note_call_costs(struct report *report, const struct replayed *replay)
{
	if (replay->calls_s > 0)
		report_note(report,
			    "To record its calls took %.1f ms of the program's CPU time, which are "
			    "left out of all replayed wall times.",
			    1e3 * replay->calls_s);
}

/* Where more than the last digit shown is another. */
static void note_scale(struct report *report, const struct replayed *replay)
{
	if (fabs(replay->scale - 1) >= 5e-5)
		report_note(report,
			    "On the cores of the recording the forecast is the replay times %.4f, "
			    "towards what was measured there, as far as that is not luck.",
			    replay->scale);
}

static void note_slowdown(struct report *report, const struct forecast_view *view)
{
	uint64_t most = 0;

	if (!view->replay)
		report_note(report, "The closed form does not know of cores that are slower.");
	for (size_t i = 0; i < view->count; i++)
		most = view->cores[i] > most ? view->cores[i] : most;
	if (view->replay && most > view->slowdown_cores)
		report_note(report,
			    "How much slower they are is known of up to %zu busy core%s, and "
			    "taken to stay so beyond.",
			    view->slowdown_cores, view->slowdown_cores == 1 ? "" : "s");
}

static void note_what_it_is_of(struct report *report, const struct forecast_view *view)
{
	const struct level_times *levels = view->levels;
	double idle_ns = (double)levels->wall_ns[0] + (double)levels->unknown_ns;
	double active_share = 1 - idle_ns / (double)levels->total_ns;

	if (view->attached)
		report_note(report, "The program ran already: it is a forecast of the part that "
				    "was recorded.");
	if (active_share < least_active_share && !levels->unknown_ns)
		report_note(report,
			    "Threads were active for %.2g %% of the wall time: the number of cores "
			    "matters little to what waits.",
			    100 * active_share);
}

static void note_unknown_time(struct report *report, const struct level_times *levels)
{
	report_note(report,
		    "For %.3g %% of the wall time (%.4f s) it is not known how many threads were "
		    "active; that time is carried over as it is.",
		    100 * (double)levels->unknown_ns / (double)levels->total_ns,
		    (double)levels->unknown_ns / 1e9);
}

/* What speaks against it comes first, and what is always so last. */
void report_forecast_notes(struct report *report, const struct forecast_view *view)
{
	if (view->reason)
		report_note(report, "It is the closed form, and not a replay: %s.", view->reason);
	if (view->levels->unknown_ns && !view->replay)
		note_unknown_time(report, view->levels);
	note_what_it_is_of(report, view);
	if (view->replay)
		put_interval(report, view->replay);
	if (view->replay)
		note_call_costs(report, view->replay);
	if (view->replay)
		note_scale(report, view->replay);
	if (view->slowdown)
		note_slowdown(report, view);
	if (view->spin_waits)
		note_spin(report, view);
	if (view->validity)
		put_validity(report, view->validity, view->replay != NULL);
	report_note(report, "%s", report_forecast_assumptions(view));
}
