/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* --- Meaning of steps ---------------------------------------------------------------------- */

static const struct {
	const char *states[4]; /* none: the scheduler is not recorded */
	const char *steps, *want;
} cases[] = {
	/* A child is ready from its spawn on, and synced when its parent continues. */
	{{NULL},
	 "0 a 1 begin 0.0; 5 a 1 spawn 0; 6 a 1 spawned; 8 b 2 begin 1.0; 9 a 1 sync; "
	 "12 b 2 end; 13 a 1 synced; 20 a 1 end",
	 "1, a0-5 a6-9 a13-20\n"
	 "2<1, ready 6, b8-12, synced 13\n"},
	/* A task that pauses may continue in another thread. */
	{{NULL}, "0 a 1 begin 0.0; 5 a 1 pause; 9 b 1 resume; 12 b 1 end", "1, a0-5 b9-12\n"},
	/* A task that begins in a block of its parent runs in place. */
	{{NULL},
	 "0 a 1 begin 0.0; 5 a 2 begin 1.0; 9 a 2 end; 12 a 1 end",
	 "1, a0-5 a9-12\n"
	 "2<1 in place, a5-9\n"},
	/* Tasks in place may be nested. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 3 begin 2.0; 3 a 3 end; 4 a 2 end; "
	 "5 a 1 end",
	 "1, a0-1 a4-5\n"
	 "2<1 in place, a1-2 a3-4\n"
	 "3<2 in place, a2-3\n"},
	/* A task in place may end in another thread, with the block below it. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 2 pause; 3 b 2 resume; 5 b 2 end; "
	 "7 b 1 end",
	 "1, a0-1 b5-7\n"
	 "2<1 in place, a1-2 b3-5\n"},
	/* A root in a block of another task covers that block, and is not its child. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 2 begin 0.1; 2 a 2 end; 5 a 1 end",
	 "1, a0-1 a2-5\n"
	 "2, a1-2\n"},
	/* A child that runs between spawn and spawned was never ready. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 2 begin 1.0; 4 a 2 end; 5 a 1 spawned; "
	 "6 a 1 sync; 7 a 1 synced; 8 a 1 end",
	 "1, a0-1 a5-6 a7-8\n"
	 "2<1, a2-4, synced 7\n"},
	/* A child may begin before the record of its spawn. */
	{{NULL},
	 "0 a 1 begin 0.0; 4 b 2 begin 1.7; 5 a 1 spawn 7; 6 a 1 spawned; 7 a 1 sync; "
	 "9 b 2 end; 10 a 1 synced; 12 a 1 end",
	 "1, a0-5 a6-7 a10-12\n"
	 "2<1, b4-9, synced 10\n"},
	/* A child without a recorded spawn belongs to the block before it. */
	{{NULL},
	 "0 a 1 begin 0.0; 3 a 1 sync; 4 b 2 begin 1.7; 5 b 2 end; 6 a 1 synced; "
	 "7 b 3 begin 1.8; 9 b 3 end; 9 a 1 end",
	 "1, a0-3 a6-9\n"
	 "2<1, b4-5, synced 6\n"
	 "3<1, b7-9\n"},
	/* A second spawn with an index is the next child of that index. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 1 spawn 3; 2 a 1 spawned; 3 a 1 spawn 3; 4 a 1 spawned; "
	 "6 b 2 begin 1.3; 8 b 2 end; 9 b 3 begin 1.3; 10 b 3 end; 11 a 1 end",
	 "1, a0-1 a2-3 a4-11\n"
	 "2<1, ready 2, b6-8\n"
	 "3<1, ready 4, b9-10\n"},
	/*
	 * A wait ends with the first step that tells its end. A task continues once: later steps
	 * end no wait.
	 */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 2 b 2 begin 1.0; 3 b 2 end; "
	 "4 a 1 sync; 5 a 1 synced; 7 a 1 synced; 9 a 1 end",
	 "1, a0-1 a2-4 a5-7 a7-9\n"
	 "2<1, b2-3, synced 5\n"},
	/*
	 * A block does not outlive its thread. The next step of task 2 is in another thread, long
	 * after the end of the first.
	 */
	{{"RRRRRRRRRR", "  RRRR    "},
	 "0 a 1 begin 0.0; 3 b 2 begin 1.0; 8 a 1 sync; 9 a 2 end",
	 "1, a0-8, open\n"
	 "2<1, b3-6\n"},
	/* A task without an end lasts to the end of its thread. */
	{{"RRRRRRRRRR", "  RRRR    "},
	 "0 a 1 begin 0.0; 3 b 2 begin 1.0; 8 a 1 sync",
	 "1, a0-8, open\n"
	 "2<1, b3-6, open\n"},
	/* A block that a task in place has left without a record continues with the task below. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 3 begin 2.0; 5 a 1 sync; 6 a 1 synced; "
	 "9 a 1 end",
	 "1, a0-1 a6-9\n"
	 "2<1 in place, a1-2, open\n"
	 "3<2 in place, a2-5, open\n"},
	/* A thread that continues another task has left the one before. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 a 1 pause; 2 a 2 begin 0.1; 3 a 1 resume; 5 a 1 end; "
	 "6 a 2 end",
	 "1, a0-1 a3-5\n"
	 "2, a2-3\n"},
	/* A task that begins again under the same number is another one. */
	{{NULL},
	 "0 a 1 begin 0.0; 2 a 1 end; 3 a 1 begin 0.0; 5 a 1 end",
	 "1, a0-2\n"
	 "1, a3-5\n"},
	/* Each process has its own numbers of tasks. */
	{{NULL},
	 "0 a 1 begin 0.0; 1 A 1 begin 0.0; 2 A 2 begin 1.0; 3 A 2 end; 4 a 1 end; "
	 "5 A 1 end",
	 "1, a0-4\n"
	 "1, A1-2 A3-5\n"
	 "2<1 in place, A2-3\n"},
	/* No task is its own ancestor. */
	{{NULL},
	 "0 a 1 begin 2.0; 1 b 2 begin 1.0; 2 c 3 begin 3.0; 5 a 1 end; 5 b 2 end; "
	 "5 c 3 end",
	 "2, b1-5\n"
	 "1<2, a0-5\n"
	 "3, c2-5\n"},
};

static void steps_make_tasks_and_blocks_by_the_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_tree(cases[i].states[0] ? cases[i].states : NULL, cases[i].steps,
			    cases[i].want);
	}
}

static void a_block_is_known_by_the_steps_and_the_sites_around_it(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(NULL, "0 a 1 begin 0.0 @7; 5 a 1 pause @8; "
							"9 b 1 resume @9; 12 b 1 end @10");
	const struct task_interval *blocks = drawn.tree.intervals;

	(void)state;
	assert_int_equal(drawn.tree.interval_count, 2);
	assert_int_equal(blocks[0].step, TASK_BEGIN);
	assert_int_equal(blocks[0].step_end, TASK_PAUSE);
	assert_int_equal(blocks[0].site, 7);
	assert_int_equal(blocks[0].site_end, 8);
	assert_int_equal(blocks[1].step, TASK_RESUME);
	assert_int_equal(blocks[1].step_end, TASK_END);
	assert_int_equal(blocks[1].site, 9);
	assert_int_equal(blocks[1].site_end, 10);
	assert_int_equal(drawn.tree.tasks[0].site, 7);
	drawn_tree_release(&drawn);
}

static void a_parent_may_begin_after_its_child(void **state)
{
	struct drawn_tree drawn =
		drawn_tree_read(NULL, "3 b 2 begin 1.0; 4 a 1 begin 0.5; 5 a 1 end; 6 b 2 end");

	(void)state;
	assert_int_equal(drawn.tree.task_count, 2);
	assert_int_equal(drawn.tree.tasks[0].id, 1);
	assert_int_equal(drawn.tree.tasks[0].index, 5);
	assert_int_equal(drawn.tree.tasks[1].parent, 0);
	assert_int_equal(drawn.tree.tasks[1].level, 1);
	assert_int_equal(drawn.tree.never_begun, 0);
	drawn_tree_release(&drawn);
}

static void indices_reach_to_the_last_32_bit_number(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(
		NULL, "0 a 1 begin 0.4294967295; 1 a 1 spawn 4294967294; 2 a 1 spawned;"
		      "3 b 2 begin 1.4294967294; 5 b 2 end; 6 a 1 end");
	char path[64];

	(void)state;
	assert_int_equal(drawn.tree.tasks[1].spawn, 0);
	assert_string_equal(task_tree_path(path, sizeof(path), &drawn.tree, 1),
			    "4294967295.4294967294");
	drawn_tree_release(&drawn);
}

/* --- Contradictions ------------------------------------------------------------------------ */

static void steps_of_unknown_tasks_are_counted(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(
		NULL, "0 a 9 spawn 1; 1 a 9 spawned; 2 a 1 begin 0.0; 3 a 1 end; 4 a 1 sync");

	(void)state;
	assert_int_equal(drawn.tree.orphans, 3);
	assert_int_equal(drawn.tree.task_count, 1);
	drawn_tree_release(&drawn);
}

static void a_task_in_place_is_waited_for_when_it_ends(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(
		NULL, "0 a 1 begin 0.0; 1 a 2 begin 1.0; 4 a 2 end; 5 a 3 begin 1.1; 6 a 1 end");

	(void)state;
	assert_int_equal(drawn.tree.tasks[1].synced_ns, DRAWING_BEGIN_NS + 4000);
	assert_int_equal(drawn.tree.tasks[2].synced_ns, 0);
	drawn_tree_release(&drawn);
}

static void a_parent_that_never_begins_is_known_from_its_children(void **state)
{
	struct drawn_tree drawn =
		drawn_tree_read(NULL, "2 a 2 begin 9.0; 3 a 2 end; 4 b 3 begin 9.1;"
				      "8 b 3 end");

	(void)state;
	assert_int_equal(drawn.tree.task_count, 3);
	assert_int_equal(drawn.tree.never_begun, 1);
	assert_false(drawn.tree.tasks[0].begun);
	assert_int_equal(drawn.tree.tasks[0].site, TASK_UNKNOWN_SITE);
	assert_int_equal(drawn.tree.tasks[0].end_ns - drawn.tree.tasks[0].begin_ns, 6000);
	assert_int_equal(drawn.tree.tasks[0].ready_ns, drawn.tree.tasks[0].begin_ns);
	assert_int_equal(drawn.tree.levels, 2);
	drawn_tree_release(&drawn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(steps_make_tasks_and_blocks_by_the_rules),
	cmocka_unit_test(a_block_is_known_by_the_steps_and_the_sites_around_it),
	cmocka_unit_test(a_parent_may_begin_after_its_child),
	cmocka_unit_test(indices_reach_to_the_last_32_bit_number),
	cmocka_unit_test(steps_of_unknown_tasks_are_counted),
	cmocka_unit_test(a_task_in_place_is_waited_for_when_it_ends),
	cmocka_unit_test(a_parent_that_never_begins_is_known_from_its_children),
};

TEST_FILE(tests);
