/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases in which one thread always wakes all other ones, and in which all do. Barriers with a
 * changing last thread and joins: recognise_test.c.
 */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "draw/steps.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

/* Rounds of a leader and the threads it wakes, which do `own` before they wait for it. */
struct led {
	const char *what;
	int rounds, others;
	const char *between; /* the steps of the leader in a round */
	const char *own;
	int barriers;
	const char *slow; /* before the second wakeup of each fifth round; 1us before all others */
};

static void write_program(FILE *text, const struct led *led)
{
	fprintf(text, "leader:");
	for (int round = 0; round < led->rounds; round++) {
		fprintf(text, " %s", led->between);
		for (int i = 0; i < led->others; i++)
			fprintf(text, " %s wake(t%d,%d)",
				i == 1 && round % 5 == 0 ? led->slow : "1us", i,
				round * led->others + i);
	}
	for (int i = 0; i < led->others; i++) {
		fprintf(text, "\nt%d:", i);
		for (int round = 0; round < led->rounds; round++)
			fprintf(text, " %s block(%d)", led->own, round * led->others + i);
	}
	fprintf(text, "\nstranger: block()\n");
}

static void read_led(struct program *program, const struct led *led)
{
	size_t length;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);

	assert_non_null(file);
	write_program(file, led);
	fclose(file);
	steps_read(program, text);
	free(text);
}

static void
a_thread_that_wakes_all_others_and_never_waits_is_presumed_last_at_a_barrier(void **state)
{
	static const struct led cases[] = {
		{"the leader computes", 6, 3, "2ms", "1ms", 1, "1us"},
		{"the leader wakes many threads", 6, 20, "2ms", "1ms", 1, "1us"},
		{"the leader wakes a stranger, too", 6, 3, "1ms wake(stranger,1000) 1ms", "1ms", 1,
		 "1us"},
		{"too seldom", 5, 3, "2ms", "1ms", 0, "1us"},
		{"the slowest stage of a pipeline", 60, 2, "2ms", "1ms", 0, "1us"},
		{"the leader sleeps: a timer", 6, 3, "sleep(2ms)", "1ms", 0, "1us"},
		{"the leader reads its work from a device", 6, 3, "1ms device(1ms)", "1ms", 0,
		 "1us"},
		{"the leader waits for a thread", 6, 3, "1ms block(1001)", "1ms", 0, "1us"},
		{"the leader gives them work, one after the other", 6, 3, "", "1ms", 0, "1us"},
		{"they sleep, too", 6, 3, "2ms", "sleep(1ms)", 1, "1us"},
		{"an interrupt comes between wakeups", 6, 3, "2ms", "1ms", 1, "60us"},
		{"the leader computes between wakeups", 6, 3, "2ms", "1ms", 0, "200us"},
		{"they wait for another thread as often", 6, 3, "2ms", "1ms block(1002)", 0, "1us"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct led *led = &cases[i];
		struct recognised recognised;
		struct program program;

		read_led(&program, led);
		recognise(&program, &recognised);
		if (recognised.barriers != (size_t)led->barriers ||
		    recognised.presumed != (uint64_t)(led->barriers * led->rounds * led->others))
			fail_msg("%s: %zu barriers, %ju waits presumed", led->what,
				 recognised.barriers, (uintmax_t)recognised.presumed);
		program_release(&program);
	}
}

/* The last thread, the leader, has not waited; of the last wait of t2 nothing is known. */
static void barriers_keep_the_work_during_their_waits(void **state)
{
	const struct led led = {"the leader computes", 6, 3, "2ms", "1ms", 1, "1us"};
	struct recognised recognised;
	struct program program;

	(void)state;
	read_led(&program, &led);
	program.work_us = xcalloc(program.edge_count, sizeof(*program.work_us));
	program.work_count = program.edge_count - 1;
	for (uint32_t i = 0; i < program.edge_count; i++)
		program.work_us[i] = 2000;
	recognise(&program, &recognised);
	assert_int_equal(recognised.barriers, 1);
	for (size_t i = 0; i < program.thread_count; i++)
		for (size_t j = 0, came = 0; j < program.threads[i].count; j++) {
			const struct step *step = &program.threads[i].steps[j];
			bool unknown;

			if (step_op(step) != STEP_BARRIER)
				continue;
			came++;
			unknown = i == 0 || (i == 3 && came == (size_t)led.rounds);
			assert_int_equal(step->count, unknown ? 1 : 2000);
		}
	program_release(&program);
}

static void a_thread_with_followed_progress_is_last_at_no_barrier(void **state)
{
	const struct led led = {"the leader computes", 6, 3, "2ms", "1ms", 1, "1us"};
	struct recognised recognised;
	struct program program;

	(void)state;
	read_led(&program, &led);
	program_add_site(&program, SITE_UNKNOWN);
	program.sites[0].followed = true;
	for (size_t i = 1; i < program.thread_count; i++)
		for (size_t j = 0; j < program.threads[i].count; j++)
			if (step_op(&program.threads[i].steps[j]) == STEP_BLOCK)
				program.threads[i].steps[j].site = 0;
	recognise(&program, &recognised);
	assert_int_equal(recognised.barriers, 0);
	program_release(&program);
}

/*
 * Each of four threads is last twice, and the second time has only to wake the other ones again: on
 * one core they have arrived before it.
 */
static void a_thread_that_wakes_all_others_twice_was_last_at_two_barriers(void **state)
{
	enum { THREADS = 4, GENERATIONS = 8 };
	struct recognised recognised;
	struct program program;
	size_t length;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);

	(void)state;
	assert_non_null(file);
	for (int thread = 0; thread < THREADS; thread++) {
		fprintf(file, "t%d:", thread);
		for (int generation = 0; generation < GENERATIONS; generation++) {
			int last = generation / 2 % THREADS;

			if (generation % 2 == 0)
				fprintf(file, " 1ms");
			if (thread != last)
				fprintf(file, " block(%d)", generation * THREADS + thread);
			for (int i = 0; thread == last && i < THREADS; i++)
				if (i != thread)
					fprintf(file, " 1us wake(t%d,%d)", i,
						generation * THREADS + i);
		}
		fputc('\n', file);
	}
	fclose(file);
	steps_read(&program, text);
	recognise(&program, &recognised);
	assert_int_equal(recognised.barriers, 1);
	assert_int_equal(recognised.left, 0);
	assert_int_equal(recognised.presumed, 0);
	program_release(&program);
	free(text);
}

static void three_that_wake_each_other_in_turns_compete(void **state)
{
	static const struct {
		const char *text;
		uint64_t count;
	} cases[] = {
		{"a: 1ms", 0},
		/* Two threads may as well exchange messages. */
		{"a: 1ms wake(b,0) block(1) 1ms\n b: block(0) 1ms wake(a,1) 1ms", 0},
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(2) 1ms block(4) 1ms\n"
		 "b: block(0) 1ms wake(a,2) 1ms wake(c,3) block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 6},
		/* b never wakes a, which may be chance, ... */
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(4) 1ms\n"
		 "b: block(0) 1ms wake(c,3) block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 4},
		/* ... nor does c. */
		{"a: 1ms wake(b,0) 1ms wake(c,1) 1ms\n b: block(0) 1ms wake(c,3) block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(b,5) 1ms",
		 0},
		/* Of four threads and main, one with work for two of them wakes both. */
		{"m: 1ms\n a: 1ms wake(b,0) wake(c,1) 1ms block(2) 1ms block(4) 1ms\n"
		 "b: block(0) 1ms wake(a,2) 5us wake(c,3) 1ms block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) wake(b,5) 1ms\n d: 1ms",
		 6},
		/* In a circle. */
		{"a: 1ms wake(b,0) block(2) 1ms\n b: block(0) 1ms wake(c,1) 1ms\n"
		 "c: block(1) 1ms wake(a,2) 1ms",
		 0},
		/* Neighbours of a pipeline, a to b to c. */
		{"a: 1ms wake(b,0) block(1) 1ms\n"
		 "b: block(0) 1ms wake(a,1) 1ms wake(c,2) block(3) 1ms\n"
		 "c: block(2) 1ms wake(b,3) 1ms",
		 0},
		/* The last thread wakes both other ones. */
		{"a: 1ms wake(b,0) wake(c,1) 1ms block(2) 1ms block(4) 1ms\n"
		 "b: block(0) 1ms wake(a,2) 5us wake(c,3) 1ms block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) wake(b,5) 1ms",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;

		steps_read(&program, cases[i].text);
		assert_int_equal(recognise_drop_lock_suspicions(&program), cases[i].count);
		assert_int_equal(recognise_drop_lock_suspicions(&program), 0);
		program_release(&program);
	}
}

static void signals_of_a_condition_do_not_hand_over_a_lock(void **state)
{
	static const struct {
		uint64_t address;
		enum site_kind kind;
		uint64_t count;
	} cases[] = {
		{0, SITE_UNKNOWN, 6}, /* x is unknown */
		{0x1000, SITE_UNKNOWN, 0},
		{0x1000, SITE_FUTEX, 6}, /* which may be a lock's */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;

		steps_read(&program,
			   "a: 1ms wake(b,0) 1ms wake(c,1) block(2@x) 1ms block(4@x) 1ms\n"
			   "b: block(0@x) 1ms wake(a,2) 1ms wake(c,3) block(5@x) 1ms\n"
			   "c: block(1@x) 1ms block(3@x) 1ms wake(a,4) 1ms wake(b,5) 1ms");
		program.sites[0].address = cases[i].address;
		program.sites[0].kind = cases[i].kind;
		assert_int_equal(recognise_drop_lock_suspicions(&program), cases[i].count);
		program_release(&program);
	}
}

/* Its two words show a condition; only the wakes of its threads are known. */
static void a_condition_hands_over_a_lock_if_threads_that_wait_there_wake_others(void **state)
{
	static const struct {
		const char *text;
		bool twins;
		uint64_t count;
	} cases[] = {
		/* Each waits at a condition of its own. */
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(2@x) 1ms block(4@x) 1ms\n"
		 "b: block(0@y) 1ms wake(a,2) 1ms wake(c,3) block(5@y) 1ms\n"
		 "c: block(1@z) 1ms block(3@z) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 true, 0},
		/* The same at words of unknown objects. */
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(2@x) 1ms block(4@x) 1ms\n"
		 "b: block(0@y) 1ms wake(a,2) 1ms wake(c,3) block(5@y) 1ms\n"
		 "c: block(1@z) 1ms block(3@z) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 false, 6},
		/* All wait at one condition, as at a lock that is made of it. */
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(2@x) 1ms block(4@x) 1ms\n"
		 "b: block(0@x) 1ms wake(a,2) 1ms wake(c,3) block(5@x) 1ms\n"
		 "c: block(1@x) 1ms block(3@x) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 true, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		uint32_t words;

		steps_read(&program, cases[i].text);
		words = (uint32_t)program.site_count;
		for (uint32_t word = 0; word < words; word++) {
			uint32_t twin = program_add_site(&program, SITE_FUTEX);

			program.sites[word].kind = SITE_FUTEX;
			program.sites[word].address = 16 * (uint64_t)(word + 1);
			program.sites[word].twin = cases[i].twins ? twin + 1 : 0;
			program.sites[twin].twin = cases[i].twins ? word + 1 : 0;
		}
		assert_int_equal(recognise_drop_lock_suspicions(&program), cases[i].count);
		program_release(&program);
	}
}

/* Each join once looked at all threads that were created and not joined yet. */
static void very_many_threads_are_joined_one_after_the_other(void **state)
{
	enum { MANY = 200000 };
	struct program program = {.edge_count = MANY};
	struct recognised found;

	(void)state;
	program_add_thread(&program, 1, 1, "m");
	for (uint32_t i = 1; i <= MANY; i++) {
		program_add_thread(&program, (int32_t)i + 1, 1, "w");
		program.threads[i].forked = true;
		program_add_step(&program, 0, 1, STEP_FORK)->thread = i;
	}
	for (uint32_t i = 1; i <= MANY; i++) {
		struct step *wake = program_add_step(&program, i, 1000, STEP_WAKE);

		wake->thread = 0;
		wake->edge = i - 1;
		program_add_step(&program, i, 1, STEP_EXIT)->exit_ns = 1000 * (uint64_t)i;
		program_add_step(&program, 0, 1, STEP_BLOCK)->edge = i - 1;
	}
	program_add_step(&program, 0, 1, STEP_EXIT)->exit_ns = 1000 * (MANY + 1);
	recognise(&program, &found);
	assert_int_equal(found.waits, MANY);
	assert_int_equal(found.joins, 1);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(very_many_threads_are_joined_one_after_the_other),
	cmocka_unit_test(
		a_thread_that_wakes_all_others_and_never_waits_is_presumed_last_at_a_barrier),
	cmocka_unit_test(a_thread_that_wakes_all_others_twice_was_last_at_two_barriers),
	cmocka_unit_test(barriers_keep_the_work_during_their_waits),
	cmocka_unit_test(a_thread_with_followed_progress_is_last_at_no_barrier),
	cmocka_unit_test(three_that_wake_each_other_in_turns_compete),
	cmocka_unit_test(signals_of_a_condition_do_not_hand_over_a_lock),
	cmocka_unit_test(a_condition_hands_over_a_lock_if_threads_that_wait_there_wake_others),
};

TEST_FILE(tests);
