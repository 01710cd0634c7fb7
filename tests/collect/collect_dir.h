/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory tree for one test, in place of tracefs or /proc. */
#ifndef PSCAL_TESTS_COLLECT_DIR_H
#define PSCAL_TESTS_COLLECT_DIR_H

#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static inline void dir_make(char root[64])
{
	strcpy(root, "/tmp/pscal-test-dir-XXXXXX");
	assert_non_null(mkdtemp(root));
}

/* Writes a file, and makes the directories above it. */
static inline void dir_put(const char *root, const char *path, const char *text)
{
	char name[1024];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	for (char *slash = strchr(name + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	file = fopen(name, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static inline int dir_remove_one(const char *path, const struct stat *status, int kind,
				 struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

static inline void dir_remove(const char *root)
{
	nftw(root, dir_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
