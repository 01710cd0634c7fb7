/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As "AFTER: 2 3; AFTER: 4", by the numbers of intervals among those of task 1. */
static void assert_syncs(const char *steps, const char *want)
{
	struct drawn_tree drawn = drawn_tree_read(NULL, steps);
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
	drawn_tree_release(&drawn);
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

static void a_sync_waits_for_the_named_children_and_the_next_for_the_rest(void **state)
{
	(void)state;
	assert_syncs(TWO_CHILDREN "9 a 1 sync_of 1; 9 a 1 sync; 10 a 1 synced; 11 a 1 sync;"
				  "12 a 1 synced; 13 a 1 end",
		     "2: 3; 3: 2");
}

static void a_sync_for_an_unrecorded_child_waits_for_no_task(void **state)
{
	(void)state;
	assert_syncs(TWO_CHILDREN "9 a 1 sync_of 5; 9 a 1 sync; 10 a 1 synced; 13 a 1 end", "2:");
}

/* 2 has the children 3 and 4: 3 ends before 1 continues, 4 later. */
static void an_ended_task_without_a_sync_is_synced_with_its_parent(void **state)
{
	(void)state;
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

static void a_sync_for_all_descendants_waits_for_children_of_children(void **state)
{
	static const struct {
		const char *steps, *want;
	} cases[] = {
		/* For any clocks of other threads. */
		{THREE_BELOW "11 a 1 sync 1; 12 c 3 end; 14 a 1 synced; 15 d 4 end; 16 a 1 end",
		 "1: 2 3 4"},
		/* A sync for children is for none of them, if a later sync is for that child. */
		{THREE_BELOW "11 a 1 sync; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 14 a 1 sync_of 0;"
			     "14 a 1 sync 1; 15 a 1 synced; 16 a 1 end",
		 "1: 2; 2: 3 4"},
		{THREE_BELOW "11 a 1 sync; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 16 a 1 end",
		 "1: 2 3 4"},
		/* A child that is named again is not waited for again; the first sync has waited
		 * for it. */
		{THREE_BELOW
		 "11 a 1 sync 1; 12 c 3 end; 12 d 4 end; 13 a 1 synced; 14 a 1 sync_of 0;"
		 "14 a 1 sync 1; 15 a 1 synced; 16 a 1 end",
		 "1: 2 3 4; 2:"},
		/* The nearest sync, of 2, and then that of 1. */
		{"0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 b 2 begin 1.0; 4 b 2 spawn 7;"
		 "5 b 2 spawned; 6 c 3 begin 2.7; 7 c 3 spawn 0; 8 c 3 spawned; 9 d 4 begin 3.0;"
		 "9 b 2 sync 1; 10 c 3 end; 11 d 4 end; 12 b 2 synced; 12 b 2 spawn 8; 13 b 2 "
		 "spawned;"
		 "14 c 5 begin 2.8; 15 b 2 end; 16 a 1 sync 1; 17 c 5 end; 18 a 1 synced; 19 a 1 "
		 "end",
		 "1: 2 5; 4: 3 4"},
		/* For a child in place it waits for the children that this one has left. */
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
	struct drawn_tree drawn = drawn_tree_read(NULL, TWO_CHILDREN "9 a 1 sync_of 0; 9 a 1 sync;"
								     "10 a 1 synced; 13 a 1 end");

	(void)state;
	assert_int_equal(drawn.tree.never_synced, 1);
	drawn_tree_release(&drawn);
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
		struct drawn_tree drawn = drawn_tree_read(NULL, cases[i].steps);

		assert_int_equal(drawn.tree.never_run, cases[i].want);
		drawn_tree_release(&drawn);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_sync_waits_for_all_children_that_no_sync_has_waited_for),
	cmocka_unit_test(a_sync_waits_for_the_named_children_and_the_next_for_the_rest),
	cmocka_unit_test(a_sync_for_an_unrecorded_child_waits_for_no_task),
	cmocka_unit_test(an_ended_task_without_a_sync_is_synced_with_its_parent),
	cmocka_unit_test(a_sync_for_all_descendants_waits_for_children_of_children),
	cmocka_unit_test(tasks_that_are_never_synced_are_counted),
	cmocka_unit_test(children_that_are_spawned_and_never_begin_are_counted),
};

TEST_FILE(tests);
