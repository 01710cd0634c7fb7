/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/gomp.h"

#include "root.h"

static void nothing(void *data)
{
	(void)data;
}

static void create(void)
{
	GOMP_task(nothing, NULL, NULL, 0, 1, false, 0, NULL, 0, NULL);
}

/* Calls that gcc 4.8 and earlier make for a region. */
static void a_region_may_be_begun_and_ended_by_the_program(void **state)
{
	static const char steps[] = "spawn 1.0 begin 2 of 1.0 begin 3 of 2.0 end 3 end 2 "
				    "sync_all 1 synced 1 ";

	(void)state;
	begin_list();
	GOMP_parallel_start(nothing, NULL, 1);
	create();
	GOMP_parallel_end();
	assert_steps(steps);
	begin_list();
	GOMP_parallel_loop_static_start(nothing, NULL, 1, 0, 10, 1, 5);
	create();
	GOMP_parallel_end();
	assert_steps(steps);
}

static void count_run(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_RELAXED);
}

static void all_threads_of_a_region_are_tasks(void **state)
{
	int runs = 0;

	(void)state;
	begin_list();
	GOMP_parallel(count_run, &runs, 3, 0);
	GOMP_parallel_start(count_run, &runs, 2);
	count_run(&runs);
	GOMP_parallel_end();
	assert_int_equal(runs, 5);
	assert_int_equal(step_list_tasks, 1 + 3 + 2);
	assert_int_equal(omp_self.root.children, 5);
	assert_ptr_equal(omp_self.task, &omp_self.root);
	/* 5 begins, ends and spawns, and the begin and end of a wait */
	assert_int_equal(step_list_steps, 3 * 5 + 2 * 2);
}

/* Threads of a region with a loop or sections take iterations themselves; no thread does so
 * here. */
static void all_kinds_of_regions_have_the_same_steps(void **state)
{
	int runs = 0;

	(void)state;
#define TOLD(call)                                                           \
	begin_list();                                                        \
	call;                                                                \
	assert_steps("spawn 1.0 begin 2 of 1.0 end 2 sync_all 1 synced 1 "); \
	assert_int_equal(runs, 1);                                           \
	runs = 0
	TOLD(GOMP_parallel(count_run, &runs, 1, 0));
	TOLD(GOMP_parallel_sections(count_run, &runs, 1, 3, 0));
	TOLD(GOMP_parallel_loop_static(count_run, &runs, 1, 0, 9, 1, 2, 0));
	TOLD(GOMP_parallel_loop_dynamic(count_run, &runs, 1, 0, 9, 1, 2, 0));
	TOLD(GOMP_parallel_loop_guided(count_run, &runs, 1, 0, 9, 1, 2, 0));
	TOLD(GOMP_parallel_loop_nonmonotonic_dynamic(count_run, &runs, 1, 0, 9, 1, 2, 0));
	TOLD(GOMP_parallel_loop_nonmonotonic_guided(count_run, &runs, 1, 0, 9, 1, 2, 0));
	TOLD(GOMP_parallel_loop_runtime(count_run, &runs, 1, 0, 9, 1, 0));
	TOLD(GOMP_parallel_loop_nonmonotonic_runtime(count_run, &runs, 1, 0, 9, 1, 0));
	TOLD(GOMP_parallel_loop_maybe_nonmonotonic_runtime(count_run, &runs, 1, 0, 9, 1, 0));
#define START(call) call, count_run(&runs), GOMP_parallel_end()
	TOLD(START(GOMP_parallel_start(count_run, &runs, 1)));
	TOLD(START(GOMP_parallel_sections_start(count_run, &runs, 1, 3)));
	TOLD(START(GOMP_parallel_loop_static_start(count_run, &runs, 1, 0, 9, 1, 2)));
	TOLD(START(GOMP_parallel_loop_dynamic_start(count_run, &runs, 1, 0, 9, 1, 2)));
	TOLD(START(GOMP_parallel_loop_guided_start(count_run, &runs, 1, 0, 9, 1, 2)));
	TOLD(START(GOMP_parallel_loop_runtime_start(count_run, &runs, 1, 0, 9, 1)));
}

static int ends;

static void count_end(void)
{
	ends++;
}

/* With a library that reports regions, `region` belongs to the tool. */
static void the_library_ends_a_region_that_it_has_reported(void **state)
{
	static const struct gomp telling = {.tells = true, .parallel_end = count_end};
	const struct gomp *before = gomp_of_all;

	(void)state;
	begin_list();
	omp_self.root.region = &ends;
	gomp_of_all = &telling;
	GOMP_parallel_end();
	gomp_of_all = before;
	omp_self.root.region = NULL;
	assert_int_equal(ends, 1);
	assert_steps("");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_region_may_be_begun_and_ended_by_the_program),
	cmocka_unit_test(all_threads_of_a_region_are_tasks),
	cmocka_unit_test(all_kinds_of_regions_have_the_same_steps),
	cmocka_unit_test(the_library_ends_a_region_that_it_has_reported),
};

TEST_FILE(tests);
