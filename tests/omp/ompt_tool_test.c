/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of runtime libraries, in orders that a real library does not produce on demand. */
#if __has_include(<omp-tools.h>)

#include "ompt_library.h"

/* --- Regions ------------------------------------------------------------------------------- */

/* Events of OpenMP 5.0 do not tell which barrier it is. */
static void a_member_ends_at_its_barrier(void **state)
{
	static const struct {
		ompt_sync_region_t kind;
		const void *at;
		const char *steps;
	} cases[] = {
		{ompt_sync_region_barrier_implicit, code, "end 2 sync_all 1 "},
		{ompt_sync_region_barrier_implicit, NULL, "end 2 sync_all 1 "},
		{ompt_sync_region_barrier_implicit_parallel, code, "end 2 sync_all 1 "},
		{ompt_sync_region_barrier_implicit_parallel, NULL, "end 2 sync_all 1 "},
		{ompt_sync_region_barrier_implicit, code + 1,
		 "barrier 2 resume 2 end 2 sync_all 1 "},
		{ompt_sync_region_barrier_explicit, code + 1,
		 "barrier 2 resume 2 end 2 sync_all 1 "},
		{ompt_sync_region_barrier_implicit_workshare, code + 1,
		 "barrier 2 resume 2 end 2 sync_all 1 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_region();
		sync(cases[i].kind, ompt_scope_begin, cases[i].at);
		sync(cases[i].kind, ompt_scope_end, cases[i].at);
		tell.implicit_task(ompt_scope_end, NULL, &member, 1, 0, ompt_task_implicit);
		assert_steps(cases[i].steps);
		step_list_clear();
		tell.parallel_end(&parallel, &root, 0, code);
		assert_steps("synced 1 ");
		assert_ptr_equal(omp_self.task, &omp_self.root);
	}
}

static void a_region_spawns_its_actual_number_of_threads(void **state)
{
	(void)state;
	begin_library();
	tell.parallel_begin(&root, NULL, &parallel, 8, 0, code);
	tell.implicit_task(ompt_scope_begin, &parallel, &member, 3, 0, ompt_task_implicit);
	assert_steps("spawn 1.0 spawn 1.1 spawn 1.2 begin 2 of 1.0 ");
}

/* --- Tasks --------------------------------------------------------------------------------- */

static void a_task_that_may_not_be_deferred_is_a_call(void **state)
{
	(void)state;
	begin_region();
	create(0, ompt_task_undeferred);
	tell.task_schedule(&member, ompt_task_switch, &tasks[0]);
	tell.task_schedule(&tasks[0], ompt_task_complete, &member);
	assert_steps("begin 3 of 2.0 end 3 ");
	assert_null(tasks[0].ptr);
}

static void a_task_that_is_left_is_paused(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	create(1, 0);
	tell.task_schedule(&member, ompt_task_yield, &tasks[1]);
	tell.task_schedule(&tasks[1], ompt_task_switch, &tasks[0]);
	tell.task_schedule(&tasks[0], ompt_task_complete, &tasks[1]);
	tell.task_schedule(&tasks[1], ompt_task_complete, &member);
	assert_steps("spawn 2.0 spawned 2 spawn 2.1 spawned 2 pause 2 begin 3 of 2.1 pause 3 "
		     "begin 4 of 2.0 end 4 resume 3 end 3 resume 2 ");
}

static void a_task_that_waits_is_not_also_paused(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	step_list_clear();
	sync(ompt_sync_region_taskwait, ompt_scope_begin, code);
	tell.task_schedule(&member, ompt_task_switch, &tasks[0]);
	tell.task_schedule(&tasks[0], ompt_task_complete, &member);
	sync(ompt_sync_region_taskwait, ompt_scope_end, code);
	assert_steps("sync 2 begin 3 of 2.0 end 3 synced 2 ");
}

static void *resume_first(void *nothing)
{
	(void)nothing;
	tell.task_schedule(NULL, ompt_task_switch, &tasks[0]);
	return NULL;
}

/* Another thread may continue the task before this one reports that it has left it. */
static void an_untied_task_may_continue_before_it_is_left(void **state)
{
	pthread_t other;

	(void)state;
	begin_region();
	create(0, ompt_task_untied);
	sync(ompt_sync_region_taskwait, ompt_scope_begin, code);
	tell.task_schedule(&member, ompt_task_switch, &tasks[0]);
	step_list_clear();
	assert_int_equal(pthread_create(&other, NULL, resume_first, NULL), 0);
	pthread_join(other, NULL);
	tell.task_schedule(&tasks[0], ompt_task_switch, &member);
	assert_steps("pause 3 resume 3 ");
}

static void a_task_cancelled_before_its_begin_has_no_steps(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	step_list_clear();
	tell.task_schedule(&tasks[0], ompt_task_cancel, &member);
	assert_steps("");
	assert_null(tasks[0].ptr);
}

static void a_detached_task_ends_with_its_code(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	create(1, 0);
	step_list_clear();
	tell.task_schedule(&member, ompt_task_switch, &tasks[0]);
	tell.task_schedule(&tasks[0], ompt_task_detach, &member);
	tell.task_schedule(&member, ompt_task_switch, &tasks[1]);
	tell.task_schedule(&tasks[0], ompt_task_late_fulfill, NULL);
	tell.task_schedule(&tasks[1], ompt_task_early_fulfill, NULL);
	tell.task_schedule(&tasks[1], ompt_task_complete, &member);
	assert_steps("pause 2 begin 3 of 2.0 end 3 resume 2 pause 2 begin 4 of 2.1 end 4 "
		     "resume 2 ");
}

/* The marker of a taskwait with dependences in OpenMP 5.1, and tasks from before the tool. */
static void events_of_unknown_tasks_have_no_steps(void **state)
{
	ompt_data_t unknown = {.ptr = NULL};

	(void)state;
	begin_region();
	create(0, ompt_task_taskwait);
	tell.task_schedule(&unknown, ompt_task_switch, &tasks[0]);
	tell.task_schedule(&tasks[0], ompt_taskwait_complete, &unknown);
	tell.sync_region(ompt_sync_region_taskwait, ompt_scope_begin, &parallel, &unknown, code);
	tell.sync_region(ompt_sync_region_taskwait, ompt_scope_end, &parallel, NULL, code);
	assert_steps("");
}

/* --- Groups and loops ---------------------------------------------------------------------- */

static void a_group_waits_only_at_its_end(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	step_list_clear();
	sync(ompt_sync_region_taskgroup, ompt_scope_begin, code);
	create(1, 0);
	tell.sync_region_wait(ompt_sync_region_taskgroup, ompt_scope_begin, &parallel, &member,
			      code);
	tell.sync_region_wait(ompt_sync_region_taskgroup, ompt_scope_end, &parallel, &member, code);
	sync(ompt_sync_region_taskgroup, ompt_scope_end, code);
	assert_steps("spawn 2.1 spawned 2 sync_of 2.1 sync_all 2 synced 2 ");
}

static void a_spawn_of_a_loop_lasts_until_all_its_tasks_exist(void **state)
{
	(void)state;
	begin_region();
	tell.work(ompt_work_taskloop, ompt_scope_begin, &parallel, &member, 10, code);
	create(0, 0);
	create(1, ompt_task_undeferred);
	tell.task_schedule(&member, ompt_task_switch, &tasks[1]);
	tell.task_schedule(&tasks[1], ompt_task_complete, &member);
	tell.work(ompt_work_taskloop, ompt_scope_end, &parallel, &member, 10, code);
	assert_steps("spawn 2.0 spawn 2.1 begin 3 of 2.1 end 3 spawned 2 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_member_ends_at_its_barrier),
	cmocka_unit_test(a_region_spawns_its_actual_number_of_threads),
	cmocka_unit_test(a_task_that_may_not_be_deferred_is_a_call),
	cmocka_unit_test(a_task_that_is_left_is_paused),
	cmocka_unit_test(a_task_that_waits_is_not_also_paused),
	cmocka_unit_test(an_untied_task_may_continue_before_it_is_left),
	cmocka_unit_test(a_task_cancelled_before_its_begin_has_no_steps),
	cmocka_unit_test(a_detached_task_ends_with_its_code),
	cmocka_unit_test(events_of_unknown_tasks_have_no_steps),
	cmocka_unit_test(a_group_waits_only_at_its_end),
	cmocka_unit_test(a_spawn_of_a_loop_lasts_until_all_its_tasks_exist),
};

TEST_FILE(tests);

#else

NO_TESTS;

#endif
