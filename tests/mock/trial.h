/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A forecast of a program that is only pretended to run (mock/machine.h), beside the truth: what is
 * recorded of it goes all the way through the pipeline as text.
 */
#ifndef PSCAL_TESTS_MOCK_TRIAL_H
#define PSCAL_TESTS_MOCK_TRIAL_H

#include "mock/machine.h"

struct err;

enum { MOCK_TRIAL_CORES = 16, MOCK_TRIAL_RUNS = 64 };

/* [cores], 1 .. MOCK_TRIAL_CORES */
struct mock_truth {
	double runs_s[MOCK_TRIAL_CORES + 1][MOCK_TRIAL_RUNS]; /* as many as were wanted */
	double wall_s[MOCK_TRIAL_CORES + 1];		      /* the mean of some runs, */
	double scatter[MOCK_TRIAL_CORES + 1]; /* ... their standard deviation in terms of that */
};

struct mock_forecast {
	double closed_s[MOCK_TRIAL_CORES + 1];
	double edges_s[MOCK_TRIAL_CORES + 1]; /* a replay of the wakes as they were recorded */
	double replay_s[MOCK_TRIAL_CORES + 1];
	size_t stuck;	   /* threads, in all replays */
	uint64_t presumed; /* as in struct recognised */
};

/* Of `runs` runs that differ in their luck, from one to MOCK_TRIAL_RUNS. */
void mock_truth(struct mock_truth *truth, const struct mock_program *program, unsigned runs);

/* Records as `run` says, without a trace of its own, and forecasts. Returns 0, or -1 with a
 * sentence. */
int mock_forecast(struct mock_forecast *forecast, const struct mock_program *program,
		  const struct mock_run *run, struct err *err);

#endif
