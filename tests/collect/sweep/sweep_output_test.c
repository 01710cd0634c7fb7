/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "base/io/scratch_file.h"
#include "collect/sweep/sweep_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int output_of(const void *bytes, size_t length)
{
	struct err err;
	int fd = scratch_file_open(&err);

	assert_true(fd >= 0);
	assert_int_equal(scratch_file_write(fd, bytes, length, &err), 0);
	return fd;
}

static bool add(void *context, const char *line)
{
	char *text = context;

	strcat(strcat(text, line), "/");
	return strcmp(line, "enough") != 0;
}

static void lines_end_as_programs_end_them(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *lines;
	} cases[] = {
		{"", 0, ""},
		{"a\nb\n", 4, "a/b/"},
		{"a\nb", 3, "a/b/"},
		{"a\r\nb\r\n", 6, "a/b/"},
		{"10%\r20%\r", 8, "10%/20%/"},
		{"\n\n\na", 4, "a/"},
		{"a\0b\n", 4, "a/b/"},
		{"a\nenough\nb", 10, "a/enough/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = output_of(cases[i].bytes, cases[i].length);
		char text[64] = "";

		sweep_output_lines(fd, add, text);
		assert_string_equal(text, cases[i].lines);
		close(fd);
	}
}

static bool count(void *context, const char *line)
{
	size_t *lengths = context;

	lengths[0]++;
	lengths[1] += strlen(line);
	assert_true(strlen(line) <= SWEEP_LINE_MAX);
	return true;
}

static void a_line_without_an_end_takes_no_more_memory(void **state)
{
	enum { SIZE = 20 * SWEEP_LINE_MAX + 5 };
	char *bytes = calloc(SIZE, 1);
	size_t lengths[2] = {0, 0};
	int fd;

	(void)state;
	memset(bytes, 'x', SIZE);
	fd = output_of(bytes, SIZE);
	sweep_output_lines(fd, count, lengths);
	assert_int_equal(lengths[0], 21);
	assert_int_equal(lengths[1], SIZE);
	close(fd);
	free(bytes);
}

static bool find_rate(void *context, const char *line)
{
	size_t *found = context;

	*found += strstr(line, "12345.6e+7,") != NULL;
	return true;
}

static void a_number_is_not_cut_in_two(void **state)
{
	static const char rate[] = ":12345.6e+7,";
	enum { SIZE = 2 * SWEEP_LINE_MAX };
	char *bytes = malloc(SIZE);

	(void)state;
	for (size_t at = 0; at <= strlen(rate); at++) {
		size_t found = 0;
		int fd;

		memset(bytes, 'x', SIZE);
		memcpy(bytes + SWEEP_LINE_MAX - at, rate, strlen(rate));
		fd = output_of(bytes, SIZE);
		sweep_output_lines(fd, find_rate, &found);
		assert_int_equal(found, 1);
		close(fd);
	}
	free(bytes);
}

static void its_end_is_the_last_lines_fit_for_a_sentence(void **state)
{
	char long_line[2000], want[100];
	const struct {
		const char *output, *end;
	} cases[] = {
		{"", ""},
		{"\n\n", ""},
		{"one\n", "one"},
		{"one\ntwo\nthree\nfour\n\n", "two | three | four"},
		{"a\tb\033[0m\n", "a?b?[0m"},
		{long_line, want},
	};

	(void)state;
	memset(long_line, 'y', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	memset(want, 'y', sizeof(want));
	want[99] = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = output_of(cases[i].output, strlen(cases[i].output));
		char *end = sweep_output_end(fd);

		assert_string_equal(end, cases[i].end);
		free(end);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_as_programs_end_them),
		cmocka_unit_test(a_line_without_an_end_takes_no_more_memory),
		cmocka_unit_test(a_number_is_not_cut_in_two),
		cmocka_unit_test(its_end_is_the_last_lines_fit_for_a_sentence),
	};

	return RUN_TESTS(tests);
}
