/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_order.h"

#include "support.h"

enum { TURN = 1 << 24 };

static void a_place_is_the_one_that_is_nearest(void **state)
{
	static const struct {
		uint32_t low;
		uint64_t near, want;
	} cases[] = {
		{0, 0, 0},
		{5, 0, 5},
		{5, 9, 5},
		{0, TURN - 1, TURN},
		{7, 3 * (uint64_t)TURN - 2, 3 * (uint64_t)TURN + 7},
		{TURN - 3, TURN + 5, TURN - 3},
		{TURN - 1, 2 * (uint64_t)TURN, 2 * (uint64_t)TURN - 1},
		{TURN - 1, 0, TURN - 1}, /* nothing is before the first */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(call_order_unwrap(cases[i].low, cases[i].near), cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_the_one_that_is_nearest),
	};

	return RUN_TESTS(tests);
}
