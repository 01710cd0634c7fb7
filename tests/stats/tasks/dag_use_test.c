/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag.h"

#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Two tasks of 10 us on workers a and b, one after the other or at the same time. */
#define CHAIN "0 a 1 begin; 10 a 1 end; 0 b 2 begin; 1 b 2 end"
#define EVEN  "0 a 1 begin; 10 a 1 end; 0 b 2 begin; 10 b 2 end"
#define TURNS "0 a 1 begin; 10 a 1 end; 10 b 2 begin; 20 b 2 end"

static void the_time_of_workers_tells_the_limit_of_a_run(void **state)
{
	static const struct {
		const char *states[3], *steps;
		enum dag_limit want;
		double busy, path, parallelism;
	} cases[] = {
		{{NULL}, CHAIN, DAG_LIMIT_PATH, .55, 1, 1.1},
		{{NULL}, EVEN, DAG_LIMIT_PATH, 1, 1, 2},
		{{NULL}, TURNS, DAG_LIMIT_TASKS, .5, .5, 2},
		{{NULL},
		 "0 a 1 begin; 9 a 1 end; 9 a 2 begin; 18 a 2 end",
		 DAG_LIMIT_WORKERS,
		 1,
		 .5,
		 2},
		{{"RRRRRwwwwwwwwwwwwwwR", "RRRRRwwwwwwwwwwwwwwR", NULL},
		 "0 a 1 begin; 19 a 1 end; 0 b 2 begin; 19 b 2 end",
		 DAG_LIMIT_RUN_QUEUE,
		 5. / 19,
		 5. / 19,
		 2},
		{{"RRRRR.............wR", "RRRRR.............wR", NULL},
		 "0 a 1 begin; 19 a 1 end; 0 b 2 begin; 19 b 2 end",
		 DAG_LIMIT_TASKS,
		 5. / 19,
		 5. / 19,
		 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const *states = *cases[i].states ? cases[i].states : NULL;
		struct drawn_tree drawn = drawn_tree_read(states, cases[i].steps);
		const struct dag_options all = {.level = UINT32_MAX};
		struct dag_use use;
		struct dag dag;

		dag_init(&dag, &drawn.tree, &all);
		use = dag_use_of(&dag, &drawn.tree);
		if (use.limit != cases[i].want)
			fail_msg("case %zu: limit %d, busy %g, path %g, queue %g", i,
				 (int)use.limit, use.busy_share, use.path_share, use.run_queue_s);
		assert_true(isnan(use.run_queue_s) ==
			    !states); /* without events of the scheduler */
		assert_close(use.busy_share, cases[i].busy, 1e-9);
		assert_close(use.path_share, cases[i].path, 1e-9);
		assert_close(use.parallelism, cases[i].parallelism, 1e-9);
		dag_release(&dag);
		drawn_tree_release(&drawn);
	}
}

/* Site 1 has two tasks of 2 us, site 2 one of 7 us. */
static void sites_have_the_work_of_their_tasks_critical_ones_first(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(
		NULL, "0 a 1 begin @1; 2 a 1 end @1; 0 b 2 begin @2; 7 b 2 end @2; 3 a 3 begin @1; "
		      "5 a 3 end @1");
	static const struct dag_site want[] = {{.tasks = 1, .work_ns = 7000, .critical_ns = 7000},
					       {.tasks = 2, .work_ns = 4000}};
	const struct dag_options all = {.level = UINT32_MAX};
	struct dag dag;

	(void)state;
	dag_init(&dag, &drawn.tree, &all);
	assert_int_equal(dag.site_count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(dag.sites[i].tasks, want[i].tasks);
		assert_int_equal(dag.sites[i].work_ns, want[i].work_ns);
		assert_int_equal(dag.sites[i].critical_ns, want[i].critical_ns);
	}
	dag_release(&dag);
	drawn_tree_release(&drawn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_time_of_workers_tells_the_limit_of_a_run),
	cmocka_unit_test(sites_have_the_work_of_their_tasks_critical_ones_first),
};

TEST_FILE(tests);
