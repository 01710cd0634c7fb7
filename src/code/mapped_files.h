/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of code that a process has mapped, or that a command will run. `proc` is "/proc" but
 * for tests, which make one up. Source: proc(5).
 */
#ifndef PSCAL_CODE_MAPPED_FILES_H
#define PSCAL_CODE_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- Mappings ------------------------------------------------------------------------------ */

enum { PROC_MAP_KERNEL = -1 }; /* in place of a process id */

struct proc_map {
	pid_t pid;
	uint64_t start, end, offset, inode; /* addresses; the part of the file from `offset` on */
	uint32_t major, minor;		    /* of the device */
	uint32_t prot, flags;		    /* as for mmap(2) */
	char *path;			    /* or "[vdso]"; "//anon" when there is no file */
};

/*
 * A process chooses its mappings, so there are limits: of mappings for one process, of bytes for
 * all.
 */
enum { PROC_MAPS_LINES_MAX = 1 << 17, PROC_MAPS_BYTES_MAX = 32 << 20 };

/* Begins as zero. */
struct proc_maps {
	struct proc_map *maps;
	size_t count, capacity, bytes;
	uint64_t until_ns; /* no process's are read beyond that time (base/monotonic.h); 0: any */
	size_t cut;	   /* processes with mappings beyond that time or the limits above */
};

/*
 * Adds the mappings that process `pid` may execute, with `data` also those of files that it may
 * only read. A process that has ended adds nothing.
 *
 * PROC_MAP_KERNEL adds the text of the kernel and its modules, named as perf does
 * ("[kernel.kallsyms]_text", "[ext4]"); nothing when the kernel hides its addresses from this user.
 */
void proc_maps_add(struct proc_maps *maps, pid_t pid, bool data, const char *proc);
void proc_maps_release(struct proc_maps *maps);

/* The line before. Begins as zero. */
struct proc_map_lines {
	struct proc_map last; /* `path` is its own */
};

/*
 * Reads line after line of "/proc/pid/maps", with or without their ends. The path of `map` then
 * borrows from the line or from `lines` and may be empty. 0, or -1 when it is no such line.
 *
 * Code that the probe library has changed is memory of the process (probe/patcher.c): here it
 * is the part of the file that it stands for.
 */
int proc_map_next(struct proc_map *map, struct proc_map_lines *lines, char *line);
void proc_map_lines_release(struct proc_map_lines *lines);

/* --- Sets of files ------------------------------------------------------------------------- */

/* Files of code, each once, whatever its names. Begins as zero. */
struct file_set {
	char **paths; /* as this process reaches them */
	size_t count, capacity;
};

/* A path that leads to no file is not added. */
void file_set_add(struct file_set *files, const char *path);

/* A path as process `pid` has it, which in a container may be another file than here. */
void file_set_add_of(struct file_set *files, pid_t pid, const char *path, const char *proc);

/*
 * The code that a process has mapped of files whose paths are `wanted`, also if another file has
 * replaced one meanwhile. A process that has ended adds nothing; a process with excessively many
 * mappings adds what can be examined in a second.
 */
void file_set_add_mapped(struct file_set *files, pid_t pid,
			 bool (*wanted)(const void *context, const char *path), const void *context,
			 const char *proc);

void file_set_release(struct file_set *files);

/* --- Commands ------------------------------------------------------------------------------ */

/* The file of a command as execvp(3) would find it; to be freed. NULL: there is none. */
char *command_file_find(const char *command);

/* The program that the first line of a script names; to be freed. NULL: `path` is no script. */
char *command_file_interpreter(const char *path);

/* --- The C library ------------------------------------------------------------------------- */

/*
 * Adds the files in which a running process may call the C library: the mapped ones of the library,
 * and its program, which may be linked with it. A process that has ended adds nothing.
 */
void c_library_of_process(struct file_set *library, pid_t pid, const char *proc);

/*
 * Adds the program that a command is, and its loader: which library that takes is not known before
 * it runs, but usually it is the one of this process.
 */
void c_library_of_command(struct file_set *library, const char *command);

#endif
