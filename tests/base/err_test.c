/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include "base/alloc.h"
#include "support.h"

#include <errno.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void setting_returns_minus_one_and_keeps_the_sentence(void **state)
{
	struct err err = {.text = "old"};

	(void)state;
	assert_int_equal(err_set(&err, "%s: row %d is odd", "a.csv", 7), -1);
	assert_string_equal(err.text, "a.csv: row 7 is odd");
}

static void the_text_of_errno_can_be_part_of_it(void **state)
{
	struct err err;

	(void)state;
	errno = ENOENT;
	err_set(&err, "x: %m");
	assert_string_equal(err.text, "x: No such file or directory");
}

static void wrapping_puts_the_place_in_front(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, "is odd");
	assert_int_equal(err_wrap(&err, "row %d", 7), -1);
	assert_int_equal(err_wrap(&err, "%s", "a.csv"), -1);
	assert_string_equal(err.text, "a.csv: row 7: is odd");
}

static void a_text_that_is_too_long_is_cut_and_terminated(void **state)
{
	static const size_t lengths[] = {1, 1000, 1022, 1023, 1024, 1025, 3000};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t kept = lengths[i] < 1023 ? lengths[i] : 1023;
		struct err err;

		memset(text, 'x', lengths[i]);
		text[lengths[i]] = '\0';
		err_set(&err, "%s", text);
		assert_int_equal(strlen(err.text), kept);
		assert_memory_equal(err.text, text, kept);
		err_wrap(&err, "where");
		assert_memory_equal(err.text, "where: x", 8);
		assert_int_equal(strlen(err.text), kept + 7 < 1023 ? kept + 7 : 1023);
		err_set(&err, "inner");
		err_wrap(&err, "%s", text);
		assert_int_equal(strlen(err.text), kept + 7 < 1023 ? kept + 7 : 1023);
	}
}

static void the_hint_begins_after_the_last_semicolon_of_the_format(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, "%s: is odd; not even; make it %s", "a; b", "c; d");
	assert_string_equal(err.text + err.hint, "make it c; d");
	err_wrap(&err, "row; %d", 7);
	assert_string_equal(err.text, "row; 7: a; b: is odd; not even; make it c; d");
	assert_string_equal(err.text + err.hint, "make it c; d");
	err_set_sentence(&err, "it is %s; make it even");
	assert_string_equal(err.text + err.hint, "make it even");
	err_set(&err, "%s: is odd", "a; b");
	assert_int_equal(err.hint, 0);
	err_set(&err, "%02000d; make it shorter", 1);
	assert_int_equal(err.hint, 0);
}

/* The text that err_say prints on a terminal of so many columns; 0: into a file. The caller frees
 * it. */
static char *said(const struct err *err, unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	char *text = xcalloc(4096, 1);
	size_t length = 0;
	int ours, theirs;
	ssize_t got;
	FILE *out;

	assert_int_equal(openpty(&ours, &theirs, NULL, NULL, &size), 0);
	out = columns ? fdopen(theirs, "w") : fmemopen(text, 4096, "w");
	err_say(out, "pscal fit", err);
	fclose(out);
	while (columns && (got = read(ours, text + length, 4095 - length)) > 0)
		length += (size_t)got; /* a terminal ends with an error */
	if (!columns)
		close(theirs);
	close(ours);
	return text;
}

static void a_terminal_gets_lines_of_its_width_and_the_hint_in_a_line_of_its_own(void **state)
{
	static const struct {
		unsigned short columns;
		const char *want;
	} cases[] = {
		{0, "pscal fit: a.csv: all of its points have the same N; see 'man pscal-fit' "
		    "for what it needs\n"},
		{100, "pscal fit: a.csv: all of its points have the same N\r\n"
		      "hint: see 'man pscal-fit' for what it needs\r\n"},
		{40, "pscal fit: a.csv: all of its points have\r\n  the same N\r\n"
		     "hint: see 'man pscal-fit' for what it\r\n  needs\r\n"},
		{1, "pscal fit: a.csv:\r\n  all of its points\r\n  have the same N\r\n"
		    "hint: see 'man\r\n  pscal-fit' for\r\n  what it needs\r\n"},
	};
	struct err err;

	(void)state;
	err_set(&err,
		"%s: all of its points have the same N; see 'man pscal-fit' for what it needs",
		"a.csv");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = said(&err, cases[i].columns);

		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_hint_begins_after_the_last_semicolon_of_the_format),
	cmocka_unit_test(a_terminal_gets_lines_of_its_width_and_the_hint_in_a_line_of_its_own),
	cmocka_unit_test(setting_returns_minus_one_and_keeps_the_sentence),
	cmocka_unit_test(the_text_of_errno_can_be_part_of_it),
	cmocka_unit_test(wrapping_puts_the_place_in_front),
	cmocka_unit_test(a_text_that_is_too_long_is_cut_and_terminated),
};

TEST_FILE(tests);
