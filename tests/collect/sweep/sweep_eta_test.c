/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/sweep/sweep_eta.h"

static void what_is_left_takes_as_long_as_before(void **state)
{
	uint64_t n[] = {1, 2, 4};
	const struct sweep_levels levels = {n, 3};
	struct sweep_eta eta;
	uint64_t done;

	(void)state;
	sweep_eta_init(&eta, &levels);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 3; i++)
			sweep_eta_expect(&eta, n[i]);
	assert_int_equal(sweep_eta_total(&eta, &done, 1, 50), 0); /* nothing is known */

	sweep_eta_took(&eta, 4, 100); /* all others are taken for alike */
	assert_int_equal(sweep_eta_total(&eta, &done, 1, 0), 600);
	assert_int_equal(done, 100);

	sweep_eta_took(&eta, 1, 400); /* 4 takes 100, 1 takes 400, 2 the mean of 250 */
	assert_int_equal(sweep_eta_total(&eta, &done, 2, 10), 500 + 100 + 400 + 2 * 250);
	assert_int_equal(done, 510);

	/* One that takes longer than expected does not go beyond that. */
	assert_int_equal(sweep_eta_total(&eta, &done, 4, 100000), 1500);
	assert_int_equal(done, 600);
	sweep_eta_release(&eta);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_takes_as_long_as_before),
	};

	return RUN_TESTS(tests);
}
