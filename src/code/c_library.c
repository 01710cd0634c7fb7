/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/c_library.h"

#include "base/alloc.h"
#include "code/command_file.h"
#include "code/elf_functions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc, before and since libpthread became a part of it, and musl, which is its own loader. */
static bool is_c_library(const void *context, const char *path)
{
	static const char *const names[] = {"libc.so", "libc-2", "libpthread", "ld-musl",
					    "libc.musl"};
	const char *name = strrchr(path, '/');

	(void)context;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name + 1, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void c_library_of_process(struct file_set *library, pid_t pid, const char *proc)
{
	char *link = xasprintf("%s/%d/exe", proc, (int)pid);
	char exe[4096];
	ssize_t length = readlink(link, exe, sizeof(exe) - 1);

	free(link);
	exe[length < 0 ? 0 : length] = '\0';
	file_set_add_mapped(library, pid, is_c_library, NULL, proc);
	if (*exe == '/')
		file_set_add_of(library, pid, exe, proc);
}

void c_library_of_command(struct file_set *library, const char *command)
{
	char *path = command_file_find(command);
	char *loader = path ? elf_functions_loader(path) : NULL;

	if (path)
		file_set_add(library, path);
	if (loader)
		file_set_add(library, loader);
	free(path);
	free(loader);
}

void c_library_own(struct file_set *library, const char *proc)
{
	c_library_of_process(library, getpid(), proc);
}
