/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/model_run.h"

#include "base/err.h"
#include "model/file/model.h"
#include "model/file/model_file.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Models and runs ------------------------------------------------------------------------------- */

static struct model read_text(const char *text)
{
	struct err err = {.text = ""};
	struct model model;

	if (model_read_text(&model, text, strlen(text), &err))
		fail_msg("%s: %s", err.text, text);
	return model;
}

static struct model read_pool(void)
{
	struct err err = {.text = ""};
	struct model model;

	if (model_read_file(&model, "tests/data/model/pool.json", &err))
		fail_msg("%s", err.text);
	return model;
}

static void set_number(struct model *model, const char *name, double value)
{
	struct err err = {.text = ""};

	if (model_set(model, name, value, &err))
		fail_msg("%s", err.text);
}

/* Runs about so many requests at most; 0: with the default precision. */
static struct model_result run_model(const struct model *model, uint64_t seed, uint64_t requests)
{
	struct model_result result;
	struct err err = {.text = ""};

	if (model_run(&result, model,
		      &(struct model_run_request){.seed = seed,
						  .precision = requests ? 1e-9 : 0,
						  .requests_most = requests},
		      &err))
		fail_msg("%s", err.text);
	return result;
}

#define QUEUE_Q "\"stations\": [{\"name\": \"q\", \"kind\": \"queue\"}"
#define BATCH(items)                                                                  \
	"\"arrivals\": [{\"name\": \"files\", \"kind\": \"batch\", \"items\": " items \
	", \"to\": \"q\"}]"
#define POOL_P(threads, graph)                                \
	"\"pools\": [{\"name\": \"p\", \"threads\": " threads \
	", \"takes\": \"q\", \"graph\": [" graph "]}]"

/* --- Runs --------------------------------------------------------------------------------------------- */

static void the_same_seed_makes_the_same_run(void **state)
{
	struct model model = read_pool();
	struct model_result a = run_model(&model, 7, 20000), b = run_model(&model, 7, 20000);
	struct model_result c = run_model(&model, 8, 20000);

	(void)state;
	assert_close(a.response_s, b.response_s, 0);
	assert_close(a.busy_cores, b.busy_cores, 0);
	assert_true(a.response_s < c.response_s || a.response_s > c.response_s);
	model_result_release(&a);
	model_result_release(&b);
	model_result_release(&c);
	model_release(&model);
}

/* The nap of the first one ends while the second one computes: so it has the lock until that
 * computing ends. */
static void a_lock_is_released_on_a_core(void **state)
{
	struct model model = read_text("{\"schema\": 1, \"machine\": {\"cores\": 1}, " BATCH(
		"2") ", " QUEUE_Q
		     ", {\"name\": \"l\", \"kind\": \"lock\"}], " POOL_P(
			     "2",
			     "{\"kind\": \"cpu\", \"time\": 0.002, \"next\": [[1, 1]]}, "
			     "{\"kind\": \"acquire\", \"station\": \"l\", \"next\": [[2, 1]]}, "
			     "{\"kind\": \"wait\", \"time\": 0.001, \"next\": [[3, 1]]}, "
			     "{\"kind\": \"release\", \"station\": \"l\"}") "}");
	struct model_result result = run_model(&model, 1, 0);

	(void)state;
	assert_close(result.pools[0].visit_s, .0035, 1e-6);
	assert_close(result.wall_s, .005, 1e-6);
	model_result_release(&result);
	model_release(&model);
}

/* The true answers of PERFMODEL's program were 6.0 ms, 95 % 15.5 ms: CPU .2 and .1 ms, a nap of
 * 4. */
static void a_run_is_as_long_as_the_precision_needs(void **state)
{
	struct model model = read_pool();
	struct model_result rough, fine;
	struct err err;

	(void)state;
	assert_int_equal(model_run(&rough, &model,
				   &(struct model_run_request){.seed = 1, .precision = .05}, &err),
			 0);
	assert_int_equal(model_run(&fine, &model,
				   &(struct model_run_request){.seed = 1, .precision = .005}, &err),
			 0);
	assert_true(rough.precise && fine.precise);
	assert_true(rough.requests * 4 < fine.requests);
	assert_true(1.96 * fine.response_se <= .005 * fine.response_s);
	assert_close(rough.response_s, fine.response_s, .1);
	assert_close(rough.throughput_per_s, 600, 1e-9);
	assert_close(fine.throughput_per_s, 600, 1e-9);
	assert_close(fine.pools[0].visit_s, .0043, .01);
	assert_close(fine.pools[0].cpu_s, .0003, .001);
	assert_close(fine.pools[0].utilisation, 600 * .0043 / 4, .02);
	assert_close(fine.busy_cores, 600 * .0003, .02);
	assert_close(fine.stations[1].utilisation, 600 * .0001, .02);
	assert_int_equal(fine.limit, MODEL_LIMIT_NONE);
	model_result_release(&rough);
	model_result_release(&fine);
	model_release(&model);
}

/* A run is long enough when the true response time is surely on one side of its bound. */
static void a_run_ends_when_a_response_time_is_far_from_its_bound(void **state)
{
	const struct {
		double mean_ratio, p95_ratio; /* bounds, relative to the response times */
		bool ends;
	} cases[] = {
		{.5, 0, true}, {2, 0, true},  {0, .5, true}, {0, 2, true},
		{1, 0, false}, {0, 1, false}, {1, .5, true}, {0, 0, false},
	};
	enum { REQUESTS = 50000, FEW = 30000 };
	struct model model = read_pool();
	struct model_result whole = run_model(&model, 1, REQUESTS);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct model_run_request request = {
			.seed = 1,
			.precision = 1e-9,
			.requests_most = REQUESTS,
			.mean_bound_s = cases[i].mean_ratio * whole.response_s,
			.p95_bound_s = cases[i].p95_ratio * whole.response_p95_s,
		};
		struct model_result result;
		struct err err;

		assert_int_equal(model_run(&result, &model, &request, &err), 0);
		assert_int_equal(result.requests < FEW, cases[i].ends);
		assert_false(result.precise);
		assert_close(result.response_s, whole.response_s, .1);
		model_result_release(&result);
	}
	model_result_release(&whole);
	model_release(&model);
}

static void an_overloaded_server_has_no_response_time(void **state)
{
	static const struct {
		const char *name;
		double value;
		enum model_limit limit;
		uint32_t index;
		double throughput;
	} overloads[] = {
		{"worker.threads", 2, MODEL_LIMIT_POOL, 0, 2 / .0043},
		{"worker.graph[3].time", .002, MODEL_LIMIT_STATION, 1, 500},
		{"worker.graph[0].time", .004, MODEL_LIMIT_CORES, 0, 2 / .0041},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(overloads) / sizeof(overloads[0]); i++) {
		struct model model = read_pool();
		struct model_result result;

		if (i)
			set_number(&model, "worker.threads", 16);
		set_number(&model, overloads[i].name, overloads[i].value);
		result = run_model(&model, 1, 0);
		assert_true(result.grows);
		assert_true(isnan(result.response_s));
		assert_int_equal(result.limit, overloads[i].limit);
		assert_int_equal(result.limit_index, overloads[i].index);
		assert_close(result.throughput_per_s, overloads[i].throughput, .02);
		assert_close(result.growth_per_s, 600 - overloads[i].throughput, .1);
		assert_true(result.requests < 200000);
		model_result_release(&result);
		model_release(&model);
	}
}

/* M/M/1 at utilisations near 1, with other seeds: stable ones are never reported to grow. */
static void a_busy_server_is_distinguished_from_an_overloaded_one(void **state)
{
	static const struct {
		double rate;
		bool grows;
	} rates[] = {{85, false}, {90, false}, {95, false}, {110, true}, {120, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct err err;
			struct model model;
			struct model_result result;

			assert_int_equal(model_read_file(&model, "tests/data/model/mm1.json", &err),
					 0);
			set_number(&model, "users.rate", rates[i].rate);
			assert_int_equal(
				model_run(&result, &model,
					  &(struct model_run_request){.seed = seed,
								      .precision = .05,
								      .requests_most = 300000},
					  &err),
				0);
			assert_int_equal(result.grows, rates[i].grows);
			model_result_release(&result);
			model_release(&model);
		}
}

/* --- Batches ------------------------------------------------------------------------------------------ */

static void a_batch_takes_as_long_as_its_items(void **state)
{
	static const struct {
		const char *text;
		double wall_s;
	} batches[] = {
		{"{\"schema\": 1, " BATCH("1000") ", " QUEUE_Q "], " POOL_P(
			 "4", "{\"kind\": \"wait\", \"time\": 0.01}") "}",
		 2.5},
		{"{\"schema\": 1, \"machine\": {\"cores\": 2}, " BATCH(
			 "1000") ", " QUEUE_Q
				 "], " POOL_P("4", "{\"kind\": \"cpu\", \"time\": 0.01}") "}",
		 5},
		{"{\"schema\": 1, \"machine\": {\"cores\": 2, \"slowdown\": [1, 1.5]}, " BATCH(
			 "1000") ", " QUEUE_Q
				 "], " POOL_P("4", "{\"kind\": \"cpu\", \"time\": 0.01}") "}",
		 7.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		struct model model = read_text(batches[i].text);
		struct model_result result = run_model(&model, 1, 0), part;

		assert_int_equal(result.requests, 1000);
		assert_close(result.wall_s, batches[i].wall_s, .003);
		assert_close(result.throughput_per_s, 1000 / batches[i].wall_s, .003);
		assert_false(result.grows);
		part = run_model(&model, 1, 500);
		assert_close(part.wall_s, batches[i].wall_s, .02);
		model_result_release(&part);
		model_result_release(&result);
		model_release(&model);
	}
}

/* Two threads by turns: a token goes directly to a waiting thread, as the queue has no room. */
static void a_queue_without_room_hands_over(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"main\", \"kind\": \"closed\", "
		"\"clients\": 4, \"to\": \"q\"}], " QUEUE_Q
		", {\"name\": \"r\", \"kind\": \"queue\", \"limit\": 0}], \"pools\": [{\"name\": "
		"\"p\", \"threads\": 2, \"takes\": \"q\", \"graph\": [{\"kind\": \"wait\", "
		"\"time\": 0.001}, {\"kind\": \"put\", \"station\": \"r\"}]}, {\"name\": \"o\", "
		"\"threads\": 1, \"takes\": \"r\", \"graph\": [{\"kind\": \"wait\", \"time\": "
		"0.002}]}]}");
	struct model_result result = run_model(&model, 1, 5000);

	(void)state;
	assert_close(result.throughput_per_s, 500, .001);
	assert_close(result.stations[1].length, 0, 1e-9);
	model_result_release(&result);
	model_release(&model);
}

/* Clients of one pool take no threads of another one. */
static void each_pool_has_connections_of_its_own(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"a\", \"kind\": \"closed\", "
		"\"clients\": "
		"8, \"to\": \"q\"}, {\"name\": \"b\", \"kind\": \"closed\", \"clients\": 5, "
		"\"to\": "
		"\"r\"}], " QUEUE_Q
		", {\"name\": \"r\", \"kind\": \"queue\"}], \"pools\": [{\"name\": \"p\", "
		"\"threads\": 8, \"takes\": \"q\", \"dispatch\": \"connection\", \"graph\": "
		"[{\"kind\": \"wait\", \"time\": 0.001}]}, {\"name\": \"o\", \"threads\": 4, "
		"\"takes\": \"r\", \"dispatch\": \"connection\", \"graph\": [{\"kind\": \"wait\", "
		"\"time\": 0.002}]}]}");
	struct model_result result = run_model(&model, 1, 20000);

	(void)state;
	assert_close(result.pools[0].visits_per_s, 8000, .001);
	assert_close(result.pools[1].visits_per_s, 2000, .001);
	model_result_release(&result);
	model_release(&model);
}

/* --- Little's law --------------------------------------------------------------------------------------- */

/*
 * If the run begins and ends empty, the mean number of waiting requests is the rate of arrivals
 * times the mean wait, up to rounding: one is summed over time, the other over requests.
 */
static void littles_law_holds_at_each_station(void **state)
{
	struct model model = read_text("{\"schema\": 1, \"machine\": {\"cores\": 2}, " BATCH(
		"5000") ", " QUEUE_Q ", {\"name\": \"r\", \"kind\": \"queue\"}, {\"name\": \"l\", "
			"\"kind\": \"lock\"}, "
			"{\"name\": \"s\", \"kind\": \"lock\", \"servers\": 2}, {\"name\": \"d\", "
			"\"kind\": "
			"\"disk\", \"servers\": 2, \"service\": {\"exponential\": 0.003}}], "
			"\"pools\": "
			"[{\"name\": \"p\", \"threads\": 8, \"takes\": \"q\", \"graph\": "
			"[{\"kind\": \"cpu\", "
			"\"time\": {\"exponential\": 0.0002}}, {\"kind\": \"acquire\", "
			"\"station\": \"l\"}, "
			"{\"kind\": \"wait\", \"time\": {\"exponential\": 0.001}}, {\"kind\": "
			"\"release\", "
			"\"station\": \"l\"}, {\"kind\": \"wait\", \"station\": \"d\"}, {\"kind\": "
			"\"put\", "
			"\"station\": \"r\"}]}, {\"name\": \"o\", \"threads\": 3, \"takes\": "
			"\"r\", \"graph\": "
			"[{\"kind\": \"acquire\", \"station\": \"s\"}, {\"kind\": \"cpu\", "
			"\"time\": "
			"{\"exponential\": 0.002}}]}]}");
	struct model_result result = run_model(&model, 1, 0);

	(void)state;
	assert_int_equal(result.requests, 5000);
	for (size_t i = 1; i < model.station_count; i++) {
		const struct model_station_result *station = &result.stations[i];

		assert_true(station->length > 0);
		assert_close(station->arrivals_per_s * station->wait_s, station->length, 1e-9);
		assert_close(station->arrivals_per_s, result.throughput_per_s, 1e-9);
	}
	model_result_release(&result);
	model_release(&model);
}

/* --- Properties ------------------------------------------------------------------------------------------ */

static double capacity_of(const char *text, double threads)
{
	struct model model = read_text(text);
	struct model_result result;
	double throughput;

	set_number(&model, "p.threads", threads);
	result = run_model(&model, 1, 30000);
	throughput = result.throughput_per_s;
	model_result_release(&result);
	model_release(&model);
	return throughput;
}

static void more_threads_never_lower_capacity_without_a_lock(void **state)
{
	static const char text[] =
		"{\"schema\": 1, \"machine\": {\"cores\": 2}, \"arrivals\": [{\"name\": \"c\", "
		"\"kind\": \"closed\", \"clients\": 64, \"to\": \"q\"}], " QUEUE_Q
		"], " POOL_P("1",
			     "{\"kind\": \"cpu\", \"time\": {\"exponential\": 0.001}}, {\"kind\": "
			     "\"wait\", \"time\": {\"exponential\": 0.004}}") "}";
	double before = 0;

	(void)state;
	for (double threads = 1; threads <= 64; threads *= 2) {
		double capacity = capacity_of(text, threads);

		assert_true(capacity > before * .995);
		assert_true(capacity < fmin(threads / .005, 2 / .001) * 1.02);
		before = capacity;
	}
	assert_close(before, 2000, .03);
}

/* All times doubled and half the rate: all results double. */
static void all_times_and_the_rate_scale(void **state)
{
	struct model model = read_pool(), slow;
	struct model_result as_is, twice;

	(void)state;
	model_copy(&slow, &model);
	set_number(&slow, "main.rate", 300);
	set_number(&slow, "worker.scale.cpu", 2);
	set_number(&slow, "worker.scale.wait", 2);
	set_number(&slow, "machine.switch_s", 4e-6);
	set_number(&slow, "machine.slice_s", .006);
	as_is = run_model(&model, 1, 50000);
	twice = run_model(&slow, 1, 50000);
	assert_close(twice.response_s, 2 * as_is.response_s, 1e-6);
	assert_close(twice.throughput_per_s, as_is.throughput_per_s / 2, 1e-6);
	assert_close(twice.busy_cores, as_is.busy_cores, 1e-6);
	model_result_release(&as_is);
	model_result_release(&twice);
	model_release(&model);
	model_release(&slow);
}

static void with_a_thread_for_each_client_there_is_no_queue(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"c\", \"kind\": \"closed\", "
		"\"clients\": "
		"8, \"think\": {\"exponential\": 0.001}, \"to\": \"q\"}], " QUEUE_Q
		"], " POOL_P("8", "{\"kind\": \"wait\", \"time\": {\"exponential\": 0.004}}") "}");
	struct model_result result = run_model(&model, 1, 20000);

	(void)state;
	assert_true(result.stations[0].length <= 0);
	assert_true(result.stations[0].wait_s <= 0);
	assert_close(result.response_s, .004, .03);
	assert_close(result.throughput_per_s, 8 / .005, .02);
	model_result_release(&result);
	model_release(&model);
}

/* One more request a second, or one more thread, changes little if the random numbers are the
 * same. */
static void rows_differ_only_by_their_configuration(void **state)
{
	struct model model = read_pool();
	struct model_result four = run_model(&model, 1, 20000), five, other;

	(void)state;
	set_number(&model, "worker.threads", 5);
	five = run_model(&model, 1, 20000);
	other = run_model(&model, 2, 20000);
	assert_close(five.throughput_per_s, four.throughput_per_s, 1e-4);
	assert_true(fabs(other.throughput_per_s / four.throughput_per_s - 1) > 1e-4);
	assert_true(five.response_s < four.response_s);
	model_result_release(&four);
	model_result_release(&five);
	model_result_release(&other);
	model_release(&model);
}

/* --- Servers of requests ----------------------------------------------------------------------------------- */

static void requests_of_a_client_may_stay_with_one_thread(void **state)
{
	static const struct {
		const char *dispatch, *connections;
		double clients, threads, throughput;
	} cases[] = {
		{"shared", "[]", 3, 2, 200},	 {"pinned", "[]", 3, 2, 200},
		{"pinned", "[]", 2, 4, 200},	 {"connection", "[]", 3, 4, 300},
		{"connection", "[]", 3, 2, 200}, {"shared", "[]", 1, 4, 100},
		{"pinned", "[2, 0]", 2, 2, 100}, {"pinned", "[3, 1]", 4, 2, 200},
		{"pinned", "[0, 0]", 2, 2, 200},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[600];
		struct model model;
		struct model_result result;

		snprintf(text, sizeof(text),
			 "{\"schema\": 1, \"arrivals\": [{\"name\": \"c\", \"kind\": \"closed\", "
			 "\"clients\": %g, \"to\": \"q\"}], " QUEUE_Q
			 "], \"pools\": [{\"name\": \"p\", "
			 "\"threads\": %g, \"takes\": \"q\", \"dispatch\": \"%s\", "
			 "\"connections\": %s, \"graph\": "
			 "[{\"kind\": \"wait\", \"time\": 0.01}]}]}",
			 cases[i].clients, cases[i].threads, cases[i].dispatch,
			 cases[i].connections);
		model = read_text(text);
		result = run_model(&model, 1, 10000);
		assert_close(result.throughput_per_s, cases[i].throughput, .01);
		model_result_release(&result);
		model_release(&model);
	}
}

static void clients_of_a_thread_think_one_after_the_other(void **state)
{
	static const struct {
		const char *threads;
		double throughput;
		enum model_limit limit;
	} cases[] = {
		{"0", 200, MODEL_LIMIT_NONE},
		{"1", 100, MODEL_LIMIT_SOURCE},
		{"2", 200, MODEL_LIMIT_SOURCE},
		{"3", 200, MODEL_LIMIT_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[600];
		struct model model;
		struct model_result result;

		snprintf(text, sizeof(text),
			 "{\"schema\": 1, \"arrivals\": [{\"name\": \"c\", \"kind\": \"closed\", "
			 "\"clients\": 4, \"threads\": %s, \"think\": 0.01, \"to\": "
			 "\"q\"}], " QUEUE_Q
			 "], " POOL_P("4", "{\"kind\": \"wait\", \"time\": 0.01}") "}",
			 cases[i].threads);
		model = read_text(text);
		result = run_model(&model, 1, 10000);
		assert_close(result.throughput_per_s, cases[i].throughput, .01);
		assert_close(result.response_s, .01, .01);
		assert_int_equal(result.limit, cases[i].limit);
		assert_close(result.client_utilisations[0],
			     i ? result.throughput_per_s * .01 / (double)i : 0, .01);
		model_result_release(&result);
		model_release(&model);
	}
}

/* Clients of another queue in between change nothing: each thread has one client here. */
static void clients_are_spread_over_the_threads_of_their_own_pool(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": ["
		"{\"name\": \"a\", \"kind\": \"closed\", \"clients\": 1, \"to\": \"q\"}, "
		"{\"name\": \"b\", \"kind\": \"closed\", \"clients\": 1, \"to\": \"r\"}, "
		"{\"name\": \"c\", \"kind\": \"closed\", \"clients\": 1, \"to\": \"q\"}], "
		"\"stations\": [{\"name\": \"q\", \"kind\": \"queue\"}, "
		"{\"name\": \"r\", \"kind\": \"queue\"}], \"pools\": ["
		"{\"name\": \"p\", \"threads\": 2, \"takes\": \"q\", \"dispatch\": "
		"\"pinned\", \"graph\": [{\"kind\": \"wait\", \"time\": 0.01}]}, "
		"{\"name\": \"o\", \"takes\": \"r\", \"graph\": "
		"[{\"kind\": \"wait\", \"time\": 0.01}]}]}");
	struct model_result result = run_model(&model, 1, 10000);

	(void)state;
	assert_close(result.throughput_per_s, 300, .01);
	model_result_release(&result);
	model_release(&model);
}

static void a_request_may_be_answered_before_its_visit_ends(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"s\", \"kind\": \"open\", \"rate\": "
		"10, "
		"\"to\": \"q\"}], " QUEUE_Q "], " POOL_P(
			"4",
			"{\"kind\": \"wait\", \"time\": 0.01}, {\"kind\": \"done\"}, {\"kind\": "
			"\"wait\", \"time\": 0.02}") "}");
	struct model_result result = run_model(&model, 1, 10000);

	(void)state;
	assert_close(result.response_s, .01, .01);
	assert_close(result.pools[0].visit_s, .03, .001);
	model_result_release(&result);
	model_release(&model);
}

/* A thread whose next queue is full waits: the slower pool sets the pace of both. */
static void a_full_queue_delays_the_pool_before_it(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"c\", \"kind\": \"closed\", "
		"\"clients\": "
		"20, \"to\": \"q\"}], " QUEUE_Q
		", {\"name\": \"r\", \"kind\": \"queue\", \"limit\": "
		"2}], \"pools\": [{\"name\": \"p\", \"threads\": 4, \"takes\": \"q\", \"graph\": "
		"[{\"kind\": \"wait\", \"time\": 0.001}, {\"kind\": \"put\", \"station\": "
		"\"r\"}]}, "
		"{\"name\": \"o\", \"takes\": \"r\", \"graph\": [{\"kind\": \"wait\", \"time\": "
		"0.01}]}]}");
	struct model_result result = run_model(&model, 1, 10000);

	(void)state;
	assert_close(result.throughput_per_s, 100, .01);
	assert_close(result.stations[1].length, 2, .01);
	assert_true(result.pools[0].blocked > .9);
	assert_int_equal(result.limit, MODEL_LIMIT_POOL);
	assert_int_equal(result.limit_index, 1);
	assert_int_equal(result.lost, 0);
	model_result_release(&result);
	model_release(&model);
}

static void recorded_visits_are_drawn_whole(void **state)
{
	struct model model = read_text(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"s\", \"kind\": \"open\", \"rate\": "
		"10, "
		"\"to\": \"q\"}], " QUEUE_Q ", {\"name\": \"d\", \"kind\": \"delay\", \"service\": "
		"0.003}], \"pools\": [{\"name\": \"p\", \"threads\": 4, \"takes\": \"q\", "
		"\"scale\": "
		"{\"cpu\": 2, \"wait\": 1}, \"graph\": [{\"kind\": \"cpu\"}, {\"kind\": \"wait\"}, "
		"{\"kind\": \"wait\", \"station\": \"d\"}], \"visits\": [[[0, 0.001], [1, 0.01]], "
		"[[0, "
		"0.002], [1, 0.02], [2]], [[1, 0.04]], []]}]}");
	struct model_result result = run_model(&model, 1, 20000);

	(void)state;
	assert_close(result.pools[0].visit_s, (.012 + .027 + .04) / 4, .02);
	assert_close(result.pools[0].cpu_s, .003 * 2 / 4, .03);
	assert_close(result.stations[1].arrivals_per_s, 2.5, .04);
	model_result_release(&result);
	model_release(&model);
}

/* --- Models that cannot run ---------------------------------------------------------------------------------- */

#define CLIENTS                                                                           \
	"\"arrivals\": [{\"name\": \"c\", \"kind\": \"closed\", \"clients\": 4, \"to\": " \
	"\"q\"}]"
#define LOCKS                                                                           \
	QUEUE_Q ", {\"name\": \"a\", \"kind\": \"lock\"}, {\"name\": \"b\", \"kind\": " \
		"\"lock\"}]"

static const struct {
	const char *text, *says;
} refused[] = {
	{"{\"schema\": 1, " CLIENTS ", " QUEUE_Q "], " POOL_P("1", "") "}", "no time passes"},
	{"{\"schema\": 1, " CLIENTS ", " QUEUE_Q
	 "], " POOL_P("1", "{\"kind\": \"cpu\", \"time\": 1e-3, \"next\": 0}") "}",
	 "takes more than 1048576 steps"},
	{"{\"schema\": 1, " CLIENTS ", " LOCKS
	 ", " POOL_P("1", "{\"kind\": \"acquire\", \"station\": \"a\"}, {\"kind\": \"acquire\", "
			  "\"station\": \"a\"}") "}",
	 "a deadlock holds 1 of the threads"},
	{"{\"schema\": 1, " CLIENTS ", " LOCKS
	 ", " POOL_P("4",
		     "{\"kind\": \"cpu\", \"next\": [[1, 0.5], [4, 0.5]]}, {\"kind\": \"acquire\", "
		     "\"station\": \"a\"}, {\"kind\": \"wait\", \"time\": 0.001}, {\"kind\": "
		     "\"acquire\", \"station\": \"b\", \"next\": \"end\"}, {\"kind\": \"acquire\", "
		     "\"station\": \"b\"}, {\"kind\": \"wait\", \"time\": 0.001}, {\"kind\": "
		     "\"acquire\", \"station\": \"a\"}") "}",
	 "a deadlock holds"},
	{"{\"schema\": 1, " CLIENTS ", \"stations\": [{\"name\": \"q\", \"kind\": \"queue\", "
	 "\"limit\": 1}], " POOL_P("1", "{\"kind\": \"put\", \"station\": \"q\"}, {\"kind\": "
					"\"put\", \"station\": \"q\"}") "}",
	 NULL},
	{"{\"schema\": 1, \"arrivals\": [{\"name\": \"a\", \"kind\": \"open\", \"rate\": 1e9, "
	 "\"to\": "
	 "\"q\"}], " QUEUE_Q "], " POOL_P("1", "{\"kind\": \"wait\", \"time\": 1}") "}",
	 "pile up before the first one is answered"},
};

static void a_model_that_cannot_run_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct model model = read_text(refused[i].text);
		struct model_result result;
		struct err err = {.text = ""};

		if (!model_run(&result, &model, &(struct model_run_request){.requests_most = 20000},
			       &err))
			fail_msg("%zu: it ran", i);
		if (refused[i].says && !strstr(err.text, refused[i].says))
			fail_msg("\"%s\" lacks \"%s\"", err.text, refused[i].says);
		model_release(&model);
	}
}

/* The measured part begins and ends while cores wake up. */
static void an_unfinished_wake_is_not_subtracted_from_busy_cores(void **state)
{
	static const char text[] =
		"{\"schema\": 1, \"machine\": {\"cores\": 4, \"wake_s\": 1}, \"arrivals\": "
		"[{\"name\": "
		"\"web\", \"kind\": \"open\", \"rate\": 2, \"to\": \"q\"}], " QUEUE_Q
		"], " POOL_P("4", "{\"kind\": \"cpu\", \"time\": 0.001}") "}";
	struct model model = read_text(text);

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct model_result result = run_model(&model, seed, 200);

		assert_close(result.busy_cores, .001 * result.throughput_per_s, 1e-4);
		model_result_release(&result);
	}
	model_release(&model);
}

/* All threads always have an item: a fixed time of 1 ms grows by their number. */
static void cpu_time_grows_with_simultaneous_visits(void **state)
{
	static const struct {
		double growth, until, threads, work_s;
	} cases[] = {
		{0, 0, 4, .001},   {.1, 0, 1, .001},   {.1, 0, 4, .0013},  {.1, 3, 4, .0012},
		{.1, 9, 8, .0017}, {-.1, 0, 4, .0007}, {-.5, 2, 8, .0005},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model model =
			read_text("{\"schema\": 1, \"machine\": {\"cores\": 8}, " BATCH(
				"8000") ", " QUEUE_Q "], " POOL_P("1", "{\"kind\": \"cpu\", "
								       "\"time\": 0.001}") "}");
		struct model_result result;

		set_number(&model, "p.threads", cases[i].threads);
		set_number(&model, "p.cpu_growth", cases[i].growth);
		set_number(&model, "p.cpu_growth_until", cases[i].until);
		result = run_model(&model, 1, 0);
		assert_close(result.pools[0].cpu_s, cases[i].work_s, .002);
		assert_close(result.wall_s, 8000 / cases[i].threads * cases[i].work_s, .002);
		model_result_release(&result);
		model_release(&model);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cpu_time_grows_with_simultaneous_visits),
	cmocka_unit_test(an_unfinished_wake_is_not_subtracted_from_busy_cores),
	cmocka_unit_test(the_same_seed_makes_the_same_run),
	cmocka_unit_test(a_lock_is_released_on_a_core),
	cmocka_unit_test(a_run_is_as_long_as_the_precision_needs),
	cmocka_unit_test(a_run_ends_when_a_response_time_is_far_from_its_bound),
	cmocka_unit_test(an_overloaded_server_has_no_response_time),
	cmocka_unit_test(a_busy_server_is_distinguished_from_an_overloaded_one),
	cmocka_unit_test(a_batch_takes_as_long_as_its_items),
	cmocka_unit_test(a_queue_without_room_hands_over),
	cmocka_unit_test(each_pool_has_connections_of_its_own),
	cmocka_unit_test(littles_law_holds_at_each_station),
	cmocka_unit_test(more_threads_never_lower_capacity_without_a_lock),
	cmocka_unit_test(all_times_and_the_rate_scale),
	cmocka_unit_test(with_a_thread_for_each_client_there_is_no_queue),
	cmocka_unit_test(rows_differ_only_by_their_configuration),
	cmocka_unit_test(requests_of_a_client_may_stay_with_one_thread),
	cmocka_unit_test(clients_of_a_thread_think_one_after_the_other),
	cmocka_unit_test(clients_are_spread_over_the_threads_of_their_own_pool),
	cmocka_unit_test(a_request_may_be_answered_before_its_visit_ends),
	cmocka_unit_test(a_full_queue_delays_the_pool_before_it),
	cmocka_unit_test(recorded_visits_are_drawn_whole),
	cmocka_unit_test(a_model_that_cannot_run_is_refused),
};

TEST_FILE(tests);
