/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline_private.h"

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

/* The tids, from the first to the last; backwards the order is the reverse. */
static void assert_order(const struct thread_table *table, const int32_t *tids, size_t count)
{
	const struct thread *thread = thread_table_first(table);
	uint32_t previous = 0;

	for (size_t i = 0; i < count; i++) {
		assert_non_null(thread);
		assert_int_equal(thread->tid, tids[i]);
		assert_int_equal(thread->previous, previous);
		assert_ptr_equal(thread_table_find(table, tids[i]), thread);
		previous = thread->place;
		thread = thread_table_next(table, thread);
	}
	assert_null(thread);
	assert_int_equal(table->last, previous);
}

static void a_new_thread_is_found_in_an_unknown_state(void **state)
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

static void threads_are_in_the_order_of_their_appearance(void **state)
{
	static const int32_t tids[] = {900, 1, SPARSE_MAX - 1, 42};

	for (size_t i = 0; i < 4; i++)
		thread_table_add(*state, tids[i]);
	assert_order(*state, tids, 4);
}

static void a_thread_can_be_dropped_at_any_place(void **state)
{
	static const int32_t without[3][2] = {{2, 3}, {1, 3}, {1, 2}};
	struct thread_table *table = *state;

	for (int32_t dropped = 1; dropped <= 3; dropped++) {
		for (int32_t tid = 1; tid <= 3; tid++)
			thread_table_add(table, tid);
		thread_table_drop(table, thread_table_find(table, dropped));
		assert_null(thread_table_find(table, dropped));
		assert_order(table, without[dropped - 1], 2);
		thread_table_drop(table, thread_table_first(table));
		thread_table_drop(table, thread_table_at(table, table->last));
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

static void only_numbers_of_threads_are_taken(void **state)
{
	static const int32_t none[] = {0, -1, INT32_MIN, SPARSE_MAX, INT32_MAX};

	for (size_t i = 0; i < 5; i++) {
		assert_false(thread_table_takes(none[i]));
		assert_null(thread_table_find(*state, none[i]));
	}
	assert_true(thread_table_takes(1));
	assert_true(thread_table_takes(SPARSE_MAX - 1));
}

/* The tids of a process, in the order in which they joined it. */
static void assert_process(const struct thread_table *table, int32_t pid, const int32_t *tids,
			   size_t count)
{
	const struct thread *thread = thread_table_first_of(table, pid);

	for (size_t i = 0; i < count; i++) {
		assert_non_null(thread);
		assert_int_equal(thread->tid, tids[i]);
		assert_int_equal(thread->pid, pid);
		thread = thread_table_next_of(table, thread);
	}
	assert_null(thread);
}

static void threads_are_found_by_their_process(void **state)
{
	static const int32_t none[] = {0, -1, INT32_MIN, SPARSE_MAX, INT32_MAX};
	struct thread_table *table = *state;
	struct thread *threads[5];

	for (int32_t i = 0; i < 5; i++) {
		threads[i] = thread_table_add(table, 10 + i);
		thread_table_describe(table, threads[i], i == 3 ? 7 : 10);
	}
	assert_process(table, 10, (const int32_t[]){10, 11, 12, 14}, 4);
	assert_process(table, 7, (const int32_t[]){13}, 1);
	thread_table_describe(table, threads[1], 7); /* it changes its process */
	thread_table_describe(table, threads[2], 10);
	assert_process(table, 10, (const int32_t[]){10, 12, 14}, 3);
	assert_process(table, 7, (const int32_t[]){13, 11}, 2);
	thread_table_drop(table, threads[0]);
	thread_table_drop(table, threads[4]);
	assert_process(table, 10, (const int32_t[]){12}, 1);
	thread_table_drop(table, threads[2]);
	assert_process(table, 10, NULL, 0);
	for (size_t i = 0; i < 5; i++) { /* a missing process has no thread */
		thread_table_describe(table, threads[1], none[i]);
		assert_process(table, none[i], NULL, 0);
		assert_process(table, 7, (const int32_t[]){13}, 1);
	}
}

static void facts_about_threads_found_running_belong_to_them(void **state)
{
	struct thread_table *table = *state;
	struct thread *threads[3];

	for (int32_t i = 0; i < 3; i++) {
		threads[i] = thread_table_add(table, 10 + i);
		assert_null(thread_table_found(table, threads[i]));
		thread_table_add_found(table, &(struct found){.thread = threads[i], .waker = i});
	}
	thread_table_forget_found(table, threads[0]);
	assert_null(thread_table_found(table, threads[0]));
	assert_int_equal(thread_table_found(table, threads[1])->waker, 1);
	assert_int_equal(thread_table_found(table, threads[2])->waker, 2);
	thread_table_drop(table, threads[2]);
	assert_int_equal(table->found_count, 1);
	assert_int_equal(thread_table_found(table, threads[1])->waker, 1);
}

static void known_threads_are_listed_until_all_is_forgotten(void **state)
{
	struct thread_table *table = *state;
	struct thread *threads[4];

	for (int32_t i = 0; i < 4; i++)
		threads[i] = thread_table_add(table, 20 - i);
	for (size_t i = 4; i-- > 0;) {
		thread_table_learn(table, threads[i]);
		thread_table_learn(table, threads[i]);
	}
	assert_int_equal(table->known_count, 4);
	thread_table_drop(table, threads[2]);
	thread_table_sort_known(table);
	assert_int_equal(table->known_count, 3);
	assert_int_equal(table->known[0], threads[0]->place);
	assert_int_equal(table->known[1], threads[1]->place);
	assert_int_equal(table->known[2], threads[3]->place);
	thread_table_drop(table, threads[0]);
	assert_int_equal(table->known_count, 2);
	thread_table_forget_known(table);
	assert_int_equal(table->known_count, 0);
	thread_table_learn(table, threads[3]);
	assert_int_equal(table->known_count, 1);
	assert_int_equal(table->known[0], threads[3]->place);
}

#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void no_thread_runs_where_another_one_did(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	assert_true(cpu_table_tell(&table, 0, 1000, 3000));
	assert_false(cpu_table_tell(&table, 0, 2999, 5000));
	assert_true(cpu_table_tell(&table, 0, 3000, 4000)); /* the other thread did not count */
	assert_true(cpu_table_tell(&table, 1, 1000, 9000));
	assert_true(cpu_table_tell(&table, -1, 0, 9000)); /* unknown CPU: no conflict */
	cpu_table_release(&table);
}

static void forgotten_facts_of_a_cpu_are_unknown_from_then_on(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	assert_int_equal(cpu_table_put(&table, 0, 100, -1, 1000), 0);
	assert_int_equal(cpu_table_put(&table, 2, 102, -1, 1000), 0);
	cpu_table_forget(&table, 0, 2000);
	assert_int_equal(cpu_table_at(&table, 0), -1);
	assert_int_equal(cpu_table_get(&table, 0).since_ns, 2000);
	assert_int_equal(cpu_table_at(&table, 2), 102);
	cpu_table_forget(&table, -1, 3000);
	assert_int_equal(cpu_table_at(&table, 2), -1);
	assert_int_equal(cpu_table_get(&table, 0).since_ns, 3000);
	cpu_table_release(&table);
}

static void threads_on_cpus_never_seen_are_forgotten_too(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	cpu_table_put(&table, 2, 102, -1, 1000);
	assert_int_equal(cpu_table_at(&table, 1), 0);
	cpu_table_forget(&table, -1, 3000);
	assert_int_equal(cpu_table_at(&table, 1), -1);
	assert_int_equal(cpu_table_get(&table, 1).since_ns, 3000);
	assert_int_equal(cpu_table_put(&table, 1, 101, -1, 4000), -1);
	assert_int_equal(cpu_table_at(&table, 1), 101);
	assert_int_equal(cpu_table_at(&table, 2), -1);
	assert_int_equal(cpu_table_at(&table, 10000), 0); /* met only after that time */
	cpu_table_put(&table, 10000, 100, -1, 5000);
	assert_int_equal(cpu_table_at(&table, 9999), 0);
	cpu_table_release(&table);
}

static const struct CMUnitTest tests[] = {
	WITH_TABLE(a_new_thread_is_found_in_an_unknown_state),
	WITH_TABLE(threads_are_in_the_order_of_their_appearance),
	WITH_TABLE(a_thread_can_be_dropped_at_any_place),
	WITH_TABLE(a_number_can_be_used_again),
	WITH_TABLE(only_numbers_of_threads_are_taken),
	WITH_TABLE(threads_are_found_by_their_process),
	WITH_TABLE(facts_about_threads_found_running_belong_to_them),
	WITH_TABLE(known_threads_are_listed_until_all_is_forgotten),
	cmocka_unit_test(no_thread_runs_where_another_one_did),
	cmocka_unit_test(forgotten_facts_of_a_cpu_are_unknown_from_then_on),
	cmocka_unit_test(threads_on_cpus_never_seen_are_forgotten_too),
};

TEST_FILE(tests);
