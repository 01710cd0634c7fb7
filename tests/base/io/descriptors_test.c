/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/descriptors.h"

#include "base/alloc.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* With some of 0, 1 and 2 closed; they are as before when it returns. */
static void keep_without(unsigned closed, int next_fd, int kept[3])
{
	int saved[3];

	for (int fd = 0; fd < 3; fd++) {
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
		if (closed & 1U << fd)
			close(fd);
	}
	descriptors_keep_standard();
	for (int fd = 0; fd < 3; fd++) {
		char byte = 0;

		errno = 0;
		kept[fd] = fd ? write(fd, &byte, 0) < 0 && errno == EBADF
			      : read(fd, &byte, 0) < 0 && errno == EBADF;
	}
	next_fd -= open("/dev/null", O_RDONLY);
	for (int fd = 0; fd < 3; fd++) {
		dup2(saved[fd], fd);
		close(saved[fd]);
	}
	assert_int_equal(next_fd, 0);
}

static void nothing_is_opened_in_the_place_of_a_closed_stream(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 8; closed++) {
		int next_fd = open("/dev/null", O_RDONLY), useless[3];

		close(next_fd);
		keep_without(closed, next_fd, useless);
		for (unsigned fd = 0; fd < 3; fd++)
			assert_int_equal(useless[fd], (closed & 1U << fd) != 0);
		close(next_fd);
	}
}

static int never_end(void *nothing)
{
	(void)nothing;
	return pause();
}

static void a_child_that_cannot_end_keeps_nothing_open(void **state)
{
	enum { STACK = 1 << 16 };
	char *stack = xcalloc(1, STACK);
	struct pollfd pollfd = {.events = POLLIN};
	pid_t child;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = clone(never_end, stack + STACK, CLONE_FILES, NULL);
	assert_true(child > 0);
	assert_int_equal(descriptors_unshare(), 0);
	/* This process has all of them still. */
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(fcntl(STDERR_FILENO, F_GETFD) >= 0);
	close(ends[1]);
	pollfd.fd = ends[0];
	assert_int_equal(poll(&pollfd, 1, 60000), 1);
	assert_int_equal(read(ends[0], &(char[2]){0}, 2), 1);
	assert_int_equal(poll(&pollfd, 1, 60000), 1);
	assert_int_equal(read(ends[0], &(char[2]){0}, 2), 0); /* nobody has the other end */
	close(ends[0]);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, __WALL), child);
	free(stack);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nothing_is_opened_in_the_place_of_a_closed_stream),
	cmocka_unit_test(a_child_that_cannot_end_keeps_nothing_open),
};

TEST_FILE(tests);
