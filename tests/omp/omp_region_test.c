/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_region.h"

#include "root.h"

static const void *const here = (const void *)(uintptr_t)&step_list;

static void begin(struct omp_region *region)
{
	begin_list();
	omp_region_begin(region, &omp_self.root, here);
}

static void enter(struct omp_region *region, struct omp_task *member, uint32_t thread,
		  uint32_t threads)
{
	*member = (struct omp_task){.site = here};
	omp_region_enter(region, member, thread, threads);
}

static void thread_0_spawns_all_members_and_waits_for_them(void **state)
{
	struct omp_region region;
	struct omp_task members[2];

	(void)state;
	begin(&region);
	enter(&region, &members[1], 1, 2);
	enter(&region, &members[0], 0, 2);
	omp_region_leave(&region, &members[0]);
	omp_region_leave(&region, &members[1]);
	omp_region_end(&region);
	assert_steps("spawn 1.0 begin 2 of 1.1 spawn 1.1 begin 3 of 1.0 end 3 sync_all 1 end 2 "
		     "synced 1 ");
}

static void indices_continue_over_regions(void **state)
{
	struct omp_region region;
	struct omp_task member;

	(void)state;
	begin(&region);
	enter(&region, &member, 0, 3);
	omp_region_leave(&region, &member);
	omp_region_end(&region);
	omp_region_begin(&region, &omp_self.root, here);
	enter(&region, &member, 0, 1);
	assert_int_equal(member.index, 3);
}

static void a_member_with_unfinished_children_ends_with_the_region(void **state)
{
	struct omp_region region;
	struct omp_task members[2];

	(void)state;
	begin(&region);
	enter(&region, &members[0], 0, 2);
	enter(&region, &members[1], 1, 2);
	for (int i = 0; i < 2; i++) {
		omp_task_spawn(&members[i], here);
		omp_task_go_on(&members[i], here, PSCAL_STEP_SPAWNED);
	}
	step_list_clear();
	omp_region_leave(&region, &members[0]);
	omp_region_leave(&region, &members[1]);
	assert_steps("sync_all 2 sync_all 1 sync_all 3 ");
	assert_int_equal(members[0].state, OMP_ENDED);
	step_list_clear();
	omp_region_end(&region);
	assert_steps("synced 3 end 3 synced 2 end 2 synced 1 ");
}

/* The parent has created a task before the region, and does not wait for it. */
static void a_region_waits_only_for_its_members(void **state)
{
	struct omp_region region;
	struct omp_task member;

	(void)state;
	begin_list();
	omp_task_spawn(&omp_self.root, here);
	omp_task_go_on(&omp_self.root, here, PSCAL_STEP_SPAWNED);
	omp_region_begin(&region, &omp_self.root, here);
	enter(&region, &member, 0, 2);
	step_list_clear();
	omp_region_leave(&region, &member);
	assert_steps("end 2 sync_of 1.1 sync_of 1.2 sync_all 1 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(thread_0_spawns_all_members_and_waits_for_them),
	cmocka_unit_test(indices_continue_over_regions),
	cmocka_unit_test(a_member_with_unfinished_children_ends_with_the_region),
	cmocka_unit_test(a_region_waits_only_for_its_members),
};

TEST_FILE(tests);
