/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "draw/random_tasks.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void a_recording_without_tasks_is_an_error(void **state)
{
	static const int32_t root = DRAWING_TID, other = DRAWING_TID + 1;
	static const struct {
		const char *steps;
		struct selection selection;
		const char *want;
	} cases[] = {
		{"0 a 1 end", {0}, "the recording has no tasks of the target"},
		{"0 a 1 end", {.pids = &root, .pid_count = 1}, "no thread of --pid 100 ran a task"},
		{"0 a 1 begin 0.0; 1 a 1 end; 2 b 2 pause",
		 {.tids = &other, .tid_count = 1},
		 "no thread of --tid 101 ran a task in this recording"},
		{"0 a 1 begin 0.0; 1 a 1 end; 2 b 2 pause",
		 {.tids = &other, .tid_count = 1, .comm = "other"},
		 "no thread of --tid 101 and --comm other ran"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_source *source = task_drawing(NULL, cases[i].steps);
		struct task_tree tree;
		struct err err = {.text = ""};

		assert_int_equal(task_tree_read(&tree, source, &cases[i].selection, &err), -1);
		if (!strstr(err.text, cases[i].want))
			fail_msg("%s", err.text);
		event_source_free(source);
	}
}

/* Damaged recordings have impossible times, such as the smallest one, 0. */
static void the_first_step_may_be_at_time_0(void **state)
{
	struct event steps[] = {
		task_drawing_step(0, 0, 1, TASK_BEGIN, 0, 0),
		task_drawing_step(1000, 0, 1, TASK_END, 0, 0),
	};
	struct drawn_tree drawn;

	(void)state;
	steps[0].time_ns = 0;
	drawn.source = task_drawing_source(steps, 2);
	task_drawing_read(&drawn.tree, drawn.source);
	assert_int_equal(drawn.tree.begin_ns, 0);
	assert_int_equal(drawn.tree.tasks[0].begin_ns, 0);
	assert_int_equal(drawn.tree.end_ns, DRAWING_BEGIN_NS + 1000);
	drawn_tree_release(&drawn);
}

/* --- Random programs ----------------------------------------------------------------------- */

enum { PROGRAMS = 400, PROGRAM_TASKS = 40, PROGRAM_LEVELS = 6, HOSTILE = 400, HOSTILE_STEPS = 80 };

static void random_programs_have_the_tree_of_their_run(void **state)
{
	struct random random = {7};

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct random_tasks tasks;
		struct event_source *source;
		struct task_tree tree;
		char *got;

		random_tasks_make(&tasks, &random, PROGRAM_TASKS, PROGRAM_LEVELS);
		source = task_drawing_source(tasks.steps, tasks.count);
		task_drawing_read(&tree, source);
		got = task_drawing_of(&tree);
		assert_string_equal(got, tasks.drawing);
		assert_int_equal(tree.orphans + tree.never_ended + tree.never_begun, 0);
		free(got);
		task_tree_release(&tree);
		event_source_free(source);
		random_tasks_release(&tasks);
	}
}

/* Invariants of each tree, for any steps. */
static void check_tree(const struct task_tree *tree, size_t steps)
{
	size_t blocks = 0;

	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];

		assert_int_equal(task->first, blocks);
		blocks += task->interval_count;
		assert_true(task->parent == TASK_NONE || task->parent < i);
		assert_true(task->ready_ns <= task->begin_ns && task->begin_ns <= task->end_ns);
		for (size_t k = task->first; k < blocks; k++) {
			const struct task_interval *interval = &tree->intervals[k];

			assert_int_equal(interval->task, i);
			assert_true(interval->begin_ns <= interval->end_ns);
			assert_true(k == task->first ||
				    interval->begin_ns >= tree->intervals[k - 1].end_ns);
			assert_true(tree->begin_ns <= interval->begin_ns &&
				    interval->end_ns <= tree->end_ns);
		}
		assert_true(task->spawn == TASK_NONE ||
			    task->spawn < tree->tasks[task->parent].interval_count);
	}
	assert_int_equal(blocks, tree->interval_count);
	assert_true(tree->task_count + tree->interval_count <= 4 * steps);
	for (size_t i = 0; i < tree->sync_count; i++) {
		assert_true(!i || tree->syncs[i].after >= tree->syncs[i - 1].after);
		assert_true(tree->syncs[i].first + tree->syncs[i].count <= tree->synced_count);
	}
}

/* No block has two workers at once, and no worker two blocks. */
static void check_workers(const struct task_tree *tree)
{
	for (size_t i = 0; i < tree->interval_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct task_interval *a = &tree->intervals[i],
						   *b = &tree->intervals[k];

			assert_true(a->worker != b->worker || a->end_ns <= b->begin_ns ||
				    b->end_ns <= a->begin_ns);
		}
}

static void steps_in_any_order_make_a_tree(void **state)
{
	struct random random = {11};
	struct event events[HOSTILE_STEPS];

	(void)state;
	for (size_t i = 0; i < HOSTILE; i++) {
		size_t ids = 1 + random_below(&random, 12);
		struct event_source *source;
		struct task_tree tree;

		for (size_t k = 0; k < HOSTILE_STEPS; k++)
			events[k] = task_drawing_step(
				random_below(&random, 200) * 100, (int32_t)random_below(&random, 3),
				1 + random_below(&random, ids),
				k ? (enum task_step)(1 + random_below(&random, TASK_STEPS))
				  : TASK_BEGIN,
				random_below(&random, ids + 2), (uint32_t)random_below(&random, 3));
		source = task_drawing_source(events, HOSTILE_STEPS);
		task_drawing_read(&tree, source);
		check_tree(&tree, HOSTILE_STEPS);
		check_workers(&tree);
		task_tree_release(&tree);
		event_source_free(source);
	}
}

/* --- Size ---------------------------------------------------------------------------------- */

enum { DEEP = 100000 };

static void a_tree_may_be_a_hundred_thousand_levels_deep(void **state)
{
	struct event *events = xcalloc(2 * DEEP, sizeof(*events));
	char *path = xcalloc(DEEP, 2);
	struct event_source *source;
	struct task_tree tree;

	(void)state;
	for (uint32_t i = 0; i < DEEP; i++) {
		events[i] = task_drawing_step(i, 0, i + 1, TASK_BEGIN, i, 0);
		events[2 * DEEP - 1 - i] =
			task_drawing_step(2 * DEEP - 1 - i, 0, i + 1, TASK_END, 0, 0);
	}
	source = task_drawing_source(events, (size_t)2 * DEEP);
	task_drawing_read(&tree, source);
	assert_int_equal(tree.levels, DEEP);
	assert_int_equal(tree.interval_count, 2 * DEEP - 1);
	assert_int_equal(tree.never_ended, 0);
	assert_ptr_equal(task_tree_path(path, (size_t)2 * DEEP, &tree, DEEP - 1), path);
	assert_int_equal(strlen(path), 2 * DEEP - 1);
	task_tree_release(&tree);
	event_source_free(source);
	free(events);
	free(path);
}

static void a_path_without_room_is_empty(void **state)
{
	struct drawn_tree drawn = drawn_tree_read(NULL, "0 a 1 begin 0.12; 1 a 2 begin 1.34;"
							"2 a 3 begin 2.56; 9 a 3 end");
	char path[16];

	(void)state;
	for (size_t size = 1; size <= 10; size++) {
		const char *found;

		memset(path, 'x', sizeof(path));
		found = task_tree_path(path + 1, size, &drawn.tree, 2);
		assert_int_equal(path[0], 'x');
		assert_int_equal(path[size + 1], 'x');
		if (size < sizeof("12.34.56"))
			assert_null(found);
		else
			assert_string_equal(found, "12.34.56");
	}
	drawn_tree_release(&drawn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_recording_without_tasks_is_an_error),
	cmocka_unit_test(the_first_step_may_be_at_time_0),
	cmocka_unit_test(random_programs_have_the_tree_of_their_run),
	cmocka_unit_test(steps_in_any_order_make_a_tree),
	cmocka_unit_test(a_tree_may_be_a_hundred_thousand_levels_deep),
	cmocka_unit_test(a_path_without_room_is_empty),
};

TEST_FILE(tests);
