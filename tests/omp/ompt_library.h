/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mock runtime library with OMPT: it sends the tool the events of a test. */
#ifndef PSCAL_TESTS_OMP_OMPT_LIBRARY_H
#define PSCAL_TESTS_OMP_OMPT_LIBRARY_H

#include <omp-tools.h>
#include <string.h>

#include "root.h"

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library);

static struct {
	ompt_callback_parallel_begin_t parallel_begin;
	ompt_callback_parallel_end_t parallel_end;
	ompt_callback_implicit_task_t implicit_task;
	ompt_callback_task_create_t task_create;
	ompt_callback_task_schedule_t task_schedule;
	ompt_callback_work_t work;
	ompt_callback_sync_region_t sync_region, sync_region_wait;
} tell;

static inline ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	switch (event) {
#define TAKE(name)                                                           \
	case ompt_callback_##name:                                           \
		tell.name = (__typeof__(tell.name))(void (*)(void))callback; \
		return ompt_set_always;
		TAKE(parallel_begin)
		TAKE(parallel_end)
		TAKE(implicit_task)
		TAKE(task_create)
		TAKE(task_schedule)
		TAKE(work)
		TAKE(sync_region)
		TAKE(sync_region_wait)
	default:
		return ompt_set_never;
	}
}

static inline ompt_interface_fn_t look_up(const char *name)
{
	return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

static const char code[4];
static ompt_data_t root, parallel, member, tasks[3];

/* The root is task 1. */
static inline void begin_library(void)
{
	ompt_start_tool_result_t *tool;

	begin_list();
	parallel.ptr = NULL;
	tool = ompt_start_tool(201811, "a test");
	assert_non_null(tool);
	assert_int_equal(tool->initialize(look_up, 0, &tool->tool_data), 1);
	tell.implicit_task(ompt_scope_begin, &parallel, &root, 1, 1, ompt_task_initial);
	assert_ptr_equal(root.ptr, &omp_self.root);
	step_list_clear();
}

/* A region of one thread, whose task is 2. */
static inline void begin_region(void)
{
	begin_library();
	tell.parallel_begin(&root, NULL, &parallel, 1, 0, code);
	tell.implicit_task(ompt_scope_begin, &parallel, &member, 1, 0, ompt_task_implicit);
	step_list_clear();
}

static inline void create(int number, int flags)
{
	tell.task_create(&member, NULL, &tasks[number], ompt_task_explicit | flags, 0, code + 1);
}

static inline void sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void *at)
{
	tell.sync_region(kind, endpoint, &parallel, &member, at);
}

#endif
