/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_forecast_notes.h"

#include "replay/replayed.h"
#include "replay/spin.h"
#include "report/forecast_view.h"
#include "report/report_interval.h"
#include "report/report_validity.h"

static const char closed_form_assumptions[] =
	"Active threads are independent and their work does not depend on the number of cores: no "
	"lock that binds only on more cores, no spinning, the same clock and memory speed. The "
	"closed form gives no interval.";

#define REPLAY_ASSUMPTIONS(but, same)                                                             \
	"Threads take the steps that they took, and wait for each other as they did; their work " \
	"does not depend on the number of cores" but ": " same                                    \
	" for what is outside as long as they were."
#define BUT_SLOWER ", but that it is slower while more of them are busy"

/* [with --slowdown][with --spin waiting] */
static const char *const replay_assumptions[2][2] = {
	{REPLAY_ASSUMPTIONS("", "no spinning, the same clock and memory speed, and waits"),
	 REPLAY_ASSUMPTIONS("", "the same clock and memory speed, and waits by spinning and")},
	{REPLAY_ASSUMPTIONS(BUT_SLOWER, "no spinning, and waits"),
	 REPLAY_ASSUMPTIONS(BUT_SLOWER, "waits by spinning and")},
};

const char *report_forecast_assumptions(const struct forecast_view *view)
{
	if (!view->replay)
		return closed_form_assumptions;
	return replay_assumptions[view->slowdown != NULL][view->spin_waits];
}

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

void report_forecast_notes(struct report *report, const struct forecast_view *view)
{
	if (view->replay)
		report_interval(report, view->replay);
	if (view->replay)
		note_call_costs(report, view->replay);
	report_note(report, "%s", report_forecast_assumptions(view));
	if (view->reason)
		report_note(report, "It is the closed form, and not a replay: %s.", view->reason);
	if (view->slowdown)
		note_slowdown(report, view);
	if (view->spin_waits)
		note_spin(report, view);
	if (view->validity)
		report_validity(report, view->validity, view->replay != NULL);
	if (view->levels->unknown_ns && !view->replay)
		report_note(
			report,
			"The time in which the number of active threads is not known (%.4f s) is "
			"carried over as it is.",
			(double)view->levels->unknown_ns / 1e9);
}
