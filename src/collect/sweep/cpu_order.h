/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPUs to take first, when a program is to run on only some of them. */
#ifndef PSCAL_COLLECT_SWEEP_CPU_ORDER_H
#define PSCAL_COLLECT_SWEEP_CPU_ORDER_H

#include "collect/kernel/cpu_list.h"

/* Where the kernel tells of its CPUs. */
#define CPU_ORDER_SYS "/sys/devices/system/cpu"

/*
 * The allowed CPUs, one of each core first, then the second thread of each core that has one, and
 * so on; among those by number. `sys` is CPU_ORDER_SYS. Where it does not tell what shares a core,
 * a CPU is a core. The caller releases the list.
 */
void cpu_order(struct cpu_list *order, const struct cpu_mask *allowed, const char *sys);

/* How many cores the CPUs of `mask` are on. */
size_t cpu_order_cores(const struct cpu_mask *mask, const char *sys);

#endif
