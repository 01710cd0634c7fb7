/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_files.h"

#include "base/alloc.h"
#include "decode/event/samples.h"
#include "stats/spin/symbol_finder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As in struct mapped. */
struct stretch_file {
	char *path;
	uint64_t inode;
	uint8_t build_id[20];
	size_t build_id_size;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct stretch_file *)a)->path,
		      ((const struct stretch_file *)b)->path);
}

void stretch_files_init(struct stretch_files *files, const struct symbol_finder *finder)
{
	files->items = xcalloc(finder->count + 1, sizeof(*files->items));
	files->count = finder->count;
	for (size_t i = 0; i < finder->count; i++) {
		const struct mapped *mapped = symbol_finder_file(finder, i);
		struct stretch_file *file = &files->items[i];

		file->path = xstrdup(mapped->path);
		file->inode = mapped->inode;
		file->build_id_size = mapped->build_id_size;
		memcpy(file->build_id, mapped->build_id, mapped->build_id_size);
	}
	if (files->count)
		qsort(files->items, files->count, sizeof(*files->items), by_path);
}

void stretch_files_release(struct stretch_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct stretch_files){0};
}

static bool is_changed(const struct stretch_file *one, const struct stretch_file *other)
{
	if (one->build_id_size && other->build_id_size)
		return one->build_id_size != other->build_id_size ||
		       memcmp(one->build_id, other->build_id, one->build_id_size) != 0;
	return one->inode && other->inode && one->inode != other->inode;
}

size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other)
{
	size_t changed = 0;

	*path = NULL;
	for (size_t i = 0; i < one->count; i++) {
		const struct stretch_file *file = &one->items[i];
		const struct stretch_file *same =
			other->count
				? bsearch(file, other->items, other->count, sizeof(*file), by_path)
				: NULL;

		if (!same || !is_changed(file, same))
			continue;
		if (!*path || (strstr(*path, ".so") && !strstr(file->path, ".so")))
			*path = file->path;
		changed++;
	}
	return changed;
}
