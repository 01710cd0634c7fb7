/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/own_descriptors.h"

#include "base/alloc.h"
#include "support.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
	assert_int_equal(own_descriptors_take(), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_cannot_end_keeps_nothing_open),
	};

	return RUN_TESTS(tests);
}
