/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/recording_file.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Those below are standard input, output and error. */
enum { FIRST_OWN_FD = 3 };

/* Its descriptor is our own: closing it must not close what others print to. */
static int open_standard_output(struct output_file *output, struct err *err)
{
	const char *path = "standard output";

	*output = (struct output_file){.path = path, .fd = -1};
	if (isatty(STDOUT_FILENO))
		return err_set(err,
			       "%s: is a terminal, and a recording is not for reading: pipe "
			       "it into a command, as 'pscal record -o - -- COMMAND | pscal "
			       "profile'",
			       path);
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	return output->fd < 0 ? output_file_refuse(path, err) : 0;
}

int recording_file_open(struct recording_file *file, const char *path, struct err *err)
{
	static const struct output_kind kind = {.mode = 0600, .seeks = true};

	*file = (struct recording_file){.stream = strcmp(path, "-") == 0};
	return file->stream ? open_standard_output(&file->output, err)
			    : output_file_open(&file->output, path, &kind, err);
}

int recording_file_publish(struct recording_file *file, struct err *err)
{
	return output_file_publish(&file->output, OUTPUT_KEEPS_OLD, err);
}

int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err)
{
	size_t written;
	int rc = output_file_write(&file->output, bytes, size, &written, err);

	file->size += written;
	return rc;
}

int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err)
{
	ssize_t written = pwrite(file->output.fd, bytes, size, (off_t)offset);

	if (written < 0 || (size_t)written != size)
		return output_file_refuse(file->output.path, err);
	return 0;
}

void recording_file_cut(struct recording_file *file, uint64_t size)
{
	int fd = file->output.fd;

	if (file->stream || file->size <= size || ftruncate(fd, (off_t)size) ||
	    lseek(fd, (off_t)size, SEEK_SET) < 0)
		return;
	file->size = size;
}

int recording_file_close(struct recording_file *file, struct err *err)
{
	int rc = output_file_close(&file->output, err);

	*file = (struct recording_file){.stream = false};
	return rc;
}
