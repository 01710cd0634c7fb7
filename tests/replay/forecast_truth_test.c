/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts by replay, from the text of a trace on, compared with programs of a known wall time.
 * `make check` takes one program of each class and `make nightly` four; `make forecast-simulated`
 * takes more of them, and tells which goals are missed.
 */
#include "support.h"

#include "base/err.h"
#include "mock/trial.h"

#include <math.h>

enum { RUNS = 8, SEEDS = 4, RECORDED = 3 };

static const unsigned recorded_on[RECORDED] = {1, 2, 4};

struct held {
	const char *class_name;
	enum mock_calls calls;
	/* |error| in % of the truth: means of the first program and of all, and the largest of a
	 * run */
	double first[RECORDED], mean[RECORDED], most;
};

/*
 * Largest accepted errors: those of these programs, and a third more. The goals are a mean of 0.5 %
 * and 3 % at most, and a mean of 2 % if threads compete for locks and the calls are recorded. If
 * the wall time is random, as that of unequal threads, its mean of few runs is itself uncertain.
 * Sources that were late on one core are not recognised as sources.
 */
static const struct held held[] = {
	{"fork-join", MOCK_CALLS_NONE, {0.51, 0.20, 0.27}, {0.34, 0.18, 0.20}, 2.9},
	{"sleep", MOCK_CALLS_NONE, {0.10, 0.10, 0.10}, {0.37, 0.38, 0.37}, 3.8},
	{"unequal", MOCK_CALLS_NONE, {0.72, 0.73, 0.64}, {1.21, 1.21, 1.21}, 9.4},
	{"tree", MOCK_CALLS_NONE, {1.02, 1.02, 1.03}, {0.94, 0.91, 0.91}, 7.9},
	{"source", MOCK_CALLS_NONE, {0.10, 0.24, 0.28}, {8.23, 0.18, 0.14}, 32.9},
	{"counter", MOCK_CALLS_NONE, {0.90, 0.96, 0.98}, {2.10, 2.06, 2.08}, 11.3},
	{"pipeline", MOCK_CALLS_ALL, {1.18, 0.62, 0.18}, {0.67, 0.42, 0.11}, 1.5},
	{"pool", MOCK_CALLS_ALL, {0.10, 0.10, 0.10}, {0.14, 0.18, 0.14}, 1.1},
	{"farm", MOCK_CALLS_ALL, {0.82, 0.44, 0.46}, {1.64, 0.80, 0.58}, 4.0},
	{"locks", MOCK_CALLS_ALL, {0.94, 0.50, 0.74}, {1.38, 0.50, 0.46}, 6.4},
	{"locks", MOCK_CALLS_FUTEX, {6.60, 0.80, 1.00}, {6.50, 0.81, 1.05}, 26.4},
	{"nested", MOCK_CALLS_FUTEX, {24.00, 1.63, 1.17}, {11.10, 1.55, 0.67}, 47.0},
	{"nested", MOCK_CALLS_ALL, {1.62, 1.07, 0.90}, {1.20, 0.66, 0.62}, 6.7},
	{"readers", MOCK_CALLS_ALL, {0.34, 0.35, 0.69}, {0.75, 0.74, 0.76}, 5.5},
};

struct errors {
	double sum, most;
	size_t count;
};

static void add_forecast(struct errors *errors, const struct mock_program *program,
			 enum mock_calls calls, unsigned recorded, const struct mock_truth *truth)
{
	const struct mock_run run = {
		.cores = recorded, .seed = 1, .calls = calls, .layout = MOCK_TRACE_CMD};
	struct mock_forecast forecast;
	struct err err;

	if (mock_forecast(&forecast, program, &run, &err))
		fail_msg("%s", err.text);
	assert_int_equal(forecast.stuck, 0);
	for (unsigned cores = 1; cores <= MOCK_TRIAL_CORES; cores++) {
		double error = 100 * fabs(forecast.replay_s[cores] / truth->wall_s[cores] - 1);

		errors->sum += error;
		errors->most = fmax(errors->most, error);
		errors->count++;
	}
}

/* Adds the errors for each number of cores on which the programs of a class were recorded. */
static void add_programs(struct errors errors[RECORDED], const struct held *of)
{
	const uint64_t seeds = is_nightly() ? SEEDS : 1;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct mock_program *program = mock_program_new(of->class_name, seed);
		struct mock_truth truth;

		mock_truth(&truth, program, RUNS);
		for (size_t k = 0; k < RECORDED; k++)
			add_forecast(&errors[k], program, of->calls, recorded_on[k], &truth);
		mock_program_free(program);
	}
}

/* Reports all errors that are too large before it fails. */
static void forecasts_are_near_the_truth(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		struct errors errors[RECORDED] = {{.count = 0}};

		add_programs(errors, &held[i]);
		for (size_t k = 0; k < RECORDED; k++) {
			double mean = errors[k].sum / (double)errors[k].count;
			double held_mean = is_nightly() ? held[i].mean[k] : held[i].first[k];

			if (mean <= held_mean && errors[k].most <= held[i].most)
				continue;
			failed++;
			print_error("%s, recorded on %u: %.2f %% from the truth, %.1f at most; "
				    "not %.2f, %.1f\n",
				    held[i].class_name, recorded_on[k], mean, errors[k].most,
				    held_mean, held[i].most);
		}
	}
	assert_int_equal(failed, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(forecasts_are_near_the_truth),
};

TEST_FILE(tests);
