/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/cpu_table.h"

#include "base/alloc.h"

#include <stdlib.h>

static struct cpu_state *find(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || cpu >= CPU_TABLE_MAX)
		return NULL;
	array_reserve(&table->cpus, &table->capacity, (size_t)cpu + 1);
	return &table->cpus[cpu];
}

int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid)
{
	struct cpu_state *state = find(table, cpu);
	int32_t before = state ? state->tid : 0;

	if (state)
		state->tid = tid;
	return before;
}

void cpu_table_use(struct cpu_table *table, int32_t cpu)
{
	struct cpu_state *state = find(table, cpu);

	if (!state || state->used)
		return;
	state->used = true;
	table->used++;
}

void cpu_table_release(struct cpu_table *table)
{
	free(table->cpus);
	*table = (struct cpu_table){0};
}
