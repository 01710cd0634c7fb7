/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/descriptors.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void descriptors_keep_standard(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY,
				    O_RDONLY}; /* each the opposite of its stream */

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int fd = fcntl((int)i, F_GETFD) < 0 ? open("/dev/null", modes[i] | O_CLOEXEC)
						    : (int)i;

		if (fd > (int)i) /* one below could not be kept */
			close(fd);
	}
}

/* Closes all descriptors of the former table of the caller, as soon as the caller has another. */
static int empty_table(void *event)
{
	uint64_t count;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(*(int *)event, &count, sizeof(count)) != sizeof(count))
		return -1;
	prctl(PR_SET_PDEATHSIG, 0);
	return close_range(0, ~0U, 0);
}

/* Not for ever: a file of another process may be among those that are closed. */
static void wait_for(pid_t helper)
{
	enum { TRIES = 1000, PAUSE_US = 1000 };

	for (int i = 0; i < TRIES && waitpid(helper, NULL, __WALL | WNOHANG) == 0; i++)
		usleep(PAUSE_US);
}

int descriptors_unshare(void)
{
	enum { STACK = 1 << 16 };
	const uint64_t one = 1;
	int event = eventfd(0, EFD_CLOEXEC), code;
	char *stack = xcalloc(1, STACK);
	pid_t helper = event < 0 ? -1 : clone(empty_table, stack + STACK, CLONE_FILES, &event);
	int rc = helper < 0 ? -1 : unshare(CLONE_FILES);

	code = errno;
	if (rc && helper > 0)
		kill(helper, SIGKILL);
	else if (!rc && write(event, &one, sizeof(one)) != sizeof(one))
		rc = -1;
	if (helper > 0)
		wait_for(helper);
	if (event >= 0)
		close(event);
	free(stack);
	errno = code;
	return rc;
}
