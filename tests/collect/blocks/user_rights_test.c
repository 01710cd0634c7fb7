/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/function_reader.h"

#include "collect/collect_dir.h"

#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, GROUP = 70000 };

static bool can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Joins GROUP and the groups above it. */
static bool join_groups(int count)
{
	static gid_t groups[1000];

	for (int i = 0; i < count; i++)
		groups[i] = (gid_t)(GROUP + i);
	return setgroups((size_t)count, groups) == 0;
}

static bool has_groups(int count)
{
	static gid_t groups[1000];

	if (getgroups(1000, groups) != count)
		return false;
	for (int i = 0; i < count; i++)
		if (groups[i] != (gid_t)(GROUP + i))
			return false;
	return true;
}

/* Tries in a child, whose groups change. Returns 0 if all is as expected. */
static int try(const char *path, int count)
{
	struct user_rights before;
	int wrong = !join_groups(count) || !can_read(path);

	user_rights_take(&before, NOBODY, NOBODY);
	wrong |= can_read(path) << 1;
	user_rights_give_back(&before);
	return wrong | !can_read(path) << 2 | !has_groups(count) << 3;
}

static void a_file_of_a_group_of_root_is_not_read_with_any_number_of_groups(void **state)
{
	static const int counts[] = {0, 1, 256, 257, 1000};
	char root[64], path[128];

	(void)state;
	if (geteuid() != 0)
		skip();
	dir_make(root);
	dir_put(root, "file", "x");
	snprintf(path, sizeof(path), "%s/file", root);
	assert_int_equal(chmod(root, 0755) | chown(path, 0, GROUP) | chmod(path, 0640), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(try(path, counts[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("%d groups: status %#x", counts[i], (unsigned)status);
	}
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_of_a_group_of_root_is_not_read_with_any_number_of_groups),
};

TEST_FILE(tests);
