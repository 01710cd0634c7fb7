/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of code, each once, whatever its names; found by who has them mapped. */
#ifndef PSCAL_CODE_FILE_SET_H
#define PSCAL_CODE_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Begins as zero. */
struct file_set {
	char **paths; /* as this process reaches them */
	size_t count, capacity;
};

/* What is no file is not added. */
void file_set_add(struct file_set *files, const char *path);

/* A path as process `pid` has it, which in a container may be another file than here. */
void file_set_add_of(struct file_set *files, pid_t pid, const char *path, const char *proc);

/*
 * The code that a process has mapped of files whose paths are `wanted`, also where another file
 * has taken the place of one meanwhile. `proc` is "/proc". One that has ended adds nothing.
 */
void file_set_add_mapped(struct file_set *files, pid_t pid,
			 bool (*wanted)(const void *context, const char *path), const void *context,
			 const char *proc);

void file_set_release(struct file_set *files);

#endif
