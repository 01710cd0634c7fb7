/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters_private.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct cpu {
	pid_t thread;  /* thread that got it with the last switch; -1: not known */
	pid_t arrived; /* thread that was reported to get it, at: */
	uint64_t arrived_ns;
	bool lost;
	struct counter_state last;
	uint64_t *values; /* last.values */
};

struct counter_stretches {
	const enum counter_gain *gains;
	size_t counter_count;
	struct cpu *cpus;
	size_t cpu_count, cpu_capacity;
	struct sparse by_tid;  /* struct counted */
	struct counted *given; /* result of the last call, valid until the next one */
};

struct counter_stretches *counter_stretches_new(const enum counter_gain *gains,
						size_t counter_count)
{
	struct counter_stretches *stretches = xcalloc(1, sizeof(*stretches));

	stretches->gains = gains;
	stretches->counter_count = counter_count;
	return stretches;
}

static struct cpu *find_or_add_cpu(struct counter_stretches *stretches, size_t number)
{
	array_reserve(&stretches->cpus, &stretches->cpu_capacity, number + 1);
	for (; stretches->cpu_count <= number; stretches->cpu_count++) {
		struct cpu *cpu = &stretches->cpus[stretches->cpu_count];

		cpu->thread = cpu->arrived = -1;
		cpu->values = xcalloc(stretches->counter_count, sizeof(*cpu->values));
		cpu->last.values = cpu->values;
	}
	return &stretches->cpus[number];
}

static void free_counted(struct counted *counted)
{
	if (counted)
		free(counted->counts);
	free(counted);
}

void counter_stretches_free(struct counter_stretches *stretches)
{
	if (!stretches)
		return;
	while (counter_stretches_take(stretches))
		;
	for (size_t i = 0; i < stretches->cpu_count; i++)
		free(stretches->cpus[i].values);
	free(stretches->cpus);
	sparse_release(&stretches->by_tid);
	free(stretches);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* Returns the counts of a thread; NULL for idle and impossible ones. */
static struct counted *find_or_add(struct counter_stretches *stretches, pid_t tid)
{
	struct counted *counted;

	if (tid <= 0 || tid >= SPARSE_MAX)
		return NULL;
	counted = sparse_get(&stretches->by_tid, (uint32_t)tid);
	if (counted)
		return counted;
	counted = xcalloc(1, sizeof(*counted));
	*counted = (struct counted){.pid = -1, .tid = tid};
	counted->counts = xcalloc(stretches->counter_count, sizeof(*counted->counts));
	sparse_set(&stretches->by_tid, (uint32_t)tid, counted);
	return counted;
}

/* Removes the counts from the table and returns them. They are freed by the next call. */
static const struct counted *give(struct counter_stretches *stretches, struct counted *counted)
{
	if (counted)
		sparse_set(&stretches->by_tid, (uint32_t)counted->tid, NULL);
	free_counted(stretches->given);
	stretches->given = counted;
	return counted;
}

const struct counted *counter_stretches_take(struct counter_stretches *stretches)
{
	uint32_t tid = sparse_next(&stretches->by_tid, 0);

	return give(stretches, sparse_get(&stretches->by_tid, tid));
}

/* --- Stretches ----------------------------------------------------------------------------- */

static uint64_t since(uint64_t now, uint64_t last)
{
	return now > last ? now - last : 0;
}

/* Returns the increase of a counter. `left`: the thread leaves its CPU. */
static uint64_t gained(const struct counter_stretches *stretches, const struct cpu *cpu, pid_t tid,
		       const struct counter_state *now, size_t counter, bool left)
{
	uint64_t gain = since(now->values[counter], cpu->values[counter]);
	uint64_t present_ns = since(now->time_ns, cpu->arrived_ns);

	if (stretches->gains[counter] == GAIN_SWITCHES)
		return left;
	if (stretches->gains[counter] == GAIN_TIME && cpu->arrived == tid && present_ns < gain)
		return present_ns;
	return gain;
}

static void stretches_add(struct counter_stretches *stretches, const struct cpu *cpu,
			  struct counted *counted, const struct counter_state *now, bool left)
{
	for (size_t i = 0; i < stretches->counter_count; i++) {
		struct perf_count *count = &counted->counts[i];

		count->enabled_ns += since(now->enabled_ns, cpu->last.enabled_ns);
		if (cpu->lost)
			continue;
		count->running_ns += since(now->running_ns, cpu->last.running_ns);
		count->value += gained(stretches, cpu, counted->tid, now, i, left);
	}
}

static void stretches_begin(const struct counter_stretches *stretches, struct cpu *cpu, pid_t tid,
			    const struct counter_state *now)
{
	memcpy(cpu->values, now->values, stretches->counter_count * sizeof(*cpu->values));
	cpu->last = *now;
	cpu->last.values = cpu->values;
	cpu->thread = tid;
	cpu->lost = false;
}

const struct counted *counter_stretches_switch(struct counter_stretches *stretches, size_t number,
					       const struct counter_switch *change)
{
	struct cpu *cpu = find_or_add_cpu(stretches, number);
	struct counted *counted = find_or_add(stretches, change->from);

	if (counted) {
		stretches_add(stretches, cpu, counted, &change->state, true);
		if (change->pid > 0)
			counted->pid = change->pid;
	}
	stretches_begin(stretches, cpu, change->to, &change->state);
	return counted && change->dead ? give(stretches, counted) : NULL;
}

void counter_stretches_arrive(struct counter_stretches *stretches, size_t number, pid_t tid,
			      uint64_t time_ns)
{
	struct cpu *cpu = find_or_add_cpu(stretches, number);

	cpu->arrived = tid;
	cpu->arrived_ns = time_ns;
}

void counter_stretches_lost(struct counter_stretches *stretches, size_t number)
{
	find_or_add_cpu(stretches, number)->lost = true;
}

void counter_stretches_close(struct counter_stretches *stretches, size_t number,
			     const struct counter_state *state)
{
	struct cpu *cpu = find_or_add_cpu(stretches, number);
	/* The last switch may be hidden, but the last arrival is not. */
	bool hidden = cpu->arrived > 0 && cpu->arrived_ns > cpu->last.time_ns;
	struct counted *counted = find_or_add(stretches, hidden ? cpu->arrived : cpu->thread);

	if (counted)
		stretches_add(stretches, cpu, counted, state, false);
	stretches_begin(stretches, cpu, -1, state);
}
