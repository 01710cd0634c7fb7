/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/err.h"
#include "draw/steps.h"
#include "replay/forecast/forecast_points.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* 300 ms on one core, 200 ms on two, without noise. */
static const char two[] = "m: 100ms fork(a) 100ms join(a)\na: 100ms\n";

static void replay(struct forecast_points *replayed, struct program *program, const char *text,
		   uint64_t recorded_cores, double wall_ms, double others_share)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1, 2, 4};
	struct err err;

	steps_read(program, text);
	program->wall_ns = (uint64_t)(wall_ms * 1e6);
	assert_int_equal(forecast_points_init(replayed, program, &machine, recorded_cores,
					      others_share, cores, 3, &err),
			 0);
}

static void without_noise_a_forecast_for_the_recorded_cores_is_the_recording(void **state)
{
	/* A replay with more cores than threads equals the one with a core for each thread. */
	static const struct {
		uint64_t recorded_cores;
		double recorded_ms, want_ms[3]; /* on 1, 2 and 4 */
	} cases[] =
		{
			{1, 310, {310, 200, 200}}, {1, 300, {300, 200, 200}},
			{2, 203, {300, 203, 203}}, {4, 203, {300, 203, 203}},
			{1, 295, {300, 200, 200}}, /* that would be less than the work */
			{2, 190, {300, 200, 200}}, /* ... or the critical path */
			{1, 0, {300, 200, 200}},
		};
	const uint64_t cores[] = {1, 2, 4};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points replayed;
		struct program program;

		replay(&replayed, &program, two, cases[i].recorded_cores, cases[i].recorded_ms, 0);
		scale_to_measured(&replayed, &program);
		for (size_t j = 0; j < 3; j++) {
			const struct forecast_point *point =
				forecast_points_find(&replayed, cores[j]);

			assert_close(point->wall_s, cases[i].want_ms[j] / 1e3, 1e-9);
			assert_close(point->least_s, point->wall_s, 1e-9);
			assert_close(point->most_s, point->wall_s, 1e-9);
		}
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

/* s = t is one half, so the factor is the root of 1.21. */
static void the_larger_the_noise_the_less_is_taken_from_the_recording(void **state)
{
	static const double scatters[][2] = {
		{0, 1.21}, {SCALE_MISS, 1.1}, {1, 1.00007625}, {SCALE_MISS / 2, 1.16473}};

	(void)state;
	for (size_t i = 0; i < sizeof(scatters) / sizeof(*scatters); i++) {
		struct forecast_points replayed;
		struct program program;

		replay(&replayed, &program, two, 1, 363, 0);
		replayed.self_scatter = scatters[i][0];
		scale_to_measured(&replayed, &program);
		assert_close(replayed.scale, scatters[i][1], 1e-5);
		assert_close(forecast_points_find(&replayed, 1)->wall_s, .3 * scatters[i][1], 1e-5);
		assert_close(scale_factor(&replayed, &program, 1), scatters[i][1], 1e-5);
		assert_close(scale_factor(&replayed, &program, 2), 1, 0);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

/* Threads that share a core at random. */
static void replays_tell_the_noise(void **state)
{
	static const char uneven[] = "m: fork(a) fork(b) fork(c) join(a) join(b) join(c)\n"
				     "a: 100ms\nb: 100ms\nc: 300ms\n";
	struct forecast_points replayed;
	struct program program;

	(void)state;
	replay(&replayed, &program, uneven, 2, 330, 0);
	assert_true(replayed.self_scatter > .001 && replayed.self_scatter < .5);
	scale_to_measured(&replayed, &program);
	assert_true(replayed.scale != 1 &&
		    fabs(log(replayed.scale)) < fabs(log(replayed.recorded_s / replayed.self_s)));
	forecast_points_release(&replayed);
	program_release(&program);
}

static void errors_that_are_not_of_these_cores_alone_change_nothing(void **state)
{
	static const struct {
		const char *text;
		double others_share;
	} cases[] = {{two, .1}, {"m: 300ms block()\na: take(q)\n", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points replayed;
		struct program program;

		replay(&replayed, &program, cases[i].text, 1, 330, cases[i].others_share);
		scale_to_measured(&replayed, &program);
		assert_close(replayed.scale, 1, 0);
		assert_close(forecast_points_find(&replayed, 1)->wall_s, .3, 1e-9);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

static void a_small_use_by_other_programs_is_not_in_the_forecast(void **state)
{
	struct forecast_points replayed;
	struct program program;

	(void)state;
	replay(&replayed, &program, two, 1, 330, .04);
	scale_to_measured(&replayed, &program);
	assert_close(forecast_points_find(&replayed, 1)->wall_s, .330 * .96, 1e-6);
	forecast_points_release(&replayed);
	program_release(&program);
}

/* Of 330 ms on one core a tenth idled: it may idle there again, and elsewhere make a run longer. */
static void cores_that_idled_may_idle_again(void **state)
{
	const struct variation_request request = {.discrepancy = .01};
	const struct machine machine = {.cores = 1};
	const double spread = 1.6448536 * .01;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	replay(&replayed, &program, two, 1, 330, 0);
	replayed.self_s = .33;
	replayed.idled = log(1.1);
	scale_to_measured(&replayed, &program);
	assert_close(forecast_points_find(&replayed, 1)->wall_s, .33, 1e-9);
	assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
	assert_close(log(forecast_points_find(&replayed, 2)->hi_s / .2), spread + log(1.1), 1e-6);
	assert_close(log(forecast_points_find(&replayed, 2)->lo_s / .2), -spread, 1e-6);
	forecast_points_release(&replayed);
	program_release(&program);
}

/* The part that is taken from the recording is no error any more. */
static void the_interval_excludes_the_error_of_the_replay(void **state)
{
	const struct variation_request request = {.discrepancy = .01};
	const struct machine machine = {.cores = 1};
	const double spread = 1.6448536 * .01;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	replay(&replayed, &program, two, 1, 330, 0);
	scale_to_measured(&replayed, &program);
	assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
	assert_close(log(forecast_points_find(&replayed, 1)->lo_s / .33), -spread, 1e-6);
	assert_close(log(forecast_points_find(&replayed, 1)->hi_s / .33), spread, 1e-6);
	assert_close(log(forecast_points_find(&replayed, 2)->hi_s / .2), spread + log(1.1), 1e-6);
	forecast_points_release(&replayed);
	program_release(&program);
}

static void answers_to_other_questions_are_scaled_by_the_same_factor(void **state)
{
	static const char locked[] = "m: fork(a) 100ms lock(l) 100ms unlock(l) join(a)\n"
				     "a: lock(l) 150ms unlock(l)\n";
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2, 1};
	struct forecast_points replayed, changed;
	struct program program, again;
	struct why plain, why;
	struct err err;

	(void)state;
	replay(&replayed, &program, locked, 2, 275, 0);
	replay(&changed, &again, locked, 2, 275, 0);
	assert_close(forecast_points_find(&replayed, 2)->wall_s, .25, 1e-9);
	scale_to_measured(&replayed, &program);
	scale_as(&changed, &replayed, &again);
	assert_close(forecast_points_find(&changed, 2)->wall_s, .275, 1e-9);
	assert_close(forecast_points_find(&changed, 1)->wall_s, .35, 1e-9);
	assert_int_equal(why_init(&plain,
				  &(struct why_request){.program = &program,
							.machine = &machine,
							.cores = cores,
							.count = 2},
				  &err),
			 0);
	assert_int_equal(why_init(&why,
				  &(struct why_request){.program = &program,
							.machine = &machine,
							.cores = cores,
							.count = 2},
				  &err),
			 0);
	why_scale(&why, &replayed);
	assert_close(why.points[0].wall_s, plain.points[0].wall_s, 1e-12);
	assert_close(why.points[1].wall_s, 1.1 * plain.points[1].wall_s, 1e-9);
	assert_close(why.points[1].free_s, 1.1 * plain.points[1].free_s, 1e-9);
	assert_close(why.unlimited_s, 1.1 * plain.unlimited_s, 1e-9);
	assert_true(why.tried > 0);
	for (size_t i = 0; i < why.tried; i++)
		assert_close(why_saved_s(&why.points[1], &why.points[1].savings[i]),
			     1.1 * why_saved_s(&plain.points[1], &plain.points[1].savings[i]),
			     1e-9);
	why_release(&plain);
	why_release(&why);
	forecast_points_release(&replayed);
	forecast_points_release(&changed);
	program_release(&program);
	program_release(&again);
}

static void the_curve_is_through_the_anchored_point(void **state)
{
	const char *text = "m: fork(a) fork(b) fork(c) 400ms join(a) join(b) join(c)\n"
			   "a: 400ms\nb: 400ms\nc: 400ms\n";
	const struct machine machine = {.cores = 1};
	struct forecast_points replayed;
	struct forecast_usl usl;
	struct program program;
	struct err err;

	(void)state;
	replay(&replayed, &program, text, 1, 1680, 0);
	scale_to_measured(&replayed, &program);
	assert_int_equal(forecast_usl_init(&usl, &program, &machine, &replayed, 4, 4, &err), 0);
	assert_close(usl.series.points[0].throughput, 1 / 1.68, 1e-9);
	assert_close(usl.series.points[usl.series.count - 1].throughput, 2.5, 1e-9);
	forecast_usl_release(&usl);
	forecast_points_release(&replayed);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_noise_a_forecast_for_the_recorded_cores_is_the_recording),
	cmocka_unit_test(the_larger_the_noise_the_less_is_taken_from_the_recording),
	cmocka_unit_test(replays_tell_the_noise),
	cmocka_unit_test(errors_that_are_not_of_these_cores_alone_change_nothing),
	cmocka_unit_test(a_small_use_by_other_programs_is_not_in_the_forecast),
	cmocka_unit_test(cores_that_idled_may_idle_again),
	cmocka_unit_test(the_interval_excludes_the_error_of_the_replay),
	cmocka_unit_test(answers_to_other_questions_are_scaled_by_the_same_factor),
	cmocka_unit_test(the_curve_is_through_the_anchored_point),
};

TEST_FILE(tests);
