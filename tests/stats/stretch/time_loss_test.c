/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "random.h"
#include "support.h"

#include <stdlib.h>

/* In microseconds of core time. */
struct want {
	double wall, work, overhead, delay, no_work, crowded, preempted;
};

static void assert_loss(const char *says, const struct time_loss *got, const struct want *want)
{
	const double values[][2] = {
		{got->wall_s, want->wall},	     {got->work_s, want->work},
		{got->overhead_s, want->overhead},   {got->delay_s, want->delay},
		{got->no_work_s, want->no_work},     {got->crowded_s, want->crowded},
		{got->preempted_s, want->preempted},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_close_at(values[i][0] * 1e6, values[i][1], 1e-9, says, __FILE__, __LINE__);
	assert_close(got->work_s + got->overhead_s + got->delay_s + got->no_work_s,
		     got->cores * got->wall_s, 1e-12);
}

/* --- Hand-computed ------------------------------------------------------------------------- */

static const struct {
	const char *says;
	const char *states[4]; /* none: the scheduler is not recorded */
	const char *steps;
	unsigned cores;
	struct want want;
} cases[] = {
	{"one worker in one block is all work",
	 {"RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 10 a 1 end",
	 0,
	 {.wall = 10, .work = 10}},
	{"one worker in one block is all work",
	 {"RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 10 a 1 end",
	 3,
	 {.wall = 10, .work = 10, .no_work = 20}},
	/* Spawned from 2 to 3, ready from 3 on, begun at 8 though b runs from 7 on. */
	{"a task that is ready while a worker sleeps is delayed",
	 {"RRRRRRRRRRRR", "R.....wRRRRR"},
	 "0 a 1 begin 0.0; 2 a 1 spawn 0; 3 a 1 spawned; 8 b 2 begin 1.0;"
	 "10 b 2 end; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 11, .overhead = 2, .delay = 4, .preempted = 1, .no_work = 3}},
	{"a worker that looks for work where there is none is without work",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 2 a 1 spawn 0; 3 a 1 spawned; 3 b 2 begin 1.0; 5 b 2 end;"
	 "10 a 1 end",
	 2,
	 {.wall = 10, .work = 11, .overhead = 1, .no_work = 8}},
	{"fetching a ready task is overhead",
	 {"RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 1 a 1 spawn 0; 2 a 1 spawned; 3 a 1 sync;"
	 "5 a 2 begin 1.0; 7 a 2 end; 8 a 1 synced; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 6, .overhead = 4}},
	{"a sync that waits is no overhead until its children have ended",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 0 a 1 spawn 0; 0 a 1 spawned; 0 b 2 begin 1.0;"
	 "3 a 1 sync; 7 b 2 end; 9 a 1 synced; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 11, .overhead = 2, .no_work = 7}},
	{"a worker that must be woken to go on delays its task",
	 {"RRR.....wRRR", "RRRRRRR....."},
	 "0 a 1 begin 0.0; 0 a 1 spawn 0; 0 a 1 spawned; 0 b 2 begin 1.0;"
	 "3 a 1 sync; 7 b 2 end; 10 a 1 synced; 11 a 1 end",
	 2,
	 {.wall = 11, .work = 11, .overhead = 1, .delay = 2, .preempted = 1, .no_work = 8}},
	{"a block whose worker is preempted is delayed and no work",
	 {"RRRwwwwRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 10 a 1 end; 10 b 2 begin 0.0; 10 b 2 end",
	 2,
	 {.wall = 10, .work = 6, .delay = 4, .preempted = 4, .no_work = 10}},
	{"preempted blocks beyond the cores are no loss",
	 {"RRRRRwwwwwww", "wwwwwRRRRRRR"},
	 "0 a 1 begin 0.0; 0 b 2 begin 0.1; 10 a 1 end; 10 b 2 end",
	 1,
	 {.wall = 10, .work = 10}},
	{"preempted blocks beyond the cores are no loss",
	 {"RRRRRwwwwwww", "wwwwwRRRRRRR"},
	 "0 a 1 begin 0.0; 0 b 2 begin 0.1; 10 a 1 end; 10 b 2 end",
	 2,
	 {.wall = 10, .work = 10, .delay = 10, .preempted = 10}},
	{"a block that sleeps leaves its core without work",
	 {"RRR....RRRRR"},
	 "0 a 1 begin 0.0; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 6, .no_work = 4}},
	{"a child that runs in its parents spawn leaves nothing ready",
	 {"RRRRRRRRRRRR", "R..........."},
	 "0 b 9 begin 0.1; 0 b 9 end; 0 a 1 begin 0.0; 2 a 1 spawn 0;"
	 "3 a 2 begin 1.0; 7 a 2 end; 8 a 1 spawned; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 8, .overhead = 2, .no_work = 10}},
	{"a worker that joins the team it spawns waits for the team afterwards",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 2 a 1 spawn 0; 3 a 1 spawn 1; 4 a 2 begin 1.0;"
	 "4 b 3 begin 1.1; 6 a 2 end; 6 a 1 sync; 9 b 3 end; 10 a 1 synced;"
	 "11 a 1 end",
	 2,
	 {.wall = 11, .work = 10, .overhead = 4, .no_work = 8}},
	/* b has done its part of the team's work before a, which is preempted, begins its own. */
	{"a task that is left to a preempted worker is fetched by no other worker",
	 {"RRRRRwwwwRRRR", "RRRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 2 a 1 spawn 1; 3 b 3 begin 1.1; 4 b 3 end; 4 a 1 spawn 0;"
	 "10 a 2 begin 1.0; 11 a 2 end; 11 a 1 sync; 11 a 1 synced; 12 a 1 end",
	 2,
	 {.wall = 12, .work = 5, .overhead = 3, .delay = 4, .preempted = 4, .no_work = 12}},
	/* b looks for work up to the end, while the task that is ready from 3 on is left to a. */
	{"a worker that finds no task has no work, and a ready task is delayed",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 b 9 begin 0.1; 0 b 9 end; 0 a 1 begin 0.0; 2 a 1 spawn 0; 3 a 1 spawned;"
	 "6 a 1 sync; 6 a 2 begin 1.0; 8 a 2 end; 8 a 1 synced; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 9, .overhead = 1, .delay = 3, .no_work = 7}},
	/* b gets 3, which is ready from 5 on; but 2 has been ready since 2, and b is busy getting
	 * one of them. */
	{"a worker that gets the last spawned task was not without work before",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 0 b 9 begin 0.1; 1 b 9 end; 1 a 1 spawn 0; 2 a 1 spawned;"
	 "4 a 1 spawn 1; 5 a 1 spawned; 6 b 3 begin 1.1; 6 a 1 sync;"
	 "7 a 2 begin 1.0; 8 b 3 end; 8 a 2 end; 9 a 1 synced; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 9, .overhead = 8, .no_work = 3}},
	/* It creates another task, which b runs; it cannot do other work before the spawn has
	 * ended. */
	{"a long spawn is overhead all the time",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 2 a 1 spawn 0; 3 b 2 begin 1.0; 5 b 2 end; 7 a 1 spawned;"
	 "10 a 1 end",
	 2,
	 {.wall = 10, .work = 7, .overhead = 5, .no_work = 8}},
	{"a task in place is work without a gap",
	 {"RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 3 a 2 begin 1.0; 7 a 2 end; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 10}},
	{"tasks that pause are not ready",
	 {"RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 3 a 1 pause; 7 a 1 resume; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 6, .no_work = 4}},
	/* 3 continues 3 after it could, 2 at once. */
	{"a barrier keeps tasks until the last sibling has come",
	 {"RRRRRRRRRRRRRR", "RRRRRRRRRRRRRR", "RRRRRRRRRRRRRR"},
	 "0 c 1 begin 0.0; 0 c 1 spawn 0; 0 c 1 spawned; 0 c 1 spawn 1;"
	 "0 c 1 spawned; 0 c 1 sync; 0 a 2 begin 1.0; 0 b 3 begin 1.1;"
	 "2 b 3 barrier; 5 a 2 barrier; 5 a 2 resume; 8 b 3 resume; 10 b 3 end;"
	 "10 a 2 end; 10 c 1 synced; 10 c 1 end",
	 2,
	 {.wall = 10, .work = 14, .overhead = 3, .no_work = 3}},
	/* From 3 on a runs 4, for which 2 and 3 wait up to 7. */
	{"a barrier keeps tasks until the tasks that they have spawned have ended",
	 {"RRRRRRRRRRRRRR", "RRRRRRRRRRRRRR", "R........wRRRR"},
	 "0 c 1 begin 0.0; 0 c 1 spawn 0; 0 c 1 spawned; 0 c 1 spawn 1;"
	 "0 c 1 spawned; 0 c 1 sync; 0 a 2 begin 1.0; 0 b 3 begin 1.1;"
	 "2 a 2 spawn 0; 2 a 2 spawned; 3 b 3 barrier; 3 a 2 barrier;"
	 "3 a 4 begin 2.0; 7 a 4 end; 7 a 2 resume; 8 b 3 resume; 10 b 3 end;"
	 "10 a 2 end; 10 c 1 synced; 10 c 1 end",
	 2,
	 {.wall = 10, .work = 15, .overhead = 1, .no_work = 4}},
	{"teams of the same parent do not wait for each other",
	 {"RRRRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 0 a 1 spawn 0; 0 a 1 spawned; 0 a 1 sync;"
	 "0 a 2 begin 1.0; 2 a 2 barrier; 3 a 2 resume; 4 a 2 end; 4 a 1 synced;"
	 "4 a 1 spawn 1; 4 a 1 spawned; 4 a 1 sync; 4 a 3 begin 1.1; 6 a 3 barrier;"
	 "8 a 3 resume; 9 a 3 end; 9 a 1 synced; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 7, .overhead = 3}},
	{"without a scheduler spawning alone is overhead",
	 {},
	 "0 a 1 begin 0.0; 2 a 1 spawn 0; 3 a 1 spawned; 5 b 2 begin 1.0;"
	 "6 a 1 sync; 7 b 2 end; 9 a 1 synced; 10 a 1 end",
	 2,
	 {.wall = 10, .work = 8, .overhead = 1, .delay = 4, .no_work = 7}},
	{"more workers than cores are crowded",
	 {"RRRRRRRRRRRR", "RRRRRRRRRRRR"},
	 "0 a 1 begin 0.0; 4 b 2 begin 0.1; 10 b 2 end; 10 a 1 end",
	 1,
	 {.wall = 10, .work = 10, .crowded = 6}},
};

static void each_instant_counts_by_the_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_source *source =
			task_drawing(cases[i].states[0] ? cases[i].states : NULL, cases[i].steps);
		struct task_tree tree;
		struct time_loss loss;

		task_drawing_read(&tree, source);
		time_loss_of_tasks(&loss, &tree, cases[i].cores);
		assert_loss(cases[i].says, &loss, &cases[i].want);
		task_tree_release(&tree);
		event_source_free(source);
	}
}

static void cores_are_as_many_as_there_are_workers_at_once(void **state)
{
	static const char *const states[] = {"RRRRRRRRRRRR", "  RRR       ", "     RRR    ", NULL};
	struct event_source *source =
		task_drawing(states, "0 a 1 begin 0.0; 3 b 2 begin 1.0; 4 b 2 end; 5 c 3 begin 1.1;"
				     "6 c 3 end; 10 a 1 end");
	struct task_tree tree;
	struct time_loss loss;

	(void)state;
	task_drawing_read(&tree, source);
	time_loss_of_tasks(&loss, &tree, 0);
	assert_close(loss.cores, 2, 0);
	task_tree_release(&tree);
	event_source_free(source);
}

/* --- Over time ----------------------------------------------------------------------------- */

static void parts_have_the_losses_of_their_time(void **state)
{
	static const char *const states[] = {"RRRRRRRRRRRR", NULL};
	struct event_source *source =
		task_drawing(states, "0 a 1 begin 0.0; 3 a 1 pause; 5 a 1 resume; 7 a 1 spawn 0;"
				     "9 a 1 spawned; 10 a 1 end");
	static const struct want want[] = {
		{.wall = 2, .work = 2},
		{.wall = 2, .work = 1, .no_work = 1},
		{.wall = 2, .work = 1, .no_work = 1},
		{.wall = 2, .work = 1, .overhead = 1},
		{.wall = 2, .work = 1, .overhead = 1},
	};
	struct task_tree tree;
	struct time_loss losses[5];

	(void)state;
	task_drawing_read(&tree, source);
	time_loss_of_tasks_over_time(losses, 5, &tree, 1);
	for (size_t i = 0; i < 5; i++)
		assert_loss("a part", &losses[i], &want[i]);
	task_tree_release(&tree);
	event_source_free(source);
}

/* Steps of any kind by any worker on any task, in any order. */
static struct event_source *random_steps(struct random *random, size_t count)
{
	static const char *const states[] = {"RRRwwRR..RRRRRRwRRRRRDDRRRRR..",
					     "RR...RRRRRRRwwwwRRRRRRRRRRR...",
					     " RRRR...RRRRRRRRRRRR....RRRRRR", NULL};
	struct event_source *scheduler = drawing_source(states), *source;
	struct event *events = calloc(count + 256, sizeof(*events));
	size_t filled = 0;

	while (event_source_next(scheduler, &events[filled], NULL) > 0)
		filled++;
	event_source_free(scheduler);
	events[filled++] = task_drawing_step(0, 0, 1, TASK_BEGIN, 0, 0);
	for (size_t i = 0; i < count; i++)
		events[filled++] = task_drawing_step(
			random_below(random, 30 * DRAWING_STEP_NS),
			(int32_t)random_below(random, 3), 1 + random_below(random, 8),
			(enum task_step)(1 + random_below(random, TASK_STEPS - 1)),
			random_below(random, 9), (uint32_t)random_below(random, 3));
	source = task_drawing_source(events, filled);
	free(events);
	return source;
}

enum { RANDOM_TREES = 300, PARTS = 7 };

static void parts_add_up_to_the_whole_for_any_steps(void **state)
{
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < RANDOM_TREES; i++) {
		struct event_source *source = random_steps(&random, 60);
		unsigned cores = (unsigned)random_below(&random, 5);
		struct time_loss whole, parts[PARTS], sum = {0};
		struct task_tree tree;

		task_drawing_read(&tree, source);
		time_loss_of_tasks(&whole, &tree, cores);
		time_loss_of_tasks_over_time(parts, PARTS, &tree, cores);
		for (size_t k = 0; k < PARTS; k++) {
			sum.wall_s += parts[k].wall_s;
			sum.work_s += parts[k].work_s;
			sum.overhead_s += parts[k].overhead_s;
			sum.delay_s += parts[k].delay_s;
			sum.no_work_s += parts[k].no_work_s;
			sum.crowded_s += parts[k].crowded_s;
			sum.preempted_s += parts[k].preempted_s;
		}
		sum.cores = whole.cores;
		assert_loss("the sum", &sum,
			    &(struct want){whole.wall_s * 1e6, whole.work_s * 1e6,
					   whole.overhead_s * 1e6, whole.delay_s * 1e6,
					   whole.no_work_s * 1e6, whole.crowded_s * 1e6,
					   whole.preempted_s * 1e6});
		task_tree_release(&tree);
		event_source_free(source);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_instant_counts_by_the_rule),
	cmocka_unit_test(cores_are_as_many_as_there_are_workers_at_once),
	cmocka_unit_test(parts_have_the_losses_of_their_time),
	cmocka_unit_test(parts_add_up_to_the_whole_for_any_steps),
};

TEST_FILE(tests);
