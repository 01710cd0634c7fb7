/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/levels.h"
#include "stats/profile/levels_csv.h"

#include "base/err.h"
#include "base/io/input.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int read_text(struct level_times *times, const char *text, struct err *err)
{
	struct input *input = input_open(file_with(text, strlen(text)), INPUT_OF_ANYONE, err);
	int rc;

	assert_non_null(input);
	rc = levels_csv_read(times, input, err);
	input_close(input);
	return rc;
}

static void a_profile_is_read_in_all_spellings(void **state)
{
	static const char *const texts[] = {
		"active,wall_s\n0,0.5\n1,1.25\n3,0.25\n",
		"ready,wall_s\n0,0.5\n1,1.25\n3,0.25\n",
		"active,wall_s,share\n0,0.5,25\n1,1.25,62.5\n3,0.25,12.5\n",
		"wall_s;active\n0.25;3\n0.5;0\n1.25;1\n",
		"\xef\xbb\xbf\"Active\",\"WALL_S\"\r\n0,0.5\r\n1,1.25\r\n3,0.25\r\n",
		"# by hand\nactive,wall_s\n1,1\n0,0.5\n1,0.25\n3,0.25\n7,0\n",
		"active,wall_s\n0,5e-1\n1,1.25\n2,0\n3,0.25000000001\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct level_times times;
		struct err err = {.text = ""};

		if (read_text(&times, texts[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(times.max_active, 3);
		assert_int_equal(times.wall_ns[0], 500000000);
		assert_int_equal(times.wall_ns[1], 1250000000);
		assert_int_equal(times.wall_ns[2], 0);
		assert_int_equal(times.wall_ns[3], 250000000);
		assert_int_equal(times.unknown_ns, 0);
		assert_int_equal(times.total_ns, 2000000000);
		level_times_release(&times);
	}
}

static void unknown_time_counts_for_the_whole_only(void **state)
{
	struct level_times times;
	struct err err;

	(void)state;
	assert_int_equal(read_text(&times, "active,wall_s\n1,2\nunknown,0.5\nUnknown,1\n", &err),
			 0);
	assert_int_equal(times.unknown_ns, 1500000000);
	assert_int_equal(times.total_ns, 3500000000);
	assert_int_equal(times.max_active, 1);
	level_times_release(&times);
}

static void all_idle_is_a_profile(void **state)
{
	struct level_times times;
	struct err err;

	(void)state;
	assert_int_equal(read_text(&times, "active,wall_s\n0,2\n", &err), 0);
	assert_int_equal(times.max_active, 0);
	assert_int_equal(times.wall_ns[0], 2000000000);
	level_times_release(&times);
}

static void a_text_that_is_no_profile_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"active,wall\n1,2\n", "has the columns ready and wall_s"},
		{"threads,wall_s\n1,2\n", "has the columns ready and wall_s"},
		{"1,2\n3,4\n", "has the columns ready and wall_s"},
		{"active,wall_s\n1,-2\n", "-2 is not a wall time"},
		{"active,wall_s\n1,1e11\n", "1e+11 is not a wall time"},
		{"active,wall_s\n1.5,2\n", "1.5 is not a number of ready threads"},
		{"active,wall_s\n-1,2\n", "-1 is not a number of ready threads"},
		{"active,wall_s\n1e9,2\n", "1e+09 is not a number of ready threads"},
		{"active,wall_s\n4194305,2\n", "is not a number of ready threads"},
		{"active,wall_s\nnone,2\n", "none"},
		{"active,wall_s\n1,x\n", "x"},
		{"active,wall_s\n1\n", "2"},
		{"active,wall_s\n1,0\n", "holds no time"},
		{"active,wall_s\n", "holds no time"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct level_times times;
		struct err err = {.text = ""};

		if (!read_text(&times, cases[i].text, &err))
			fail_msg("'%s' was taken", cases[i].text);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		assert_null(times.wall_ns);
	}
}

static void a_refusal_names_the_line(void **state)
{
	struct level_times times;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(read_text(&times, "# x\nactive,wall_s\n1,2\n1,-3\n", &err), -1);
	assert_non_null(strstr(err.text, ":4: -3"));
}

static void a_profile_is_known_by_its_first_bytes(void **state)
{
	static const struct {
		const char *text;
		bool matches;
	} cases[] = {
		{"active,wall_s\n", true},
		{"ready,wall_s\n", true},
		{"ACTIVE;wall_s\n", true},
		{"\"active\",\"wall_s\"\n", true},
		{"\xef\xbb\xbf"
		 "active,wall_s\n",
		 true},
		{"\xef\xbb\xbf"
		 "\"active\",\"wall_s\"\n",
		 true},
		{"activ", false},
		{"wall_s,active\n", false},
		{" active\n", false},
		{"PERFILE2", false},
		{"\"", false},
		{"\xef\xbb\xbf", false},
		{"x", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err;
		struct input *input = input_open(file_with(cases[i].text, strlen(cases[i].text)),
						 INPUT_OF_ANYONE, &err);

		assert_non_null(input);
		if (levels_csv_matches(input) != cases[i].matches)
			fail_msg("'%s'", cases[i].text);
		assert_int_equal(input->offset, 0);
		input_close(input);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_profile_is_read_in_all_spellings),
	cmocka_unit_test(unknown_time_counts_for_the_whole_only),
	cmocka_unit_test(all_idle_is_a_profile),
	cmocka_unit_test(a_text_that_is_no_profile_is_refused_with_a_sentence),
	cmocka_unit_test(a_refusal_names_the_line),
	cmocka_unit_test(a_profile_is_known_by_its_first_bytes),
};

TEST_FILE(tests);
