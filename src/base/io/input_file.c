/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/input_file.h"

#include "base/err.h"
#include "base/io/file_owner.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Has the user opened the pipe or the device, as standard input is? For /dev/stdin and /dev/fd/N. */
static bool is_open_elsewhere(int fd, const struct stat *status)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;
	bool found = false;

	while (all && !found && (entry = readdir(all))) {
		struct stat other;
		int number = atoi(entry->d_name);

		found = *entry->d_name != '.' && number != fd && fstat(number, &other) == 0 &&
			other.st_dev == status->st_dev && other.st_ino == status->st_ino;
	}
	if (all)
		closedir(all);
	return found;
}

static int check_owner(const char *path, int fd, const struct stat *status, bool of_anyone,
		       struct err *err)
{
	if (of_anyone || file_owner_is_own(status->st_uid) || is_open_elsewhere(fd, status))
		return 0;
	return err_set(err,
		       "%s: belongs to another user (%u), and neither to you nor to root; --force "
		       "reads it all the same",
		       path, status->st_uid);
}

int input_file_look(const char *path, int fd, struct stat *status, struct err *err)
{
	if (fd < 0 || fstat(fd, status))
		return err_set(err, "%s: cannot open: %m", path);
	if (S_ISDIR(status->st_mode))
		return err_set(err, "%s: is a directory, not a file", path);
	return 0;
}

/* A FIFO has been opened without waiting for its writer, so that it could be looked at. */
static int begin_to_wait(const char *path, int fd, const struct stat *status, struct err *err)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) ||
	    (S_ISFIFO(status->st_mode) && poll(&pollfd, 1, -1) < 0))
		return err_set(err, "%s: cannot open: %m", path);
	return 0;
}

int input_file_open(const char *path, bool of_anyone, struct stat *status, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (!input_file_look(path, fd, status, err) &&
	    !check_owner(path, fd, status, of_anyone, err) && !begin_to_wait(path, fd, status, err))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
