/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The present task of a thread, if it is recorded. Code outside of parallel regions is the root
 * task of its thread. The root of the first thread lasts from the begin of the program to its end,
 * if a runtime library of OpenMP was loaded with the program; others begin with the first
 * construct, and all end with their thread.
 */
#ifndef PSCAL_OMP_OMP_THREAD_H
#define PSCAL_OMP_OMP_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp/omp_task.h"

/* The loaded code of a library; zero: none. */
struct omp_code {
	uintptr_t begin, end;
};

/* Returns the code of the library with this address. */
struct omp_code omp_code_of(const void *address);

static inline bool omp_code_has(const struct omp_code *code, const void *address)
{
	return (uintptr_t)address - code->begin < code->end - code->begin;
}

struct omp_thread {
	struct omp_task *task; /* present task; NULL: the root */
	struct omp_task root;
	const void *caller; /* return address of the call that is being passed on */
};

/* The state of this thread. */
extern __thread struct omp_thread omp_self __attribute__((tls_model("initial-exec")));

/* The code of this library. */
extern struct omp_code omp_own_code;

/* LLVM's runtime library of OpenMP reports events (ompt_tool.c). */
extern bool ompt_tool_works;

/* Begins the root of this thread, if it has not begun. Returns whether steps are recorded. */
bool omp_thread_begin(const void *site);

/* Returns the present task; NULL: nothing is recorded. */
static inline struct omp_task *omp_thread_task(const void *site)
{
	struct omp_thread *self = &omp_self;

	if (__builtin_expect(!self->task, 0) && !omp_thread_begin(site))
		return NULL;
	return self->task;
}

/*
 * Returns the place from which a function of this library was called. A function that ends with
 * that call may have jumped there instead: then the call seems to come from the call of the task's
 * body.
 */
static inline const void *omp_thread_site(const void *return_address)
{
	const struct omp_task *task = omp_self.task;

	return task && omp_code_has(&omp_own_code, return_address) ? task->site
								   : omp_site(return_address);
}

#endif
