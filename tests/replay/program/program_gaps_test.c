/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_gaps.h"

#include "replay/program/program.h"
#include "support.h"

static void a_wait_for_a_cpu_behind_a_wait_is_its_end(void **state)
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_for_a_cpu_behind_a_wait_is_its_end),
};

TEST_FILE(tests);
