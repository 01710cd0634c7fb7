/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/steps.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `serial` ms by one thread, and then 16 ms by each of 48: a text for steps_read(). */
static char *amdahl_text(int serial)
{
	char *text = xasprintf("m: %dms", serial);

	for (int i = 0; i < 48; i++) {
		char *longer = xasprintf("%s fork(t%d)", text, i);

		free(text);
		text = longer;
	}
	for (int i = 0; i < 48; i++) {
		char *longer = xasprintf("%s\nt%d: 16ms", text, i);

		free(text);
		text = longer;
	}
	return text;
}

static int fit(struct forecast_usl *replayed, const char *text, uint64_t largest, uint64_t active,
	       struct err *err)
{
	const struct forecast_points as_it_is = {.scale = 1};
	const struct machine machine = {.cores = 1, .costs = {.slice_ns = 100000}};
	struct program program;
	int rc;

	steps_read(&program, text);
	rc = forecast_usl_init(replayed, &program, &machine, &as_it_is, largest, active, err);
	program_release(&program);
	return rc;
}

static void points_are_at_powers_of_two_and_between(void **state)
{
	static const struct {
		uint64_t largest, active;
		double n[12];
	} cases[] = {
		{1, 99, {1, 2, 3, 4, 6, 8}},
		{8, 99, {1, 2, 3, 4, 6, 8}},
		{9, 99, {1, 2, 3, 4, 6, 8, 9}},
		{12, 99, {1, 2, 3, 4, 6, 8, 12}},
		{16, 99, {1, 2, 3, 4, 6, 8, 12, 16}},
		{64, 99, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}},
		{1, 4, {1, 2, 3, 4}},
		{64, 5, {1, 2, 3, 4, 5}},
		{64, 7, {1, 2, 3, 4, 6, 7}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_usl replayed;
		struct err err;
		size_t count = 0;

		assert_int_equal(
			fit(&replayed, "a: 1ms\nb: 1ms", cases[i].largest, cases[i].active, &err),
			0);
		while (count < 12 && cases[i].n[count] > 0)
			count++;
		assert_int_equal(replayed.series.count, count);
		for (size_t j = 0; j < count; j++)
			assert_true(replayed.series.points[j].n == cases[i].n[j]);
		forecast_usl_release(&replayed);
	}
}

/* T(N) = s + p / N, where 48 is a multiple of all N: alpha = s / (s + p), and beta = 0. */
static void amdahls_law_is_found_if_it_holds(void **state)
{
	static const int serial[] = {0, 32, 256};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double work = 48 * 16, alpha = serial[i] / (serial[i] + work);
		char *text = amdahl_text(serial[i]);
		struct forecast_usl replayed;
		struct err err;

		assert_int_equal(fit(&replayed, text, 16, 48, &err), 0);
		assert_int_equal(replayed.series.count, 8);
		assert_true(fabs(replayed.usl.alpha - alpha) < 2e-3);
		assert_true(fabs(replayed.usl.beta) < 2e-4);
		assert_close(replayed.usl.gamma, 1e3 / (serial[i] + work), 5e-3);
		assert_true(fabs(replayed.max_error) < 5e-3);
		assert_true(replayed.rms_error <= fabs(replayed.max_error));
		assert_true(replayed.r2 > .9999);
		assert_false(replayed.falls);
		forecast_usl_release(&replayed);
		free(text);
	}
}

/* Two threads that compute: X(1) = 1/2, X(2) = 1, and no more from then on. */
static void the_worst_point_is_reported(void **state)
{
	struct forecast_usl replayed;
	struct err err;
	double worst = 0, squares = 0;

	(void)state;
	assert_int_equal(fit(&replayed, "a: 100ms\nb: 100ms", 8, 8, &err), 0);
	for (size_t i = 0; i < replayed.series.count; i++) {
		double n = replayed.series.points[i].n;
		double error = usl_throughput(&replayed.usl, n) / (n < 2 ? 5 : 10) - 1;

		assert_close(forecast_usl_error(&replayed, i), error, 1e-6);
		squares += error * error / 6;
		worst = fmax(worst, fabs(error));
	}
	assert_true(worst > .05);
	assert_close(fabs(replayed.max_error), worst, 1e-6);
	assert_close(replayed.rms_error, sqrt(squares), 1e-6);
	assert_close(fabs(usl_throughput(&replayed.usl, replayed.max_error_n) /
				  (replayed.max_error_n < 2 ? 5 : 10) -
			  1),
		     worst, 1e-6);
	forecast_usl_release(&replayed);
}

/* Throughput levels off when the slowest stage is always busy. */
static void a_full_stage_of_a_pipeline_is_no_coherency(void **state)
{
	struct forecast_usl replayed;
	struct err err;

	(void)state;
	assert_int_equal(fit(&replayed,
			     "a: 10ms give(q) 10ms give(q) 10ms give(q)\n"
			     "b: take(q) 20ms give(r) take(q) 20ms give(r) take(q) 20ms give(r)\n"
			     "c: take(r) 10ms take(r) 10ms take(r) 10ms",
			     8, 8, &err),
			 0);
	assert_false(replayed.falls);
	assert_true(replayed.usl.alpha > 0);
	assert_true(replayed.usl.beta <= 0);
	forecast_usl_release(&replayed);
}

/* s has the lock before b on two cores; and after b on one, where x keeps it from its work. */
static void falling_throughput_is_reported(void **state)
{
	struct forecast_usl replayed;
	struct err err;

	(void)state;
	assert_int_equal(fit(&replayed,
			     "b: sleep(1500us@nap) lock(m) unlock(m) 100ms\n"
			     "s: 1ms lock(m) sleep(100ms@nap) unlock(m)\nx: 3ms",
			     2, 8, &err),
			 0);
	assert_true(replayed.series.points[0].throughput >
		    1.5 * replayed.series.points[1].throughput);
	assert_true(replayed.falls);
	forecast_usl_release(&replayed);
}

/* On one core b has k before a asks for it, which has m. */
static void cores_on_which_threads_wait_for_ever_are_left_out(void **state)
{
	struct forecast_usl replayed;
	struct err err;

	(void)state;
	assert_int_equal(fit(&replayed,
			     "a: 1ms lock(m) 100us lock(k) unlock(k) unlock(m)\n"
			     "b: sleep(1500us@nap) lock(k) 1ms lock(m) unlock(m) unlock(k)\n"
			     "x: 3ms",
			     8, 8, &err),
			 0);
	assert_int_equal(replayed.left_out, 1);
	assert_int_equal(replayed.series.count, 5);
	assert_true(replayed.series.points[0].n == 2);
	assert_true(fabs(replayed.series.points[0].throughput - 1e3 / 3) < 1);
	forecast_usl_release(&replayed);
}

static void programs_without_an_end_a_length_or_threads_have_no_curve(void **state)
{
	static const char *const cases[][2] = {
		{"a: 1ms take(q)\nb: 1ms",
		 "on 1 core 1 thread of the replay waits for an event that never comes"},
		{"a: lock(m) unlock(m)", "on 1 core the replay takes no time"},
		{"a: 1ms",
		 "no more than 1 thread is ready at a time, and a curve needs 4 core counts; "
		 "record the program with more threads"},
		{"a: 1ms\nb: 1ms",
		 "no more than 2 threads are ready at a time, and a curve needs 4 core "
		 "counts; record the program with more threads"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_usl replayed;
		struct err err;

		assert_int_equal(fit(&replayed, cases[i][0], 8, i < 2 ? 8 : i - 1, &err), -1);
		assert_string_equal(err.text, cases[i][1]);
		forecast_usl_release(&replayed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(points_are_at_powers_of_two_and_between),
	cmocka_unit_test(amdahls_law_is_found_if_it_holds),
	cmocka_unit_test(the_worst_point_is_reported),
	cmocka_unit_test(a_full_stage_of_a_pipeline_is_no_coherency),
	cmocka_unit_test(falling_throughput_is_reported),
	cmocka_unit_test(cores_on_which_threads_wait_for_ever_are_left_out),
	cmocka_unit_test(programs_without_an_end_a_length_or_threads_have_no_curve),
};

TEST_FILE(tests);
