/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/progress.h"

#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The output of progress_show() and progress_end() on standard error. */
static void said(char *text, size_t size, struct progress *progress, uint64_t done, uint64_t whole)
{
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t got;

	assert_int_equal(pipe(ends), 0);
	fflush(stderr);
	dup2(ends[1], STDERR_FILENO);
	progress_show(progress, done, whole);
	progress_end(progress);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	got = read(ends[0], text, size - 1);
	close(ends[0]);
	text[got > 0 ? got : 0] = '\0';
}

static void long_work_shows_its_share_and_removes_the_line(void **state)
{
	struct progress progress = {.on = true};
	char text[128];

	(void)state;
	said(text, sizeof(text), &progress, 30, 40);
	assert_non_null(strstr(text, "\r 75 %, "));
	assert_non_null(strstr(text, " s left"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
}

static void a_stream_of_unknown_length_shows_how_much_was_read(void **state)
{
	struct progress progress = {.on = true};
	char text[128];

	(void)state;
	said(text, sizeof(text), &progress, 12000000, 0);
	assert_non_null(strstr(text, "\r12 MB read"));
}

static void nothing_is_shown_in_the_first_second_or_when_it_is_off(void **state)
{
	struct progress early = {.on = true, .next_ns = UINT64_MAX}, off = {.on = false};
	char text[128];

	(void)state;
	said(text, sizeof(text), &early, 1, 2);
	assert_string_equal(text, "");
	said(text, sizeof(text), &off, 1, 2);
	assert_string_equal(text, "");
}

static void without_a_terminal_nothing_is_shown(void **state)
{
	int saved = dup(STDERR_FILENO), ends[2];
	struct progress progress;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	progress_begin(&progress, false);
	dup2(saved, STDERR_FILENO);
	assert_false(progress.on);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(long_work_shows_its_share_and_removes_the_line),
	cmocka_unit_test(a_stream_of_unknown_length_shows_how_much_was_read),
	cmocka_unit_test(nothing_is_shown_in_the_first_second_or_when_it_is_off),
	cmocka_unit_test(without_a_terminal_nothing_is_shown),
};

TEST_FILE(tests);
