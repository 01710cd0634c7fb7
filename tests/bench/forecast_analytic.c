/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_analytic: forecasts of programs that have an answer in theory, recorded on 1, 2 and 4
 * cores, by replay and in closed form. For a case that is drawn at random it shows the forecast
 * with the largest error.
 */
#include "base/err.h"
#include "mock/open_queue.h"
#include "mock/theory.h"
#include "mock/trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned recorded_on[] = {1, 2, 4}, asked_for[] = {1, 2, 4, 8, 16};

enum {
	RECORDED = sizeof(recorded_on) / sizeof(*recorded_on),
	ASKED = sizeof(asked_for) / sizeof(*asked_for),
};

static void check(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "forecast_analytic: %s\n", err->text);
	exit(1);
}

/* --- Wall times ------------------------------------------------------------------------------ */

struct row {
	struct theory_range range;
	double replay_s, closed_s;  /* of the forecast with the largest error of the replay */
	double error, closed_error; /* the largest in magnitude */
};

static void add(struct row *row, struct theory_range range, double replay_s, double closed_s)
{
	double error = theory_error(range, replay_s), closed = theory_error(range, closed_s);

	if (row->replay_s <= 0 || fabs(error) > fabs(row->error)) {
		row->range = range;
		row->replay_s = replay_s;
		row->closed_s = closed_s;
		row->error = error;
	}
	if (fabs(closed) > fabs(row->closed_error))
		row->closed_error = closed;
}

static bool print_row(const struct theory_case *of, unsigned recorded, unsigned cores,
		      const struct row *row)
{
	bool met = fabs(row->error) <= of->goal;
	char theory[40];

	if (row->range.lo_s < row->range.hi_s)
		snprintf(theory, sizeof(theory), "%.4f-%.4f", row->range.lo_s, row->range.hi_s);
	else
		snprintf(theory, sizeof(theory), "%.4f", row->range.lo_s);
	printf("%-15s %2u %3u %17s %9.4f %7.2f %9.4f %7.2f  %4.1f  %s\n", of->name, recorded, cores,
	       theory, row->replay_s, 100 * row->error, row->closed_s, 100 * row->closed_error,
	       100 * of->goal, met ? "yes" : "no");
	return met;
}

static void forecast(struct mock_forecast *result, const struct theory_case *of,
		     const struct mock_program *program, unsigned recorded)
{
	const struct mock_run run = {
		.cores = recorded, .seed = 1, .calls = of->calls, .layout = MOCK_TRACE_CMD};
	struct err err = {.text = ""};

	check(mock_forecast(result, program, &run, &err), &err);
	if (result->stuck)
		check(err_set(&err, "%s: %zu threads wait for ever", of->name, result->stuck),
		      &err);
}

static bool print_case(const struct theory_case *of, unsigned recorded)
{
	struct row rows[ASKED] = {0};
	bool met = true;

	for (unsigned seed = 1; seed <= of->seeds; seed++) {
		struct mock_program *program = of->make(seed);
		struct mock_forecast result;

		forecast(&result, of, program, recorded);
		for (size_t i = 0; i < ASKED; i++)
			add(&rows[i], of->wall(program, asked_for[i]),
			    result.replay_s[asked_for[i]], result.closed_s[asked_for[i]]);
		mock_program_free(program);
	}
	for (size_t i = 0; i < ASKED; i++)
		met &= print_row(of, recorded, asked_for[i], &rows[i]);
	return met;
}

/* --- Open queues ----------------------------------------------------------------------------- */

/* The goal for the mean error of so many queues is three standard errors. */
enum { QUEUES = 400, CUSTOMERS = 2000 };

struct queue_row {
	double load;
	unsigned cores[4];
	size_t count;
};

static const struct queue_row queue_rows[] = {{.6, {1, 2}, 2}, {2.4, {3, 4, 8}, 3}};

static bool print_queue(const struct queue_row *row, unsigned recorded)
{
	const struct open_queue queue = {
		.customers = CUSTOMERS, .load = row->load, .service_ns = 2e8};
	struct open_queue_mean means[4];
	struct err err = {.text = ""};
	bool all_met = true;

	check(open_queue_mean(means, &queue, QUEUES, recorded, row->cores, row->count, &err), &err);
	for (size_t i = 0; i < row->count; i++) {
		double theory_s = open_queue_theory_s(&queue, row->cores[i]);
		double error = means[i].mean_s / theory_s - 1;
		double goal = open_queue_tolerance_s(&means[i]) / theory_s;
		bool met = fabs(error) <= goal;

		printf("M/M/c, load %.1f  %2u %3u %17.4f %9.4f %7.2f %9s %7s  %4.1f  %s\n",
		       row->load, recorded, row->cores[i], theory_s, means[i].mean_s, 100 * error,
		       "-", "-", 100 * goal, met ? "yes" : "no");
		all_met &= met;
	}
	return all_met;
}

int main(void)
{
	bool met = true;

	printf("%-15s %2s %3s %17s %9s %7s %9s %7s  %4s  %s\n\n", "case", "k1", "k2", "theory, s",
	       "replay, s", "error,%", "closed, s", "error,%", "goal", "met");
	for (size_t i = 0; theory_case(i); i++)
		for (size_t k = 0; k < RECORDED; k++) {
			met &= print_case(theory_case(i), recorded_on[k]);
			fflush(stdout);
		}
	for (size_t i = 0; i < sizeof(queue_rows) / sizeof(*queue_rows); i++)
		for (size_t k = 0; k < RECORDED; k++) {
			met &= print_queue(&queue_rows[i], recorded_on[k]);
			fflush(stdout);
		}
	printf("\nWall times; of M/M/c the mean time in the system, of which the closed form tells "
	       "nothing,\nand the goal three standard errors of the mean of the queues.\nforks, "
	       "joins: of 20 programs the one that is farthest outside of "
	       "Graham's "
	       "bounds, if any is.\n");
	return met ? 0 : 1;
}
