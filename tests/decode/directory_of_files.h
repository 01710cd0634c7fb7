/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory with a few files, which is removed at the end of a test. */
#ifndef PSCAL_TESTS_DIRECTORY_OF_FILES_H
#define PSCAL_TESTS_DIRECTORY_OF_FILES_H

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct directory {
	char path[32];
	char *files[8];
	size_t count;
};

static inline void directory_make(struct directory *directory)
{
	*directory = (struct directory){.path = "/tmp/pscal-test-XXXXXX"};
	if (!mkdtemp(directory->path))
		abort();
}

/* The path of the file belongs to the directory. */
static inline const char *directory_add(struct directory *directory, const char *name,
					const void *bytes, size_t length)
{
	char *path = xasprintf("%s/%s", directory->path, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
		abort();
	directory->files[directory->count++] = path;
	return path;
}

static inline void directory_remove(struct directory *directory)
{
	while (directory->count) {
		unlink(directory->files[--directory->count]);
		free(directory->files[directory->count]);
	}
	rmdir(directory->path);
}

#endif
