/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts by replay, from the text of a trace on, compared with theory. `make forecast-analytic`
 * takes more of them, and compares the closed form, too.
 */
#include "support.h"

#include "base/err.h"
#include "mock/open_queue.h"
#include "mock/theory.h"
#include "mock/trial.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const unsigned recorded_on[] = {1, 4}, asked_for[] = {1, 2, 4, 8, 16};

/*
 * On one core the thread with the serial part has had most of it, and so is the last at the barrier
 * each time. Without calls it cannot be distinguished from a leader that waits for no thread, so
 * the barrier has to be reported as presumed.
 */
static bool is_presumed(const struct theory_case *of, unsigned recorded)
{
	return recorded == 1 && !strcmp(of->name, "Amdahl's law");
}

static void hold(const struct theory_case *of, const struct mock_program *program,
		 unsigned recorded)
{
	const struct mock_run run = {
		.cores = recorded, .seed = 1, .calls = of->calls, .layout = MOCK_TRACE_CMD};
	struct mock_forecast forecast;
	struct err err;

	if (mock_forecast(&forecast, program, &run, &err))
		fail_msg("%s", err.text);
	assert_int_equal(forecast.stuck, 0);
	assert_int_equal(forecast.presumed > 0, is_presumed(of, recorded));
	for (size_t i = 0; i < sizeof(asked_for) / sizeof(*asked_for); i++) {
		struct theory_range range = of->wall(program, asked_for[i]);
		double wall_s = forecast.replay_s[asked_for[i]];

		if (!(fabs(theory_error(range, wall_s)) <= of->goal))
			fail_msg("%s on %u cores, recorded on %u: %g s, not %g to %g", of->name,
				 asked_for[i], recorded, wall_s, range.lo_s, range.hi_s);
	}
}

static void replays_agree_with_theory(void **state)
{
	(void)state;
	for (size_t i = 0; theory_case(i); i++) {
		const struct theory_case *of = theory_case(i);

		for (uint64_t seed = 1; seed <= of->seeds && seed <= 4; seed++) {
			struct mock_program *program = of->make(seed);

			for (size_t k = 0; k < sizeof(recorded_on) / sizeof(*recorded_on); k++)
				hold(of, program, recorded_on[k]);
			mock_program_free(program);
		}
	}
}

/* The standard error of the mean is known, and must not be so large that any value passes. */
static void customers_wait_as_long_as_by_erlangs_formula(void **state)
{
	const struct open_queue queue = {.customers = 1000, .load = 2.4, .service_ns = 2e8};
	const unsigned cores[] = {4, 8};
	struct open_queue_mean means[2];
	struct err err;

	(void)state;
	if (open_queue_mean(means, &queue, 20, 2, cores, 2, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < 2; i++) {
		double theory_s = open_queue_theory_s(&queue, cores[i]);
		double tolerance = open_queue_tolerance_s(&means[i]) / theory_s;

		assert_true(tolerance <= .04);
		assert_close(means[i].mean_s, theory_s, tolerance);
	}
}

/* Erlang's C formula: .6 of one server; two of load 1 give C = 1/3 [Kleinrock 1975]. */
static void the_formula_is_erlangs(void **state)
{
	const struct open_queue one = {.load = .6, .service_ns = 1e9};
	const struct open_queue two = {.load = 1, .service_ns = 1e9};

	(void)state;
	assert_close(open_queue_theory_s(&one, 1), 1 / .4, 1e-12);
	assert_close(open_queue_theory_s(&two, 2), 4. / 3, 1e-12);
	assert_true(isinf(open_queue_theory_s(&two, 1)));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(replays_agree_with_theory),
	cmocka_unit_test(customers_wait_as_long_as_by_erlangs_formula),
	cmocka_unit_test(the_formula_is_erlangs),
};

TEST_FILE(tests);
