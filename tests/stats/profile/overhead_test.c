/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/cpu_time.h"

#include "stats/profile/profile.h"

#include "support.h"

static void the_cost_is_that_of_all_switches(void **state)
{
	struct thread_profile threads[] = {
		{.tid = 1, .switches = 100000, .state_ns = {[STATE_RUNNING] = 2000000000}},
		{.tid = 2, .switches = 50000, .state_ns = {[STATE_RUNNING] = 1000000000}},
	};
	const struct profile profile = {.threads = threads, .thread_count = 2};
	const struct target_info target = {
		.has_cost = true, .cost_switch_ns = 400, .own_cpu_ns = 50000000};
	struct overhead overhead;

	(void)state;
	overhead_init(&overhead, &profile, &target);
	assert_true(overhead.has_switch_cost);
	assert_int_equal(overhead.switches, 150000);
	assert_close(overhead.added_s, 0.06, 1e-12);
	assert_close(overhead.added_share, 0.02, 1e-12);
	assert_close(overhead.recorder_s, 0.05, 1e-12);
}

static void recorded_calls_cost_too(void **state)
{
	struct thread_profile threads[] = {
		{.tid = 1, .switches = 1000, .state_ns = {[STATE_RUNNING] = 1000000000}},
	};
	const struct profile profile = {.threads = threads,
					.thread_count = 1,
					.calls = {.library = 100000, .system = 2000}};
	const struct target_info target = {.has_cost = true,
					   .cost_switch_ns = 1000,
					   .cost_call_ns = 1200,
					   .cost_system_call_ns = 500};
	struct overhead overhead;

	(void)state;
	overhead_init(&overhead, &profile, &target);
	assert_close(overhead.calls_s, .121, 1e-12);
	assert_close(overhead.added_s, .122, 1e-12);
	assert_close(overhead.added_share, .122, 1e-12);
	assert_close(overhead.unsure_share, (.001 + .121 / 3) / .879, 1e-12);
}

/* A replay does not subtract this cost. */
static void recorded_blocks_cost_too(void **state)
{
	struct thread_profile threads[] = {
		{.tid = 1, .switches = 1000, .state_ns = {[STATE_RUNNING] = 1000000000}},
	};
	const struct profile profile = {.threads = threads,
					.thread_count = 1,
					.calls = {.blocks = 1000000, .probed = 5000}};
	const struct target_info target = {.has_cost = true,
					   .cost_switch_ns = 1000,
					   .block_cost_ns = 25.5,
					   .uprobe_cost_ns = 2500};
	struct overhead overhead;

	(void)state;
	overhead_init(&overhead, &profile, &target);
	assert_close(overhead.blocks_s, .0255 + .0125, 1e-12);
	assert_close(overhead.calls_s, 0, 0);
	assert_close(overhead.added_s, .039, 1e-12);
	assert_close(overhead.added_share, .039, 1e-12);
	assert_close(overhead.unsure_share, .039, 1e-12);
}

/* 20 ns for two steps. */
static void steps_of_tasks_cost_too(void **state)
{
	struct thread_profile threads[] = {
		{.tid = 1, .switches = 1000, .state_ns = {[STATE_RUNNING] = 1000000000}},
	};
	const struct profile profile = {
		.threads = threads, .thread_count = 1, .calls = {.steps = 400000}};
	const struct target_info target = {
		.has_cost = true, .cost_switch_ns = 1000, .task_cost_ns = 20};
	struct overhead overhead;

	(void)state;
	overhead_init(&overhead, &profile, &target);
	assert_close(overhead.step_ns, 10, 1e-12);
	assert_close(overhead.steps_s, .004, 1e-12);
	assert_close(overhead.added_s, .005, 1e-12);
	assert_close(overhead.added_share, .005, 1e-12);
	assert_close(overhead.unsure_share, .005, 1e-12);
}

static void unmeasured_costs_are_unknown(void **state)
{
	const struct profile profile = {.threads = NULL};
	const struct target_info target = {.has_cost = false};
	struct overhead overhead;

	(void)state;
	overhead_init(&overhead, &profile, &target);
	assert_false(overhead.has_switch_cost);
	assert_close(overhead.added_share, 0, 0);
	assert_close(overhead.recorder_s, 0, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_cost_is_that_of_all_switches),
	cmocka_unit_test(recorded_calls_cost_too),
	cmocka_unit_test(recorded_blocks_cost_too),
	cmocka_unit_test(steps_of_tasks_cost_too),
	cmocka_unit_test(unmeasured_costs_are_unknown),
};

TEST_FILE(tests);
