/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "replay/simulate/simulation.h"

#include "draw/steps.h"
#include "support.h"

static const char four_items[] = "main: give(q) give(q) give(q) give(q)\n"
				 "a: take(q,0) 1ms take(q,1) 1ms take(q,2) 1ms\n"
				 "b: take(q,3) 1ms\n";

static struct simulated simulate_pool(const char *text, bool pooled, unsigned cores)
{
	struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct program program;
	struct err err;

	steps_read(&program, text);
	program.sites[0].pooled = pooled;
	assert_int_equal(simulate(&simulated, &program, &machine, false, &err), 0);
	program_release(&program);
	return simulated;
}

static void work_of_a_pool_is_done_by_any_free_thread(void **state)
{
	(void)state;
	assert_close((double)simulate_pool(four_items, false, 2).wall_ns, 3e6, 1e-6);
	assert_close((double)simulate_pool(four_items, true, 2).wall_ns, 2e6, 1e-6);
	assert_close((double)simulate_pool(four_items, true, 1).wall_ns, 4e6, 1e-6);
	assert_int_equal(simulate_pool(four_items, true, 2).stuck, 0);
}

static void a_take_without_a_number_stays_with_its_thread(void **state)
{
	struct simulated simulated;

	(void)state;
	simulated = simulate_pool("main: give(q,2)\n a: take(q,7) 1ms take(q,7) 2ms\n", true, 2);
	assert_close((double)simulated.wall_ns, 3e6, 1e-6);
	assert_int_equal(simulated.stuck, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(work_of_a_pool_is_done_by_any_free_thread),
	cmocka_unit_test(a_take_without_a_number_stays_with_its_thread),
};

TEST_FILE(tests);
