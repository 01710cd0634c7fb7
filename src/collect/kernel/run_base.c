/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_base.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/file_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Where --------------------------------------------------------------------------------- */

/* A session of another user may have left it in the environment. */
static const char *own_runtime_directory(void)
{
	const char *path = getenv("XDG_RUNTIME_DIR");
	struct stat status;

	return path && *path == '/' && stat(path, &status) == 0 && status.st_uid == geteuid()
		       ? path
		       : NULL;
}

size_t run_base_places(char *places[RUN_BASES_MAX])
{
	const char *temporary = getenv("TMPDIR"), *runtime = own_runtime_directory();
	size_t count = 0;

	if (geteuid() == 0)
		places[count++] = xstrdup("/run/pscal");
	else if (runtime)
		places[count++] = xasprintf("%s/pscal", runtime);
	if (temporary && *temporary == '/')
		places[count++] = xasprintf("%s/pscal-%u", temporary, (unsigned)geteuid());
	places[count++] = xasprintf("/tmp/pscal-%u", (unsigned)geteuid());
	return count;
}

/* --- Is it safe? --------------------------------------------------------------------------- */

static bool is_trusted(const struct stat *status)
{
	bool is_shared = status->st_mode & (S_IWGRP | S_IWOTH);

	return (status->st_uid == geteuid() || file_owner_is_root(status->st_uid)) &&
	       (!is_shared || status->st_mode & S_ISVTX);
}

static int open_next(int at, const char *name, struct err *err)
{
	int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (next < 0 || fstat(next, &status)) {
		err_set(err, "cannot be opened: %m");
	} else if (!is_trusted(&status)) {
		err_set(err, "other users can change its entries");
	} else {
		return next;
	}
	if (next >= 0)
		close(next);
	return -1;
}

/* Each directory on the way is looked at before the next one is opened in it. */
static int open_trusted(const char *path, struct err *err)
{
	int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *copy = xstrdup(path), *rest = NULL;

	if (at < 0) {
		free(copy);
		return err_set(err, "/: cannot be opened: %m");
	}
	for (char *name = strtok_r(copy, "/", &rest); at >= 0 && name;
	     name = strtok_r(NULL, "/", &rest)) {
		int next = open_next(at, name, err);

		if (next < 0)
			err_wrap(err, "%.*s", (int)(name + strlen(name) - copy), path);
		close(at);
		at = next;
	}
	free(copy);
	return at;
}

/* --- Opening ------------------------------------------------------------------------------- */

static int check(int fd, bool make, struct err *err)
{
	/* Processes of any user may open entries of root's directory by their names. */
	const mode_t wanted = geteuid() == 0 ? 0711 : 0700;
	struct stat status;

	if (fstat(fd, &status))
		return err_set(err, "cannot be looked at: %m");
	if (status.st_uid != geteuid())
		return err_set(err, "belongs to another user: set TMPDIR to a directory in which "
				    "only you can write");
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, "other users can write into it: remove it");
	if (make && (status.st_mode & 07777) != wanted && fchmod(fd, wanted))
		return err_set(err, "its mode cannot be set: %m");
	return 0;
}

static int open_in(int parent, const char *name, bool make, struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd;

	if (make && mkdirat(parent, name, 0700) && errno != EEXIST)
		return err_set(err, "cannot be made: %m");
	fd = openat(parent, name, flags);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return err_set(err, "is no directory: set TMPDIR to a directory in which only you "
				    "can write");
	if (fd < 0)
		return err_set(err, "cannot be opened: %m");
	if (check(fd, make, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

int run_base_open(char **path, const char *place, bool make, struct err *err)
{
	const char *name = strrchr(place, '/') + 1;
	char *parent = xasprintf("%.*s", (int)(name - place), place);
	char *real = realpath(parent, NULL);
	int at, fd = -1;

	*path = NULL;
	free(parent);
	if (!real)
		return err_set(err, "%s: cannot be made: %m", place);
	at = open_trusted(real, err);
	if (at >= 0) {
		fd = open_in(at, name, make, err);
		if (fd < 0)
			err_wrap(err, "%s", place);
		close(at);
	}
	if (fd >= 0)
		*path = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
	free(real);
	return fd;
}
