/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/err.h"
#include "replay/forecast/variation.h"
#include "replay/recognise/recognise.h"
#include "support.h"

enum { WORKERS = 3, WALL_MS = 4000 };

#define MS UINT64_C(1000000)

static const uint64_t worked_ms[WORKERS] = {1000, 1000, 2500};

/* They end with `first_end_ms` the first of them, after a wait for main that ends 500 ms of work. */
static void make_workers(struct program *program, unsigned cores, uint64_t first_end_ms)
{
	*program = (struct program){0};
	program_add_thread(program, 1, 1, "main");
	for (uint32_t i = 0; i < WORKERS; i++) {
		uint32_t thread = program_add_thread(program, (int32_t)i + 2, 1, "a");

		program->threads[thread].forked = true;
		program_add_step(program, 0, 0, STEP_FORK)->thread = thread;
		program_add_step(program, thread, 500 * MS, STEP_BLOCK)->edge = i;
		program_add_step(program, thread, worked_ms[i] * MS, STEP_EXIT)->exit_ns =
			(i ? WALL_MS : first_end_ms) * MS;
	}
	program_add_step(program, 0, 0, STEP_SLEEP)->pause = step_pause(501 * MS, PROGRAM_NONE);
	for (uint32_t i = 0; i < WORKERS; i++) {
		struct step *wake = program_add_step(program, 0, 0, STEP_WAKE);

		wake->thread = i + 1;
		wake->edge = i;
	}
	program->edge_count = WORKERS;
	program_add_step(program, 0, 0, STEP_EXIT)->exit_ns = WALL_MS * MS;
	program->wall_ns = WALL_MS * MS;
	program->cores = cores;
}

static uint64_t last_ms(const struct program *program, size_t worker)
{
	const struct program_thread *thread = &program->threads[1 + worker];

	return step_run_ns(&thread->steps[thread->count - 1]) / MS;
}

static void more_threads_than_cores_that_end_together_share_their_work(void **state)
{
	static const struct {
		unsigned cores;
		uint64_t first_end_ms;
		bool shared;
	} cases[] = {
		{2, 4000, true},  {2, 3800, true},  {2, 3799, false},
		{3, 4000, false}, {1, 4000, false}, {0, 4000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct recognised recognised;
		struct program program;

		make_workers(&program, cases[i].cores, cases[i].first_end_ms);
		recognise(&program, &recognised);
		assert_int_equal(program.even_work, cases[i].shared);
		for (size_t j = 0; j < WORKERS; j++) {
			assert_int_equal(last_ms(&program, j),
					 cases[i].shared ? 1500 : worked_ms[j]);
			assert_int_equal(step_run_ns(&program.threads[1 + j].steps[0]), 500 * MS);
		}
		program_release(&program);
	}
}

/* The last of them takes twice as many pieces of 1 ms with 2 ms of sleep as each other one. */
static void threads_that_sleep_between_pieces_end_within_two_of_them(void **state)
{
	static const struct {
		unsigned cores;
		uint64_t first_end_ms;
		bool shared;
	} cases[] = {{2, 3700, true}, {2, 3600, false}, {1, 3700, true}, {3, 3700, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program = {.cores = cases[i].cores, .wall_ns = WALL_MS * MS};

		for (uint32_t j = 0; j < WORKERS; j++) {
			uint32_t pieces = j + 1 < WORKERS ? 18 : 36;

			program_add_thread(&program, (int32_t)j + 2, 1, "a");
			program.threads[j].forked = true;
			for (uint32_t piece = 0; piece < pieces; piece++)
				program_add_step(&program, j, MS, STEP_SLEEP)->pause =
					step_pause(2 * MS, PROGRAM_NONE);
			program_add_step(&program, j, 0, STEP_EXIT)->exit_ns =
				(j ? WALL_MS : cases[i].first_end_ms) * MS;
		}
		assert_int_equal(even_work_presume(&program), cases[i].shared);
		for (uint32_t j = 0; j < WORKERS && cases[i].shared; j++) {
			const struct program_thread *thread = &program.threads[j];

			assert_close((double)step_run_ns(thread->steps),
				     24e6 / (double)(thread->count - 1), 1e-6);
			assert_close((double)step_pause_ns(thread->steps),
				     2 * (double)step_run_ns(thread->steps), 1e-6);
		}
		program_release(&program);
	}
}

/* It slept 200 times while three others worked, and ends behind them. */
static void a_thread_that_only_looks_now_and_then_shares_no_work(void **state)
{
	struct program program;
	uint32_t looks = WORKERS + 1;

	(void)state;
	make_workers(&program, 2, WALL_MS);
	program_add_thread(&program, WORKERS + 2, 1, "looks");
	program.threads[looks].forked = true;
	for (size_t i = 0; i < 200; i++)
		program_add_step(&program, looks, 0, STEP_SLEEP)->pause =
			step_pause(20 * MS, PROGRAM_NONE);
	program_add_step(&program, looks, MS, STEP_EXIT)->exit_ns = WALL_MS * MS;
	assert_true(even_work_presume(&program));
	for (size_t i = 0; i < WORKERS; i++)
		assert_int_equal(last_ms(&program, i), 1500);
	assert_int_equal(last_ms(&program, WORKERS), 1);
	assert_int_equal(step_pause_ns(program.threads[looks].steps), 20 * MS);
	program_release(&program);
}

static void what_is_left_as_recorded_shares_none(void **state)
{
	struct recognised recognised;
	struct program program;

	(void)state;
	make_workers(&program, 2, WALL_MS);
	recognise_within(&program, RECOGNISE_NOTHING, &recognised);
	assert_false(program.even_work);
	assert_int_equal(last_ms(&program, 2), 2500);
	program_release(&program);
}

/* On three cores each has one: .5 s, a wait of 1 ms, and then 1.5 s, or 2.5 s. */
static void each_may_have_had_work_of_its_own(void **state)
{
	const struct variation_request plain = {.discrepancy = 0};
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {3};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	make_workers(&program, 2, WALL_MS);
	assert_true(even_work_presume(&program));
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 2, 0, cores, 1, &err),
			 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &plain, &err), 0);
	assert_int_equal(replayed.alternatives, ALTERNATIVE_OWN_WORK);
	assert_close(forecast_points_find(&replayed, 3)->wall_s, 2.001, 1e-9);
	assert_close(forecast_points_find(&replayed, 3)->least_s, 2.001, 1e-9);
	assert_close(forecast_points_find(&replayed, 3)->most_s, 3.001, 1e-9);
	assert_true(program.even_work);
	even_work_undo(&program);
	for (size_t j = 0; j < WORKERS; j++)
		assert_int_equal(last_ms(&program, j), worked_ms[j]);
	forecast_points_release(&replayed);
	program_release(&program);
}

/* --- Between barriers ------------------------------------------------------------------------- */

enum { LOOPERS = 4, LOOPS = 40 };

/* The CPU time of thread `i` in that phase, in us. */
typedef uint64_t part_us(uint32_t i, uint32_t phase);

/* Even phases are of a loop that is divided beforehand; odd ones have those parts. */
static void make_loops(struct program *program, part_us *part)
{
	uint32_t barrier;

	*program = (struct program){.cores = 1};
	for (uint32_t i = 0; i < LOOPERS; i++)
		program_add_thread(program, (int32_t)i + 1, 1, "a");
	barrier = program_add_site(program, SITE_BARRIER);
	program->sites[barrier].parties = LOOPERS;
	for (uint32_t i = 0; i < LOOPERS; i++) {
		for (uint32_t phase = 0; phase < LOOPS; phase++) {
			uint64_t us = phase % 2 ? part(i, phase) : 2700 + 10 * i;

			program_add_step(program, i, us * 1000, STEP_BARRIER)->site = barrier;
		}
		program_add_step(program, i, 0, STEP_EXIT);
	}
}

/* The thread that has the core takes all iterations, unless its time slice ends meanwhile. */
static uint64_t taken_as_it_comes(uint32_t i, uint32_t phase)
{
	uint32_t first = phase * 7 / 3 % LOOPERS;
	uint64_t left = phase % 10 == 1 ? 1100 : 0;

	return 10 + (i == first ? 2800 - left : i == (first + 1) % LOOPERS ? left : 0);
}

/* The first of them there goes through a block of code. */
static uint64_t of_one_alone(uint32_t i, uint32_t phase)
{
	return 10 + (i == phase * 7 / 3 % LOOPERS ? 2800 : 0);
}

/* Each has work of its own, which varies. */
static uint64_t of_each(uint32_t i, uint32_t phase)
{
	return 100 + (i * 7919 + phase * 104729) % 1009 * 3;
}

/* The same thread always has twice as much. */
static uint64_t unequal(uint32_t i, uint32_t phase)
{
	return i == 2 ? 2000 + phase % 3 : 1000 + phase % 7;
}

static void a_loop_between_barriers_is_shared_if_its_parts_move(void **state)
{
	static const struct {
		part_us *part;
		uint64_t even;
	} cases[] = {{taken_as_it_comes, LOOPS / 2}, {of_one_alone, 0}, {of_each, 0}, {unequal, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;

		make_loops(&program, cases[i].part);
		assert_int_equal(even_work_between_barriers(&program), cases[i].even);
		for (uint32_t thread = 0; thread < LOOPERS; thread++)
			for (uint32_t phase = 0; phase < LOOPS; phase++) {
				uint64_t us = phase % 2 == 0  ? 2700 + 10 * thread
					      : cases[i].even ? (2800 + 10 * LOOPERS) / LOOPERS
							      : cases[i].part(thread, phase);

				assert_int_equal(step_run_ns(&program.threads[thread].steps[phase]),
						 us * 1000);
			}
		program_release(&program);
	}
}

/* A wait in a phase, a thread that never comes, and too few phases. */
static void phases_with_anything_but_work_are_left_alone(void **state)
{
	struct program program;
	struct step *step;

	(void)state;
	make_loops(&program, taken_as_it_comes);
	step = &program.threads[1].steps[20];
	*step = (struct step){.run_op = step_run_op(step_run_ns(step), STEP_SLEEP),
			      .pause = step_pause(1, PROGRAM_NONE)};
	assert_int_equal(even_work_between_barriers(&program), 0);
	program_release(&program);
	make_loops(&program, taken_as_it_comes);
	program.sites[0].parties = LOOPERS + 1;
	assert_int_equal(even_work_between_barriers(&program), 0);
	program_release(&program);
	make_loops(&program, taken_as_it_comes);
	for (uint32_t i = 0; i < LOOPERS; i++)
		program.threads[i].count = 15;
	assert_int_equal(even_work_between_barriers(&program), 0);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(more_threads_than_cores_that_end_together_share_their_work),
	cmocka_unit_test(threads_that_sleep_between_pieces_end_within_two_of_them),
	cmocka_unit_test(a_thread_that_only_looks_now_and_then_shares_no_work),
	cmocka_unit_test(what_is_left_as_recorded_shares_none),
	cmocka_unit_test(each_may_have_had_work_of_its_own),
	cmocka_unit_test(a_loop_between_barriers_is_shared_if_its_parts_move),
	cmocka_unit_test(phases_with_anything_but_work_are_left_alone),
};

TEST_FILE(tests);
