/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_verdict.h"

#include "stats/rdam_analysed.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void causes_are_summed_by_kind_the_largest_first(void **state)
{
	static const double causes_s[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = 1, [RDAM_CPU_WAIT_STRANGER] = 2, [RDAM_CPU_WAIT] = 4,
		[RDAM_BLOCKED] = 8,	 [RDAM_BLOCKED_OTHER] = 16,    [RDAM_PAGE_FAULTS] = 32,
		[RDAM_DISK] = 64,	 [RDAM_STOPPED] = 3,	       [RDAM_UNKNOWN] = 5,
		[RDAM_ON_CPU] = 40};
	static const struct {
		enum rdam_kind kind;
		double seconds;
	} want[] = {
		{RDAM_KIND_DISK, 64},	 {RDAM_KIND_ON_CPU, 40},   {RDAM_KIND_PAGE_FAULTS, 32},
		{RDAM_KIND_BLOCKED, 24}, {RDAM_KIND_RUN_QUEUE, 7}, {RDAM_KIND_UNKNOWN, 5},
		{RDAM_KIND_STOPPED, 3},
	};
	struct rdam_kinds kinds = rdam_kinds_of(causes_s);

	(void)state;
	assert_int_equal(COUNT(want), RDAM_KINDS);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(kinds.order[i], want[i].kind);
		assert_close(kinds.seconds[want[i].kind], want[i].seconds, 1e-12);
	}
}

/* A contains B, and B contains C, in which all time is lost; D is separate. */
static void lost_time_is_traced_to_the_innermost_block(void **state)
{
	static const struct drawn_blocks rows[] = {
		{" RRRRRRRR.....wRRRRRR", " ABCcbaAB C     cbaDd"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};
	const struct rdam_options options = {.least = 2};
	double begin_s;
	const struct rdam_row *outer;

	(void)state;
	analyse(&of, &options);
	outer = row_of(&of.rdam, "A { B { C } }");
	assert_string_equal(rdam_innermost(&of.rdam, &of.trace, outer)->name, "C");
	assert_close(rdam_slowest_s(&of.trace, outer, &begin_s), 11e-6, 1e-9);
	assert_close(begin_s, 6e-6, 1e-9); /* from the birth of the thread */
	release(&of);
}

static void a_score_depends_on_the_argument_that_explains_most(void **state)
{
	struct rdam_row row = {.score = 1};

	(void)state;
	assert_null(rdam_strongest_dependence(&row));
	row.dependence[0] = (struct rdam_dependence){.tested = true, .score = 0.1};
	assert_null(rdam_strongest_dependence(&row));
	row.dependence[0] = (struct rdam_dependence){.depends = true, .score = 0.3};
	row.dependence[1] = (struct rdam_dependence){.depends = true, .score = 0.2};
	row.dependence[RDAM_CALLS] = (struct rdam_dependence){.depends = true, .score = 0.25};
	assert_ptr_equal(rdam_strongest_dependence(&row), &row.dependence[1]);
}

/* At any place in the trace; a rarely called block, if no other one reaches the threshold. */
static void the_costliest_block_has_the_highest_score(void **state)
{
	static const struct rdam_row few = {.grouped_score = .9, .few = true},
				     mixed = {.grouped_score = .8, .overlapping = true},
				     some = {.grouped_score = .3}, more = {.grouped_score = .5};
	const struct {
		struct rdam_row rows[4];
		double threshold;
		int want;
	} cases[] = {
		{{few, some, more, some}, .2, 2},   {{few, some, more, some}, .5, 2},
		{{few, some, more, some}, .6, 0},   {{few, some, more, some}, .95, 2},
		{{some, some, some, more}, .6, 3},  {{some, mixed, more, some}, .6, 1},
		{{some, mixed, more, some}, .4, 2}, {{few, few, few, few}, .2, 0},
		{{few, some, some, some}, .2, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_row rows[4];
		const struct rdam rdam = {.rows = rows, .row_count = COUNT(rows)};

		memcpy(rows, cases[i].rows, sizeof(rows));
		if (rdam_costliest(&rdam, cases[i].threshold) != &rows[cases[i].want])
			fail_msg("case %zu: not row %d", i, cases[i].want);
	}
}

/* Two rows; the first has the higher score. The verdict names one of them, and its doubts. */
static void the_verdict_names_loss_that_arguments_do_not_explain(void **state)
{
	static const struct {
		struct rdam_row first, second;
		enum rdam_finding finding;
		int row; /* that the verdict names */
		bool higher, known_dependent;
	} cases[] = {
		/* The score of the first depends on its arguments. */
		{{.score = 0.8, .grouped_score = 0.1},
		 {.score = 0.5, .grouped_score = 0.5},
		 RDAM_COSTLY,
		 1,
		 true,
		 false},
		/* The first was called rarely, and the other one reaches the threshold ... */
		{{.score = 0.8, .grouped_score = 0.8, .few = true},
		 {.score = 0.5, .grouped_score = 0.5},
		 RDAM_COSTLY,
		 1,
		 true,
		 false},
		/* ... and does not. */
		{{.score = 0.8, .grouped_score = 0.8, .few = true},
		 {.score = 0.1, .grouped_score = 0.1},
		 RDAM_COSTLY,
		 0,
		 false,
		 false},
		/* It is unknown if its work depends on arguments, and it waited for a CPU ... */
		{{.score = 0.8,
		  .grouped_score = 0.8,
		  .known_dependent = true,
		  .causes_s = {[RDAM_CPU_WAIT_STRANGER] = 3, [RDAM_ON_CPU] = 1}},
		 {.score = 0.5, .grouped_score = 0.5},
		 RDAM_COSTLY,
		 0,
		 false,
		 true},
		/* ... or ran. */
		{{.score = 0.8,
		  .grouped_score = 0.8,
		  .known_dependent = true,
		  .causes_s = {[RDAM_CPU_WAIT_STRANGER] = 1, [RDAM_ON_CPU] = 3}},
		 {.score = 0.5, .grouped_score = 0.5},
		 RDAM_COSTLY,
		 1,
		 true,
		 false},
		{{.score = 0.1, .grouped_score = 0.1},
		 {.score = 0.05, .grouped_score = 0.05},
		 RDAM_BELOW,
		 0,
		 false,
		 false},
	};
	uint64_t times_ns[] = {0, 1};
	uint32_t tokens[] = {0, 1};
	struct rdam_thread thread = {.tokens = tokens, .times_ns = times_ns, .count = 2};
	struct blocks blocks = {0};
	const struct rdam_trace trace = {
		.threads = &thread, .thread_count = 1, .blocks = &blocks, .has_states = true};

	(void)state;
	blocks_number(&blocks, "one", 3);
	blocks_number(&blocks, "two", 3);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_row rows[] = {cases[i].first, cases[i].second};
		const struct rdam rdam = {.rows = rows, .row_count = 2};
		struct rdam_verdict verdict;

		for (uint32_t k = 0; k < 2; k++) {
			rows[k].name = blocks.items[k].name;
			rows[k].block = k;
			rows[k].lost_s = 4;
			rows[k].slowest.last = 1;
		}
		verdict = rdam_verdict_of(&rdam, &trace, 0.2);
		assert_int_equal(verdict.finding, cases[i].finding);
		assert_ptr_equal(verdict.row, &rows[cases[i].row]);
		assert_ptr_equal(verdict.higher, cases[i].higher ? &rows[0] : NULL);
		assert_int_equal(verdict.known_dependent, cases[i].known_dependent);
	}
	blocks_release(&blocks);
}

/* Half or more is one cause; otherwise there are two, or no main cause. */
static void the_verdict_has_the_main_cause_and_the_waker(void **state)
{
	static const struct {
		double causes_s[RDAM_CAUSES];
		struct rdam_waker wakers[2];
		size_t kinds;
		enum rdam_kind first;
		enum rdam_cause cause;
		int waker; /* -1: none */
	} cases[] = {
		{{[RDAM_ON_CPU] = 4}, {{1, 9, 9}}, 1, RDAM_KIND_ON_CPU, RDAM_CAUSES, -1},
		{{[RDAM_CPU_WAIT_OWN] = 2, [RDAM_CPU_WAIT] = 1, [RDAM_ON_CPU] = 1},
		 {{1, 9, 9}},
		 1,
		 RDAM_KIND_RUN_QUEUE,
		 RDAM_CPU_WAIT_OWN,
		 -1},
		{{[RDAM_CPU_WAIT_OWN] = 1, [RDAM_CPU_WAIT] = 1, [RDAM_ON_CPU] = 2},
		 {{1, 9, 9}},
		 1,
		 RDAM_KIND_RUN_QUEUE,
		 RDAM_CAUSES,
		 -1},
		{{[RDAM_BLOCKED] = 1.8, [RDAM_DISK] = 1.2, [RDAM_ON_CPU] = 1},
		 {{1, 9, 9}, {BY_INTERRUPT, 9, 8}},
		 2,
		 RDAM_KIND_BLOCKED,
		 RDAM_BLOCKED,
		 0},
		{{[RDAM_BLOCKED] = 4},
		 {{1, 9, 4}, {2, 9, 5}},
		 1,
		 RDAM_KIND_BLOCKED,
		 RDAM_BLOCKED,
		 -1},
		{{[RDAM_BLOCKED_OTHER] = 4},
		 {{1, 9, 9}, {BY_STRANGER, 9, 8}},
		 1,
		 RDAM_KIND_BLOCKED,
		 RDAM_BLOCKED_OTHER,
		 1},
		{{[RDAM_BLOCKED_OTHER] = 4},
		 {{BY_NO_THREAD, 9, 8}},
		 1,
		 RDAM_KIND_BLOCKED,
		 RDAM_BLOCKED_OTHER,
		 -1},
	};
	uint64_t times_ns[] = {0, 1};
	uint32_t tokens[] = {0, 1};
	struct rdam_thread thread = {.tokens = tokens, .times_ns = times_ns, .count = 2};
	struct blocks blocks = {0};
	const struct rdam_trace trace = {
		.threads = &thread, .thread_count = 1, .blocks = &blocks, .has_states = true};

	(void)state;
	blocks_number(&blocks, "one", 3);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_row row = {
			.name = blocks.items[0].name, .lost_s = 4, .score = 1, .waker_count = 2};
		const struct rdam rdam = {.rows = &row, .row_count = 1};
		struct rdam_verdict verdict;

		row.slowest.last = 1;
		memcpy(row.causes_s, cases[i].causes_s, sizeof(row.causes_s));
		memcpy(row.wakers, cases[i].wakers, sizeof(cases[i].wakers));
		verdict = rdam_verdict_of(&rdam, &trace, 0);
		if (verdict.kind_count != cases[i].kinds || verdict.cause != cases[i].cause)
			fail_msg("case %zu: %zu kinds, cause %d", i, verdict.kind_count,
				 (int)verdict.cause);
		assert_int_equal(verdict.kinds.order[0], cases[i].first);
		assert_ptr_equal(verdict.waker,
				 cases[i].waker < 0 ? NULL : &row.wakers[cases[i].waker]);
	}
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_verdict_names_loss_that_arguments_do_not_explain),
	cmocka_unit_test(the_verdict_has_the_main_cause_and_the_waker),
	cmocka_unit_test(the_costliest_block_has_the_highest_score),
	cmocka_unit_test(causes_are_summed_by_kind_the_largest_first),
	cmocka_unit_test(lost_time_is_traced_to_the_innermost_block),
	cmocka_unit_test(a_score_depends_on_the_argument_that_explains_most),
};

TEST_FILE(tests);
