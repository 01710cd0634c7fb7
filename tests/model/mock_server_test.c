/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated servers compared with queueing theory: ten digits by mpmath. */
#include "support.h"

#include "mock/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Theory has no costs, and a core for each thread unless it limits cores. */
static struct server one_pool(unsigned threads, enum server_act act, enum server_shape shape,
			      double mean_s)
{
	struct server server = {.pool_count = 1, .cores = threads + 1, .gaps = SERVER_EXPONENTIAL};

	server.pools[0].threads = threads;
	server.pools[0].step_count = 1;
	server.pools[0].steps[0] = (struct server_step){act, 0, {shape, mean_s}};
	return server;
}

static struct server_truth truth_of(const struct server *server, uint64_t requests)
{
	const struct server_run run = {.seed = 3, .requests = requests};
	struct server_truth truth;

	assert_int_equal(server_run(&truth, server, &run), 0);
	return truth;
}

/* Within 4 standard errors, which are small. */
static void assert_mean(const struct server_truth *truth, double response_s)
{
	assert_true(truth->response_se < .035 * response_s);
	if (fabs(truth->response_s - response_s) > 4 * truth->response_se)
		assert_close(truth->response_s, response_s, 1e-9);
}

static void queues_have_the_response_of_theory(void **state)
{
	static const struct {
		unsigned threads;
		enum server_act act;
		enum server_shape shape;
		double rate_per_s, mean_s, response_s, p95_s; /* NaN: no published value */
	} cases[] = {
		{1, SERVER_CPU, SERVER_EXPONENTIAL, 500, .001, .002, .005991464547},
		{1, SERVER_NAP, SERVER_EXPONENTIAL, 800, .001, .005, .01497866137},
		{2, SERVER_CPU, SERVER_EXPONENTIAL, 1600, .001, .002777777778, .007910684252},
		{4, SERVER_NAP, SERVER_EXPONENTIAL, 600, .004, .004717607973, .01336862513},
		{8, SERVER_CPU, SERVER_EXPONENTIAL, 600, .004, .004002526678, .01198600387},
		{16, SERVER_NAP, SERVER_EXPONENTIAL, 14400, .001, .001369589621, .003623543483},
		{1, SERVER_CPU, SERVER_FIXED, 800, .001, .003, .007620324997},
		{1, SERVER_CPU, SERVER_ERLANG, 800, .001, .0035, NAN},
		{1, SERVER_NAP, SERVER_LOGNORMAL, 800, .001, .005, NAN},
		{1, SERVER_CPU, SERVER_HYPER, 500, .001, .0035, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct server server =
			one_pool(cases[i].threads, cases[i].act, cases[i].shape, cases[i].mean_s);
		struct server_truth truth;
		double rho = cases[i].rate_per_s * cases[i].mean_s / cases[i].threads;

		server.rate_per_s = cases[i].rate_per_s;
		truth = truth_of(&server, 150000);
		assert_mean(&truth, cases[i].response_s);
		if (!isnan(cases[i].p95_s))
			assert_close(truth.response_p95_s, cases[i].p95_s, .08);
		assert_close(truth.throughput_per_s, cases[i].rate_per_s, .015);
		assert_close(truth.pool_busy[0], rho, .015);
		/* Little's law */
		assert_close(truth.waiting + truth.pool_busy[0] * cases[i].threads,
			     truth.throughput_per_s * truth.response_s, .005);
	}
}

/* D/M/1: gaps of one length. */
static void regular_requests_wait_less(void **state)
{
	struct server server = one_pool(1, SERVER_NAP, SERVER_EXPONENTIAL, .001);
	struct server_truth truth;

	(void)state;
	server.gaps = SERVER_FIXED;
	server.rate_per_s = 800;
	truth = truth_of(&server, 150000);
	assert_mean(&truth, .002692730840);
}

/* Machine repair, M/M/c//N. */
static void clients_have_the_throughput_of_theory(void **state)
{
	static const struct {
		unsigned clients, threads;
		double think_s, service_s, throughput_per_s, response_s;
	} cases[] = {
		{4, 1, .010, .001, 353.3367822, .001320644217},
		{16, 1, .010, .001, 977.6981280, .006364969455},
		{16, 2, .010, .001, 1384.460710, .001556846566},
		{32, 4, .040, .004, 711.0644859, .005002950697},
		{32, 8, .040, .004, 727.2071601, .004003967170},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct server server = one_pool(cases[i].threads, SERVER_CPU, SERVER_EXPONENTIAL,
						cases[i].service_s);
		struct server_truth truth;

		server.clients = cases[i].clients;
		server.think = (struct server_time){SERVER_EXPONENTIAL, cases[i].think_s};
		truth = truth_of(&server, 150000);
		assert_mean(&truth, cases[i].response_s);
		assert_close(truth.throughput_per_s, cases[i].throughput_per_s, .01);
	}
}

/* Burke: M/M/4 (3, 1), which hands over to M/M/2 (3, 2). */
static void requests_are_handed_over(void **state)
{
	struct server server = one_pool(4, SERVER_NAP, SERVER_EXPONENTIAL, .001);
	struct server_truth truth;

	(void)state;
	server.pool_count = 2;
	server.cores = 8;
	server.rate_per_s = 3000;
	server.pools[0].step_count = 2;
	server.pools[0].steps[1] = (struct server_step){.act = SERVER_HAND, .object = 1};
	server.pools[1] = one_pool(2, SERVER_CPU, SERVER_EXPONENTIAL, .0005).pools[0];
	truth = truth_of(&server, 150000);
	assert_mean(&truth, .002652291105);
}

/* The lock is a queue, M/M/1//N, with naps as the time outside. */
static void a_lock_is_a_queue(void **state)
{
	struct server server = one_pool(16, SERVER_NAP, SERVER_EXPONENTIAL, .010);
	struct server_truth truth;

	(void)state;
	server.clients = 64;
	server.think = (struct server_time){SERVER_FIXED, 0};
	server.pools[0].step_count = 4;
	server.pools[0].steps[1] = (struct server_step){SERVER_LOCK, 0, {SERVER_FIXED, 0}};
	server.pools[0].steps[2] = (struct server_step){SERVER_CPU, 0, {SERVER_EXPONENTIAL, .001}};
	server.pools[0].steps[3] = (struct server_step){SERVER_UNLOCK, 0, {SERVER_FIXED, 0}};
	truth = truth_of(&server, 60000);
	assert_close(truth.throughput_per_s, 977.6981280, .01);
	assert_close(truth.lock_busy[0], .9776981280, .01);
}

/* M/M/c, with a thread for each waiting request. */
static void a_disk_serves_some_at_a_time(void **state)
{
	static const struct {
		unsigned servers;
		double rate_per_s, response_s;
	} cases[] = {{1, 800, .005}, {2, 1600, .002777777778}, {4, 3200, .001745540590}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct server server = one_pool(200, SERVER_DISK, SERVER_EXPONENTIAL, .001);
		struct server_truth truth;

		server.cores = SERVER_CORES_MAX;
		server.disk_servers = cases[i].servers;
		server.rate_per_s = cases[i].rate_per_s;
		truth = truth_of(&server, 150000);
		assert_mean(&truth, cases[i].response_s);
		assert_close(truth.disk_busy, .8, .015);
	}
}

/* M/G/1-PS: the same mean for any distribution. The source waits for its slice, too. */
static void cores_are_shared_by_slices(void **state)
{
	static const enum server_shape shapes[] = {SERVER_FIXED, SERVER_HYPER};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct server server = one_pool(200, SERVER_CPU, shapes[i], .001);
		struct server_truth truth;

		server.cores = 1;
		server.slice_s = 5e-6;
		server.rate_per_s = 600;
		truth = truth_of(&server, 80000);
		assert_close(truth.response_s, .0025, .04);
		assert_close(truth.busy_cores, .6, .01);
	}
}

static void exact_times_have_exact_means(void **state)
{
	struct server server = one_pool(4, SERVER_NAP, SERVER_LOGNORMAL, .004);
	const struct server_run run = {.seed = 9, .requests = 4000, .exact = true};
	struct server_truth truth;

	(void)state;
	server.rate_per_s = 100;
	assert_int_equal(server_run(&truth, &server, &run), 0);
	assert_close(truth.response_s, .004, .02);
}

static void a_recording_has_all_requests(void **state)
{
	struct server server = one_pool(3, SERVER_NAP, SERVER_FIXED, .001);
	char *text = NULL;
	size_t size = 0, gets = 0;
	FILE *trace = open_memstream(&text, &size);
	const struct server_run run = {.requests = 50, .trace = trace, .ending = SERVER_STOPS};
	struct server_truth truth;

	(void)state;
	server.rate_per_s = 900;
	server.call_s = 1e-6;
	assert_int_equal(server_run(&truth, &server, &run), 0);
	fclose(trace);
	for (const char *at = text; (at = strstr(at, "pscal:cond_signal")); at++)
		gets++;
	assert_int_equal(gets, 50);
	assert_non_null(strstr(text, "pscal:cond_broadcast"));
	free(text);
}

static void drawn_servers_are_the_same_each_time(void **state)
{
	struct server_case one, two;

	(void)state;
	server_draw_case(&one, 5);
	server_draw_case(&two, 5);
	assert_int_equal(one.asked_count, two.asked_count);
	assert_memory_equal(&one.recorded, &two.recorded, sizeof(one.recorded));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(queues_have_the_response_of_theory),
	cmocka_unit_test(regular_requests_wait_less),
	cmocka_unit_test(clients_have_the_throughput_of_theory),
	cmocka_unit_test(requests_are_handed_over),
	cmocka_unit_test(a_lock_is_a_queue),
	cmocka_unit_test(a_disk_serves_some_at_a_time),
	cmocka_unit_test(cores_are_shared_by_slices),
	cmocka_unit_test(exact_times_have_exact_means),
	cmocka_unit_test(a_recording_has_all_requests),
	cmocka_unit_test(drawn_servers_are_the_same_each_time),
};

TEST_FILE(tests);
