/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/err.h"
#include "random.h"
#include "replay/forecast/variation.h"
#include "replay/recognise/recognise.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { WORKERS = 3, WALL_MS = 4000 };

#define MS UINT64_C(1000000)

static const uint64_t worked_ms[WORKERS] = {1000, 1000, 2500};

/* They end at `first_end_ms` and later, after a wait for main that ends 500 ms of work. */
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

/* It slept 200 times while three other threads worked, and ends after them. */
static void a_thread_that_only_polls_shares_no_work(void **state)
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

static void work_left_as_recorded_is_not_shared(void **state)
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

enum { LOOPERS = 4, LOOPS = 60 };

/* CPU time between the arrivals of threads at a barrier, in us. */
struct loops {
	uint64_t us[LOOPERS][LOOPS];
};

static void make_loops(struct program *program, const struct loops *loops, uint32_t count)
{
	uint32_t barrier;

	*program = (struct program){.cores = 1};
	for (uint32_t i = 0; i < LOOPERS; i++)
		program_add_thread(program, (int32_t)i + 1, 1, "a");
	barrier = program_add_site(program, SITE_BARRIER);
	program->sites[barrier].parties = LOOPERS;
	for (uint32_t i = 0; i < LOOPERS; i++) {
		for (uint32_t phase = 0; phase < count; phase++) {
			struct step *step = program_add_step(program, i, loops->us[i][phase] * 1000,
							     STEP_BARRIER);

			step->site = barrier;
			step->count = 1;
		}
		program_add_step(program, i, 0, STEP_EXIT);
	}
}

/* The first thread of a phase is the one with the core, a random one. */
static uint32_t first_of(uint32_t phase)
{
	struct random random = {phase / 2 * 77 + 5};

	return (uint32_t)random_below(&random, LOOPERS);
}

/* It takes all iterations, unless its time slice ends meanwhile. */
static uint64_t taken_as_it_comes(uint32_t i, uint32_t phase)
{
	uint64_t left = phase % 10 == 1 ? 500 + 20 * phase : 0;

	return 10 + (i == first_of(phase)		    ? 2800 - left
		     : i == (first_of(phase) + 1) % LOOPERS ? left
							    : 0);
}

/* On two cores one thread always takes half, and another one the rest, until its time slice ends. */
static uint64_t by_two_at_a_time(uint32_t i, uint32_t phase)
{
	uint32_t other = 1 + first_of(phase) % (LOOPERS - 1);
	uint64_t left = phase % 10 == 1 ? 500 + 10 * phase : 0;

	return 10 + (i == 0 ? 1400 : i == other ? 1400 - left : i == other % 3 + 1 ? left : 0);
}

/* The first thread runs a block of code alone ... */
static uint64_t of_one_alone(uint32_t i, uint32_t phase)
{
	return 10 + (i == first_of(phase) ? 2800 : 0);
}

/* ... which sometimes takes twice as long, beside work of all threads. */
static uint64_t of_one_for_longer(uint32_t i, uint32_t phase)
{
	return 300 + (i == first_of(phase) ? phase % 10 == 1 ? 2000 : 1000 : 0);
}

/* A block of each of two threads, both by the same thread if its time slice suffices. */
static uint64_t of_two(uint32_t i, uint32_t phase)
{
	bool both = phase % 10 == 1;

	return 10 + (i == first_of(phase)			     ? both ? 2000 : 1000
		     : i == (first_of(phase) + 1) % LOOPERS && !both ? 1000
								     : 0);
}

/* Work moves slowly over data that is divided beforehand. */
static uint64_t of_a_front(uint32_t i, uint32_t phase)
{
	double at = (double)phase / LOOPS * LOOPERS, distance = at - i - .5;

	return (uint64_t)(200 + 2500 * fmax(0, 1 - fabs(distance)));
}

/* The same thread always has twice as much. */
static uint64_t unequal(uint32_t i, uint32_t phase)
{
	return i == 2 ? 2000 + phase % 3 : 1000 + phase % 7;
}

/* A loop that is divided beforehand. */
static uint64_t divided(uint32_t i, uint32_t phase)
{
	(void)phase;
	return 2700 + 100 * i;
}

/* Every second phase is of a loop that is divided beforehand. */
static void a_loop_between_barriers_is_shared_if_its_parts_move(void **state)
{
	static const struct {
		uint64_t (*part_us)(uint32_t i, uint32_t phase);
		uint64_t shared_us; /* 0: not shared */
	} cases[] = {{taken_as_it_comes, 710}, {by_two_at_a_time, 710}, {of_one_alone, 0},
		     {of_one_for_longer, 0},   {of_a_front, 0},		{unequal, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct loops loops;
		uint64_t even, found = 0;

		for (uint32_t thread = 0; thread < LOOPERS; thread++)
			for (uint32_t phase = 0; phase < LOOPS; phase++)
				loops.us[thread][phase] =
					(phase % 2 ? cases[i].part_us : divided)(thread, phase);
		make_loops(&program, &loops, LOOPS);
		even = even_work_between_barriers(&program);
		assert_true(cases[i].shared_us ? even >= LOOPS / 3 : !even);
		for (uint32_t phase = 0; phase < LOOPS; phase++) {
			const struct step *one = &program.threads[0].steps[phase];
			bool is_even = step_run_ns(one) == cases[i].shared_us * 1000;

			found += is_even;
			for (uint32_t thread = 0; thread < LOOPERS; thread++)
				assert_int_equal(
					step_run_ns(&program.threads[thread].steps[phase]),
					(is_even ? cases[i].shared_us : loops.us[thread][phase]) *
						1000);
		}
		assert_int_equal(found, even);
		program_release(&program);
	}
}

static void recorded_times_of_work_made_even_are_kept(void **state)
{
	struct program program;
	struct loops loops;
	uint64_t before_us[LOOPERS] = {0};
	size_t span = 0;

	(void)state;
	for (uint32_t thread = 0; thread < LOOPERS; thread++)
		for (uint32_t phase = 0; phase < LOOPS; phase++)
			loops.us[thread][phase] =
				(phase % 2 ? taken_as_it_comes : divided)(thread, phase);
	make_loops(&program, &loops, LOOPS);
	assert_true(even_work_between_barriers(&program) > 0);
	for (uint32_t thread = 0; thread < LOOPERS; thread++)
		for (uint32_t phase = 0; phase < LOOPS; phase++) {
			const struct step *step = &program.threads[thread].steps[phase];
			const struct even_span *own = &program.even_spans[span];
			uint64_t recorded_ns = loops.us[thread][phase] * 1000;

			if (step_run_ns(step) != recorded_ns) {
				assert_true(span++ < program.even_span_count);
				assert_true(step_ends_even_work(step));
				assert_int_equal(own->thread, thread);
				assert_int_equal(own->begin_ns, before_us[thread] * 1000);
				assert_int_equal(own->recorded_ns, recorded_ns);
				assert_int_equal(own->even_ns, step_run_ns(step));
			}
			before_us[thread] += loops.us[thread][phase];
		}
	assert_int_equal(span, program.even_span_count);
	program_release(&program);
}

static void no_part_is_less_than_the_least_piece(void **state)
{
	struct program program;
	struct loops loops;
	uint64_t even;

	(void)state;
	for (uint32_t thread = 0; thread < LOOPERS; thread++)
		for (uint32_t phase = 0; phase < LOOPS; phase++)
			loops.us[thread][phase] = (phase % 2 ? of_two : divided)(thread, phase);
	make_loops(&program, &loops, LOOPS);
	even = even_work_between_barriers(&program);
	assert_true(even > 0);
	for (uint32_t phase = 1; phase < LOOPS; phase += 2) {
		uint64_t most = 0;

		for (uint32_t thread = 0; thread < LOOPERS; thread++) {
			uint64_t ns = step_run_ns(&program.threads[thread].steps[phase]);

			most = ns > most ? ns : most;
		}
		assert_true(most >= 1000000);
	}
	program_release(&program);
}

/* More barriers than usual: the phases of either loop are odd ones first, and then even ones. */
static void a_divided_loop_is_left_alone_if_phases_shift(void **state)
{
	struct program program;
	struct loops loops;

	(void)state;
	for (uint32_t thread = 0; thread < LOOPERS; thread++)
		for (uint32_t phase = 0; phase < LOOPS; phase++)
			loops.us[thread][phase] =
				(phase % 2 != phase / (LOOPS / 2) ? taken_as_it_comes
								  : unequal)(thread, phase | 1);
	make_loops(&program, &loops, LOOPS);
	assert_true(even_work_between_barriers(&program) > 0);
	for (uint32_t phase = 0; phase < LOOPS; phase++)
		for (uint32_t thread = 0; thread < LOOPERS; thread++)
			if (phase % 2 == phase / (LOOPS / 2))
				assert_int_equal(step_run_ns(&program.threads[thread].steps[phase]),
						 loops.us[thread][phase] * 1000);
	program_release(&program);
}

/* Exponential parts: of 300 programs hardly any is recognised as one that shares its work. */
static void independent_parts_are_left_alone(void **state)
{
	enum { PROGRAMS = 300, MOST = 3 };
	struct random random = {1};
	size_t shared = 0;

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct program program;
		struct loops loops;

		for (uint32_t thread = 0; thread < LOOPERS; thread++)
			for (uint32_t phase = 0; phase < LOOPS; phase++)
				loops.us[thread][phase] =
					(uint64_t)(-1000 *
						   log(((double)random_below(&random, 1 << 20) +
							1) /
						       ((1 << 20) + 1)));
		make_loops(&program, &loops, LOOPS);
		shared += even_work_between_barriers(&program) > 0;
		program_release(&program);
	}
	assert_true(shared <= MOST);
}

/* The step before that arrival is a sleep, by one thread. */
static void sleep_before(struct program *program, uint32_t thread, uint32_t arrival)
{
	struct program_thread *own = &program->threads[thread];

	program_add_step(program, thread, 0, STEP_EXIT);
	memmove(&own->steps[arrival + 1], &own->steps[arrival],
		(own->count - 1 - arrival) * sizeof(*own->steps));
	own->steps[arrival] = (struct step){.run_op = step_run_op(0, STEP_SLEEP),
					    .pause = step_pause(1, PROGRAM_NONE)};
}

static void phases_that_are_not_plain_or_too_few_are_left_alone(void **state)
{
	static const struct {
		uint32_t count, parties;
		unsigned cores;
		bool sleeps, shared;
	} cases[] = {
		{LOOPS, LOOPERS, 1, false, true},  {LOOPS, LOOPERS, LOOPERS, false, false},
		{LOOPS, LOOPERS, 0, false, false}, {LOOPS, LOOPERS + 1, 1, false, false},
		{15, LOOPERS, 1, false, false},	   {LOOPS, LOOPERS, 1, true, true},
	};
	struct loops loops;

	(void)state;
	for (uint32_t thread = 0; thread < LOOPERS; thread++)
		for (uint32_t phase = 0; phase < LOOPS; phase++)
			loops.us[thread][phase] =
				(phase % 2 ? taken_as_it_comes : divided)(thread, phase);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint32_t shared = 21; /* a phase of the loop; a sleep comes before its end */
		struct program program;

		make_loops(&program, &loops, cases[i].count);
		program.cores = cases[i].cores;
		program.sites[0].parties = cases[i].parties;
		if (cases[i].sleeps)
			sleep_before(&program, 1, shared);
		assert_int_equal(even_work_between_barriers(&program) > 0, cases[i].shared);
		if (cases[i].shared)
			assert_int_equal(step_run_ns(&program.threads[0].steps[shared]) == 710000,
					 !cases[i].sleeps);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(more_threads_than_cores_that_end_together_share_their_work),
	cmocka_unit_test(threads_that_sleep_between_pieces_end_within_two_of_them),
	cmocka_unit_test(a_thread_that_only_polls_shares_no_work),
	cmocka_unit_test(work_left_as_recorded_is_not_shared),
	cmocka_unit_test(each_may_have_had_work_of_its_own),
	cmocka_unit_test(a_loop_between_barriers_is_shared_if_its_parts_move),
	cmocka_unit_test(recorded_times_of_work_made_even_are_kept),
	cmocka_unit_test(no_part_is_less_than_the_least_piece),
	cmocka_unit_test(a_divided_loop_is_left_alone_if_phases_shift),
	cmocka_unit_test(independent_parts_are_left_alone),
	cmocka_unit_test(phases_that_are_not_plain_or_too_few_are_left_alone),
};

TEST_FILE(tests);
