/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditions of a measurement: facts that change the throughput of an unchanged program. Each
 * is a key and a text on one line, "unknown" if this machine does not provide it. Also the CPUs of
 * the machine: their use, and which of them share a core.
 */
#ifndef PSCAL_COLLECT_SWEEP_CONDITIONS_H
#define PSCAL_COLLECT_SWEEP_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/kernel/cpu_list.h"

struct condition {
	const char *key;
	char *value;
	bool lasting; /* another value is another machine or set-up */
};

enum { CONDITIONS_MAX = 16 };

struct conditions {
	struct condition items[CONDITIONS_MAX];
	int count;
};

/* Reads the conditions. `root` is above /proc and /sys: "" here. The caller releases them. */
void conditions_read(struct conditions *conditions, const char *root);
void conditions_release(struct conditions *conditions);

/* Returns the load average of the last minute, from ROOT/proc/loadavg; -1: unknown. */
double conditions_load(const char *root);

/* Returns the present time as 2026-11-21T09:09:07Z. The caller frees it. */
char *conditions_date(void);

/* The shortest time for which the kernel's ticks are precise enough. */
#define CPU_BUSY_SHORTEST_S 0.2

/*
 * Returns the time in seconds that all CPUs together have been used since the boot, by any program
 * or by a hypervisor that took them away. The resolution is a tick (usually 10 ms) per CPU. `root`
 * is the directory of /proc: "" for this machine. -1: unknown. Source: proc(5), /proc/stat.
 */
double cpu_busy_s(const char *root);

/*
 * Returns the mean number of CPUs that other programs used in wall_s, in which the CPUs were used
 * for busy_s, cpu_s of it by us. Below 0: not known, as wall_s is too short or another argument is
 * below 0.
 */
double cpu_busy_others(double busy_s, double cpu_s, double wall_s);

/* The directory in which the kernel describes its CPUs. */
#define CPU_ORDER_SYS "/sys/devices/system/cpu"

/*
 * Lists the allowed CPUs in the order in which a confined program gets them: one of each core
 * first, then the second hardware thread of each core, and so on; each by number. `sys` is
 * CPU_ORDER_SYS. If it does not show which CPUs share a core, each CPU is a core. The caller
 * releases the list.
 */
void cpu_order(struct cpu_list *order, const struct cpu_mask *allowed, const char *sys);

/* Returns the number of cores of the CPUs of `mask`. */
size_t cpu_order_cores(const struct cpu_mask *mask, const char *sys);

#endif
