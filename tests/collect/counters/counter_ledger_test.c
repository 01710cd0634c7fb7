/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters_private.h"

#include "support.h"

/* One event on two CPUs, of families of the threads 100, 200, ..., which begin at 1000. */
enum { CPUS = 2, BEGIN_NS = 1000 };

static struct counter_ledger *ledger_of(size_t families)
{
	struct counter_ledger *ledger = counter_ledger_new(1, CPUS);

	for (size_t i = 1; i <= families; i++)
		counter_ledger_begin(ledger, (pid_t)(100 * i), (pid_t)(100 * i), BEGIN_NS);
	return ledger;
}

/* The thread leaves its count of one CPU. Returns its count on all CPUs, 0: unknown yet.
 */
static uint64_t leave(struct counter_ledger *ledger, size_t family, pid_t tid, uint64_t time_ns,
		      uint64_t value)
{
	const struct counter_read read = {
		.pid = 100, .tid = tid, .time_ns = time_ns, .count = {value, 50, value}};
	const struct perf_count *counts = counter_ledger_end(ledger, family, &read);

	return counts ? counts->value : 0;
}

/* The tid of the thread with the rest; 0: no thread. */
static pid_t rest_of(struct counter_ledger *ledger, size_t family, uint64_t *value)
{
	struct perf_count sum = {*value, 1000, 1000};
	struct counter_rest rest;
	pid_t tid = 0;

	if (counter_ledger_rest(&rest, &sum, ledger, family))
		tid = rest.tid;
	*value = sum.value;
	return tid;
}

static void assert_rest(struct counter_ledger *ledger, size_t family, uint64_t sum, pid_t tid,
			uint64_t value)
{
	assert_int_equal(rest_of(ledger, family, &sum), tid);
	if (tid)
		assert_int_equal(sum, value);
}

static void a_thread_alone_has_all_that_was_counted(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	assert_rest(ledger, 0, 7, 100, 7);
	counter_ledger_free(ledger);
}

static void a_thread_that_ends_has_what_it_left_on_all_cpus(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	assert_int_equal(leave(ledger, 0, 101, 3000, 20), 0);
	assert_int_equal(leave(ledger, 0, 101, 3000, 3), 23);
	assert_rest(ledger, 0, 30, 100, 7);
	counter_ledger_free(ledger);
}

static void records_may_come_before_that_of_the_birth(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	leave(ledger, 0, 101, 3000, 20);
	assert_int_equal(leave(ledger, 0, 101, 3000, 3), 23);
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	assert_rest(ledger, 0, 30, 100, 7);
	counter_ledger_free(ledger);
}

static void a_reused_number_is_another_thread(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	for (uint64_t time_ns = 2000; time_ns < 5000; time_ns += 1000) {
		counter_ledger_birth(ledger, 0, 100, 101, time_ns);
		leave(ledger, 0, 101, time_ns + 500, 1);
		assert_int_equal(leave(ledger, 0, 101, time_ns + 500, 1), 2);
	}
	assert_rest(ledger, 0, 10, 100, 4);
	counter_ledger_free(ledger);
}

static void the_rest_of_several_living_threads_is_of_no_single_one(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	counter_ledger_birth(ledger, 0, 100, 102, 2000);
	leave(ledger, 0, 102, 3000, 10);
	leave(ledger, 0, 102, 3000, 10);
	assert_rest(ledger, 0, 30, -1, 10);
	counter_ledger_free(ledger);
}

static void records_of_one_cpu_are_not_enough(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	leave(ledger, 0, 101, 3000, 10);
	assert_rest(ledger, 0, 30, -1, 30);
	counter_ledger_free(ledger);
}

static void a_thread_that_swapped_events_with_the_first_has_the_rest(void **state)
{
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	leave(ledger, 0, 100, 3000, 10);
	assert_int_equal(leave(ledger, 0, 100, 3000, 10), 20);
	assert_rest(ledger, 0, 25, 101, 5);
	counter_ledger_free(ledger);
}

static void with_lost_records_the_rest_is_of_no_single_thread(void **state)
{
	struct counter_ledger *ledger = ledger_of(2);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 101, 2000);
	leave(ledger, 0, 101, 3000, 10);
	leave(ledger, 0, 101, 3000, 10);
	counter_ledger_lost(ledger);
	assert_rest(ledger, 0, 30, -1, 10);
	assert_rest(ledger, 1, 30, 200, 30); /* created no thread */
	counter_ledger_free(ledger);
}

/* Thread 200 was found and adopted; its birth as a child of 100 comes later. */
static void a_thread_that_also_inherited_is_counted_once(void **state)
{
	struct counter_ledger *ledger = ledger_of(2);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 200, 2000);
	assert_int_equal(leave(ledger, 1, 201, 3000, 10), 0);
	assert_int_equal(leave(ledger, 1, 201, 3000, 10), 0);
	leave(ledger, 0, 200, 3000, 4);
	assert_int_equal(leave(ledger, 0, 200, 3000, 5), 9);
	assert_rest(ledger, 0, 30, 100, 21);
	assert_rest(ledger, 1, 9, 0, 0);
	counter_ledger_free(ledger);
}

/* 200 was born while events were opened on 100, and may have inherited none. */
static void a_birth_before_the_beginning_is_no_heir(void **state)
{
	struct counter_ledger *ledger = ledger_of(2);

	(void)state;
	counter_ledger_birth(ledger, 0, 100, 200, BEGIN_NS - 1);
	assert_rest(ledger, 0, 30, 100, 30);
	assert_rest(ledger, 1, 9, 200, 9);
	counter_ledger_free(ledger);
}

static void impossible_numbers_are_ignored(void **state)
{
	static const pid_t tids[] = {0, -1, INT32_MAX, 1 << 22};
	struct counter_ledger *ledger = ledger_of(1);

	(void)state;
	for (size_t i = 0; i < sizeof(tids) / sizeof(tids[0]); i++) {
		counter_ledger_birth(ledger, 0, 100, tids[i], 2000);
		assert_int_equal(leave(ledger, 0, tids[i], 3000, 1), 0);
		assert_int_equal(leave(ledger, 0, tids[i], 3000, 1), 0);
	}
	assert_rest(ledger, 0, 30, 100, 30);
	counter_ledger_free(ledger);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_alone_has_all_that_was_counted),
	cmocka_unit_test(a_thread_that_ends_has_what_it_left_on_all_cpus),
	cmocka_unit_test(records_may_come_before_that_of_the_birth),
	cmocka_unit_test(a_reused_number_is_another_thread),
	cmocka_unit_test(the_rest_of_several_living_threads_is_of_no_single_one),
	cmocka_unit_test(records_of_one_cpu_are_not_enough),
	cmocka_unit_test(a_thread_that_swapped_events_with_the_first_has_the_rest),
	cmocka_unit_test(with_lost_records_the_rest_is_of_no_single_thread),
	cmocka_unit_test(a_thread_that_also_inherited_is_counted_once),
	cmocka_unit_test(a_birth_before_the_beginning_is_no_heir),
	cmocka_unit_test(impossible_numbers_are_ignored),
};

TEST_FILE(tests);
