/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of CPUs, their text form as the kernel writes it: "0-3,8", and the watch for CPUs that come
 * online.
 */
#ifndef PSCAL_COLLECT_KERNEL_CPU_LIST_H
#define PSCAL_COLLECT_KERNEL_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

enum { CPU_LIST_MAX = 8192 }; /* the most CPUs of any Linux kernel */

struct cpu_list {
	int *cpus; /* ascending */
	size_t count;
};

/* The CPUs that are running now, from `path` ("/sys/devices/system/cpu/online"). 0 or -1. */
int cpu_list_read(struct cpu_list *list, const char *path, struct err *err);

/* "0-3,8" with or without a newline at the end. Returns 0, or -1 with a sentence. */
int cpu_list_parse(struct cpu_list *list, const char *text, struct err *err);
void cpu_list_release(struct cpu_list *list);

/* A set that CPUs are gathered in. */
struct cpu_mask {
	bool has[CPU_LIST_MAX];
};

/* Adds the CPUs that thread `tid` (0: the caller) may run on. Returns 0, or -1 with errno. */
int cpu_mask_add_affinity(struct cpu_mask *mask, pid_t tid);

bool cpu_mask_is_empty(const struct cpu_mask *mask);

/* As "0-3,8"; the caller frees it. */
char *cpu_mask_format(const struct cpu_mask *mask);

/*
 * Notices CPUs that come online. The list is a small file that the kernel makes up when it is
 * read, so it is looked at once a second; a CPU that goes and comes back in between goes unseen.
 */
#define CPU_WATCH_PATH "/sys/devices/system/cpu/online"

struct cpu_watch {
	const char *path; /* CPU_WATCH_PATH; borrowed */
	struct cpu_list online;
	uint64_t next_ns; /* when to look again */
};

/* Reads which CPUs are online. Returns 0, or -1 with a sentence; release it in both cases. */
int cpu_watch_begin(struct cpu_watch *watch, const char *path, uint64_t now_ns, struct err *err);

/*
 * The CPUs that have come online since the look before; none while it is too early to look, and
 * when the list cannot be read. The caller releases `fresh`.
 */
void cpu_watch_look(struct cpu_watch *watch, uint64_t now_ns, struct cpu_list *fresh);

void cpu_watch_release(struct cpu_watch *watch);

#endif
