/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A forecast of a simulated program (mock/machine.h) beside the truth: its recording goes through
 * the whole pipeline as text.
 */
#ifndef PSCAL_TESTS_MOCK_TRIAL_H
#define PSCAL_TESTS_MOCK_TRIAL_H

#include "mock/machine.h"

struct err;

enum { MOCK_TRIAL_CORES = 16, MOCK_TRIAL_RUNS = 64 };

/* [cores], 1 .. MOCK_TRIAL_CORES */
struct mock_truth {
	double runs_s[MOCK_TRIAL_CORES + 1][MOCK_TRIAL_RUNS]; /* the first `runs` are set */
	double wall_s[MOCK_TRIAL_CORES + 1];		      /* mean of the runs, */
	double scatter[MOCK_TRIAL_CORES + 1]; /* ... and their relative standard deviation */
};

struct mock_forecast {
	double closed_s[MOCK_TRIAL_CORES + 1];
	double edges_s[MOCK_TRIAL_CORES + 1]; /* a replay of the recorded wakes */
	double replay_s[MOCK_TRIAL_CORES + 1];
	size_t stuck;	   /* threads that waited for ever, in all replays */
	uint64_t presumed; /* as in struct recognised */
};

/* Of `runs` runs with different seeds of their noise, from one to MOCK_TRIAL_RUNS. */
void mock_truth(struct mock_truth *truth, const struct mock_program *program, unsigned runs);

/* Records as `run` says, without its trace, and forecasts. Returns 0, or -1 with a sentence. */
int mock_forecast(struct mock_forecast *forecast, const struct mock_program *program,
		  const struct mock_run *run, struct err *err);

#endif
