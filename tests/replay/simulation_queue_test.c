/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues with known means [Kleinrock, Queueing Systems I, 1975; Allen, Probability, Statistics, and
 * Queueing Theory, 1990]: times between arrivals and times of service are exponential, so
 * tolerances are those of means of so many draws.
 */
#include "base/err.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

static struct simulated run_on(const struct program *program, const struct machine *machine)
{
	struct simulated simulated;
	struct err err = {.text = ""};

	if (simulate(&simulated, program, machine, true, &err))
		fail_msg("%s", err.text);
	assert_int_equal(simulated.stuck, 0);
	return simulated;
}

static uint64_t draw_ns(gsl_rng *random, double mean_ns)
{
	return (uint64_t)gsl_ran_exponential(random, mean_ns);
}

/* --- M/M/c ----------------------------------------------------------------------------------- */

enum { JOBS = 100000, SERVICE_NS = 1000000 };

/* Erlang's C: the share that waits. `load` is the requested service per time, below `servers`. */
static double erlang_c(unsigned servers, double load)
{
	double b = 1;

	for (unsigned i = 1; i <= servers; i++)
		b = load * b / (i + load * b);
	return b / (1 - load / servers * (1 - b));
}

static double mean_wait_ns(unsigned servers, double load)
{
	return erlang_c(servers, load) * SERVICE_NS / (servers - load);
}

static const struct {
	unsigned servers;
	double load;
} queues[] = {{1, .5}, {1, .7}, {2, 1.4}, {4, 3}, {8, 6}};

enum { QUEUES = sizeof(queues) / sizeof(*queues) };

/* A job is a thread. Returns the sum of the times of arrival. */
static double make_arrivals(struct program *program, gsl_rng *random, double load)
{
	double now_ns = 0, sum_ns = 0;

	*program = (struct program){0};
	for (int i = 0; i < JOBS; i++) {
		uint32_t job = program_add_thread(program, i + 1, 1, "job");

		now_ns += gsl_ran_exponential(random, SERVICE_NS / load);
		program->threads[job].start_ns = (uint64_t)now_ns;
		sum_ns += (double)program->threads[job].start_ns;
	}
	return sum_ns;
}

/* Servers are tokens, and there are enough cores. */
static void waits_for_tokens_are_those_of_erlangs_formula(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	(void)state;
	for (size_t i = 0; i < QUEUES; i++) {
		const struct machine machine = {.cores = SIMULATION_CORES_MAX};
		struct program program;
		struct simulated got;

		make_arrivals(&program, random, queues[i].load);
		program_add_site(&program, SITE_TOKENS);
		program.sites[0].tokens = queues[i].servers;
		for (uint32_t job = 0; job < JOBS; job++) {
			program_add_step(&program, job, 0, STEP_TAKE);
			program_add_step(&program, job, draw_ns(random, SERVICE_NS), STEP_GIVE)
				->count = 1;
		}
		got = run_on(&program, &machine);
		assert_close((double)got.waited_ns[0] / JOBS,
			     mean_wait_ns(queues[i].servers, queues[i].load), .06);
		free(got.waited_ns);
		program_release(&program);
	}
	gsl_rng_free(random);
}

/*
 * Servers are cores, and threads are preempted: that does not change the mean, as the rest of a
 * time of service does not depend on the part that has passed. Each job has a thread that waits for
 * its end from the begin on, so that their site has the sum of the times of ends.
 */
static void waits_for_cores_are_those_of_erlangs_formula(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	(void)state;
	for (size_t i = 0; i < QUEUES; i++) {
		struct machine machine = {.cores = queues[i].servers,
					  .costs = {.slice_ns = i % 2 ? 100000 : 1000000000}};
		struct program program;
		struct simulated got;
		double begun_ns = make_arrivals(&program, random, queues[i].load);
		uint32_t ends = program_add_site(&program, SITE_JOIN);

		for (uint32_t job = 0; job < JOBS; job++) {
			uint32_t waiter = program_add_thread(&program, 0, 1, "waiter");
			struct step *step = program_add_step(&program, waiter, 0, STEP_JOIN);

			step->thread = job;
			step->join_site = ends;
			program_add_step(&program, job, draw_ns(random, SERVICE_NS), STEP_EXIT);
		}
		got = run_on(&program, &machine);
		assert_close(((double)got.waited_ns[ends] - begun_ns) / JOBS,
			     mean_wait_ns(queues[i].servers, queues[i].load) + SERVICE_NS, .06);
		free(got.waited_ns);
		program_release(&program);
	}
	gsl_rng_free(random);
}

/* --- Machine repair -------------------------------------------------------------------------- */

enum { ROUNDS = 20000 };

/*
 * M/M/c//n: each of `n` machines runs for a time of mean `ratio` times that of a repair, and then
 * waits for one of the repairmen. Returns the mean number of busy repairmen.
 */
static double busy_repairmen(unsigned repairmen, unsigned n, double ratio)
{
	double p = 1, sum = 1, busy = 0;

	for (unsigned broken = 1; broken <= n; broken++) {
		unsigned working = broken < repairmen ? broken : repairmen;

		p *= (n - broken + 1) / (ratio * working);
		sum += p;
		busy += p * working;
	}
	return busy / sum;
}

static const struct {
	unsigned repairmen, machines;
	double ratio;
} repairs[] = {{1, 2, 1}, {1, 5, 2}, {1, 8, 10}, {2, 5, 1}, {3, 12, 3}, {4, 6, .5}};

enum { REPAIRS = sizeof(repairs) / sizeof(*repairs) };

static void sleeping_threads_and_cores_are_machines_and_repairmen(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	(void)state;
	for (size_t i = 0; i < REPAIRS; i++) {
		const struct machine machine = {.cores = repairs[i].repairmen};
		struct program program;
		struct simulated got;

		program = (struct program){0};
		for (uint32_t j = 0; j < repairs[i].machines; j++) {
			program_add_thread(&program, 1, 1, "machine");
			for (int k = 0; k < ROUNDS; k++)
				program_add_step(&program, j, draw_ns(random, 1e6), STEP_SLEEP)
					->pause = step_pause(
					draw_ns(random, repairs[i].ratio * 1e6), PROGRAM_NONE);
		}
		got = run_on(&program, &machine);
		assert_close(
			(double)got.busy_ns / (double)got.wall_ns,
			busy_repairmen(repairs[i].repairmen, repairs[i].machines, repairs[i].ratio),
			.015);
		free(got.waited_ns);
		program_release(&program);
	}
	gsl_rng_free(random);
}

/* The work outside of a lock is the time in which a machine runs, and that under it a repair. */
static void threads_and_a_lock_are_machines_and_one_repairman(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	(void)state;
	for (size_t i = 0; i < REPAIRS; i++) {
		const struct machine machine = {.cores = repairs[i].machines};
		struct program program;
		struct simulated got;
		double held_ns = 0;

		program = (struct program){0};
		program_add_site(&program, SITE_LOCK);
		for (uint32_t j = 0; j < repairs[i].machines; j++) {
			program_add_thread(&program, 1, 1, "thread");
			for (int k = 0; k < ROUNDS; k++) {
				uint64_t ns = draw_ns(random, 1e6);

				program_add_step(&program, j,
						 draw_ns(random, repairs[i].ratio * 1e6),
						 STEP_LOCK);
				program_add_step(&program, j, ns, STEP_UNLOCK);
				held_ns += (double)ns;
			}
		}
		got = run_on(&program, &machine);
		assert_close(held_ns / (double)got.wall_ns,
			     busy_repairmen(1, repairs[i].machines, repairs[i].ratio), .015);
		free(got.waited_ns);
		program_release(&program);
	}
	gsl_rng_free(random);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waits_for_tokens_are_those_of_erlangs_formula),
	cmocka_unit_test(waits_for_cores_are_those_of_erlangs_formula),
	cmocka_unit_test(sleeping_threads_and_cores_are_machines_and_repairmen),
	cmocka_unit_test(threads_and_a_lock_are_machines_and_one_repairman),
};

TEST_FILE(tests);
