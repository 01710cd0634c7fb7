/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/durations.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

static void count_sum_and_longest_are_exact(void **state)
{
	struct durations durations = {0};

	(void)state;
	durations_add(&durations, 5);
	durations_add(&durations, 123456789);
	durations_add(&durations, 0);
	assert_int_equal(durations.count, 3);
	assert_int_equal(durations.sum_ns, 123456794);
	assert_int_equal(durations.longest_ns, 123456789);
}

static void without_durations_there_is_no_quantile(void **state)
{
	const struct durations none = {0};

	(void)state;
	assert_true(isnan(durations_quantile(&none, .5)));
}

static void a_quantile_of_one_duration_is_that_duration(void **state)
{
	static const uint64_t cases[] = {0, 1, 31, 32, 63, 64, 1000, 1u << 30, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct durations durations = {0};

		durations_add(&durations, cases[i]);
		for (int share = 0; share <= 10; share++)
			assert_close(durations_quantile(&durations, share / 10.), (double)cases[i],
				     DURATIONS_ERROR);
	}
}

static void quantiles_are_as_close_as_stated(void **state)
{
	enum { COUNT = 20000 };
	static const double shares[] = {0, .01, .5, .9, .99, .999, 1};
	uint64_t *all = xcalloc(COUNT, sizeof(*all));
	struct durations durations = {0};

	(void)state;
	srand(1);
	for (size_t i = 0; i < COUNT; i++) {
		all[i] = (uint64_t)exp2(40. * rand() / RAND_MAX);
		durations_add(&durations, all[i]);
	}
	sort_items(all, COUNT, compare_u64);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		size_t place = (size_t)ceil(shares[i] * COUNT);

		assert_close(durations_quantile(&durations, shares[i]),
			     (double)all[place ? place - 1 : 0], DURATIONS_ERROR);
	}
	free(all);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(count_sum_and_longest_are_exact),
	cmocka_unit_test(without_durations_there_is_no_quantile),
	cmocka_unit_test(a_quantile_of_one_duration_is_that_duration),
	cmocka_unit_test(quantiles_are_as_close_as_stated),
};

TEST_FILE(tests);
