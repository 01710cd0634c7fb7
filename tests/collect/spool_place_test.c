/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/spool_place.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One that nobody else may enter, and in it one that all may. */
struct fixture {
	char outer[64], inner[96];
};

static int set_up(void **state)
{
	static struct fixture f;

	snprintf(f.outer, sizeof(f.outer), "/tmp/spool_place_XXXXXX");
	if (!mkdtemp(f.outer))
		return -1;
	snprintf(f.inner, sizeof(f.inner), "%s/inner", f.outer);
	*state = &f;
	return mkdir(f.inner, 0755);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unsetenv("TMPDIR");
	rmdir(f->inner);
	return rmdir(f->outer);
}

static void expect_place(const char *path, const char *place)
{
	char *found = spool_place(path);

	assert_string_equal(found, place);
	free(found);
}

static void what_all_can_reach_has_its_spool_beside_it(void **state)
{
	struct fixture *f = *state;
	char path[128];

	assert_int_equal(chmod(f->outer, 0711), 0);
	snprintf(path, sizeof(path), "%s/new.data", f->inner);
	expect_place(path, path);
}

static void where_root_alone_may_go_others_find_it_in_tmp(void **state)
{
	struct fixture *f = *state;
	char path[128];

	assert_int_equal(chmod(f->outer, 0700), 0);
	snprintf(path, sizeof(path), "%s/new.data", f->inner);
	expect_place(path, geteuid() ? path : "/tmp/pscal");
}

static void what_is_no_file_has_none_beside_it(void **state)
{
	(void)state;
	expect_place("/dev/null", "/tmp/pscal");
	expect_place("-", "/tmp/pscal");
	assert_int_equal(setenv("TMPDIR", "/var/tmp", 1), 0);
	expect_place("-", "/var/tmp/pscal");
	assert_int_equal(setenv("TMPDIR", "", 1), 0);
	expect_place("-", "/tmp/pscal");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_all_can_reach_has_its_spool_beside_it),
		TEST(where_root_alone_may_go_others_find_it_in_tmp),
		TEST(what_is_no_file_has_none_beside_it),
	};

	unsetenv("TMPDIR");
	return RUN_TESTS(tests);
}
