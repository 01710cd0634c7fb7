/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/gomp.h"

#include "root.h"

static void nothing(void *data)
{
	(void)data;
}

static void a_group_is_waited_for_at_its_end(void **state)
{
	(void)state;
	begin_list();
	GOMP_taskgroup_start();
	GOMP_task(nothing, NULL, NULL, 0, 1, true, 0, NULL, 0, NULL);
	GOMP_taskgroup_end();
	assert_steps("begin 2 of 1.0 end 2 sync_all 1 synced 1 ");
	assert_null(omp_self.root.group);
}

static void barriers(void *data)
{
	int *cancelled = data;

	GOMP_barrier();
	*cancelled += GOMP_barrier_cancel();
}

static void a_barrier_is_one_whether_it_can_be_cancelled_or_not(void **state)
{
	int cancelled = 0;

	(void)state;
	begin_list();
	GOMP_parallel(barriers, &cancelled, 1, 0);
	assert_int_equal(cancelled, 0);
	assert_steps(
		"spawn 1.0 begin 2 of 1.0 barrier 2 resume 2 barrier 2 resume 2 end 2 sync_all 1 "
		"synced 1 ");
}

static void put_off(void *data)
{
	(void)data;
	GOMP_task(nothing, NULL, NULL, 0, 1, true, 0, NULL, 0, NULL);
	GOMP_barrier();
	GOMP_taskgroup_start();
	GOMP_taskgroup_end();
}

static void a_barrier_waits_for_children_as_well(void **state)
{
	(void)state;
	begin_list();
	GOMP_parallel(put_off, NULL, 1, 0);
	assert_steps("spawn 1.0 begin 2 of 1.0 spawn 2.0 spawned 2 barrier 2 begin 3 of 2.0 end 3 "
		     "resume 2 sync_all 2 synced 2 sync_all 2 synced 2 end 2 sync_all 1 synced 1 ");
}

/* The tasks that the library runs meanwhile are unknown. */
static void waiting_for_some_tasks_is_a_pause(void **state)
{
	void *none[] = {NULL, NULL};

	(void)state;
	begin_list();
	GOMP_taskwait_depend(none);
	assert_steps("pause 1 resume 1 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_group_is_waited_for_at_its_end),
	cmocka_unit_test(a_barrier_is_one_whether_it_can_be_cancelled_or_not),
	cmocka_unit_test(a_barrier_waits_for_children_as_well),
	cmocka_unit_test(waiting_for_some_tasks_is_a_pause),
};

TEST_FILE(tests);
