/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event_heap.h"

#include "support.h"

#include <stdlib.h>

static void the_oldest_comes_first_and_of_one_time_the_first(void **state)
{
	struct event_heap heap = {0};
	struct event event, before = {0};

	(void)state;
	srand(1);
	for (int32_t i = 0; i < 5000; i++) {
		event = (struct event){.time_ns = (uint64_t)rand() % 500, .tid = i};
		event_heap_push(&heap, &event, (uint64_t)i);
	}
	for (int32_t i = 0; i < 5000; i++) {
		event_heap_pop(&heap, &event);
		assert_true(event.time_ns >= before.time_ns);
		assert_true(!i || event.time_ns > before.time_ns || event.tid > before.tid);
		before = event;
	}
	assert_int_equal(heap.count, 0);
	event_heap_release(&heap);
}

static void places_are_used_again(void **state)
{
	struct event_heap heap = {0};
	struct event event = {0};

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		event.time_ns = i;
		event_heap_push(&heap, &event, i);
		if (i >= 10)
			event_heap_pop(&heap, &event);
	}
	assert_int_equal(heap.slot_count, 11);
	event_heap_release(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_comes_first_and_of_one_time_the_first),
		cmocka_unit_test(places_are_used_again),
	};

	return RUN_TESTS(tests);
}
