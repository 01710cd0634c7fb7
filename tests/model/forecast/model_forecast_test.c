/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_file.h"
#include "model/forecast/model_forecast.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/file/model.h"
#include "model/forecast/served_model.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Four threads that serve 600 requests a second, in 4 ms each: M/M/4. */
static const double mu = 250;

static struct model_values values(double *numbers, size_t count)
{
	return (struct model_values){numbers, count};
}

static struct model_forecast forecast_of(const struct model *model,
					 const struct model_question *question)
{
	struct model_forecast forecast;
	struct err err = {.text = ""};

	if (model_forecast_make(&forecast, model, question, &err))
		fail_msg("%s", err.text);
	return forecast;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static void rows_are_all_combinations_in_their_order(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	double threads[] = {3, 8}, rates[] = {300, 600}, cores[] = {1, 2};
	const struct model_question question = {.pool = MODEL_NONE,
						.threads = values(threads, 2),
						.rates = values(rates, 2),
						.cores = values(cores, 2),
						.think_s = NAN,
						.requests_most = 2000};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	assert_int_equal(forecast.row_count, 8);
	for (size_t i = 0; i < 8; i++) {
		const struct model_forecast_row *row = &forecast.rows[i];

		assert_int_equal(row->threads, threads[i / 4]);
		assert_close(row->rate, rates[i / 2 % 2], 1e-12);
		assert_int_equal(row->cores, cores[i % 2]);
		assert_int_equal(row->clients, 0);
		assert_close(row->result.throughput_per_s, row->rate, .1);
	}
	model_forecast_release(&forecast);
	model_release(&model);
}

static void response_times_and_their_intervals_are_those_of_theory(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	double threads[] = {3, 4, 8};
	const struct model_question question = {
		.pool = MODEL_NONE, .threads = values(threads, 3), .think_s = NAN};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct model_forecast_row *row = &forecast.rows[i];
		double mean_s = served_mean_s((unsigned)threads[i], 600, mu);
		double p95_s = served_p95_s((unsigned)threads[i], 600, mu);

		assert_close(row->result.response_s, mean_s, .03);
		assert_close(row->result.response_p95_s, p95_s, .05);
		assert_true(row->response_s.lo < mean_s && mean_s < row->response_s.hi);
		assert_true(row->response_p95_s.lo < p95_s && p95_s < row->response_p95_s.hi);
		assert_true(row->response_s.lo > .8 * mean_s || threads[i] == 3);
	}
	/* Near to saturation they are wider. */
	assert_true(forecast.rows[0].response_s.hi / forecast.rows[0].response_s.lo >
		    forecast.rows[2].response_s.hi / forecast.rows[2].response_s.lo);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void an_overloaded_row_has_no_response_time_and_a_reason(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	double threads[] = {2, 4, 8, 16};
	const struct model_question question = {
		.pool = 0, .threads = values(threads, 4), .think_s = NAN, .requests_most = 20000};
	struct model_forecast forecast = forecast_of(&model, &question);
	const struct model_forecast_row *row = &forecast.rows[0];

	(void)state;
	assert_true(row->result.grows);
	assert_true(isnan(row->response_s.lo) && isnan(row->response_s.hi));
	assert_close(row->result.growth_per_s, 100, .1);
	assert_close(row->result.throughput_per_s, 500, .03);
	assert_int_equal(row->result.limit, MODEL_LIMIT_POOL);
	assert_int_equal(row->result.limit_index, 0);
	/* More than 8 threads bring no gain. */
	assert_int_equal(forecast.best, 2);
	model_forecast_release(&forecast);
	model_release(&model);
}

/* Clients hardly ask more often if they get answers sooner, and one request in ten waits. */
static void the_best_row_has_the_least_response_times(void **state)
{
	struct model models[] = {served_closed(3, 64, .12, 1 / mu),
				 served_open(3, 1.05 * mu, 1 / mu)};
	double threads[] = {3, 8, 16};
	const struct model_question question = {
		.pool = 0, .threads = values(threads, 3), .think_s = NAN};

	(void)state;
	models[1].pools[0].nodes[0].time.kind = DISTRIBUTION_FIXED;
	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		struct model_forecast forecast = forecast_of(&models[i], &question);
		const struct model_result *few = &forecast.rows[0].result;
		const struct model_result *more = &forecast.rows[1].result;

		assert_close(few->throughput_per_s, more->throughput_per_s, .03);
		if (i == 1)
			assert_close(few->response_s, more->response_s, .03);
		assert_true(few->response_p95_s > 1.1 * more->response_p95_s);
		assert_int_equal(forecast.best, 1);
		model_forecast_release(&forecast);
		model_release(&models[i]);
	}
}

static void a_row_that_loses_requests_is_not_the_best(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	double threads[] = {3, 4, 16};
	struct model_question question = {
		.pool = 0, .threads = values(threads, 3), .think_s = NAN, .requests_most = 20000};
	struct model_forecast forecast;

	(void)state;
	model.stations[0].bounded = true;
	model.stations[0].limit = 2;
	forecast = forecast_of(&model, &question);
	assert_true(model_loses(&forecast.rows[1].result));
	assert_true(model_lost_share(&forecast.rows[0].result) > .05);
	assert_int_equal(forecast.best, 2);
	model_forecast_release(&forecast);
	question.threads.count = 2;
	forecast = forecast_of(&model, &question);
	assert_true(forecast.best == SIZE_MAX);
	model_forecast_release(&forecast);
	model_release(&model);
}

/* The model takes 50 times as long: the interval reaches as far, and no farther. */
static void a_forecast_that_is_trusted_nevertheless_has_an_interval_of_the_seen_error(void **state)
{
	struct model model = served_batch(4, 2000, 1 / mu);
	const struct model_question question = {.pool = 0, .think_s = NAN, .trust = true};
	struct model_forecast forecast;
	const struct model_forecast_row *row;

	(void)state;
	served_check(&model, NAN, NAN, NAN);
	model.check.wall_s.recorded = 2000 / mu / 4 / 50;
	model.check.wall_s.model = 2000 / mu / 4;
	forecast = forecast_of(&model, &question);
	row = &forecast.rows[0];
	assert_true(row->wall_s.hi > 40 * row->result.wall_s);
	assert_true(row->wall_s.hi < 60 * row->result.wall_s);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void a_closed_system_answers_at_the_rate_of_its_clients(void **state)
{
	struct model model = served_closed(4, 32, .04, .004);
	double threads[] = {4, 8};
	const struct model_question question = {
		.pool = MODEL_NONE, .threads = values(threads, 2), .think_s = NAN};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	/* Machine repair, M/M/c//N. */
	assert_close(forecast.rows[0].result.throughput_per_s, 711.0644859, .01);
	assert_close(forecast.rows[1].result.throughput_per_s, 727.2071601, .01);
	assert_close(forecast.rows[0].result.response_s, .005002950697, .03);
	assert_int_equal(forecast.rows[0].clients, 32);
	assert_true(isnan(forecast.rows[0].rate));
	assert_true(forecast.rows[0].throughput_per_s.lo < 711.1 &&
		    forecast.rows[0].throughput_per_s.hi > 711);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void clients_and_their_think_time_can_be_changed(void **state)
{
	struct model model = served_closed(1, 7, 3, 1);
	double clients[] = {4, 16};
	const struct model_question question = {.pool = MODEL_NONE,
						.clients = values(clients, 2),
						.think_s = 10,
						.requests_most = 20000};
	struct model_forecast forecast;

	(void)state;
	model.sources[0].threads = 1;
	forecast = forecast_of(&model, &question);
	assert_close(forecast.rows[0].result.throughput_per_s, .3533367822, .02);
	assert_close(forecast.rows[1].result.throughput_per_s, .9776981280, .02);
	model_forecast_release(&forecast);
	model_release(&model);
}

/* All clients belong to one thread of some; it is unknown to which. */
static void clients_of_more_threads_are_spread_evenly(void **state)
{
	struct model model = served_closed(2, 4, 0, .01);
	double threads[] = {2, 4}, own[] = {4, 0};
	const struct model_setting setting = {"worker.threads", 4};
	struct model_question question = {.pool = MODEL_NONE,
					  .threads = values(threads, 2),
					  .think_s = NAN,
					  .requests_most = 20000};
	struct model_forecast forecast;

	(void)state;
	model.pools[0].dispatch = MODEL_PINNED;
	model.pools[0].connections = xcalloc(2, sizeof(*own));
	memcpy(model.pools[0].connections, own, sizeof(own));
	model.pools[0].connection_count = 2;
	forecast = forecast_of(&model, &question);
	assert_close(forecast.rows[0].result.throughput_per_s, 100, .02);
	assert_close(forecast.rows[1].result.throughput_per_s, 400, .02);
	model_forecast_release(&forecast);
	question.threads.count = 0;
	question.settings = &setting;
	question.setting_count = 1;
	forecast = forecast_of(&model, &question);
	assert_close(forecast.rows[0].result.throughput_per_s, 400, .02);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void any_number_of_the_model_can_be_set(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	const struct model_setting settings[] = {{"worker.threads", 8}, {"main.rate", 300}};
	const struct model_question question = {.pool = MODEL_NONE,
						.settings = settings,
						.setting_count = 2,
						.think_s = NAN,
						.requests_most = 2000};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	assert_int_equal(forecast.row_count, 1);
	assert_int_equal(forecast.rows[0].threads, 8);
	assert_close(forecast.rows[0].rate, 300, 1e-12);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void a_batch_has_a_wall_time(void **state)
{
	struct model model = served_batch(2, 2000, .01);
	double threads[] = {1, 2, 4};
	const struct model_question question = {
		.pool = MODEL_NONE, .threads = values(threads, 3), .think_s = NAN};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct model_forecast_row *row = &forecast.rows[i];

		assert_close(row->result.wall_s, 20 / threads[i], .05);
		assert_true(row->wall_s.lo < 20 / threads[i] && row->wall_s.hi > 20 / threads[i]);
	}
	assert_int_equal(forecast.best, 2);
	model_forecast_release(&forecast);
	model_release(&model);
}

/* 10 s of work of two threads, which had to wait while other programs had the cores. */
static void a_batch_is_checked_with_waits_for_cores_that_other_programs_have(void **state)
{
	static const struct {
		double recorded_s, waited_s, model_s;
		bool refused;
	} cases[] = {
		{10, 0, 10, false},  {30, 20, 30, false}, {30, 0, 10, true},
		{10, 20, 10, false}, {50, 20, 30, true},  {5, 20, 10, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model model = served_batch(2, 2000, .01);
		struct model_result result;
		struct err err;
		char *refusal;

		model.has_check = true;
		model.check.wall_s.recorded = cases[i].recorded_s;
		model.check.throughput_per_s.recorded = 2000 / cases[i].recorded_s;
		model.check.run_queue_s.recorded = cases[i].waited_s;
		assert_int_equal(model_self_check(&result, &model, &err), 0);
		assert_close(result.wall_s, 10, .05);
		assert_close(model.check.wall_s.model, cases[i].model_s, .05);
		assert_close(model.check.throughput_per_s.model, 2000 / cases[i].model_s, .05);
		refusal = model_check_refusal(&model);
		assert_int_equal(refusal != NULL, cases[i].refused);
		free(refusal);
		model_result_release(&result);
		model_release(&model);
	}
}

static void equal_requests_have_equal_answers(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	const struct model_question question = {
		.pool = MODEL_NONE, .think_s = NAN, .requests_most = 5000};
	struct model_forecast one = forecast_of(&model, &question);
	struct model_forecast other = forecast_of(&model, &question);

	(void)state;
	assert_memory_equal(&one.rows[0].response_s, &other.rows[0].response_s,
			    sizeof(one.rows[0].response_s));
	assert_memory_equal(&one.rows[0].response_p95_s, &other.rows[0].response_p95_s,
			    sizeof(one.rows[0].response_p95_s));
	model_forecast_release(&other);
	model_forecast_release(&one);
	model_release(&model);
}

/* --- Beyond the recording ------------------------------------------------------------------ */

static void a_row_tells_how_far_it_is_beyond_the_recording(void **state)
{
	struct model model = served_open(4, 200, 1 / mu);
	double threads[] = {2, 4, 12}, rates[] = {100, 300};
	const double beyond[] = {1, 1.5, 1, 1.5, 3, 3};
	const struct model_question question = {.pool = MODEL_NONE,
						.threads = values(threads, 3),
						.rates = values(rates, 2),
						.think_s = NAN,
						.requests_most = 2000};
	struct model_forecast forecast = forecast_of(&model, &question);

	(void)state;
	assert_true(isnan(forecast.rows[0].extrapolated));
	model_forecast_release(&forecast);
	served_check(&model, 200, served_mean_s(4, 200, mu), served_p95_s(4, 200, mu));
	forecast = forecast_of(&model, &question);
	for (size_t i = 0; i < 6; i++)
		assert_close(forecast.rows[i].extrapolated, beyond[i], 1e-9);
	model_forecast_release(&forecast);
	model_release(&model);
}

/* As many requests waited in the recorded queue as wait in the row: the recording has tested such a
 * queue. */
static void a_queue_as_long_as_recorded_is_not_beyond_it(void **state)
{
	static struct model_station_check items[] = {
		{.station = MODEL_NONE, .pool = 0, .utilisation = {.9, NAN}, .length = {NAN, NAN}},
		{.station = 0, .pool = MODEL_NONE, .utilisation = {NAN, NAN}, .length = {8, NAN}},
	};
	struct model model = served_open(1, .9 * mu, 1 / mu);
	const struct model_question question = {
		.pool = MODEL_NONE, .think_s = NAN, .trust = true, .requests_most = 100000};
	struct model_forecast forecast;

	(void)state;
	served_check(&model, .9 * mu, served_mean_s(1, .9 * mu, mu), served_p95_s(1, .9 * mu, mu));
	model.check.items = items;
	model.check.item_count = 2;
	forecast = forecast_of(&model, &question);
	assert_true(forecast.rows[0].result.stations[0].length > 4);
	assert_in_range((size_t)(100 * forecast.rows[0].extrapolated), 100, 199);
	model_forecast_release(&forecast);
	model.check.items = NULL;
	model_release(&model);
}

static void no_forecast_is_made_if_the_self_check_fails(void **state)
{
	const struct {
		double rate, mean_s, p95_s; /* recorded, compared with 600, 4.72 ms and 13.4 ms */
		const char *says;	    /* NULL: it passes */
	} cases[] = {
		{600, .0047, .0134, NULL},
		{650, .0053, .016, NULL},
		{690, .0047, .0134, "throughput"},
		{600, .0057, .0134, "mean response time"},
		{600, .0040, .0134, "15 %"},
		{600, .0047, .0190, "95 % response time"},
		{NAN, NAN, NAN, NULL},
	};
	struct model_question question = {
		.pool = MODEL_NONE, .think_s = NAN, .requests_most = 2000};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model model = served_open(4, 600, 1 / mu);
		struct model_forecast forecast;

		served_check(&model, cases[i].rate, cases[i].mean_s, cases[i].p95_s);
		question.trust = false;
		forecast = forecast_of(&model, &question);
		assert_int_equal(forecast.refused, cases[i].says != NULL);
		assert_int_equal(forecast.row_count, cases[i].says ? 0 : 1);
		if (cases[i].says && !strstr(forecast.reason, cases[i].says))
			fail_msg("\"%s\" lacks \"%s\"", forecast.reason, cases[i].says);
		model_forecast_release(&forecast);
		question.trust = true;
		forecast = forecast_of(&model, &question);
		assert_int_equal(forecast.row_count, 1);
		assert_int_equal(forecast.reason != NULL, cases[i].says != NULL);
		model_forecast_release(&forecast);
		model_release(&model);
	}
}

/* A model in which half of the time is such waits may pass the check by construction. */
static void no_forecast_is_made_if_threads_wait_for_unknown_things(void **state)
{
	const double shares[] = {.2, .5};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct model model = served_open(4, 600, 1 / mu);
		char *refusal;

		served_check(&model, 600, .0047, .0134);
		model.pools[0].unseen_waits = shares[i];
		refusal = model_check_refusal(&model);
		assert_int_equal(refusal != NULL, i == 1);
		assert_true(!refusal || strstr(refusal, "50 % of the time of visits of"));
		free(refusal);
		model_release(&model);
	}
}

/* ... so that --clients alone gives 16 processes: else 16 clients would have 4. */
static void a_program_that_forks_has_a_process_for_each_client(void **state)
{
	double clients[] = {16}, threads[] = {2};
	struct model_question question = {.pool = MODEL_NONE,
					  .think_s = NAN,
					  .clients = values(clients, 1),
					  .requests_most = 20000};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct model model = served_closed(4, 4, .04, .004);
		struct model_forecast forecast;

		model.pools[0].dispatch = MODEL_CONNECTION;
		model.pools[0].forks = true;
		question.threads = values(threads, i);
		forecast = forecast_of(&model, &question);
		assert_int_equal(forecast.rows[0].threads, i ? 2 : 16);
		assert_close(forecast.rows[0].result.throughput_per_s, (i ? 2 : 16) / .044, .03);
		model_forecast_release(&forecast);
		model_release(&model);
	}
}

static void a_forecast_that_takes_too_long_has_no_rows(void **state)
{
	struct model model = served_open(4, 600, 1 / mu);
	const struct model_question question = {
		.pool = MODEL_NONE, .think_s = NAN, .seconds_most = 1e-9};
	struct model_forecast forecast;

	(void)state;
	forecast = forecast_of(&model, &question);
	assert_true(forecast.late);
	assert_int_equal(forecast.row_count, 0);
	model_forecast_release(&forecast);
	model_release(&model);
}

static void intervals_include_the_error_of_the_self_check(void **state)
{
	struct model model = served_open(8, 200, 1 / mu);
	struct model_question question = {.pool = MODEL_NONE, .think_s = NAN};
	struct model_forecast close, off;

	(void)state;
	served_check(&model, 200, .004, .012);
	close = forecast_of(&model, &question);
	model.check.response_s.recorded = .0045;
	off = forecast_of(&model, &question);
	assert_true(off.rows[0].response_s.hi / off.rows[0].response_s.lo >
		    1.1 * close.rows[0].response_s.hi / close.rows[0].response_s.lo);
	model_forecast_release(&off);
	model_forecast_release(&close);
	model_release(&model);
}

/* --- Senseless questions ------------------------------------------------------------------- */

static void senseless_questions_are_refused_with_a_sentence(void **state)
{
	double none[] = {0}, half[] = {1.5}, two[] = {2}, many[1001];
	const struct model_values zero = values(none, 1), odd = values(half, 1),
				  fine = values(two, 1);
	const struct {
		char kind; /* 'o'pen, 'c'losed, 'b'atch, 'f'ixed pool */
		struct model_question question;
		const char *says;
	} cases[] = {
		{'o', {.threads = zero}, "--threads 0"},
		{'o', {.threads = odd}, "--threads 1.5"},
		{'o', {.rates = zero}, "--rate 0"},
		{'o', {.cores = values(many, 1)}, "--cores"},
		{'o', {.clients = fine}, "--clients: requests arrive independently"},
		{'o', {.think_s = 1}, "--think: requests arrive independently"},
		{'b', {.rates = fine}, "--rate: all items exist from the start"},
		{'b', {.goal = {MODEL_GOAL_P95, 1, false}}, "--goal: is for response times"},
		{'o', {.goal = {MODEL_GOAL_P95, 0, false}}, "a response time above 0"},
		{'f', {.threads = fine}, "it grows by itself"},
		{'o', {.threads = values(many, 1001)}, "more than 1000"},
	};

	(void)state;
	for (size_t i = 0; i < 1001; i++)
		many[i] = 1 + (double)i;
	many[0] = 1e7;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model_question question = cases[i].question;
		struct model model = cases[i].kind == 'c'   ? served_closed(1, 5, 1, 1)
				     : cases[i].kind == 'b' ? served_batch(1, 5, 1)
							    : served_open(1, 1, .1);
		struct model_forecast forecast;
		struct err err = {.text = ""};

		question.pool = MODEL_NONE;
		question.think_s = question.think_s > 0 ? question.think_s : NAN;
		if (question.threads.count > 1)
			many[0] = 1;
		if (cases[i].kind == 'f') {
			model.pools[0].fixed = true;
			model.pools[0].why_fixed = strdup("it grows by itself");
		}
		if (!model_forecast_make(&forecast, &model, &question, &err))
			fail_msg("%s: is not refused", cases[i].says);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].says);
		model_release(&model);
	}
}

/* Of five clients of two sources one is left: the other source has none. */
static void a_source_may_have_no_client_left(void **state)
{
	static const char text[] =
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"a\", \"kind\": \"closed\", "
		"\"clients\": "
		"4, \"to\": \"q\"}, {\"name\": \"b\", \"kind\": \"closed\", \"clients\": 1, "
		"\"to\": "
		"\"q\"}], \"stations\": [{\"name\": \"q\", \"kind\": \"queue\"}], \"pools\": "
		"[{\"name\": \"p\", \"threads\": 2, \"takes\": \"q\", \"graph\": [{\"kind\": "
		"\"wait\", "
		"\"time\": 0.01}]}]}";
	double one = 1;
	const struct model_question question = {
		.pool = MODEL_NONE, .clients = {&one, 1}, .think_s = NAN, .requests_most = 5000};
	struct model_forecast forecast;
	struct model model;
	struct err err = {.text = ""};

	(void)state;
	if (model_read_text(&model, text, strlen(text), &err) ||
	    model_forecast_make(&forecast, &model, &question, &err))
		fail_msg("%s", err.text);
	assert_close(forecast.rows[0].result.throughput_per_s, 100, .001);
	model_forecast_release(&forecast);
	model_release(&model);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_source_may_have_no_client_left),
	cmocka_unit_test(rows_are_all_combinations_in_their_order),
	cmocka_unit_test(response_times_and_their_intervals_are_those_of_theory),
	cmocka_unit_test(an_overloaded_row_has_no_response_time_and_a_reason),
	cmocka_unit_test(the_best_row_has_the_least_response_times),
	cmocka_unit_test(a_row_that_loses_requests_is_not_the_best),
	cmocka_unit_test(a_forecast_that_is_trusted_nevertheless_has_an_interval_of_the_seen_error),
	cmocka_unit_test(a_closed_system_answers_at_the_rate_of_its_clients),
	cmocka_unit_test(clients_and_their_think_time_can_be_changed),
	cmocka_unit_test(clients_of_more_threads_are_spread_evenly),
	cmocka_unit_test(any_number_of_the_model_can_be_set),
	cmocka_unit_test(a_batch_has_a_wall_time),
	cmocka_unit_test(a_batch_is_checked_with_waits_for_cores_that_other_programs_have),
	cmocka_unit_test(equal_requests_have_equal_answers),
	cmocka_unit_test(a_row_tells_how_far_it_is_beyond_the_recording),
	cmocka_unit_test(a_queue_as_long_as_recorded_is_not_beyond_it),
	cmocka_unit_test(no_forecast_is_made_if_the_self_check_fails),
	cmocka_unit_test(a_forecast_that_takes_too_long_has_no_rows),
	cmocka_unit_test(intervals_include_the_error_of_the_self_check),
	cmocka_unit_test(no_forecast_is_made_if_threads_wait_for_unknown_things),
	cmocka_unit_test(a_program_that_forks_has_a_process_for_each_client),
	cmocka_unit_test(senseless_questions_are_refused_with_a_sentence),
};

TEST_FILE(tests);
