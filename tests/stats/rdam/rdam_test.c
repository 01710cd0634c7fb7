/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "base/alloc.h"
#include "random.h"
#include "stats/rdam_analysed.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void the_published_example_has_its_score(void **state)
{
	struct analysed of = {.source = listed("0 Z 1 A 23 a 24 A 59 a 60 A 100 a 101 A 139 a "
					       "140 A 180 a 200 z")};
	const struct rdam_row *row;

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(of.rdam.row_count, 1);
	row = &of.rdam.rows[0];
	assert_string_equal(row->name, "A");
	assert_close(row->score, 0.325, 1e-12);
	assert_close(row->lost_s, 65 * US, 1e-12);
	assert_close(row->total_s, 175 * US, 1e-12);
	assert_close(row->min_s, 22 * US, 1e-12);
	assert_close(row->median_s, 38 * US, 1e-12);
	assert_close(row->p99_s, 40 * US, 1e-12);
	assert_close(row->wall_s, 200 * US, 1e-12);
	assert_close(row->causes_s[RDAM_UNKNOWN], 65 * US, 1e-12);
	assert_int_equal(row->occurrences, 5);
	assert_int_equal(row->slowest.first, 5);
	assert_int_equal(row->slowest.last, 6);
	assert_true(row->few);
	assert_false(row->any_content);
	release(&of);
}

/* Linear between neighbours: of 2, 4, 6, 10 the median is 5, and p99 6 + 0.97 * 4. */
static void quantiles_lie_between_neighbours(void **state)
{
	struct analysed of = {.source = listed("0 A 6 a 10 A 20 a 30 A 32 a 40 A 44 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_close(of.rdam.rows[0].median_s, 5 * US, 1e-12);
	assert_close(of.rdam.rows[0].p99_s, 9.88 * US, 1e-12);
	release(&of);
}

static void blocks_whose_contents_vary_have_a_row_of_their_own(void **state)
{
	static const struct {
		const char *events, *want;
	} table[] = {
		{"0 A 1 B 3 b 5 a 6 A 7 B 8 b 9 B 10 b 20 a", "A { B+ }*2, B*3"},
		/* a call with C occurs once: too rare for a row, but counted in A */
		{"0 A 1 B 2 b 4 a 5 A 6 B 7 b 10 a 11 A 12 C 13 c 30 a", "A*3, A { B }*2, B*2"},
		/* also if no sequence repeats */
		{"0 A 1 B 2 b 4 a 11 A 12 C 13 c 30 a", "A*2"},
		/* alone or not */
		{"0 A 1 a 2 A 4 a 5 A 6 B 7 b 15 a 16 B 17 b", "A*3, A { }*2, B*2"},
		/* a recursion: the outermost calls, and each depth */
		{"0 A 1 A 2 a 4 a 5 A 6 A 8 a 20 a", "A*2, A { A }*2, A { }*2"},
		/* left by a longjmp: C has no leave */
		{"0 A 1 C 4 a 5 A 6 C 20 a 21 b", "A*2"},
		{"0 A 2 B 3 b 3 C 4 c 5 B 6 b 7 C 8 c 9 a 10 A 11 B 12 b 13 C 15 c 20 a",
		 "A { (B C)+ }*2, C*3, B*3"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct analysed of = {.source = listed(table[i].events)};

		analyse(&of, &(struct rdam_options){.least = 2});
		assert_names(&of.rdam, table[i].want);
		for (size_t k = 0; k < of.rdam.row_count; k++)
			assert_int_equal(of.rdam.rows[k].any_content,
					 strchr(of.rdam.rows[k].name, '{') == NULL &&
						 of.rdam.rows[k].block == 0 && i > 0);
		release(&of);
	}
}

/* Twelve of fourteen blocks, and a mark of more. */
static void long_names_are_cut(void **state)
{
	struct analysed of;
	char text[2048] = "";
	size_t length = 0, time_us = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		length += (size_t)sprintf(text + length, "%zu A ", ++time_us);
		for (char letter = 'B'; letter <= 'O'; letter++) {
			length += (size_t)sprintf(text + length, "%zu %c ", ++time_us, letter);
			length += (size_t)sprintf(text + length, "%zu %c ", ++time_us,
						  tolower(letter));
		}
		length += (size_t)sprintf(text + length, "%zu a ", ++time_us);
	}
	of = (struct analysed){.source = listed(text)};
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(row_of(&of.rdam, "A { B C D E F G H I J K L M ...")->token_count, 30);
	release(&of);
}

static void other_sequences_are_rows_on_request(void **state)
{
	struct analysed of = {.source = listed("0 A 1 a 3 B 4 b 10 A 11 a 14 B 15 b")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2, .all_sequences = true});
	assert_names(&of.rdam, "A B*2, A*2, B*2");
	assert_close(row_of(&of.rdam, "A B")->lost_s, 1 * US, 1e-12);
	assert_false(row_of(&of.rdam, "A B")->is_block);
	assert_true(row_of(&of.rdam, "A")->is_block);
	release(&of);
}

static void sequences_with_too_few_calls_are_left_out(void **state)
{
	struct analysed of = {.source = listed("0 A 1 a 3 A 4 a 6 A 7 a 8 B 9 b 10 B 12 b")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 3});
	assert_names(&of.rdam, "A*3");
	release(&of);
}

static void unbalanced_events_are_counted(void **state)
{
	struct analysed of = {.source = listed("0 A 1 C 4 a 5 A 6 C 20 a 21 b 22 D")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(of.rdam.unbalanced, 4);
	assert_int_equal(of.rdam.events, 8);
	release(&of);
}

static void with_one_call_in_ten_recorded_all_numbers_are_multiplied(void **state)
{
	struct analysed of = {.source = listed("0 Z 1 A 2 B 3 b 4 a 10 A 25 a 100 z")};
	const struct rdam_row *row;

	(void)state;
	of.source->target.blocks_every = 10;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*2");
	row = &of.rdam.rows[0];
	assert_true(row->any_content);
	assert_close(row->lost_s, 120 * US, 1e-12);
	assert_close(row->total_s, 180 * US, 1e-12);
	assert_close(row->causes_s[RDAM_UNKNOWN], 120 * US, 1e-12);
	assert_close(row->min_s, 3 * US, 1e-12);
	assert_close(row->score, 1.2, 1e-12);
	release(&of);
}

static void equal_rows_of_two_threads_are_in_their_order(void **state)
{
	static const struct drawn_blocks rows[] = {
		{NULL, "Aa A  a"}, {NULL, "Aa A  a"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false)};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(of.rdam.row_count, 2);
	assert_int_equal(of.rdam.rows[0].thread, 0);
	assert_int_equal(of.rdam.rows[1].thread, 1);
	release(&of);
}

/* The outermost calls are unknown, so each recorded call stands for ten. */
static void with_one_call_in_ten_of_a_recursion_each_call_counts(void **state)
{
	struct analysed of = {.source = listed("0 A 1 A 2 a 4 a 10 A 13 a 20 B 25 b 30 B 31 b")};

	(void)state;
	of.source->target.blocks_every = 10;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*3, B*2");
	assert_close(of.rdam.rows[0].total_s, 80 * US, 1e-12);
	assert_close(of.rdam.rows[0].lost_s, 50 * US, 1e-12);
	assert_true(of.rdam.rows[0].overlapping);
	assert_false(of.rdam.rows[1].overlapping);
	release(&of);
}

/* Thread 0: 2 and 4 of 10 columns, thread 1: 1 and 8 of 20. */
static void threads_have_their_own_min_or_share_it(void **state)
{
	static const struct drawn_blocks rows[] = {
		{NULL, "A aA   a  Z"}, {NULL, "Aa   A       a      Z"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false)};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*2, A*2");
	assert_int_equal(of.rdam.rows[0].thread, 1);
	assert_close(of.rdam.rows[0].score, 7. / 20, 1e-12);
	assert_close(of.rdam.rows[1].score, 2. / 10, 1e-12);
	release(&of);
	of.source = block_drawing(rows, false);
	analyse(&of, &(struct rdam_options){.least = 2, .min = RDAM_MIN_POOLED});
	assert_names(&of.rdam, "A*4");
	assert_true(of.rdam.rows[0].thread == SIZE_MAX);
	assert_close(of.rdam.rows[0].lost_s, 11 * US, 1e-12);
	assert_close(of.rdam.rows[0].wall_s, 30 * US, 1e-12);
	assert_close(of.rdam.rows[0].score, 11. / 30, 1e-12);
	release(&of);
}

static void one_block_may_be_requested(void **state)
{
	static const struct {
		const char *only, *want;
	} table[] = {
		{"A", "A*3, A { B }*2"},
		{"A { B }", "A { B }*2"},
		{"B", "B*2"},
		{"C", "function 'C': no thread called it at least 2 times"},
		{"A { C }", "no function 'A { C }' is in this recording"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct rdam_options options = {.only = table[i].only};
		struct analysed of = {.source = listed("0 A 1 B 2 b 4 a 5 A 6 B 7 b 10 a "
						       "11 A 12 C 13 c 30 a")};
		const struct selection all = {0};
		struct err err = {.text = ""};

		assert_int_equal(rdam_trace_read(&of.trace, of.source, &all, &err), 0);
		if (!rdam_init(&of.rdam, &of.trace, &options, &err))
			assert_names(&of.rdam, table[i].want);
		else if (!strstr(err.text, table[i].want))
			fail_msg("%s: %s", table[i].only, err.text);
		release(&of);
	}
}

/* --- Large ones ---------------------------------------------------------------------------- */

/* One thread with these events, a nanosecond apart. */
static void set_thread(struct analysed *of, uint32_t *tokens, size_t count)
{
	struct rdam_thread thread = {.tokens = tokens, .count = count, .end_ns = count};

	thread.times_ns = xcalloc(count, sizeof(*thread.times_ns));
	for (size_t i = 0; i < count; i++)
		thread.times_ns[i] = i;
	of->trace = (struct rdam_trace){
		.blocks = &of->source->blocks, .every = 1, .thread_count = 1, .events = count};
	of->trace.threads = xcalloc(1, sizeof(*of->trace.threads));
	of->trace.threads[0] = thread;
}

/* Two calls of A, each with the same 1000 calls in it. */
static void a_block_with_very_many_events_inside_is_not_lost(void **state)
{
	enum { CALL = 2002 };
	struct analysed of = {.source = listed("")};
	uint32_t *tokens = xcalloc(2 * CALL, sizeof(*tokens));
	struct random random = {5};
	struct err err;

	(void)state;
	for (size_t i = 1; i + 2 < CALL; i += 2) {
		tokens[i] = block_token(1 + (uint32_t)random_below(&random, 20), false);
		tokens[i + 1] = tokens[i] + 1;
	}
	tokens[CALL - 1] = block_token(0, true);
	memcpy(tokens + CALL, tokens, CALL * sizeof(*tokens));
	set_thread(&of, tokens, 2 * CALL);
	assert_int_equal(rdam_init(&of.rdam, &of.trace, &(struct rdam_options){.least = 2}, &err),
			 0);
	assert_int_equal(of.rdam.row_count, 21);
	assert_true(row_of(&of.rdam, "A")->any_content);
	assert_int_equal(row_of(&of.rdam, "A")->occurrences, 2);
	release(&of);
}

static void deep_recursion_has_a_name_and_an_end(void **state)
{
	enum { DEPTH = 200000 };
	struct analysed of = {.source = listed("")};
	struct rdam_options options = {.least = 2};
	uint32_t *tokens = xcalloc(4 * (size_t)DEPTH, sizeof(*tokens));
	struct err err;

	(void)state;
	for (size_t i = 0; i < 4 * DEPTH; i++)
		tokens[i] = block_token(0, i / DEPTH % 2);
	set_thread(&of, tokens, 4 * (size_t)DEPTH);
	assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), 0);
	assert_int_equal(of.rdam.row_count, RDAM_TOKENS_MAX / 2 + 1);
	assert_int_equal(row_of(&of.rdam, "A")->occurrences, 2);
	for (size_t i = 0; i < of.rdam.row_count; i++)
		assert_true(strlen(of.rdam.rows[i].name) < 400);
	release(&of);
}

/* 1, 1, 2, 1000 us of A, which loses most, and B, which is found later. */
static void the_first_row_has_classes_of_durations(void **state)
{
	struct analysed of = {.source = listed("0 B 5 b 10 A 11 a 20 A 21 a 30 A 32 a 40 B 42 b "
					       "50 A 1050 a")};
	const struct rdam_class *classes;
	uint64_t count = 0;

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_names(&of.rdam, "A*4, B*2");
	assert_int_equal(of.rdam.class_count, RDAM_CLASSES);
	classes = of.rdam.classes;
	for (size_t i = 0; i < RDAM_CLASSES; i++)
		count += classes[i].count;
	assert_int_equal(count, 4);
	assert_int_equal(classes[0].count, 2);
	assert_close(classes[0].from_s, 1 * US, 1e-12);
	assert_close(classes[0].to_s, exp(log(1000) / RDAM_CLASSES) * US, 1e-9);
	assert_int_equal(classes[RDAM_CLASSES - 1].count, 1);
	assert_close(classes[RDAM_CLASSES - 1].to_s, 1000 * US, 1e-9);
	assert_close(classes[RDAM_CLASSES - 1].causes_s[RDAM_UNKNOWN], 999 * US, 1e-9);
	/* ln 2 / ln 1000 of the range */
	assert_int_equal(classes[6].count, 1);
	assert_close(classes[6].causes_s[RDAM_UNKNOWN], 1 * US, 1e-9);
	release(&of);
}

static void equal_durations_are_one_class(void **state)
{
	struct analysed of = {.source = listed("0 A 0 a 10 A 10 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_int_equal(of.rdam.class_count, 1);
	assert_int_equal(of.rdam.classes[0].count, 2);
	release(&of);
}

static void rows_count_their_callers(void **state)
{
	static const uint32_t chains[] = {7, 0, 0, 3, 0, 3};
	struct event events[12];
	struct analysed of = {0};
	const struct rdam_row *row;

	(void)state;
	for (size_t i = 0; i < COUNT(events); i++) {
		events[i] = event_new(i % 2 ? EVENT_LEAVE : EVENT_ENTER, 1000 + 10 * i);
		events[i].tid = 100;
		events[i].block = i / 2 == 2; /* one B among the A */
		events[i].chain = i % 2 ? 9 : chains[i / 2];
	}
	of.source = array_source(events, COUNT(events));
	blocks_number(&of.source->blocks, "A", 1);
	blocks_number(&of.source->blocks, "B", 1);
	analyse(&of, &(struct rdam_options){0});
	row = row_of(&of.rdam, "A");
	assert_int_equal(row->stack_count, 2);
	assert_int_equal(row->stacks[0].chain, 3);
	assert_int_equal(row->stacks[0].count, 2);
	assert_int_equal(row->stacks[1].chain, 7);
	assert_int_equal(row->stacks[1].count, 1);
	release(&of);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_published_example_has_its_score),
	cmocka_unit_test(quantiles_lie_between_neighbours),
	cmocka_unit_test(blocks_whose_contents_vary_have_a_row_of_their_own),
	cmocka_unit_test(long_names_are_cut),
	cmocka_unit_test(other_sequences_are_rows_on_request),
	cmocka_unit_test(sequences_with_too_few_calls_are_left_out),
	cmocka_unit_test(unbalanced_events_are_counted),
	cmocka_unit_test(with_one_call_in_ten_recorded_all_numbers_are_multiplied),
	cmocka_unit_test(equal_rows_of_two_threads_are_in_their_order),
	cmocka_unit_test(with_one_call_in_ten_of_a_recursion_each_call_counts),
	cmocka_unit_test(threads_have_their_own_min_or_share_it),
	cmocka_unit_test(one_block_may_be_requested),
	cmocka_unit_test(a_block_with_very_many_events_inside_is_not_lost),
	cmocka_unit_test(deep_recursion_has_a_name_and_an_end),
	cmocka_unit_test(the_first_row_has_classes_of_durations),
	cmocka_unit_test(equal_durations_are_one_class),
	cmocka_unit_test(rows_count_their_callers),
};

TEST_FILE(tests);
