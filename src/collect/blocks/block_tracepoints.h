/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracepoints pscal:enter, pscal:leave, pscal:mark and pscal:task: their payloads, and their
 * format texts, which contain the names of blocks, or of places of tasks. The kernel has no such
 * tracepoints; their numbers are above any of its own.
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

/* The payload of a block; `args_place` has the size of `args`. */
struct block_payload {
	uint16_t type; /* block_tracepoint_type() */
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
	uint32_t block;
	uint32_t args_place; /* offset of `args`, and their size in bytes << 16 */
	uint64_t args[SPOOL_VALUES_MAX];
};

enum { BLOCK_PAYLOAD_FIXED = offsetof(struct block_payload, args) };

/* The payload of pscal:task; see decode/event/event.h. */
struct step_payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;	     /* of the thread */
	uint32_t site, step; /* a block; a step of pscal/task.h */
	uint64_t task;
	uint64_t value; /* parent of a task that begins; otherwise 0 */
	uint32_t index; /* of a task that begins, is spawned or waited for; otherwise 0 */
	uint32_t unused;
	int64_t counters[PLAN_COUNTERS_MAX]; /* as many as in the format; -1: not known */
};

enum {
	STEP_PAYLOAD_BYTES = offsetof(struct step_payload, unused),
	STEP_PAYLOAD_COUNTED = offsetof(struct step_payload, counters),
};

/* The names of counters of tasks, borrowed. */
struct task_counter_names {
	const char *items[PLAN_COUNTERS_MAX];
	size_t count;
};

/* Returns the name, "pscal:enter" for example. */
const char *block_tracepoint_name(size_t which);
uint16_t block_tracepoint_type(size_t which);

/*
 * Returns a format text; the caller frees it. `names` are those of blocks by number. Counters are
 * fields of pscal:task: "page-faults" is the field page_faults, printed as "page-faults=%ld".
 */
char *block_tracepoint_text(size_t which, char *const *names, size_t count,
			    const struct task_counter_names *counters);

#endif
