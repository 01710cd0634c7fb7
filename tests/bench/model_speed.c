/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the speed of the simulation of a performance model: REQUESTS requests of 6 steps each,
 * among them CPU time, a wait and a lock, in ROUNDS rounds, whose median it prints; for walks
 * through a graph, and for recorded visits. Goals are 500 000 requests a second on one core, so 2 s
 * for a million, and 64 MB.
 *
 *	model_speed [ROUNDS [REQUESTS]]
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "model/file/model.h"
#include "model/file/model_file.h"
#include "model/simulate/model_run.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_MAX = 1000, REQUESTS_MAX = 100000000, STEPS = 6, VISITS = 4000 };

static const char server[] =
	"{\"schema\": 1, \"machine\": {\"cores\": 2},"
	" \"arrivals\": [{\"name\": \"source\", \"kind\": \"open\", \"rate\": 1000, \"to\": "
	"\"A\"}],"
	" \"stations\": [{\"name\": \"A\", \"kind\": \"queue\"}, {\"name\": \"B\", \"kind\": "
	"\"lock\"}],"
	" \"pools\": [{\"name\": \"worker\", \"threads\": 8, \"takes\": \"A\", \"graph\": ["
	"  {\"kind\": \"cpu\", \"time\": {\"exponential\": 0.0005}},"
	"  {\"kind\": \"wait\", \"time\": {\"exponential\": 0.004}},"
	"  {\"kind\": \"acquire\", \"station\": \"B\"},"
	"  {\"kind\": \"cpu\", \"time\": {\"exponential\": 0.0002}},"
	"  {\"kind\": \"release\", \"station\": \"B\"},"
	"  {\"kind\": \"cpu\", \"time\": {\"exponential\": 0.0003}}]}]}";

/* The number of walks that become visits. */
static void add_visits(struct model *model)
{
	struct model_pool *pool = &model->pools[0];
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	pool->visits = xcalloc(VISITS, sizeof(*pool->visits));
	pool->steps = xcalloc(VISITS * STEPS, sizeof(*pool->steps));
	pool->visit_count = VISITS;
	pool->step_count = VISITS * STEPS;
	for (uint32_t i = 0; i < VISITS; i++) {
		pool->visits[i] = (struct model_visit){i * STEPS, STEPS};
		for (uint32_t j = 0; j < STEPS; j++)
			pool->steps[i * STEPS + j] = (struct model_step){
				j, (float)distribution_draw(&pool->nodes[j].time, random)};
	}
	gsl_rng_free(random);
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static void measure(const char *what, const struct model *model, size_t rounds, uint64_t requests)
{
	double *spent_s = xcalloc(rounds, sizeof(*spent_s)), median_s;

	for (size_t i = 0; i < rounds; i++) {
		struct model_result result;
		struct err err;
		double begin_s = cpu_s();

		if (model_run(&result, model,
			      &(struct model_run_request){
				      .seed = i + 1, .precision = 1e-9, .requests_most = requests},
			      &err)) {
			fprintf(stderr, "%s\n", err.text);
			exit(1);
		}
		spent_s[i] = cpu_s() - begin_s;
		model_result_release(&result);
	}
	gsl_sort(spent_s, 1, rounds);
	median_s = gsl_stats_median_from_sorted_data(spent_s, 1, rounds);
	printf("%-8s %9" PRIu64 " requests  %6.2f s  %9.0f a second  %5.1f MB at most so far\n",
	       what, requests, median_s, (double)requests / median_s, peak_mb());
	free(spent_s);
}

int main(int argc, char **argv)
{
	uint64_t rounds = 5, requests = 1000000;
	struct model model;
	struct err err;

	if (argc > 3 || (argc > 1 && parse_u64(&rounds, argv[1], ROUNDS_MAX)) || !rounds ||
	    (argc > 2 && parse_u64(&requests, argv[2], REQUESTS_MAX)) || !requests) {
		fprintf(stderr, "usage: model_speed [ROUNDS [REQUESTS]]\n");
		return 2;
	}
	if (model_read_text(&model, server, strlen(server), &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	measure("walks", &model, rounds, requests);
	add_visits(&model);
	measure("visits", &model, rounds, requests);
	model_release(&model);
	return 0;
}
