/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/io/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
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
	standard_streams_keep();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_opened_in_the_place_of_a_closed_stream),
	};

	return RUN_TESTS(tests);
}
