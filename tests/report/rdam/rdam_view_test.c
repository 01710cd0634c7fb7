/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "report/rdam_viewed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In the order of scores, as of rdam_init. */
static struct rdam_row made_rows[] = {
	{.name = (char *)(uintptr_t) "c",
	 .score = 0.9,
	 .grouped_score = 0.1,
	 .lost_s = 3,
	 .total_s = 4,
	 .occurrences = 50,
	 .median_s = 2,
	 .p99_s = 5},
	{.name = (char *)(uintptr_t) "a",
	 .score = 0.5,
	 .grouped_score = 0.5,
	 .lost_s = 9,
	 .total_s = 9,
	 .occurrences = 20,
	 .median_s = 7,
	 .p99_s = 7},
	{.name = (char *)(uintptr_t) "b",
	 .score = 0.2,
	 .grouped_score = 0.2,
	 .lost_s = 1,
	 .total_s = 20,
	 .occurrences = 90,
	 .median_s = 2,
	 .p99_s = 8},
	{.name = (char *)(uintptr_t) "d", .score = 0.19, .occurrences = 7},
};

static void rows_are_chosen_by_score_and_put_in_order(void **state)
{
	static const struct {
		enum rdam_order order;
		double min_score;
		const char *want;
		size_t below;
	} cases[] = {
		{RDAM_BY_SCORE, 0, "cabd", 0}, {RDAM_BY_SCORE, 0.2, "cab", 1},
		{RDAM_BY_SCORE, 1, "", 4},     {RDAM_BY_GROUPED, 0.2, "abc", 1},
		{RDAM_BY_LOST, 0, "acbd", 0},  {RDAM_BY_TOTAL, 0, "bacd", 0},
		{RDAM_BY_CALLS, 0, "bcad", 0}, {RDAM_BY_P50, 0, "acbd", 0}, /* equal: by score */
		{RDAM_BY_P99, 0, "bacd", 0},   {RDAM_BY_NAME, 0, "abcd", 0},
	};
	const struct rdam rdam = {.rows = made_rows, .row_count = COUNT(made_rows)};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_view view = {
			.rdam = &rdam, .order = cases[i].order, .min_score = cases[i].min_score};
		char names[COUNT(made_rows) + 1] = "";

		rdam_view_init(&view);
		for (size_t k = 0; k < view.row_count; k++)
			names[k] = *view.rows[k]->name;
		assert_string_equal(names, cases[i].want);
		assert_int_equal(view.below, cases[i].below);
		rdam_view_release(&view);
	}
}

static void threads_have_their_number_and_name(void **state)
{
	static const struct {
		uint32_t by;
		const char *want;
	} cases[] = {
		{0, "thread 100 (worker)"},
		{1, "thread 101"},
		{7, "an unrecorded event"},
		{BY_STRANGER, "another program"},
		{BY_INTERRUPT, "a timer or a device"},
		{BY_NO_THREAD, "an unrecorded event"},
	};
	struct rdam_thread threads[] = {{.tid = 100, .count = 2, .name = {"worker"}},
					{.tid = 101, .count = 4},
					{.tid = 102, .name = {"idle"}}};
	const struct rdam_trace trace = {.threads = threads, .thread_count = 3};
	const struct rdam_view view = {.trace = &trace};
	char *where;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *name = rdam_view_where(&view, &(struct rdam_row){.thread = cases[i].by});

		assert_string_equal(name, cases[i].want);
		free(name);
	}
	where = rdam_view_where(&view, &(struct rdam_row){.thread = 1});
	assert_string_equal(where, "thread 101");
	free(where);
	where = rdam_view_where(&view, &(struct rdam_row){.thread = SIZE_MAX});
	assert_string_equal(where, "2 threads"); /* that have entered a block */
	free(where);
}

static void a_dependence_has_the_name_of_the_argument(void **state)
{
	struct blocks blocks = {0};
	const struct rdam_trace trace = {.blocks = &blocks};
	const struct rdam_view view = {.trace = &trace};
	struct rdam_row row = {.block = (uint32_t)blocks_number(&blocks, "f", 1)};
	char text[32];

	(void)state;
	blocks_name_argument(&blocks, row.block, 1, "n", 1);
	assert_string_equal(rdam_view_dependence_name(&view, &row, &row.dependence[0], text),
			    "arg1");
	assert_string_equal(rdam_view_dependence_name(&view, &row, &row.dependence[1], text), "n");
	assert_string_equal(
		rdam_view_dependence_name(&view, &row, &row.dependence[RDAM_CALLS], text), "calls");
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_are_chosen_by_score_and_put_in_order),
	cmocka_unit_test(threads_have_their_number_and_name),
	cmocka_unit_test(a_dependence_has_the_name_of_the_argument),
};

TEST_FILE(tests);
