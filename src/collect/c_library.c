/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/c_library.h"

#include "base/alloc.h"
#include "collect/command_file.h"
#include "collect/elf_functions.h"
#include "collect/proc_maps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static void add(struct c_library *library, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	for (size_t i = 0; i < library->count; i++)
		if (is_same_file(library->paths[i], path))
			return;
	array_reserve(&library->paths, &library->capacity, library->count + 1);
	library->paths[library->count++] = xstrdup(path);
}

/* glibc, before and since libpthread became a part of it, and musl, which is its own loader. */
static bool is_c_library(const char *path)
{
	static const char *const names[] = {"libc.so", "libc-2", "libpthread", "ld-musl",
					    "libc.musl"};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name + 1, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* In a container the same path may be another file here. */
static void add_of(struct c_library *library, pid_t pid, const char *path, const char *proc)
{
	char *there = xasprintf("%s/%d/root%s", proc, (int)pid, path);

	add(library, is_same_file(there, path) ? path : there);
	free(there);
}

void c_library_of_process(struct c_library *library, pid_t pid, const char *proc)
{
	struct proc_maps maps = {.count = 0};
	char *link = xasprintf("%s/%d/exe", proc, (int)pid);
	char exe[4096];
	ssize_t length = readlink(link, exe, sizeof(exe) - 1);

	free(link);
	exe[length < 0 ? 0 : length] = '\0';
	proc_maps_add(&maps, pid, false, proc);
	for (size_t i = 0; i < maps.count; i++)
		if (is_c_library(maps.maps[i].path))
			add_of(library, pid, maps.maps[i].path, proc);
	proc_maps_release(&maps);
	if (*exe == '/')
		add_of(library, pid, exe, proc);
}

void c_library_of_command(struct c_library *library, const char *command)
{
	char *path = command_file_find(command);
	char *loader = path ? elf_functions_loader(path) : NULL;

	if (path)
		add(library, path);
	if (loader)
		add(library, loader);
	free(path);
	free(loader);
}

void c_library_own(struct c_library *library, const char *proc)
{
	c_library_of_process(library, getpid(), proc);
}

void c_library_release(struct c_library *library)
{
	for (size_t i = 0; i < library->count; i++)
		free(library->paths[i]);
	free(library->paths);
	*library = (struct c_library){.count = 0};
}
