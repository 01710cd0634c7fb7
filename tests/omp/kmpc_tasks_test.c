/* SPDX-License-Identifier: GPL-3.0-or-later */
#if __has_include(<omp-tools.h>)

#include "omp/gomp.h"
#include "ompt_library.h"

/* --- Tasks in the library ------------------------------------------------------------------ */

static enum { HANDS_ON, RUNS, GOES_ON, MAKES_A_LOOP } now;

static void *allocate(KMPC_ALLOC_ARGUMENTS)
{
	(void)location, (void)thread, (void)flags, (void)size, (void)shared;
	return entry;
}

static int take(KMPC_TASK_ARGUMENTS)
{
	(void)location, (void)task;
	if (now == GOES_ON)
		return thread;
	create(0, now == RUNS ? ompt_task_undeferred : 0);
	if (now == RUNS) {
		tell.task_schedule(&member, ompt_task_switch, &tasks[0]);
		tell.task_schedule(&tasks[0], ompt_task_complete, &member);
	}
	return thread;
}

static int take_with_dependences(KMPC_TASK_ARGUMENTS, KMPC_DEPENDENCES)
{
	(void)dependences, (void)more_dependences;
	return take(location, thread, task) + 10 * count + 100 * more_count;
}

static void make_loop(KMPC_TASK_ARGUMENTS, KMPC_LOOP, void *duplicate)
{
	(void)location, (void)thread, (void)task, (void)deferred, (void)step, (void)schedule;
	(void)grain, (void)duplicate;
	if (!no_group)
		sync(ompt_sync_region_taskgroup, ompt_scope_begin, code);
	tell.work(ompt_work_taskloop, ompt_scope_begin, &parallel, &member, 2, code);
	for (uint64_t i = *lower; i < *upper; i++)
		create((int)i, 0);
	tell.work(ompt_work_taskloop, ompt_scope_end, &parallel, &member, 2, code);
	if (no_group)
		return;
	tell.sync_region_wait(ompt_sync_region_taskgroup, ompt_scope_begin, &parallel, &member,
			      code);
	sync(ompt_sync_region_taskgroup, ompt_scope_end, code);
}

static const struct gomp library = {
	.tells = true,
	.kmpc_omp_task_alloc = allocate,
	.kmpc_omp_task = take,
	.kmpc_omp_task_with_deps = take_with_dependences,
	.kmpc_taskloop = make_loop,
};

static void begin(void)
{
	begin_region();
	gomp_of_all = &library;
}

static void *allocate_one(void)
{
	return __kmpc_omp_task_alloc(NULL, 0, 0, 40, 8, &now);
}

/* --- Steps --------------------------------------------------------------------------------- */

static void a_spawn_lasts_from_the_allocation_to_the_hand_over(void **state)
{
	(void)state;
	begin();
	now = HANDS_ON;
	assert_ptr_equal(allocate_one(), &now);
	assert_steps("spawn 2.0 ");
	assert_int_equal(__kmpc_omp_task(NULL, 7, NULL), 7);
	assert_steps("spawn 2.0 spawned 2 ");
	allocate_one();
	assert_int_equal(__kmpc_omp_task_with_deps(NULL, 7, NULL, 1, NULL, 2, NULL), 217);
	assert_steps("spawn 2.0 spawned 2 spawn 2.1 spawned 2 ");
}

static void a_task_that_may_not_be_deferred_is_a_call(void **state)
{
	(void)state;
	begin();
	now = RUNS;
	allocate_one();
	__kmpc_omp_task(NULL, 0, NULL);
	assert_steps("spawn 2.0 spawned 2 begin 3 of 2.0 end 3 ");
}

static void a_task_that_continues_itself_is_no_new_task(void **state)
{
	struct omp_task *task;

	(void)state;
	begin();
	task = member.ptr;
	task->state = OMP_SPAWNS; /* another thread has run and ended the task */
	now = GOES_ON;
	__kmpc_omp_task(NULL, 0, NULL);
	assert_steps("");
}

static void a_loop_spawns_its_tasks(void **state)
{
	static const struct {
		uint64_t count;
		int no_group;
		const char *steps;
	} cases[] = {
		{2, 0, "spawn 2.0 spawn 2.1 spawned 2 sync_all 2 synced 2 "},
		{2, 1, "spawn 2.0 spawn 2.1 spawned 2 "},
		{0, 1, "spawn 2.0 spawned 2 "},
	};

	(void)state;
	now = MAKES_A_LOOP;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t lower = 0, upper = cases[i].count;
		const struct omp_task *task;

		begin();
		allocate_one();
		__kmpc_taskloop(NULL, 0, NULL, 1, &lower, &upper, 1, cases[i].no_group, 0, 0, NULL);
		assert_steps(cases[i].steps);
		task = member.ptr;
		assert_null(task->loop);
		assert_null(task->group);
		assert_int_equal(task->allocated, false);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_spawn_lasts_from_the_allocation_to_the_hand_over),
	cmocka_unit_test(a_task_that_may_not_be_deferred_is_a_call),
	cmocka_unit_test(a_task_that_continues_itself_is_no_new_task),
	cmocka_unit_test(a_loop_spawns_its_tasks),
};

TEST_FILE(tests);

#else

NO_TESTS;

#endif
