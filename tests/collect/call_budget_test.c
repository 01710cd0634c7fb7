/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "base/monotonic.h"
#include "collect/recorder.h"
#include "collect/recording/collector.h"
#include "collect/target/pid_set.h"
#include "support.h"

#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static void burn(uint64_t ns)
{
	uint64_t end_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		;
}

static double share_of(const struct call_budget *budget, uint64_t calls, double call_ns)
{
	struct collector with = {.calls = calls, .call_ns = call_ns}, without = {.calls = 0};
	struct collector_set set = {.items = {&without, &with}, .count = 2};

	return call_budget_share(budget, &set);
}

static void calls_are_compared_with_the_cpu_time_of_the_target(void **state)
{
	struct call_budget budget = {.cpu_ns = 0};
	struct pid_set processes = {.words = NULL};

	(void)state;
	pid_set_add(&processes, getpid());
	call_budget_look(&budget, &processes);
	assert_true(budget.cpu_ns == 0); /* CPU time before the begin does not count */
	burn(40 * MS);
	call_budget_look(&budget, &processes);
	assert_true(budget.cpu_ns > 39.9 * MS);
	assert_true(budget.cpu_ns < 1000.0 * MS);

	assert_true(share_of(&budget, 1000000, 10) > 0.01); /* 10 ms */
	assert_true(share_of(&budget, 1000000, 10) < 0.26);
	assert_true(share_of(&budget, 1000000, 0) == 0);   /* unknown */
	assert_true(share_of(&budget, 1000, 100) == 0);	   /* too little to measure */
	assert_true(share_of(&budget, 1000000, 1e4) == 1); /* 10 s */
	call_budget_release(&budget);
	pid_set_release(&processes);
}

static void a_process_that_has_ended_adds_no_cpu_time(void **state)
{
	struct call_budget budget = {.cpu_ns = 0};
	struct pid_set processes = {.words = NULL};

	(void)state;
	pid_set_add(&processes, 4194303); /* PID_MAX_LIMIT less one: no process has it */
	call_budget_look(&budget, &processes);
	call_budget_look(&budget, &processes);
	assert_true(budget.cpu_ns == 0);
	call_budget_release(&budget);
	pid_set_release(&processes);
}

static void the_scheduler_knows_the_cpu_time_of_processes_that_have_ended(void **state)
{
	struct call_budget budget = {.cpu_ns = 1};
	struct collector scheduler = {.calls = 1000000, .call_ns = 10, .cpu_ns = 1000 * MS};
	struct collector_set set = {.items = {&scheduler}, .count = 1};

	(void)state;
	assert_close(call_budget_share(&budget, &set), 0.01, 1e-9);
	scheduler.cpu_ns = 1;
	assert_close(call_budget_share(&budget, &set), 1, 1e-9);
	scheduler.calls = 10; /* too few calls for the share, but their time counts */
	scheduler.cpu_ns = 1000;
	assert_true(call_budget_share(&budget, &set) == 0);
	assert_close(call_budget_expense(&budget, &set).spent_ns, 100, 1e-9);
	assert_close(call_budget_expense(&budget, &set).share, .1, 1e-9);
}

static void requests_end_a_recording_when_its_share_of_the_cpu_time_is_spent(void **state)
{
	const struct {
		uint64_t passed_s, calls, cpu_ms;
		bool requests, spent;
	} each[] = {
		{8, 400, 1000, true, false},  /* 4 % of 8 s are less than 5 % of 10 s */
		{8, 1000, 1000, true, true},  /* 10 % are more than 5 % */
		{4, 1000, 1000, true, false}, /* ... not enough time yet */
		{8, 1000, 1000, false, false},
		{8, 9, 1, true, false}, /* an idle server: hardly any CPU time has no share */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct recorder_request request = {.requests = each[i].requests,
						   .duration_ns = 10000 * (uint64_t)MS};
		struct collector collector = {
			.calls = each[i].calls, .call_ns = MS / 10, .cpu_ns = each[i].cpu_ms * MS};
		struct session session = {
			.request = &request,
			.collectors = {.items = {&collector}, .count = 1},
			.facts.start_ns = monotonic_ns() - each[i].passed_s * 1000 * MS,
		};

		assert_int_equal(session_is_spent(&session), each[i].spent);
		request.duration_ns = 0; /* until Ctrl-C */
		assert_false(session_is_spent(&session));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(requests_end_a_recording_when_its_share_of_the_cpu_time_is_spent),
	cmocka_unit_test(calls_are_compared_with_the_cpu_time_of_the_target),
	cmocka_unit_test(a_process_that_has_ended_adds_no_cpu_time),
	cmocka_unit_test(the_scheduler_knows_the_cpu_time_of_processes_that_have_ended),
};

TEST_FILE(tests);
