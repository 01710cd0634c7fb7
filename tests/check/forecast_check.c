/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/forecast_check.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program_read.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Few slices are enough, as faults are looked for in the steps. */
enum { ON_CORES = 3, SLICES = 1000 };
static const uint64_t on_cores[ON_CORES] = {1, 2, 64};

static int check_point(const struct forecast_points *replayed, const struct forecast_point *point,
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

static int check_points(const struct forecast_points *replayed, struct err *err)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (check_point(replayed, &replayed->points[i], err))
			return -1;
	return 0;
}

static int check_why(const struct program *program, const struct why *why, struct err *err)
{
	for (size_t i = 0; i < why->count; i++)
		for (size_t j = 0; j < why->tried; j++) {
			const struct why_point *point = &why->points[i];
			const struct why_saving *saving = &point->savings[j];

			if (saving->wall_s < 0 ||
			    (!saving->work && saving->site >= program->site_count))
				return err_set(err, "site %u saves %g s", saving->site,
					       why_saved_s(point, saving));
			if (saving->path_s > 1.001 * point->wall_s)
				return err_set(err, "'%s' has %g s of a path of %g s", saving->work,
					       saving->path_s, point->wall_s);
		}
	return 0;
}

/* The program did not end, wakes are missing, or no curve fits. Any other error is a fault. */
static bool is_refusal(const char *sentence)
{
	static const char *const refusals[] = {"there is no forecast", "--why needs a replay: ",
					       "--what-if needs a replay: ", "--usl: no more than"};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strstr(sentence, refusals[i]))
			return true;
	return false;
}

static int check_replay(struct program *program, const struct profile *profile,
			const struct event_source *source, struct err *err)
{
	const struct forecast_request request = {
		.model = FORECAST_REPLAY,
		.measured_cores = profile->cores ? profile->cores : 1,
		.cores = on_cores,
		.count = ON_CORES,
		.spin_waits = true,
		.discrepancy = .05,
		.why = true,
		.usl = true,
	};
	struct forecast forecast;
	struct err why = {.text = ""};
	int rc, made;

	program->costs.slice_ns = program->wall_ns / SLICES;
	made = forecast_make(&forecast, &request, program, profile, source, &why);
	rc = forecast.shown != NULL;
	if (made && !is_refusal(why.text))
		rc = err_set(err, "%s", why.text);
	else if (forecast.shown && check_points(forecast.shown, err))
		rc = -1;
	else if (forecast.why && check_why(program, forecast.why, err))
		rc = -1;
	forecast_release(&forecast);
	return rc;
}

/* Reads both in one pass, as the command does. */
static int read_both(struct profile *profile, struct program *program, struct event_source *source)
{
	const struct selection everybody = {0};
	struct profiler *profiler = profiler_new(source, &everybody, 0);
	struct program_reader *reader =
		program_reader_new(program, profiler_timeline(profiler), source);
	struct err why = {.text = ""};
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
		rc = check_replay(&program, &profile, source, err);
		profile_release(&profile);
	}
	program_release(&program);
	return rc;
}
