/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as the file of an earlier sweep. The part that is kept, up to the end of its last
 * whole line, reads the same again.
 */
#include "fuzz.h"

#include "collect/sweep/sweep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void ignore(void *context, const char *sentence)
{
	(void)context, (void)sentence;
}

/* Continues the file. Returns 0 or -1, and the number of its rows and bytes. */
static int go_on(const char *path, size_t *rows, off_t *size)
{
	static const struct sweep_head nothing = {.count = 0};
	struct err err = {.text = ""};
	struct sweep_file *file =
		sweep_file_open(path, &nothing, SWEEP_ROWS_APPEND, ignore, NULL, &err);
	struct stat status;

	if (!file) {
		if (!*err.text)
			abort();
		return 0;
	}
	*rows = sweep_file_rows(file);
	sweep_file_close(file);
	if (stat(path, &status))
		abort();
	*size = status.st_size;
	return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char path[] = "/dev/shm/pscal-sweep-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	size_t rows, again_rows;
	off_t size, again_size;

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	close(fd);
	if (go_on(path, &rows, &size) &&
	    (!go_on(path, &again_rows, &again_size) || again_rows != rows || again_size != size))
		abort();
	unlink(path);
	return 0;
}
