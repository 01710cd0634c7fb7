/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPUs that a command may use. What it is started with may change: `taskset` execs the real
 * command, programs pin their threads one by one. So it is looked at while it runs, often at first
 * and then ever less. The last look that finds several threads counts, with what they may use
 * together; without one, what the only thread may use at its end.
 */
#ifndef PSCAL_COLLECT_TARGET_AFFINITY_WATCH_H
#define PSCAL_COLLECT_TARGET_AFFINITY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/cpu_list.h"

struct affinity_watch {
	pid_t pid;
	uint64_t next_ns; /* CLOCK_MONOTONIC, when to look next */
	uint64_t step_ns;
	bool several; /* several threads have been found */
	struct cpu_mask mask;
};

void affinity_watch_begin(struct affinity_watch *watch, pid_t pid, uint64_t now_ns);

/* Looks if it is time to. `proc` is "/proc". */
void affinity_watch_look(struct affinity_watch *watch, uint64_t now_ns, const char *proc);

/* The process has ended, but has not been waited for. */
void affinity_watch_end(struct affinity_watch *watch);

#endif
