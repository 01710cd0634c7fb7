/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/variation.h"

#include "base/err.h"
#include "draw/steps.h"
#include "stats/profile/levels.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

enum { CALIBRATIONS_MOST = 32 };

static const struct variation_request plain;

/* A thread of 400 steps: of 1 ms in its first half and of 2 ms in the second, plus or minus 10
 * %. */
static void two_phases(struct program *program)
{
	*program = (struct program){0};
	program_add_thread(program, 1, 1, "a");
	for (unsigned i = 0; i < 400; i++)
		program_add_step(program, 0, (i < 200 ? 1000000 : 2000000) + i % 3 * 100000,
				 STEP_NONE);
	program_add_step(program, 0, 0, STEP_EXIT);
	program->wall_ns = program_work_ns(program);
}

static void phases_stay_phases(void **state)
{
	struct program program;
	size_t changed = 0;

	(void)state;
	two_phases(&program);
	variation_draw(&program, 1);
	for (size_t i = 0; i < 400; i++) {
		uint64_t run_ns = step_run_ns(&program.threads[0].steps[i]);

		changed += run_ns != (i < 200 ? 1000000u : 2000000u) + i % 3 * 100000;
		if (i < 200 - 40)
			assert_true(run_ns <= 1200000);
		if (i >= 200 + 40)
			assert_true(run_ns >= 2000000);
	}
	assert_true(changed > 100);
	program_release(&program);
}

/* Two threads take the tokens of a pool by turns; the second takes a little longer for each. */
static void work_for_tokens_is_drawn_from_work_of_all_threads_near_by(void **state)
{
	struct program program;
	size_t from_other = 0;

	(void)state;
	program = (struct program){0};
	program_add_site(&program, SITE_TOKENS);
	for (unsigned thread = 0; thread < 2; thread++)
		program_add_thread(&program, (int32_t)thread + 1, 1, "a");
	for (unsigned i = 0; i < 400; i++) {
		struct step *step =
			program_add_step(&program, i % 2, i ? 1000 + i % 2 : 0, STEP_TAKE);

		step->site = 0;
		step->count = i;
	}
	program.sites[0].pooled = true;
	variation_draw(&program, 1);
	for (size_t i = 1; i < 200; i++)
		from_other += step_run_ns(&program.threads[0].steps[i]) == 1001;
	assert_true(from_other > 50 && from_other < 150);
	program.sites[0].pooled = false;
	for (size_t i = 1; i < 200; i++)
		program.threads[0].steps[i].run_op = step_run_op(1000, STEP_TAKE);
	variation_draw(&program, 1);
	for (size_t i = 1; i < 200; i++)
		assert_int_equal(step_run_ns(&program.threads[0].steps[i]), 1000);
	program_release(&program);
}

static void sleeps_are_drawn_too_and_constant_lengths_stay_constant(void **state)
{
	struct program program;
	size_t changed = 0;

	(void)state;
	program = (struct program){0};
	program_add_thread(&program, 1, 1, "a");
	for (uint32_t i = 0; i < 200; i++)
		program_add_step(&program, 0, 1000, STEP_SLEEP)->pause =
			step_pause(i % 7, PROGRAM_NONE);
	for (uint32_t i = 0; i < 200; i++)
		program_add_step(&program, 0, 1000, STEP_DEVICE)->pause =
			step_pause(5, PROGRAM_NONE);
	variation_draw(&program, 1);
	for (size_t i = 0; i < 400; i++) {
		const struct step *step = &program.threads[0].steps[i];

		assert_int_equal(step_run_ns(step), 1000);
		changed += i < 200 && step_pause_ns(step) != i % 7;
		assert_true(i < 200 ? step_pause_ns(step) < 7 : step_pause_ns(step) == 5);
	}
	assert_true(changed > 100);
	program_release(&program);
}

static void the_interval_holds_the_point_and_has_the_width_of_the_variation(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1, 2};
	struct forecast_points replayed;
	struct program program;
	struct err err;
	double width;

	(void)state;
	two_phases(&program);
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 2, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	for (size_t i = 0; i < replayed.count; i++) {
		const struct forecast_point *point = &replayed.points[i];

		width = (point->hi_s - point->lo_s) / point->wall_s;
		assert_true(point->lo_s <= point->wall_s && point->wall_s <= point->hi_s);
		assert_true(width > .002 && width < .1);
	}
	forecast_points_release(&replayed);
	program_release(&program);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* On one core the wall time is the sum of the steps, so each of 39 replicates is known. */
static void the_interval_is_of_the_second_and_the_last_but_one_of_39_for_two_runs(void **state)
{
	const struct machine machine = {.cores = 1};
	struct program program, drawn;
	uint64_t walls[VARIATION_REPLICATES];
	struct forecast_points replayed;
	double middle, wall_s;
	struct err err;

	(void)state;
	two_phases(&program);
	for (uint32_t i = 0; i < VARIATION_REPLICATES; i++) {
		program_copy(&drawn, &program);
		variation_draw(&drawn, i + 1);
		walls[i] = program_work_ns(&drawn);
		program_release(&drawn);
	}
	qsort(walls, VARIATION_REPLICATES, sizeof(*walls), compare);
	middle = (double)walls[19];
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, NULL, 0, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	wall_s = replayed.points[0].wall_s;
	assert_close(log(wall_s / replayed.points[0].lo_s),
		     sqrt(2) * log(middle / (double)walls[1]), 1e-6);
	assert_close(log(replayed.points[0].hi_s / wall_s),
		     sqrt(2) * log((double)walls[37] / middle), 1e-6);
	forecast_points_release(&replayed);
	program_release(&program);
}

static void a_replay_that_misses_the_recording_has_a_wider_interval(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	two_phases(&program);
	program.wall_ns = program.wall_ns * 100 / 95;
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	assert_true(replayed.points[0].hi_s >= 1.049 * replayed.points[0].wall_s);
	forecast_points_release(&replayed);
	program_release(&program);
}

/*
 * On one core the wall time has no missing wait: a replay that misses the recording by 20 % makes
 * the interval of 1 core no lower than that of less work, with any other error. On two cores, each
 * with half of the work, the interval begins below the thread with most work if the waits are in
 * doubt.
 */
static void no_interval_begins_below_the_work(void **state)
{
	static const struct {
		uint64_t cores;
		bool in_doubt;
		double lo_s;
	} cases[] = {{1, false, 4}, {1, true, 4}, {2, false, 3}, {2, true, 2}};
	const struct machine machine = {.cores = 1};
	const double spread = 1.6448536 * .1;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t wall_ns[] = {0, UINT64_C(4000000000)};
		const struct level_times levels = {
			.wall_ns = wall_ns, .max_active = 1, .total_ns = wall_ns[1]};
		const struct variation_request request = {
			.discrepancy = .1, .closed_form = cases[i].in_doubt ? &levels : NULL};
		struct forecast_points replayed;
		struct forecast_point *point;
		struct program program;
		struct err err;

		steps_read(&program, "a: 3s\nb@0ms: 1s\n");
		program.wall_ns = UINT64_C(5000000000);
		assert_int_equal(forecast_points_init(&replayed, &program, &machine, 4, 0,
						      &cases[i].cores, 1, &err),
				 0);
		point = &replayed.points[cases[i].cores - 1];
		assert_int_equal(point->cores, cases[i].cores);
		point->least_s *= cases[i].in_doubt ? .5 : 1;
		assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
		assert_close(point->lo_s, cases[i].lo_s * exp(-spread), 1e-6);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

static void add_interval(struct forecast_points *replayed, const struct variation_request *request)
{
	const struct machine machine = {.cores = 1};
	struct program program;
	struct err err;

	two_phases(&program);
	assert_int_equal(forecast_points_init(replayed, &program, &machine, 1, 0, NULL, 0, &err),
			 0);
	assert_int_equal(variation_add(replayed, &program, &machine, request, &err), 0);
	program_release(&program);
}

static void overhead_of_recording_may_be_absent(void **state)
{
	const struct variation_request costly = {.overhead_share = .05};
	struct forecast_points cheap, dear;

	(void)state;
	add_interval(&cheap, &plain);
	add_interval(&dear, &costly);
	assert_int_equal(cheap.replicates, VARIATION_REPLICATES);
	assert_close(dear.points[0].lo_s, .95 * cheap.points[0].lo_s, 1e-9);
	assert_close(cheap.points[0].hi_s, dear.points[0].hi_s, 1e-12);
	forecast_points_release(&cheap);
	forecast_points_release(&dear);
}

/* Two threads: one of `steps` of 1 or 2 ms each, the other of one step of `other_ns`. */
static void few_steps(struct program *program, unsigned steps, uint64_t other_ns)
{
	*program = (struct program){0};
	program_add_thread(program, 1, 1, "a");
	program_add_thread(program, 2, 1, "b");
	for (unsigned i = 0; i < steps; i++)
		program_add_step(program, 0, UINT64_C(1000000) << i % 2, STEP_NONE);
	program_add_step(program, 0, 0, STEP_EXIT);
	program_add_step(program, 1, other_ns, STEP_EXIT);
	program->wall_ns = program_work_ns(program);
}

/* The first step has none before it, and so is like no other. */
static void few_steps_need_half_of_the_work_in_ten_similar_ones(void **state)
{
	static const struct {
		unsigned steps;
		uint64_t other_ns;
		bool known;
	} cases[] = {
		{11, 1000000, true},
		{10, 1000000, false},
		{11, 20000000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;

		few_steps(&program, cases[i].steps, cases[i].other_ns);
		assert_int_equal(variation_is_known(&program), cases[i].known);
		program_release(&program);
	}
}

/* exp(-1.645 x .05) and its inverse, also on the cores of the recording, as the speed is
 * unknown. */
static void few_steps_leave_the_discrepancy_alone(void **state)
{
	const struct variation_request discrepant = {.discrepancy = .05};
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1, 2};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	few_steps(&program, 4, 6000000);
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 2, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	assert_false(forecast_points_have_interval(&replayed));
	assert_int_equal(variation_add(&replayed, &program, &machine, &discrepant, &err), 0);
	assert_int_equal(replayed.replicates, 0);
	for (size_t i = 0; i < replayed.count; i++) {
		double wall_s = replayed.points[i].wall_s;

		assert_close(wall_s, i ? .006 : .012, 1e-9);
		assert_close(replayed.points[i].lo_s, wall_s * .92104, 1e-5);
		assert_close(replayed.points[i].hi_s, wall_s / .92104, 1e-5);
	}
	forecast_points_release(&replayed);
	program_release(&program);
}

/* As with so many steps that only a few replicates can be made of them. */
static void few_replicates_give_an_interval_too(void **state)
{
	static const uint64_t few[] = {VARIATION_SIZE_MOST / 18, VARIATION_SIZE_MOST / 5};
	const struct machine machine = {.cores = 1};
	struct forecast_points all, some;
	struct program program;
	struct err err;

	(void)state;
	add_interval(&all, &plain);
	two_phases(&program);
	for (size_t i = 0; i < 2; i++) {
		double ratio;

		assert_int_equal(
			forecast_points_init(&some, &program, &machine, 1, 0, NULL, 0, &err), 0);
		some.size = few[i];
		assert_int_equal(variation_add(&some, &program, &machine, &plain, &err), 0);
		assert_int_equal(some.replicates, i ? 5 : 18);
		ratio = (some.points[0].hi_s - some.points[0].lo_s) /
			(all.points[0].hi_s - all.points[0].lo_s);
		assert_true(ratio > .4 && ratio < 2.5);
		forecast_points_release(&some);
	}
	forecast_points_release(&all);
	program_release(&program);
}

static void the_number_of_replicates_depends_on_their_work(void **state)
{
	(void)state;
	assert_int_equal(variation_replicates(0, 1), 0);
	assert_int_equal(variation_replicates(3, 1), VARIATION_REPLICATES);
	assert_int_equal(variation_replicates(100, 4), VARIATION_REPLICATES);
	assert_int_equal(variation_replicates(150000, 8), 25);
	assert_int_equal(variation_replicates(1000000, 6), 5);
	assert_int_equal(variation_replicates(1000000, 8), 0);
}

/* A thread of one step, or so many threads, whose variation is unknown. */
static void of_threads(struct program *program, size_t threads)
{
	*program = (struct program){0};
	for (size_t i = 0; i < threads; i++) {
		program_add_thread(program, (int32_t)i + 1, 1, "a");
		program_add_step(program, (uint32_t)i, 1000000, STEP_EXIT);
	}
}

/* A point at 10 s with answers from 8 to 12 s if `apart`. */
static void every_term_makes_the_interval_wider(void **state)
{
	static const struct {
		double self_s; /* recorded: 1 s */
		double discrepancy, overhead_share;
		bool apart;
		double lo_s, hi_s;
	} cases[] = {
		/* The discrepancy alone: 1.6448536 standard deviations. */
		{1, .1, 0, false, 8.4833016, 11.7878633},
		/* The error of the self-check, ln 1.1, is on both sides, and added; overhead, ln
		 * .95, on one. */
		{1.1, .1, 0, false, 7.7120923, 12.9666496},
		{1 / 1.1, .1, 0, false, 7.7120923, 12.9666496},
		{1.1, .1, .05, false, 7.3264877, 12.9666496},
		{1, .1, 0, true, 6.7866413, 14.1454360},
		/* The noise is unknown. */
		{1.1, 0, 0, true, NAN, NAN},
	};
	const struct machine machine = {.cores = 1};
	struct program program;

	(void)state;
	of_threads(&program, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct variation_request request = {
			.overhead_share = cases[i].overhead_share,
			.discrepancy = cases[i].discrepancy,
		};
		struct forecast_point point = {
			.cores = 2, .wall_s = 10, .least_s = 10, .most_s = 10};
		struct forecast_points replayed = {.points = &point,
						   .count = 1,
						   .recorded_cores = 1,
						   .recorded_s = 1,
						   .self_s = cases[i].self_s,
						   .scale = 1};
		struct err err;

		if (cases[i].apart) {
			point.least_s = 8;
			point.most_s = 12;
		}
		assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
		if (isnan(cases[i].lo_s)) {
			assert_true(isnan(point.lo_s) && isnan(point.hi_s));
			continue;
		}
		assert_close(point.lo_s, cases[i].lo_s, 1e-6);
		assert_close(point.hi_s, cases[i].hi_s, 1e-6);
	}
	program_release(&program);
}

/* 6 s on two cores; one lock may be held all the time: more cores take as long. */
static void locks_that_may_be_held_all_the_time_let_more_cores_gain_nothing(void **state)
{
	static const double want_s[][2] = {{10, 10}, {6, 6}, {3, 6}};
	const struct variation_request request = {.discrepancy = .01, .holds_unknown = true};
	const struct machine machine = {.cores = 1};
	struct forecast_point points[] = {{.cores = 1, .wall_s = 10, .least_s = 10, .most_s = 10},
					  {.cores = 2, .wall_s = 6, .least_s = 6, .most_s = 6},
					  {.cores = 4, .wall_s = 3, .least_s = 3, .most_s = 3}};
	struct forecast_points replayed = {.points = points,
					   .count = 3,
					   .recorded_cores = 2,
					   .recorded_s = 6,
					   .self_s = 6,
					   .scale = 1};
	struct program program;
	struct err err;

	(void)state;
	of_threads(&program, 4);
	assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_close(points[i].least_s, want_s[i][0], 1e-9);
		assert_close(points[i].most_s, want_s[i][1], 1e-9);
	}
	assert_true(points[2].hi_s > 6);
	assert_int_equal(replayed.alternatives & ALTERNATIVE_NO_GAIN, ALTERNATIVE_NO_GAIN);
	program_release(&program);
}

/* As in a damaged recording whose replay takes infinitely longer than the run. */
static void a_forecast_of_no_time_has_an_interval_of_none(void **state)
{
	const struct variation_request request = {.discrepancy = .05};
	const struct machine machine = {.cores = 1};
	struct forecast_point point = {.cores = 2};
	struct forecast_points replayed = {.points = &point,
					   .count = 1,
					   .recorded_cores = 1,
					   .recorded_s = 1,
					   .self_s = (double)INFINITY,
					   .scale = 1};
	struct program program;
	struct err err;

	(void)state;
	of_threads(&program, 2);
	assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
	assert_close(point.lo_s, 0, 0);
	assert_close(point.hi_s, 0, 0);
	program_release(&program);
}

/* Noise of steps and the discrepancy are independent: squares add up. */
static void steps_and_the_discrepancy_add_up_as_squares(void **state)
{
	const struct variation_request discrepant = {.discrepancy = .04};
	const double spread = .04 * 1.6448536;
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct forecast_points without, with;
	struct program program;
	struct err err;

	(void)state;
	two_phases(&program);
	assert_int_equal(forecast_points_init(&without, &program, &machine, 1, 0, cores, 1, &err),
			 0);
	assert_int_equal(forecast_points_init(&with, &program, &machine, 1, 0, cores, 1, &err), 0);
	without.recorded_s = without.self_s;
	with.recorded_s = with.self_s;
	assert_int_equal(variation_add(&without, &program, &machine, &plain, &err), 0);
	assert_int_equal(variation_add(&with, &program, &machine, &discrepant, &err), 0);
	assert_close(log(with.points[1].wall_s / with.points[1].lo_s),
		     hypot(log(without.points[1].wall_s / without.points[1].lo_s), spread), 1e-6);
	assert_close(log(with.points[1].hi_s / with.points[1].wall_s),
		     hypot(log(without.points[1].hi_s / without.points[1].wall_s), spread), 1e-6);
	assert_true(without.points[1].lo_s < without.points[1].wall_s);
	forecast_points_release(&without);
	forecast_points_release(&with);
	program_release(&program);
}

static void the_discrepancy_grows_with_doublings_of_used_cores(void **state)
{
	static const struct {
		uint64_t recorded, cores;
		size_t threads;
		double expected;
		double calibrated; /* degrees of freedom of a speed that does not vary */
	} cases[] = {
		{1, 1, 8, 0, 2},
		{4, 4, 8, 0, 2},
		{2, 3, 8, .0382414, 2}, /* log2(1.5) = .5849625 of a doubling */
		{1, 4, 16, .0707106781, 2},
		{1, 1, 8, .05, 0},
		{4, 4, 8, .05, 0},
		{1, 2, 8, .05, 0},
		{2, 1, 8, .05, 0},
		{1, 16, 16, .1, 0},
		{16, 1, 16, .1, 0},
		{2, 32, 64, .1, 0},
		{1, 4, 16, .0707106781, 0},
		{1, 16, 4, .0707106781, 0}, /* four cores of 16 are used */
		{1, 64, 1, .05, 0},	    /* one of 64, which is another machine nevertheless */
		{4, 8, 2, .05, 0},
		{2, 3, 8, .05, 0},
		{1, 2, 0, .05, 0},
	};
	const struct machine machine = {.cores = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_point point = {.cores = cases[i].cores, .wall_s = 1};
		struct forecast_points replayed = {.points = &point,
						   .count = 1,
						   .recorded_cores = cases[i].recorded,
						   .recorded_s = 1,
						   .self_s = 1,
						   .scale = 1};
		const struct variation_request request = {
			.discrepancy = .05, .speed = {.freedom = cases[i].calibrated}};
		struct program program;
		struct err err;

		of_threads(&program, cases[i].threads);
		assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
		assert_close(point.discrepancy, cases[i].expected, 1e-6);
		program_release(&program);
	}
}

/* A point of 1 s on the cores of the recording, without discrepancy. */
static void vary_point(struct forecast_point *point, const struct variation_request *request)
{
	const struct machine machine = {.cores = 1};
	struct forecast_points replayed = {.points = point,
					   .count = 1,
					   .recorded_cores = 1,
					   .recorded_s = 1,
					   .self_s = 1,
					   .scale = 1};
	struct program program;
	struct err err;

	*point = (struct forecast_point){.cores = 1, .wall_s = 1, .least_s = 1, .most_s = 1};
	of_threads(&program, 1);
	assert_int_equal(variation_add(&replayed, &program, &machine, request, &err), 0);
	program_release(&program);
}

/* 1.6448536 and 2.9199856 are the quantiles .95 of the normal and of Student's distribution. */
static void the_speed_of_the_machine_counts_for_both_runs_and_steal_beside_it(void **state)
{
	static const struct {
		struct run_noise speed;
		double steal, side;
	} cases[] = {
		{{0, 0}, 0, NAN},
		{{.1, 1e9}, 0, 1.6448536 * M_SQRT2 * .1},
		{{.1, 2}, 0, 2.9199856 * M_SQRT2 * .1},
		{{0, 0}, .05, 1.6448536 * .05},
		{{.1, 1e9}, .1, 1.6448536 * .1 * 1.7320508},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct variation_request request = {.speed = cases[i].speed,
							  .steal = cases[i].steal};
		struct forecast_point point;

		vary_point(&point, &request);
		if (isnan(cases[i].side)) {
			assert_true(isnan(point.hi_s));
			continue;
		}
		assert_close(log(point.hi_s), cases[i].side, 1e-6);
		assert_close(log(point.lo_s), -cases[i].side, 1e-6);
	}
}

/* The variation of the machine, known from so many calibrations at other times. */
static struct run_noise calibrated(gsl_rng *rng, double noise, size_t count)
{
	double logs[CALIBRATIONS_MOST];

	for (size_t i = 0; i < count; i++)
		logs[i] = gsl_ran_gaussian(rng, noise);
	return (struct run_noise){gsl_stats_sd(logs, 1, count), (double)(count - 1)};
}

/* The recording and the run each have a speed of their own. */
static void intervals_hold_nine_tenths_of_the_runs_for_any_variation_of_the_machine(void **state)
{
	static const double noises[] = {.02, .05, .15, .3};
	static const size_t counts[] = {3, 5, CALIBRATIONS_MOST};
	enum { TRIALS = 2000 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

	(void)state;
	gsl_rng_set(rng, 23);
	for (size_t i = 0; i < 4 * 3; i++) {
		double noise = noises[i / 3];
		size_t held = 0;

		for (size_t trial = 0; trial < TRIALS; trial++) {
			const struct variation_request request = {
				.speed = calibrated(rng, noise, counts[i % 3])};
			double recorded = gsl_ran_gaussian(rng, noise);
			double run = gsl_ran_gaussian(rng, noise);
			struct forecast_point point;

			vary_point(&point, &request);
			held += run - recorded >= log(point.lo_s) &&
				run - recorded <= log(point.hi_s);
		}
		assert_true((double)held > .87 * TRIALS && (double)held < .93 * TRIALS);
	}
	gsl_rng_free(rng);
}

static void several_recordings_tell_more_than_calibrations(void **state)
{
	const struct slowdown_fit learned = {.law = SLOWDOWN_NONE,
					     .noise = .02,
					     .freedom = 1e9,
					     .cores_least = 1,
					     .cores_most = 1,
					     .count = 3,
					     .count_most = 3};
	const struct variation_request request = {.speed = {.3, 5}, .learned = &learned};
	struct forecast_point point;

	(void)state;
	vary_point(&point, &request);
	assert_close(log(point.hi_s), 1.6448536 * .02 * sqrt(1 + 1. / 3), 1e-6);
}

static void the_terms_of_an_interval_have_names(void **state)
{
	struct forecast_points replayed = {.recorded_s = 1, .self_s = 1.02, .discrepancy = .05};
	char text[INTERVAL_NAMES_SIZE], small[8];

	(void)state;
	assert_string_equal(interval_names(text, sizeof(text), &replayed), "discrepancy, miss");
	replayed.self_s = 1;
	replayed.discrepancy = 0;
	replayed.replicates = 39;
	assert_string_equal(interval_names(text, sizeof(text), &replayed), "steps");
	replayed = (struct forecast_points){
		.recorded_s = 1,
		.self_s = 1.02,
		.replicates = 5,
		.discrepancy = .05,
		.speed = {.1, 4},
		.steal = .01,
		.overhead_share = .01,
		.alternatives = ALTERNATIVE_WITHOUT_POOLS | ALTERNATIVE_EVEN_WORK |
				ALTERNATIVE_CLOSED_FORM | ALTERNATIVE_NO_GAIN};
	assert_string_equal(interval_names(text, sizeof(text), &replayed),
			    "steps, discrepancy, speed, steal, miss, overhead, pools, even-work, "
			    "closed-form, no-gain");
	assert_string_equal(interval_names(small, sizeof(small), &replayed), "steps, ");
}

/*
 * Three tokens: the first thread takes one that is a second of work, and the second thread two, of
 * half a second each except the last, of three. Recorded on one core.
 */
static void make_pool(struct program *program, bool pooled)
{
	static const struct {
		uint32_t thread, token;
		uint64_t after_ns;
	} takes[] = {{0, 0, 1000000000}, {1, 1, 500000000}, {1, 2, 3000000000}};

	*program = (struct program){0};
	program_add_site(program, SITE_TOKENS);
	program->sites[0].tokens = 3;
	program->sites[0].pooled = pooled;
	for (int32_t i = 1; i <= 2; i++)
		program_add_thread(program, i, 1, "a");
	for (size_t i = 0; i < 3; i++) {
		struct step *take = program_add_step(program, takes[i].thread, 0, STEP_TAKE);

		take->site = 0;
		take->count = takes[i].token;
		program_add_step(program, takes[i].thread, takes[i].after_ns, STEP_NONE);
	}
	for (uint32_t i = 0; i < 2; i++)
		program_add_step(program, i, 0, STEP_EXIT);
	program->wall_ns = program_work_ns(program);
}

static void without_pools_there_is_one_answer(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, false);
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	assert_int_equal(replayed.alternatives, 0);
	for (size_t i = 0; i < replayed.count; i++) {
		assert_close(replayed.points[i].least_s, replayed.points[i].wall_s, 1e-12);
		assert_close(replayed.points[i].most_s, replayed.points[i].wall_s, 1e-12);
	}
	forecast_points_release(&replayed);
	program_release(&program);
}

/* As recorded, the second thread has 3.5 s of work. */
static void work_of_a_pool_may_also_stay_with_its_thread(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct forecast_points replayed;
	struct forecast_point *point;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, true);
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
			 0);
	point = &replayed.points[1];
	point->least_s = point->most_s = point->wall_s = 3.2;
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	assert_int_equal(replayed.alternatives, ALTERNATIVE_WITHOUT_POOLS);
	assert_true(program.sites[0].pooled);
	assert_close(point->least_s, 3.2, 1e-12);
	assert_close(point->most_s, 3.5, 1e-9);
	assert_close(point->wall_s, 3.2, 1e-12);
	forecast_points_release(&replayed);
	program_release(&program);
}

/* Two threads that end at such times; each waits in between. */
static void make_workers(struct program *program, uint64_t end_ns)
{
	*program = (struct program){0};
	program_add_thread(program, 1, 1, "main");
	for (uint32_t i = 1; i <= 2; i++) {
		uint32_t thread = program_add_thread(program, (int32_t)i + 1, 1, "a");

		program->threads[thread].forked = true;
		program_add_step(program, 0, 0, STEP_FORK)->thread = thread;
		program_add_step(program, thread, 500000000, STEP_SLEEP)->pause =
			step_pause(1000000000, PROGRAM_NONE);
		program_add_step(program, thread, i * 1000000000, STEP_EXIT)->exit_ns =
			i == 1 ? end_ns : 4000000000;
	}
	program_add_step(program, 0, 0, STEP_EXIT)->exit_ns = 4000000000;
	program->wall_ns = 4000000000;
}

/* .5 s each before a wait of 1 s, and then 1 s and 2 s, or 1.5 s each: on two cores 3.5 s or 3. */
static void work_may_have_moved_if_threads_end_together(void **state)
{
	static const struct {
		uint64_t end_ns;
		unsigned alternatives;
		double least_s;
	} cases[] = {{4000000000, ALTERNATIVE_EVEN_WORK, 3},
		     {3800000000, ALTERNATIVE_EVEN_WORK, 3},
		     {3799999999, 0, 3.5},
		     {0, 0, 3.5}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		const uint64_t cores[] = {2};
		struct forecast_points replayed;
		struct program program;
		struct err err;

		make_workers(&program, cases[i].end_ns);
		assert_int_equal(
			forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
			0);
		assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
		assert_int_equal(replayed.alternatives, cases[i].alternatives);
		assert_close(replayed.points[1].wall_s, 3.5, 1e-9);
		assert_close(replayed.points[1].least_s, cases[i].least_s, 1e-9);
		assert_close(replayed.points[1].most_s, 3.5, 1e-9);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

/* 4.5 s of which two threads are active for 3 s: 1.5 + 3 / 2 on two cores. */
static void the_closed_form_is_an_answer_too(void **state)
{
	uint64_t wall_ns[] = {0, 1500000000, 3000000000};
	const struct level_times levels = {
		.wall_ns = wall_ns, .max_active = 2, .total_ns = 4500000000};
	const struct variation_request with = {.closed_form = &levels};
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, false);
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &with, &err), 0);
	assert_int_equal(replayed.alternatives, ALTERNATIVE_CLOSED_FORM);
	assert_close(replayed.points[0].least_s, replayed.points[0].most_s, 1e-9);
	assert_close(replayed.points[1].least_s, 3, 1e-9);
	assert_close(replayed.points[1].most_s, 3.5, 1e-9);
	forecast_points_release(&replayed);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(phases_stay_phases),
	cmocka_unit_test(the_interval_holds_the_point_and_has_the_width_of_the_variation),
	cmocka_unit_test(the_interval_is_of_the_second_and_the_last_but_one_of_39_for_two_runs),
	cmocka_unit_test(a_replay_that_misses_the_recording_has_a_wider_interval),
	cmocka_unit_test(no_interval_begins_below_the_work),
	cmocka_unit_test(work_for_tokens_is_drawn_from_work_of_all_threads_near_by),
	cmocka_unit_test(sleeps_are_drawn_too_and_constant_lengths_stay_constant),
	cmocka_unit_test(overhead_of_recording_may_be_absent),
	cmocka_unit_test(few_steps_need_half_of_the_work_in_ten_similar_ones),
	cmocka_unit_test(few_steps_leave_the_discrepancy_alone),
	cmocka_unit_test(few_replicates_give_an_interval_too),
	cmocka_unit_test(the_number_of_replicates_depends_on_their_work),
	cmocka_unit_test(every_term_makes_the_interval_wider),
	cmocka_unit_test(locks_that_may_be_held_all_the_time_let_more_cores_gain_nothing),
	cmocka_unit_test(a_forecast_of_no_time_has_an_interval_of_none),
	cmocka_unit_test(steps_and_the_discrepancy_add_up_as_squares),
	cmocka_unit_test(the_discrepancy_grows_with_doublings_of_used_cores),
	cmocka_unit_test(the_speed_of_the_machine_counts_for_both_runs_and_steal_beside_it),
	cmocka_unit_test(intervals_hold_nine_tenths_of_the_runs_for_any_variation_of_the_machine),
	cmocka_unit_test(several_recordings_tell_more_than_calibrations),
	cmocka_unit_test(the_terms_of_an_interval_have_names),
	cmocka_unit_test(without_pools_there_is_one_answer),
	cmocka_unit_test(work_may_have_moved_if_threads_end_together),
	cmocka_unit_test(work_of_a_pool_may_also_stay_with_its_thread),
	cmocka_unit_test(the_closed_form_is_an_answer_too),
};

TEST_FILE(tests);
