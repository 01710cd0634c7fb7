/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/overview/overview_private.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* A character for each nanosecond: a letter of OVERVIEW_LETTERS, or a blank. */
static void strip_draw(struct strip *strip, const char *drawing, uint64_t bin_ns)
{
	for (size_t i = 0, next; drawing[i]; i = next) {
		const char *letter = strchr(OVERVIEW_LETTERS, drawing[i]);

		for (next = i; drawing[next] == drawing[i]; next++)
			;
		if (letter)
			strip_add(strip, bin_ns, (int)(letter - OVERVIEW_LETTERS), i, next);
	}
}

static void assert_text(const struct strip *strip, size_t bins, const char *expected)
{
	char *text = strip_text(strip, bins);

	assert_string_equal(text, expected);
	free(text);
}

/* In bins of 2 ns, and of 4. */
static const struct {
	const char *drawing, *two, *four;
} drawings[] = {
	{"RRRRRRRR", "R4.", "R2."},
	{"RRRRwwww", "R2.w2.", "R1.w1."},
	{"    RRRR    ", "-2.R2.-2.", "-1.R1.-1."},
	{"RwRwBBBB", "m2.B2.", "m1.B1."},
	{"RRRw", "R1.m1.", "R1."},
	{"RRww", "R1.w1.", "m1."},
	/* The state of most of the time in which the thread exists. */
	{"   R", "-1.R1.", "R1."},
	{"   R  ", "-1.R1.-1.", "R1.-1."},
	{"R  w", "R1.w1.", "m1."},
	{"RRRRRRDBT?wB", "R3.m3.", "R1.m2."},
	{"DDDDDDTTTTTT??", "D3.T3.?1.", "D1.m1.T1.?1."},
	{"BRRRRRRB", "m1.R2.m1.", "R2."},
	{"", "", ""},
};

static void a_bin_has_the_state_of_more_than_half_of_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
		struct strip strip = {.count = 0}, joined = {.count = 0};
		size_t length = strlen(drawings[i].drawing);

		strip_draw(&strip, drawings[i].drawing, 2);
		assert_text(&strip, (length + 1) / 2, drawings[i].two);
		strip_join(&joined, &strip, 2, 2);
		assert_text(&joined, (length + 3) / 4, drawings[i].four);
		strip_release(&joined);
		strip_release(&strip);
	}
}

static void a_thread_that_ran_in_between_is_not_only_blocked(void **state)
{
	enum { BIN_NS = 1000 };
	static const struct {
		int most;
		uint64_t ran_ns;
		const char *text;
	} cases[] = {
		{STRIP_BLOCKED, 0, "B1."},   {STRIP_BLOCKED, 10, "B1."},
		{STRIP_BLOCKED, 11, "b1."},  {STRIP_BLOCKED, 499, "b1."},
		{STRIP_BLOCKED, 500, "m1."}, {STRIP_BLOCKED, 501, "R1."},
		{STRIP_DISK, 11, "D1."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strip strip = {.count = 0};

		strip_add(&strip, BIN_NS, STRIP_RUNNING, 0, cases[i].ran_ns);
		strip_add(&strip, BIN_NS, cases[i].most, cases[i].ran_ns, BIN_NS);
		assert_text(&strip, 1, cases[i].text);
		strip_release(&strip);
	}
}

static void joined_bins_are_those_of_the_same_states_in_longer_bins(void **state)
{
	enum { LENGTH = 4000, FACTOR = 8 };
	static const char letters[] = OVERVIEW_LETTERS " ";
	char drawing[LENGTH + 1] = "";

	(void)state;
	srand(7);
	for (size_t round = 0; round < 50; round++) {
		struct strip fine = {.count = 0}, coarse = {.count = 0}, joined = {.count = 0};
		char *expected;

		for (size_t i = 0, run = 0; i<LENGTH; i++, run -= run> 0) {
			if (!run)
				run = 1 + (size_t)(rand() % (1 << rand() % 8));
			drawing[i] = run > 1 && i ? drawing[i - 1]
						  : letters[(size_t)rand() % (sizeof(letters) - 1)];
		}
		strip_draw(&fine, drawing, 2);
		strip_draw(&coarse, drawing, 2 * FACTOR);
		strip_join(&joined, &fine, 2, FACTOR);
		expected = strip_text(&coarse, LENGTH / 2 / FACTOR);
		assert_text(&joined, LENGTH / 2 / FACTOR, expected);
		free(expected);
		strip_release(&fine);
		strip_release(&coarse);
		strip_release(&joined);
	}
}

static void states_without_end_are_one_span(void **state)
{
	struct strip strip = {.count = 0};

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		strip_add(&strip, 2, 0, 2 * i, 2 * i + 2);
	assert_int_equal(strip.count, 1);
	assert_text(&strip, 1000, "Rrs.");
	strip_release(&strip);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_bin_has_the_state_of_more_than_half_of_it),
	cmocka_unit_test(a_thread_that_ran_in_between_is_not_only_blocked),
	cmocka_unit_test(joined_bins_are_those_of_the_same_states_in_longer_bins),
	cmocka_unit_test(states_without_end_are_one_span),
};

TEST_FILE(tests);
