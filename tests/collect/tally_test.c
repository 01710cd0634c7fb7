/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/tally.h"

#include <string.h>

/* As much of a record as is looked at. */
union record {
	struct perf_event_header header;
	uint64_t words[8];
};

static union record forked(uint32_t pid, uint32_t ppid, uint32_t tid)
{
	const uint32_t body[4] = {pid, ppid, tid, ppid};
	union record record = {.header = {.type = PERF_RECORD_FORK, .size = 32}};

	memcpy(&record.words[1], body, sizeof(body));
	return record;
}

static void add_fork(struct tally *tally, uint32_t pid, uint32_t ppid, uint32_t tid)
{
	union record record = forked(pid, ppid, tid);

	tally_record(tally, &record.header);
}

static void threads_and_children_of_the_target_count(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	add_fork(&tally, 10, 10, 11); /* a thread */
	add_fork(&tally, 20, 10, 20); /* a child */
	add_fork(&tally, 30, 20, 30); /* its child */
	add_fork(&tally, 50, 40, 50); /* a stranger's */
	tally_round(&tally);
	assert_int_equal(tally.threads, 4);
	tally_release(&tally);
}

static void a_child_may_be_seen_before_its_parent(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	add_fork(&tally, 40, 30, 40);
	add_fork(&tally, 30, 20, 30);
	tally_round(&tally);
	assert_int_equal(tally.threads, 1);
	add_fork(&tally, 20, 10, 20); /* in the ring of another CPU, a pass later */
	tally_round(&tally);
	assert_int_equal(tally.threads, 4);
	tally_release(&tally);
}

static void strangers_are_forgotten_after_a_round(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	for (uint32_t round = 0; round < 100; round++) {
		add_fork(&tally, 1000 + round, 999, 1000 + round);
		tally_round(&tally);
		assert_true(tally.orphan_count <= 1);
	}
	assert_int_equal(tally.threads, 1);
	tally_release(&tally);
}

static void a_thread_that_the_scan_saw_counts_once(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	tally_thread(&tally, 10, 11);
	tally_thread(&tally, 10, 11);
	add_fork(&tally, 10, 10, 11); /* it was born between the start and the scan */
	assert_int_equal(tally.threads, 2);
	add_fork(&tally, 10, 10, 11); /* another one with its id */
	assert_int_equal(tally.threads, 3);
	tally_release(&tally);
}

static void samples_and_losses_add_up(void **state)
{
	const union record sample = {.header = {.type = PERF_RECORD_SAMPLE, .size = 64}};
	const union record lost = {.words = {[0] = 0, [1] = 77 /* id */, [2] = 5}};
	union record record = lost;
	struct tally tally = {0};

	(void)state;
	record.header = (struct perf_event_header){.type = PERF_RECORD_LOST, .size = 24};
	tally_record(&tally, &sample.header);
	tally_record(&tally, &record.header);
	tally_record(&tally, &sample.header);
	record.header.type = PERF_RECORD_LOST_SAMPLES;
	record.words[1] = 2;
	tally_record(&tally, &record.header);
	assert_int_equal(tally.samples, 2);
	assert_int_equal(tally.lost, 7);
	tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_children_of_the_target_count),
		cmocka_unit_test(a_child_may_be_seen_before_its_parent),
		cmocka_unit_test(strangers_are_forgotten_after_a_round),
		cmocka_unit_test(a_thread_that_the_scan_saw_counts_once),
		cmocka_unit_test(samples_and_losses_add_up),
	};

	return RUN_TESTS(tests);
}
