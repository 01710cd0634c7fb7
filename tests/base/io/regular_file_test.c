/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/regular_file.h"

#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void a_file_is_opened_to_be_read(void **state)
{
	struct stat status, own;
	char text[8] = "";
	int fd;

	(void)state;
	fd = regular_file_open(&status, file_with("pscal", 5));
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "pscal");
	assert_int_equal(fstat(fd, &own), 0);
	assert_int_equal(status.st_ino, own.st_ino);
	assert_int_equal(status.st_size, 5);
	close(fd);
}

/* Who opens a pipe to read waits for somebody who writes. */
static void a_pipe_is_not_waited_for(void **state)
{
	char path[] = "/tmp/pscal-test-XXXXXX";
	struct stat status;
	char pipe[64];

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(pipe, sizeof(pipe), "%s/pipe", path);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(regular_file_open(&status, pipe), -1);
	unlink(pipe);
	rmdir(path);
}

/* Who has a lease may keep it for as long as the kernel lets anybody wait, which is 45 s. */
static void a_file_with_a_lease_is_not_waited_for(void **state)
{
	const char *path = file_with("pscal", 5);
	struct stat status;
	int holder = open(path, O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(holder >= 0);
	signal(SIGIO, SIG_IGN);
	alarm(20);
	if (fcntl(holder, F_SETLEASE, F_WRLCK)) {
		close(holder);
		skip();
	}
	assert_int_equal(regular_file_open(&status, path), -1);
	alarm(0);
	close(holder);
}

static void what_is_no_file_on_a_disk_is_not_opened(void **state)
{
	static const char *const paths[] = {
		"/",
		"/dev/zero",
		"/dev/tty",
		"/proc/self/maps",
		"/proc/kcore",
		"/sys/kernel/uevent_seqnum",
		"/nowhere/at/all",
		"",
	};
	struct stat status;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (regular_file_open(&status, paths[i]) != -1)
			fail_msg("'%s' has been opened", paths[i]);
	assert_int_equal(regular_file_open(&status, file_with("", 0)), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_is_opened_to_be_read),
	cmocka_unit_test(a_pipe_is_not_waited_for),
	cmocka_unit_test(a_file_with_a_lease_is_not_waited_for),
	cmocka_unit_test(what_is_no_file_on_a_disk_is_not_opened),
};

TEST_FILE(tests);
