/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/cpu_table.h"

#include "base/alloc.h"
#include "decode/event.h"

#include <stdlib.h>

static struct cpu_state *find(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	array_reserve(&table->cpus, &table->capacity, (size_t)cpu + 1);
	return &table->cpus[cpu];
}

struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu)
{
	return cpu >= 0 && (size_t)cpu < table->capacity ? table->cpus[cpu] : (struct cpu_state){0};
}

int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns)
{
	struct cpu_state *state = find(table, cpu);
	int32_t known = state ? state->tid : 0;

	if (!state)
		return known;
	state->tid = tid;
	state->before = before;
	state->since_ns = since_ns;
	return known;
}

void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns)
{
	for (size_t i = 0; cpu < 0 && i < table->capacity; i++)
		cpu_table_forget(table, (int32_t)i, since_ns);
	if (cpu >= 0)
		cpu_table_put(table, cpu, -1, -1, since_ns);
}

bool cpu_table_tell(struct cpu_table *table, int32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	struct cpu_state *state = find(table, cpu);

	if (!state)
		return true;
	if (begin_ns < state->told_ns)
		return false;
	state->told_ns = end_ns;
	return true;
}

void cpu_table_begin_use(struct cpu_table *table, int32_t cpu)
{
	struct cpu_state *state = find(table, cpu);

	if (!state)
		return;
	state->used = true;
	table->used++;
}

void cpu_table_release(struct cpu_table *table)
{
	free(table->cpus);
	*table = (struct cpu_table){0};
}
