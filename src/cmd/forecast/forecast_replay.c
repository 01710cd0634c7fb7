/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/forecast_replay.h"

#include "base/err.h"
#include "cmd/forecast/forecast_request.h"
#include "decode/event/chains.h"
#include "replay/forecast/recognise_checked.h"
#include "replay/forecast/scale_to_measured.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "report/progress.h"
#include "stats/spin/chain_names.h"

#include <math.h>

/* What no replay can be made without. */
static int check_possible(const struct validity *validity, struct err *err)
{
	if (validity->findings[VALIDITY_WAKES].answer != VALIDITY_FAILS)
		return 0;
	return err_set(err, "--model replay: cannot say: %s; take --model closed-form",
		       validity_words(VALIDITY_WAKES)->fails);
}

static const char *objection(const struct forecast_replay *replay)
{
	int condition = validity_objection(&replay->validity);

	return condition < 0 ? NULL : validity_words((enum validity_condition)condition)->fails;
}

/*
 * What only a replay tells is not told by one that cannot be trusted, unless that is asked for, and
 * never by one that does not come to its end: then wall times are none.
 */
static int check_trusted(const struct forecast_replay *replay,
			 const struct forecast_request *request, struct err *err)
{
	const char *option = why_options_name(&request->why);
	const struct validity_finding *findings = replay->validity.findings;
	bool ends = findings[VALIDITY_FINISHES].answer != VALIDITY_FAILS;

	if (!option || !objection(replay) || (request->model == MODEL_REPLAY && ends))
		return 0;
	if (!ends)
		return err_set(err, "%s: cannot say: %s", option,
			       validity_words(VALIDITY_FINISHES)->fails);
	return err_set(err, "%s: cannot say: %s%s", option, objection(replay),
		       findings[VALIDITY_WAKES].answer == VALIDITY_FAILS
			       ? ""
			       : "; give --model replay to have it all the same");
}

/* The intervals. Replays of large programs take some seconds. */
static int vary(struct forecast_replay *replay, const struct forecast_request *request,
		const struct forecast_recording *recording, const struct program *program,
		const struct machine *machine, const struct level_times *levels, struct err *err)
{
	const struct validity_finding *findings = replay->validity.findings;
	struct progress progress;
	bool guessed = findings[VALIDITY_LOCKS].answer == VALIDITY_FAILS ||
		       findings[VALIDITY_RECOGNISED].answer == VALIDITY_FAILS ||
		       findings[VALIDITY_BARRIERS].answer == VALIDITY_FAILS;
	const struct variation_request how = {.closed_form = guessed ? levels : NULL,
					      .overhead_share = recording->overhead_share,
					      .discrepancy = request->discrepancy,
					      .show = progress_show,
					      .context = &progress};
	int rc;

	progress_begin(&progress, request->trace.common->quiet);
	rc = variation_add(&replay->replay, program, machine, &how, err);
	progress_end(&progress);
	return rc;
}

/* Not before the forecast is made: names are for people. */
static void name_waits(struct forecast_replay *replay, const struct forecast_recording *recording,
		       struct program *program, struct forecast_view *view)
{
	if (!recording->chains->count)
		return;
	replay->names = chain_names_new(recording->chains, recording->samples);
	wait_names_apply(program, replay->names);
	view->names = replay->names;
}

static int run(struct forecast_replay *replay, const struct forecast_request *request,
	       const struct forecast_recording *recording, struct program *program,
	       struct forecast_view *view, struct err *err)
{
	const struct machine machine = {
		.cores = 1,
		.costs = program->costs,
		.slowdown = replay->slowdown.count ? replay->slowdown.factors : NULL,
		.slowdown_count = replay->slowdown.count,
	};
	struct recognised recognised;
	bool trusted, bounded;

	replay->replayed = true;
	if (recognise_checked(&replay->replay, &recognised, program, &machine, view->measured_cores,
			      replay->validity.findings[VALIDITY_ALONE].value, view->cores,
			      view->count, err))
		return -1;
	validity_add_recognised(&replay->validity, program, &recognised);
	validity_add_replay(&replay->validity, &replay->replay);
	scale_to_measured(&replay->replay, program);
	trusted = !objection(replay);
	bounded = trusted || validity_objects_to_locks_alone(&replay->validity);
	if (check_trusted(replay, request, err) ||
	    (bounded && vary(replay, request, recording, program, &machine, view->levels, err)))
		return -1;
	if (!bounded && request->model != MODEL_REPLAY)
		return 0;
	name_waits(replay, recording, program, view);
	return forecast_why_init(&replay->why, request, program, &machine, &replay->replay, trusted,
				 view, err);
}

static void find_spin(struct forecast_replay *replay, const struct forecast_request *request,
		      struct program *program, const struct samples *samples,
		      struct forecast_view *view)
{
	if (request->spin_waits)
		spin_to_waits(program, samples, &replay->spun);
	else
		spin_measure(program, samples, &replay->spun);
	view->spun = &replay->spun;
	view->spin_waits = request->spin_waits;
}

int forecast_replay_init(struct forecast_replay *replay, const struct forecast_request *request,
			 const struct forecast_recording *recording, struct program *program,
			 struct forecast_view *view, struct err *err)
{
	bool asked = request->model == MODEL_REPLAY;

	*replay = (struct forecast_replay){0};
	if (request->model == MODEL_CLOSED_FORM)
		return 0;
	if (forecast_slowdown(&replay->slowdown, &request->calibration, request->trace.common, err))
		return -1;
	view->slowdown = request->calibration.slowdown;
	view->slowdown_cores = replay->slowdown.count;
	slowdown_relate(&replay->slowdown, view->levels, view->measured_cores);
	find_spin(replay, request, program, recording->samples, view);
	validity_init(&replay->validity, program, recording->quality,
		      replayed_others_share(program, view->levels, view->measured_cores));
	validity_add_spin(&replay->validity, &replay->spun, request->spin_waits);
	view->validity = &replay->validity;
	if (asked && check_possible(&replay->validity, err))
		return -1;
	if (check_trusted(replay, request, err))
		return -1;
	view->reason = asked ? NULL : objection(replay);
	if (view->reason)
		return 0;
	if (run(replay, request, recording, program, view, err))
		return -1;
	view->reason = view->replay ? NULL : objection(replay);
	return 0;
}

void forecast_replay_release(struct forecast_replay *replay)
{
	if (replay->replayed) {
		forecast_why_release(&replay->why);
		replayed_release(&replay->replay);
	}
	slowdown_release(&replay->slowdown);
	chain_names_free(replay->names);
}
