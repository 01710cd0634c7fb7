/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/scratch_file.h"

#include "base/alloc.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *directory(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named ? named : "/tmp";
}

static int cannot(struct err *err)
{
	return err_set(err,
		       "cannot be kept in a temporary file in %s: %m; set TMPDIR to a directory "
		       "with room for it",
		       directory());
}

int scratch_file_open_named(char **path)
{
	int fd, reason;

	*path = xasprintf("%s/pscal-XXXXXX", directory());
	fd = mkostemp(*path, O_CLOEXEC);
	reason = errno;
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	errno = reason;
	return fd;
}

/* For file systems that know no files without a name. */
static int open_and_unlink(void)
{
	char *path;
	int fd = scratch_file_open_named(&path), reason = errno;

	if (fd >= 0)
		unlink(path);
	free(path);
	errno = reason;
	return fd;
}

int scratch_file_open(struct err *err)
{
	int fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);

	/* An old kernel takes O_TMPFILE for the wish to write to a directory. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_and_unlink();
	return fd < 0 ? cannot(err) : fd;
}

int scratch_file_write(int fd, const void *bytes, size_t count, struct err *err)
{
	const char *from = bytes;

	while (count) {
		ssize_t written = write(fd, from, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return cannot(err);
		from += written;
		count -= (size_t)written;
	}
	return 0;
}
