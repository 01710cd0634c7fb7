/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/uprobe_files.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/command_file.h"
#include "collect/patch/loaded_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "libc.so.6", or "libc" for short. */
static bool has_name(const void *wanted, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 &&
	       (!name[length] || strncmp(name + length, ".so", 3) == 0);
}

static bool has_path(const void *wanted, const char *path)
{
	return strcmp(path, wanted) == 0;
}

/* In a container the path is that of the target, and what it has mapped comes before the rest. */
static void add_path(struct file_set *files, const char *path, const struct uprobe_target *target,
		     const char *proc)
{
	char *whole = realpath(path, NULL);

	for (size_t i = 0; i < target->pid_count; i++) {
		file_set_add_mapped(files, target->pids[i], has_path, path, proc);
		if (whole)
			file_set_add_mapped(files, target->pids[i], has_path, whole, proc);
		if (!files->count && *path == '/')
			file_set_add_of(files, target->pids[i], path, proc);
	}
	if (!files->count)
		file_set_add(files, whole ? whole : path);
	free(whole);
}

/* What the loader would map with the command. */
static void add_library(struct file_set *files, const char *name, const char *command)
{
	struct loaded_objects objects = {0};
	struct err ignored;
	int at = -1;

	if (loaded_objects_find(&objects, command, &ignored) == 0)
		while ((at = loaded_objects_match(&objects, name, at)) >= 0)
			file_set_add(files, objects.libraries[at]);
	loaded_objects_release(&objects);
}

static void add_name(struct file_set *files, const char *name, const struct uprobe_target *target,
		     const char *proc)
{
	char *path;

	for (size_t i = 0; i < target->pid_count; i++)
		file_set_add_mapped(files, target->pids[i], has_name, name, proc);
	if (files->count || target->pid_count)
		return;
	if (target->command && strchr(target->command, '/') && has_name(name, target->command))
		file_set_add(files, target->command);
	path = files->count ? NULL : command_file_find(name);
	if (path)
		file_set_add(files, path);
	free(path);
	if (!files->count && target->command)
		add_library(files, name, target->command);
	if (!files->count)
		file_set_add_mapped(files, getpid(), has_name, name, "/proc");
}

int uprobe_files_find(struct file_set *files, const char *binary,
		      const struct uprobe_target *target, const char *proc, struct err *err)
{
	if (strchr(binary, '/'))
		add_path(files, binary, target, proc);
	else
		add_name(files, binary, target, proc);
	if (files->count)
		return 0;
	if (strchr(binary, '/'))
		return err_set(err, "--uprobe: %s: %s", binary,
			       access(binary, F_OK) ? strerror(errno) : "is no file");
	if (target->pid_count)
		return err_set(err,
			       "--uprobe: %s: is nothing that the target has mapped: see "
			       "/proc/%d/maps, or give a path",
			       binary, (int)target->pids[0]);
	return err_set(err,
		       "--uprobe: %s: is neither a command in PATH nor a library that %s would "
		       "load: give its path",
		       binary, target->command ? target->command : "pscal");
}
