/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_servers recorded|once|by-hand COUNT [FIRST]: how far forecasts of the performance model
 * are from the truth of COUNT servers that are only pretended to run (tests/mock/server.h), in five
 * other configurations each. Either the recording of one configuration goes through the pipeline,
 * with intervals or, once, with one simulation of each configuration; or the model is given as its
 * author would write it: what is left then are the errors of the simulation.
 *
 * Prints a line for each forecast that misses its goal, and tables. Exits with 3 if a goal is missed.
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "mock/server_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct errors {
	double *values; /* absolute ones */
	size_t count, capacity;
};

/* Of one range of utilisation; the last one is overloaded. */
struct class
{
	const char *name;
	double most, goal, goal_p95; /* utilisation, and errors */
	struct errors throughput, response, p95, recorded, mmc;
	size_t intervals, held, wrong; /* ..., saturated or not */
	double width;
};

struct table {
	struct class classes[4];
	size_t class_count, refused, missed;
};

static const struct table no_rows = {
	.classes = {{.name = "<= 0.5", .most = .55, .goal = .03, .goal_p95 = .05},
		    {.name = "<= 0.8", .most = .85, .goal = .03, .goal_p95 = .05},
		    {.name = "overload", .most = HUGE_VAL, .goal = .01}},
	.class_count = 3,
};

static void errors_add(struct errors *errors, double error)
{
	if (isnan(error))
		return;
	array_reserve(&errors->values, &errors->capacity, errors->count + 1);
	errors->values[errors->count++] = fabs(error);
}

/* The median, the 90th percentile, and the largest. */
static void errors_print(struct errors *errors)
{
	size_t last = errors->count - 1;

	if (!errors->count) {
		printf(" %6s %6s %6s", "-", "-", "-");
		return;
	}
	sort_items(errors->values, errors->count, compare_doubles);
	printf(" %6.2f %6.2f %6.2f", 100 * errors->values[last / 2],
	       100 * errors->values[last * 9 / 10], 100 * errors->values[last]);
	free(errors->values);
}

/* Beyond the goal, by more than the truth is known: four standard errors. */
static bool misses(double error, double goal, const struct server_truth *truth)
{
	return !(fabs(error) <= goal + 4 * truth->response_se / truth->response_s);
}

static void add_row(struct table *table, uint64_t seed, const struct server_trial_row *row)
{
	const struct server_truth *truth = &row->truth;
	bool closed = row->asked->clients > 0, full = row->utilisation > 1;
	struct class *class = table->classes;
	double throughput = row->throughput_per_s / truth->throughput_per_s - 1;
	double response = row->response_s / truth->response_s - 1;
	double p95 = row->response_p95_s / truth->response_p95_s - 1;
	bool wrong = !closed && row->grows != full, missed = wrong;

	while (row->utilisation > class->most)
		class ++;
	class->wrong += wrong;
	errors_add(&class->throughput, throughput);
	if (full || closed)
		missed |= !(fabs(throughput) <= .01);
	if (!full) {
		errors_add(&class->response, response);
		errors_add(&class->p95, p95);
		errors_add(&class->recorded, row->recorded_s / truth->response_s - 1);
		errors_add(&class->mmc, row->mmc_s / truth->response_s - 1);
		missed |=
			misses(response, class->goal, truth) || misses(p95, class->goal_p95, truth);
	}
	if (!full && row->response_lo_s > 0) {
		class->intervals++;
		class->held += row->response_lo_s <= truth->response_s &&
			       truth->response_s <= row->response_hi_s;
		class->width += (row->response_hi_s - row->response_lo_s) / truth->response_s;
	}
	table->missed += missed;
	if (missed)
		printf("seed %llu: %u threads, %.0f/s, %u clients, %u cores, utilisation %.2f: "
		       "throughput %+.2f %%, response %+.2f %% of %.3f ms (+- %.2f %%), p95 %+.2f "
		       "%%%s\n",
		       (unsigned long long)seed, row->asked->pools[0].threads,
		       row->asked->clients ? 0 : row->asked->rate_per_s, row->asked->clients,
		       row->asked->cores, row->utilisation, 100 * throughput, 100 * response,
		       1e3 * truth->response_s, 100 * truth->response_se / truth->response_s,
		       100 * p95,
		       wrong ? row->grows ? ", said to grow" : ", not said to grow" : "");
}

static void table_print(struct table *table)
{
	printf("%-12s %5s %20s %20s %20s %20s %20s %12s %6s\n", "utilisation", "rows", "throughput",
	       "response", "p95", "as recorded", "M/M/c", "interval", "wrong");
	for (size_t i = 0; i < table->class_count; i++) {
		struct class *class = &table->classes[i];

		printf("%-12s %5zu", class->name, class->throughput.count);
		errors_print(&class->throughput);
		errors_print(&class->response);
		errors_print(&class->p95);
		errors_print(&class->recorded);
		errors_print(&class->mmc);
		if (class->intervals)
			printf(" %4.0f %% %4.0f %%",
			       100. * (double)class->held / (double)class->intervals,
			       100 * class->width / (double)class->intervals);
		else
			printf(" %12s", "-");
		printf(" %6zu\n", class->wrong);
	}
	printf("Errors in %%: median, 90th percentile, largest; of an interval, how often it holds "
	       "the truth, and "
	       "its width.\n%zu servers were refused, %zu forecasts miss a goal.\n",
	       table->refused, table->missed);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct server_trial_plan plan = {.recorded = 4000, .answered = 400000};
	static struct table table;

	if (!count) {
		fprintf(stderr, "forecast_servers recorded|once|by-hand COUNT [FIRST]\n");
		return 2;
	}
	plan.way = strcmp(argv[1], "by-hand") == 0 ? SERVER_BY_HAND : SERVER_RECORDED;
	plan.intervals = strcmp(argv[1], "recorded") == 0;
	table = no_rows;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct err err = {.text = ""};
		struct server_trial trial;
		struct server_case drawn;

		server_draw_case(&drawn, seed);
		if (server_trial(&trial, &drawn, &plan, &err)) {
			fprintf(stderr, "forecast_servers: seed %llu: %s\n",
				(unsigned long long)seed, err.text);
			return 1;
		}
		for (size_t i = 0; i < trial.row_count; i++)
			add_row(&table, seed, &trial.rows[i]);
		table.refused += trial.refused[0] != '\0';
		if (trial.refused[0])
			printf("seed %llu: refused: %s\n", (unsigned long long)seed, trial.refused);
		fflush(stdout);
	}
	table_print(&table);
	return table.missed || table.refused ? 3 : 0;
}
