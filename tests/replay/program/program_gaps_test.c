/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_gaps.h"

#include "decode/event/samples.h"
#include "replay/program/program.h"
#include "support.h"

static void a_wait_for_a_cpu_after_a_wait_is_its_end(void **state)
{
	struct program program = {.threads = NULL};
	struct step_times times;
	uint32_t thread = program_add_thread(&program, 5, 5, "worker");

	(void)state;
	program_add_gap(&program, thread, (struct program_gap){100, 100, 500, GAP_EDGE, 0});
	program_add_gap(&program, thread, (struct program_gap){100, 500, 530, GAP_READY, 0});
	program_add_gap(&program, thread, (struct program_gap){150, 580, 590, GAP_READY, 0});
	program_add_gap(&program, thread, (struct program_gap){150, 590, 600, GAP_READY, 0});
	assert_int_equal(program.gaps[thread].count, 2);
	assert_int_equal(program.gaps[thread].items[1].ready_ns, 0);
	program_add_step(&program, thread, 100, STEP_BLOCK);
	program_add_step(&program, thread, 100, STEP_NONE);
	times = (struct step_times){.gaps = &program.gaps[thread]};
	step_times_next(&times, &program.threads[thread], 0);
	assert_int_equal(times.begin_ns, 100);
	assert_int_equal(times.end_ns, 530);
	assert_int_equal(times.ready_ns, 30);
	step_times_next(&times, &program.threads[thread], 1);
	assert_int_equal(times.end_ns, 650);
	assert_int_equal(times.ready_ns, 0);
	program_release(&program);
}

/* A thread that waits from 100 to 500: it has no sample then. */
static void samples_have_the_cpu_time_of_their_thread(void **state)
{
	static const struct {
		uint64_t run_ns, begin_ns, end_ns;
	} want[] = {{50, 50, 50}, {100, 100, 500}, {300, 700, 700}};
	struct sampled rows[] = {{.tid = 5, .time_ns = 1700},
				 {.tid = 9, .time_ns = 1060},
				 {.tid = 5, .time_ns = 1050},
				 {.tid = 5, .time_ns = 1300}};
	const struct samples samples = {.rows = rows, .row_count = 4};
	struct program program = {.begin_ns = 1000};
	uint32_t thread;

	(void)state;
	program_add_thread(&program, -1, -1, "");
	program_add_thread(&program, -1, -1, "");
	thread = program_add_thread(&program, 5, 5, "worker");
	program_add_gap(&program, thread, (struct program_gap){100, 100, 500, GAP_EDGE, 0});
	program_gaps_add_samples(&program, &samples);
	assert_int_equal(program.gaps[thread].count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(program.gaps[thread].items[i].run_ns, want[i].run_ns);
		assert_int_equal(program.gaps[thread].items[i].begin_ns, want[i].begin_ns);
		assert_int_equal(program.gaps[thread].items[i].end_ns, want[i].end_ns);
	}
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_have_the_cpu_time_of_their_thread),
	cmocka_unit_test(a_wait_for_a_cpu_after_a_wait_is_its_end),
};

TEST_FILE(tests);
