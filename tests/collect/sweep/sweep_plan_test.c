/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_plan.h"

#include "base/err.h"
#include "base/printable.h"
#include "support.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t some[] = {1, 2, 4, 8, 16, 32};
static const struct sweep_levels six = {some, 6};

static void every_round_has_each_n_once(void **state)
{
	(void)state;
	for (unsigned long seed = 0; seed < 50; seed++) {
		struct sweep_plan plan;

		sweep_plan_init(&plan, &six, 5, seed);
		assert_int_equal(plan.count, 30);
		for (size_t round = 0; round < 5; round++) {
			uint64_t seen = 0;

			for (size_t i = round * 6; i < round * 6 + 6; i++) {
				assert_int_equal(plan.turns[i].repeat, round + 1);
				seen |= plan.turns[i].n;
			}
			assert_int_equal(seen, 63);
		}
		sweep_plan_release(&plan);
	}
}

static void a_longer_plan_begins_like_a_shorter_one(void **state)
{
	struct sweep_plan shorter, longer;

	(void)state;
	sweep_plan_init(&shorter, &six, 3, 7);
	sweep_plan_init(&longer, &six, 9, 7);
	assert_memory_equal(shorter.turns, longer.turns, shorter.count * sizeof(*shorter.turns));
	sweep_plan_release(&shorter);
	sweep_plan_release(&longer);
}

/* Counts the places of each N in its round, over many rounds: each place should have a sixth. */
static void each_n_is_at_each_place_of_a_round(void **state)
{
	enum { ROUNDS = 6000 };
	struct sweep_plan plan;
	size_t at[6][6] = {{0}};

	(void)state;
	sweep_plan_init(&plan, &six, ROUNDS, 1);
	for (size_t i = 0; i < plan.count; i++)
		for (size_t n = 0; n < 6; n++)
			at[n][i % 6] += plan.turns[i].n == some[n];
	/* 1000 expected, with a standard deviation of 29. */
	for (size_t n = 0; n < 6; n++)
		for (size_t place = 0; place < 6; place++)
			assert_in_range(at[n][place], 870, 1130);
	sweep_plan_release(&plan);
}

static void another_seed_is_another_order(void **state)
{
	struct sweep_plan one, two;

	(void)state;
	sweep_plan_init(&one, &six, 4, 1);
	sweep_plan_init(&two, &six, 4, 2);
	assert_memory_not_equal(one.turns, two.turns, one.count * sizeof(*one.turns));
	sweep_plan_release(&one);
	sweep_plan_release(&two);
}

static void a_list_is_numbers_and_ranges_ascending_each_once(void **state)
{
	static const struct {
		const char *text, *levels;
	} cases[] = {
		{"1", "1 "},
		{"8,4,2,1,4", "1 2 4 8 "},
		{"1-4", "1 2 3 4 "},
		{"1-16:3", "1 4 7 10 13 16 "},
		{"1-15:3", "1 4 7 10 13 "},
		{"1-64x2", "1 2 4 8 16 32 64 "},
		{"1-48x2,48", "1 2 4 8 16 32 48 "},
		{"3-100x3", "3 9 27 81 "},
		{"5-5", "5 "},
		{"1048576", "1048576 "},
		{"1-2,2-3x2", "1 2 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sweep_levels levels;
		struct err err;
		char text[256] = "";

		assert_int_equal(sweep_levels_parse(&levels, cases[i].text, &err), 0);
		for (size_t j = 0; j < levels.count; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%" PRIu64 " ",
				 levels.n[j]);
		assert_string_equal(text, cases[i].levels);
		sweep_levels_release(&levels);
	}
}

static void a_text_that_is_no_list_is_refused(void **state)
{
	static const char *const cases[] = {
		"",    "0",	"1,",	 "a",	  "4-1",     "1-8x1",	  "1-8x0",  "1-8:0",
		"4x2", "4:2",	"-4",	 "1.5",	  "1-8:",    "1-8x",	  "1-8x2x", " 1",
		"1;2", "1-2-3", "0-4x2", "1-1e3", "1048577", "1-1048576", "1-4097",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sweep_levels levels;
		struct err err = {.text = ""};

		assert_int_equal(sweep_levels_parse(&levels, cases[i], &err), -1);
		assert_non_null(strstr(err.text, cases[i]));
		sweep_levels_release(&levels);
	}
}

static void n_replaces_its_mark_at_every_place(void **state)
{
	static const struct {
		const char *before[4], *words[4];
		uint64_t n;
		const char *text;
	} cases[] = {
		{{NULL}, {"./bench", "-T{n}"}, 8, "./bench -T8"},
		{{NULL}, {"a", "{n}", "{n}x{n}"}, 12, "a 12 12x12"},
		{{"srun", "-n", "{n}"}, {"./bench"}, 4, "srun -n 4 ./bench"},
		{{NULL}, {"{N}", "{n", "n}"}, 4, "{N} {n n}"},
		{{NULL}, {"{{n}}", "{n}{n}"}, 7, "{7} 77"},
		{{NULL}, {"A={n}"}, 1048576, "A=1048576"},
		{{NULL}, {NULL}, 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char **words = sweep_words_at(cases[i].before, cases[i].words, cases[i].n);
		char *text = shell_quote((const char *const *)words);

		assert_string_equal(text, cases[i].text);
		free(text);
		sweep_words_free(words);
	}
}

static void a_command_varies_if_a_word_has_the_mark(void **state)
{
	static const struct {
		const char *words[3];
		bool vary;
	} cases[] = {{{"a", "b"}, false}, {{"a", "-T{n}"}, true}, {{"{n"}, false}, {{NULL}, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sweep_words_vary(cases[i].words), cases[i].vary);
	assert_false(sweep_words_vary(NULL));
}

static void the_remaining_runs_take_as_long_as_earlier_ones(void **state)
{
	uint64_t n[] = {1, 2, 4};
	const struct sweep_levels levels = {n, 3};
	struct sweep_eta eta;
	uint64_t done;

	(void)state;
	sweep_eta_init(&eta, &levels);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 3; i++)
			sweep_eta_expect(&eta, n[i]);
	assert_int_equal(sweep_eta_total(&eta, &done, 1, 50), 0); /* no time is known */

	sweep_eta_took(&eta, 4, 100); /* each other N is assumed to take as long */
	assert_int_equal(sweep_eta_total(&eta, &done, 1, 0), 600);
	assert_int_equal(done, 100);

	sweep_eta_took(&eta, 1, 400); /* 4 takes 100, 1 takes 400, 2 the mean of 250 */
	assert_int_equal(sweep_eta_total(&eta, &done, 2, 10), 500 + 100 + 400 + 2 * 250);
	assert_int_equal(done, 510);

	/* A run that takes longer than expected counts as expected. */
	assert_int_equal(sweep_eta_total(&eta, &done, 4, 100000), 1500);
	assert_int_equal(done, 600);
	sweep_eta_release(&eta);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_round_has_each_n_once),
	cmocka_unit_test(a_longer_plan_begins_like_a_shorter_one),
	cmocka_unit_test(each_n_is_at_each_place_of_a_round),
	cmocka_unit_test(another_seed_is_another_order),
	cmocka_unit_test(a_list_is_numbers_and_ranges_ascending_each_once),
	cmocka_unit_test(a_text_that_is_no_list_is_refused),
	cmocka_unit_test(n_replaces_its_mark_at_every_place),
	cmocka_unit_test(a_command_varies_if_a_word_has_the_mark),
	cmocka_unit_test(the_remaining_runs_take_as_long_as_earlier_ones),
};

TEST_FILE(tests);
