/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings of mutants and fuzzers: the smallest inputs, and facts that hold for them. */
#include "base/err.h"
#include "check/trace_check.h"
#include "draw/drawing.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reads valid events as a timeline, and returns its quality. */
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

/* The first thread of the process wakes the one on the CPU; by its exec that has become the first
 * thread itself. */
static void a_thread_that_changed_its_number_by_an_exec_can_be_woken(void **state)
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

static void no_thread_creates_itself(void **state)
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

/* The table of CPUs ends before such a number, so two threads would run there at a time. */
static void a_cpu_with_an_impossible_number_is_unknown(void **state)
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

/* With two clocks sched_wakeup_new may come after the first switch-in; a number is not reused so
 * soon. */
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
	cmocka_unit_test(a_thread_that_changed_its_number_by_an_exec_can_be_woken),
	cmocka_unit_test(no_thread_creates_itself),
	cmocka_unit_test(a_cpu_with_an_impossible_number_is_unknown),
	cmocka_unit_test(a_thread_that_runs_already_is_not_born_again),
};

TEST_FILE(tests);
