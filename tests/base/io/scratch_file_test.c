/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/scratch_file.h"

#include "base/err.h"
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t files_in(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2; /* . and .. */
}

static void what_was_written_can_be_read_and_leaves_no_name(void **state)
{
	char path[] = "/tmp/scratch_file_test.XXXXXX", bytes[8];
	struct err err = {""};
	int fd;

	(void)state;
	assert_non_null(mkdtemp(path));
	setenv("TMPDIR", path, 1);
	fd = scratch_file_open(&err);
	unsetenv("TMPDIR");
	assert_true(fd >= 0);
	assert_int_equal(files_in(path), 0);
	assert_int_equal(scratch_file_write(fd, "one ", 4, &err), 0);
	assert_int_equal(scratch_file_write(fd, "two", 3, &err), 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 7);
	assert_memory_equal(bytes, "one two", 7);
	close(fd);
	assert_int_equal(rmdir(path), 0);
}

static void a_full_disk_is_a_sentence(void **state)
{
	struct rlimit limit, small;
	struct err err = {""};
	int fd = scratch_file_open(&err);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	small = (struct rlimit){.rlim_cur = 5, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(scratch_file_write(fd, "0123456789", 10, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_string_equal(err.text, "cannot be kept in a temporary file in /tmp: File too large; "
				      "set TMPDIR to a directory with room for it");
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_was_written_can_be_read_and_leaves_no_name),
	cmocka_unit_test(a_full_disk_is_a_sentence),
};

TEST_FILE(tests);
