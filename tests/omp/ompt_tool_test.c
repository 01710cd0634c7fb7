/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as runtime libraries tell them, in orders that cannot be had from one at will. */
#if __has_include(<omp-tools.h>)

#include "ompt_library.h"

/* --- Regions ------------------------------------------------------------------------------- */

/* OpenMP 5.0 does not say which barrier it is. */
static void a_member_ends_where_it_begins_to_wait_for_the_others(void **state)
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

static void a_region_spawns_as_many_as_there_are(void **state)
{
	(void)state;
	begin_library();
	tell.parallel_begin(&root, NULL, &parallel, 8, 0, code);
	tell.implicit_task(ompt_scope_begin, &parallel, &member, 3, 0, ompt_task_implicit);
	assert_steps("spawn 1.0 spawn 1.1 spawn 1.2 begin 2 of 1.0 ");
}

/* --- Tasks --------------------------------------------------------------------------------- */

static void a_task_that_may_not_be_put_off_is_a_call(void **state)
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

static void who_waits_is_not_paused_as_well(void **state)
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

/* Another thread may go on with it before this one says that it has left it. */
static void an_untied_task_may_go_on_before_it_is_left(void **state)
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

static void a_task_that_was_cancelled_before_it_began_has_not_been(void **state)
{
	(void)state;
	begin_region();
	create(0, 0);
	step_list_clear();
	tell.task_schedule(&tasks[0], ompt_task_cancel, &member);
	assert_steps("");
	assert_null(tasks[0].ptr);
}

static void a_task_ends_with_its_code_whatever_its_event_does(void **state)
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

/* What stands for a taskwait with dependences in OpenMP 5.1, and tasks of before the tool. */
static void what_is_no_task_of_the_program_is_nothing(void **state)
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

static void only_the_end_of_a_group_is_waiting(void **state)
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

static void a_loop_of_tasks_is_left_once_all_are_there(void **state)
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
	cmocka_unit_test(a_member_ends_where_it_begins_to_wait_for_the_others),
	cmocka_unit_test(a_region_spawns_as_many_as_there_are),
	cmocka_unit_test(a_task_that_may_not_be_put_off_is_a_call),
	cmocka_unit_test(a_task_that_is_left_is_paused),
	cmocka_unit_test(who_waits_is_not_paused_as_well),
	cmocka_unit_test(an_untied_task_may_go_on_before_it_is_left),
	cmocka_unit_test(a_task_that_was_cancelled_before_it_began_has_not_been),
	cmocka_unit_test(a_task_ends_with_its_code_whatever_its_event_does),
	cmocka_unit_test(what_is_no_task_of_the_program_is_nothing),
	cmocka_unit_test(only_the_end_of_a_group_is_waiting),
	cmocka_unit_test(a_loop_of_tasks_is_left_once_all_are_there),
};

TEST_FILE(tests);

#else

NO_TESTS;

#endif
