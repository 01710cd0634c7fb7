/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/usage/time_bins.h"

#include "support.h"

static void the_mean_of_each_bin_is_exact_in_any_order(void **state)
{
	struct time_bins bins;

	(void)state;
	time_bins_init(&bins, 1, 4, 2);
	time_bins_add(&bins, 1, 3, 4);
	time_bins_add(&bins, 0, 0, 30); /* bins of 8 now: the last one has 6 */
	time_bins_add(&bins, 0, 4, 16);
	time_bins_add(&bins, 0, 26, 29);
	time_bins_settle(&bins);
	assert_int_equal(bins.bin_ns, 8);
	assert_int_equal(time_bins_count(&bins), 4);
	assert_close(time_bins_mean(&bins, 0, 0), 1.5, 1e-12);
	assert_close(time_bins_mean(&bins, 0, 1), 2, 1e-12);
	assert_close(time_bins_mean(&bins, 0, 2), 1, 1e-12);
	assert_close(time_bins_mean(&bins, 0, 3), 1.5, 1e-12);
	assert_close(time_bins_mean(&bins, 1, 0), .125, 1e-12);
	time_bins_release(&bins);
}

static void bins_are_at_least_as_long_as_requested_and_are_joined(void **state)
{
	struct time_bins bins;

	(void)state;
	time_bins_init(&bins, 8, 4, 1);
	time_bins_add(&bins, 0, 4, 12);
	time_bins_extend(&bins, 32); /* four bins are full */
	time_bins_settle(&bins);
	assert_int_equal(bins.bin_ns, 8);
	assert_int_equal(time_bins_count(&bins), 4);
	assert_close(time_bins_mean(&bins, 0, 1), .5, 1e-12);
	time_bins_join(&bins);
	assert_int_equal(time_bins_count(&bins), 2);
	assert_close(time_bins_mean(&bins, 0, 0), .5, 1e-12);
	assert_close(time_bins_mean(&bins, 0, 1), 0, 1e-12);
	time_bins_release(&bins);
}

static void a_copy_is_independent(void **state)
{
	struct time_bins bins, copy;

	(void)state;
	time_bins_init(&bins, 1, 4, 1);
	time_bins_add(&bins, 0, 0, 4);
	time_bins_copy(&copy, &bins);
	time_bins_add(&copy, 0, 0, 8);
	time_bins_settle(&copy);
	time_bins_settle(&bins);
	assert_close(time_bins_mean(&copy, 0, 0), 2, 1e-12);
	assert_close(time_bins_mean(&copy, 0, 3), 1, 1e-12);
	assert_close(time_bins_mean(&bins, 0, 3), 1, 1e-12);
	assert_int_equal(time_bins_count(&bins), 4);
	time_bins_release(&bins);
	time_bins_release(&copy);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_mean_of_each_bin_is_exact_in_any_order),
	cmocka_unit_test(bins_are_at_least_as_long_as_requested_and_are_joined),
	cmocka_unit_test(a_copy_is_independent),
};

TEST_FILE(tests);
