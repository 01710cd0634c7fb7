/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/trial.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast_points.h"
#include "replay/program/program_read.h"
#include "stats/profile/profile.h"

#include <gsl/gsl_statistics_double.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void mock_truth(struct mock_truth *truth, const struct mock_program *program, unsigned runs)
{
	for (unsigned cores = 1; cores <= MOCK_TRIAL_CORES; cores++) {
		double *walls = truth->runs_s[cores];

		for (unsigned i = 0; i < runs && i < MOCK_TRIAL_RUNS; i++) {
			const struct mock_run run = {.cores = cores, .seed = 1000 + i};

			walls[i] = (double)mock_run(program, &run) / 1e9;
		}
		truth->wall_s[cores] = gsl_stats_mean(walls, 1, runs);
		truth->scatter[cores] =
			runs < 2 ? 0 : gsl_stats_sd(walls, 1, runs) / truth->wall_s[cores];
	}
}

/* --- Forecasts ------------------------------------------------------------------------------- */

static struct event_source *open_trace(const char *path, struct err *err)
{
	struct input *input = trace_input_open(path, INPUT_OF_ANYONE, err);

	return input ? trace_input_read(input, err) : NULL;
}

static int forecast_closed(struct mock_forecast *forecast, const char *path, unsigned recorded,
			   struct err *err)
{
	const struct selection all = {.pids = NULL};
	struct event_source *source = open_trace(path, err);
	struct profile profile = {0};
	int rc;

	if (!source)
		return -1;
	rc = profile_init(&profile, source, &all, 0, err);
	for (unsigned cores = 1; !rc && cores <= MOCK_TRIAL_CORES; cores++)
		forecast->closed_s[cores] = closed_form_wall_s(&profile.levels, recorded, cores);
	if (!rc)
		profile_release(&profile);
	event_source_free(source);
	return rc;
}

/* Returns the number of threads that waited for ever in all replays. */
static size_t keep_walls(double *wall_s, const struct forecast_points *replayed)
{
	size_t stuck = 0;

	for (unsigned i = 1; i <= MOCK_TRIAL_CORES; i++) {
		const struct forecast_point *point = forecast_points_find(replayed, i);

		wall_s[i] = point->wall_s;
		stuck += point->stuck;
	}
	return stuck;
}

static int replay_edges(struct mock_forecast *forecast, const struct program *program,
			unsigned recorded, const uint64_t *cores, struct err *err)
{
	const struct machine machine = {.cores = 1, .costs = program->costs};
	struct forecast_points replayed;
	int rc;

	rc = forecast_points_init(&replayed, program, &machine, recorded, 0, cores,
				  MOCK_TRIAL_CORES, err);
	if (!rc)
		keep_walls(forecast->edges_s, &replayed);
	forecast_points_release(&replayed);
	return rc;
}

static int replay_recognised(struct mock_forecast *forecast, struct program *program,
			     unsigned recorded, const uint64_t *cores, struct err *err)
{
	const struct machine machine = {.cores = 1, .costs = program->costs};
	struct forecast_points replayed;
	struct recognised recognised;
	int rc;

	rc = recognise_checked(&replayed, &recognised, program, &machine, recorded, 0, cores,
			       MOCK_TRIAL_CORES, err);
	if (!rc) {
		scale_to_measured(&replayed, program);
		forecast->stuck = keep_walls(forecast->replay_s, &replayed);
		forecast->presumed = recognised.presumed;
	}
	forecast_points_release(&replayed);
	return rc;
}

static int forecast_replay(struct mock_forecast *forecast, const char *path, unsigned recorded,
			   struct err *err)
{
	const struct selection all = {.pids = NULL};
	struct event_source *source = open_trace(path, err);
	uint64_t cores[MOCK_TRIAL_CORES];
	struct program program = {0};
	int rc;

	if (!source)
		return -1;
	for (unsigned i = 0; i < MOCK_TRIAL_CORES; i++)
		cores[i] = i + 1;
	rc = program_read(&program, source, &all, err);
	event_source_free(source);
	rc = rc ? rc : replay_edges(forecast, &program, recorded, cores, err);
	rc = rc ? rc : replay_recognised(forecast, &program, recorded, cores, err);
	program_release(&program);
	return rc;
}

int mock_forecast(struct mock_forecast *forecast, const struct mock_program *program,
		  const struct mock_run *run, struct err *err)
{
	int descriptor = memfd_create("trace", MFD_CLOEXEC), rc;
	struct mock_run recorded = *run;
	char path[40];

	*forecast = (struct mock_forecast){.stuck = 0};
	recorded.trace = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	if (!recorded.trace)
		return err_set(err, "a file in memory: it cannot be made");
	if (!mock_run(program, &recorded)) {
		fclose(recorded.trace);
		return err_set(err, "a program of the tests waits for ever: mend it");
	}
	fflush(recorded.trace);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	rc = forecast_closed(forecast, path, run->cores, err);
	rc = rc ? rc : forecast_replay(forecast, path, run->cores, err);
	fclose(recorded.trace);
	return rc;
}
