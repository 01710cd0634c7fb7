/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/spool_reader.h"

#include "base/monotonic.h"
#include "support.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* 2.5 ticks a nanosecond, and one in 10^4 faster from the third pair on. */
static struct clock_pairs made_pairs(void)
{
	struct clock_pairs pairs = {0};

	clock_pairs_add(&pairs, (struct clock_pair){1000000, 5000000000});
	clock_pairs_add(&pairs, (struct clock_pair){3500000, 5001000000});
	clock_pairs_add(&pairs, (struct clock_pair){6000250, 5002000000});
	return pairs;
}

static void times_lie_on_the_line_between_two_pairs(void **state)
{
	static const struct {
		uint64_t ticks, ns;
	} cases[] = {
		{1000000, 5000000000}, {1000025, 5000000010}, {3499975, 5000999990},
		{3500000, 5001000000}, {4750125, 5001500000}, {6000250, 5002000000},
		{0, 4999600000},       /* before the first */
		{8500500, 5003000000}, /* after the last */
		{1002500, 5000001000}, /* back to the second stretch */
		{1000029, 5000000012}, /* 11.6, and 11.4 */
		{1000028, 5000000011}, {999971, 4999999988},
	};
	struct clock_pairs pairs = made_pairs();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(clock_pairs_ns(&pairs, cases[i].ticks), cases[i].ns);
	clock_pairs_release(&pairs);
}

static void the_drift_is_how_far_a_pair_is_from_the_line_before(void **state)
{
	struct clock_pairs pairs = made_pairs();

	(void)state;
	assert_int_equal(pairs.drift_ns, 100); /* 250 ticks */
	clock_pairs_release(&pairs);
}

static void a_pair_that_goes_back_is_ignored(void **state)
{
	struct clock_pairs pairs = made_pairs();

	(void)state;
	clock_pairs_add(&pairs, (struct clock_pair){6000250, 5002000001});
	clock_pairs_add(&pairs, (struct clock_pair){6000251, 5002000000});
	assert_int_equal(pairs.count, 3);
	clock_pairs_release(&pairs);
}

/* A recording may last for any time. */
static void old_pairs_are_forgotten(void **state)
{
	struct clock_pairs pairs = {0};
	uint64_t count = 3 * CLOCK_PAIRS_MAX;

	(void)state;
	for (uint64_t i = 1; i <= count; i++) {
		clock_pairs_add(&pairs, (struct clock_pair){2500000 * i, 1000000 * i});
		if (i > 1)
			assert_int_equal(clock_pairs_ns(&pairs, 2500000 * i - 1000000),
					 1000000 * i - 400000);
	}
	assert_true(pairs.count <= CLOCK_PAIRS_MAX);
	assert_int_equal(clock_pairs_ns(&pairs, 2500000), 1000000); /* before the first one left */
	assert_int_equal(pairs.drift_ns, 0);
	clock_pairs_release(&pairs);
}

/* Also for a thread whose events come late, while the rate of the clock changes. */
static void forgotten_pairs_do_not_affect_the_rest(void **state)
{
	enum { LATE = CLOCK_PAIRS_MAX / 4 };
	struct clock_pairs pairs = {0};

	(void)state;
	for (uint64_t i = 1; i <= 3 * CLOCK_PAIRS_MAX; i++) {
		uint64_t late = i > LATE + 2 ? i - LATE : 2;

		clock_pairs_add(&pairs, (struct clock_pair){2000 * i, 1000 * i + 10 * i * i});
		if (i < 2)
			continue;
		assert_int_equal(clock_pairs_ns(&pairs, 2000 * late - 1000),
				 1000 * late - 500 + 10 * late * late - 10 * late + 5);
	}
	clock_pairs_release(&pairs);
}

/* ... if the pair that was used last is forgotten. */
static void the_first_pairs_left_have_a_line_of_their_own(void **state)
{
	struct clock_pairs pairs = {0};
	uint64_t first;

	(void)state;
	for (uint64_t i = 1; i <= CLOCK_PAIRS_MAX; i++)
		clock_pairs_add(&pairs, (struct clock_pair){2000 * i, 1000 * i + 10 * i * i});
	assert_int_equal(clock_pairs_ns(&pairs, 3000), 1525);
	clock_pairs_add(&pairs, (struct clock_pair){2000 * (CLOCK_PAIRS_MAX + 1), UINT64_MAX / 4});
	first = pairs.items[0].ticks / 2000;
	assert_true(first > 1);
	assert_int_equal(clock_pairs_ns(&pairs, 2000 * first + 1000),
			 1000 * first + 500 + 10 * first * first + 10 * first + 5);
	clock_pairs_release(&pairs);
}

static void one_pair_tells_nothing(void **state)
{
	struct clock_pairs pairs = {0};

	(void)state;
	clock_pairs_add(&pairs, (struct clock_pair){1000000, 5000000000});
	assert_int_equal(clock_pairs_ns(&pairs, 1000000), 0);
	clock_pairs_release(&pairs);
}

/* A tick is between two readings of the other clock. */
static void a_pair_holds_the_time(void **state)
{
#if defined(__x86_64__)
	struct clock_pairs pairs = {0};
	uint64_t begin, ticks, end, slack, ns;

	(void)state;
	clock_pairs_take(&pairs);
	begin = monotonic_ns();
	ticks = __rdtsc();
	end = monotonic_ns();
	while (monotonic_ns() < end + 1000000)
		;
	clock_pairs_take(&pairs);
	assert_int_equal(pairs.count, 2);
	ns = clock_pairs_ns(&pairs, ticks);
	slack = 1000000; /* all tries at a pair may have been interrupted */
	assert_true(ns + slack >= begin && ns <= end + slack);
	clock_pairs_release(&pairs);
#else
	(void)state;
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(times_lie_on_the_line_between_two_pairs),
	cmocka_unit_test(the_drift_is_how_far_a_pair_is_from_the_line_before),
	cmocka_unit_test(a_pair_that_goes_back_is_ignored),
	cmocka_unit_test(old_pairs_are_forgotten),
	cmocka_unit_test(forgotten_pairs_do_not_affect_the_rest),
	cmocka_unit_test(the_first_pairs_left_have_a_line_of_their_own),
	cmocka_unit_test(one_pair_tells_nothing),
	cmocka_unit_test(a_pair_holds_the_time),
};

TEST_FILE(tests);
