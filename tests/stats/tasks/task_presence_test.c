/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree.h"

#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

static void time_off_the_cpu_is_no_running_time_of_a_block(void **state)
{
	static const char *const states[] = {"RRRRwwRR..wRRR", NULL};

	(void)state;
	assert_tree(states, "0 a 1 begin 0.0; 3 a 1 spawn 0; 5 a 1 spawned; 13 a 1 end",
		    "1, a0-3 a5-13(4)\n");
}

static void waits_and_sleeps_of_workers_are_known(void **state)
{
	static const char *const states[] = {"RRRRwwRR..wRRR", NULL};
	struct drawn_tree drawn = drawn_tree_read(states, "0 a 1 begin 0.0; 13 a 1 end");
	const struct task_worker *worker = &drawn.tree.workers[0];
	static const struct task_absence want[] = {
		{4000, 6000, TASK_WAITS_FOR_CPU},
		{8000, 10000, TASK_SLEEPS},
		{10000, 11000, TASK_WAITS_FOR_CPU},
	};

	(void)state;
	assert_true(drawn.tree.has_states);
	assert_int_equal(worker->absence_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(worker->absences[i].begin_ns - DRAWING_BEGIN_NS, want[i].begin_ns);
		assert_int_equal(worker->absences[i].end_ns - DRAWING_BEGIN_NS, want[i].end_ns);
		assert_int_equal(worker->absences[i].kind, want[i].kind);
	}
	drawn_tree_release(&drawn);
}

static void workers_are_threads_of_the_timeline_by_their_number(void **state)
{
	static const char *const states[] = {"RRRRRRRR", "RRRRRRRR", NULL};
	struct drawn_tree drawn = drawn_tree_read(states, "0 b 1 begin 0.0; 3 b 1 end");

	(void)state;
	assert_int_equal(drawn.tree.worker_count, 1);
	assert_int_equal(drawn.tree.workers[0].thread, 1);
	drawn_tree_release(&drawn);
}

static void without_a_scheduler_the_states_in_blocks_are_unknown(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(NULL, "0 a 1 begin 0.0; 13 a 1 end");

	(void)state;
	assert_false(drawn.tree.has_states);
	assert_int_equal(drawn.tree.intervals[0].running_ns, 13000);
	assert_int_equal(drawn.tree.unknown_ns, 13000);
	drawn_tree_release(&drawn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(time_off_the_cpu_is_no_running_time_of_a_block),
	cmocka_unit_test(waits_and_sleeps_of_workers_are_known),
	cmocka_unit_test(workers_are_threads_of_the_timeline_by_their_number),
	cmocka_unit_test(without_a_scheduler_the_states_in_blocks_are_unknown),
};

TEST_FILE(tests);
