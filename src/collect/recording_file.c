/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording_file.h"

#include "base/alloc.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those below are standard input, output and error. */
enum { FIRST_OWN_FD = 3 };

/* What is no plain file, say /dev/null or a symbolic link, keeps its name and is written to. */
static int is_special(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Its descriptor is our own: closing it must not close what others print to. */
static int open_standard_output(struct recording_file *file, struct err *err)
{
	*file = (struct recording_file){.path = "standard output", .stream = true, .fd = -1};
	if (isatty(STDOUT_FILENO))
		return err_set(err,
			       "%s: is a terminal, and a recording is not for reading: pipe "
			       "it into a command, as 'pscal record -o - -- COMMAND | pscal "
			       "profile'",
			       file->path);
	file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	if (file->fd < 0)
		return err_set(err, "%s: cannot be written: %m", file->path);
	return 0;
}

int recording_file_open(struct recording_file *file, const char *path, struct err *err)
{
	if (strcmp(path, "-") == 0)
		return open_standard_output(file, err);
	*file = (struct recording_file){.path = path};
	if (is_special(path)) {
		file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	} else {
		file->draft = xasprintf("%s.XXXXXX", path);
		file->fd = mkostemp(file->draft, O_CLOEXEC); /* mode 0600 */
	}
	if (file->fd >= 0 && lseek(file->fd, 0, SEEK_SET) == 0)
		return 0;
	if (file->fd >= 0) {
		close(file->fd);
		err_set(err,
			"%s: a recording needs a file that it can go back in, not a pipe; -o - "
			"writes one to standard output that can be piped",
			path);
	} else {
		err_set(err, "%s: cannot be written: %m", path);
	}
	free(file->draft);
	*file = (struct recording_file){.fd = -1};
	return -1;
}

int recording_file_publish(struct recording_file *file, struct err *err)
{
	char *old;

	if (!file->draft)
		return 0;
	old = xasprintf("%s.old", file->path);
	if (rename(file->path, old) && errno != ENOENT)
		err_set(err, "%s: cannot be renamed to %s: %m", file->path, old);
	else if (rename(file->draft, file->path))
		err_set(err, "%s: cannot be renamed to %s: %m", file->draft, file->path);
	else {
		free(file->draft);
		file->draft = NULL;
	}
	free(old);
	return file->draft ? -1 : 0;
}

/* Why nothing more can be written. */
static int refuse(const struct recording_file *file, struct err *err)
{
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
		return err_set(err, "%s: there is no room left on its disk", file->path);
	case EFBIG:
		return err_set(err, "%s: has reached the size that a file may have ('ulimit -f')",
			       file->path);
	case EPIPE:
		return err_set(err, "%s: who reads it has ended before the recording did",
			       file->path);
	default:
		return err_set(err, "%s: cannot write: %m", file->path);
	}
}

int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err)
{
	const char *from = bytes;

	while (size) {
		ssize_t written = write(file->fd, from, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return refuse(file, err);
		from += written;
		size -= (size_t)written;
		file->size += (uint64_t)written;
	}
	return 0;
}

int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err)
{
	ssize_t written = pwrite(file->fd, bytes, size, (off_t)offset);

	if (written < 0 || (size_t)written != size)
		return refuse(file, err);
	return 0;
}

void recording_file_cut(struct recording_file *file, uint64_t size)
{
	if (file->stream || file->size <= size || ftruncate(file->fd, (off_t)size) ||
	    lseek(file->fd, (off_t)size, SEEK_SET) < 0)
		return;
	file->size = size;
}

int recording_file_close(struct recording_file *file, struct err *err)
{
	int rc = 0;

	if (file->draft)
		unlink(file->draft);
	free(file->draft);
	if (file->fd >= 0 && close(file->fd))
		rc = err_set(err, "%s: cannot write: %m", file->path);
	*file = (struct recording_file){.fd = -1};
	return rc;
}
