/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "replay/simulate/slowdown.h"

#include <math.h>
#include <string.h>

static void the_slowdown_is_linear_between_points(void **state)
{
	static const struct slowdown_point points[] = {{2, 1.2}, {4, 1.6}, {5, 1.5}};
	static const double wanted[] = {1.2, 1.2, 1.4, 1.6, 1.5};
	struct slowdown slowdown;
	struct err err;

	(void)state;
	assert_int_equal(slowdown_init(&slowdown, points, 3, &err), 0);
	assert_int_equal(slowdown.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_close(slowdown.factors[i], wanted[i], 1e-12);
	slowdown_release(&slowdown);
}

static void invalid_points_are_refused(void **state)
{
	static const struct {
		struct slowdown_point points[2];
		size_t count;
		const char *says;
	} cases[] = {
		{{{0, 0}}, 0, "has no core counts"},
		{{{0, 1}}, 1, "0 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{2, 1}, {2, 1}}, 2, "2 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{70000, 1}}, 1, "70000 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{1, 0}}, 1, "1 cores: work cannot take 0 times as long; give a factor like 1.25"},
		{{{1, -2}},
		 1,
		 "1 cores: work cannot take -2 times as long; give a factor like 1.25"},
		{{{1, 9e-7}},
		 1,
		 "1 cores: work cannot take 9e-07 times as long; give a factor like 1.25"},
		{{{1, 1}, {2, 2e6}},
		 2,
		 "2 cores: work cannot take 2e+06 times as long; give a factor like 1.25"},
	};
	static const struct slowdown_point farthest[] = {{1, 1e-6}, {SLOWDOWN_CORES_MAX, 1e6}};
	struct slowdown slowdown;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(slowdown_init(&slowdown, cases[i].points, cases[i].count, &err),
				 -1);
		assert_string_equal(err.text, cases[i].says);
	}
	assert_int_equal(slowdown_init(&slowdown, farthest, 2, &err), 0);
	slowdown_release(&slowdown);
}

/* By the formula of slowdown.h, on paper; S(1) = 1, S(2) = 1.5. */
static void a_recording_is_itself_slowed_down(void **state)
{
	static const struct slowdown_point points[] = {{1, 1}, {2, 1.5}};
	static const struct {
		uint64_t cores, wall_ns[4];
		double recorded;
	} cases[] = {
		{1, {5, 10, 20, 30}, 1},       /* one core alone */
		{2, {5, 0, 20, 30}, 1.5},      /* always two */
		{2, {0, 30, 30, 0}, 90. / 70}, /* 30 of work in 30, and 40 in 60 */
		{4, {0, 0, 0, 10}, 1.5},       /* beyond the known points */
		{2, {5, 0, 0, 0}, 1},	       /* no thread ran */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t wall_ns[4];
		struct level_times levels = {.wall_ns = wall_ns, .max_active = 3};
		struct slowdown slowdown;
		struct err err;

		memcpy(wall_ns, cases[i].wall_ns, sizeof(wall_ns));
		assert_int_equal(slowdown_init(&slowdown, points, 2, &err), 0);
		assert_close(slowdown_recorded(&slowdown, &levels, cases[i].cores),
			     cases[i].recorded, 1e-12);
		slowdown_relate(&slowdown, &levels, cases[i].cores);
		assert_close(slowdown.factors[1], 1.5 / cases[i].recorded, 1e-12);
		slowdown_release(&slowdown);
	}
}

/*
 * Two threads, with 12 ms of work each if one core is busy, on a machine where two slow each other
 * down to 2/3: 18 ms on two cores, 24 ms on one. The replay of either recording has both.
 */
static void a_replay_of_either_recording_finds_the_other(void **state)
{
	static const struct slowdown_point points[] = {{1, 1}, {2, 1.5}};
	static const struct {
		const char *text;
		uint64_t cores, wall_ns[3];
	} cases[] = {
		{"a: 12ms\nb@0ms: 12ms\n", 1, {0, 0, 24000000}},
		{"a: 18ms\nb@0ms: 18ms\n", 2, {0, 0, 18000000}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t wall_ns[3];
		struct level_times levels = {.wall_ns = wall_ns, .max_active = 2};
		struct slowdown slowdown;
		struct program program;
		struct err err;

		memcpy(wall_ns, cases[i].wall_ns, sizeof(wall_ns));
		assert_int_equal(slowdown_init(&slowdown, points, 2, &err), 0);
		slowdown_relate(&slowdown, &levels, cases[i].cores);
		steps_read(&program, cases[i].text);
		for (unsigned k = 1; k <= 2; k++) {
			const struct machine machine = {.cores = k,
							.slowdown = slowdown.factors,
							.slowdown_count = slowdown.count};
			struct simulated simulated;

			assert_int_equal(simulate(&simulated, &program, &machine, false, &err), 0);
			assert_close((double)simulated.wall_ns, k == 1 ? 24e6 : 18e6, 1e-6);
		}
		program_release(&program);
		slowdown_release(&slowdown);
	}
}

/* --- Learned from recordings ----------------------------------------------------------------- */

/* A recording in which one thread is active for a part of the time, and else as many as cores. */
struct made_run {
	uint64_t cores;
	double serial_share, noise; /* a factor */
};

enum { RUNS_MOST = 8 };

static void learn_after(struct slowdown_fit *fit, const struct made_run *made, size_t count,
			double (*law)(double busy), const struct run_noise *before)
{
	struct slowdown_run runs[RUNS_MOST];
	struct level_times levels[RUNS_MOST];
	uint64_t walls[RUNS_MOST][65] = {{0}};

	for (size_t i = 0; i < count; i++) {
		const struct made_run *from = &made[i];
		double busy = (double)from->cores, serial = from->serial_share;
		double work = serial + (1 - serial) * busy / law(busy);

		walls[i][1] += (uint64_t)(serial * 1e9);
		walls[i][from->cores] += (uint64_t)((1 - serial) * 1e9);
		levels[i] = (struct level_times){.wall_ns = walls[i], .max_active = from->cores};
		runs[i] = (struct slowdown_run){&levels[i], from->cores,
						from->noise * (serial + (1 - serial) * busy) / work,
						1};
	}
	slowdown_learn(fit, runs, count, before);
}

static void learn(struct slowdown_fit *fit, const struct made_run *made, size_t count,
		  double (*law)(double busy))
{
	learn_after(fit, made, count, law, &(struct run_noise){.freedom = 0});
}

static double contention(double busy)
{
	return 1 + .5 * (busy - 1);
}

static double bandwidth(double busy)
{
	return fmax(1, .5 * busy);
}

static double hardly(double busy)
{
	return 1 + .05 * (busy - 1);
}

static void the_slowdown_of_busy_cores_is_learned_from_recordings(void **state)
{
	static const struct {
		struct made_run runs[RUNS_MOST];
		size_t count;
		double (*law)(double busy);
		enum slowdown_law want;
		double slope, within;
	} cases[] = {
		{{{1, 0, 1}, {2, 0, 1}}, 2, contention, SLOWDOWN_CONTENTION, .5, 1e-6},
		{{{1, 0, 1}, {4, .5, 1}}, 2, contention, SLOWDOWN_CONTENTION, .5, 1e-6},
		{{{1, 0, 1}, {2, 0, 1}, {4, 0, 1}, {8, .1, 1}},
		 4,
		 contention,
		 SLOWDOWN_CONTENTION,
		 .5,
		 1e-6},
		{{{1, 0, 1}, {2, 0, 1}, {4, 0, 1}, {8, .1, 1}},
		 4,
		 bandwidth,
		 SLOWDOWN_BANDWIDTH,
		 .5,
		 1e-6},
		{{{1, 0, 1.02}, {1, 0, .98}, {2, 0, 1.02}, {2, 0, .98}},
		 4,
		 contention,
		 SLOWDOWN_CONTENTION,
		 .5,
		 1e-3},
		/* Less than the variation of runs. */
		{{{1, 0, 1}, {2, 0, 1}}, 2, hardly, SLOWDOWN_NONE, 0, 0},
		{{{1, 0, 1.2}, {2, 0, 1}}, 2, hardly, SLOWDOWN_NONE, 0, 0},
		/* Two cores that were never busy together have no slowdown. */
		{{{1, 0, 1}, {2, 1, 1.5}}, 2, contention, SLOWDOWN_NONE, 0, 0},
		{{{2, 0, 1}, {2, 0, 1.5}}, 2, contention, SLOWDOWN_NONE, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slowdown_fit fit;

		learn(&fit, cases[i].runs, cases[i].count, cases[i].law);
		assert_int_equal(fit.law, cases[i].want);
		assert_close(1 + fit.slope, 1 + cases[i].slope, cases[i].within + 1e-12);
		assert_int_equal(fit.count, cases[i].count);
		assert_int_equal(fit.cores_least, cases[i].runs[0].cores);
		assert_int_equal(fit.cores_most, cases[i].runs[cases[i].count - 1].cores);
	}
}

static void calibrations_replace_the_presumed_noise(void **state)
{
	static const struct made_run alike[] = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}};
	struct slowdown_fit fit;

	(void)state;
	learn_after(&fit, alike, 3, contention, &(struct run_noise){.2, 7});
	assert_close(fit.noise, sqrt(7 * .2 * .2 / 9), 1e-9);
	assert_close(fit.freedom, 9, 1e-12);
}

static void the_noise_of_runs_is_presumed_first_and_then_measured(void **state)
{
	static const struct made_run one[] = {{2, 0, 1}},
				     alike[] = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}, {2, 0, 1}},
				     unlike[] = {{1, 0, 1.1},
						 {1, 0, 1 / 1.1},
						 {2, 0, 1.1},
						 {2, 0, 1 / 1.1}};
	const double presumed = 2 * .07 * .07;
	struct slowdown_fit fit;

	(void)state;
	learn(&fit, one, 1, contention);
	assert_close(fit.noise, .07, 1e-12);
	assert_close(fit.freedom, 2, 1e-12);
	assert_true(isnan(fit.slope_error));
	learn(&fit, alike, 4, contention);
	assert_close(fit.noise, sqrt(presumed / 5), 1e-9);
	assert_close(fit.freedom, 5, 1e-12);
	assert_int_equal(fit.count_most, 4);
	learn(&fit, unlike, 4, contention);
	/* s = .5, and d ln(1 + s) / ds = 1 / 1.5 half above and half below its mean. */
	assert_close(fit.noise, sqrt((presumed + 4 * log(1.1) * log(1.1)) / 4), 1e-6);
	assert_close(fit.freedom, 4, 1e-12);
	assert_int_equal(fit.count_most, 2);
	assert_close(fit.slope_error, fit.noise * 1.5, 1e-3);
	assert_close(slowdown_fit_at(&fit, 8), 4.5, 1e-6);
	assert_close(slowdown_fit_error(&fit, 8), log(1 + 7 * fit.slope_error / 4.5), 1e-6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_slowdown_of_busy_cores_is_learned_from_recordings),
	cmocka_unit_test(calibrations_replace_the_presumed_noise),
	cmocka_unit_test(the_noise_of_runs_is_presumed_first_and_then_measured),
	cmocka_unit_test(the_slowdown_is_linear_between_points),
	cmocka_unit_test(invalid_points_are_refused),
	cmocka_unit_test(a_recording_is_itself_slowed_down),
	cmocka_unit_test(a_replay_of_either_recording_finds_the_other),
};

TEST_FILE(tests);
