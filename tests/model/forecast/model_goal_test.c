/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "model/forecast/model_forecast.h"
#include "model/forecast/served_model.h"
#include "support.h"

#include <math.h>

static const double mu = 250;

static struct model_forecast search(struct model *model, enum model_goal_metric metric, bool load,
				    double threads, double seconds)
{
	const struct model_question question = {
		.pool = MODEL_NONE,
		.threads = {&threads, load},
		.think_s = NAN,
		.goal = {metric, seconds, load},
		.requests_most = 20000,
	};
	struct model_forecast forecast;
	struct err err = {.text = ""};

	if (model_forecast_make(&forecast, model, &question, &err))
		fail_msg("%s", err.text);
	model_release(model);
	return forecast;
}

static void the_fewest_threads_are_those_of_theory(void **state)
{
	/* The bounds are well between the times with two numbers of threads. */
	const struct {
		double rate, bound_s;
		enum model_goal_metric metric;
	} cases[] = {
		{600, .0170, MODEL_GOAL_P95}, {600, .0060, MODEL_GOAL_MEAN},
		{100, .0130, MODEL_GOAL_P95}, {2000, .0160, MODEL_GOAL_P95},
		{10, .0200, MODEL_GOAL_MEAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model model = served_open(4, cases[i].rate, 1 / mu);
		struct model_forecast forecast =
			search(&model, cases[i].metric, false, 0, cases[i].bound_s);
		const struct model_forecast_row *last = &forecast.rows[forecast.row_count - 1];
		unsigned fewest = 1;

		while ((cases[i].metric == MODEL_GOAL_P95
				? served_p95_s(fewest, cases[i].rate, mu)
				: served_mean_s(fewest, cases[i].rate, mu)) > cases[i].bound_s)
			fewest++;
		assert_int_equal(last->threads, fewest);
		assert_int_equal(forecast.goals_met, 1);
		assert_true(last->meets_goal);
		/* One thread less is not enough. */
		assert_int_equal(forecast.row_count, fewest > 1 ? 2 : 1);
		if (fewest > 1) {
			assert_int_equal(forecast.rows[0].threads, fewest - 1);
			assert_false(forecast.rows[0].meets_goal);
		}
		model_forecast_release(&forecast);
	}
}

static void the_highest_rate_is_that_of_theory(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 4; threads *= 4) {
		struct model model = served_open(threads, 40, 1 / mu);
		struct model_forecast forecast =
			search(&model, MODEL_GOAL_P95, true, threads, .020);
		double low = 0, high = threads * mu;

		for (int i = 0; i < 60; i++) {
			double middle = (low + high) / 2;

			*(served_p95_s(threads, middle, mu) <= .020 ? &low : &high) = middle;
		}
		assert_int_equal(forecast.row_count, 1);
		assert_true(forecast.rows[0].meets_goal);
		assert_close(forecast.rows[0].rate, low, .05);
		model_forecast_release(&forecast);
	}
}

static void the_largest_number_of_clients_is_found_for_a_closed_system(void **state)
{
	/* M/M/1//N with Z = 10 and S = 1: 1.32 s with 4 clients, and 1.46 with 5. */
	struct model model = served_closed(1, 2, 10, 1);
	struct model_forecast forecast = search(&model, MODEL_GOAL_MEAN, true, 1, 1.39);

	(void)state;
	assert_int_equal(forecast.rows[0].clients, 4);
	assert_true(forecast.rows[0].meets_goal);
	model_forecast_release(&forecast);
}

static void a_goal_below_the_service_time_is_never_met(void **state)
{
	(void)state;
	for (int load = 0; load < 2; load++) {
		struct model model = served_open(4, 600, 1 / mu);
		struct model_forecast forecast = search(&model, MODEL_GOAL_MEAN, load, 4, .003);

		assert_int_equal(forecast.goals_met, 0);
		assert_int_equal(forecast.row_count, 1);
		assert_false(forecast.rows[0].meets_goal);
		assert_false(forecast.rows[0].result.grows);
		model_forecast_release(&forecast);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_fewest_threads_are_those_of_theory),
	cmocka_unit_test(the_highest_rate_is_that_of_theory),
	cmocka_unit_test(the_largest_number_of_clients_is_found_for_a_closed_system),
	cmocka_unit_test(a_goal_below_the_service_time_is_never_met),
};

TEST_FILE(tests);
