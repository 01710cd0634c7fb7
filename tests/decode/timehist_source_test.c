/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timehist_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD	     "           time    cpu  task name    wait time  sch delay   run time\n"
#define AT	     "    1151.458239 [0003]  "

static void it_is_told_from_its_first_lines(void **state)
{
	static const struct {
		const char *bytes;
		bool is;
	} cases[] = {
		{HEAD, true},
		{"Samples do not have callchains.\n" HEAD, true},
		{"\nRuntime summary\n", true},
		/* what grep leaves */
		{AT "a[12]   0.000   0.000   0.000\n", true},
		{AT "a[12]                                  awakened: b[7]\n", true},
		/* not a whole line */
		{AT "a[12]   0.000   0.000   0.000", false},
		{"   a  5 [003]  1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"# tracer: nop\n", false},
		{"\n", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = strlen(cases[i].bytes);
		char *bytes = xcalloc(length + !length, 1); /* its end is watched */

		memcpy(bytes, cases[i].bytes, length);
		if (timehist_source_is(bytes, length) != cases[i].is)
			fail_msg("is%s timehist: '%s'", cases[i].is ? "" : " not", cases[i].bytes);
		free(bytes);
	}
}

static struct event_source *source_of(const char *text, size_t length)
{
	struct err err = {""};
	struct input *input = input_open(file_with(text, length), &err);

	assert_non_null(input);
	return event_source_open(input, &err);
}

static void what_lacks_times_is_refused(void **state)
{
	static const char *const texts[] = {
		HEAD,
		"\nRuntime summary\n" AT "a[12]   0.000   0.000   0.001\n", /* -s */
		HEAD AT "a[12]   0.000   0.000   0.000\n" AT		    /* -I */
			"<idle>  0.000   0.000   5.000\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct event_source *source = source_of(texts[i], strlen(texts[i]));
		struct err err = {""};
		struct event event;

		assert_int_equal(event_source_next(source, &event, &err), -1);
		if (!strstr(err.text, "without the times that threads ran; print it with"))
			fail_msg("said: %s", err.text);
		event_source_free(source);
	}
}

static void events_come_in_the_order_of_time_and_from_rows_alone(void **state)
{
	static const char text[] = HEAD "   1.000005 [0000]  <idle>  0.000   0.000   0.000\n"
					"   1.000009 [0000]  a[12]   0.000   0.000   0.004\n"
					"   1.000011 [0001]  b[7]    0.000   0.000\n"
					"   1.000012 [0001]  b[7]    0.000   0.000   \0.002\n"
					"   1.000013 [0000]  b[7]    0.000   0.001   0.004\n"
					"   1.000014 [0000]  c[8]    0.000   0.001   0.001\n"
					"Runtime summary\n"
					"   1.000015 [0000]  a[12]   0.000   0.001   0.001\n";
	static const struct {
		uint64_t time_ns, place;
		enum event_kind kind;
	} want[] = {
		{1000005000, 2, EVENT_SWITCH_IN}, {1000008000, 6, EVENT_WAKE},
		{1000009000, 3, EVENT_SWITCH},	  {1000009000, 3, EVENT_SWITCH_IN},
		{1000012000, 7, EVENT_WAKE},	  {1000013000, 6, EVENT_SWITCH},
		{1000013000, 6, EVENT_SWITCH_IN}, {1000014000, 7, EVENT_SWITCH},
	};
	struct event_source *source = source_of(text, sizeof(text) - 1);
	struct err err = {""};
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.place, want[i].place);
		assert_int_equal(event.kind, want[i].kind);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 2);
	event_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_told_from_its_first_lines),
		cmocka_unit_test(what_lacks_times_is_refused),
		cmocka_unit_test(events_come_in_the_order_of_time_and_from_rows_alone),
	};

	return RUN_TESTS(tests);
}
