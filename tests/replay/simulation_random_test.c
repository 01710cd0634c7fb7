/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random programs: facts that hold for each of them. */
#include "base/err.h"
#include "draw/random_program.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PROGRAMS = 2000 };

static const double slowdown[] = {1, 1.125, 1.5, 2};

/* Any possible machine, without costs. */
static struct machine random_machine(struct random *random)
{
	struct machine machine = {.cores = 1 + (unsigned)random_below(random, 8),
				  .costs = {.slice_ns = random_below(random, 2000000)},
				  .eevdf = random_one_in(random, 2),
				  .seed = random_below(random, 4)};

	if (random_one_in(random, 3)) {
		machine.slowdown = slowdown;
		machine.slowdown_count = 1 + random_below(random, 4);
	}
	return machine;
}

static struct simulated run_on(const struct program *program, const struct machine *machine)
{
	struct simulated simulated;
	struct err err = {.text = ""};

	if (simulate(&simulated, program, machine, false, &err))
		fail_msg("%s", err.text);
	return simulated;
}

static void all_programs_end(void **state)
{
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct program program;
		struct machine machine;
		struct simulated got;

		random_program(&program, &random, (unsigned)i % (RANDOM_ALL + 1));
		machine = random_machine(&random);
		machine.costs.switch_ns = random_below(&random, 20000);
		machine.costs.wake_ns = random_below(&random, 60000);
		got = run_on(&program, &machine);
		if (got.stuck)
			fail_msg("%zu threads of program %zu are stuck", got.stuck, i);
		assert_true(got.busy_ns + got.switch_ns <= machine.cores * got.wall_ns + 2);
		program_release(&program);
	}
}

/* On cores of speed 1 that is the CPU time of the program, in any slices. */
static void work_is_neither_lost_nor_added(void **state)
{
	struct random random = {2};

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct program program;
		struct machine machine;
		struct simulated got;

		random_program(&program, &random, RANDOM_ALL);
		machine = random_machine(&random);
		machine.slowdown = NULL;
		machine.costs.switch_ns = random_below(&random, 20000);
		machine.costs.wake_ns = random_below(&random, 60000);
		got = run_on(&program, &machine);
		assert_int_equal(got.busy_ns, program_work_ns(&program));
		program_release(&program);
	}
}

static void the_seed_determines_the_result(void **state)
{
	struct random random = {3};
	size_t others = 0;

	(void)state;
	for (size_t i = 0; i < PROGRAMS / 4; i++) {
		struct program program;
		struct machine machine;
		struct simulated first, again;

		random_program(&program, &random, RANDOM_ALL);
		machine = random_machine(&random);
		first = run_on(&program, &machine);
		again = run_on(&program, &machine);
		assert_memory_equal(&first, &again, sizeof(first));
		machine.seed += 7;
		again = run_on(&program, &machine);
		others += again.wall_ns != first.wall_ns;
		program_release(&program);
	}
	assert_true(others > 0);
}

/* Twice as fast cores take half of the time. */
static void time_has_no_unit(void **state)
{
	static const double half = .5;
	struct random random = {4};

	(void)state;
	for (size_t i = 0; i < PROGRAMS / 4; i++) {
		struct program program;
		struct machine machine = {.cores = 1 + (unsigned)random_below(&random, 8)};
		uint64_t wall_ns;

		random_program(&program, &random, RANDOM_LOCKS | RANDOM_TOKENS | RANDOM_BARRIERS);
		machine.costs.slice_ns = 1000000;
		wall_ns = run_on(&program, &machine).wall_ns;
		machine.slowdown = &half;
		machine.slowdown_count = 1;
		assert_close((double)run_on(&program, &machine).wall_ns, (double)wall_ns / 2, 1e-6);
		program_release(&program);
	}
}

static void invalid_programs_end_too(void **state)
{
	struct random random = {5};

	(void)state;
	for (size_t i = 0; i < 4 * PROGRAMS; i++) {
		double costs[] = {0, .5, 1, 1, .25, 1};
		struct program program;
		struct machine machine;
		struct simulated got;

		random_garbage(&program, &random);
		machine = random_machine(&random);
		for (size_t j = 0; j < program.site_count; j++)
			if (program.sites[j].kind == SITE_BARRIER)
				costs[j] = 0;
		if (random_one_in(&random, 2))
			machine.site_costs = costs;
		got = run_on(&program, &machine);
		assert_true(got.stuck <= program.thread_count);
		program_release(&program);
	}
}

/* Without pauses a thread on the path always computes: the path is as long as the program. */
static void the_critical_path_is_the_wall_time(void **state)
{
	struct random random = {7};

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		bool pauses = random_one_in(&random, 2);
		struct machine machine = random_machine(&random);
		struct simulated got;
		struct program program;
		double *path_ns, sum_ns = 0;
		struct err err;

		machine.slowdown = NULL;
		random_program(&program, &random, pauses ? RANDOM_ALL : RANDOM_ALL - RANDOM_PAUSES);
		assert_int_equal(simulate_path(&path_ns, &got, &program, &machine, &err), 0);
		assert_int_equal(got.wall_ns, run_on(&program, &machine).wall_ns);
		for (size_t step = 0; step < program_steps(&program); step++)
			sum_ns += path_ns[step];
		if (sum_ns > 1.0001 * (double)got.wall_ns + 1 ||
		    (!pauses && sum_ns < .9999 * (double)got.wall_ns - 1))
			fail_msg("program %zu: a path of %g in %" PRIu64 " ns", i, sum_ns,
				 got.wall_ns);
		free(path_ns);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_critical_path_is_the_wall_time),
	cmocka_unit_test(all_programs_end),
	cmocka_unit_test(work_is_neither_lost_nor_added),
	cmocka_unit_test(the_seed_determines_the_result),
	cmocka_unit_test(time_has_no_unit),
	cmocka_unit_test(invalid_programs_end_too),
};

TEST_FILE(tests);
