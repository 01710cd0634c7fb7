/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_task.h"

#include "step_list.h"

static const void *const here = (const void *)(uintptr_t)&step_list;

static struct omp_task begun(void)
{
	struct omp_task task = {.site = here};

	step_list_tasks = 0;
	omp_task_begin(&task);
	step_list_clear();
	return task;
}

static void spawn(struct omp_task *task, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		omp_task_spawn(task, here);
		omp_task_go_on(task, here, PSCAL_STEP_SPAWNED);
	}
	step_list_clear();
}

static void children_are_counted_from_0(void **state)
{
	struct omp_task task = begun();

	(void)state;
	assert_int_equal(omp_task_spawn(&task, here), 0);
	omp_task_go_on(&task, here, PSCAL_STEP_SPAWNED);
	assert_int_equal(omp_task_spawn(&task, here), 1);
	assert_steps("spawn 1.0 spawned 1 spawn 1.1 ");
}

static void a_wait_for_all_children_names_none(void **state)
{
	struct omp_task task = begun();

	(void)state;
	spawn(&task, 3);
	omp_task_sync_all(&task, here, OMP_CHILDREN);
	omp_task_go_on(&task, here, PSCAL_STEP_SYNCED);
	omp_task_sync_all(&task, here, OMP_ALL_BELOW);
	assert_steps("sync 1 synced 1 sync_all 1 ");
}

static void a_group_names_its_children_if_the_task_has_other_ones(void **state)
{
	static const struct {
		unsigned before;
		bool waited;
		unsigned within;
		bool waited_within, counted;
		const char *steps;
	} cases[] = {
		{0, false, 2, false, true, "sync_all 1 "},
		{2, true, 2, false, true, "sync_all 1 "},
		{2, false, 2, false, true, "sync_of 1.2 sync_of 1.3 sync_all 1 "},
		{2, false, 0, false, true, "sync_of 1.2 sync_all 1 "},
		{2, true, 0, false, true, "sync_all 1 "},
		{2, false, 2, false, false, "sync_all 1 "},
		/* The group also waits for the descendants of children that the task has waited
		 * for. */
		{0, false, 2, true, true, "sync_of 1.0 sync_of 1.1 sync_all 1 "},
		{2, false, 1, true, true, "sync_of 1.2 sync_all 1 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct omp_task task = begun();
		struct omp_group group;

		spawn(&task, cases[i].before);
		if (cases[i].waited)
			omp_task_sync_all(&task, here, OMP_CHILDREN);
		omp_task_enter_group(&task, &group, here);
		spawn(&task, cases[i].within);
		if (cases[i].waited_within)
			omp_task_sync_all(&task, here, OMP_CHILDREN);
		step_list_clear();
		group.counted = cases[i].counted;
		omp_task_sync_group(&task, here);
		assert_steps(cases[i].steps);
		assert_ptr_equal(omp_task_leave_group(&task), &group);
		assert_null(task.group);
	}
}

/* Otherwise later groups would name them, too. */
static void children_that_a_barrier_waited_for_are_not_named_later(void **state)
{
	struct omp_task task = begun();
	struct omp_group group;

	(void)state;
	spawn(&task, 2);
	omp_task_barrier(&task, here);
	omp_task_leave_barrier(&task, here);
	assert_steps("barrier 1 resume 1 sync_all 1 synced 1 ");
	omp_task_enter_group(&task, &group, here);
	spawn(&task, 1);
	omp_task_sync_group(&task, here);
	assert_steps("sync_all 1 ");
}

static void a_called_task_needs_no_wait(void **state)
{
	struct omp_task task = begun();

	(void)state;
	assert_int_equal(omp_task_call(&task), 0);
	assert_int_equal(task.synced, 1);
	spawn(&task, 1);
	assert_int_equal(omp_task_call(&task), 2);
	assert_int_equal(task.synced, 1);
	assert_steps("");
}

static void a_task_without_children_only_waits_for_threads_at_a_barrier(void **state)
{
	struct omp_task task = begun();

	(void)state;
	omp_task_barrier(&task, here);
	omp_task_leave_barrier(&task, here);
	assert_steps("barrier 1 resume 1 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(children_are_counted_from_0),
	cmocka_unit_test(a_wait_for_all_children_names_none),
	cmocka_unit_test(a_group_names_its_children_if_the_task_has_other_ones),
	cmocka_unit_test(a_task_without_children_only_waits_for_threads_at_a_barrier),
	cmocka_unit_test(a_called_task_needs_no_wait),
	cmocka_unit_test(children_that_a_barrier_waited_for_are_not_named_later),
};

TEST_FILE(tests);
