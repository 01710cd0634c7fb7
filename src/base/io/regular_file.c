/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/regular_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Most files that a kernel makes up are regular ones without a size. Those of sysfs have one, and
 * in procfs /proc/kcore.
 */
static bool is_taken(int place, struct stat *status)
{
	struct statfs system;

	return fstat(place, status) == 0 && S_ISREG(status->st_mode) && status->st_size > 0 &&
	       fstatfs(place, &system) == 0 && system.f_type != PROC_SUPER_MAGIC &&
	       system.f_type != SYSFS_MAGIC;
}

int regular_file_open(struct stat *status, const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char same[32];

	if (place < 0)
		return -1;
	/* By its name it could be another one by now. */
	snprintf(same, sizeof(same), "/proc/self/fd/%d", place);
	/* Its owner may hold a lease on it (fcntl(2)), and is not waited for. */
	if (is_taken(place, status))
		fd = open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(place);
	return fd;
}
