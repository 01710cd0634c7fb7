/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_servers recorded|once|by-hand COUNT [FIRST [CSV]]: errors of forecasts of the
 * performance model for COUNT simulated servers (tests/mock/server.h) with a known truth, in five
 * other configurations each. "recorded": the recording of one configuration goes through the
 * pipeline, with intervals; "once": the same with one simulation of each configuration; "by-hand":
 * the model is given as its author would write it, so only the errors of the simulation remain.
 *
 * It also prints the errors of two simple forecasts: the response as recorded, and that of M/M/c
 * with the mean visit of the recording. Prints a line for each forecast that misses its goal, and
 * tables; writes all rows to CSV. Exits with 3 if a goal is missed.
 */
#include "base/err.h"
#include "mock/server_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum and the largest of absolute errors. */
struct errors {
	double sum, most;
	size_t count, infinite;
};

/* The errors in one range of utilisation; the last range is overloaded. */
struct class
{
	const char *name;
	double most; /* largest utilisation */
	struct errors throughput, response, p95, recorded, mmc, growth;
	size_t intervals, held, wrong; /* with the truth; wrong about saturation */
	double width;
};

enum { CLASSES = 3 };

struct table {
	struct class classes[CLASSES];
	size_t refused, missed;
	FILE *csv;
};

static const double throughput_goal = .01, response_goal = .03, p95_goal = .05;

static void errors_add(struct errors *errors, double error)
{
	if (isinf(error))
		errors->infinite++;
	if (!isfinite(error))
		return;
	errors->count++;
	errors->sum += fabs(error);
	errors->most = fmax(errors->most, fabs(error));
}

static double errors_mean(const struct errors *errors)
{
	return errors->sum / (double)errors->count;
}

static void errors_print(const struct errors *errors)
{
	if (errors->count)
		printf(" %7.2f %7.1f", 100 * errors_mean(errors), 100 * errors->most);
	else
		printf(" %7s %7s", "-", "-");
}

/* --- A row ----------------------------------------------------------------------------------- */

/* Relative errors; NaN: none. */
struct row_errors {
	double throughput, response, p95, recorded, mmc, growth;
	bool closed, full, wrong, missed;
};

/* True if the error is beyond the goal by more than four standard errors of the truth. */
static bool misses(double error, double goal, const struct server_truth *truth)
{
	return !(fabs(error) <= goal + 4 * truth->response_se / truth->response_s);
}

static struct row_errors find_errors(const struct server_trial_row *row)
{
	const struct server_truth *truth = &row->truth;
	struct row_errors errors = {NAN, NAN, NAN, NAN, NAN, NAN, false, false, false, false};

	errors.closed = row->asked->clients > 0;
	errors.full = row->utilisation > 1;
	errors.wrong = !errors.closed && row->grows != errors.full;
	errors.missed = errors.wrong;
	if (errors.full || errors.closed) {
		errors.throughput = row->throughput_per_s / truth->throughput_per_s - 1;
		errors.missed |= !(fabs(errors.throughput) <= throughput_goal);
	}
	if (errors.full && !errors.closed)
		errors.growth =
			row->growth_per_s / (row->asked->rate_per_s - truth->throughput_per_s) - 1;
	if (errors.full) {
		errors.mmc = row->mmc.throughput_per_s / truth->throughput_per_s - 1;
		return errors;
	}
	errors.response = row->response_s / truth->response_s - 1;
	errors.p95 = row->response_p95_s / truth->response_p95_s - 1;
	errors.recorded = row->recorded_s / truth->response_s - 1;
	errors.mmc = row->mmc.response_s / truth->response_s - 1;
	errors.missed |= misses(errors.response, response_goal, truth) ||
			 misses(errors.p95, p95_goal, truth);
	return errors;
}

static void print_missed(uint64_t seed, const struct server_trial_row *row,
			 const struct row_errors *errors)
{
	const struct server_truth *truth = &row->truth;

	printf("seed %llu: %u threads, %.0f/s, %u clients, %u cores, utilisation %.2f: "
	       "throughput %+.2f %%, response %+.2f %% of %.3f ms (+- %.2f %%), p95 %+.2f %%%s\n",
	       (unsigned long long)seed, row->asked->pools[0].threads,
	       errors->closed ? 0 : row->asked->rate_per_s, row->asked->clients, row->asked->cores,
	       row->utilisation, 100 * errors->throughput, 100 * errors->response,
	       1e3 * truth->response_s, 100 * truth->response_se / truth->response_s,
	       100 * errors->p95,
	       !errors->wrong ? ""
	       : row->grows   ? ", said to grow"
			      : ", growth not reported");
}

static void write_row(FILE *csv, uint64_t seed, const struct server_trial_row *row,
		      const struct row_errors *errors)
{
	fprintf(csv,
		"%llu,%u,%.6g,%u,%u,%u,%.2f,%.6g,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n",
		(unsigned long long)seed, row->asked->pools[0].threads,
		errors->closed ? NAN : row->asked->rate_per_s, row->asked->clients,
		row->asked->cores, row->asked->disk_servers, row->utilisation,
		row->truth.throughput_per_s, row->truth.response_s, row->truth.response_se,
		row->truth.response_p95_s, errors->throughput, errors->response, errors->p95,
		errors->recorded, errors->mmc, errors->growth);
}

static void add_row(struct table *table, uint64_t seed, const struct server_trial_row *row)
{
	const struct server_truth *truth = &row->truth;
	const struct row_errors errors = find_errors(row);
	struct class *class = table->classes;

	while (row->utilisation > class->most)
		class ++;
	class->wrong += errors.wrong;
	errors_add(&class->throughput, errors.throughput);
	errors_add(&class->response, errors.response);
	errors_add(&class->p95, errors.p95);
	errors_add(&class->recorded, errors.recorded);
	errors_add(&class->mmc, errors.mmc);
	errors_add(&class->growth, errors.growth);
	if (!errors.full && row->response_lo_s > 0) {
		class->intervals++;
		class->held += row->response_lo_s <= truth->response_s &&
			       truth->response_s <= row->response_hi_s;
		class->width += (row->response_hi_s - row->response_lo_s) / truth->response_s;
	}
	table->missed += errors.missed;
	if (errors.missed)
		print_missed(seed, row, &errors);
	if (table->csv)
		write_row(table->csv, seed, row, &errors);
}

/* --- Tables ---------------------------------------------------------------------------------- */

/* The ratio of the mean error of another way to that of the model, where there is no overload. */
static void print_ratio(const struct table *table, const char *name, size_t member)
{
	struct errors own = {0}, other = {0};

	for (size_t i = 0; i + 1 < CLASSES; i++) {
		const struct class *class = &table->classes[i];
		const struct errors *errors = (const void *)((const char *)class + member);

		own.sum += class->response.sum;
		own.count += class->response.count;
		other.sum += errors->sum;
		other.count += errors->count;
		other.infinite += errors->infinite;
	}
	if (!other.count)
		return;
	printf("The mean error of %s is %.1f times that of pscal's response (%.1f %% and %.2f %%)",
	       name, errors_mean(&other) / errors_mean(&own), 100 * errors_mean(&other),
	       100 * errors_mean(&own));
	printf(other.infinite ? "; %zu more of its forecasts are endless.\n" : ".\n",
	       other.infinite);
}

static void table_print(const struct table *table)
{
	printf("%-12s %15s %15s %15s %15s %15s %15s %11s %5s\n", "utilisation", "throughput",
	       "response", "p95", "as recorded", "M/M/c", "grows by", "interval", "wrong");
	for (size_t i = 0; i < CLASSES; i++) {
		const struct class *class = &table->classes[i];

		printf("%-12s", class->name);
		errors_print(&class->throughput);
		errors_print(&class->response);
		errors_print(&class->p95);
		errors_print(&class->recorded);
		errors_print(&class->mmc);
		errors_print(&class->growth);
		if (class->intervals)
			printf(" %3.0f %% %3.0f %%",
			       100. * (double)class->held / (double)class->intervals,
			       100 * class->width / (double)class->intervals);
		else
			printf(" %11s", "-");
		printf(" %5zu\n", class->wrong);
	}
	puts("Errors in %: mean and largest; in overload that of M/M/c is its throughput's. Of an "
	     "interval, how often it holds the truth, and its width.");
	print_ratio(table, "the response as recorded", offsetof(struct class, recorded));
	print_ratio(table, "M/M/c", offsetof(struct class, mmc));
	printf("%zu servers were refused, %zu forecasts miss a goal: %.0f %% of throughput, %.0f "
	       "%% of response, %.0f %% of p95.\n",
	       table->refused, table->missed, 100 * throughput_goal, 100 * response_goal,
	       100 * p95_goal);
}

static int try_server(struct table *table, uint64_t seed, const struct server_trial_plan *plan)
{
	struct err err = {.text = ""};
	struct server_trial trial;
	struct server_case drawn;

	server_draw_case(&drawn, seed);
	if (server_trial(&trial, &drawn, plan, &err)) {
		fprintf(stderr, "forecast_servers: seed %llu: %s\n", (unsigned long long)seed,
			err.text);
		return -1;
	}
	for (size_t i = 0; i < trial.row_count; i++)
		add_row(table, seed, &trial.rows[i]);
	table->refused += trial.refused[0] != '\0';
	if (trial.refused[0])
		printf("seed %llu: refused: %s\n", (unsigned long long)seed, trial.refused);
	fflush(stdout);
	return 0;
}

/* NULL without a name. */
static FILE *open_csv(const char *name)
{
	FILE *csv = name ? fopen(name, "w") : NULL;

	if (name && !csv)
		fprintf(stderr, "forecast_servers: cannot write %s\n", name);
	if (csv)
		fputs("seed,threads,rate_per_s,clients,cores,disk_servers,utilisation,throughput_"
		      "per_s,"
		      "response_s,response_se_s,response_p95_s,throughput_error,response_error,"
		      "p95_error,as_recorded_error,mmc_error,growth_error\n",
		      csv);
	return csv;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct server_trial_plan plan = {.recorded = 4000, .answered = 400000};
	static struct table table = {.classes = {{.name = "<= 0.5", .most = .55},
						 {.name = "<= 0.8", .most = .85},
						 {.name = "overload", .most = HUGE_VAL}}};

	if (!count) {
		fprintf(stderr, "forecast_servers recorded|once|by-hand COUNT [FIRST [CSV]]\n");
		return 2;
	}
	plan.way = strcmp(argv[1], "by-hand") == 0 ? SERVER_BY_HAND : SERVER_RECORDED;
	plan.intervals = strcmp(argv[1], "recorded") == 0;
	table.csv = open_csv(argc > 4 ? argv[4] : NULL);
	if (argc > 4 && !table.csv)
		return 1;
	for (uint64_t seed = first; seed < first + count; seed++)
		if (try_server(&table, seed, &plan))
			return 1;
	table_print(&table);
	if (table.csv && fclose(table.csv))
		return 1;
	return table.missed || table.refused ? 3 : 0;
}
