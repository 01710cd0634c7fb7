/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/forecast_why.h"

#include "base/alloc.h"
#include "base/err.h"
#include "cmd/forecast/forecast_request.h"
#include "cmd/options/fit_claims.h"
#include "replay/forecast/scale_to_measured.h"
#include "replay/forecast/variation.h"
#include "replay/simulate/replays.h"
#include "report/forecast/forecast_view.h"
#include "report/progress.h"
#include "stats/profile/levels.h"

#include <stdlib.h>
#include <string.h>

const char *why_options_name(const struct why_options *options)
{
	if (options->why)
		return "--why";
	if (options->changes)
		return "--what-if";
	return options->usl ? "--usl" : NULL;
}

static size_t count_changes(const struct why_options *options)
{
	size_t count = 0;

	while (options->changes && options->changes[count])
		count++;
	return count;
}

/* Names may hold a "=", shares do not. */
static int read_share(double *share, const char *change, struct err *err)
{
	const char *sign = strrchr(change, '=');

	if (!sign || sign == change || fit_share_parse(share, sign + 1) ||
	    !(*share >= 0 && *share <= 1))
		return err_set(err,
			       "--what-if %s: give SITE=SHARE, with a share from 0 to 1 or a "
			       "percentage",
			       change);
	return 0;
}

int why_options_check(const struct why_options *options, struct err *err)
{
	double ignored;

	for (size_t i = 0; i < count_changes(options); i++)
		if (read_share(&ignored, options->changes[i], err))
			return -1;
	return 0;
}

void why_options_release(struct why_options *options)
{
	for (size_t i = 0; i < count_changes(options); i++)
		free(options->changes[i]);
	free(options->changes);
}

/* --- What if ------------------------------------------------------------------------------- */

static int read_change(struct wait_cost *cost, const char *change, const struct program *program,
		       struct err *err)
{
	char *name;
	int rc;

	if (read_share(&cost->share, change, err))
		return -1;
	name = xstrdup(change);
	*strrchr(name, '=') = '\0';
	rc = wait_sites_find(&cost->site, program, name, err);
	if (!rc)
		rc = wait_sites_check(program, cost, err);
	free(name);
	return rc ? err_wrap(err, "--what-if %s", change) : 0;
}

static int read_changes(struct forecast_why *why, const struct why_options *options,
			const struct program *program, struct err *err)
{
	size_t count = count_changes(options);

	why->costs = xcalloc(count + 1, sizeof(*why->costs));
	for (size_t i = 0; i < count; i++) {
		if (read_change(&why->costs[i], options->changes[i], program, err))
			return -1;
		for (size_t j = 0; j < i; j++)
			if (why->costs[j].site == why->costs[i].site)
				return err_set(err, "--what-if %s: this site is named twice",
					       options->changes[i]);
	}
	why->site_costs = wait_sites_costs(program, why->costs, count);
	return 0;
}

/* The same with what waiting costs then. How far it can be trusted is told by the forecast. */
static int run_what_if(struct forecast_why *why, const struct program *program,
		       const struct machine *machine, const struct replayed *replayed,
		       const struct forecast_view *view, struct err *err)
{
	if (replayed_init(&why->what_if, program, machine, replayed->recorded_cores,
			  replayed->others_share, view->cores, view->count, err))
		return -1;
	why->what_if.self_s = replayed->self_s;
	scale_as(&why->what_if, replayed, program);
	for (size_t i = 0; i < why->what_if.count; i++)
		if (why->what_if.points[i].stuck > replayed->points[i].stuck)
			return err_set(err,
				       "--what-if: cannot say: on %ju cores threads wait then for "
				       "what never comes",
				       (uintmax_t)why->what_if.points[i].cores);
	return 0;
}

static int vary_what_if(struct forecast_why *why, const struct forecast_request *request,
			const struct program *program, const struct machine *machine,
			const struct replayed *replayed, struct err *err)
{
	struct progress progress;
	const struct variation_request how = {.overhead_share = replayed->overhead_share,
					      .discrepancy = replayed->discrepancy,
					      .show = progress_show,
					      .context = &progress};
	int rc;

	progress_begin(&progress, request->trace.common->quiet);
	rc = variation_add(&why->what_if, program, machine, &how, err);
	progress_end(&progress);
	return rc;
}

static int answer_what_if(struct forecast_why *why, const struct forecast_request *request,
			  const struct program *program, struct machine *machine,
			  const struct replayed *replayed, bool intervals,
			  struct forecast_view *view, struct err *err)
{
	if (read_changes(why, &request->why, program, err))
		return -1;
	machine->site_costs = why->site_costs;
	if (run_what_if(why, program, machine, replayed, view, err) ||
	    (intervals && vary_what_if(why, request, program, machine, replayed, err)))
		return -1;
	view->what_ifs = why->costs;
	view->what_if_count = count_changes(&request->why);
	view->sites = program->sites;
	view->unchanged = replayed;
	view->replay = &why->what_if;
	return 0;
}

/* --- The others ---------------------------------------------------------------------------- */

static int answer_why(struct forecast_why *why, const struct forecast_request *request,
		      const struct program *program, const struct machine *machine,
		      struct forecast_view *view, struct err *err)
{
	const uint64_t *cores = request->listed ? view->cores : &view->measured_cores;
	struct progress progress;
	const struct replays_watch watch = {progress_show, &progress};
	int rc;

	progress_begin(&progress, request->trace.common->quiet);
	rc = why_init(&why->why, program, machine, cores, request->listed ? view->count : 1, &watch,
		      err);
	if (!rc)
		why_scale(&why->why, view->replay);
	progress_end(&progress);
	view->why = &why->why;
	return rc;
}

static int answer_usl(struct forecast_why *why, const struct program *program,
		      const struct machine *machine, struct forecast_view *view, struct err *err)
{
	uint64_t largest = 1;

	for (size_t i = 0; i < view->count; i++)
		if (view->cores[i] > largest)
			largest = view->cores[i];
	if (replayed_usl_init(&why->usl, program, machine, view->replay, largest,
			      view->levels->max_active, err))
		return err_wrap(err, "--usl: cannot say");
	view->usl = &why->usl;
	return 0;
}

int forecast_why_init(struct forecast_why *why, const struct forecast_request *request,
		      const struct program *program, const struct machine *machine,
		      const struct replayed *replayed, bool intervals, struct forecast_view *view,
		      struct err *err)
{
	const struct why_options *options = &request->why;
	struct machine changed = *machine;

	view->replay = replayed;
	if (options->changes &&
	    answer_what_if(why, request, program, &changed, replayed, intervals, view, err))
		return -1;
	if (options->why && answer_why(why, request, program, &changed, view, err))
		return -1;
	return options->usl ? answer_usl(why, program, &changed, view, err) : 0;
}

void forecast_why_release(struct forecast_why *why)
{
	free(why->site_costs);
	free(why->costs);
	replayed_release(&why->what_if);
	why_release(&why->why);
	replayed_usl_release(&why->usl);
}
