/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of code that a process has mapped, or that a command will run. `proc` is "/proc",
 * except in tests. Source: proc(5).
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
	uint64_t start, end, offset, inode; /* addresses; `offset` is in the file */
	uint32_t major, minor;		    /* of the device */
	uint32_t prot, flags;		    /* as for mmap(2) */
	char *path;			    /* or "[vdso]"; "//anon" without a file */
};

/*
 * The limits, as a process chooses its mappings: of mappings of one process, and of bytes of all.
 */
enum { PROC_MAPS_LINES_MAX = 1 << 17, PROC_MAPS_BYTES_MAX = 32 << 20 };

/* Begins as zero. */
struct proc_maps {
	struct proc_map *maps;
	size_t count, capacity, bytes;
	uint64_t until_ns; /* reading ends at that time (base/monotonic.h); 0: no limit */
	size_t cut;	   /* processes cut short by that time or the limits above */
};

/*
 * Adds the mappings that process `pid` may execute; with `data` also those of files that it may
 * only read. A process that has ended adds nothing.
 *
 * PROC_MAP_KERNEL adds the text of the kernel and its modules, named as perf does
 * ("[kernel.kallsyms]_text", "[ext4]"); nothing if the kernel hides its addresses from this user.
 */
void proc_maps_add(struct proc_maps *maps, pid_t pid, bool data, const char *proc);
void proc_maps_release(struct proc_maps *maps);

/* The previous line of "/proc/pid/maps". Begins as zero. */
struct proc_map_lines {
	struct proc_map last; /* owns `path` */
};

/*
 * Reads the next line of "/proc/pid/maps", with or without its end. The path of `map` borrows from
 * the line or from `lines` and may be empty. Returns 0, or -1 if it is no such line.
 *
 * Code that the probe library has changed is memory of the process (probe/patcher.c): its mapping
 * is returned as the part of the file that it replaces.
 */
int proc_map_next(struct proc_map *map, struct proc_map_lines *lines, char *line);
void proc_map_lines_release(struct proc_map_lines *lines);

/* --- Sets of files ------------------------------------------------------------------------- */

/* Files of code, each once even if it has several names. Begins as zero. */
struct file_set {
	char **paths; /* paths for this process */
	size_t count, capacity;
};

/* Adds a file, if the path leads to one. */
void file_set_add(struct file_set *files, const char *path);

/* Adds the file at a path of process `pid`, which in a container may be another file than here. */
void file_set_add_of(struct file_set *files, pid_t pid, const char *path, const char *proc);

/*
 * Adds the files of code that a process has mapped and whose paths are `wanted`, also if another
 * file has replaced one meanwhile. A process that has ended adds nothing; one with excessively many
 * mappings adds what can be examined in a second.
 */
void file_set_add_mapped(struct file_set *files, pid_t pid,
			 bool (*wanted)(const void *context, const char *path), const void *context,
			 const char *proc);

void file_set_release(struct file_set *files);

/* --- Commands ------------------------------------------------------------------------------ */

/* Returns the file of a command as execvp(3) finds it; NULL: none. The caller frees it. */
char *command_file_find(const char *command);

/* Returns the program in the first line of a script; NULL: no script. The caller frees it. */
char *command_file_interpreter(const char *path);

/* --- The C library ------------------------------------------------------------------------- */

/*
 * Adds the files in which a running process may call the C library: mapped files of the library,
 * and the program, which may be linked with it. A process that has ended adds nothing.
 */
void c_library_of_process(struct file_set *library, pid_t pid, const char *proc);

/*
 * Adds the program of a command, and its loader. The library that the loader chooses is known only
 * when it runs, but is usually that of this process.
 */
void c_library_of_command(struct file_set *library, const char *command);

#endif
