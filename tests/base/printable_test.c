/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/printable.h"

#include "random.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GONE	     "\xef\xbf\xbd"

static const struct {
	const char *name, *text, *data, *utf8, *mended;
} cases[] = {
	{"", "", "", "", ""},
	{"worker 1", "worker 1", "worker 1", "worker 1", "worker 1"},
	{"\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\xa7", "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\xa7",
	 "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\xa7", "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\xa7",
	 "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\xa7"},
	/* C0, DEL, C1 */
	{"a\x1b[2J", "a\\x1b[2J", "a" GONE "[2J", "a\x1b[2J", "a?[2J"},
	{"a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "a" GONE "b" GONE "c" GONE "d", "a\nb\tc\rd",
	 "a?b?c?d"},
	{"\x7f", "\\x7f", GONE, "\x7f", "?"},
	{"\xc2\x9b[2J", "\\xc2\\x9b[2J", GONE "[2J", "\xc2\x9b[2J", "??[2J"},
	{"\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0", GONE GONE "\xc2\xa0",
	 "\xc2\x80\xc2\x9f\xc2\xa0", "????\xc2\xa0"},
	/* Characters that change the direction of text, or end a line. */
	{"\xe2\x80\xae", "\\xe2\\x80\\xae", GONE, "\xe2\x80\xae", "???"},
	{"\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xd8\\x9c",
	 GONE GONE GONE, "\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "????????"},
	{"\xe2\x80\xa8", "\\xe2\\x80\\xa8", GONE, "\xe2\x80\xa8", "???"},
	{"\xe2\x80\x8d\xe2\x80\x90", "\xe2\x80\x8d\xe2\x80\x90", "\xe2\x80\x8d\xe2\x80\x90",
	 "\xe2\x80\x8d\xe2\x80\x90", "\xe2\x80\x8d\xe2\x80\x90"},
	/* Not UTF-8: lone, cut off, too long, surrogates, beyond the last. */
	{"\xff\xfe", "\\xff\\xfe", GONE GONE, GONE GONE, "??"},
	{"\x9b", "\\x9b", GONE, GONE, "?"},
	{"\xe2\x82", "\\xe2\\x82", GONE GONE, GONE GONE, "??"},
	{"\xe2\x82x", "\\xe2\\x82x", GONE GONE "x", GONE GONE "x", "??x"},
	{"\xc0\xaf", "\\xc0\\xaf", GONE GONE, GONE GONE, "??"},
	{"\xe0\x80\xaf", "\\xe0\\x80\\xaf", GONE GONE GONE, GONE GONE GONE, "???"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80", GONE GONE GONE, GONE GONE GONE, "???"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", GONE GONE GONE GONE, GONE GONE GONE GONE,
	 "????"},
	{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", GONE GONE GONE GONE, GONE GONE GONE GONE,
	 "????"},
	/* Text that looks like an escape of pscal. */
	{"C:\\new\\x86", "C:\\new\\x5cx86", "C:\\new\\x86", "C:\\new\\x86", "C:\\new\\x86"},
	{"\\", "\\", "\\", "\\", "\\"},
};

static void assert_as(enum printable_as as, const char *name, const char *want)
{
	char *got = printable(as, name, PRINTABLE_WHOLE), buffer[256];

	assert_string_equal(got, want);
	assert_int_equal(printable_is(as, name, PRINTABLE_WHOLE), strcmp(name, want) == 0);
	assert_string_equal(printable_copy(buffer, sizeof(buffer), as, name), want);
	free(got);
}

static void a_name_is_escaped_for_each_kind_of_reader(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char mended[64];

		strcpy(mended, cases[i].name);
		assert_as(PRINTABLE_TEXT, cases[i].name, cases[i].text);
		assert_as(PRINTABLE_DATA, cases[i].name, cases[i].data);
		assert_as(PRINTABLE_UTF8, cases[i].name, cases[i].utf8);
		assert_string_equal(printable_mend(mended), cases[i].mended);
	}
	assert_as(PRINTABLE_LINES, "a\n\tb\x1b", "a\n\tb" GONE);
}

static void a_name_that_does_not_fit_is_cut_between_characters(void **state)
{
	char buffer[8];

	(void)state;
	assert_string_equal(printable_copy(buffer, 4, PRINTABLE_TEXT, "a\x1b"), "a");
	assert_string_equal(printable_copy(buffer, 6, PRINTABLE_TEXT, "a\x1b"), "a\\x1b");
	assert_string_equal(printable_copy(buffer, 3, PRINTABLE_TEXT, "a\xc3\xa4"), "a");
	assert_string_equal(printable_copy(buffer, 4, PRINTABLE_TEXT, "a\xc3\xa4"), "a\xc3\xa4");
	assert_string_equal(printable_copy(buffer, 1, PRINTABLE_TEXT, "a"), "");
	assert_int_equal(printable_length("a\xc3\xa4\xe4\xb8\xad"), 3);
}

static void a_length_ends_a_name(void **state)
{
	char *got = printable(PRINTABLE_TEXT, "ab\x1b\xc3\xa4", 4);

	(void)state;
	assert_string_equal(got, "ab\\x1b\\xc3");
	free(got);
	assert_true(printable_is(PRINTABLE_DATA, "ab\x1b", 2));
	assert_int_equal(printable_decode(NULL, "", 0), 0);
}

static void a_sentence_becomes_one_line(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	printable_say(out, "pscal: %s: cannot read", "a\nb\x1b]0;t\a");
	fclose(out);
	assert_string_equal(text, "pscal: a\\x0ab\\x1b]0;t\\x07: cannot read\n");
	free(text);
}

/* Restores the bytes that the text was made of. */
static void undo(char *text)
{
	char *to = text;

	for (; *text; to++) {
		unsigned byte = 0;

		if (text[0] == '\\' && text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1) {
			*to = (char)byte;
			text += 4;
		} else {
			*to = *text++;
		}
	}
	*to = '\0';
}

static void check(const char *name)
{
	static const enum printable_as all[] = {PRINTABLE_TEXT, PRINTABLE_DATA, PRINTABLE_UTF8};
	char mended[8];

	for (size_t i = 0; i < COUNT(all); i++) {
		char *shown = printable(all[i], name, PRINTABLE_WHOLE);
		bool is_text = all[i] == PRINTABLE_TEXT;

		assert_true(
			printable_is(is_text ? PRINTABLE_DATA : all[i], shown, PRINTABLE_WHOLE));
		if (is_text)
			undo(shown);
		if (is_text)
			assert_string_equal(shown, name);
		free(shown);
	}
	strcpy(mended, name);
	assert_true(printable_is(PRINTABLE_DATA, printable_mend(mended), PRINTABLE_WHOLE));
	assert_int_equal(strlen(mended), strlen(name));
}

static void any_bytes_can_be_shown_and_restored_from_the_text(void **state)
{
	const size_t drawn = is_nightly() ? 200000 : 50000;
	struct random random = {1};

	(void)state;
	for (unsigned first = 1; first < 256; first++)
		for (unsigned second = 0; second < 256; second++)
			check((char[]){(char)first, (char)second, '\0'});
	for (size_t i = 0; i < drawn; i++) {
		uint64_t bits = random_next(&random);

		/* Half of the texts look like UTF-8. */
		check((char[]){(char)(0xe0 | (bits & 0x1f)), (char)(0x80 | (bits >> 8 & 0x7f)),
			       (char)(0x80 | (bits >> 16 & 0x3f)), (char)(bits >> 24), '\0'});
		check((char[]){(char)bits, (char)(bits >> 8), (char)(bits >> 16),
			       (char)(bits >> 24), '\0'});
	}
}

static void words_are_quoted_only_where_a_shell_would_change_them(void **state)
{
	static const struct {
		const char *words[5];
		const char *text;
	} lists[] = {
		{{"./bench", "-T{n}", "a=b"}, "./bench -T{n} a=b"},
		{{"sh", "-c", "echo $1"}, "sh -c 'echo $1'"},
		{{"a", ""}, "a ''"},
		{{"it's"}, "'it'\\''s'"},
		{{"*", "~", "a;b"}, "'*' '~' 'a;b'"},
		{{"{a,b}", "a,b"}, "'{a,b}' a,b"},
		{{"{1..3}", "../a"}, "'{1..3}' ../a"},
		{{"one\ntwo", "\t'\\"}, "$'one\\012two' $'\\011\\'\\\\'"},
		{{"\xc3\xa4", "\xc2\x9b'", "\xff", "a\xe2\x80\xae"},
		 "'\xc3\xa4' $'\\302\\233\\'' $'\\377' $'a\\342\\200\\256'"},
		{{NULL}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char *text = shell_quote(lists[i].words);

		assert_string_equal(text, lists[i].text);
		free(text);
	}
}

/* The function compares eight bytes at a time. */
static void a_byte_is_found_at_every_place(void **state)
{
	enum { LENGTH = 19 };

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++)
		for (size_t place = 0; place < LENGTH; place++) {
			char text[] = "abcdefgh ~ 12345678", one = (char)byte;

			text[place] = one;
			assert_int_equal(printable_is(PRINTABLE_DATA, text, LENGTH),
					 printable_is(PRINTABLE_DATA, &one, 1));
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_byte_is_found_at_every_place),
	cmocka_unit_test(a_name_is_escaped_for_each_kind_of_reader),
	cmocka_unit_test(a_name_that_does_not_fit_is_cut_between_characters),
	cmocka_unit_test(a_length_ends_a_name),
	cmocka_unit_test(a_sentence_becomes_one_line),
	cmocka_unit_test(any_bytes_can_be_shown_and_restored_from_the_text),
	cmocka_unit_test(words_are_quoted_only_where_a_shell_would_change_them),
};

TEST_FILE(tests);
