/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/empty_directory.h"
#include "collect/kernel/run_base.h"
#include "collect/kernel/run_owner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_of(const struct run_directory *directory)
{
	return strrchr(directory->path, '/') + 1;
}

/* --- Making -------------------------------------------------------------------------------- */

/* A name that nobody guesses. */
static char *make_path(const char *base)
{
	uint64_t number[2];

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		return NULL;
	return xasprintf("%s/%016" PRIx64 "%016" PRIx64, base, number[0], number[1]);
}

static int make_one(struct run_directory *directory, const char *base)
{
	directory->path = make_path(base);
	if (!directory->path || mkdirat(directory->base, name_of(directory), 0700))
		return -1;
	directory->fd = openat(directory->base, name_of(directory),
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory->fd < 0) {
		int code = errno;

		unlinkat(directory->base, name_of(directory), AT_REMOVEDIR);
		errno = code;
		return -1;
	}
	directory->owner = run_owner_make(directory->fd);
	return directory->owner >= 0 && fchmod(directory->fd, geteuid() ? 0700 : 0711) == 0 ? 0
											    : -1;
}

/* As far as it has been made; `base` stays. */
static void unmake(struct run_directory *directory)
{
	if (directory->fd >= 0) {
		run_directory_remove(directory->base, name_of(directory), directory->fd);
		close(directory->fd);
	}
	if (directory->owner >= 0)
		close(directory->owner);
	free(directory->path);
	directory->path = NULL;
	directory->fd = directory->owner = -1;
}

/* The next recorder may take one that has no owner yet for one left behind, and remove it. */
static int make_any(struct run_directory *directory, const char *base)
{
	enum { TRIES = 3 };
	int code = ENOENT;

	for (int i = 0; i < TRIES && (code == ENOENT || code == EWOULDBLOCK); i++) {
		if (make_one(directory, base) == 0)
			return 0;
		code = errno;
		unmake(directory);
	}
	errno = code;
	return -1;
}

int run_directory_open_in(struct run_directory *directory, const char *place, struct err *err)
{
	char *base;
	int rc;

	*directory = (struct run_directory){.fd = -1, .owner = -1};
	directory->base = run_base_open(&base, place, true, err);
	if (directory->base < 0)
		return -1;
	rc = make_any(directory, base);
	if (rc) {
		err_set(err, "%s: no directory can be made in it: %m", base);
		close(directory->base);
		directory->base = -1;
	}
	free(base);
	return rc;
}

int run_directory_open(struct run_directory *directory, struct err *err)
{
	char *places[RUN_BASES_MAX];
	size_t count;
	int rc = -1;

	if (directory->fd >= 0)
		return 0;
	count = run_base_places(places);
	for (size_t i = 0; i < count; i++) {
		if (rc)
			rc = run_directory_open_in(directory, places[i], err);
		free(places[i]);
	}
	return rc;
}

/* --- Notes --------------------------------------------------------------------------------- */

int run_directory_note(struct run_directory *directory, const char *kind, const char *what,
		       struct err *err)
{
	char *line = xasprintf("%s %s\n", kind, what);
	int rc = 0;

	assert(directory->fd >= 0 && strchr(line, '\n')[1] == '\0');
	if (run_owner_append(directory->owner, line))
		rc = err_set(err, "%s/" RUN_OWNER ": cannot be written: %m", directory->path);
	free(line);
	return rc;
}

/* --- Removing ------------------------------------------------------------------------------ */

int run_directory_remove(int base, const char *name, int fd)
{
	struct stat status, named;

	/*
	 * The next recorder that finds it half removed goes on. Where there is no descriptor left to
	 * list it, it may be empty still.
	 */
	if (empty_directory(fd, RUN_OWNER) == 0 && unlinkat(fd, RUN_OWNER, 0) && errno != ENOENT)
		return -1;
	if (fstat(fd, &status) || fstatat(base, name, &named, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (status.st_dev != named.st_dev || status.st_ino != named.st_ino)
		return -1;
	return unlinkat(base, name, AT_REMOVEDIR);
}

void run_directory_keep(struct run_directory *directory)
{
	directory->kept = true;
}

/* As if the recorder had been killed. */
static void leave(struct run_directory *directory)
{
	empty_directory(directory->fd, RUN_OWNER);
	close(directory->fd);
	close(directory->owner);
	free(directory->path);
}

void run_directory_close(struct run_directory *directory)
{
	if (directory->fd < 0)
		return;
	if (directory->kept)
		leave(directory);
	else
		unmake(directory);
	close(directory->base);
	*directory = (struct run_directory){.fd = -1, .base = -1, .owner = -1};
}
