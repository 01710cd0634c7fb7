/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the probe library: collects the steps of tasks, in one order for all threads, as text:
 * "begin 2 of 1.0 " for a task 2 with parent 1 and index 0, "spawn 1.0 ", "end 2 "; "sync_all 1 "
 * is for all descendants. For one test program, which includes it once.
 */
#ifndef PSCAL_TESTS_OMP_STEP_LIST_H
#define PSCAL_TESTS_OMP_STEP_LIST_H

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "probe/task.h"
#include "support.h"

enum { STEP_LIST_BYTES = 1 << 16 };

static char step_list[STEP_LIST_BYTES];
static size_t step_list_length, step_list_steps;
static pscal_task step_list_tasks;
static pthread_mutex_t step_list_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void step_list_clear(void)
{
	step_list[0] = '\0';
	step_list_length = step_list_steps = 0;
}

static void step_list_put(enum pscal_step step, pscal_task task, pscal_task parent, uint32_t value)
{
	static const char *const names[] = {"none",    "begin",	  "end",    "spawn",
					    "spawned", "sync_of", "sync",   "synced",
					    "pause",   "resume",  "barrier"};
	char *at = step_list + step_list_length;
	size_t room = sizeof(step_list) - step_list_length;
	bool is_for_all = step == PSCAL_STEP_SYNC && value;
	int length = snprintf(at, room, "%s %" PRIu64, is_for_all ? "sync_all" : names[step], task);

	if (step == PSCAL_STEP_BEGIN)
		length += snprintf(at + length, room - (size_t)length, " of %" PRIu64, parent);
	if (step == PSCAL_STEP_BEGIN || step == PSCAL_STEP_SPAWN || step == PSCAL_STEP_SYNC_OF)
		length += snprintf(at + length, room - (size_t)length, ".%" PRIu32, value);
	length += snprintf(at + length, room - (size_t)length, " ");
	step_list_length += (size_t)length;
}

pscal_task pscal_task_step_at(const void *code, enum pscal_step step, pscal_task task,
			      uint32_t value)
{
	pscal_task about = task;

	(void)code;
	pthread_mutex_lock(&step_list_lock);
	if (step == PSCAL_STEP_BEGIN)
		about = ++step_list_tasks;
	step_list_steps++;
	if (step_list_length < sizeof(step_list) - 100)
		step_list_put(step, about, task, value);
	pthread_mutex_unlock(&step_list_lock);
	return about;
}

/* The number of steps since step_list_clear(). */
#define assert_steps(wanted) assert_string_equal(step_list, (wanted))

#endif
