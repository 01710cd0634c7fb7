/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/target/task_origins.h"

static bool takes(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns)
{
	const struct perf_event_header record = {.type = PERF_RECORD_SWITCH};

	return task_origins_take(origins, &record, tid, origin, time_ns);
}

static void ends(struct task_origins *origins, pid_t tid, size_t origin)
{
	const struct perf_event_header record = {.type = PERF_RECORD_EXIT};

	assert_true(task_origins_take(origins, &record, tid, origin, 200));
}

/* Thread 10 of process 10 was opened at time 100: origin 0. */
static struct task_origins opened(void)
{
	struct task_origins origins = {.origin_count = 0};

	task_origins_add(&origins, 10, 100, false);
	return origins;
}

static void a_thread_is_watched_from_its_opening_to_its_end(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	assert_int_equal(task_origins_of(&origins, 10), TASK_IS_WATCHED);
	assert_int_equal(task_origins_of(&origins, 11), TASK_IS_UNKNOWN);
	assert_true(takes(&origins, 10, 0, 200));
	ends(&origins, 10, 0);
	assert_int_equal(task_origins_of(&origins, 10), TASK_IS_UNKNOWN);
	assert_true(takes(&origins, 10, 0, 200)); /* from another ring */
	task_origins_release(&origins);
}

/* A thread may run on a watched CPU, and move to one that is not watched. */
static void an_event_of_a_thread_is_no_proof(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	assert_true(takes(&origins, 11, 0, 200));
	assert_int_equal(task_origins_of(&origins, 11), TASK_HAS_TOLD);
	task_origins_birth(&origins, 10, 0, 110, 10, 12);
	assert_int_equal(task_origins_of(&origins, 12), TASK_IS_SILENT);
	assert_true(takes(&origins, 12, 0, 200));
	assert_int_equal(task_origins_of(&origins, 12), TASK_HAS_TOLD);
	task_origins_birth(&origins, 10, 0, 120, 10, 13);
	assert_int_equal(task_origins_of(&origins, 13), TASK_IS_WATCHED);
	task_origins_release(&origins);
}

/* 11 may be unwatched; so may the threads that it creates. */
static void doubt_is_inherited(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	assert_true(takes(&origins, 11, 0, 200));
	task_origins_birth(&origins, 11, 0, 120, 10, 12);
	task_origins_birth(&origins, 11, 0, 130, 10, 13);
	assert_int_equal(task_origins_of(&origins, 13), TASK_IS_SILENT);
	task_origins_add(&origins, 11, 140, true);
	assert_true(takes(&origins, 11, 1, 200));
	task_origins_birth(&origins, 11, 1, 150, 10, 14);
	assert_int_equal(task_origins_of(&origins, 14), TASK_IS_WATCHED);
	task_origins_release(&origins);
}

/* 10 creates 11 and 12; 12 is opened as well, and creates 13. */
static void events_of_a_thread_watched_twice_are_taken_once(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	task_origins_birth(&origins, 10, 0, 120, 10, 12);
	assert_true(takes(&origins, 12, 0, 200));
	task_origins_add(&origins, 12, 130, false);
	assert_false(takes(&origins, 12, 0, 200));
	assert_true(takes(&origins, 12, 1, 200));
	task_origins_birth(&origins, 12, 1, 140, 10, 13);
	assert_true(takes(&origins, 13, 1, 200));
	assert_false(takes(&origins, 13, 0, 200));
	ends(&origins, 13, 1);
	assert_false(takes(&origins, 13, 0, 200)); /* its end again */
	task_origins_release(&origins);
}

static void events_before_a_second_opening_of_a_thread_stay(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	assert_true(takes(&origins, 11, 0, 120));
	task_origins_add(&origins, 11, 140, false);
	assert_false(takes(&origins, 11, 1, 130));
	assert_true(takes(&origins, 11, 0, 130));
	assert_false(takes(&origins, 11, 0, 150));
	assert_true(takes(&origins, 11, 1, 150));
	task_origins_release(&origins);
}

static void a_reused_number_is_another_thread(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_add(&origins, 20, 100, false);
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	task_origins_birth(&origins, 10, 0, 120, 10, 12);
	assert_true(takes(&origins, 12, 0, 200));
	ends(&origins, 12, 0);
	task_origins_birth(&origins, 20, 1, 130, 20, 21);
	task_origins_birth(&origins, 20, 1, 140, 20, 12);
	assert_false(takes(&origins, 12, 0, 200));
	assert_true(takes(&origins, 12, 1, 200));
	task_origins_release(&origins);
}

static void a_thread_that_execs_takes_over_the_number_of_its_process(void **state)
{
	const struct perf_event_header exec = {.type = PERF_RECORD_COMM,
					       .misc = PERF_RECORD_MISC_COMM_EXEC};
	struct task_origins origins = opened();

	(void)state;
	task_origins_add(&origins, 11, 100, false);
	assert_true(task_origins_take(&origins, &exec, 10, 1, 200));
	assert_true(takes(&origins, 10, 1, 200));
	assert_false(takes(&origins, 10, 0, 200)); /* of the thread before */
	task_origins_release(&origins);
}

/* The births in the record of thread 10, opened at time 100, in order; the children are 11, 12,
 * 13. */
static void births_are_in_doubt_until_one_began_after_the_opening(void **state)
{
	static const struct {
		const char *what;
		bool asleep;
		uint64_t births_ns[3];
		size_t doubts; /* two rounds later */
		pid_t first, last;
	} cases[] = {
		{"two births", false, {110, 120}, 1, 11, 11},
		{"one before that", false, {90, 110, 120}, 2, 11, 12},
		{"a creator that was asleep", true, {110, 120}, 0, 0, 0},
		{"the first is read last", false, {120, 130, 110}, 2, 11, 13},
		{"the first comes late", false, {3000000000, 3000000001}, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct task_origins origins = {.origin_count = 0};
		size_t doubts;

		task_origins_add(&origins, 10, 100, cases[i].asleep);
		for (pid_t k = 0; k < 3 && cases[i].births_ns[k]; k++)
			task_origins_birth(&origins, 10, 0, cases[i].births_ns[k], 10, 11 + k);
		assert_int_equal(task_origins_round(&origins), 0);
		doubts = task_origins_round(&origins);
		if (doubts != cases[i].doubts)
			fail_msg("%s: %zu in doubt", cases[i].what, doubts);
		if (doubts) {
			assert_int_equal(origins.doubts[0].tid, cases[i].first);
			assert_int_equal(origins.doubts[doubts - 1].tid, cases[i].last);
		}
		task_origins_release(&origins);
	}
}

static void a_birth_before_the_opening_of_the_thread_is_in_no_doubt(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_add(&origins, 11, 115, false);
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	task_origins_round(&origins);
	assert_int_equal(task_origins_round(&origins), 0);
	assert_true(takes(&origins, 11, 1, 200));
	assert_false(takes(&origins, 11, 0, 200));
	task_origins_release(&origins);
}

static void a_thread_in_doubt_is_reported_until_it_is_settled(void **state)
{
	struct task_origins origins = opened();

	(void)state;
	task_origins_birth(&origins, 10, 0, 110, 10, 11);
	task_origins_birth(&origins, 10, 0, 105, 10, 12);
	assert_int_equal(task_origins_round(&origins), 0);
	assert_int_equal(task_origins_round(&origins), 2);
	assert_int_equal(task_origins_round(&origins), 2);
	task_origins_settle(&origins, 11);
	assert_int_equal(task_origins_round(&origins), 1);
	ends(&origins, 12, 0);
	assert_int_equal(task_origins_round(&origins), 0);
	task_origins_release(&origins);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_is_watched_from_its_opening_to_its_end),
	cmocka_unit_test(an_event_of_a_thread_is_no_proof),
	cmocka_unit_test(doubt_is_inherited),
	cmocka_unit_test(events_of_a_thread_watched_twice_are_taken_once),
	cmocka_unit_test(events_before_a_second_opening_of_a_thread_stay),
	cmocka_unit_test(a_reused_number_is_another_thread),
	cmocka_unit_test(a_thread_that_execs_takes_over_the_number_of_its_process),
	cmocka_unit_test(births_are_in_doubt_until_one_began_after_the_opening),
	cmocka_unit_test(a_birth_before_the_opening_of_the_thread_is_in_no_doubt),
	cmocka_unit_test(a_thread_in_doubt_is_reported_until_it_is_settled),
};

TEST_FILE(tests);
