/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/empty_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 8,
	PASSES_MAX = 8 /* an entry that comes or goes meanwhile may hide another one */
};

static int empty(int fd, const char *kept, int depth);

static bool is_on_same_device(int fd, int other)
{
	struct stat status, other_status;

	return fstat(fd, &status) == 0 && fstat(other, &other_status) == 0 &&
	       status.st_dev == other_status.st_dev;
}

static int remove_directory(int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = -1;

	if (fd < 0)
		return -1;
	if (depth < DEPTH_MAX && is_on_same_device(fd, parent))
		rc = empty(fd, NULL, depth + 1);
	close(fd);
	return rc ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

static int remove_entry(int parent, const char *name, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR || errno == EPERM ? remove_directory(parent, name, depth) : -1;
}

static bool is_passed_over(const char *name, const char *kept)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       (kept && strcmp(name, kept) == 0);
}

/* Counts what was removed, and what could not be. */
static void empty_once(DIR *directory, const char *kept, int depth, size_t *removed, size_t *left)
{
	const struct dirent *entry;

	*removed = *left = 0;
	rewinddir(directory);
	while ((entry = readdir(directory))) {
		if (is_passed_over(entry->d_name, kept))
			continue;
		if (remove_entry(dirfd(directory), entry->d_name, depth))
			++*left;
		else
			++*removed;
	}
}

static int empty(int fd, const char *kept, int depth)
{
	/* With an offset of its own. */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = own >= 0 ? fdopendir(own) : NULL;
	size_t removed = 1, left = 0;

	if (!directory) {
		if (own >= 0)
			close(own);
		return -1;
	}
	for (int pass = 0; pass < PASSES_MAX && removed; pass++)
		empty_once(directory, kept, depth, &removed, &left);
	closedir(directory);
	return removed || left ? -1 : 0;
}

int empty_directory(int fd, const char *kept)
{
	return empty(fd, kept, 0);
}
