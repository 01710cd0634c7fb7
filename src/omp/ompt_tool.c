/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of LLVM's runtime library of OpenMP, libomp, and others with OMPT: OpenMP Application
 * Programming Interface 5.0, chapter 4, and 5.1.
 */
#include "omp/omp_thread.h"

bool ompt_tool_works;

#if __has_include(<omp-tools.h>)

#include "omp/omp_pool.h"
#include "omp/omp_region.h"

#include <omp-tools.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct parallel {
	struct omp_region told;
	const void *code;
};

_Static_assert(sizeof(struct parallel) <= OMP_POOL_BYTES &&
		       sizeof(struct omp_task) <= OMP_POOL_BYTES &&
		       sizeof(struct omp_group) <= OMP_POOL_BYTES,
	       "the pool has nodes of one size");

/* Returns a task; if the library does not know it, that of this thread. */
static struct omp_task *task_of(const ompt_data_t *data)
{
	return data && data->ptr ? data->ptr : omp_self.task;
}

/* The code of the library that reports events. */
static struct omp_code library_code;

/*
 * Returns the place of the program's call. The program may have jumped into the library instead, or
 * called it by the names of gcc's library (gomp.h).
 */
static const void *site_of(const struct omp_task *task, const void *code)
{
	if (omp_code_has(&omp_own_code, code))
		code = omp_self.caller;
	return code && !omp_code_has(&library_code, code) ? omp_site(code) : task->site;
}

/* --- Parallel regions ------------------------------------------------------------------------ */

static void parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
			   unsigned requested, int flags, const void *code)
{
	struct omp_task *task = task_of(encountering);
	struct parallel *parallel;

	(void)frame, (void)requested, (void)flags;
	data->ptr = NULL;
	if (!task)
		return;
	parallel = omp_pool_take();
	parallel->code = code;
	omp_region_begin(&parallel->told, task, site_of(task, code));
	data->ptr = parallel;
}

static void parallel_end(ompt_data_t *data, ompt_data_t *encountering, int flags, const void *code)
{
	struct parallel *parallel = data->ptr;

	(void)encountering, (void)flags, (void)code;
	if (!parallel)
		return;
	omp_region_end(&parallel->told);
	omp_self.task = parallel->told.parent;
	omp_pool_give(parallel);
	data->ptr = NULL;
}

static void begin_member(ompt_data_t *data, struct parallel *parallel, uint32_t threads,
			 uint32_t thread)
{
	struct omp_task *task = omp_pool_take();

	*task = (struct omp_task){.site = parallel->told.site, .region = parallel};
	data->ptr = task;
	omp_region_enter(&parallel->told, task, thread, threads);
	omp_self.task = task;
}

static bool is_first(const struct omp_task *task, const struct parallel *parallel)
{
	return task->index == parallel->told.first;
}

static void end_member(struct omp_task *task)
{
	struct parallel *parallel = task->region;

	if (task->state == OMP_ENDED)
		return;
	omp_region_leave(&parallel->told, task);
	omp_self.task = is_first(task, parallel) ? parallel->told.parent : NULL;
}

/* Ends an initial task; that of the first thread ends with the program. */
static void end_initial(struct omp_task *task)
{
	if (task == &omp_self.root && task->state != OMP_ENDED && syscall(SYS_gettid) != getpid())
		omp_task_end(task);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *data,
			  unsigned threads, unsigned thread, int flags)
{
	struct omp_task *task = data->ptr;
	bool is_root = flags & ompt_task_initial && !(parallel && parallel->ptr);

	if (endpoint == ompt_scope_begin) {
		data->ptr = NULL;
		if (is_root)
			data->ptr = omp_thread_task((const void *)(uintptr_t)implicit_task);
		else if (parallel->ptr)
			begin_member(data, parallel->ptr, threads, thread);
		return;
	}
	if (!task)
		return;
	data->ptr = NULL;
	if (task->region) {
		end_member(task);
		omp_pool_give(task);
	} else {
		end_initial(task);
	}
}

/* --- Explicit tasks -------------------------------------------------------------------------- */

/* Returns the index of a new task, whose creation may have begun before (kmpc_tasks.c). */
static uint32_t index_of(struct omp_task *parent, const void *site, bool called)
{
	if (!parent->allocated)
		return called ? omp_task_call(parent) : omp_task_spawn(parent, site);
	parent->allocated = false;
	if (!called)
		return parent->children - 1;
	omp_task_go_on(parent, site, PSCAL_STEP_SPAWNED);
	parent->children--;
	return omp_task_call(parent);
}

/*
 * Creates a task. The library creates the tasks of a loop. The creation of an allocated task ends
 * elsewhere (kmpc_tasks.c).
 */
static void task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
			int flags, int has_dependences, const void *code)
{
	struct omp_task *parent = task_of(encountering), *task;
	bool called, lasts;
	const void *site;

	(void)frame, (void)has_dependences;
	data->ptr = NULL;
	if (!parent || flags & (ompt_task_initial | ompt_task_implicit | ompt_task_taskwait))
		return;
	called = flags & ompt_task_undeferred && !parent->loop;
	lasts = parent->loop || parent->allocated || called;
	site = parent->loop ? parent->loop : site_of(parent, code);
	task = omp_pool_take();
	*task = (struct omp_task){
		.parent = parent->id,
		.index = index_of(parent, site, called),
		.site = site,
		.called = called,
		.untied = flags & ompt_task_untied,
	};
	data->ptr = task;
	if (!lasts)
		omp_task_go_on(parent, site, PSCAL_STEP_SPAWNED);
}

static void lock(struct omp_task *task)
{
	while (task->untied && __atomic_test_and_set(&task->locked, __ATOMIC_ACQUIRE))
		;
}

static void unlock(struct omp_task *task)
{
	if (task->untied)
		__atomic_clear(&task->locked, __ATOMIC_RELEASE);
}

/* Pauses a task; an untied one may have continued on another thread already. */
static void leave(struct omp_task *task)
{
	lock(task);
	if (task->state == OMP_RUNS && (!task->untied || task->runner == &omp_self))
		omp_task_stop(task, task->site, PSCAL_STEP_PAUSE);
	unlock(task);
}

/* Runs a task; the thread that has run an untied one before may not have reported its pause. */
static void enter(struct omp_task *task)
{
	lock(task);
	if (task->untied && task->state == OMP_RUNS)
		omp_task_stop(task, task->site, PSCAL_STEP_PAUSE);
	task->runner = &omp_self;
	if (task->state == OMP_NEW)
		omp_task_begin(task);
	else if (task->state == OMP_PAUSES)
		omp_task_go_on(task, task->site, PSCAL_STEP_RESUME);
	else if (task->state == OMP_SPAWNS && !task->loop)
		omp_task_go_on(task, task->site, PSCAL_STEP_SPAWNED);
	unlock(task);
	omp_self.task = task;
}

static void finish(struct omp_task *task)
{
	if (task->state != OMP_NEW && task->state != OMP_ENDED)
		omp_task_end(task);
}

/* Returns whether a task is called now. */
static bool is_called(const ompt_data_t *next)
{
	const struct omp_task *task = next ? next->ptr : NULL;

	return task && task->called && task->state == OMP_NEW;
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	struct omp_task *task = prior ? prior->ptr : NULL;

	if (status == ompt_task_early_fulfill)
		return;
	if (task && (status == ompt_task_switch || status == ompt_task_yield)) {
		if (!is_called(next))
			leave(task);
	} else if (task && task != &omp_self.root) {
		finish(task);
		if (status != ompt_task_detach) {
			omp_pool_give(task);
			prior->ptr = NULL;
		}
	}
	if (next && next->ptr)
		enter(next->ptr);
}

/* Handles a taskloop, which creates tasks until its end, and may run some of them at once. */
static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
		 ompt_data_t *data, uint64_t count, const void *code)
{
	struct omp_task *task = type == ompt_work_taskloop ? task_of(data) : NULL;

	(void)parallel, (void)count;
	if (!task)
		return;
	if (endpoint == ompt_scope_begin) {
		if (!task->loop)
			task->loop = task->group ? task->group->site : site_of(task, code);
		return;
	}
	if (task->state == OMP_SPAWNS)
		omp_task_go_on(task, task->loop, PSCAL_STEP_SPAWNED);
	task->loop = NULL;
}

/* --- Waiting --------------------------------------------------------------------------------- */

static void taskgroup(struct omp_task *task, ompt_scope_endpoint_t endpoint, const void *site)
{
	if (endpoint == ompt_scope_begin) {
		omp_task_enter_group(task, omp_pool_take(), site);
		return;
	}
	if (task->state == OMP_WAITS)
		omp_task_go_on(task, site, PSCAL_STEP_SYNCED);
	if (task->group)
		omp_pool_give(omp_task_leave_group(task));
}

/*
 * Returns whether it is the barrier at the end of a parallel region, which OpenMP before 5.1 does
 * not distinguish from others: the first thread is in it at the region's own place, and the others
 * at none.
 */
static bool is_join(ompt_sync_region_t kind, const struct omp_task *task, const void *code)
{
	const struct parallel *parallel = task->region;

	if (!parallel)
		return false;
	if (kind == ompt_sync_region_barrier_implicit_parallel)
		return true;
	return kind == ompt_sync_region_barrier_implicit &&
	       (!code || (is_first(task, parallel) && code == parallel->code));
}

static void barrier(struct omp_task *task, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    const void *code)
{
	if (endpoint == ompt_scope_end) {
		if (task->state == OMP_WAITS)
			omp_task_leave_barrier(task, site_of(task, code));
	} else if (is_join(kind, task, code)) {
		end_member(task);
	} else if (task->state == OMP_RUNS) {
		omp_task_barrier(task, site_of(task, code));
	}
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			ompt_data_t *parallel, ompt_data_t *data, const void *code)
{
	struct omp_task *task = data ? data->ptr : NULL;

	(void)parallel;
	if (!task || task->state == OMP_ENDED)
		return;
	if (kind == ompt_sync_region_taskgroup)
		taskgroup(task, endpoint, site_of(task, code));
	else if (kind != ompt_sync_region_taskwait && kind != ompt_sync_region_reduction)
		barrier(task, kind, endpoint, code);
	else if (kind == ompt_sync_region_taskwait && endpoint == ompt_scope_begin)
		omp_task_sync_all(task, site_of(task, code), OMP_CHILDREN);
	else if (kind == ompt_sync_region_taskwait && task->state == OMP_WAITS)
		omp_task_go_on(task, site_of(task, code), PSCAL_STEP_SYNCED);
}

/* Handles waits. The region of a taskgroup is all of it, and only its end is a wait. */
static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			     ompt_data_t *parallel, ompt_data_t *data, const void *code)
{
	struct omp_task *task = data ? data->ptr : NULL;

	(void)parallel;
	if (kind == ompt_sync_region_taskgroup && endpoint == ompt_scope_begin && task &&
	    task->group && task->state == OMP_RUNS)
		omp_task_sync_group(task, site_of(task, code));
}

/* --- The tool -------------------------------------------------------------------------------- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	if (!set)
		return 0;
	library_code = omp_code_of((const void *)(uintptr_t)set);
#define SET(name) set(ompt_callback_##name, (ompt_callback_t)(name))
	ompt_tool_works = true;
	SET(parallel_begin);
	SET(parallel_end);
	SET(implicit_task);
	SET(task_create);
	SET(task_schedule);
	SET(work);
	SET(sync_region);
	SET(sync_region_wait);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

/* Starts the tool. Runtimes search this function in the program and in libraries loaded before. */
EXPORTED ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library);

EXPORTED ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library)
{
	static ompt_start_tool_result_t tool = {.initialize = initialize, .finalize = finalize};

	(void)version, (void)library;
	return omp_thread_task(omp_site(__builtin_return_address(0))) ? &tool : NULL;
}

#endif
