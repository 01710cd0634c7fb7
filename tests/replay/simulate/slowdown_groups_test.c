/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/slowdown.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- In the simulation ----------------------------------------------------------------------- */

/* Two threads on two cores; the second one takes twice as long while both are busy. */
static void each_group_has_its_own_slowdown(void **state)
{
	static const struct {
		const char *text;
		unsigned cores;
		double wall_ms;
	} cases[] = {
		{"a: 10ms\nb@0ms: 10ms\n", 2, 15}, /* 5 ms of work of b are left when a ends */
		{"a: 10ms\nb@0ms: 10ms\n", 1, 20},
		{"a: 4ms\nb@0ms: 10ms\n", 2, 12},
		{"a: 20ms\nb@0ms: 10ms\n", 2, 20},
		{"a: 4ms sleep(4ms) 4ms\nb@0ms: 10ms\n", 2, 14}, /* 2 + 4 + 2 of b, and 2 more */
		{"a: 4ms sleep(1ms) 4ms\nb@0ms: 10ms\n", 2, 14}, /* 2 + 1 + 2 of b, and 5 more */
	};
	static const double slowdown[] = {1, 1}, factors[] = {1, 1, 1, 2};
	static const uint8_t of[] = {0, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct machine machine = {.cores = cases[i].cores,
						.slowdown = slowdown,
						.slowdown_count = 2,
						.groups = {of, factors, 2}};
		struct simulated simulated;
		struct program program;
		struct err err;

		steps_read(&program, cases[i].text);
		assert_int_equal(simulate(&simulated, &program, &machine, false, &err), 0);
		assert_close((double)simulated.wall_ns, cases[i].wall_ms * 1e6, 1e-6);
		program_release(&program);
	}
}

static void the_busy_cores_beside_each_group_are_counted(void **state)
{
	static const uint8_t of[] = {0, 1, 1};
	static const double want_ms[] = {0, 10, 0, 0, 0, 22, 0, 0};
	const struct machine machine = {.cores = 4, .groups = {.of = of}};
	double group_ns[8] = {0};
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 10ms\nb@0ms: 16ms\nc@10ms: 6ms\n");
	assert_int_equal(simulate_groups(group_ns, &program, &machine, &err), 0);
	for (size_t i = 0; i < 8; i++)
		assert_close(1 + group_ns[i] / 1e6, 1 + want_ms[i], 1e-6);
	program_release(&program);
}

static void groups_need_a_slowdown_of_the_machine(void **state)
{
	static const double factors[] = {1};
	static const uint8_t of[] = {0};
	const struct machine machine = {.cores = 1, .groups = {of, factors, 1}};
	struct simulated simulated;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 1ms\n");
	assert_int_equal(simulate(&simulated, &program, &machine, false, &err), -1);
	program_release(&program);
}

/* --- Learned from recordings, with a known truth ---------------------------------------------- */

enum { THREADS = 8, RUNS_MOST = 4 };

/* Threads that compute beside each other until each has done its work, alone on the machine. */
struct truth {
	struct {
		const char *name;
		double work_s, slope;
	} threads[THREADS];
};

/*
 * Cores are shared evenly: a thread gets b / n of the time of b cores, and does 1 / (1 + s (b - 1))
 * of work in it. Returns the wall time; `levels_ns` [n] is the time with n threads that are not
 * done.
 */
static double run_truth(double cpu_s[THREADS], uint64_t levels_ns[THREADS + 1],
			const struct truth *truth, unsigned cores)
{
	double left_s[THREADS], wall_s = 0;

	for (size_t i = 0; i < THREADS; i++) {
		left_s[i] = truth->threads[i].work_s;
		cpu_s[i] = 0;
	}
	for (;;) {
		double share, busy, next_s = INFINITY, rates[THREADS];
		size_t ready = 0;

		for (size_t i = 0; i < THREADS; i++)
			ready += left_s[i] > 1e-9;
		if (!ready)
			return wall_s;
		busy = ready < cores ? (double)ready : cores;
		share = busy / (double)ready;
		for (size_t i = 0; i < THREADS; i++) {
			rates[i] = share / (1 + truth->threads[i].slope * (busy - 1));
			if (left_s[i] > 1e-9)
				next_s = fmin(next_s, left_s[i] / rates[i]);
		}
		for (size_t i = 0; i < THREADS; i++) {
			cpu_s[i] += left_s[i] > 1e-9 ? next_s * share : 0;
			left_s[i] -= fmin(left_s[i], next_s * rates[i]);
		}
		levels_ns[ready] += (uint64_t)(next_s * 1e9);
		wall_s += next_s;
	}
}

struct recorded {
	struct program program;
	struct thread_name names[THREADS];
	uint64_t levels_ns[THREADS + 1];
	struct level_times levels;
	struct slowdown_run run;
};

/* A run whose threads of even and odd numbers took so many times as long, as noise. */
static void record_truth(struct recorded *recorded, const struct truth *truth, unsigned cores,
			 double noise)
{
	double cpu_s[THREADS];

	*recorded = (struct recorded){.run = {.cores = cores, .threads = THREADS}};
	run_truth(cpu_s, recorded->levels_ns, truth, cores);
	for (uint32_t i = 0; i < THREADS; i++) {
		char comm[COMM_SIZE] = "";

		snprintf(comm, sizeof(comm), "%s", truth->threads[i].name);
		cpu_s[i] *= i % 2 ? noise : 1 / noise;
		recorded->run.cpu_s += cpu_s[i];
		program_add_thread(&recorded->program, (int32_t)i + 1, 1, comm);
		program_add_step(&recorded->program, i, (uint64_t)(cpu_s[i] * 1e9), STEP_EXIT);
		thread_name_take(&recorded->names[i], comm);
	}
	recorded->levels =
		(struct level_times){.wall_ns = recorded->levels_ns, .max_active = THREADS};
}

/* From `count` recordings; the last one is replayed. */
static void learn_truth(struct slowdown_fit *fit, struct recorded *recorded, size_t count)
{
	static const struct run_noise none = {.freedom = 0};
	struct slowdown_program programs[RUNS_MOST];
	struct slowdown_run runs[RUNS_MOST];

	for (size_t i = 0; i < count; i++) {
		recorded[i].run.levels = &recorded[i].levels;
		runs[i] = recorded[i].run;
		programs[i] = (struct slowdown_program){&recorded[i].program, recorded[i].names,
							recorded[i].run.cores};
	}
	slowdown_learn(fit, runs, count, &none);
	slowdown_learn_groups(fit, programs, count - 1, &none);
}

static double forecast_s(const struct slowdown_fit *fit, const struct recorded *recorded,
			 unsigned cores)
{
	struct slowdown slowdown;
	struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct err err;

	slowdown_of_fit(&slowdown, fit, THREADS);
	slowdown_relate(&slowdown, &recorded->levels, recorded->run.cores);
	slowdown_add_groups(&slowdown, fit, &recorded->program, recorded->names);
	machine.slowdown = slowdown.factors;
	machine.slowdown_count = slowdown.count;
	machine.groups =
		(struct thread_groups){slowdown.group_of, slowdown.group_factors, slowdown.count};
	assert_int_equal(simulate(&simulated, &recorded->program, &machine, false, &err), 0);
	slowdown_release(&slowdown);
	return (double)simulated.wall_ns / 1e9;
}

#define M(s)                    \
	{                       \
		"memory", .2, s \
	}
#define C(s)                     \
	{                        \
		"compute", .3, s \
	}

static void programs_of_memory_and_compute_bound_threads_are_forecast_within_3_percent(void **state)
{
	static const struct {
		struct truth truth;
		size_t groups;
	} cases[] = {
		{{{M(.5), C(0), M(.5), C(0), M(.5), C(0), M(.5), C(0)}}, 2},
		{{{M(.9), C(0), M(.9), C(0), C(0), C(0), C(0), C(0)}}, 2},
		{{{M(.8), C(.2), M(.8), C(.2), M(.8), C(.2), M(.8), C(.2)}}, 2},
		/* One law is as good. */
		{{{M(.4), C(.4), M(.4), C(.4), M(.4), C(.4), M(.4), C(.4)}}, 0},
		{{{M(0), C(0), M(0), C(0), M(0), C(0), M(0), C(0)}}, 0},
		{{{M(.4), M(.4), M(.4), M(.4), M(.4), M(.4), M(.4), M(.4)}}, 0},
	};
	static const unsigned cores[RUNS_MOST] = {1, 1, 2, 2};
	static const double noises[RUNS_MOST] = {1.01, 1 / 1.01, 1.01, 1 / 1.01};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct truth *truth = &cases[i].truth;
		struct recorded recorded[RUNS_MOST];
		struct slowdown_fit fit;

		for (size_t k = 0; k < RUNS_MOST; k++)
			record_truth(&recorded[k], truth, cores[k], noises[k]);
		learn_truth(&fit, recorded, RUNS_MOST);
		assert_int_equal(fit.group_count, cases[i].groups);
		for (unsigned k = 1; k <= 8; k *= 2) {
			uint64_t levels_ns[THREADS + 1] = {0};
			double cpu_s[THREADS], wall_s = run_truth(cpu_s, levels_ns, truth, k);
			double error = forecast_s(&fit, &recorded[RUNS_MOST - 1], k) / wall_s - 1;

			if (fabs(error) > .03)
				print_error("case %zu, %u cores: %+.1f %%\n", i, k, 100 * error);
			assert_true(fabs(error) <= .03);
		}
		for (size_t k = 0; k < RUNS_MOST; k++)
			program_release(&recorded[k].program);
	}
}

static void two_recordings_are_too_few_for_groups(void **state)
{
	static const struct truth truth = {{M(.5), C(0), M(.5), C(0), M(.5), C(0), M(.5), C(0)}};
	struct recorded recorded[2];
	struct slowdown_fit fit;

	(void)state;
	for (unsigned k = 0; k < 2; k++)
		record_truth(&recorded[k], &truth, k + 1, 1);
	learn_truth(&fit, recorded, 2);
	assert_int_equal(fit.group_count, 0);
	for (size_t k = 0; k < 2; k++)
		program_release(&recorded[k].program);
}

/* log(1.15) = .14, and each of the two has an error of .05. */
static void groups_within_their_errors_keep_one_law(void **state)
{
	static const struct truth truth = {
		{M(.15), C(0), M(.15), C(0), M(.15), C(0), M(.15), C(0)}};
	struct recorded recorded[RUNS_MOST];
	struct slowdown_fit fit;

	(void)state;
	for (size_t k = 0; k < RUNS_MOST; k++)
		record_truth(&recorded[k], &truth, k < 2 ? 1 : 2, k % 2 ? 1 / 1.01 : 1.01);
	learn_truth(&fit, recorded, RUNS_MOST);
	assert_int_equal(fit.group_count, 0);
	for (size_t k = 0; k < RUNS_MOST; k++)
		program_release(&recorded[k].program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_group_has_its_own_slowdown),
	cmocka_unit_test(the_busy_cores_beside_each_group_are_counted),
	cmocka_unit_test(groups_need_a_slowdown_of_the_machine),
	cmocka_unit_test(
		programs_of_memory_and_compute_bound_threads_are_forecast_within_3_percent),
	cmocka_unit_test(two_recordings_are_too_few_for_groups),
	cmocka_unit_test(groups_within_their_errors_keep_one_law),
};

TEST_FILE(tests);
