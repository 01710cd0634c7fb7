/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracepoints pscal:enter, pscal:leave, pscal:mark and pscal:task: their payloads, and their
 * format texts, in which the names of the blocks are, or of places where tasks do something. The
 * kernel has no such tracepoints; their numbers are higher than any of its own.
 */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_TRACEPOINTS_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_TRACEPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "probe/patch_plan.h"
#include "probe/spool.h"

enum {
	BLOCK_TRACEPOINT_ENTER,
	BLOCK_TRACEPOINT_LEAVE,
	BLOCK_TRACEPOINT_MARK,
	BLOCK_TRACEPOINT_TASK,
	BLOCK_TRACEPOINTS
};

/* Behind `args_place` are so many values as that says. */
struct block_payload {
	uint16_t type; /* block_tracepoint_type() */
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
	uint32_t block;
	uint32_t args_place; /* bytes to it from the beginning, and its size in bytes << 16 */
	uint64_t args[SPOOL_VALUES_MAX];
};

enum { BLOCK_PAYLOAD_FIXED = offsetof(struct block_payload, args) };

/* Of pscal:task; see decode/event/event.h. */
struct step_payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;	     /* of the thread */
	uint32_t site, step; /* a block; a number of pscal/task.h */
	uint64_t task;
	uint64_t value; /* the parent of one that begins; else 0 */
	uint32_t index; /* of one that begins, is spawned or waited for; else 0 */
	uint32_t unused;
	int64_t counters[PLAN_COUNTERS_MAX]; /* as many as the format says; -1: not known */
};

enum {
	STEP_PAYLOAD_BYTES = offsetof(struct step_payload, unused),
	STEP_PAYLOAD_COUNTED = offsetof(struct step_payload, counters),
};

/* The names of what is counted in tasks, which are borrowed. */
struct task_counter_names {
	const char *items[PLAN_COUNTERS_MAX];
	size_t count;
};

/* "pscal:enter" */
const char *block_tracepoint_name(size_t which);
uint16_t block_tracepoint_type(size_t which);

/*
 * To be freed. `names` are those of the blocks by number. Of pscal:task, counters are fields of it:
 * "page-faults" is the field page_faults, and "page-faults=%ld" in what is printed.
 */
char *block_tracepoint_text(size_t which, char *const *names, size_t count,
			    const struct task_counter_names *counters);

#endif
