/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recording adds is held to the truth by tests/live/record_sync.sh. */
#include "collect/calls/sync_cost.h"

#include "support.h"

static void a_call_takes_some_time(void **state)
{
	struct sync_cost cost;

	(void)state;
	sync_cost_measure(&cost);
	assert_true(cost.library_ns > 0 && cost.library_ns < 1e6);
	assert_true(cost.system_ns > 0 && cost.system_ns < 1e6);
}

static void what_is_added_is_the_difference(void **state)
{
	const struct sync_cost bare = {10, 100}, watched = {1210, 600};
	struct sync_cost cost;

	(void)state;
	sync_cost_added(&cost, &bare, &watched);
	assert_close(cost.library_ns, 1200, 1e-12);
	assert_close(cost.system_ns, 500, 1e-12);
}

static void what_may_be_chance_is_not_known(void **state)
{
	const struct sync_cost bare = {10, 100}, watched = {9, 149};
	struct sync_cost cost;

	(void)state;
	sync_cost_added(&cost, &bare, &watched);
	assert_close(cost.library_ns, 0, 0);
	assert_close(cost.system_ns, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_takes_some_time),
		cmocka_unit_test(what_is_added_is_the_difference),
		cmocka_unit_test(what_may_be_chance_is_not_known),
	};

	return RUN_TESTS(tests);
}
