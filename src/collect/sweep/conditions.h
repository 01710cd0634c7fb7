/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditions of a measurement here: facts that change the throughput of an unchanged program.
 * Each is a key and a text on one line, "unknown" where this machine does not tell it. And the CPUs
 * of the machine: how busy they are, and which of them share a core.
 */
#ifndef PSCAL_COLLECT_SWEEP_CONDITIONS_H
#define PSCAL_COLLECT_SWEEP_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/kernel/cpu_list.h"

struct condition {
	const char *key;
	char *value;
	bool lasting; /* another value is another machine, or another set-up of it */
};

enum { CONDITIONS_MAX = 16 };

struct conditions {
	struct condition items[CONDITIONS_MAX];
	int count;
};

/* `root` is where /proc and /sys are: "" for this machine. The caller releases. */
void conditions_read(struct conditions *conditions, const char *root);
void conditions_release(struct conditions *conditions);

/* The load average of the last minute, as in ROOT/proc/loadavg; -1 where it cannot be read. */
double conditions_load(const char *root);

/* Now, as 2026-11-21T09:09:07Z. The caller frees it. */
char *conditions_date(void);

/* In a shorter time the ticks that the kernel counts in are too coarse. */
#define CPU_BUSY_SHORTEST_S 0.2

/*
 * The time in seconds that all CPUs together have been in use since the machine was started, by any
 * program or by a hypervisor that took them away. In steps of a tick (10 ms as a rule) and CPU.
 * `root` is the directory of /proc: "" for this machine. -1 where it cannot be read. Source:
 * proc(5), /proc/stat.
 */
double cpu_busy_s(const char *root);

/*
 * The number of CPUs that something else kept busy on the average of wall_s, in which the CPUs have
 * worked for busy_s and cpu_s of it was for us. Below 0 where wall_s is too short to tell, or one
 * of the others is below 0: not known.
 */
double cpu_busy_others(double busy_s, double cpu_s, double wall_s);

/* The directory in which the kernel describes its CPUs. */
#define CPU_ORDER_SYS "/sys/devices/system/cpu"

/*
 * The order in which a program that is to run on some CPUs gets the allowed ones: one of each core
 * first, then the second thread of each core that has one, and
 * so on; among those by number. `sys` is CPU_ORDER_SYS. Where it does not tell
 * which CPUs share a core, a CPU is a core. The caller releases the list.
 */
void cpu_order(struct cpu_list *order, const struct cpu_mask *allowed, const char *sys);

/* The number of cores of the CPUs of `mask`. */
size_t cpu_order_cores(const struct cpu_mask *mask, const char *sys);

#endif
