/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/why.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/replays.h"
#include "support.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_why(struct why *why, struct program *program, const char *text,
		     const uint64_t *cores, size_t count)
{
	const struct machine machine = {.cores = 1};
	struct err err;

	steps_read(program, text);
	assert_int_equal(why_init(why,
				  &(struct why_request){.program = program,
							.machine = &machine,
							.cores = cores,
							.count = count},
				  &err),
			 0);
}

/* The values that a watcher gets. */
struct seen {
	uint64_t calls, done, size;
};

static void see(void *context, uint64_t done, uint64_t size)
{
	struct seen *seen = context;

	assert_in_range(done, seen->done, size);
	*seen = (struct seen){seen->calls + 1, done, size};
}

static const struct why_saving *saving_at(const struct why *why, size_t point, const char *name)
{
	for (size_t i = 0; i < why->tried; i++) {
		const struct why_saving *saving = &why->points[point].savings[i];

		if (!strcmp(why->program->sites[saving->site].name, name))
			return saving;
	}
	fail_msg("no site %s", name);
	return NULL;
}

/*
 * On two cores or more: b waits for the lock from 5 to 20, then each thread for 10 at a time; it is
 * held for 150 ms in all, from 5 ms on. Without it each of them takes 100 ms. Then there is a
 * sleep.
 */
static const char lock_and_sleep[] =
	"main: fork(a) fork(b) join(a@ends) join(b@ends) sleep(40ms@nap)\n"
	"a: 5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m) "
	"5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m)\n"
	"b: 5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m) "
	"5ms lock(m) 15ms unlock(m) 5ms lock(m) 15ms unlock(m)\n";

static void savings_are_those_found_on_paper(void **state)
{
	static const uint64_t cores[] = {4, 2, 4};
	static const struct {
		const char *name;
		uint64_t visits;
		double waited_s, saved_s;
	} cases[] = {{"m", 10, .095, .055}, {"nap", 1, .04, .04}};
	struct program program;
	struct why why;

	(void)state;
	find_why(&why, &program, lock_and_sleep, cores, 3);
	assert_int_equal(why.count, 2);
	assert_int_equal(why.points[1].cores, 4);
	assert_int_equal(why.tried, 2); /* no join */
	assert_int_equal(why.left_out, 0);
	assert_close(why.unlimited_s, .195, 1e-9);
	for (size_t i = 0; i < 2; i++) {
		assert_close(why.points[i].wall_s, .195, 1e-9);
		assert_close(why.points[i].free_s, .1, 1e-9);
		for (size_t j = 0; j < 2; j++) {
			const struct why_saving *saving = saving_at(&why, i, cases[j].name);

			assert_int_equal(saving->visits, cases[j].visits);
			assert_close(saving->waited_s, cases[j].waited_s, 1e-9);
			assert_close(why_saved_s(&why.points[i], saving), cases[j].saved_s, 1e-9);
		}
	}
	why_release(&why);
	program_release(&program);
}

static void the_largest_saving_comes_first(void **state)
{
	static const uint64_t cores[] = {2};
	struct program program;
	struct why why;

	(void)state;
	/* Waits beside work save no time, even long ones. */
	find_why(&why, &program,
		 "a: 100ms sleep(1ms@short)\nb: sleep(50ms@long)\nc: sleep(40ms@other)\n", cores,
		 1);
	assert_int_equal(why.tried, 3);
	assert_string_equal(program.sites[why.points[0].savings[0].site].name, "short");
	assert_close(why_saved_s(&why.points[0], &why.points[0].savings[0]), .001, 1e-6);
	assert_string_equal(program.sites[why.points[0].savings[1].site].name, "long");
	assert_true(why_saved_s(&why.points[0], &why.points[0].savings[1]) == 0);
	why_release(&why);
	program_release(&program);
}

static void only_the_longest_waits_are_tried(void **state)
{
	static const uint64_t cores[] = {1};
	char text[1000] = "a:";
	struct program program;
	struct why why;

	(void)state;
	for (int i = 1; i <= WHY_SITES + 3; i++) {
		char *step = xasprintf(" sleep(%dms@s%d)", i, i);

		strcat(text, step);
		free(step);
	}
	find_why(&why, &program, text, cores, 1);
	assert_int_equal(why.tried, WHY_SITES);
	assert_int_equal(why.left_out, 3);
	for (size_t i = 0; i < WHY_SITES; i++)
		assert_close(why.points[0].savings[i].waited_s, (double)(WHY_SITES + 3 - i) / 1e3,
			     1e-9);
	why_release(&why);
	program_release(&program);
}

static void savings_are_relative_to_the_given_costs_of_waits(void **state)
{
	const struct machine machine = {.cores = 1, .site_costs = (const double[]){.5, 1}};
	static const uint64_t cores[] = {1};
	struct program program;
	struct why why;
	struct err err;

	(void)state;
	steps_read(&program, "a: sleep(40ms@x) sleep(30ms@y)\n");
	assert_int_equal(why_init(&why,
				  &(struct why_request){.program = &program,
							.machine = &machine,
							.cores = cores,
							.count = 1},
				  &err),
			 0);
	assert_close(why.points[0].wall_s, .05, 1e-9);
	assert_close(why_saved_s(&why.points[0], saving_at(&why, 0, "x")), .02, 1e-9);
	assert_close(why_saved_s(&why.points[0], saving_at(&why, 0, "y")), .03, 1e-9);
	why_release(&why);
	program_release(&program);
}

static void a_program_without_waits_has_no_saving(void **state)
{
	static const uint64_t cores[] = {1, 2};
	struct program program;
	struct why why;

	(void)state;
	find_why(&why, &program, "a: 10ms lock(m) 10ms unlock(m)\nb: 30ms\n", cores, 2);
	assert_int_equal(why.tried, 0);
	assert_close(why.points[0].wall_s, .05, 1e-9);
	assert_close(why.points[0].free_s, .05, 1e-9);
	assert_close(why.unlimited_s, .03, 1e-9);
	why_release(&why);
	program_release(&program);
}

/*
 * Two threads that compute for years have few steps, but as many slices as a simulation may have:
 * 65536 and more; with 20 sites and 200 numbers of cores these are too many.
 */
static void too_many_slices_leave_the_largest_number_of_cores_only(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} cases[] = {
		{"a: 1ms sleep(1ms@nap)\nb: 1ms\n", 200},
		{"a: 1000000s sleep(1ms@nap)\nb: 1000000s\n", 1},
	};
	uint64_t cores[200];

	(void)state;
	for (size_t i = 0; i < 200; i++)
		cores[i] = i + 1;
	for (size_t i = 0; i < 2; i++) {
		struct program program;
		struct why why;

		find_why(&why, &program, cases[i].text, cores, 200);
		assert_int_equal(why.count, cases[i].count);
		assert_int_equal(why.points[why.count - 1].cores, 200);
		assert_int_equal(why.tried, 1);
		why_release(&why);
		program_release(&program);
	}
}

/* On one CPU no other thread takes replays, so the watcher sees each of them: 3 of the whole, 2
 * without. */
static void a_watcher_sees_the_progress_to_its_end(void **state)
{
	static const uint64_t cores[] = {2};
	const struct machine machine = {.cores = 1};
	struct seen seen = {0};
	const struct replays_watch watch = {see, &seen};
	struct program program;
	cpu_set_t before, one;
	struct err err;
	struct why why;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	steps_read(&program,
		   "a: lock(m) 10ms unlock(m) sleep(5ms@nap)\nb: lock(m) 10ms unlock(m)\n");
	assert_int_equal(why_init(&why,
				  &(struct why_request){.program = &program,
							.machine = &machine,
							.cores = cores,
							.count = 1,
							.watch = &watch},
				  &err),
			 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(why.tried, 2);
	assert_int_equal(seen.calls, 5);
	assert_int_equal(seen.done, seen.size);
	assert_int_equal(seen.size, 5);
	why_release(&why);
	program_release(&program);
}

/*
 * Workers wait at x and y, and at these and z for a lock; the other thread waits at z and for that
 * lock: 4 + 8 ms of sleep of 20 ms are the workers'.
 */
static void sites_of_threads_with_one_name_are_one_site(void **state)
{
	static const uint64_t cores[] = {4};
	const struct machine machine = {.cores = 1};
	struct program program;
	struct why why;
	struct err err;

	(void)state;
	steps_read(&program, "a: sleep(4ms@x) lock(m) 1ms unlock(m) sleep(16ms@x)\n"
			     "b: sleep(8ms@y) lock(m) 1ms unlock(m)\n"
			     "c: sleep(10ms@z) lock(m) 1ms unlock(m)\n");
	thread_name_take(&program.threads[0].name, (char[COMM_SIZE]){"a-1"});
	thread_name_take(&program.threads[1].name, (char[COMM_SIZE]){"a-2"});
	for (enum why_by by = WHY_BY_NAME; by <= WHY_BY_PROCESS; by++) {
		const struct why_saving *first;

		for (int i = 0; i < 3; i++)
			program.threads[i].pid = by == WHY_BY_NAME ? 7 : i < 2 ? 5 : 6;
		assert_int_equal(why_init(&why,
					  &(struct why_request){.program = &program,
								.machine = &machine,
								.cores = cores,
								.count = 1,
								.by = by},
					  &err),
				 0);
		assert_int_equal(why.tried, 2); /* no thread waits for the lock */
		first = &why.points[0].savings[0];
		assert_string_equal(program.sites[first->site].name, "x");
		assert_int_equal(first->sites, 2);
		assert_int_equal(first->visits, 3);
		assert_int_equal(first->pid, by == WHY_BY_NAME ? 7 : 5);
		assert_string_equal(first->name ? first->name : "none",
				    by == WHY_BY_NAME ? "a-*" : "none");
		assert_close(first->waited_s, .028, 1e-9);
		assert_close(why.points[0].wall_s, .021, 1e-9);
		assert_close(first->wall_s, .011, 1e-9);
		assert_int_equal(why.points[0].savings[1].sites, 1);
		why_release(&why);
	}
	program_release(&program);
}

/*
 * The slow one of two stages takes 10 ms for each of three items, after the 5 ms of the first one:
 * with half of its work they take 5 ms each. On one core half of any work is saved.
 */
static void work_on_the_path_is_in_one_list_with_the_waits(void **state)
{
	static const uint64_t cores[] = {1, 3};
	const struct samples samples = {0};
	const struct chains chains = {0};
	const struct machine machine = {.cores = 1};
	const struct why_saving *first;
	struct program program;
	struct work *work;
	struct why why;
	struct err err;

	(void)state;
	steps_read(&program, "a: 5ms give(q) 5ms give(q) 5ms give(q)\n"
			     "b: take(q) 10ms take(q) 10ms take(q) 10ms sleep(1ms@nap)\n"
			     "c: 1ms sleep(1ms@rest)\n");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(why_init(&why,
				  &(struct why_request){.program = &program,
							.machine = &machine,
							.cores = cores,
							.count = 2,
							.work = work},
				  &err),
			 0);
	assert_int_equal(why.work_count, 2);
	first = &why.points[1].savings[0];
	assert_string_equal(first->work, "thread:b");
	assert_string_equal(first->name, "b");
	assert_int_equal(first->site, PROGRAM_NONE);
	assert_close(why.points[1].wall_s, .036, 1e-9);
	assert_close(first->path_s, .03, 1e-6);
	assert_close(first->share, .5, 1e-12);
	assert_close(first->wall_s, .021, 1e-9);
	assert_close(why.points[0].savings[0].wall_s, .032, .05);
	assert_string_equal(program.sites[why.points[1].savings[1].site].name, "q");
	assert_close(why_saved_s(&why.points[1], &why.points[1].savings[1]), .005, 1e-9);
	/* A third of its 15 ms is on the path, as if three cores shared them. */
	assert_string_equal(why.points[1].savings[3].work, "thread:a");
	assert_true(why.points[1].savings[3].even && !first->even);
	assert_close(why_saved_s(&why.points[1], &why.points[1].savings[3]), .0025, 1e-9);
	/* Waits that save nothing come behind it. */
	assert_string_equal(program.sites[why.points[1].savings[4].site].name, "rest");
	assert_close(why_saved_s(&why.points[1], &why.points[1].savings[4]), 0, 1e-9);
	assert_close(first->work_s, .03, 1e-9);
	assert_string_equal(program.sites[why_wait(&why, &why.points[1], 1)->site].name, "nap");
	assert_null(why_wait(&why, &why.points[1], 9));
	why_release(&why);
	work_free(work);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(work_on_the_path_is_in_one_list_with_the_waits),
	cmocka_unit_test(savings_are_those_found_on_paper),
	cmocka_unit_test(the_largest_saving_comes_first),
	cmocka_unit_test(only_the_longest_waits_are_tried),
	cmocka_unit_test(savings_are_relative_to_the_given_costs_of_waits),
	cmocka_unit_test(a_program_without_waits_has_no_saving),
	cmocka_unit_test(too_many_slices_leave_the_largest_number_of_cores_only),
	cmocka_unit_test(sites_of_threads_with_one_name_are_one_site),
	cmocka_unit_test(a_watcher_sees_the_progress_to_its_end),
};

TEST_FILE(tests);
