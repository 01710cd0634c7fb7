/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/bounds.h"

#include "base/err.h"
#include "draw/random_program.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *what, *text;
	uint64_t work_ns, critical_ns, serial_ns;
} on_paper[] = {
	{"no thread", "", 0, 0, 0},
	{"one thread", "a: 5ms", 5000000, 5000000, 0},
	{"a late one", "a: 5ms\nb@4ms: 2ms", 7000000, 6000000, 0},
	{"a chain", "a: 1ms wake(b,0) 7ms\nb: 2ms block(0) 3ms", 13000000, 8000000, 0},
	{"a fork and a sleep", "m: fork(a) 2ms join(a) 1ms\na: 1ms sleep(4ms)", 4000000, 6000000,
	 0},
	{"a lock", "a: 1ms lock(m) 2ms unlock(m)\nb: lock(m) 3ms unlock(m) 1ms", 7000000, 4000000,
	 5000000},
	{"a lock with a wait under it", "a: lock(m) device(2ms) 1ms unlock(m)", 1000000, 3000000,
	 3000000},
	{"the busiest of nested ones", "a: lock(m) 1ms lock(n) 2ms unlock(n) 3ms unlock(m) 4ms",
	 10000000, 10000000, 6000000},
	{"a lock that is shared", "a: lock_shared(m) 2ms unlock(m)\nb: lock_shared(m) 3ms", 5000000,
	 3000000, 0},
	{"twice the same", "a: lock(m) 1ms lock(m) 1ms unlock(m) 1ms unlock(m) 1ms", 4000000,
	 4000000, 3000000},
	{"a barrier", "a: 1ms barrier(x:2) 4ms\nb: 3ms barrier(x:2)", 8000000, 5000000, 0},
	{"steps after the end", "a: 1ms block() 9ms\nb: 1ms exit() 9ms", 2000000, 1000000, 0},
};

static void bounds_are_those_found_on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(on_paper) / sizeof(*on_paper); i++) {
		struct program program;
		struct bounds got;

		steps_read(&program, on_paper[i].text);
		bounds_find(&got, &program);
		program_release(&program);
		if (got.work_ns != on_paper[i].work_ns ||
		    got.critical_ns != on_paper[i].critical_ns ||
		    got.serial_ns != on_paper[i].serial_ns ||
		    (got.serial_ns != 0) != (got.serial_site != PROGRAM_NONE))
			fail_msg("%s: %" PRIu64 ", %" PRIu64 ", %" PRIu64, on_paper[i].what,
				 got.work_ns, got.critical_ns, got.serial_ns);
	}
}

static void the_largest_bound_is_that_of_the_wall_time(void **state)
{
	const struct bounds bounds = {.work_ns = 100, .critical_ns = 20, .serial_ns = 30};

	(void)state;
	assert_int_equal(bounds_wall_ns(&bounds, 1), 100);
	assert_int_equal(bounds_wall_ns(&bounds, 3), 34);
	assert_int_equal(bounds_wall_ns(&bounds, 4), 30);
	assert_int_equal(bounds_wall_ns(&bounds, 50), 30);
}

/*
 * Graham, Bounds on multiprocessing timing anomalies, 1969: a scheduler that leaves no core idle
 * while a thread is runnable takes at most work / k + (1 - 1 / k) times the longest chain; a chain
 * that also sleeps may leave all cores idle. Locks are in the lower bound only.
 */
static void check_bounds(const struct program *program, const struct machine *machine,
			 unsigned kinds)
{
	struct bounds bounds;
	struct simulated simulated;
	struct err err;
	double most, idle = kinds & RANDOM_PAUSES ? 1 : 1 - 1. / machine->cores;

	bounds_find(&bounds, program);
	assert_false(simulate(&simulated, program, machine, false, &err));
	assert_int_equal(simulated.stuck, 0);
	assert_int_equal(simulated.busy_ns, program_work_ns(program));
	most = (double)bounds.work_ns / machine->cores + idle * (double)bounds.critical_ns;
	if (simulated.wall_ns < bounds_wall_ns(&bounds, machine->cores))
		fail_msg("%" PRIu64 " ns on %u cores, bound %" PRIu64, simulated.wall_ns,
			 machine->cores, bounds_wall_ns(&bounds, machine->cores));
	if (!(kinds & ~(unsigned)RANDOM_PAUSES) && (double)simulated.wall_ns > most + 1)
		fail_msg("%" PRIu64 " ns on %u cores, and not at most %.0f", simulated.wall_ns,
			 machine->cores, most);
}

static void wall_times_are_within_their_bounds(void **state)
{
	static const unsigned kinds[] = {
		0, RANDOM_PAUSES, RANDOM_LOCKS, RANDOM_TOKENS, RANDOM_BARRIERS, RANDOM_ALL};
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < 3000; i++) {
		struct program program;
		struct machine machine = {.cores = 1 + (unsigned)random_below(&random, 8),
					  .seed = i % 3};

		random_program(&program, &random, kinds[i % 6]);
		check_bounds(&program, &machine, kinds[i % 6]);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bounds_are_those_found_on_paper),
	cmocka_unit_test(the_largest_bound_is_that_of_the_wall_time),
	cmocka_unit_test(wall_times_are_within_their_bounds),
};

TEST_FILE(tests);
