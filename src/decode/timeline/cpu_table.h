/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs on each CPU, and which of them the target has used. */
#ifndef PSCAL_DECODE_TIMELINE_CPU_TABLE_H
#define PSCAL_DECODE_TIMELINE_CPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_state {
	uint64_t since_ns; /* of `tid`; 0: not known */
	int32_t tid;	   /* who runs on it; 0: nobody, -1: not known any more */
	int32_t before;	   /* who left it then, as far as that was seen; else -1 */
	bool used;	   /* by the target */
	bool recent;	   /* it is in the list of those */
	uint32_t epoch;	   /* how often all CPUs had been forgotten when this was known */
	uint64_t told_ns;  /* up to here threads have been told to run on it */
};

struct cpu_table {
	struct cpu_state *cpus;
	size_t capacity;
	unsigned used;	 /* how many */
	int32_t *recent; /* those of which anything was put since all were forgotten */
	size_t recent_count, recent_capacity;
	uint32_t epoch;	       /* how often that was */
	uint64_t forgotten_ns; /* ... and when */
};

/* Who runs on a CPU; 0: nobody, or never known; -1: not known any more. */
static inline int32_t cpu_table_at(const struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return 0;
	return table->cpus[cpu].epoch == table->epoch ? table->cpus[cpu].tid : -1;
}

/* All that is known of a CPU; zero where that is nothing. */
struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu);

/*
 * From `since_ns` on `tid` is on a CPU, which `before` has left for it. Returns who was on it as
 * far as the table knew; 0 for a CPU that cannot be.
 */
int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns);

/* From `since_ns` on it is not known any more who runs on a CPU; -1: on any. */
void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns);

/*
 * A thread is told to have run on a CPU. Returns false, and tells nothing, if another has been told
 * to have run there after its run began.
 */
bool cpu_table_tell(struct cpu_table *table, int32_t cpu, uint64_t begin_ns, uint64_t end_ns);

/* The target has been seen on it, for the first time ... */
void cpu_table_begin_use(struct cpu_table *table, int32_t cpu);

/* ... or once more. */
static inline void cpu_table_use(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= table->capacity || !table->cpus[cpu].used)
		cpu_table_begin_use(table, cpu);
}

void cpu_table_release(struct cpu_table *table);

#endif
