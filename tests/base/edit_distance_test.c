/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/edit_distance.h"

#include "support.h"

#include <string.h>

static void each_letter_put_in_taken_out_or_changed_counts(void **state)
{
	static const struct {
		const char *from, *to;
		size_t distance;
	} cases[] = {
		{"", "", 0},	      {"", "abc", 3},	   {"abc", "", 3},
		{"same", "same", 0},  {"work", "worm", 1}, {"work", "wrk", 1},
		{"work", "awork", 1}, {"ab", "ba", 2},	   {"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t got = edit_distance(cases[i].from, strlen(cases[i].from), cases[i].to,
					   strlen(cases[i].to));

		if (got != cases[i].distance)
			fail_msg("%s, %s: %zu", cases[i].from, cases[i].to, got);
	}
}

static void long_words_are_compared_at_their_beginnings(void **state)
{
	char a[1000], b[1000];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	b[0] = 'b';
	b[EDIT_DISTANCE_MAX] = 'b';
	assert_int_equal(edit_distance(a, sizeof(a), b, sizeof(b)), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_letter_put_in_taken_out_or_changed_counts),
	cmocka_unit_test(long_words_are_compared_at_their_beginnings),
};

TEST_FILE(tests);
