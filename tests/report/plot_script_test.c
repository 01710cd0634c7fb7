/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_private.h"

#include "support.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	const char *written; /* the string for gnuplot */
} texts[] = {
	{"plain text, 1 (2)", "\"plain text, 1 (2)\""},
	{"", "\"\""},
	/* Characters that end a string, or have a meaning for gnuplot. */
	{"it's", "\"it\\047s\""},
	{"\"`id`\"", "\"\\042\\140id\\140\\042\""},
	{"$HOME @x \\n #", "\"\\044HOME \\100x \\134n \\043\""},
	{"{/Bold b}^2", "\"\\173/Bold b\\175\\136\".\"2\""},
	{"two\nlines", "\"two\\012lines\""},
	{"'8", "\"\\047\".\"8\""},
	/* Characters that cannot be shown. */
	{"a\tb\rc\x1b[2Jd\x7f", "\"a\\134x09b\\134x0dc\\134x1b\\133\".\"2Jd\\134x7f\""},
	{"\xc2\x9b", "\"\\134xc2\\134x9b\""},
	/* UTF-8, and other bytes. */
	{"\xce\xb1 \xe2\x88\x9e \xf0\x9f\x90\xa7", "\"\xce\xb1 \xe2\x88\x9e \xf0\x9f\x90\xa7\""},
	{"\xff\xfe", "\"\\134xff\\134xfe\""},
	{"\xce", "\"\\134xce\""},
	{"\xce'", "\"\\134xce\\047\""},
	{"\xc0\xa7", "\"\\134xc0\\134xa7\""},
	{"\xe0\x80\xa7", "\"\\134xe0\\134x80\\134xa7\""},
};

static void a_text_cannot_be_a_command(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct plot_script *script = plot_script_new();
		char expected[256];

		plot_script_text(script, "t", texts[i].text);
		snprintf(expected, sizeof(expected), "t = %s\n", texts[i].written);
		assert_string_equal(plot_script_get(script), expected);
		plot_script_free(script);
	}
}

static const struct {
	const char *text;
	size_t width;
	const char *written;
} paragraphs[] = {
	{"one two three", 20, "t = \"one two three\"\n"},
	{"one two three", 13, "t = \"one two three\"\n"},
	{"one two three", 12, "t = \"one two\\012three\"\n"},
	{"one two three", 3, "t = \"one\\012two\\012three\"\n"},
	{"indivisible", 3, "t = \"indivisible\"\n"},
	{"\xce\xb1\xce\xb1\xce\xb1 \xce\xb2", 5, "t = \"\xce\xb1\xce\xb1\xce\xb1 \xce\xb2\"\n"},
};

static void a_paragraph_is_broken_at_blanks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(paragraphs); i++) {
		struct plot_script *script = plot_script_new();

		plot_script_paragraph(script, "t", paragraphs[i].text, paragraphs[i].width);
		assert_string_equal(plot_script_get(script), paragraphs[i].written);
		plot_script_free(script);
	}
}

static const struct {
	const char *path, *written;
} files[] = {
	{"usl.csv", "t = \"usl.csv\"\n"},
	{"/a/b'c/usl.csv", "t = \"usl.csv\"\n"},
	{"standard input", "t = \"standard input\"\n"},
	{"a/", "t = \"a/\"\n"},
	{"x/"
	 "0123456789012345678901234567890123456789012345678901234567890123456789",
	 "t = \"\xe2\x80\xa6"
	 "012345678901234567890123456789012345678901234567890123456789\"\n"},
};

static void a_file_is_named_without_its_directory(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct plot_script *script = plot_script_new();

		plot_script_file(script, "t", files[i].path);
		assert_string_equal(plot_script_get(script), files[i].written);
		plot_script_free(script);
	}
}

static void values_that_are_no_numbers_are_left_out(void **state)
{
	struct plot_script *script = plot_script_new();

	(void)state;
	plot_script_number(script, "third", 1.0 / 3);
	plot_script_number(script, "none", NAN);
	plot_script_begin(script, "points", "n x");
	plot_script_row(script, (double[]){1, -2.5e300}, 2);
	plot_script_row(script, NULL, 0);
	plot_script_row(script, (double[]){-INFINITY, 1e-7}, 2);
	plot_script_template(script, "plot $points\n");
	assert_string_equal(plot_script_get(script), "third = 0.3333333333\n"
						     "none = NaN\n"
						     "$points << END\n"
						     "# n x\n"
						     "1 -2.5e+300\n"
						     "\n"
						     "NaN 1e-07\n"
						     "END\n"
						     "plot $points\n");
	plot_script_free(script);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_text_cannot_be_a_command),
	cmocka_unit_test(a_paragraph_is_broken_at_blanks),
	cmocka_unit_test(a_file_is_named_without_its_directory),
	cmocka_unit_test(values_that_are_no_numbers_are_left_out),
};

TEST_FILE(tests);
