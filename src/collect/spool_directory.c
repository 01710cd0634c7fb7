/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/spool_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/spool_reader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INFIX ".spool-"
#define OWN   "XXXXXX"

/* Who makes one may not have come to lock it. */
enum { LEFT_AFTER_S = 10 };

/* --- Removing ------------------------------------------------------------------------------ */

static void for_each(const char *path, void (*act)(const char *path, const char *name))
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *file = xasprintf("%s/%s", path, entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			act(file, entry->d_name);
		free(file);
	}
	if (directory)
		closedir(directory);
}

static void let_go(const char *path)
{
	struct spool_reader reader;
	struct err ignored;

	if (spool_reader_open(&reader, path, &ignored) > 0)
		spool_reader_let_go(&reader);
}

/* Whatever is called so. */
static void remove_file(const char *path, const char *name)
{
	if (isdigit((unsigned char)*name))
		let_go(path);
	unlink(path);
}

static void remove_inner(const char *path, const char *name)
{
	(void)name;
	for_each(path, remove_file);
	rmdir(path);
}

static void remove_all(const char *path)
{
	for_each(path, remove_inner);
	rmdir(path);
}

void spool_directory_remove(struct spool_directory *directory)
{
	if (!directory->outer)
		return;
	remove_all(directory->outer);
	if (directory->lock >= 0)
		close(directory->lock);
	if (directory->outer_lock >= 0)
		close(directory->outer_lock);
	free(directory->outer);
	free(directory->path);
	*directory = (struct spool_directory){.lock = -1, .outer_lock = -1};
}

/* --- What others have left ----------------------------------------------------------------- */

static int lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void remove_if_left(const char *path)
{
	struct stat status;
	int fd;

	if (lstat(path, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
	    time(NULL) < status.st_mtime + LEFT_AFTER_S)
		return;
	fd = lock(path);
	if (fd < 0)
		return;
	remove_all(path);
	close(fd);
}

static bool has_name(const char *name, const char *base)
{
	size_t length = strlen(base);

	return strncmp(name, base, length) == 0 &&
	       strncmp(name + length, INFIX, strlen(INFIX)) == 0 &&
	       strlen(name + length) == strlen(INFIX OWN);
}

static void remove_left_over(const char *prefix)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	char *parent = slash ? xasprintf("%.*s/", (int)(slash - prefix), prefix) : xstrdup("./");
	DIR *directory = opendir(parent);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *path = xasprintf("%s%s", parent, entry->d_name);

		if (has_name(entry->d_name, base))
			remove_if_left(path);
		free(path);
	}
	if (directory)
		closedir(directory);
	free(parent);
}

/* --- Making -------------------------------------------------------------------------------- */

/* A name that nobody guesses. */
static char *make_name(const char *outer)
{
	uint64_t number[2];

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		return NULL;
	return xasprintf("%s/%016" PRIx64 "%016" PRIx64, outer, number[0], number[1]);
}

/* See spool.h. Neither directory can be listed by others, and what is in it is who has made it's.
 */
static int make_inner(struct spool_directory *directory)
{
	bool shared = geteuid() == 0;

	directory->path = make_name(directory->outer);
	return !directory->path || mkdir(directory->path, 0700) ||
			       chmod(directory->outer, shared ? 0711 : 0700) ||
			       chmod(directory->path, shared ? 01777 : 0700)
		       ? -1
		       : 0;
}

int spool_directory_make(struct spool_directory *directory, const char *prefix, struct err *err)
{
	char *path = xasprintf("%s" INFIX OWN, prefix);
	int rc = 0;

	*directory = (struct spool_directory){.lock = -1, .outer_lock = -1};
	remove_left_over(prefix);
	if (mkdtemp(path))
		directory->outer = realpath(path, NULL);
	if (!directory->outer || make_inner(directory))
		rc = err_set(err, "%s: cannot be made: %m", path);
	else if (strlen(directory->path) >= SPOOL_PATH_MAX)
		rc = err_set(err,
			     "%s: is too long a name for what is recorded of blocks: record into a "
			     "file with a shorter one",
			     directory->path);
	free(path);
	if (rc) {
		spool_directory_remove(directory);
		return -1;
	}
	directory->outer_lock = lock(directory->outer);
	directory->lock = lock(directory->path);
	return 0;
}
