/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/spool_place.h"

#include "base/alloc.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* May others go to where the file is? A process that root has started may be one of them. */
static bool is_within_reach(const char *path)
{
	char *copy = xstrdup(path), *at = realpath(dirname(copy), NULL);
	bool open_to_all = true;
	struct stat status;

	free(copy);
	while (at && *at) {
		open_to_all = open_to_all && stat(at, &status) == 0 && (status.st_mode & S_IXOTH);
		*strrchr(at, '/') = '\0';
	}
	free(at);
	return open_to_all || geteuid() != 0;
}

char *spool_place(const char *path)
{
	const char *directory = getenv("TMPDIR");
	struct stat status;

	if (strcmp(path, "-") != 0 && (lstat(path, &status) || S_ISREG(status.st_mode)) &&
	    is_within_reach(path))
		return xstrdup(path);
	return xasprintf("%s/pscal", directory && *directory ? directory : "/tmp");
}
