/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/output_place.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/file_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As many links as the kernel follows in a path. */
enum { LINKS_MAX = 40, DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };

struct walk {
	struct output_place *place; /* `dir` is how far it has come */
	const struct output_path *how;
	char *text; /* the rest of the path begins at `rest` */
	char *rest;
	unsigned links; /* followed so far */
	struct err *err;
};

static int cannot(struct walk *walk, int code)
{
	errno = code;
	return err_set(walk->err, "%s: cannot write: %m", walk->place->path);
}

/* --- Trust of root ------------------------------------------------------------------------- */

/* May nobody but root, and the owner of an entry, put something into the place of that entry? */
static bool is_roots(int dir, bool *is_shared)
{
	struct stat status;

	if (fstat(dir, &status) || !file_owner_is_root(status.st_uid))
		return false;
	*is_shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
	return !*is_shared || status.st_mode & S_ISVTX;
}

/* Another user may give a link or a FIFO of root one more name, in a directory of all users. */
static bool is_put_by_root(const struct stat *entry, bool is_shared)
{
	return file_owner_is_root(entry->st_uid) && (!is_shared || entry->st_nlink == 1);
}

static bool may_follow(int dir, const struct stat *link)
{
	bool is_shared;

	return geteuid() != 0 || (is_roots(dir, &is_shared) && is_put_by_root(link, is_shared));
}

static bool may_write_special(int dir, const struct stat *special)
{
	bool is_shared;

	return geteuid() != 0 ||
	       (is_roots(dir, &is_shared) && (!is_shared || is_put_by_root(special, is_shared)));
}

static int refuse_link(const struct walk *walk, const char *name, const char *kind)
{
	return err_set(
		walk->err,
		"%s: '%s' is a symbolic link that root does not follow, as it is not of root "
		"alone: name the %s that it leads to",
		walk->place->path, name, kind);
}

static int refuse_special(const struct walk *walk)
{
	return err_set(walk->err,
		       "%s: is no regular file, and another user has made it or may change it: "
		       "root writes to none of these; name another file, or pipe standard output "
		       "there",
		       walk->place->path);
}

/* --- Step by step -------------------------------------------------------------------------- */

static int enter(struct walk *walk, int dir)
{
	if (dir < 0)
		return cannot(walk, errno);
	if (walk->place->dir >= 0)
		close(walk->place->dir);
	walk->place->dir = dir;
	return 0;
}

static int begin_path(struct walk *walk, char *text)
{
	free(walk->text);
	walk->text = walk->rest = text;
	if (!*text)
		return cannot(walk, ENOENT);
	if (*text == '/')
		return enter(walk, open("/", DIRECTORY));
	return walk->place->dir < 0 ? enter(walk, open(".", DIRECTORY)) : 0;
}

/* Entries of procfs that stand for something open: their text is not always a path to it. */
static bool is_made_by_kernel(int dir)
{
	struct statfs system;

	return fstatfs(dir, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* The text of the link, with the names behind it in the path, is the rest from now on. */
static int follow(struct walk *walk, const char *name)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(walk->place->dir, name, target, sizeof(target) - 1);

	if (length < 0)
		return cannot(walk, errno);
	if (++walk->links > LINKS_MAX)
		return cannot(walk, ELOOP);
	target[length] = '\0';
	return begin_path(walk,
			  *walk->rest ? xasprintf("%s/%s", target, walk->rest) : xstrdup(target));
}

static int open_directory(const struct walk *walk, const char *name)
{
	int dir = openat(walk->place->dir, name, DIRECTORY | O_NOFOLLOW);

	if (dir >= 0 || errno != ENOENT || !walk->how->directories)
		return dir;
	if (mkdirat(walk->place->dir, name, walk->how->directories) && errno != EEXIST)
		return -1;
	return openat(walk->place->dir, name, DIRECTORY | O_NOFOLLOW);
}

static int step_into(struct walk *walk, const char *name)
{
	int dir = open_directory(walk, name), code = errno;
	struct stat status;

	if (dir >= 0)
		return enter(walk, dir);
	if (fstatat(walk->place->dir, name, &status, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISLNK(status.st_mode))
		return cannot(walk, code);
	if (!may_follow(walk->place->dir, &status))
		return refuse_link(walk, name, "directory");
	if (is_made_by_kernel(walk->place->dir))
		return enter(walk, openat(walk->place->dir, name, DIRECTORY));
	return follow(walk, name);
}

/* The last name of the path. Returns 1 if that is a link, which has been followed. */
static int look_at_last(struct walk *walk, const char *name)
{
	struct output_place *place = walk->place;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return cannot(walk, EISDIR);
	place->exists = fstatat(place->dir, name, &place->status, AT_SYMLINK_NOFOLLOW) == 0;
	if (!place->exists && errno != ENOENT)
		return cannot(walk, errno);
	if (place->exists && S_ISLNK(place->status.st_mode) && !walk->how->keep_link) {
		if (!may_follow(place->dir, &place->status))
			return refuse_link(walk, name, "file");
		place->is_open_file = is_made_by_kernel(place->dir);
		if (!place->is_open_file)
			return follow(walk, name) ? -1 : 1;
	} else if (place->exists && S_ISDIR(place->status.st_mode)) {
		return cannot(walk, EISDIR);
	} else if (place->exists && !S_ISREG(place->status.st_mode) &&
		   !S_ISLNK(place->status.st_mode) &&
		   !may_write_special(place->dir, &place->status)) {
		return refuse_special(walk);
	}
	place->name = xstrdup(name);
	return 0;
}

/* Cuts the first name off the rest. Returns whether more than slashes follows it. */
static bool take_name(struct walk *walk, char *name, size_t size)
{
	size_t length;

	walk->rest += strspn(walk->rest, "/");
	length = strcspn(walk->rest, "/");
	snprintf(name, size, "%.*s", (int)length, walk->rest);
	walk->rest += length;
	length = strspn(walk->rest, "/");
	walk->rest += length;
	return length > 0;
}

static int go(struct walk *walk)
{
	char name[NAME_MAX + 2]; /* one that is too long stays so */
	int rc;

	do {
		bool more = take_name(walk, name, sizeof(name));

		if (!*name)
			return cannot(walk, EISDIR);
		rc = more ? step_into(walk, name) : look_at_last(walk, name);
		if (rc == 0 && more)
			rc = 1;
	} while (rc > 0);
	return rc;
}

int output_place_find(struct output_place *place, const char *path, const struct output_path *how,
		      struct err *err)
{
	struct walk walk = {.place = place, .how = how, .err = err};
	int rc;

	*place = (struct output_place){.path = path, .dir = -1};
	rc = begin_path(&walk, xstrdup(path));
	if (!rc)
		rc = go(&walk);
	free(walk.text);
	if (rc)
		output_place_release(place);
	return rc;
}

void output_place_release(struct output_place *place)
{
	if (place->path && place->dir >= 0)
		close(place->dir);
	free(place->name);
	*place = (struct output_place){.path = NULL};
}

/* A FIFO or a device that was not there before has not been asked about. */
static bool is_as_found(const struct output_place *place, const struct stat *status)
{
	return place->is_open_file || S_ISREG(status->st_mode) ||
	       (place->exists && status->st_dev == place->status.st_dev &&
		status->st_ino == place->status.st_ino);
}

int output_place_open(const struct output_place *place, int flags, mode_t mode)
{
	struct stat status;
	int fd;

	flags |= O_CLOEXEC | O_NOCTTY | (place->is_open_file ? 0 : O_NOFOLLOW);
	fd = openat(place->dir, place->name, flags, mode);
	if (fd < 0 || (fstat(fd, &status) == 0 && is_as_found(place, &status)))
		return fd;
	close(fd);
	errno = EEXIST;
	return -1;
}

int output_place_keep_old(const struct output_place *place, struct err *err)
{
	char *old = xasprintf("%s.old", place->name);
	int rc = renameat(place->dir, place->name, place->dir, old);

	if (rc && errno == ENOENT)
		rc = 0;
	else if (rc)
		err_set(err, "%s: cannot be renamed to %s: %m", place->path, old);
	free(old);
	return rc;
}

static bool is_mounted(const struct output_place *place)
{
	struct statx status;

	return statx(place->dir, place->name, AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
	       (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/* Root may replace files of all users, but for those that a user namespace does not know. */
static bool is_bound_to_owner(uid_t owner)
{
	return geteuid() != 0 || (owner != 0 && file_owner_is_root(owner));
}

bool output_place_may_replace(const struct output_place *place)
{
	uid_t owner = place->status.st_uid;
	struct stat dir;

	if (!place->exists)
		return true;
	if (is_mounted(place) || fstat(place->dir, &dir))
		return false;
	return !(dir.st_mode & S_ISVTX) || owner == geteuid() || dir.st_uid == geteuid() ||
	       !is_bound_to_owner(owner);
}

bool output_place_may_write(const struct output_place *place)
{
	return geteuid() != 0 ||
	       (may_write_special(place->dir, &place->status) && place->status.st_nlink == 1);
}
