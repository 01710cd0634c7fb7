/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that processes and the kernel have mapped, for the records that let readers find the
 * names of functions. Source: proc(5), "/proc/pid/maps". Functions take the root of the file
 * system ("/proc") so that tests can make one up.
 */
#ifndef PSCAL_CODE_PROC_MAPS_H
#define PSCAL_CODE_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROC_MAP_KERNEL = -1 }; /* in place of a process id */

struct proc_map {
	pid_t pid;
	uint64_t start, end, offset, inode; /* addresses; the part of the file from `offset` on */
	uint32_t major, minor;		    /* of the device */
	uint32_t prot, flags;		    /* as for mmap(2) */
	char *path;			    /* or "[vdso]"; "//anon" when there is no file */
};

/* Begins as zero. */
struct proc_maps {
	struct proc_map *maps;
	size_t count, capacity;
	uint64_t until_ns; /* no process's are read beyond that time (base/monotonic.h); 0: any */
};

/*
 * Reads a line with or without its end. `path` then borrows from the line and may be empty. 0, or
 * -1 when it is none.
 */
int proc_map_parse(struct proc_map *map, char *line);

/* Begins as zero; of the line before. */
struct proc_map_lines {
	struct proc_map last; /* `path` is its own */
};

/*
 * The same for line after line of a process. Code that the probe library has changed is memory of
 * the process (probe/code_memory.h): here it is the part of the file that it stands for.
 */
int proc_map_next(struct proc_map *map, struct proc_map_lines *lines, char *line);
void proc_map_lines_release(struct proc_map_lines *lines);

/*
 * Adds what process `pid` may execute, with `data` also what it may only read of files. One that
 * has ended adds nothing.
 */
void proc_maps_add(struct proc_maps *maps, pid_t pid, bool data, const char *proc);

/*
 * Adds the text of the kernel and its modules, named as perf does ("[kernel.kallsyms]_text",
 * "[ext4]"); nothing when the kernel hides its addresses from this user.
 */
void proc_maps_add_kernel(struct proc_maps *maps, const char *proc);

void proc_maps_release(struct proc_maps *maps);

#endif
