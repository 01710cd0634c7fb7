/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/cpu_table.h"

#include "base/alloc.h"
#include "decode/event/event.h"

#include <stdlib.h>

/* The thread on a new CPU has never been known, which is not the same as forgotten. */
static void grow(struct cpu_table *table, size_t need)
{
	size_t before = table->capacity;

	array_reserve(&table->cpus, &table->capacity, need);
	for (size_t i = before; i < table->capacity; i++)
		table->cpus[i].epoch = table->epoch;
}

static struct cpu_state *find(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	if ((size_t)cpu >= table->capacity)
		grow(table, (size_t)cpu + 1);
	return &table->cpus[cpu];
}

struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu)
{
	struct cpu_state state = {0};

	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return state;
	state = table->cpus[cpu];
	if (state.epoch != table->epoch) {
		state.tid = state.before = -1;
		state.since_ns = table->forgotten_ns;
	}
	return state;
}

int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns)
{
	struct cpu_state *state = find(table, cpu);
	int32_t known = cpu_table_at(table, cpu);

	if (!state)
		return 0;
	if (!state->recent) {
		array_reserve(&table->recent, &table->recent_capacity, table->recent_count + 1);
		table->recent[table->recent_count++] = cpu;
		state->recent = true;
	}
	state->epoch = table->epoch;
	state->tid = tid;
	state->before = before;
	state->since_ns = since_ns;
	return known;
}

void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns)
{
	if (cpu >= 0) {
		cpu_table_put(table, cpu, -1, -1, since_ns);
		return;
	}
	for (size_t i = 0; i < table->recent_count; i++)
		table->cpus[table->recent[i]].recent = false;
	table->recent_count = 0;
	table->forgotten_ns = since_ns;
	table->epoch++;
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
	free(table->recent);
	*table = (struct cpu_table){0};
}
