/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_simulated SEEDS [CLASS]: errors of forecasts for programs of each class that are
 * recorded on 1, 2 and 4 cores and forecast for 1 to 16. SEEDS is the number of programs, which
 * have the seeds 1 and so on, or FIRST-LAST: so a rule that was chosen with some seeds can be
 * tested with other ones.
 *
 * forecast_simulated --case CLASS SEED CORES none|futex|all: one program, core by core.
 *
 * The truth is the mean of RUNS runs that differ only in the noise of the scheduler. The table also
 * shows their standard deviation, the errors of the replay against single runs, and the errors of
 * the truth against single runs, "noise": no forecast can have smaller ones. The standard error of
 * the truth is a fourth of the standard deviation of the runs.
 */
#include "base/err.h"
#include "mock/trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 16 };

static const char *const calls_names[] = {"none", "futex", "all"};

/* --- Goals of a forecast --------------------------------------------------------------------- */

/*
 * A lock call that does not wait leaves no event, so the contention of classes with locks is only
 * partly recorded. Classes without a mean and a largest error here have no goal.
 */
struct goal {
	const char *class_name;
	enum mock_calls calls;
	double mean, most; /* NaN: none */
};

static const struct goal goals[] = {
	{"fork-join", MOCK_CALLS_NONE, 0.005, 0.03}, {"pipeline", MOCK_CALLS_NONE, 0.005, 0.03},
	{"sleep", MOCK_CALLS_NONE, 0.005, 0.03},     {"unequal", MOCK_CALLS_NONE, 0.005, 0.03},
	{"pool", MOCK_CALLS_NONE, 0.005, 0.03},	     {"tree", MOCK_CALLS_NONE, 0.005, 0.03},
	{"source", MOCK_CALLS_NONE, 0.005, 0.03},    {"counter", MOCK_CALLS_NONE, 0.005, 0.03},
	{"farm", MOCK_CALLS_NONE, 0.005, 0.03},	     {"farm", MOCK_CALLS_ALL, 0.005, 0.03},
	{"pipeline", MOCK_CALLS_FUTEX, 0.005, 0.03}, {"pool", MOCK_CALLS_FUTEX, 0.005, 0.03},
	{"pipeline", MOCK_CALLS_ALL, 0.005, 0.03},   {"pool", MOCK_CALLS_ALL, 0.005, 0.03},
	{"locks", MOCK_CALLS_NONE, NAN, NAN},	     {"locks", MOCK_CALLS_FUTEX, NAN, NAN},
	{"locks", MOCK_CALLS_ALL, 0.02, NAN},	     {"nested", MOCK_CALLS_NONE, NAN, NAN},
	{"nested", MOCK_CALLS_FUTEX, NAN, NAN},	     {"nested", MOCK_CALLS_ALL, 0.02, NAN},
	{"readers", MOCK_CALLS_NONE, NAN, NAN},	     {"readers", MOCK_CALLS_ALL, 0.02, NAN},
};

static const unsigned recorded_on[] = {1, 2, 4};

/* --- Errors ---------------------------------------------------------------------------------- */

struct errors {
	double sum, most;
	size_t count;
};

static void add(struct errors *errors, double error)
{
	errors->sum += fabs(error);
	errors->most = fmax(errors->most, fabs(error));
	errors->count++;
}

static double mean(const struct errors *errors)
{
	return errors->sum / (double)errors->count;
}

struct row {
	struct errors closed, edges, replay, truth;
	struct errors single, noise; /* of the replay, and of the truth, against single runs */
	double worse;		     /* largest excess over the error of the closed form */
	size_t stuck;
};

static void add_forecast(struct row *row, const struct mock_truth *truth,
			 const struct mock_forecast *forecast)
{
	for (unsigned cores = 1; cores <= MOCK_TRIAL_CORES; cores++) {
		double wall_s = truth->wall_s[cores];
		double closed = forecast->closed_s[cores] / wall_s - 1;
		double replay = forecast->replay_s[cores] / wall_s - 1;

		add(&row->closed, closed);
		add(&row->edges, forecast->edges_s[cores] / wall_s - 1);
		add(&row->replay, replay);
		add(&row->truth, truth->scatter[cores]);
		for (unsigned i = 0; i < RUNS; i++) {
			double run_s = truth->runs_s[cores][i];

			add(&row->single, forecast->replay_s[cores] / run_s - 1);
			add(&row->noise, wall_s / run_s - 1);
		}
		row->worse = fmax(row->worse, fabs(replay) - fabs(closed));
	}
	row->stuck += forecast->stuck;
}

static void forecast_or_exit(struct mock_forecast *forecast, const struct mock_program *program,
			     unsigned cores, enum mock_calls calls)
{
	const struct mock_run run = {
		.cores = cores, .seed = 1, .calls = calls, .layout = MOCK_TRACE_CMD};
	struct err err = {.text = ""};

	if (!mock_forecast(forecast, program, &run, &err))
		return;
	fprintf(stderr, "forecast_simulated: %s\n", err.text);
	exit(1);
}

/* --- Tables ---------------------------------------------------------------------------------- */

static const char *verdict(const struct row *row, const struct goal *goal)
{
	if (row->worse > 0.01)
		return "no: the closed form is better";
	if (!(mean(&row->replay) > goal->mean) && !(row->replay.most > goal->most))
		return isnan(goal->mean) ? "-" : "yes";
	return "no";
}

static bool print_row(const struct row *row, const struct goal *goal, unsigned cores)
{
	const struct errors *shown[] = {&row->closed, &row->edges,  &row->replay,
					&row->truth,  &row->single, &row->noise};
	const char *met = verdict(row, goal);

	printf("%-10s %-6s %2u", goal->class_name, calls_names[goal->calls], cores);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		printf("  %6.2f %6.1f", 100 * mean(shown[i]), 100 * shown[i]->most);
	printf("  %6.2f  %s\n", 100 * row->worse, met);
	if (row->stuck)
		printf("  %zu threads wait for ever\n", row->stuck);
	return met[0] != 'n';
}

static bool measure(const struct goal *goal, unsigned long first, unsigned long last)
{
	struct row rows[sizeof(recorded_on) / sizeof(*recorded_on)] = {0};
	bool met = true;

	for (unsigned long seed = first; seed <= last; seed++) {
		struct mock_program *program = mock_program_new(goal->class_name, seed);
		struct mock_forecast forecast;
		struct mock_truth truth;

		mock_truth(&truth, program, RUNS);
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			forecast_or_exit(&forecast, program, recorded_on[i], goal->calls);
			add_forecast(&rows[i], &truth, &forecast);
		}
		mock_program_free(program);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		met &= print_row(&rows[i], goal, recorded_on[i]);
	fflush(stdout);
	return met;
}

static int print_case(char **words)
{
	struct mock_program *program = mock_program_new(words[0], strtoull(words[1], NULL, 10));
	enum mock_calls calls = MOCK_CALLS_NONE;
	struct mock_forecast forecast;
	struct mock_truth truth;

	if (!program)
		return 2;
	while (calls < MOCK_CALLS_ALL && strcmp(words[3], calls_names[calls]))
		calls++;
	mock_truth(&truth, program, RUNS);
	forecast_or_exit(&forecast, program, (unsigned)strtoul(words[2], NULL, 10), calls);
	printf("cores   truth_s  +-%%    closed   edges  replay  %%\n");
	for (unsigned i = 1; i <= MOCK_TRIAL_CORES; i++)
		printf("%5u %9.6f %5.2f  %6.2f  %6.2f  %6.2f\n", i, truth.wall_s[i],
		       100 * truth.scatter[i], 100 * (forecast.closed_s[i] / truth.wall_s[i] - 1),
		       100 * (forecast.edges_s[i] / truth.wall_s[i] - 1),
		       100 * (forecast.replay_s[i] / truth.wall_s[i] - 1));
	printf("%zu threads wait for ever\n", forecast.stuck);
	mock_program_free(program);
	return 0;
}

/* "6" means 1-6. */
static bool read_seeds(const char *text, unsigned long *first, unsigned long *last)
{
	char *end;

	*first = 1;
	*last = strtoul(text, &end, 10);
	if (*end == '-') {
		*first = *last;
		*last = strtoul(end + 1, &end, 10);
	}
	return !*end && *first && *first <= *last;
}

int main(int argc, char **argv)
{
	unsigned long first, last;
	bool met = true;

	if (argc == 6 && !strcmp(argv[1], "--case"))
		return print_case(argv + 2);
	if (argc < 2 || !read_seeds(argv[1], &first, &last)) {
		fprintf(stderr, "forecast_simulated: of how many SEEDS, or of FIRST-LAST?\n");
		return 2;
	}
	printf("Errors in %% of the truth, the mean of %d runs, for programs %lu to %lu of each "
	       "class on\n1 to %d cores: mean, largest. truth: standard deviation of its runs. "
	       "single: of the\nreplay against each of these runs; noise: of the truth against "
	       "each, the least\nof any forecast. worse: than the closed form, at most.\n\n",
	       RUNS, first, last, MOCK_TRIAL_CORES);
	printf("%-10s %-6s %2s  %13s  %13s  %13s  %13s  %13s  %13s  %6s  %s\n", "class", "calls",
	       "k1", "closed form", "edges", "replay", "truth", "single", "noise", "worse",
	       "goal met");
	for (size_t i = 0; i < sizeof(goals) / sizeof(*goals); i++)
		if (argc < 3 || !strcmp(argv[2], goals[i].class_name))
			met &= measure(&goals[i], first, last);
	return met ? 0 : 3;
}
