/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock_trial.h"

#include "base/err.h"
#include "base/input.h"
#include "decode/event_source.h"
#include "fit/closed_form.h"
#include "replay/program_read.h"
#include "replay/recognise.h"
#include "replay/replays.h"
#include "stats/profile.h"

#include <gsl/gsl_statistics_double.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void mock_truth(struct mock_truth *truth, const struct mock_program *program, unsigned runs)
{
	for (unsigned cores = 1; cores <= MOCK_TRIAL_CORES; cores++) {
		double *walls = truth->runs_s[cores];

		for (unsigned i = 0; i < runs && i < MOCK_TRIAL_RUNS; i++) {
			const struct mock_run run = {.cores = cores, .luck = 1000 + i};

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
	struct input *input = event_source_input(path, err);

	return input ? event_source_open(input, err) : NULL;
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

/* Returns how many threads waited for ever, or -1. */
static long replay(double *wall_s, const struct program *program, struct err *err)
{
	struct replay replays[MOCK_TRIAL_CORES];
	long stuck = 0;

	for (unsigned i = 0; i < MOCK_TRIAL_CORES; i++)
		replays[i] = (struct replay){.program = program,
					     .machine = {.cores = i + 1, .costs = program->costs}};
	if (replays_run_mean(replays, MOCK_TRIAL_CORES, NULL, NULL, err))
		return -1;
	for (unsigned i = 0; i < MOCK_TRIAL_CORES; i++) {
		wall_s[i + 1] = (double)replays[i].simulated.wall_ns / 1e9;
		stuck += (long)replays[i].simulated.stuck;
	}
	return stuck;
}

static int forecast_replay(struct mock_forecast *forecast, const char *path, struct err *err)
{
	const struct selection all = {.pids = NULL};
	struct event_source *source = open_trace(path, err);
	struct recognised recognised;
	struct program program;
	long rc;

	if (!source)
		return -1;
	program_init(&program);
	rc = program_read(&program, source, &all, err);
	event_source_free(source);
	if (!rc)
		rc = replay(forecast->edges_s, &program, err);
	if (rc >= 0) {
		recognise(&program, &recognised);
		rc = replay(forecast->replay_s, &program, err);
		forecast->stuck = rc > 0 ? (size_t)rc : 0;
		forecast->presumed = recognised.presumed;
	}
	program_release(&program);
	return rc < 0 ? -1 : 0;
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
	rc = rc ? rc : forecast_replay(forecast, path, err);
	fclose(recorded.trace);
	return rc;
}
