/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_source.h"

#include "decode/open_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD	     "           time    cpu  task name    wait time  sch delay   run time\n"
#define AT	     "    1151.458239 [0003]  "

static void it_is_told_from_its_first_lines(void **state)
{
	static const struct first_lines cases[] = {
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
	assert_told_from_first_lines(timehist_source_is, cases, COUNT(cases));
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
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_text_refused(texts[i], strlen(texts[i]),
				    "without the times that threads ran; print it with");
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
	static const struct text_event want[] = {
		{EVENT_SWITCH_IN, 1000005000, 2, QUALITY_EVENTS},
		{EVENT_WAKE, 1000008000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000009000, 3, QUALITY_EVENTS},
		{EVENT_SWITCH_IN, 1000009000, 3, QUALITY_EVENTS},
		{EVENT_WAKE, 1000012000, 7, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000013000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH_IN, 1000013000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000014000, 7, QUALITY_EVENTS},
	};
	struct event_source *source =
		assert_text_events(text, sizeof(text) - 1, want, COUNT(want), false);

	(void)state;
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
