/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/spool_directory.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "probe/spool.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void make_old(const char *path)
{
	const struct timespec times[2] = {{time(NULL) - 60, 0}, {time(NULL) - 60, 0}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make(struct spool_directory *directory, const char *root)
{
	char prefix[80];
	struct err err;

	snprintf(prefix, sizeof(prefix), "%s/file", root);
	assert_int_equal(spool_directory_make(directory, prefix, &err), 0);
}

static void what_a_killed_recorder_has_left_is_removed_by_the_next_one(void **state)
{
	struct spool_directory dead, next;
	char root[64], path[128];

	(void)state;
	dir_make(root);
	make(&dead, root);
	dir_put(dead.path, "maps-1-1", "");
	dir_put(dead.path, "1-1-0", "no file of events");
	snprintf(path, sizeof(path), "%s", dead.outer);
	make_old(path);
	close(dead.lock); /* as its end does */
	close(dead.outer_lock);
	free(dead.path);
	free(dead.outer);
	make(&next, root);
	assert_false(exists(path));
	spool_directory_remove(&next);
	assert_int_equal(rmdir(root), 0);
}

static void what_another_recorder_needs_stays(void **state)
{
	struct spool_directory other, next;
	char root[64];

	(void)state;
	dir_make(root);
	make(&other, root);
	make_old(other.outer);
	make(&next, root);
	assert_true(exists(other.path));
	spool_directory_remove(&next);
	spool_directory_remove(&other);
	assert_int_equal(rmdir(root), 0);
}

static unsigned mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

/* Others may write where they know the name, if what root starts may become one of them. */
static void its_name_is_a_secret(void **state)
{
	struct spool_directory one, other;
	char root[64];

	(void)state;
	dir_make(root);
	make(&one, root);
	make(&other, root);
	assert_int_equal(strncmp(one.path, one.outer, strlen(one.outer)), 0);
	assert_int_equal(strlen(one.path), strlen(one.outer) + 1 + 32);
	assert_string_not_equal(one.path + strlen(one.outer), other.path + strlen(other.outer));
	assert_int_equal(mode_of(one.outer), geteuid() ? 0700 : 0711);
	assert_int_equal(mode_of(one.path), geteuid() ? 0700 : 01777);
	spool_directory_remove(&one);
	spool_directory_remove(&other);
	assert_int_equal(rmdir(root), 0);
}

/* It may have been made a moment ago by somebody who is about to lock it. */
static void what_is_new_or_is_called_otherwise_stays(void **state)
{
	static const char *const names[] = {"file.spool-abcdef", "file.spool-abcdefg", "file.spool",
					    "other.spool-abcdef"};
	struct spool_directory next;
	char root[64], path[128];

	(void)state;
	dir_make(root);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		if (i)
			make_old(path);
	}
	make(&next, root);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		assert_true(exists(path));
	}
	spool_directory_remove(&next);
	dir_remove(root);
}

static void a_directory_that_cannot_be_made_or_named_is_refused(void **state)
{
	struct spool_directory directory;
	char root[64], deep[SPOOL_PATH_MAX + 128];
	struct err err;

	(void)state;
	assert_int_equal(spool_directory_make(&directory, "/no/such/directory/file", &err), -1);
	assert_null(directory.path);
	dir_make(root);
	strcpy(deep, root);
	while (strlen(deep) < SPOOL_PATH_MAX) {
		strcat(deep, "/of-so-many-letters-that-there-must-be-an-end-to-it-soon");
		assert_int_equal(mkdir(deep, 0700), 0);
	}
	strcat(deep, "/file");
	assert_int_equal(spool_directory_make(&directory, deep, &err), -1);
	assert_non_null(strstr(err.text, "is too long a name"));
	dir_remove(root);
	assert_false(exists(root));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_killed_recorder_has_left_is_removed_by_the_next_one),
		cmocka_unit_test(what_another_recorder_needs_stays),
		cmocka_unit_test(its_name_is_a_secret),
		cmocka_unit_test(what_is_new_or_is_called_otherwise_stays),
		cmocka_unit_test(a_directory_that_cannot_be_made_or_named_is_refused),
	};

	return RUN_TESTS(tests);
}
