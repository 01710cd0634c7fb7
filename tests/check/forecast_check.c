/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/forecast_check.h"

#include "base/err.h"
#include "replay/forecast/recognise_checked.h"
#include "replay/forecast/replayed_usl.h"
#include "replay/forecast/scale_to_measured.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "replay/program/program_read.h"
#include "replay/program/spin.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <math.h>

/* So few slices, as what is looked for is in the steps. */
enum { ON_CORES = 3, SLICES = 1000 };
static const uint64_t on_cores[ON_CORES] = {1, 2, 64};

static int check_point(const struct replayed *replayed, const struct replayed_point *point,
		       struct err *err)
{
	double bound_s = (double)bounds_wall_ns(&replayed->bounds, (unsigned)point->cores) / 1e9;

	if (!(point->wall_s >= 0) || isinf(point->wall_s))
		return err_set(err, "it takes %g s on %" PRIu64 " cores", point->wall_s,
			       point->cores);
	if (!point->stuck && point->wall_s < bound_s * (1 - 1e-9) - 1e-8)
		return err_set(err, "it takes %.9f s on %" PRIu64 " cores, and %.9f s at least",
			       point->wall_s, point->cores, bound_s);
	if (!isnan(point->lo_s) && !(point->lo_s <= point->wall_s && point->wall_s <= point->hi_s))
		return err_set(err, "%g s on %" PRIu64 " cores are not from %g to %g s",
			       point->wall_s, point->cores, point->lo_s, point->hi_s);
	return 0;
}

static int check_points(const struct replayed *replayed, struct err *err)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (check_point(replayed, &replayed->points[i], err))
			return -1;
	return 0;
}

static int check_why(const struct program *program, const struct machine *machine, struct err *err)
{
	struct why why;
	int rc = why_init(&why, program, machine, &on_cores[1], 1, NULL, err);

	for (size_t i = 0; !rc && i < why.count; i++)
		for (size_t j = 0; !rc && j < why.sites; j++)
			if (why.points[i].savings[j].site >= program->site_count ||
			    why.points[i].savings[j].wall_s < 0)
				rc = err_set(
					err, "site %u saves %g s", why.points[i].savings[j].site,
					why_saved_s(&why.points[i], &why.points[i].savings[j]));
	why_release(&why);
	return rc;
}

/* That no curve fits is no fault. */
static void fit_curve(const struct program *program, const struct machine *machine,
		      const struct level_times *levels)
{
	struct replayed_usl usl;
	struct err why = {""};

	replayed_usl_init(&usl, program, machine, NULL, 16, levels->max_active, &why);
	replayed_usl_release(&usl);
}

static int check_replay(struct program *program, const struct profile *profile,
			const struct samples *samples, struct err *err)
{
	const uint64_t cores = profile->cores ? profile->cores : 1;
	const double others_share = replayed_others_share(program, &profile->levels, cores);
	struct machine machine = {.cores = 1, .costs = program->costs};
	const struct variation_request how = {.overhead_share = .01, .discrepancy = .05};
	struct recognised recognised;
	struct replayed replayed;
	struct validity validity;
	struct spun spun;
	int rc;

	machine.costs.slice_ns = program->wall_ns / SLICES;
	spin_to_waits(program, samples, &spun);
	validity_init(&validity, program, &profile->quality, others_share);
	validity_add_spin(&validity, &spun, true);
	rc = recognise_checked(&replayed, &recognised, program, &machine, cores, others_share,
			       on_cores, ON_CORES, err);
	if (!rc) {
		validity_add_recognised(&validity, program, &recognised);
		validity_add_replay(&validity, &replayed);
		scale_to_measured(&replayed, program);
		rc = variation_add(&replayed, program, &machine, &how, err) ||
		     check_points(&replayed, err) || check_why(program, &machine, err);
		fit_curve(program, &machine, &profile->levels);
	}
	replayed_release(&replayed);
	return rc ? -1 : 1;
}

/* In the one pass in which the command reads both. */
static int read_both(struct profile *profile, struct program *program, struct event_source *source)
{
	const struct selection everybody = {0};
	struct profiler *profiler = profiler_new(source, &everybody, 0);
	struct program_reader *reader =
		program_reader_new(program, profiler_timeline(profiler), source);
	struct err why = {""};
	int rc;

	profiler_watch(profiler, program_reader_take, reader);
	rc = profiler_run(profiler, &why);
	if (!rc) {
		profiler_profile(profile, profiler);
		program_reader_finish(reader);
	}
	program_reader_free(reader);
	profiler_free(profiler);
	return rc;
}

int forecast_check_trace(struct event_source *source, struct err *err)
{
	struct profile profile;
	struct program program;
	int rc = 0;

	source->samples.timed = true;
	if (!read_both(&profile, &program, source)) {
		rc = check_replay(&program, &profile, &source->samples, err);
		profile_release(&profile);
	}
	program_release(&program);
	return rc;
}
