/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of the performance model compared with servers of a known truth: some of those in `make
 * forecast-model`. `make check` takes the first four, among which are one with two pools, one with
 * a lock, and one with clients; `make nightly` takes all.
 */
#include "support.h"

#include "base/err.h"
#include "mock/server_trial.h"
#include "model/file/model.h"

#include <math.h>

enum { SEEDS = 10, SEEDS_FIRST = 4 };

/*
 * Goals for so few requests, whose noise exceeds the goals of 1, 3 and 5 % of the long measurement.
 */
struct goals {
	double throughput, response, p95;
};

/* The error may exceed the goal by the uncertainty of the truth: four standard errors. */
static void assert_near(double forecast, double truth, double goal, double relative_error,
			uint64_t seed)
{
	if (fabs(forecast / truth - 1) > goal + 4 * relative_error)
		print_error("seed %u\n", (unsigned)seed);
	assert_close(forecast, truth, goal + 4 * relative_error);
}

static void check_row(const struct server_trial_row *row, const struct goals *goals, uint64_t seed)
{
	const struct server_truth *truth = &row->truth;
	double error = truth->response_se / truth->response_s;
	bool closed = row->asked->clients > 0, full = row->utilisation > 1;

	if (!closed)
		assert_int_equal(row->grows, full);
	if (closed || full)
		assert_near(row->throughput_per_s, truth->throughput_per_s, goals->throughput, 0,
			    seed);
	if (!full) {
		assert_near(row->response_s, truth->response_s, goals->response, error, seed);
		assert_near(row->response_p95_s, truth->response_p95_s, goals->p95, error, seed);
	}
}

static void check_all(const struct server_trial_plan *plan, const struct goals *goals)
{
	const uint64_t seeds = is_nightly() ? SEEDS : SEEDS_FIRST;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct err err = {.text = ""};
		struct server_trial trial;
		struct server_case drawn;

		server_draw_case(&drawn, seed);
		if (server_trial(&trial, &drawn, plan, &err))
			fail_msg("seed %u: %s", (unsigned)seed, err.text);
		assert_string_equal(trial.refused, "");
		for (size_t i = 0; i < trial.row_count; i++)
			check_row(&trial.rows[i], goals, seed);
	}
}

static void simulations_reach_the_truth(void **state)
{
	const struct server_trial_plan plan = {
		.way = SERVER_BY_HAND, .answered = 20000, .precision = .02, .rows = "24"};

	(void)state;
	check_all(&plan, &(struct goals){.03, .06, .1});
}

static void forecasts_of_recordings_reach_the_truth(void **state)
{
	const struct server_trial_plan plan = {.way = SERVER_RECORDED,
					       .recorded = 2000,
					       .answered = is_nightly() ? 60000 : 40000,
					       .precision = is_nightly() ? .01 : .02,
					       .rows = "14"};

	(void)state;
	check_all(&plan, &(struct goals){.02, .04, .08});
}

/* --- CPU time that depends on the load --------------------------------------------------------- */

/* CPU time, a nap, a lock, CPU time. */
static struct server loaded_server(unsigned threads, double growth)
{
	static const struct server_step steps[] = {
		{SERVER_CPU, 0, {SERVER_ERLANG, .0005}},
		{SERVER_NAP, 0, {SERVER_EXPONENTIAL, .002}},
		{SERVER_LOCK, 0, {SERVER_FIXED, 0}},
		{SERVER_CPU, 0, {SERVER_FIXED, .00005}},
		{SERVER_UNLOCK, 0, {SERVER_FIXED, 0}},
		{SERVER_CPU, 0, {SERVER_ERLANG, .0003}},
	};
	struct server server = {.pool_count = 1, .gaps = SERVER_EXPONENTIAL, .cores = 8};

	server.slice_s = 3e-3;
	server.call_s = server.wake_s = server.switch_s = 1e-6;
	server.growth = growth;
	server.pools[0].threads = threads;
	server.pools[0].step_count = sizeof(steps) / sizeof(*steps);
	for (size_t i = 0; i < server.pools[0].step_count; i++)
		server.pools[0].steps[i] = steps[i];
	return server;
}

static void ask_loaded(struct server_case *drawn, unsigned threads, double load, double utilisation)
{
	struct server *asked = &drawn->asked[drawn->asked_count];

	*asked = drawn->recorded;
	asked->pools[0].threads = threads;
	if (asked->clients)
		asked->clients = (unsigned)load;
	else
		asked->rate_per_s = load;
	drawn->utilisation[drawn->asked_count++] = utilisation;
}

/* The goals of the long measurement: 1, 3 and 5 %. */
static void check_loaded(struct server_case *drawn, uint64_t recorded)
{
	const struct server_trial_plan plan = {.way = SERVER_RECORDED,
					       .recorded = recorded,
					       .answered = is_nightly() ? 100000 : 40000,
					       .precision = is_nightly() ? .005 : .015};
	struct err err = {.text = ""};
	struct server_trial trial;

	if (server_trial(&trial, drawn, &plan, &err))
		fail_msg("%s", err.text);
	assert_string_equal(trial.refused, "");
	assert_int_equal(trial.row_count, drawn->asked_count);
	for (size_t i = 0; i < trial.row_count; i++)
		check_row(&trial.rows[i], &(struct goals){.01, .03, .05}, i);
}

static void cpu_time_that_depends_on_the_load_reaches_the_truth(void **state)
{
	static const double growths[] = {.05, -.06};

	(void)state;
	for (size_t i = 0; i < sizeof(growths) / sizeof(*growths); i++) {
		struct server_case drawn = {.recorded = loaded_server(6, growths[i])};

		drawn.recorded.rate_per_s = 1100;
		ask_loaded(&drawn, 3, 500, .5);
		ask_loaded(&drawn, 6, 1400, .8);
		if (growths[i] > 0)
			ask_loaded(&drawn, 12, 2200, .7);
		ask_loaded(&drawn, 6, 6000, 3);
		check_loaded(&drawn, 12000);
	}
}

static void clients_of_a_server_that_grows_reach_the_truth(void **state)
{
	struct server_case drawn = {.recorded = loaded_server(6, .05)};

	(void)state;
	drawn.recorded.clients = 10;
	drawn.recorded.think = (struct server_time){SERVER_EXPONENTIAL, .006};
	ask_loaded(&drawn, 6, 5, .5);
	ask_loaded(&drawn, 6, 40, .99);
	ask_loaded(&drawn, 12, 40, .99);
	check_loaded(&drawn, 12000);
}

/* --- A disk --------------------------------------------------------------------------------------- */

/* A fourth of the requests finds the cache. */
static struct server_case disk_case(bool group_commit)
{
	static const struct server_step steps[] = {
		{SERVER_CPU, 0, {SERVER_ERLANG, .0002}},
		{SERVER_DISK, 250, {SERVER_LOGNORMAL, .003}},
		{SERVER_CPU, 0, {SERVER_FIXED, .0001}},
	};
	struct server_case drawn = {.recorded = loaded_server(6, 0)};
	struct server *server = &drawn.recorded;

	server->disk_servers = group_commit ? 1 : 2;
	server->group_commit = group_commit;
	server->rate_per_s = 600;
	server->pools[0].step_count = sizeof(steps) / sizeof(*steps);
	for (size_t i = 0; i < server->pools[0].step_count; i++)
		server->pools[0].steps[i] = steps[i];
	if (group_commit)
		server->pools[0].steps[1].time.shape =
			SERVER_FIXED; /* otherwise noise is larger than the goals */
	return drawn;
}

static void a_disk_reaches_the_truth(void **state)
{
	struct server_case drawn = disk_case(false);

	(void)state;
	ask_loaded(&drawn, 3, 300, .4);
	ask_loaded(&drawn, 24, 700, .8);
	ask_loaded(&drawn, 12, 1800, 2);
	check_loaded(&drawn, MODEL_VISITS_MAX);
}

static void a_group_commit_reaches_the_truth(void **state)
{
	struct server_case drawn = disk_case(true);

	(void)state;
	ask_loaded(&drawn, 6, 300, .3);
	ask_loaded(&drawn, 16, 1500, .5);
	ask_loaded(&drawn, 12, 8000, 2);
	check_loaded(&drawn, MODEL_VISITS_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cpu_time_that_depends_on_the_load_reaches_the_truth),
	cmocka_unit_test(clients_of_a_server_that_grows_reach_the_truth),
	cmocka_unit_test(a_disk_reaches_the_truth),
	cmocka_unit_test(a_group_commit_reaches_the_truth),
	cmocka_unit_test(simulations_reach_the_truth),
	cmocka_unit_test(forecasts_of_recordings_reach_the_truth),
};

TEST_FILE(tests);
