/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/target/pid_set.h"

static void a_member_stays_until_it_is_removed(void **state)
{
	struct pid_set set = {0};

	(void)state;
	assert_true(pid_set_add(&set, 64));
	assert_false(pid_set_add(&set, 64));
	assert_true(pid_set_has(&set, 64));
	assert_false(pid_set_has(&set, 63));
	assert_false(pid_set_has(&set, 65));
	assert_false(pid_set_has(&set, 4194304));
	assert_true(pid_set_add(&set, 4194304));
	pid_set_remove(&set, 64);
	pid_set_remove(&set, 9999999);
	assert_false(pid_set_has(&set, 64));
	assert_true(pid_set_has(&set, 4194304));
	pid_set_release(&set);
}

static void the_idle_task_and_invalid_ids_are_no_members(void **state)
{
	struct pid_set set = {0};

	(void)state;
	assert_false(pid_set_add(&set, 0));
	assert_false(pid_set_add(&set, -1));
	assert_false(pid_set_has(&set, 0));
	assert_false(pid_set_has(&set, -1));
	pid_set_release(&set);
}

static void members_come_in_their_order(void **state)
{
	static const pid_t members[] = {1, 63, 64, 65, 127, 128, 1000, 4194304};
	struct pid_set set = {0};
	pid_t pid = 0;

	(void)state;
	assert_int_equal(pid_set_next(&set, 0), 0);
	for (size_t i = sizeof(members) / sizeof(members[0]); i-- > 0;)
		pid_set_add(&set, members[i]);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		assert_int_equal(pid = pid_set_next(&set, pid), members[i]);
	assert_int_equal(pid_set_next(&set, pid), 0);
	pid_set_release(&set);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_member_stays_until_it_is_removed),
	cmocka_unit_test(members_come_in_their_order),
	cmocka_unit_test(the_idle_task_and_invalid_ids_are_no_members),
};

TEST_FILE(tests);
