/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program_costs.h"

#include "support.h"

static uint64_t median_of(const uint64_t *values, size_t count)
{
	struct cost_samples samples = {0};
	uint64_t median;

	for (size_t i = 0; i < count; i++)
		cost_samples_add(&samples, values[i]);
	median = cost_samples_median(&samples);
	cost_samples_release(&samples);
	return median;
}

static void the_median_is_that_of_all_while_they_are_few(void **state)
{
	static const uint64_t values[] = {7, 1, 900, 3, 5};

	(void)state;
	assert_int_equal(median_of(values, 0), 0);
	assert_int_equal(median_of(values, 1), 7);
	assert_int_equal(median_of(values, 5), 5);
}

/* Of the end as much as of the beginning. */
static void of_many_those_that_are_kept_are_spread_evenly(void **state)
{
	enum { MOST = 9 * COST_SAMPLES };
	struct cost_samples samples = {0};

	(void)state;
	for (uint64_t i = 1; i <= MOST; i++) {
		cost_samples_add(&samples, i);
		assert_true(samples.count <= COST_SAMPLES);
	}
	assert_close((double)cost_samples_median(&samples), MOST / 2., .01);
	cost_samples_release(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_is_that_of_all_while_they_are_few),
		cmocka_unit_test(of_many_those_that_are_kept_are_spread_evenly),
	};

	return RUN_TESTS(tests);
}
