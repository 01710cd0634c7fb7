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
		assert_int_equal(even_work_make(&program, cases[i].cores), cases[i].shared);
		for (uint32_t j = 0; j < WORKERS && cases[i].shared; j++) {
			const struct program_thread *thread = &program.threads[j];

			assert_close((double)step_run_ns(thread->steps),
				     24e6 / (double)(thread->count - 1), 1e-6);
			assert_close((double)step_pause_ns(thread->steps),
				     2 * (double)step_run_ns(thread->steps), 1e-6);
		}
		even_work_undo(&program);
		for (uint32_t j = 0; j < WORKERS; j++) {
			assert_close((double)step_run_ns(program.threads[j].steps), 1e6, 1e-6);
			assert_close((double)step_pause_ns(program.threads[j].steps), 2e6, 1e-6);
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
	assert_true(even_work_make(&program, 2));
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
	assert_true(even_work_make(&program, 2));
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

/* The CPU time of a thread between two arrivals at a barrier, and that left at the first one, in us. */
struct piece {
	uint64_t us, left_us;
};

/* The first thread of a phase is the one with the core, a random one. */
static uint32_t first_of(uint32_t phase)
{
	struct random random = {phase / 2 * 77 + 5};

	return (uint32_t)random_below(&random, LOOPERS);
}

/* A thread takes all iterations, unless its time slice ends: then it has an iteration left. */
static struct piece taken_as_it_comes(uint32_t i, uint32_t phase)
{
	uint64_t others = phase % 10 == 1 ? 500 + 5 * phase : 0;

	if (i == first_of(phase))
		return (struct piece){2810 - others, others ? 50 : 0};
	return (struct piece){10 + (i == (first_of(phase) + 1) % LOOPERS ? others : 0), 10};
}

/* On two cores one thread always takes half, and another one the rest. */
static struct piece by_two_at_a_time(uint32_t i, uint32_t phase)
{
	uint32_t other = 1 + first_of(phase) % (LOOPERS - 1);

	return i == 0 || i == other ? (struct piece){1410, i ? 100 : 0} : (struct piece){10, 10};
}

/* One thread runs a block alone: the first to come, and the others before its end. */
static struct piece of_one_alone(uint32_t i, uint32_t phase)
{
	return i == first_of(phase) ? (struct piece){2810, 2810} : (struct piece){10, 10};
}

/* It runs the block to its end, before the others come. */
static struct piece of_one_at_first(uint32_t i, uint32_t phase)
{
	return i == first_of(phase) ? (struct piece){2810, 0} : (struct piece){10, 10};
}

/* A block of each of two threads, both by the same thread if its time slice suffices. */
static struct piece of_two(uint32_t i, uint32_t phase)
{
	bool both = phase % 10 != 1;

	if (i == first_of(phase))
		return (struct piece){both ? 2010 : 1010, 0};
	return (struct piece){i == (first_of(phase) + 1) % LOOPERS && !both ? 1010 : 10, 10};
}

/* Work is divided beforehand and moves slowly; a thread after the other has the core. */
static struct piece of_a_front(uint32_t i, uint32_t phase)
{
	double at = (double)phase / LOOPS * LOOPERS, distance = at - i - .5;
	uint64_t us = (uint64_t)(200 + 2500 * fmax(0, 1 - fabs(distance)));

	return (struct piece){us, i ? us : 0};
}

/* Threads take turns at the core: the one with more is left at last. */
static struct piece unequal(uint32_t i, uint32_t phase)
{
	return i == 2 ? (struct piece){2000 + phase % 3, 1000 + phase % 3}
		      : (struct piece){1000, 10};
}

/* The one with most comes to its end at first, and the others begin then. */
static struct piece unequal_one_by_one(uint32_t i, uint32_t phase)
{
	(void)phase;
	return i == 2 ? (struct piece){2000, 0} : (struct piece){300, 300 * (i < 2 ? i + 1 : i)};
}

/* A loop that is divided evenly beforehand. */
static struct piece divided(uint32_t i, uint32_t phase)
{
	(void)phase;
	return (struct piece){2700 + 10 * i, i ? 2700 : 0};
}

typedef struct piece piece_of(uint32_t i, uint32_t phase);

/* Every second phase is of another loop. */
struct loops {
	piece_of *own, *other;
	uint32_t shift; /* from this phase on the two are exchanged; 0: they are not */
};

static struct piece piece_at(const struct loops *loops, uint32_t i, uint32_t phase)
{
	bool own = (phase % 2) != (loops->shift && phase >= loops->shift);

	return (own ? loops->own : loops->other)(i, phase | 1);
}

static void make_loops(struct program *program, const struct loops *loops, uint32_t count)
{
	uint32_t barrier;

	*program = (struct program){.cores = loops->own == by_two_at_a_time ? 2 : 1};
	for (uint32_t i = 0; i < LOOPERS; i++)
		program_add_thread(program, (int32_t)i + 1, 1, "a");
	barrier = program_add_site(program, SITE_BARRIER);
	program->sites[barrier].parties = LOOPERS;
	for (uint32_t phase = 0; phase < count; phase++)
		for (uint32_t i = 0; i < LOOPERS; i++) {
			struct piece piece = piece_at(loops, i, phase);
			struct step *step =
				program_add_step(program, i, piece.us * 1000, STEP_BARRIER);

			step->site = barrier;
			step->count = (uint32_t)(20000 - piece.left_us);
		}
	for (uint32_t i = 0; i < LOOPERS; i++)
		program_add_step(program, i, 0, STEP_EXIT);
}

static uint64_t part_us(const struct program *program, uint32_t thread, uint32_t phase)
{
	return step_run_ns(&program->threads[thread].steps[phase]) / 1000;
}

/* Returns the number of phases made even, with `even_us` for each thread; others are as recorded. */
static uint64_t phases_even(const struct program *program, const struct loops *loops,
			    uint32_t count, uint64_t even_us)
{
	uint64_t even = 0;

	for (uint32_t phase = 0; phase < count; phase++) {
		bool is_even = !program->threads[0].steps[phase].count;

		even += is_even;
		for (uint32_t i = 0; i < LOOPERS; i++)
			assert_int_equal(part_us(program, i, phase),
					 is_even ? even_us : piece_at(loops, i, phase).us);
	}
	return even;
}

static void a_loop_is_shared_if_no_work_is_left_when_a_thread_ends(void **state)
{
	static const struct {
		piece_of *own;
		uint64_t even_us; /* 0: not shared */
	} cases[] = {{taken_as_it_comes, 710}, {by_two_at_a_time, 710},
		     {of_one_alone, 0},	       {of_one_at_first, 0},
		     {of_a_front, 0},	       {unequal, 0},
		     {unequal_one_by_one, 0},  {divided, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct loops loops = {cases[i].own, divided, 0};
		struct program program;
		bool even;

		make_loops(&program, &loops, LOOPS);
		even = even_work_make(&program, 1);
		assert_int_equal(even, cases[i].even_us > 0);
		assert_int_equal(program.even_work, even);
		if (even)
			assert_true(phases_even(&program, &loops, LOOPS, cases[i].even_us) >=
				    LOOPS / 3);
		even_work_undo(&program);
		assert_false(program.even_work);
		assert_int_equal(phases_even(&program, &loops, LOOPS, 0), 0);
		program_release(&program);
	}
}

static void a_single_shared_phase_is_enough(void **state)
{
	const struct loops loops = {by_two_at_a_time, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, 3);
	assert_true(even_work_make(&program, 1));
	assert_int_equal(phases_even(&program, &loops, 3, 710), 1);
	program_release(&program);
}

static void recorded_times_of_work_made_even_are_kept(void **state)
{
	const struct loops loops = {taken_as_it_comes, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, LOOPS);
	assert_true(even_work_make(&program, 1));
	for (uint32_t i = 0; i < LOOPERS; i++) {
		const struct program_thread *thread = &program.threads[i];
		uint64_t before_us = 0;
		size_t span = 0;

		for (uint32_t phase = 0; phase < LOOPS; phase++) {
			const struct even_span *own = &thread->even_spans[span];
			uint64_t recorded_us = piece_at(&loops, i, phase).us;

			if (step_ends_even_work(&thread->steps[phase])) {
				assert_true(span++ < thread->even_span_count);
				assert_int_equal(own->first, phase);
				assert_int_equal(own->end, phase + 1);
				assert_int_equal(own->begin_ns, before_us * 1000);
				assert_int_equal(own->recorded_ns, recorded_us * 1000);
				assert_int_equal(own->even_ns, 710000);
			}
			before_us += recorded_us;
		}
		assert_int_equal(span, thread->even_span_count);
	}
	program_release(&program);
}

static void no_part_is_less_than_the_least_piece(void **state)
{
	const struct loops loops = {of_two, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, LOOPS);
	assert_true(even_work_make(&program, 1));
	for (uint32_t phase = 1; phase < LOOPS; phase += 2) {
		uint64_t most = 0;

		for (uint32_t i = 0; i < LOOPERS; i++)
			most = part_us(&program, i, phase) > most ? part_us(&program, i, phase)
								  : most;
		assert_true(most >= 990);
	}
	program_release(&program);
}

/* More barriers than usual: the phases of either loop are odd ones first, and then even ones. */
static void loops_may_shift(void **state)
{
	static const struct loops loops[] = {{by_two_at_a_time, unequal, LOOPS / 2},
					     {by_two_at_a_time, of_one_alone, LOOPS / 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		struct program program;
		uint64_t even;

		make_loops(&program, &loops[i], LOOPS);
		assert_true(even_work_make(&program, 1));
		even = phases_even(&program, &loops[i], LOOPS, 710);
		assert_true(even >= LOOPS / 3 && even <= LOOPS / 2);
		program_release(&program);
	}
}

/* A fixed split of which the threads sometimes end together by chance. */
static struct piece seldom_together(uint32_t i, uint32_t phase)
{
	return phase % 10 == 1 ? by_two_at_a_time(i, phase) : unequal(i, phase);
}

static void a_loop_that_seldom_ends_together_is_left_alone(void **state)
{
	const struct loops loops = {seldom_together, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, LOOPS);
	assert_false(even_work_make(&program, 1));
	assert_int_equal(phases_even(&program, &loops, LOOPS, 0), 0);
	program_release(&program);
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

static void phases_that_are_not_plain_are_left_alone(void **state)
{
	static const struct {
		uint32_t parties;
		unsigned few;
		bool sleeps, shared;
	} cases[] = {{LOOPERS, 1, false, true},
		     {LOOPERS, LOOPERS, false, false},
		     {LOOPERS + 1, 1, false, false},
		     {LOOPERS, 1, true, true}};
	const struct loops loops = {by_two_at_a_time, divided, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint32_t phase = 21; /* a phase of the loop; a sleep comes before its end */
		struct program program;

		make_loops(&program, &loops, LOOPS);
		program.sites[0].parties = cases[i].parties;
		if (cases[i].sleeps)
			sleep_before(&program, 1, phase);
		assert_int_equal(even_work_make(&program, cases[i].few), cases[i].shared);
		if (cases[i].shared)
			assert_int_equal(part_us(&program, 0, phase) == 710, !cases[i].sleeps);
		program_release(&program);
	}
}

/* As a rule two threads take all pieces; at times all threads take about as many. */
static struct piece evenly_at_times(uint32_t i, uint32_t phase)
{
	if (phase % 20 != 9 && phase % 20 != 11)
		return by_two_at_a_time(i, phase);
	return (struct piece){i == phase / 2 % LOOPERS ? 713 : 709, 10};
}

static void parts_that_were_even_stay_so(void **state)
{
	const struct loops loops = {evenly_at_times, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, LOOPS);
	assert_true(even_work_make(&program, 1));
	for (uint32_t phase = 9; phase < LOOPS; phase += 20)
		for (uint32_t i = 0; i < LOOPERS; i++)
			assert_int_equal(part_us(&program, i, phase), evenly_at_times(i, phase).us);
	program_release(&program);
}

/* One thread always does most, and no wait shows which one was last. */
static void without_recorded_waits_nothing_is_shared(void **state)
{
	const struct loops loops = {unequal, divided, 0};
	struct program program;

	(void)state;
	make_loops(&program, &loops, LOOPS);
	for (uint32_t i = 0; i < LOOPERS; i++)
		for (uint32_t phase = 0; phase < LOOPS; phase++)
			program.threads[i].steps[phase].count = 1;
	assert_false(even_work_make(&program, 1));
	program_release(&program);
}

/* CPU times of months have more digits than a double. */
static void rounded_times_leave_nothing_behind(void **state)
{
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		struct program program = {.cores = 2, .wall_ns = STEP_RUN_MAX};

		for (uint32_t j = 0; j < WORKERS; j++) {
			program_add_thread(&program, (int32_t)j + 2, 1, "a");
			program.threads[j].forked = true;
			for (size_t k = 0; k < 2; k++)
				program_add_step(&program, j,
						 random_below(&random, STEP_RUN_MAX / 2),
						 STEP_NONE);
			program_add_step(&program, j, 0, STEP_EXIT)->exit_ns = STEP_RUN_MAX;
		}
		assert_true(even_work_make(&program, 2));
		for (uint32_t j = 0; j < WORKERS; j++)
			assert_true(step_run_ns(&program.threads[j].steps[2]) <= 64);
		program_release(&program);
	}
}

/* In a recording with times in us, a thread that mostly sleeps may have no CPU time. */
static void sleeps_become_no_work(void **state)
{
	struct program program = {.cores = 2, .wall_ns = WALL_MS * MS};

	(void)state;
	for (uint32_t j = 0; j < WORKERS; j++) {
		program_add_thread(&program, (int32_t)j + 2, 1, "a");
		program.threads[j].forked = true;
		for (uint32_t piece = 0; piece < 8 + j; piece++)
			program_add_step(&program, j, 0, STEP_SLEEP)->pause =
				step_pause(2 * MS, PROGRAM_NONE);
		program_add_step(&program, j, 0, STEP_EXIT)->exit_ns = WALL_MS * MS;
	}
	even_work_make(&program, 2);
	for (uint32_t j = 0; j < WORKERS; j++)
		assert_int_equal(step_run_ns(&program.threads[j].steps[8 + j]), 0);
	even_work_undo(&program);
	for (uint32_t j = 0; j < WORKERS; j++)
		assert_int_equal(step_pause_ns(program.threads[j].steps), 2 * MS);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(more_threads_than_cores_that_end_together_share_their_work),
	cmocka_unit_test(threads_that_sleep_between_pieces_end_within_two_of_them),
	cmocka_unit_test(a_thread_that_only_polls_shares_no_work),
	cmocka_unit_test(work_left_as_recorded_is_not_shared),
	cmocka_unit_test(each_may_have_had_work_of_its_own),
	cmocka_unit_test(a_loop_is_shared_if_no_work_is_left_when_a_thread_ends),
	cmocka_unit_test(a_single_shared_phase_is_enough),
	cmocka_unit_test(recorded_times_of_work_made_even_are_kept),
	cmocka_unit_test(no_part_is_less_than_the_least_piece),
	cmocka_unit_test(loops_may_shift),
	cmocka_unit_test(a_loop_that_seldom_ends_together_is_left_alone),
	cmocka_unit_test(phases_that_are_not_plain_are_left_alone),
	cmocka_unit_test(parts_that_were_even_stay_so),
	cmocka_unit_test(without_recorded_waits_nothing_is_shared),
	cmocka_unit_test(rounded_times_leave_nothing_behind),
	cmocka_unit_test(sleeps_become_no_work),
};

TEST_FILE(tests);
