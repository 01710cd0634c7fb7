/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event_lane.h"

#include "support.h"

static bool add(struct event_lane *lane, uint64_t time_ns, int32_t serial)
{
	struct lane_entry *entry = event_lane_room(lane);

	entry->event = (struct event){.time_ns = time_ns, .tid = serial};
	return event_lane_take(lane);
}

static void assert_head(struct event_lane *lane, uint64_t time_ns, int32_t serial)
{
	assert_false(event_lane_is_empty(lane));
	assert_int_equal(event_lane_head(lane)->event.time_ns, time_ns);
	assert_int_equal(event_lane_head(lane)->event.tid, serial);
	event_lane_drop_head(lane);
}

static void what_is_a_little_late_is_moved_ahead(void **state)
{
	struct event_lane lane = {0};

	(void)state;
	assert_true(add(&lane, 10, 1));
	assert_true(add(&lane, 30, 2));
	assert_true(add(&lane, 20, 3));
	assert_true(add(&lane, 20, 4)); /* behind the other of its time */
	assert_true(add(&lane, 5, 5));	/* to the very front */
	assert_head(&lane, 5, 5);
	assert_head(&lane, 10, 1);
	assert_head(&lane, 20, 3);
	assert_head(&lane, 20, 4);
	assert_head(&lane, 30, 2);
	assert_true(event_lane_is_empty(&lane));
	event_lane_release(&lane);
}

static void what_is_very_late_is_not_taken(void **state)
{
	struct event_lane lane = {0};

	(void)state;
	for (int32_t i = 0; i < 1000; i++)
		assert_true(add(&lane, 1000 + (uint64_t)i, i));
	assert_false(add(&lane, 500, -1));
	assert_false(add(&lane, 1100, -1));
	assert_true(add(&lane, 1990, 1000));
	for (int32_t i = 0; i <= 990; i++)
		assert_head(&lane, 1000 + (uint64_t)i, i);
	assert_head(&lane, 1990, 1000);
	event_lane_release(&lane);
}

static void the_ring_is_used_again_and_grows_where_it_is_full(void **state)
{
	struct event_lane lane = {0};
	int32_t added = 0, taken = 0;

	(void)state;
	for (int32_t kept = 1; kept < 100; kept += 7) {
		for (int32_t i = 0; i < 200; i++) {
			while (added - taken < kept)
				add(&lane, (uint64_t)added, added), added++;
			assert_head(&lane, (uint64_t)taken, taken);
			taken++;
		}
	}
	assert_int_equal(lane.mask, 127);
	event_lane_release(&lane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_a_little_late_is_moved_ahead),
		cmocka_unit_test(what_is_very_late_is_not_taken),
		cmocka_unit_test(the_ring_is_used_again_and_grows_where_it_is_full),
	};

	return RUN_TESTS(tests);
}
