/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rdam_random_test.c compares the parts of faults with a slow way. */
#include "stats/rdam/rdam_trace.h"

#include "random.h"
#include "support.h"

#include <stdlib.h>

static void take(struct rdam_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	block_faults_take(thread, EVENT_FAULT, begin_ns);
	block_faults_take(thread, EVENT_FAULT_END, end_ns);
}

static void faults_without_begin_or_end_are_dropped(void **state)
{
	struct rdam_thread thread = {.tid = 1};

	(void)state;
	block_faults_take(&thread, EVENT_FAULT_END, 5);
	block_faults_take(&thread, EVENT_FAULT, 10);
	take(&thread, 20, 25);
	block_faults_take(&thread, EVENT_FAULT_END, 26);
	take(&thread, 30, 31);
	block_faults_take(&thread, EVENT_FAULT, 40);
	block_faults_measure(&thread, 0);
	assert_int_equal(thread.details->fault_count, 2);
	assert_int_equal(thread.details->faults[0].begin_ns, 20);
	assert_int_equal(thread.details->faults[0].end_ns, 25);
	assert_int_equal(thread.details->faults[1].begin_ns, 30);
	assert_int_equal(thread.details->faults[1].end_ns, 31);
	free(thread.details->faults);
	free(thread.details);
}

/* Running to 100, in state D to 130, asleep to 150, running to 200. */
static void faults_have_the_states_of_the_thread_meanwhile(void **state)
{
	struct block_interval intervals[] = {{.end_ns = 100, .state = STATE_RUNNING},
					     {.end_ns = 130, .state = STATE_DISK},
					     {.end_ns = 150, .state = STATE_SLEEPING},
					     {.end_ns = 200, .state = STATE_RUNNING}};
	static const struct {
		uint64_t begin_ns, end_ns, cpu_ns, disk_ns;
	} faults[] = {
		{0, 10, 10 + 2, 0},    {20, 20, 0 + 2, 0},    {90, 105, 10 + 2, 5},
		{110, 120, 0 + 2, 10}, {125, 160, 10 + 2, 5}, {190, 300, 10 + 2, 0},
	};
	struct rdam_thread thread = {.intervals = intervals, .interval_count = 4};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		take(&thread, faults[i].begin_ns, faults[i].end_ns);
	block_faults_measure(&thread, 2);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct block_fault *fault = &thread.details->faults[i];

		assert_int_equal(fault[1].cpu_ns - fault[0].cpu_ns, faults[i].cpu_ns);
		assert_int_equal(fault[1].disk_ns - fault[0].disk_ns, faults[i].disk_ns);
	}
	free(thread.details->faults);
	free(thread.details);
}

static void faults_are_found_with_any_guess(void **state)
{
	enum { FAULTS = 100, LAST_NS = 1000 };
	struct rdam_thread thread = {.tid = 1};
	struct random random = {7};
	uint64_t time_ns = 0;

	(void)state;
	for (size_t i = 0; i < FAULTS; i++, time_ns += random_below(&random, 20))
		take(&thread, time_ns, time_ns);
	block_faults_measure(&thread, 0);
	for (uint64_t at = 0; at < LAST_NS; at += 7) {
		size_t want = 0;

		while (want < FAULTS && thread.details->faults[want].begin_ns < at)
			want++;
		for (size_t guess = 0; guess <= FAULTS; guess++)
			assert_int_equal(block_faults_find(&thread, at, guess), want);
	}
	free(thread.details->faults);
	free(thread.details);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(faults_without_begin_or_end_are_dropped),
	cmocka_unit_test(faults_have_the_states_of_the_thread_meanwhile),
	cmocka_unit_test(faults_are_found_with_any_guess),
};

TEST_FILE(tests);
