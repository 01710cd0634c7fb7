/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of gcc's runtime library of OpenMP, libgomp, that programs call and that are
 * recorded: this library comes first with the same functions, and each calls the one that the
 * program would have had. LLVM's library has the same functions, for programs compiled by gcc, and
 * reports them itself (ompt_tool.c): those calls are only passed on. It also has functions of its
 * own, for programs compiled by clang (kmpc_tasks.c).
 *
 * The places of arguments are the same in all versions so far (gcc 4.2 to 14); later ones come
 * behind the others, and flags say whether they are there.
 */
#ifndef PSCAL_OMP_GOMP_H
#define PSCAL_OMP_GOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp/omp_thread.h"

#define GOMP_EXPORTED __attribute__((visibility("default")))

typedef void gomp_body(void *data);
typedef void gomp_copier(void *to, void *from);

/* The arguments that all versions of each function have. */
#define GOMP_LOOP_CHUNKS                                                                     \
	gomp_body *body, void *data, unsigned threads, long start, long end, long increment, \
		long chunk
#define GOMP_LOOP \
	gomp_body *body, void *data, unsigned threads, long start, long end, long increment
#define GOMP_TASKLOOP(type)                                                                    \
	gomp_body *body, void *data, gomp_copier *copy, long size, long align, unsigned flags, \
		unsigned long tasks, int priority, type start, type end, type step

/* X(its result, its name, its arguments) */
#define GOMP_REGION_FUNCTIONS(X)                                                            \
	X(void, parallel, (gomp_body * body, void *data, unsigned threads, unsigned flags)) \
	X(unsigned, parallel_reductions,                                                    \
	  (gomp_body * body, void *data, unsigned threads, unsigned flags))                 \
	X(void, parallel_sections,                                                          \
	  (gomp_body * body, void *data, unsigned threads, unsigned count, unsigned flags)) \
	X(void, parallel_loop_static, (GOMP_LOOP_CHUNKS, unsigned flags))                   \
	X(void, parallel_loop_dynamic, (GOMP_LOOP_CHUNKS, unsigned flags))                  \
	X(void, parallel_loop_guided, (GOMP_LOOP_CHUNKS, unsigned flags))                   \
	X(void, parallel_loop_nonmonotonic_dynamic, (GOMP_LOOP_CHUNKS, unsigned flags))     \
	X(void, parallel_loop_nonmonotonic_guided, (GOMP_LOOP_CHUNKS, unsigned flags))      \
	X(void, parallel_loop_runtime, (GOMP_LOOP, unsigned flags))                         \
	X(void, parallel_loop_nonmonotonic_runtime, (GOMP_LOOP, unsigned flags))            \
	X(void, parallel_loop_maybe_nonmonotonic_runtime, (GOMP_LOOP, unsigned flags))

/* Functions for programs compiled by gcc 4.8 or earlier, which call the body themselves, too. */
#define GOMP_START_FUNCTIONS(X)                                                   \
	X(void, parallel_start, (gomp_body * body, void *data, unsigned threads)) \
	X(void, parallel_sections_start,                                          \
	  (gomp_body * body, void *data, unsigned threads, unsigned count))       \
	X(void, parallel_loop_static_start, (GOMP_LOOP_CHUNKS))                   \
	X(void, parallel_loop_dynamic_start, (GOMP_LOOP_CHUNKS))                  \
	X(void, parallel_loop_guided_start, (GOMP_LOOP_CHUNKS))                   \
	X(void, parallel_loop_runtime_start, (GOMP_LOOP))                         \
	X(void, parallel_end, (void))

#define GOMP_TASK_FUNCTIONS(X)                                                                    \
	X(void, task,                                                                             \
	  (gomp_body * body, void *data, gomp_copier *copy, long size, long align, bool deferred, \
	   unsigned flags, void **depend, int priority, void *detach))                            \
	X(void, taskloop, (GOMP_TASKLOOP(long)))                                                  \
	X(void, taskloop_ull, (GOMP_TASKLOOP(unsigned long long)))

#define GOMP_WAIT_FUNCTIONS(X)                    \
	X(void, taskwait, (void))                 \
	X(void, taskwait_depend, (void **depend)) \
	X(void, taskgroup_start, (void))          \
	X(void, taskgroup_end, (void))            \
	X(void, barrier, (void))                  \
	X(bool, barrier_cancel, (void))           \
	X(void, loop_end, (void))                 \
	X(bool, loop_end_cancel, (void))          \
	X(void, sections_end, (void))             \
	X(bool, sections_end_cancel, (void))

/* Functions that clang calls: libomp, openmp/runtime/src/kmp.h. */
#define KMPC_ALLOC_ARGUMENTS \
	void *location, int thread, int flags, size_t size, size_t shared, void *entry
#define KMPC_TASK_ARGUMENTS void *location, int thread, void *task
#define KMPC_DEPENDENCES    int count, void *dependences, int more_count, void *more_dependences
#define KMPC_LOOP                                                                                 \
	int deferred, uint64_t *lower, uint64_t *upper, int64_t step, int no_group, int schedule, \
		uint64_t grain
#define KMPC_FUNCTIONS(X)                                                         \
	X(void *, kmpc_omp_task_alloc, (KMPC_ALLOC_ARGUMENTS))                    \
	X(int, kmpc_omp_task, (KMPC_TASK_ARGUMENTS))                              \
	X(int, kmpc_omp_task_parts, (KMPC_TASK_ARGUMENTS))                        \
	X(int, kmpc_omp_task_with_deps, (KMPC_TASK_ARGUMENTS, KMPC_DEPENDENCES))  \
	X(void, kmpc_taskloop, (KMPC_TASK_ARGUMENTS, KMPC_LOOP, void *duplicate)) \
	X(void, kmpc_taskloop_5, (KMPC_TASK_ARGUMENTS, KMPC_LOOP, int modifier, void *duplicate))

#define GOMP_FUNCTIONS(X)        \
	GOMP_REGION_FUNCTIONS(X) \
	GOMP_START_FUNCTIONS(X)  \
	GOMP_TASK_FUNCTIONS(X)   \
	GOMP_WAIT_FUNCTIONS(X)

#define GOMP_DECLARE(type, name, arguments) type GOMP_##name arguments;
GOMP_FUNCTIONS(GOMP_DECLARE)
#undef GOMP_DECLARE
#define KMPC_DECLARE(type, name, arguments) type __##name arguments;
KMPC_FUNCTIONS(KMPC_DECLARE)
#undef KMPC_DECLARE

/* Bits of flags. */
enum {
	GOMP_FLAG_FINAL = 1 << 1,
	GOMP_FLAG_UP = 1 << 8,
	GOMP_FLAG_NO_GROUP = 1 << 11,
	GOMP_FLAG_REDUCTION = 1 << 12,
	GOMP_FLAG_DETACH = 1 << 13,
};

/* A library with these functions; NULL: the library is older than the function. */
struct gomp {
	bool tells; /* reports its calls itself */
	int (*get_thread_num)(void);
	int (*get_num_threads)(void);
#define GOMP_MEMBER(type, name, arguments) type(*name) arguments;
	GOMP_FUNCTIONS(GOMP_MEMBER)
	KMPC_FUNCTIONS(GOMP_MEMBER)
#undef GOMP_MEMBER
};

/* Returns the library of the program or library with this code. Never NULL. */
const struct gomp *gomp_search(const void *code);

/* The library of all code, if it was loaded with the program. */
extern const struct gomp *gomp_of_all;

static inline const struct gomp *gomp_find(const void *code)
{
	const struct gomp *gomp = __atomic_load_n(&gomp_of_all, __ATOMIC_ACQUIRE);

	return __builtin_expect(!!gomp, 1) ? gomp : gomp_search(code);
}

/* Returns the library of a function that was passed to it. */
static inline const struct gomp *gomp_of(gomp_body *body)
{
	return gomp_find((const void *)(uintptr_t)body);
}

/* Returns the task of the caller; NULL: nothing is recorded here. */
static inline struct omp_task *gomp_caller(const struct gomp *gomp, const void *return_address)
{
	if (!gomp->tells)
		return omp_thread_task(omp_site(return_address));
	omp_self.caller = return_address;
	return NULL;
}

/* The return address, and the site, of the function that contains this. */
#define GOMP_RETURN __builtin_return_address(0)
#define GOMP_SITE   omp_thread_site(GOMP_RETURN)

#endif
