/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Notices CPUs that come online. The list is a small file that the kernel makes up when it is
 * read, so it is looked at once a second; a CPU that goes and comes back in between goes unseen.
 */
#ifndef PSCAL_COLLECT_KERNEL_CPU_WATCH_H
#define PSCAL_COLLECT_KERNEL_CPU_WATCH_H

#include <stdint.h>

#include "collect/kernel/cpu_list.h"

struct err;

#define CPU_WATCH_PATH "/sys/devices/system/cpu/online"

struct cpu_watch {
	const char *path; /* CPU_WATCH_PATH; borrowed */
	struct cpu_list online;
	uint64_t next_ns; /* when to look again */
};

/* Reads who is online. Returns 0, or -1 with a sentence; release it in both cases. */
int cpu_watch_begin(struct cpu_watch *watch, const char *path, uint64_t now_ns, struct err *err);

/*
 * The CPUs that have come online since the look before; none while it is too early to look, and
 * when the list cannot be read. The caller releases `fresh`.
 */
void cpu_watch_look(struct cpu_watch *watch, uint64_t now_ns, struct cpu_list *fresh);

void cpu_watch_release(struct cpu_watch *watch);

#endif
