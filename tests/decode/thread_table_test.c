/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/thread_table.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>

static int set_up(void **state)
{
	*state = xcalloc(1, sizeof(struct thread_table));
	return 0;
}

static int tear_down(void **state)
{
	thread_table_release(*state);
	free(*state);
	return 0;
}

/* The tids, first to last; and the way back is the same. */
static void assert_order(const struct thread_table *table, const int32_t *tids, size_t count)
{
	const struct thread *thread = table->first, *previous = NULL;

	for (size_t i = 0; i < count; i++) {
		assert_non_null(thread);
		assert_int_equal(thread->tid, tids[i]);
		assert_ptr_equal(thread->previous, previous);
		assert_ptr_equal(thread_table_find(table, tids[i]), thread);
		previous = thread;
		thread = thread->next;
	}
	assert_null(thread);
	assert_ptr_equal(table->last, previous);
}

static void a_new_thread_is_found_and_nothing_is_known_of_it(void **state)
{
	struct thread_table *table = *state;
	const struct thread *thread = thread_table_add(table, 4711);

	assert_ptr_equal(thread_table_find(table, 4711), thread);
	assert_int_equal(thread->tid, 4711);
	assert_int_equal(thread->pid, -1);
	assert_int_equal(thread->cpu, -1);
	assert_int_equal(thread->waker, -1);
	assert_int_equal(thread->state, STATE_UNKNOWN);
	assert_string_equal(thread->comm, "");
	assert_false(thread->met || thread->target || thread->in_tree || thread->newborn);
	assert_null(thread_table_find(table, 4710));
}

static void threads_stand_in_the_order_of_their_appearance(void **state)
{
	static const int32_t tids[] = {900, 1, SPARSE_MAX - 1, 42};

	for (size_t i = 0; i < 4; i++)
		thread_table_add(*state, tids[i]);
	assert_order(*state, tids, 4);
}

static void a_thread_can_be_dropped_wherever_it_stands(void **state)
{
	static const int32_t without[3][2] = {{2, 3}, {1, 3}, {1, 2}};
	struct thread_table *table = *state;

	for (int32_t dropped = 1; dropped <= 3; dropped++) {
		for (int32_t tid = 1; tid <= 3; tid++)
			thread_table_add(table, tid);
		thread_table_drop(table, thread_table_find(table, dropped));
		assert_null(thread_table_find(table, dropped));
		assert_order(table, without[dropped - 1], 2);
		thread_table_drop(table, table->first);
		thread_table_drop(table, table->last);
		assert_order(table, NULL, 0);
	}
}

static void a_number_can_be_used_again(void **state)
{
	struct thread_table *table = *state;
	struct thread *thread = thread_table_add(table, 5);

	thread->met = true;
	thread_table_add(table, 6);
	thread_table_drop(table, thread);
	thread = thread_table_add(table, 5);
	assert_false(thread->met);
	assert_order(table, (const int32_t[]){6, 5}, 2);
}

static void only_numbers_that_threads_have_are_taken(void **state)
{
	static const int32_t none[] = {0, -1, INT32_MIN, SPARSE_MAX, INT32_MAX};

	for (size_t i = 0; i < 5; i++) {
		assert_false(thread_table_takes(none[i]));
		assert_null(thread_table_find(*state, none[i]));
	}
	assert_true(thread_table_takes(1));
	assert_true(thread_table_takes(SPARSE_MAX - 1));
}

#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TABLE(a_new_thread_is_found_and_nothing_is_known_of_it),
		WITH_TABLE(threads_stand_in_the_order_of_their_appearance),
		WITH_TABLE(a_thread_can_be_dropped_wherever_it_stands),
		WITH_TABLE(a_number_can_be_used_again),
		WITH_TABLE(only_numbers_that_threads_have_are_taken),
	};

	return RUN_TESTS(tests);
}
