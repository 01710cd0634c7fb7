/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mutants and fuzzers have found: the smallest inputs that it took, and what holds of them. */
#include "base/err.h"
#include "check/trace_check.h"
#include "draw/drawing.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reads events as a timeline, sees that it can be, and returns its quality. */
static struct quality check_events(const struct event *events, size_t count)
{
	const struct selection everybody = {0};
	struct event_source *source = array_source(events, count);
	struct timeline *timeline = timeline_new(source, &everybody);
	struct trace_check *check = trace_check_new();
	struct err err = {.text = ""};
	struct quality quality;
	struct change change;

	while (timeline_next(timeline, &change, &err) > 0) {
		trace_check_begin(check, timeline_begin_ns(timeline));
		if (trace_check_change(check, &change, &err))
			fail_msg("%s", err.text);
	}
	assert_string_equal(err.text, "");
	quality = source->quality;
	trace_check_free(check);
	timeline_free(timeline);
	event_source_free(source);
	return quality;
}

/* The first thread of the process wakes the one on the CPU, which has thus become the first. */
static void a_thread_is_woken_that_has_just_got_another_number_by_an_exec(void **state)
{
	static const struct event events[] = {
		{.time_ns = 1000, .kind = EVENT_SWITCH, .cpu = 1, .other = 6},
		{.time_ns = 2000, .kind = EVENT_EXIT, .cpu = 1, .pid = 5, .tid = 6},
		{.time_ns = 3000, .kind = EVENT_WAKE, .cpu = 1, .pid = 5, .tid = 5, .other = 6},
		{.time_ns = 4000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 5},
	};

	(void)state;
	check_events(events, COUNT(events));
}

static void nobody_creates_himself(void **state)
{
	static const struct event events[] = {
		{.time_ns = 1000, .kind = EVENT_SWITCH, .cpu = 1, .other = 5},
		{.time_ns = 2000, .kind = EVENT_FORK, .cpu = 1, .tid = 5, .other = 5},
		{.time_ns = 3000, .kind = EVENT_FORK, .tid = 6, .other = 6},
		{.time_ns = 4000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 6, .other = 5},
	};

	(void)state;
	assert_int_equal(check_events(events, COUNT(events)).malformed, 2);
}

/* Two threads would run on it at a time, as its table ends before. */
static void a_cpu_that_cannot_be_is_not_known(void **state)
{
	static const struct event events[] = {
		{.time_ns = 1000, .kind = EVENT_SWITCH, .cpu = CPU_MAX, .other = 5},
		{.time_ns = 2000, .kind = EVENT_SWITCH, .cpu = CPU_MAX, .other = 6},
		{.time_ns = 3000, .kind = EVENT_SWITCH, .cpu = INT32_MAX, .tid = 5},
		{.time_ns = 4000, .kind = EVENT_SWITCH, .cpu = CPU_MAX - 1, .other = 5},
	};

	(void)state;
	assert_int_equal(check_events(events, COUNT(events)).malformed, 3);
}

/* By two clocks sched_wakeup_new comes behind the first switch-in; a number is not used so soon. */
static void a_thread_that_runs_already_is_not_born_again(void **state)
{
	static const struct {
		uint64_t again_ns;
		uint64_t reused_numbers;
	} cases[] = {{14000, 0}, {20000000, 1}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct event events[] = {
			{.time_ns = 1000, .kind = EVENT_SWITCH, .cpu = 1, .other = 5},
			{.time_ns = 2000, .kind = EVENT_FORK, .cpu = 1, .tid = 5, .other = 6},
			{.time_ns = 4000, .kind = EVENT_SWITCH, .cpu = 0, .other = 6},
			{.time_ns = cases[i].again_ns,
			 .kind = EVENT_FORK,
			 .cpu = 1,
			 .tid = 5,
			 .other = 6},
		};

		assert_int_equal(check_events(events, COUNT(events)).reused_numbers,
				 cases[i].reused_numbers);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_is_woken_that_has_just_got_another_number_by_an_exec),
	cmocka_unit_test(nobody_creates_himself),
	cmocka_unit_test(a_cpu_that_cannot_be_is_not_known),
	cmocka_unit_test(a_thread_that_runs_already_is_not_born_again),
};

TEST_FILE(tests);
