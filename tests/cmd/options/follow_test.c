/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/follow.h"

#include "base/io/input.h"
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the end of a pipe to write into; the other one is the input. */
static int open_pipe(struct input **input)
{
	struct err err = {.text = ""};
	char path[32];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "0123456789", 10), 10);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	*input = input_open(path, INPUT_OF_ANYONE, &err);
	assert_non_null(*input);
	close(ends[0]);
	return ends[1];
}

struct shown {
	int writer, times;
	bool fails;
};

/* Writes more input at the first call, and stops at the second. */
static int show(void *context, struct err *err)
{
	struct shown *shown = context;

	if (++shown->times == 1)
		assert_int_equal(write(shown->writer, "more", 4), 4);
	else
		raise(SIGINT);
	return shown->fails ? err_set(err, "cannot be shown") : 0;
}

static void new_input_is_shown_until_the_callback_stops(void **state)
{
	struct shown shown = {0};
	struct follow follow;
	struct input *input;
	struct err err = {.text = ""};

	(void)state;
	shown.writer = open_pipe(&input);
	assert_int_equal(write(shown.writer, "abc", 3), 3);
	assert_int_equal(follow_begin(&follow, input, show, &shown, &err), 0);
	assert_int_equal(input_skip(input, 100), 17);
	assert_int_equal(follow_end(&follow, &err), 0);
	assert_int_equal(shown.times, 2);
	input_close(input);
	close(shown.writer);
}

static int show_and_stop(void *context, struct err *err)
{
	int *times = context;

	(void)err;
	if (++*times == 1)
		raise(SIGINT); /* the loop runs for another second */
	return 0;
}

/* Bytes that arrive during a call are not part of its output, but lead to the next one. */
static void input_that_arrives_during_a_call_is_shown_next(void **state)
{
	struct follow follow;
	struct input *input;
	struct err err = {.text = ""};
	const void *seen;
	int writer = open_pipe(&input), times = 0;

	(void)state;
	assert_int_equal(follow_begin(&follow, input, show_and_stop, &times, &err), 0);
	assert_int_equal(write(writer, "abc", 3), 3);
	assert_int_equal(input_peek(input, &seen, 13), 13);
	usleep(1100000);
	assert_int_equal(write(writer, "more", 4), 4);
	assert_int_equal(input_peek(input, &seen, 100), 17);
	assert_int_equal(follow_end(&follow, &err), 0);
	assert_int_equal(times, 2);
	input_close(input);
	close(writer);
}

static void an_error_of_the_callback_ends_the_loop(void **state)
{
	struct shown shown = {.fails = true};
	struct follow follow;
	struct input *input;
	struct err err = {.text = ""};

	(void)state;
	shown.writer = open_pipe(&input);
	assert_int_equal(write(shown.writer, "abc", 3), 3);
	assert_int_equal(follow_begin(&follow, input, show, &shown, &err), 0);
	assert_int_equal(input_skip(input, 100), 13);
	assert_int_equal(follow_end(&follow, &err), -1);
	assert_string_equal(err.text, "cannot be shown");
	assert_int_equal(shown.times, 1);
	input_close(input);
	close(shown.writer);
}

static void a_file_is_refused(void **state)
{
	struct err err = {.text = ""};
	struct input *input = input_open(file_with("0123456789", 10), INPUT_OF_ANYONE, &err);
	struct follow follow;

	(void)state;
	assert_int_equal(follow_begin(&follow, input, show, NULL, &err), -1);
	assert_non_null(strstr(err.text, ": is a complete file: --follow is for piped input"));
	input_close(input);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(new_input_is_shown_until_the_callback_stops),
	cmocka_unit_test(input_that_arrives_during_a_call_is_shown_next),
	cmocka_unit_test(an_error_of_the_callback_ends_the_loop),
	cmocka_unit_test(a_file_is_refused),
};

TEST_FILE(tests);
