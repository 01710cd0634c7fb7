/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/levels.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 4, CHANGES_MAX = 64 };
static const uint64_t ms = 1000000;

/*
 * Periods of 100 ms. Waits of threads that left a CPU are "THREAD:BEGIN-END", in ms and in the
 * order of their ends, and "THREAD:BEGIN-ENDw" if the thread slept before.
 */
static const struct {
	const char *what, *waits;
	uint64_t throttled;	    /* periods */
	uint64_t wall, wait, spans; /* ms */
	uint64_t levels[LEVELS];    /* [threads]: ms */
	uint64_t first;		    /* of the first wait: ms */
} cases[] = {
	{"no wait", "", 0, 0, 0, 0, {0}, 0},
	{"one thread", "0:50-100 0:150-200 0:250-300", 3, 150, 150, 3, {0, 150}, 50},
	{"periods begin anywhere", "0:57-93 0:157-193 0:257-293", 3, 108, 108, 3, {0, 108}, 36},
	/* The group is throttled from the stop of its last thread on. */
	{"two threads", "0:50-100 1:60-100", 1, 40, 80, 1, {0, 0, 40}, 40},
	{"one CPU stops within a slice of the other",
	 "0:50-100 1:54-100",
	 1,
	 48,
	 94,
	 1,
	 {0, 2, 46},
	 48},
	{"one a little later", "0:50-100 1:50-100.02", 1, 50, 100, 1, {0, 0, 50}, 50},
	{"one wakes meanwhile", "0:50-100 1:80-100w", 1, 50, 70, 1, {0, 30, 20}, 50},
	{"one woke, and all wait", "1:60-100w", 1, 40, 40, 1, {0, 40}, 40},
	{"one waits on for a CPU",
	 "0:50-100 1:50-108 0:150-200 1:150-200",
	 2,
	 100,
	 200,
	 2,
	 {0, 0, 100},
	 50},
	{"one continues early", "0:50-100 0:150-197 0:250-300", 3, 147, 147, 3, {0, 147}, 50},
	{"one runs for a moment", "0:50-100 1:50-80 1:80.1-100", 1, 50, 100, 1, {0, 0, 50}, 30},
	{"the first runs for a moment",
	 "0:50-100 1:50-100.1 0:100.05-100.3 0:160-200 1:160-200",
	 2,
	 90,
	 180,
	 2,
	 {0, 0, 90},
	 50},
	{"another one runs", "0:50-100 1:10-18", 1, 0, 0, 0, {0}, 0},
	/* Other programs have the CPU when a period begins. */
	{"one continues late", "0:50-100 0:150-207 0:250-300", 3, 150, 150, 3, {0, 150}, 50},
	{"all of a period", "0:50-100 0:150-307 0:350-400 0:450-500", 4, 250, 250, 4, {0, 250}, 50},
	/* Slices of other programs end at any time. */
	{"preemptions beside it",
	 "0:10-18 0:20-26 0:50-100 0:110-119 0:130-137 0:150-200",
	 2,
	 100,
	 100,
	 2,
	 {0, 100},
	 0},
	{"preemptions alone", "0:10-18 0:20-26", 0, 0, 0, 0, {0}, 0},
	{"no more often than the group", "0:50-100 0:192-200 0:260-300", 2, 90, 90, 2, {0, 90}, 50},
	{"short waits", "0:50-100 0:196-200", 2, 50, 50, 1, {0, 50}, 50},
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *one = a, *other = b;

	return compare_values(one->end_ns, other->end_ns)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

/* Threads run from the beginning, and before and after their waits; except those that sleep. */
static size_t draw_changes(struct change changes[CHANGES_MAX], const char *text)
{
	uint64_t ran_ns[2] = {1, 1};
	double begin, end;
	size_t thread, count = 0;

	for (int length; sscanf(text, " %zu:%lf-%lf%n", &thread, &begin, &end, &length) == 3;) {
		bool woken = text[length] == 'w';
		uint64_t begin_ns = (uint64_t)(begin * 1e6), end_ns = (uint64_t)(end * 1e6);

		changes[count++] = (struct change){.state = STATE_NONE,
						   .next = woken ? STATE_SLEEPING : STATE_RUNNING,
						   .thread = thread};
		changes[count++] = (struct change){.begin_ns = ran_ns[thread],
						   .end_ns = begin_ns,
						   .state = woken ? STATE_SLEEPING : STATE_RUNNING,
						   .next = STATE_RUNNABLE,
						   .thread = thread};
		changes[count++] = (struct change){.begin_ns = begin_ns,
						   .end_ns = end_ns,
						   .state = STATE_RUNNABLE,
						   .next = STATE_RUNNING,
						   .thread = thread};
		ran_ns[thread] = end_ns;
		text += length + woken;
	}
	assert_string_equal(text, "");
	return count;
}

static void take_waits(struct long_waits *waits, const char *text, const struct target_quota *quota)
{
	struct change changes[CHANGES_MAX];
	size_t count = draw_changes(changes, text);

	sort_items(changes, count, compare_changes);
	for (size_t i = 0; i < count; i++)
		long_waits_take(waits, &changes[i], quota);
}

static uint64_t in_ms(uint64_t ns)
{
	return (ns + ms / 2) / ms;
}

static void waits_that_end_with_a_period_are_throttled_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target_quota quota = {.quota_ns = 50 * ms,
						   .period_ns = 100 * ms,
						   .periods = 10,
						   .throttled = cases[i].throttled};
		struct long_waits waits = {.count = 0};
		struct throttled_time time;
		struct level_times levels;

		take_waits(&waits, cases[i].waits, &quota);
		throttling_find(&time, &levels, &waits, &quota);
		if (in_ms(time.wall_ns) != cases[i].wall || in_ms(time.wait_ns) != cases[i].wait ||
		    time.spans != cases[i].spans ||
		    (waits.count && in_ms(waits.items[0].throttled_ns) != cases[i].first))
			fail_msg("%s: %" PRIu64 " ns, %" PRIu64 " of threads, %" PRIu64 " spans",
				 cases[i].what, time.wall_ns, time.wait_ns, time.spans);
		for (size_t j = 0; j < LEVELS; j++)
			assert_int_equal(
				j <= levels.max_active && time.spans ? in_ms(levels.wall_ns[j]) : 0,
				cases[i].levels[j]);
		level_times_release(&levels);
		long_waits_release(&waits);
	}
}

static void without_a_quota_no_wait_is_kept(void **state)
{
	const struct target_quota none = {.quota_ns = 0};
	struct long_waits waits = {.count = 0};

	(void)state;
	take_waits(&waits, cases[1].waits, &none);
	assert_int_equal(waits.count, 0);
	long_waits_release(&waits);
}

/* A damaged recording may have such a period. */
static void a_period_of_a_nanosecond_does_no_harm(void **state)
{
	const struct target_quota quota = {.quota_ns = UINT64_MAX, .period_ns = 1};
	struct long_waits waits = {.count = 0};
	struct throttled_time time;
	struct level_times levels;

	(void)state;
	take_waits(&waits, cases[1].waits, &quota);
	throttling_find(&time, &levels, &waits, &quota);
	assert_int_equal(time.wall_ns, 3); /* the last period of each wait */
	level_times_release(&levels);
	long_waits_release(&waits);
}

/* Of 100 ms with two threads ready 60 are throttled; 20 of three threads do not fit. */
static void throttled_time_is_subtracted_from_levels(void **state)
{
	uint64_t wall_ns[] = {5, 30, 100}, throttled_ns[] = {0, 10, 60};
	const struct level_times levels = {.wall_ns = wall_ns, .max_active = 2, .total_ns = 135};
	const struct level_times throttled = {
		.wall_ns = throttled_ns, .max_active = 2, .total_ns = 70};
	struct level_times left;

	(void)state;
	throttling_take_out(&left, &levels, &throttled);
	assert_int_equal(left.wall_ns[0], 5);
	assert_int_equal(left.wall_ns[1], 20);
	assert_int_equal(left.wall_ns[2], 40);
	assert_int_equal(left.total_ns, 65);
	level_times_release(&left);
}

/* Longer than the time with one thread ready: more threads have woken meanwhile. */
static void throttled_time_that_does_not_fit_goes_to_the_next_level(void **state)
{
	uint64_t wall_ns[] = {5, 30, 100}, throttled_ns[] = {0, 50};
	const struct level_times levels = {.wall_ns = wall_ns, .max_active = 2, .total_ns = 135};
	const struct level_times throttled = {
		.wall_ns = throttled_ns, .max_active = 1, .total_ns = 50};
	struct level_times left;

	(void)state;
	throttling_take_out(&left, &levels, &throttled);
	assert_int_equal(left.wall_ns[1], 0);
	assert_int_equal(left.wall_ns[2], 80);
	assert_int_equal(left.total_ns, 85);
	level_times_release(&left);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waits_that_end_with_a_period_are_throttled_time),
	cmocka_unit_test(without_a_quota_no_wait_is_kept),
	cmocka_unit_test(a_period_of_a_nanosecond_does_no_harm),
	cmocka_unit_test(throttled_time_is_subtracted_from_levels),
	cmocka_unit_test(throttled_time_that_does_not_fit_goes_to_the_next_level),
};

TEST_FILE(tests);
