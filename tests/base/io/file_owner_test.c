/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/file_owner.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void ones_own_files_and_those_of_root_are_own(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	assert_true(file_owner_is_own(0));
	assert_true(file_owner_is_own(geteuid()));
	assert_false(file_owner_is_own(geteuid() + 1));
}

/* Where root of a user namespace stands, the real one has another number. */
static void the_owner_of_everything_is_root(void **state)
{
	struct stat top;

	(void)state;
	assert_int_equal(stat("/", &top), 0);
	assert_true(file_owner_is_root(0));
	assert_true(file_owner_is_root(top.st_uid));
	assert_true(file_owner_is_own(top.st_uid));
	assert_false(file_owner_is_root(top.st_uid + 1));
}

static void under_sudo_those_of_the_caller_are_own(void **state)
{
	static const struct {
		const char *caller;
		bool own;
	} cases[] = {
		{"77", true},  {"78", false},  {"", false},
		{"-1", false}, {"77x", false}, {"4294967373", false}, /* 77 in 32 bits */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		setenv("SUDO_UID", cases[i].caller, 1);
		assert_int_equal(file_owner_is_own(77), cases[i].own && geteuid() == 0);
	}
	unsetenv("SUDO_UID");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ones_own_files_and_those_of_root_are_own),
	cmocka_unit_test(the_owner_of_everything_is_root),
	cmocka_unit_test(under_sudo_those_of_the_caller_are_own),
};

TEST_FILE(tests);
