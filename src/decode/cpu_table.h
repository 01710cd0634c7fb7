/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs on each CPU, and which of them the target has used. */
#ifndef PSCAL_DECODE_CPU_TABLE_H
#define PSCAL_DECODE_CPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of CPUs are below this; Linux has at most 8192. */
enum { CPU_TABLE_MAX = 1 << 16 };

struct cpu_state {
	int32_t tid; /* who runs on it, 0: nobody or not known */
	bool used;   /* by the target */
};

struct cpu_table {
	struct cpu_state *cpus;
	size_t capacity;
	unsigned used; /* how many */
};

/* Who runs on a CPU; 0: nobody, or not known. */
static inline int32_t cpu_table_at(const struct cpu_table *table, int32_t cpu)
{
	return cpu >= 0 && (size_t)cpu < table->capacity ? table->cpus[cpu].tid : 0;
}

/* Puts `tid` on a CPU and returns who was on it before; 0 for a CPU that cannot be. */
int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid);

/* The target has been seen on it. */
void cpu_table_use(struct cpu_table *table, int32_t cpu);

void cpu_table_release(struct cpu_table *table);

#endif
