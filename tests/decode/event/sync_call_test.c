/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/sync_call.h"

#include "support.h"

static void each_call_is_found_by_its_name(void **state)
{
	(void)state;
	for (int call = SYNC_NONE + 1; call < SYNC_CALLS; call++) {
		assert_non_null(sync_call_name((enum sync_call)call));
		assert_int_equal(sync_call_of_name(sync_call_name((enum sync_call)call)), call);
	}
}

static void other_names_are_none(void **state)
{
	(void)state;
	assert_int_equal(sync_call_of_name("none"), SYNC_NONE);
	assert_int_equal(sync_call_of_name("mutex"), SYNC_NONE);
	assert_int_equal(sync_call_of_name(""), SYNC_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_found_by_its_name),
		cmocka_unit_test(other_names_are_none),
	};
	return RUN_TESTS(tests);
}
