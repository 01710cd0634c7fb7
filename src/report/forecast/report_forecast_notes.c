/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_notes.h"

#include "replay/forecast/replayed.h"
#include "replay/program/spin.h"
#include "report/forecast/forecast_view.h"
#include "report/forecast/report_interval.h"
#include "report/forecast/report_validity.h"

#include <math.h>

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

/* Below, other numbers of cores change next to nothing. */
static const double least_active_share = .01;

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

static void note_unknown(struct report *report, const struct level_times *levels)
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
		note_unknown(report, view->levels);
	note_what_it_is_of(report, view);
	if (view->replay)
		report_interval(report, view->replay);
	if (view->replay)
		note_call_costs(report, view->replay);
	if (view->replay)
		note_scale(report, view->replay);
	if (view->slowdown)
		note_slowdown(report, view);
	if (view->spin_waits)
		note_spin(report, view);
	if (view->validity)
		report_validity(report, view->validity, view->replay != NULL);
	report_note(report, "%s", report_forecast_assumptions(view));
}
