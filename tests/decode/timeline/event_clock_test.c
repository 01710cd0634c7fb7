/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/event_clock.h"

#include "support.h"

enum { S = 1000000000 };

static void assert_step(struct event_clock *clock, uint64_t time_ns, enum event_clock_step step,
			uint64_t now_ns)
{
	assert_int_equal(event_clock_step(clock, time_ns), step);
	assert_true(clock->now_ns == now_ns);
}

static void time_goes_on_with_the_events(void **state)
{
	struct event_clock clock = {0};

	(void)state;
	assert_step(&clock, 0, CLOCK_ON, 0);
	assert_step(&clock, 5, CLOCK_ON, 5);
	assert_step(&clock, 5, CLOCK_ON, 5);
	assert_step(&clock, 7ULL * S, CLOCK_ON, 7ULL * S);
}

static void an_event_that_is_a_little_older_happens_now(void **state)
{
	struct event_clock clock = {0};

	(void)state;
	assert_step(&clock, 7ULL * S, CLOCK_ON, 7ULL * S);
	assert_step(&clock, 7ULL * S - 1, CLOCK_LATE, 7ULL * S);
	assert_step(&clock, 7ULL * S - EVENT_CLOCK_BACK_NS, CLOCK_LATE, 7ULL * S);
	assert_step(&clock, 7ULL * S - EVENT_CLOCK_BACK_NS - 1, CLOCK_BACK, 7ULL * S);
}

static void single_events_from_before_change_nothing(void **state)
{
	struct event_clock clock = {0};

	(void)state;
	for (uint64_t i = 1; i < 100; i++) {
		assert_step(&clock, 100ULL * S + i, CLOCK_ON, 100ULL * S + i);
		assert_step(&clock, 0, CLOCK_BACK, 100ULL * S + i);
	}
	/* nor do many that have nothing to do with one another */
	for (uint64_t i = 1; i < 49; i++)
		assert_step(&clock, (100ULL - 2 * i) * S, CLOCK_BACK, 100ULL * S + 99);
}

static void where_many_follow_one_another_the_clock_was_set_back(void **state)
{
	struct event_clock clock = {0};
	uint64_t now_ns = 100ULL * S;

	(void)state;
	assert_step(&clock, now_ns, CLOCK_ON, now_ns);
	for (uint64_t i = 1; i < EVENT_CLOCK_STRAYS; i++)
		assert_step(&clock, S + i, CLOCK_BACK, now_ns);
	assert_step(&clock, 2ULL * S, CLOCK_SET, now_ns);
	assert_step(&clock, 2ULL * S + 5, CLOCK_ON, now_ns + 5);
	assert_step(&clock, 2ULL * S + 4, CLOCK_LATE, now_ns + 5);
	/* what tells no time of its own keeps to the new one */
	event_clock_reach(&clock, 2ULL * S + 9);
	assert_true(clock.now_ns == now_ns + 9);
	event_clock_reach(&clock, 1);
	assert_true(clock.now_ns == now_ns + 9);
}

static void times_without_end_do_not_overflow(void **state)
{
	struct event_clock clock = {0};

	(void)state;
	assert_step(&clock, UINT64_MAX, CLOCK_ON, UINT64_MAX);
	for (uint64_t i = 1; i < EVENT_CLOCK_STRAYS; i++)
		assert_step(&clock, i, CLOCK_BACK, UINT64_MAX);
	assert_step(&clock, 20, CLOCK_SET, UINT64_MAX);
	assert_step(&clock, 21, CLOCK_ON, UINT64_MAX);
	assert_step(&clock, UINT64_MAX, CLOCK_ON, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_on_with_the_events),
		cmocka_unit_test(an_event_that_is_a_little_older_happens_now),
		cmocka_unit_test(single_events_from_before_change_nothing),
		cmocka_unit_test(where_many_follow_one_another_the_clock_was_set_back),
		cmocka_unit_test(times_without_end_do_not_overflow),
	};

	return RUN_TESTS(tests);
}
