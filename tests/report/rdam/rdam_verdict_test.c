/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "report/rdam_viewed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_says(const struct rdam_view *view, const char *begins, const char *holds)
{
	char *verdict = rdam_view_verdict(view);

	if (strncmp(verdict, begins, strlen(begins)) != 0 || !strstr(verdict, holds))
		fail_msg("'%s ... %s' is not what it says: %s", begins, holds, verdict);
	free(verdict);
}

/* Each is a thread of the target beside a stranger; the first call is as fast as can be. */
static void it_says_what_costs_most_and_where_that_went(void **state)
{
	static const struct {
		const char *states, *blocks, *begins, *holds;
		double threshold;
	} cases[] = {
		{" RRRRRR....wRRR", " A a A        a",
		 "A costs most: its 2 occurrences in thread 100",
		 "For 57.1 % of that it was blocked, mostly until a thread that is not of the "
		 "target "
		 "let it go on.",
		 0.2},
		{" RRRRRRwwwwwRRR", " A a A        a",
		 "A costs most: its 2 occurrences in thread 100",
		 "took 7.00 us longer than if each had been as fast as the fastest, 2.00 us: 50 "
		 "% "
		 "of the thread's wall time of 14.0 us. For 71.4 % of that it waited for a CPU "
		 "that "
		 "another program had.",
		 0.2},
		{" RRRRRRDDDDwRRR", " A a A        a",
		 "A costs most: ", "it waited for a device without being interruptible.", 0.2},
		{" RRRRRRRRRRRRRR", " A a A        a",
		 "A costs most: ", "For 100 % of that it was on a CPU and slower", 0.2},
		{" RRRRRRRRRRRRRR", " A a A <    > a", "A costs most: ",
		 "For 71.4 % of that it waited for the kernel to give it memory", 0.2},
		{" RRRRRRTTTTwRRR", " A a A        a",
		 "A costs most: ", "it was stopped by a signal or a debugger.", 0.2},
		{" RRRRRR...wwRRR", " A a A        a", "A costs most: ",
		 "For 42.9 % of that it was blocked, mostly until a thread that is not of the "
		 "target let it "
		 "go on, and 28.6 % is CPU wait.",
		 0.2},
		{" RRRRRR....wRRR", " A a A        a",
		 "No block costs 90 % of wall time or more. Most "
		 "does A: its 2 occurrences",
		 "it was blocked", 0.9},
		{" RRRRRRRRRRR....wRRR", " AB ba AB       ba", "A { B } costs most: ",
		 " Most of that, 6.00 us, is lost within it, in B. For 66.7 %", 0.2},
		{" RRRRRRRRRRRR", " A a A aA a",
		 "Each block takes as long as it did when it was "
		 "fastest: nothing is lost.",
		 "", 0.2},
		{" RRRRRRRRRRRR", " A a", "No block was run often enough", "", 0.2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct drawn_blocks rows[] = {{cases[i].states, cases[i].blocks},
						    {NULL, NULL}};
		struct event_source *source = block_drawing(rows, false);
		struct viewed viewed;

		source->target.has_faults = true;
		view_source(&viewed, source, NULL, cases[i].threshold);
		assert_says(&viewed.view, cases[i].begins, cases[i].holds);
		view_release(&viewed);
	}
}

/* Thread 101 lets 100 go on, and loses as much itself in the same block. */
static void it_says_who_and_whom_else(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRRR....wRRR", " A a A        a"},
						   {" RRRRRRRRRRRRRR", " A a A     0  a"},
						   {NULL, NULL}};
	struct viewed viewed;

	(void)state;
	view_source(&viewed, block_drawing(rows, false), NULL, 0.2);
	assert_says(&viewed.view, "A costs most: its 2 occurrences in thread 100",
		    "It costs 1 other thread 20 % or more, too. For 57.1 % of that it was blocked, "
		    "mostly until thread 101 let it go on.");
	view_release(&viewed);
}

/* As two rows: how often they ran and what durations follow from decides which is told of first. */
static void what_arguments_explain_and_what_is_rare_comes_last(void **state)
{
	static const struct {
		struct rdam_row first, second;
		const char *begins, *holds;
	} cases[] = {
		/* What it had to do explains the first. */
		{{.score = 0.8, .grouped_score = 0.1},
		 {.score = 0.5, .grouped_score = 0.5},
		 "two costs most: ",
		 "(The score of one is higher, 80 %, but how long it takes depends on what it is "
		 "given to do.)"},
		/* The first ran rarely, and the other is enough to tell of. */
		{{.score = 0.8, .grouped_score = 0.8, .few = true},
		 {.score = 0.5, .grouped_score = 0.5},
		 "two costs most: ",
		 "(The score of one is higher, 80 %, but it has run only 9 times.)"},
		/* ... and is not. */
		{{.score = 0.8, .grouped_score = 0.8, .few = true},
		 {.score = 0.1, .grouped_score = 0.1},
		 "one costs most: ",
		 "80 %"},
		/* Nobody knows how its work depends on its arguments: but it waited for a CPU. */
		{{.score = 0.8,
		  .grouped_score = 0.8,
		  .known_dependent = true,
		  .causes_s = {[RDAM_CPU_WAIT_STRANGER] = 3, [RDAM_ON_CPU] = 1}},
		 {.score = 0.5, .grouped_score = 0.5},
		 "one costs most: ",
		 "it waited for a CPU that another program had. But what it has to do is known to "
		 "depend on its arguments"},
		/* ... or ran. */
		{{.score = 0.8,
		  .grouped_score = 0.8,
		  .known_dependent = true,
		  .causes_s = {[RDAM_CPU_WAIT_STRANGER] = 1, [RDAM_ON_CPU] = 3}},
		 {.score = 0.5, .grouped_score = 0.5},
		 "two costs most: ",
		 "(The score of one is higher, 80 %, but how long"},
		{{.score = 0.1, .grouped_score = 0.1},
		 {.score = 0.05, .grouped_score = 0.05},
		 "No block costs 20 % of wall time or more. Most does one: ",
		 ""},
	};
	uint64_t times_ns[] = {0, 1};
	uint32_t tokens[] = {0, 1};
	struct block_thread thread = {.tid = 7, .tokens = tokens, .times_ns = times_ns, .count = 2};
	struct blocks blocks = {0};
	const struct block_trace trace = {.threads = &thread,
					  .thread_count = 1,
					  .blocks = &blocks,
					  .has_states = true,
					  .every = 1};

	(void)state;
	blocks_number(&blocks, "one", 3);
	blocks_number(&blocks, "two", 3);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_row rows[] = {cases[i].first, cases[i].second};
		const struct rdam rdam = {.rows = rows, .row_count = 2};
		struct rdam_view view = {
			.rdam = &rdam, .trace = &trace, .threshold = 0.2, .limit = SIZE_MAX};

		for (uint32_t k = 0; k < 2; k++) {
			rows[k].name = blocks.items[k].name;
			rows[k].block = k;
			rows[k].occurrences = 9;
			rows[k].lost_s = 4;
			rows[k].wall_s = 5;
			rows[k].slowest.last = 1;
		}
		assert_says(&view, cases[i].begins, cases[i].holds);
	}
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(it_says_what_costs_most_and_where_that_went),
	cmocka_unit_test(it_says_who_and_whom_else),
	cmocka_unit_test(what_arguments_explain_and_what_is_rare_comes_last),
};

TEST_FILE(tests);
