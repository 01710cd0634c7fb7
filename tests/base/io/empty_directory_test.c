/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/empty_directory.h"

#include "collect/collect_dir.h"

#include <fcntl.h>
#include <unistd.h>

static int open_below(const char *root, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

static void all_goes_but_what_is_kept_and_what_links_lead_to(void **state)
{
	char root[64];
	int fd;

	(void)state;
	dir_make(root);
	dir_put(root, "precious/file", "x");
	for (int i = 0; i < 300; i++) {
		char name[32];

		snprintf(name, sizeof(name), "full/%d", i);
		dir_put(root, name, "x");
	}
	dir_put(root, "full/kept", "x");
	dir_put(root, "full/a/kept", "x");
	dir_put(root, "full/a/b/c/file", "x");
	fd = open_below(root, "full");
	assert_int_equal(symlinkat("../precious", fd, "link"), 0);
	assert_int_equal(symlinkat("../../precious", fd, "a/link"), 0);
	assert_int_equal(mkfifoat(fd, "a/fifo", 0600), 0);
	assert_int_equal(empty_directory(fd, "kept"), 0);
	assert_int_equal(faccessat(fd, "kept", F_OK, 0), 0);
	assert_int_equal(faccessat(fd, "../precious/file", F_OK, 0), 0);
	assert_int_equal(empty_directory(fd, NULL), 0);
	assert_int_equal(unlinkat(fd, "../full", AT_REMOVEDIR), 0);
	close(fd);
	dir_remove(root);
}

static void what_is_nested_too_deeply_stays_and_is_told(void **state)
{
	char root[64];
	int fd;

	(void)state;
	dir_make(root);
	dir_put(root, "full/1/2/3/4/5/6/7/8/9/10/11/12/file", "x");
	dir_put(root, "full/file", "x");
	fd = open_below(root, "full");
	assert_int_equal(empty_directory(fd, NULL), -1);
	assert_int_not_equal(faccessat(fd, "file", F_OK, 0), 0);
	assert_int_equal(faccessat(fd, "1/2/3/4/5/6/7/8/9", F_OK, 0), 0);
	close(fd);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_goes_but_what_is_kept_and_what_links_lead_to),
	cmocka_unit_test(what_is_nested_too_deeply_stays_and_is_told),
};

TEST_FILE(tests);
