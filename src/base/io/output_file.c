/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/output_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The most links in a path that the kernel follows. */
enum { LINKS_MAX = 40, DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };

struct walk {
	struct output_place *place; /* `dir` is the directory reached so far */
	const struct output_path *how;
	char *text; /* the rest of the path begins at `rest` */
	char *rest;
	unsigned links; /* followed so far */
	struct err *err;
};

static int cannot(struct walk *walk, int code)
{
	errno = code;
	return output_file_refuse(walk->place->path, walk->err);
}

/* --- Trust of root ------------------------------------------------------------------------- */

/* Returns whether only root, and the owner of an entry, can put something into its place. */
static bool is_roots(int dir, bool *is_shared)
{
	struct stat status;

	if (fstat(dir, &status) || !file_owner_is_root(status.st_uid))
		return false;
	*is_shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
	return !*is_shared || status.st_mode & S_ISVTX;
}

/* Returns whether root made an entry. In a shared directory, others may give it a second name. */
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
	return err_set(walk->err,
		       "%s: '%s' is a symbolic link that another user may change, which root does "
		       "not follow: name the %s that it leads to",
		       walk->place->path, name, kind);
}

static int refuse_special(const struct walk *walk)
{
	return err_set(walk->err,
		       "%s: is not a regular file, and root does not write to it, as another user "
		       "made it or may change it; name another file, or pipe standard output to it",
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

/* Returns whether a directory is in procfs: the text of its links is not always a path. */
static bool is_made_by_kernel(int dir)
{
	struct statfs system;

	return fstatfs(dir, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Follows a link: its text, with the names behind it in the path, is the rest from now on. */
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

/* Examines the last name of the path. Returns 0, 1 after it has followed a link, or -1. */
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

/* Cuts the first name off the rest. Returns whether a slash follows it. */
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
	char name[NAME_MAX + 2]; /* a longer name stays too long */
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

/* Returns whether the opened file is the one that was examined: a new FIFO or device is not. */
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

enum { OLD_FILES = 3 };

/* Returns NAME, NAME.old, NAME.old.2 and so on. The caller frees it. */
static char *old_name(const struct output_place *place, int age)
{
	if (age < 2)
		return xasprintf("%s%s", place->name, age ? ".old" : "");
	return xasprintf("%s.old.%d", place->name, age);
}

/* An old file that cannot be renamed stays; only the newest must be renamed. */
int output_place_keep_old(const struct output_place *place, struct err *err)
{
	int rc = 0;

	if (faccessat(place->dir, place->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	for (int age = OLD_FILES; age > 0; age--) {
		char *from = old_name(place, age - 1), *to = old_name(place, age);

		rc = renameat(place->dir, from, place->dir, to);
		if (rc && age == 1)
			err_set(err, "%s: cannot be renamed to %s: %m", place->path, to);
		free(from);
		free(to);
	}
	return rc;
}

static bool is_mounted(const struct output_place *place)
{
	struct statx status;

	return statx(place->dir, place->name, AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
	       (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/* Returns whether a sticky directory restricts us: root only for users beyond its namespace. */
static bool is_bound_to_owner(uid_t owner)
{
	return geteuid() != 0 || (owner != 0 && file_owner_is_root(owner));
}

/*
 * Returns whether the file may be replaced, as far as that is known beforehand: a mount point may
 * not, nor the file of another user in a sticky directory.
 */
static bool may_replace(const struct output_place *place)
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

/* Returns whether the file itself may be written. For root, the place must be made by root. */
static bool may_write(const struct output_place *place)
{
	return geteuid() != 0 ||
	       (may_write_special(place->dir, &place->status) && place->status.st_nlink == 1);
}

int output_file_refuse(const char *path, struct err *err)
{
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
		return err_set(err, "%s: there is no room left on its disk", path);
	case EFBIG:
		return err_set(err, "%s: has reached the file size limit ('ulimit -f')", path);
	case EPIPE:
		return err_set(err, "%s: its reader has ended before it was complete", path);
	case EISDIR:
		return err_set(err, "%s: is a directory; name a file", path);
	case EACCES:
		return err_set(err, "%s: cannot write: %m; choose another directory", path);
	case ENOTDIR:
		return err_set(err, "%s: cannot write: %m; a part of its path is a file", path);
	case ENOENT:
		return *path ? err_set(err, "%s: cannot write: %m; make its directory first", path)
			     : err_set(err, "the name of the output is empty; name a file");
	default:
		return err_set(err, "%s: cannot write: %m", path);
	}
}

/* --- Opening ------------------------------------------------------------------------------- */

static int refuse_pipe(const struct output_file *file, struct err *err)
{
	return err_set(err,
		       "%s: is a pipe, and this output needs a regular file; -o - writes to "
		       "standard output, which can be piped",
		       file->place.path);
}

static int open_special(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	const struct output_place *place = &file->place;

	if (kind->only_regular)
		return err_set(err, "%s: exists and is not a regular file; choose another name",
			       file->place.path);
	/* Opening a FIFO waits for a reader. */
	if (kind->seeks && S_ISFIFO(place->status.st_mode))
		return refuse_pipe(file, err);
	file->fd = output_place_open(place, O_WRONLY | (place->is_open_file ? O_TRUNC : 0), 0);
	if (file->fd < 0)
		return output_file_refuse(file->place.path, err);
	return kind->seeks && lseek(file->fd, 0, SEEK_SET) != 0 ? refuse_pipe(file, err) : 0;
}

/*
 * Opens a draft without a name. It gets its name through its entry in procfs, which must be there.
 */
static int open_without_name(const struct output_file *file, mode_t mode)
{
	char *path;
	int fd = openat(file->place.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode), rc;

	if (fd < 0)
		return -1;
	path = xasprintf("/proc/self/fd/%d", fd);
	rc = access(path, F_OK);
	free(path);
	if (rc)
		close(fd);
	return rc ? -1 : fd;
}

/*
 * Calls make(file, mode) until it has made something with a new name: the file's name and 6
 * characters, as mkstemp does.
 */
static int make_draft(struct output_file *file, mode_t mode,
		      int (*make)(const struct output_file *file, mode_t mode))
{
	enum { TRIES = 100, RANDOM_LENGTH = 7 };
	int rc = -1;

	for (int i = 0; i < TRIES; i++) {
		unsigned number = 0;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -1;
		free(file->draft);
		file->draft = xasprintf("%.*s.%06x", NAME_MAX - RANDOM_LENGTH, file->place.name,
					number & 0xffffff);
		rc = make(file, mode);
		if (rc >= 0 || errno != EEXIST)
			break;
	}
	if (rc < 0) {
		free(file->draft);
		file->draft = NULL;
	}
	return rc;
}

static int make_file(const struct output_file *file, mode_t mode)
{
	return openat(file->place.dir, file->draft,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int open_in_directory(struct output_file *file, const struct output_kind *kind)
{
	int fd = open_without_name(file, kind->mode);

	return fd >= 0 ? fd : make_draft(file, kind->mode, make_file);
}

/* Opens the file itself, and nothing that has been put there meanwhile. */
static int open_target(struct output_file *file)
{
	const struct output_place *place = &file->place;
	struct stat status;
	int fd = output_place_open(place, O_WRONLY | O_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) || status.st_ino != place->status.st_ino ||
	    status.st_dev != place->status.st_dev) {
		close(fd);
		return -1;
	}
	file->target = fd;
	file->is_copied = true;
	return 0;
}

/* Opens a draft that is copied to the file at the end, as the file cannot be replaced. */
static int open_copied(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	if (!kind->keeps_mode || !may_write(&file->place) || open_target(file))
		return err_set(err,
			       "%s: exists and cannot be replaced: it is a mount point, or you may "
			       "not change its directory; name another file",
			       file->place.path);
	file->fd = scratch_file_open(err);
	return file->fd < 0 ? err_wrap(err, "%s", file->place.path) : 0;
}

/*
 * Gives the draft the group and mode of the old file, unless another user has chosen them. If the
 * group cannot be set, the new group gets the rights of all users.
 */
static int pass_on_mode(const struct output_file *file, struct err *err)
{
	const struct stat *before = &file->place.status;
	mode_t mode = before->st_mode & 0777;

	if (before->st_uid != geteuid() && !file_owner_is_root(before->st_uid))
		return 0;
	if (fchown(file->fd, (uid_t)-1, before->st_gid))
		mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
	return fchmod(file->fd, mode) ? output_file_refuse(file->place.path, err) : 0;
}

static int open_draft(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	const struct output_place *place = &file->place;
	bool keeps_mode = kind->keeps_mode && place->exists;

	file->is_draft = true;
	if (keeps_mode && faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return output_file_refuse(file->place.path, err);
	if (!may_replace(place))
		return open_copied(file, kind, err);
	file->fd = open_in_directory(file, kind);
	if (file->fd < 0 && keeps_mode && (errno == EACCES || errno == EPERM || errno == EROFS))
		return open_copied(file, kind, err);
	if (file->fd < 0)
		return output_file_refuse(file->place.path, err);
	return keeps_mode ? pass_on_mode(file, err) : 0;
}

/* Refuses to replace a file that kind->keeps. Returns 0, or -1 with an error. */
static int refuse_kept(const struct output_place *place, const struct output_kind *kind,
		       struct err *err)
{
	char bytes[OUTPUT_BEGINNING];
	ssize_t size;
	int fd;

	if (!kind->keeps || !place->exists || !S_ISREG(place->status.st_mode))
		return 0;
	fd = output_place_open(place, O_RDONLY | O_NONBLOCK, 0);
	size = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	if (fd >= 0)
		close(fd);
	if (size <= 0 || !kind->keeps(bytes, (size_t)size))
		return 0;
	return err_set(err, "%s: is a recording, and is not replaced; choose another name",
		       place->path);
}

int output_file_open(struct output_file *file, const char *path, const struct output_kind *kind,
		     struct err *err)
{
	const struct output_path how = {.directories = kind->directories,
					.keep_link = kind->only_regular};
	struct output_place *place = &file->place;
	struct err ignored;
	int rc;

	*file = (struct output_file){.fd = -1};
	if (output_place_find(place, path, &how, err) || refuse_kept(place, kind, err))
		rc = -1;
	else if (place->exists && !S_ISREG(place->status.st_mode))
		rc = open_special(file, kind, err);
	else
		rc = open_draft(file, kind, err);
	if (rc)
		output_file_close(file, &ignored);
	return rc;
}

/* --- Writing ------------------------------------------------------------------------------- */

int output_file_write(const struct output_file *file, const void *bytes, size_t size,
		      size_t *written, struct err *err)
{
	const char *from = bytes;

	for (*written = 0; *written < size;) {
		ssize_t more = write(file->fd, from + *written, size - *written);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return output_file_refuse(file->place.path, err);
		*written += (size_t)more;
	}
	return 0;
}

/* --- Publishing ----------------------------------------------------------------------------- */

static int link_file(const struct output_file *file, mode_t mode)
{
	char *path = xasprintf("/proc/self/fd/%d", file->fd);
	int rc = linkat(AT_FDCWD, path, file->place.dir, file->draft, AT_SYMLINK_FOLLOW);

	(void)mode;
	free(path);
	return rc;
}

/* Renames the draft. Where that may replace a file, the file has been looked for before. */
static int rename_draft(const struct output_file *file, bool is_new)
{
	const struct output_place *place = &file->place;
	int rc = renameat2(place->dir, file->draft, place->dir, place->name,
			   is_new ? RENAME_NOREPLACE : 0);

	if (rc && (errno == EINVAL || errno == ENOSYS))
		rc = renameat(place->dir, file->draft, place->dir, place->name);
	return rc;
}

/* Appends the contents of a file to another. Returns 0, or -1 with errno. */
static int copy(int from, int to)
{
	char bytes[1 << 14];
	off_t offset = 0;

	for (;;) {
		ssize_t got = pread(from, bytes, sizeof(bytes), offset), written;

		if (got == 0)
			return 0;
		written = got < 0 ? -1 : write(to, bytes, (size_t)got);
		if (written > 0)
			offset += written;
		else if (errno != EINTR)
			return -1;
	}
}

/* Copies the draft to the file. The descriptor is that of the file from now on. */
static int write_target(struct output_file *file, struct err *err)
{
	if (ftruncate(file->target, 0) || copy(file->fd, file->target) ||
	    dup3(file->target, file->fd, O_CLOEXEC) < 0)
		return output_file_refuse(file->place.path, err);
	return 0;
}

/* Returns the path of a draft that has a name. The caller frees it. */
static char *path_of_draft(const struct output_file *file)
{
	char *link = xasprintf("/proc/self/fd/%d", file->place.dir);
	char *dir = realpath(link, NULL);
	char *path = dir ? xasprintf("%s/%s", dir, file->draft) : xstrdup(file->draft);

	free(dir);
	free(link);
	return path;
}

/* Keeps a result that cannot get its name. Returns -1 with an error that says where it is kept. */
static int keep(struct output_file *file, struct err *err)
{
	struct err why = *err;
	struct stat status;
	char *path = NULL;
	int fd = -1;

	if (fstat(file->fd, &status) || status.st_size == 0)
		return -1;
	if (file->draft)
		path = path_of_draft(file);
	else
		fd = scratch_file_open_named(&path);
	if (path && (fd < 0 || copy(file->fd, fd) == 0)) {
		free(file->draft);
		file->draft = NULL;
		err_set(err, "%s; the output is kept in %s", why.text, path);
	} else if (path) {
		unlink(path);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -1;
}

static int give_name(struct output_file *file, enum output_publish how, struct err *err)
{
	const char *path = file->place.path;

	if (!file->draft && make_draft(file, 0, link_file))
		return err_set(err, "%s: cannot be given its name: %m", path);
	if (how == OUTPUT_KEEPS_OLD && output_place_keep_old(&file->place, err))
		return -1;
	if (rename_draft(file, how == OUTPUT_IS_NEW)) {
		if (errno == EEXIST)
			return err_set(err, "%s: was made by another process meanwhile", path);
		return err_set(err, "%s: cannot be given its name: %m", path);
	}
	return 0;
}

int output_file_publish(struct output_file *file, enum output_publish how, struct err *err)
{
	int rc;

	if (!file->is_draft)
		return 0;
	rc = file->is_copied ? write_target(file, err) : give_name(file, how, err);
	if (rc)
		return how == OUTPUT_KEEPS_OLD ? -1 : keep(file, err);
	free(file->draft);
	file->draft = NULL;
	file->is_draft = false;
	return 0;
}

int output_file_close(struct output_file *file, struct err *err)
{
	int rc = 0;

	if (file->draft)
		unlinkat(file->place.dir, file->draft, 0);
	free(file->draft);
	if (file->place.path && file->fd >= 0 && close(file->fd))
		rc = output_file_refuse(file->place.path, err);
	if (file->is_copied)
		close(file->target);
	output_place_release(&file->place);
	*file = (struct output_file){.fd = -1};
	return rc;
}
