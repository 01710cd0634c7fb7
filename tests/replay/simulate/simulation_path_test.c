/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_path.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <stdlib.h>

/* The ms of each thread on the path, as "main 1 a 2"; the program takes `wall_ms`. */
static void assert_path(const char *text, unsigned cores, bool pooled, double wall_ms,
			const double *path_ms)
{
	const struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct program program;
	double *path_ns, *next;
	struct err err;

	steps_read(&program, text);
	if (pooled)
		program.sites[0].pooled = true;
	assert_int_equal(simulate_path(&path_ns, &simulated, &program, &machine, &err), 0);
	assert_close((double)simulated.wall_ns / 1e6, wall_ms, 1e-6);
	next = path_ns;
	for (size_t i = 0; i < program.thread_count; i++) {
		double sum_ns = 0;

		for (size_t j = 0; j < program.threads[i].count; j++)
			sum_ns += *next++;
		if (sum_ns / 1e6 < path_ms[i] - 1e-5 || sum_ns / 1e6 > path_ms[i] + 1e-5)
			fail_msg("%s: %g ms of %s, not %g", text, sum_ns / 1e6,
				 thread_name_text(&program.threads[i].name), path_ms[i]);
	}
	free(path_ns);
	program_release(&program);
}

static void the_path_goes_back_from_the_last_thread(void **state)
{
	static const struct {
		const char *program;
		unsigned cores;
		bool pooled;
		double wall_ms, path_ms[4];
	} cases[] = {
		/* The longer of two threads, and the steps before it. */
		{"main: 1ms fork(a) fork(b) join(a) join(b) 2ms\na: 5ms\nb: 7ms\n",
		 8,
		 false,
		 10,
		 {3, 0, 7}},
		/* A waker is on the path up to the wake only. */
		{"a: 3ms wake(b,1) 9ms block(2) 1ms\nb: block(1) 8ms wake(a,2) 5ms\n",
		 2,
		 false,
		 16,
		 {3, 13}},
		/* A wait that did not block leads nowhere. */
		{"a: 3ms wake(b,1)\nb: 5ms block(1) 1ms\n", 2, false, 6, {0, 6}},
		/* The thread with the only core is on the path, also before it is preempted. */
		{"a: 10ms\nb: 4ms\n", 1, false, 14, {10, 4}},
		/* A pause is no CPU time; the sleeper's own work comes before it. */
		{"a: 2ms sleep(5ms) 1ms\nb: 4ms\n", 2, false, 8, {3, 0}},
		/* The lock is always taken: by a and b by turns, from the begin. */
		{"a: lock(m) 4ms unlock(m) lock(m) 4ms unlock(m)\n"
		 "b: 1ms lock(m) 4ms unlock(m) 1ms\n",
		 2,
		 false,
		 13,
		 {8, 5}},
		/* Items of a pool belong to the thread that did them in the recording. */
		{"main: give(q) give(q) give(q) give(q)\n"
		 "a: take(q,0) 1ms take(q,1) 1ms take(q,2) 1ms\nb: take(q,3) 1ms\n",
		 1,
		 true,
		 4,
		 {0, 3, 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_path(cases[i].program, cases[i].cores, cases[i].pooled, cases[i].wall_ms,
			    cases[i].path_ms);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_path_goes_back_from_the_last_thread),
};

TEST_FILE(tests);
