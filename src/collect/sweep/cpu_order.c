/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/cpu_order.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>

/* The CPUs of the core that `cpu` is on; none where that is not told. */
static void read_core(struct cpu_list *core, int cpu, const char *sys)
{
	/* The second is the name that kernels before 5.3 have. */
	static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
	struct err err;
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/cpu%d/topology/%s", sys, cpu, names[i]);
		if (cpu_list_read(core, path, &err) == 0)
			return;
	}
}

/* How many allowed CPUs of its core have a smaller number. */
static int rank_of(int cpu, const struct cpu_mask *allowed, const char *sys)
{
	struct cpu_list core = {0};
	int rank = 0;

	read_core(&core, cpu, sys);
	for (size_t i = 0; i < core.count && core.cpus[i] < cpu; i++)
		rank += allowed->has[core.cpus[i]];
	cpu_list_release(&core);
	return rank;
}

void cpu_order(struct cpu_list *order, const struct cpu_mask *allowed, const char *sys)
{
	int *ranks = xcalloc(CPU_LIST_MAX, sizeof(*ranks));
	size_t count = 0;

	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		ranks[cpu] = allowed->has[cpu] ? rank_of(cpu, allowed, sys) : -1;
		count += allowed->has[cpu];
	}
	*order = (struct cpu_list){.cpus = xcalloc(count, sizeof(*order->cpus))};
	for (int rank = 0; order->count < count; rank++)
		for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++)
			if (ranks[cpu] == rank)
				order->cpus[order->count++] = cpu;
	free(ranks);
}

size_t cpu_order_cores(const struct cpu_mask *mask, const char *sys)
{
	size_t cores = 0;

	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		cores += mask->has[cpu] && rank_of(cpu, mask, sys) == 0;
	return cores;
}
