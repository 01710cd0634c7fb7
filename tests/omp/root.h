/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test's own root task. */
#ifndef PSCAL_TESTS_OMP_ROOT_H
#define PSCAL_TESTS_OMP_ROOT_H

#include "omp/omp_thread.h"
#include "step_list.h"

/* Tasks are numbered in the order of their begins, from 1 for the root, which has begun already. */
static inline void begin_list(void)
{
	omp_self = (struct omp_thread){.task = NULL};
	step_list_tasks = 0;
	assert_non_null(omp_thread_task((const void *)(uintptr_t)&step_list));
	step_list_clear();
}

#endif
