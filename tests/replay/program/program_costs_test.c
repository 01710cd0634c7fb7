/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_costs.h"

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

static void add(struct cost_preemptions *preemptions, uint64_t after_ns)
{
	cost_preemptions_add(preemptions, 100, 1000 + after_ns, 1000);
}

static void wakes_preempt_where_runs_end_at_once_behind_them(void **state)
{
	static const struct {
		unsigned soon, later, rest;
		bool preempt;
	} cases[] = {
		{0, 0, 0, true},    {0, 0, 19, true},	  {0, 0, 20, false},   {2, 0, 18, false},
		{3, 0, 17, true},   {3, 1, 16, false},	  {5, 1, 14, true},    {20, 0, 0, true},
		{40, 20, 0, false}, {100, 0, 900, false}, {101, 0, 899, true}, {120, 40, 100, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cost_preemptions preemptions = {0};

		for (unsigned j = 0; j < cases[i].soon; j++)
			add(&preemptions, j % 2 ? 0 : 49999);
		for (unsigned j = 0; j < cases[i].later; j++)
			add(&preemptions, j % 2 ? 50000 : 99999);
		for (unsigned j = 0; j < cases[i].rest; j++)
			add(&preemptions, 100000 + j);
		if (cost_preemptions_are_by_wakes(&preemptions) != cases[i].preempt)
			fail_msg("case %zu", i);
		assert_int_equal(preemptions.slices.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_is_that_of_all_while_they_are_few),
		cmocka_unit_test(of_many_those_that_are_kept_are_spread_evenly),
		cmocka_unit_test(wakes_preempt_where_runs_end_at_once_behind_them),
	};

	return RUN_TESTS(tests);
}
