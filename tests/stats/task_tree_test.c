/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/task_tree.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event_source.h"
#include "decode/selection.h"
#include "random_tasks.h"
#include "support.h"
#include "task_drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct drawn_tree {
	struct event_source *source;
	struct task_tree tree;
};

static struct drawn_tree read_steps(const char *const *states, const char *steps)
{
	struct drawn_tree drawn = {.source = task_drawing(states, steps)};

	task_drawing_read(&drawn.tree, drawn.source);
	return drawn;
}

static void release(struct drawn_tree *drawn)
{
	task_tree_release(&drawn->tree);
	event_source_free(drawn->source);
}

static void assert_tree(const char *const *states, const char *steps, const char *want)
{
	struct drawn_tree drawn = read_steps(states, steps);
	char *got = task_drawing_of(&drawn.tree);

	assert_string_equal(got, want);
	free(got);
	release(&drawn);
}

/* --- What steps mean ----------------------------------------------------------------------- */

static void a_child_is_ready_from_its_spawn_on_and_synced_when_its_parent_goes_on(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 5 a 1 spawn 0; 6 a 1 spawned; 8 b 2 begin 1.0; 9 a 1 sync;"
		    "12 b 2 end; 13 a 1 synced; 20 a 1 end",
		    "1, a0-5 a6-9 a13-20\n"
		    "2<1, ready 6, b8-12, synced 13\n");
}

static void a_block_is_known_by_the_steps_and_the_sites_around_it(void **state)
{
	struct drawn_tree drawn = read_steps(NULL, "0 a 1 begin 0.0 @7; 5 a 1 pause @8; "
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
	release(&drawn);
}

static void a_task_that_pauses_may_go_on_on_another_thread(void **state)
{
	(void)state;
	assert_tree(NULL, "0 a 1 begin 0.0; 5 a 1 pause; 9 b 1 resume; 12 b 1 end",
		    "1, a0-5 b9-12\n");
}

static void a_task_that_begins_in_a_block_of_its_parent_runs_in_place(void **state)
{
	(void)state;
	assert_tree(NULL, "0 a 1 begin 0.0; 5 a 2 begin 1.0; 9 a 2 end; 12 a 1 end",
		    "1, a0-5 a9-12\n"
		    "2<1 in place, a5-9\n");
}

static void tasks_in_place_nest(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 3 begin 2.0; 3 a 3 end; 4 a 2 end;"
		    "5 a 1 end",
		    "1, a0-1 a4-5\n"
		    "2<1 in place, a1-2 a3-4\n"
		    "3<2 in place, a2-3\n");
}

static void a_task_in_place_may_end_on_another_thread_with_what_it_hides(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 2 pause; 3 b 2 resume; 5 b 2 end;"
		    "7 b 1 end",
		    "1, a0-1 b5-7\n"
		    "2<1 in place, a1-2 b3-5\n");
}

static void a_root_in_a_block_of_another_task_hides_that_and_is_not_its_child(void **state)
{
	(void)state;
	assert_tree(NULL, "0 a 1 begin 0.0; 1 a 2 begin 0.1; 2 a 2 end; 5 a 1 end",
		    "1, a0-1 a2-5\n"
		    "2, a1-2\n");
}

static void a_child_that_runs_between_spawn_and_spawned_was_never_ready(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 2 begin 1.0; 4 a 2 end; 5 a 1 spawned;"
		    "6 a 1 sync; 7 a 1 synced; 8 a 1 end",
		    "1, a0-1 a5-6 a7-8\n"
		    "2<1, a2-4, synced 7\n");
}

static void a_child_may_begin_before_its_spawn_is_seen(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 4 b 2 begin 1.7; 5 a 1 spawn 7; 6 a 1 spawned; 7 a 1 sync;"
		    "9 b 2 end; 10 a 1 synced; 12 a 1 end",
		    "1, a0-5 a6-7 a10-12\n"
		    "2<1, b4-9, synced 10\n");
}

static void a_child_whose_spawn_is_not_on_record_is_of_the_block_before_it(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 3 a 1 sync; 4 b 2 begin 1.7; 5 b 2 end; 6 a 1 synced;"
		    "7 b 3 begin 1.8; 9 b 3 end; 9 a 1 end",
		    "1, a0-3 a6-9\n"
		    "2<1, b4-5, synced 6\n"
		    "3<1, b7-9\n");
}

static void a_parent_may_begin_after_its_child(void **state)
{
	struct drawn_tree drawn =
		read_steps(NULL, "3 b 2 begin 1.0; 4 a 1 begin 0.5; 5 a 1 end; 6 b 2 end");

	(void)state;
	assert_int_equal(drawn.tree.task_count, 2);
	assert_int_equal(drawn.tree.tasks[0].id, 1);
	assert_int_equal(drawn.tree.tasks[0].index, 5);
	assert_int_equal(drawn.tree.tasks[1].parent, 0);
	assert_int_equal(drawn.tree.tasks[1].level, 1);
	assert_int_equal(drawn.tree.never_begun, 0);
	release(&drawn);
}

static void what_is_spawned_with_an_index_again_is_the_next_child_of_that_index(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 1 spawn 3; 2 a 1 spawned; 3 a 1 spawn 3; 4 a 1 spawned;"
		    "6 b 2 begin 1.3; 8 b 2 end; 9 b 3 begin 1.3; 10 b 3 end; 11 a 1 end",
		    "1, a0-1 a2-3 a4-11\n"
		    "2<1, ready 2, b6-8\n"
		    "3<1, ready 4, b9-10\n");
}

static void indices_reach_to_the_last_32_bit_number(void **state)
{
	struct drawn_tree drawn =
		read_steps(NULL, "0 a 1 begin 0.4294967295; 1 a 1 spawn 4294967294; 2 a 1 spawned;"
				 "3 b 2 begin 1.4294967294; 5 b 2 end; 6 a 1 end");
	char path[64];

	(void)state;
	assert_int_equal(drawn.tree.tasks[1].spawn, 0);
	assert_string_equal(task_tree_path(path, sizeof(path), &drawn.tree, 1),
			    "4294967295.4294967294");
	release(&drawn);
}

/* --- Syncs --------------------------------------------------------------------------------- */

/* As "AFTER: 2 3; AFTER: 4", by the numbers of intervals among those of task 1. */
static void assert_syncs(const char *steps, const char *want)
{
	struct drawn_tree drawn = read_steps(NULL, steps);
	const struct task_tree *tree = &drawn.tree;
	char text[256] = "";
	size_t length = 0;

	for (size_t i = 0; i < tree->sync_count; i++) {
		const struct task_sync *sync = &tree->syncs[i];

		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%zu:", i ? "; " : "", sync->after);
		for (size_t k = 0; k < sync->count; k++)
			length += (size_t)snprintf(
				text + length, sizeof(text) - length, " %u",
				(unsigned)tree->tasks[tree->synced[sync->first + k]].id);
	}
	assert_string_equal(text, want);
	release(&drawn);
}

#define TWO_CHILDREN                                                                   \
	"0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 a 1 spawn 1; 4 a 1 spawned;" \
	"5 b 2 begin 1.0; 6 b 2 end; 7 b 3 begin 1.1; 8 b 3 end;"

static void a_sync_waits_for_all_children_that_no_sync_has_waited_for(void **state)
{
	(void)state;
	assert_syncs(TWO_CHILDREN "9 a 1 sync; 10 a 1 synced; 11 a 1 spawn 2; 12 a 1 spawned;"
				  "13 a 4 begin 1.2; 14 a 4 end; 15 a 1 sync; 16 a 1 synced;"
				  "17 a 1 end",
		     "2: 2 3; 5:");
	assert_syncs(TWO_CHILDREN "9 a 1 sync; 10 a 1 synced; 11 a 1 spawn 2; 12 a 1 spawned;"
				  "13 b 4 begin 1.2; 14 b 4 end; 15 a 1 sync; 16 a 1 synced;"
				  "17 a 1 end",
		     "2: 2 3; 4: 4");
}

static void a_sync_waits_for_the_children_that_are_named_and_the_next_for_the_rest(void **state)
{
	(void)state;
	assert_syncs(TWO_CHILDREN "9 a 1 sync_of 1; 9 a 1 sync; 10 a 1 synced; 11 a 1 sync;"
				  "12 a 1 synced; 13 a 1 end",
		     "2: 3; 3: 2");
}

static void a_sync_for_a_child_that_is_not_on_record_waits_for_nobody(void **state)
{
	(void)state;
	assert_syncs(TWO_CHILDREN "9 a 1 sync_of 5; 9 a 1 sync; 10 a 1 synced; 13 a 1 end", "2:");
}

static void what_nobody_waits_for_is_waited_for_with_its_parent_if_it_has_ended(void **state)
{
	(void)state; /* 3, a child of 2, ends before 1 goes on; 4, a child of 2 as well, behind that
		      */
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 b 2 begin 1.0; 4 b 2 spawn 0;"
		    "5 b 2 spawned; 6 b 2 spawn 1; 7 b 2 spawned; 8 c 3 begin 2.0; 9 d 4 begin 2.1;"
		    "9 b 2 end; 10 a 1 sync; 12 c 3 end; 13 a 1 synced; 14 d 4 end; 15 a 1 end",
		    "1, a0-1 a2-10 a13-15\n"
		    "2<1, ready 2, b3-4 b5-6 b7-9, synced 13\n"
		    "3<2, ready 5, c8-12, synced 13\n"
		    "4<2, ready 7, d9-14\n");
}

/* 2 spawns 3, which spawns 4, and neither waits. */
#define THREE_BELOW                                                                      \
	"0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 b 2 begin 1.0; 4 b 2 spawn 7;" \
	"5 b 2 spawned; 6 c 3 begin 2.7; 7 c 3 spawn 0; 8 c 3 spawned; 9 d 4 begin 3.0;" \
	"10 b 2 end;"

static void a_sync_for_all_below_waits_for_what_children_have_left(void **state)
{
	static const struct {
		const char *steps, *want;
	} cases[] = {
		/* Whatever the clocks of other threads say. */
		{THREE_BELOW "11 a 1 sync 1; 12 c 3 end; 14 a 1 synced; 15 d 4 end; 16 a 1 end",
		 "1: 2 3 4"},
		/* A sync for children is for none of them, if another one will be. */
		{THREE_BELOW "11 a 1 sync; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 14 a 1 sync_of 0;"
			     "14 a 1 sync 1; 15 a 1 synced; 16 a 1 end",
		 "1: 2; 2: 3 4"},
		{THREE_BELOW "11 a 1 sync; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 16 a 1 end",
		 "1: 2 3 4"},
		/* What is named again is not waited for again, and the first one is who has. */
		{THREE_BELOW
		 "11 a 1 sync 1; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 14 a 1 sync_of 0;"
		 "14 a 1 sync 1; 15 a 1 synced; 16 a 1 end",
		 "1: 2 3 4; 2:"},
		/* The nearest one, of 2, and then that of 1. */
		{"0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 b 2 begin 1.0; 4 b 2 spawn 7;"
		 "5 b 2 spawned; 6 c 3 begin 2.7; 7 c 3 spawn 0; 8 c 3 spawned; 9 d 4 begin 3.0;"
		 "9 b 2 sync 1; 10 c 3 end; 11 d 4 end; 12 b 2 synced; 12 b 2 spawn 8; 13 b 2 "
		 "spawned;"
		 "14 c 5 begin 2.8; 15 b 2 end; 16 a 1 sync 1; 17 c 5 end; 18 a 1 synced; 19 a 1 "
		 "end",
		 "1: 2 5; 4: 3 4"},
		/* Of a child in place it is for what that has left. */
		{"0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 2 spawn 0; 3 a 2 spawned; 4 b 3 begin 2.0;"
		 "5 a 2 end; 6 a 1 sync 1; 8 b 3 end; 9 a 1 synced; 10 a 1 end",
		 "1: 3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_syncs(cases[i].steps, cases[i].want);
}

static void tasks_that_are_never_synced_are_counted(void **state)
{
	struct drawn_tree drawn = read_steps(NULL, TWO_CHILDREN "9 a 1 sync_of 0; 9 a 1 sync;"
								"10 a 1 synced; 13 a 1 end");

	(void)state;
	assert_int_equal(drawn.tree.never_synced, 1);
	release(&drawn);
}

static void children_that_are_spawned_and_never_begin_are_counted(void **state)
{
	static const struct {
		const char *steps;
		uint64_t want;
	} cases[] = {
		{TWO_CHILDREN "13 a 1 end", 0},
		{TWO_CHILDREN "9 a 1 spawn 2; 10 a 1 spawned; 13 a 1 end", 1},
		{TWO_CHILDREN "9 a 1 spawn 1; 10 a 1 spawned; 11 a 1 spawn 1; 13 a 1 end", 2},
		{TWO_CHILDREN "9 a 1 spawn 7; 10 a 1 spawned; 11 a 4 begin 1.7; 12 a 4 end", 0},
		{"0 a 1 begin 0.0; 1 a 2 begin 0.1; 2 a 2 spawn 0; 3 a 2 end; 4 b 3 begin 1.0;"
		 "5 b 3 end; 6 a 1 spawn 9; 7 a 1 end",
		 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drawn_tree drawn = read_steps(NULL, cases[i].steps);

		assert_int_equal(drawn.tree.never_run, cases[i].want);
		release(&drawn);
	}
}

/* --- What makes no sense ------------------------------------------------------------------- */

static void steps_of_tasks_that_are_not_known_are_counted(void **state)
{
	struct drawn_tree drawn = read_steps(
		NULL, "0 a 9 spawn 1; 1 a 9 spawned; 2 a 1 begin 0.0; 3 a 1 end; 4 a 1 sync");

	(void)state;
	assert_int_equal(drawn.tree.orphans, 3);
	assert_int_equal(drawn.tree.task_count, 1);
	release(&drawn);
}

/* Who waited goes on once: what comes later ends no wait. */
static void a_wait_ends_with_the_first_step_that_says_so(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 2 b 2 begin 1.0; 3 b 2 end;"
		    "4 a 1 sync; 5 a 1 synced; 7 a 1 synced; 9 a 1 end",
		    "1, a0-1 a2-4 a5-7 a7-9\n"
		    "2<1, b2-3, synced 5\n");
}

static void a_task_in_place_is_waited_for_when_it_ends(void **state)
{
	struct drawn_tree drawn = read_steps(
		NULL, "0 a 1 begin 0.0; 1 a 2 begin 1.0; 4 a 2 end; 5 a 3 begin 1.1; 6 a 1 end");

	(void)state;
	assert_int_equal(drawn.tree.tasks[1].synced_ns, DRAWING_BEGIN_NS + 4000);
	assert_int_equal(drawn.tree.tasks[2].synced_ns, 0);
	release(&drawn);
}

static void a_parent_that_never_begins_is_known_by_its_children(void **state)
{
	struct drawn_tree drawn = read_steps(NULL, "2 a 2 begin 9.0; 3 a 2 end; 4 b 3 begin 9.1;"
						   "8 b 3 end");

	(void)state;
	assert_int_equal(drawn.tree.task_count, 3);
	assert_int_equal(drawn.tree.never_begun, 1);
	assert_false(drawn.tree.tasks[0].begun);
	assert_int_equal(drawn.tree.tasks[0].site, TASK_UNKNOWN_SITE);
	assert_int_equal(drawn.tree.tasks[0].end_ns - drawn.tree.tasks[0].begin_ns, 6000);
	assert_int_equal(drawn.tree.tasks[0].ready_ns, drawn.tree.tasks[0].begin_ns);
	assert_int_equal(drawn.tree.levels, 2);
	release(&drawn);
}

/* Damaged recordings have times that cannot be, of which the first of all is one. */
static void the_first_step_may_be_at_no_time(void **state)
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
	release(&drawn);
}

/* What task 2 does next is seen in another thread, when the first is long gone. */
static void a_block_does_not_outlive_its_thread(void **state)
{
	static const char *const states[] = {"RRRRRRRRRR", "  RRRR    ", NULL};

	(void)state;
	assert_tree(states, "0 a 1 begin 0.0; 3 b 2 begin 1.0; 8 a 1 sync; 9 a 2 end",
		    "1, a0-8, open\n"
		    "2<1, b3-6\n");
}

static void a_task_that_never_ends_lasts_to_the_end_of_its_thread(void **state)
{
	static const char *const states[] = {"RRRRRRRRRR", "  RRRR    ", NULL};

	(void)state;
	assert_tree(states, "0 a 1 begin 0.0; 3 b 2 begin 1.0; 8 a 1 sync",
		    "1, a0-8, open\n"
		    "2<1, b3-6, open\n");
}

static void what_a_task_in_place_has_left_unseen_goes_on_with_the_task_below(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 2 begin 1.0; 2 a 3 begin 2.0; 5 a 1 sync; 6 a 1 synced;"
		    "9 a 1 end",
		    "1, a0-1 a6-9\n"
		    "2<1 in place, a1-2, open\n"
		    "3<2 in place, a2-5, open\n");
}

static void a_thread_that_goes_on_with_another_task_had_left_the_one_before(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 a 1 pause; 2 a 2 begin 0.1; 3 a 1 resume; 5 a 1 end;"
		    "6 a 2 end",
		    "1, a0-1 a3-5\n"
		    "2, a2-3\n");
}

static void a_task_whose_number_begins_again_is_another_one(void **state)
{
	(void)state;
	assert_tree(NULL, "0 a 1 begin 0.0; 2 a 1 end; 3 a 1 begin 0.0; 5 a 1 end",
		    "1, a0-2\n1, a3-5\n");
}

static void numbers_of_tasks_are_their_processs_own(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 0.0; 1 A 1 begin 0.0; 2 A 2 begin 1.0; 3 A 2 end; 4 a 1 end;"
		    "5 A 1 end",
		    "1, a0-4\n"
		    "1, A1-2 A3-5\n"
		    "2<1 in place, A2-3\n");
}

static void nobody_is_his_own_ancestor(void **state)
{
	(void)state;
	assert_tree(NULL,
		    "0 a 1 begin 2.0; 1 b 2 begin 1.0; 2 c 3 begin 3.0; 5 a 1 end; 5 b 2 end;"
		    "5 c 3 end",
		    "2, b1-5\n"
		    "1<2, a0-5\n"
		    "3, c2-5\n");
}

static void a_recording_without_tasks_is_an_error(void **state)
{
	static const int32_t root = DRAWING_TID, other = DRAWING_TID + 1;
	static const struct {
		const char *steps;
		struct selection selection;
		const char *want;
	} cases[] = {
		{"0 a 1 end", {0}, "tells of no tasks that the target ran; record some"},
		{"0 a 1 end", {.pids = &root, .pid_count = 1}, "no thread that --pid asks for"},
		{"0 a 1 begin 0.0; 1 a 1 end; 2 b 2 pause",
		 {.tids = &other, .tid_count = 1},
		 "no thread that --tid asks for has run a task on record; leave that out"},
		{"0 a 1 begin 0.0; 1 a 1 end; 2 b 2 pause",
		 {.tids = &other, .tid_count = 1, .comm = "other"},
		 "no thread that --tid, --comm other asks for"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_source *source = task_drawing(NULL, cases[i].steps);
		struct task_tree tree;
		struct err err = {""};

		assert_int_equal(task_tree_read(&tree, source, &cases[i].selection, &err), -1);
		if (!strstr(err.text, cases[i].want))
			fail_msg("%s", err.text);
		event_source_free(source);
	}
}

/* --- States -------------------------------------------------------------------------------- */

static void what_a_thread_is_off_its_cpu_is_no_running_time_of_a_block(void **state)
{
	static const char *const states[] = {"RRRRwwRR..wRRR", NULL};

	(void)state;
	assert_tree(states, "0 a 1 begin 0.0; 3 a 1 spawn 0; 5 a 1 spawned; 13 a 1 end",
		    "1, a0-3 a5-13(4)\n");
}

static void workers_know_when_they_waited_and_when_they_slept(void **state)
{
	static const char *const states[] = {"RRRRwwRR..wRRR", NULL};
	struct drawn_tree drawn = read_steps(states, "0 a 1 begin 0.0; 13 a 1 end");
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
	release(&drawn);
}

static void workers_are_threads_of_the_timeline_by_their_number(void **state)
{
	static const char *const states[] = {"RRRRRRRR", "RRRRRRRR", NULL};
	struct drawn_tree drawn = read_steps(states, "0 b 1 begin 0.0; 3 b 1 end");

	(void)state;
	assert_int_equal(drawn.tree.worker_count, 1);
	assert_int_equal(drawn.tree.workers[0].thread, 1);
	release(&drawn);
}

static void where_there_is_no_scheduler_it_is_not_known_what_threads_did_in_blocks(void **state)
{
	struct drawn_tree drawn = read_steps(NULL, "0 a 1 begin 0.0; 13 a 1 end");

	(void)state;
	assert_false(drawn.tree.has_states);
	assert_int_equal(drawn.tree.intervals[0].running_ns, 13000);
	assert_int_equal(drawn.tree.unknown_ns, 13000);
	release(&drawn);
}

/* --- Random programs ----------------------------------------------------------------------- */

enum { PROGRAMS = 400, PROGRAM_TASKS = 40, PROGRAM_LEVELS = 6, HOSTILE = 400, HOSTILE_STEPS = 80 };

static void random_programs_have_the_tree_that_they_were_run_with(void **state)
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

/* What is true of each tree, whatever its steps were. */
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

/* Of two workers at once in one block, or one in two, nothing may come. */
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

static void a_path_that_has_no_room_is_none(void **state)
{
	struct drawn_tree drawn = read_steps(NULL, "0 a 1 begin 0.12; 1 a 2 begin 1.34;"
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
	release(&drawn);
}

static void names_of_sites_have_a_function_a_file_and_a_line(void **state)
{
	static const struct {
		const char *name, *function, *file;
		uint32_t line;
	} cases[] = {
		{"fib fib.c:17", "fib", "fib.c", 17},
		{"operator new(unsigned long) a b/new.cc:3", "operator new(unsigned long) a",
		 "b/new.cc", 3},
		{"fib /my src/fib.c:17", "fib", "/my src/fib.c", 17},
		{"fib+0x1f", "fib", NULL, 0},
		{"_start+0", "_start", NULL, 0},
		{"a+b", "a+b", NULL, 0},
		{"std::sort", "std::sort", NULL, 0},
		{"f x.c:12x", "f x.c:12x", NULL, 0},
		{"f x.c:", "f x.c:", NULL, 0},
		{"f x.c:99999999999", "f x.c:99999999999", NULL, 0},
		{"", "", NULL, 0},
	};
	struct blocks blocks = {0};
	const struct task_tree tree = {.blocks = &blocks};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct site_name got;

		blocks_number(&blocks, cases[i].name, strlen(cases[i].name));
		got = task_site_name(&tree, (uint32_t)i);
		assert_int_equal(got.function_length, strlen(cases[i].function));
		assert_memory_equal(got.function, cases[i].function, (size_t)got.function_length);
		assert_int_equal(got.line, cases[i].line);
		if (!cases[i].file) {
			assert_null(got.file);
			continue;
		}
		assert_int_equal(got.file_length, strlen(cases[i].file));
		assert_memory_equal(got.file, cases[i].file, (size_t)got.file_length);
	}
	assert_memory_equal(task_site_name(&tree, TASK_UNKNOWN_SITE).function, "?", 1);
	blocks_release(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_child_is_ready_from_its_spawn_on_and_synced_when_its_parent_goes_on),
		cmocka_unit_test(a_block_is_known_by_the_steps_and_the_sites_around_it),
		cmocka_unit_test(a_task_that_pauses_may_go_on_on_another_thread),
		cmocka_unit_test(a_task_that_begins_in_a_block_of_its_parent_runs_in_place),
		cmocka_unit_test(tasks_in_place_nest),
		cmocka_unit_test(a_task_in_place_may_end_on_another_thread_with_what_it_hides),
		cmocka_unit_test(a_root_in_a_block_of_another_task_hides_that_and_is_not_its_child),
		cmocka_unit_test(a_child_that_runs_between_spawn_and_spawned_was_never_ready),
		cmocka_unit_test(a_child_may_begin_before_its_spawn_is_seen),
		cmocka_unit_test(a_child_whose_spawn_is_not_on_record_is_of_the_block_before_it),
		cmocka_unit_test(a_parent_may_begin_after_its_child),
		cmocka_unit_test(
			what_is_spawned_with_an_index_again_is_the_next_child_of_that_index),
		cmocka_unit_test(indices_reach_to_the_last_32_bit_number),
		cmocka_unit_test(a_sync_waits_for_all_children_that_no_sync_has_waited_for),
		cmocka_unit_test(
			a_sync_waits_for_the_children_that_are_named_and_the_next_for_the_rest),
		cmocka_unit_test(a_sync_for_a_child_that_is_not_on_record_waits_for_nobody),
		cmocka_unit_test(
			what_nobody_waits_for_is_waited_for_with_its_parent_if_it_has_ended),
		cmocka_unit_test(a_sync_for_all_below_waits_for_what_children_have_left),
		cmocka_unit_test(tasks_that_are_never_synced_are_counted),
		cmocka_unit_test(children_that_are_spawned_and_never_begin_are_counted),
		cmocka_unit_test(steps_of_tasks_that_are_not_known_are_counted),
		cmocka_unit_test(a_wait_ends_with_the_first_step_that_says_so),
		cmocka_unit_test(a_task_in_place_is_waited_for_when_it_ends),
		cmocka_unit_test(a_parent_that_never_begins_is_known_by_its_children),
		cmocka_unit_test(the_first_step_may_be_at_no_time),
		cmocka_unit_test(a_block_does_not_outlive_its_thread),
		cmocka_unit_test(a_task_that_never_ends_lasts_to_the_end_of_its_thread),
		cmocka_unit_test(what_a_task_in_place_has_left_unseen_goes_on_with_the_task_below),
		cmocka_unit_test(a_thread_that_goes_on_with_another_task_had_left_the_one_before),
		cmocka_unit_test(a_task_whose_number_begins_again_is_another_one),
		cmocka_unit_test(numbers_of_tasks_are_their_processs_own),
		cmocka_unit_test(nobody_is_his_own_ancestor),
		cmocka_unit_test(a_recording_without_tasks_is_an_error),
		cmocka_unit_test(what_a_thread_is_off_its_cpu_is_no_running_time_of_a_block),
		cmocka_unit_test(workers_know_when_they_waited_and_when_they_slept),
		cmocka_unit_test(workers_are_threads_of_the_timeline_by_their_number),
		cmocka_unit_test(
			where_there_is_no_scheduler_it_is_not_known_what_threads_did_in_blocks),
		cmocka_unit_test(random_programs_have_the_tree_that_they_were_run_with),
		cmocka_unit_test(steps_in_any_order_make_a_tree),
		cmocka_unit_test(a_tree_may_be_a_hundred_thousand_levels_deep),
		cmocka_unit_test(a_path_that_has_no_room_is_none),
		cmocka_unit_test(names_of_sites_have_a_function_a_file_and_a_line),
	};

	return RUN_TESTS(tests);
}
