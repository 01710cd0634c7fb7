/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happened, or was counted, in each block of the tasks of a tree: not in those of others that
 * ran in place meanwhile. Some is known from any recording of the scheduler and of page faults:
 *
 *	switches	the worker was switched out, as it waits or was preempted
 *	migrations	it got another CPU than the one that it had before
 *	faults		it touched memory that was not there (--faults)
 *
 * The last one is not known where page faults are not on record, the others not where the scheduler
 * is not. Of a block in which it is not known whether its worker was on a CPU migrations are not
 * known; nor are switches, if records of them may be missing: kernels that hide some from us hide
 * how threads get a CPU, and not how they leave it.
 */
#ifndef PSCAL_STATS_TASKS_TASK_COUNTS_H
#define PSCAL_STATS_TASKS_TASK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change;
struct event_source;
struct mark;
struct task_tree;

#define TASK_COUNT_UNKNOWN UINT64_MAX

/* Those that every tree has. */
enum { TASK_SWITCHES, TASK_MIGRATIONS, TASK_FAULTS, TASK_COUNTERS_DERIVED };

struct task_counter {
	char *name;
	bool in_ns;	  /* it counts time */
	uint64_t *values; /* of each interval, or TASK_COUNT_UNKNOWN; NULL: of none */
};

struct task_counters {
	struct task_counter *items;
	size_t count;
};

static inline uint64_t task_counter_value(const struct task_counter *counter, size_t interval)
{
	return counter->values ? counter->values[interval] : TASK_COUNT_UNKNOWN;
}

/* Of blocks together: not known where it is not of one of them. */
static inline uint64_t task_count_sum(uint64_t sum, uint64_t value)
{
	return sum == TASK_COUNT_UNKNOWN || value == TASK_COUNT_UNKNOWN ? TASK_COUNT_UNKNOWN
									: sum + value;
}

/* The number of the counter with this name, or how many there are. */
size_t task_counters_find(const struct task_counters *counters, const char *name);

/*
 * What another counter of that name is to be called, as names are different even for who takes no
 * notice of case, like SQL: "counted-faults", where there is one of faults. To be freed.
 */
char *task_counters_new_name(const struct task_counters *counters, const char *name);

void task_counters_release(struct task_counters *counters);

/* --- While a tree is read ------------------------------------------------------------------ */

/* When something happened to a thread, in the order of time. */
struct task_moments {
	uint64_t *times_ns;
	size_t count, capacity;
};

struct task_counted_thread {
	int32_t cpu_after; /* the last CPU that it had, plus one; 0: not known */
	struct task_moments moments[TASK_COUNTERS_DERIVED];
};

/* Begins as zero. Memory is 8 bytes for each time that something happens once there are tasks. */
struct task_counting {
	struct task_counted_thread *threads; /* by their number in the timeline */
	size_t capacity;
	bool has_cpus;
};

void task_counting_release(struct task_counting *counting);

/* `wanted`: there are tasks. */
void task_counting_change(struct task_counting *counting, const struct change *change, bool wanted);
void task_counting_mark(struct task_counting *counting, const struct mark *mark);

/*
 * Gives the tree its counters. It has its workers, and the intervals of each in the order of time.
 */
void task_counting_give(struct task_counting *counting, struct task_tree *tree,
			const struct event_source *source);

#endif
