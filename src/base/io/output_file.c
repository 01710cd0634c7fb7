/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/output_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/file_owner.h"
#include "base/io/output_place.h"
#include "base/io/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

int output_file_refuse(const char *path, struct err *err)
{
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
		return err_set(err, "%s: there is no room left on its disk", path);
	case EFBIG:
		return err_set(err, "%s: has reached the size that a file may have ('ulimit -f')",
			       path);
	case EPIPE:
		return err_set(err, "%s: its reader has ended before it was complete", path);
	default:
		return err_set(err, "%s: cannot write: %m", path);
	}
}

/* --- Opening ------------------------------------------------------------------------------- */

static int refuse_pipe(const struct output_file *file, struct err *err)
{
	return err_set(err,
		       "%s: is a pipe, where a file is needed that can be gone back in; -o - "
		       "writes to standard output, which can be piped",
		       file->path);
}

static int open_special(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	const struct output_place *place = file->place;

	if (kind->only_regular)
		return err_set(err, "%s: is there and is no regular file; choose another name",
			       file->path);
	/* To open a FIFO is to wait for a reader. */
	if (kind->seeks && S_ISFIFO(place->status.st_mode))
		return refuse_pipe(file, err);
	file->fd = output_place_open(place, O_WRONLY | (place->is_open_file ? O_TRUNC : 0), 0);
	if (file->fd < 0)
		return output_file_refuse(file->path, err);
	return kind->seeks && lseek(file->fd, 0, SEEK_SET) != 0 ? refuse_pipe(file, err) : 0;
}

/* By its descriptor it is given a name later, which takes procfs. */
static int open_without_name(const struct output_file *file, mode_t mode)
{
	char *path;
	int fd = openat(file->place->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode), rc;

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
 * Calls make(file, mode) until it has made something of a name that nothing had: that of the file
 * and 6 characters, as mkstemp has it.
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
		file->draft = xasprintf("%.*s.%06x", NAME_MAX - RANDOM_LENGTH, file->place->name,
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
	return openat(file->place->dir, file->draft,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int open_in_directory(struct output_file *file, const struct output_kind *kind)
{
	int fd = open_without_name(file, kind->mode);

	return fd >= 0 ? fd : make_draft(file, kind->mode, make_file);
}

/* The file itself, and nothing that has been put there meanwhile. */
static int open_target(struct output_file *file)
{
	const struct output_place *place = file->place;
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

/* The file that is there cannot be replaced. */
static int open_copied(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	if (!kind->keeps_mode || !output_place_may_write(file->place) || open_target(file))
		return err_set(err,
			       "%s: is there and cannot be replaced, as it is a mount point, or "
			       "its directory is not yours to change; name another file",
			       file->path);
	file->fd = scratch_file_open(err);
	return file->fd < 0 ? err_wrap(err, "%s", file->path) : 0;
}

/*
 * The group and the mode of the file before, if no other user has chosen them. Where it cannot have
 * the group, its group gets the rights of all users.
 */
static int pass_on_mode(const struct output_file *file, struct err *err)
{
	const struct stat *before = &file->place->status;
	mode_t mode = before->st_mode & 0777;

	if (before->st_uid != geteuid() && !file_owner_is_root(before->st_uid))
		return 0;
	if (fchown(file->fd, (uid_t)-1, before->st_gid))
		mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
	return fchmod(file->fd, mode) ? output_file_refuse(file->path, err) : 0;
}

static int open_draft(struct output_file *file, const struct output_kind *kind, struct err *err)
{
	const struct output_place *place = file->place;
	bool keeps_mode = kind->keeps_mode && place->exists;

	file->is_draft = true;
	if (keeps_mode && faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return output_file_refuse(file->path, err);
	if (!output_place_may_replace(place))
		return open_copied(file, kind, err);
	file->fd = open_in_directory(file, kind);
	if (file->fd < 0 && keeps_mode && (errno == EACCES || errno == EPERM || errno == EROFS))
		return open_copied(file, kind, err);
	if (file->fd < 0)
		return output_file_refuse(file->path, err);
	return keeps_mode ? pass_on_mode(file, err) : 0;
}

int output_file_open(struct output_file *file, const char *path, const struct output_kind *kind,
		     struct err *err)
{
	const struct output_path how = {.directories = kind->directories,
					.keep_link = kind->only_regular};
	struct output_place *place = xcalloc(1, sizeof(*place));
	struct err ignored;
	int rc;

	*file = (struct output_file){.path = path, .place = place, .fd = -1};
	if (output_place_find(place, path, &how, err))
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
			return output_file_refuse(file->path, err);
		*written += (size_t)more;
	}
	return 0;
}

/* --- Its name ------------------------------------------------------------------------------ */

static int link_file(const struct output_file *file, mode_t mode)
{
	char *path = xasprintf("/proc/self/fd/%d", file->fd);
	int rc = linkat(AT_FDCWD, path, file->place->dir, file->draft, AT_SYMLINK_FOLLOW);

	(void)mode;
	free(path);
	return rc;
}

/* Some file systems cannot refuse to replace a file: there it has been looked for before. */
static int rename_draft(const struct output_file *file, bool is_new)
{
	const struct output_place *place = file->place;
	int rc = renameat2(place->dir, file->draft, place->dir, place->name,
			   is_new ? RENAME_NOREPLACE : 0);

	if (rc && (errno == EINVAL || errno == ENOSYS))
		rc = renameat(place->dir, file->draft, place->dir, place->name);
	return rc;
}

/* All that has been written, to the end of another file. Returns 0, or -1 with errno. */
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

/* From now on the descriptor is that of the file. */
static int write_target(struct output_file *file, struct err *err)
{
	if (ftruncate(file->target, 0) || copy(file->fd, file->target) ||
	    dup3(file->target, file->fd, O_CLOEXEC) < 0)
		return output_file_refuse(file->path, err);
	return 0;
}

/* Where a draft with a name is. */
static char *path_of_draft(const struct output_file *file)
{
	char *link = xasprintf("/proc/self/fd/%d", file->place->dir);
	char *dir = realpath(link, NULL);
	char *path = dir ? xasprintf("%s/%s", dir, file->draft) : xstrdup(file->draft);

	free(dir);
	free(link);
	return path;
}

/*
 * A result that has been computed is kept where it cannot have its name. Returns -1 with a sentence
 * that goes on.
 */
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
		err_set(err, "%s; what was to be in it is kept in %s", why.text, path);
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
	const char *path = file->path;

	if (!file->draft && make_draft(file, 0, link_file))
		return err_set(err, "%s: cannot be given its name: %m", path);
	if (how == OUTPUT_KEEPS_OLD && output_place_keep_old(file->place, err))
		return -1;
	if (rename_draft(file, how == OUTPUT_IS_NEW)) {
		if (errno == EEXIST)
			return err_set(err, "%s: has been made by another process meanwhile", path);
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
		unlinkat(file->place->dir, file->draft, 0);
	free(file->draft);
	if (file->path && file->fd >= 0 && close(file->fd))
		rc = output_file_refuse(file->path, err);
	if (file->is_copied)
		close(file->target);
	if (file->place)
		output_place_release(file->place);
	free(file->place);
	*file = (struct output_file){.fd = -1};
	return rc;
}
