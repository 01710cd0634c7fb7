/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/file_set.h"

#include "base/alloc.h"
#include "code/proc_maps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What stands behind the path of a file that no longer has it. */
#define DELETED " (deleted)"

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

void file_set_add(struct file_set *files, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	for (size_t i = 0; i < files->count; i++)
		if (is_same_file(files->paths[i], path))
			return;
	array_reserve(&files->paths, &files->capacity, files->count + 1);
	files->paths[files->count++] = xstrdup(path);
}

void file_set_add_of(struct file_set *files, pid_t pid, const char *path, const char *proc)
{
	char *there = xasprintf("%s/%d/root%s", proc, (int)pid, path);

	file_set_add(files, is_same_file(there, path) ? path : there);
	free(there);
}

/* By what is mapped itself (proc(5), "/proc/pid/map_files"), where that is no longer the path's. */
static void add_map(struct file_set *files, const struct proc_map *map, const char *path,
		    const char *proc)
{
	char *there = xasprintf("%s/%d/root%s", proc, (int)map->pid, path);
	char *mapped = xasprintf("%s/%d/map_files/%" PRIx64 "-%" PRIx64, proc, (int)map->pid,
				 map->start, map->end);
	struct stat status;

	if (stat(mapped, &status) || is_same_file(mapped, there))
		file_set_add_of(files, map->pid, path, proc);
	else
		file_set_add(files, mapped);
	free(mapped);
	free(there);
}

void file_set_add_mapped(struct file_set *files, pid_t pid,
			 bool (*wanted)(const void *context, const char *path), const void *context,
			 const char *proc)
{
	struct proc_maps maps = {.count = 0};

	proc_maps_add(&maps, pid, false, proc);
	for (size_t i = 0; i < maps.count; i++) {
		const char *end = strstr(maps.maps[i].path, DELETED);
		char *path = xasprintf(
			"%.*s",
			(int)(end ? end - maps.maps[i].path : (ptrdiff_t)strlen(maps.maps[i].path)),
			maps.maps[i].path);

		if (*path == '/' && path[1] != '/' && wanted(context, path))
			add_map(files, &maps.maps[i], path, proc);
		free(path);
	}
	proc_maps_release(&maps);
}

void file_set_release(struct file_set *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct file_set){.count = 0};
}
