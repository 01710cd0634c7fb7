/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of CPUs, and their text form as the kernel writes it: "0-3,8". */
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

/* The file with the CPUs that are online. */
#define CPU_ONLINE_PATH "/sys/devices/system/cpu/online"

/* Reads a file with a list: "0-3,8". Returns 0, or -1 with an error. */
int cpu_list_read(struct cpu_list *list, const char *path, struct err *err);
void cpu_list_release(struct cpu_list *list);

/* Returns the number above that of any CPU that may ever be there; 0 with an error. */
#define CPU_POSSIBLE_PATH "/sys/devices/system/cpu/possible"
size_t cpu_numbers(const char *path, struct err *err);

/* A set of CPUs. */
struct cpu_mask {
	bool has[CPU_LIST_MAX];
};

/* Adds the CPUs that thread `tid` (0: the caller) may run on. Returns 0, or -1 with errno. */
int cpu_mask_add_affinity(struct cpu_mask *mask, pid_t tid);

bool cpu_mask_is_empty(const struct cpu_mask *mask);

/*
 * Returns the number of cores of the CPUs of a set: fewer if a core has several hardware threads.
 * `root` is that of the file system (""); 0: not all cores are known.
 */
size_t cpu_mask_cores(const struct cpu_mask *mask, const char *root);

/* Returns a list as "0-3,8"; the caller frees it. */
char *cpu_mask_format(const struct cpu_mask *mask);

/*
 * Returns the CPU's name in ROOT/proc/cpuinfo: "model name" on x86, "cpu" on POWER. NULL: it has
 * none there. The caller frees it.
 */
char *cpu_model(const char *root);

#endif
