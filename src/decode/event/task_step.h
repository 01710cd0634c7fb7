/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of tasks (pscal/task.h, OpenMP): what EVENT_STEP tells. The event has
 *
 *	block	the place in the source, whose name is "FUNCTION FILE:LINE", or "FUNCTION+0x12"
 *		where no line is known
 *	step	what the task does there
 *	object	the task, a number that is its own in its process
 *	object2	TASK_BEGIN: its parent; 0: none
 *	count	TASK_BEGIN: its index among the parent's children; TASK_SPAWN, TASK_SYNC_OF:
 *		that of the child (a uint32_t, as are all indices); TASK_SYNC: 1 if it waits for
 *		what is below these children, too, else 0
 *	counted	what its thread has counted so far, by the counters of blocks.h; TASK_UNCOUNTED:
 *		not known
 */
#ifndef PSCAL_DECODE_EVENT_TASK_STEP_H
#define PSCAL_DECODE_EVENT_TASK_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* How many counters there may be of tasks. */
enum { TASK_COUNTED_MAX = 4 };
#define TASK_UNCOUNTED UINT64_MAX

/* The values are those of enum pscal_step. */
enum task_step {
	TASK_NO_STEP,
	TASK_BEGIN,
	TASK_END,
	TASK_SPAWN,
	TASK_SPAWNED,
	TASK_SYNC_OF,
	TASK_SYNC,
	TASK_SYNCED,
	TASK_PAUSE,
	TASK_RESUME,
	TASK_BARRIER,
	TASK_STEPS,
};

/* "begin", "end", "spawn", "spawned", "sync_of", "sync", ...; NULL: there is none. */
const char *task_step_name(unsigned step);

/* Does a block of code begin with it (BEGIN, SPAWNED, SYNCED, RESUME)? */
static inline bool task_step_starts(enum task_step step)
{
	return step == TASK_BEGIN || step == TASK_SPAWNED || step == TASK_SYNCED ||
	       step == TASK_RESUME;
}

/* ... or end (SPAWN, SYNC, PAUSE, BARRIER, END)? */
static inline bool task_step_stops(enum task_step step)
{
	return step == TASK_SPAWN || step == TASK_SYNC || step == TASK_PAUSE ||
	       step == TASK_BARRIER || step == TASK_END;
}

#endif
