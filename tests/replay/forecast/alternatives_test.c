/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/alternatives.h"

#include "base/err.h"
#include "stats/profile/levels.h"
#include "support.h"

/*
 * Three tokens: the first thread takes one that is a second of work, and the second thread two, of
 * half a second each but the last, of three. Recorded on one core.
 */
static void make_pool(struct program *program, bool pooled)
{
	static const struct {
		uint32_t thread, token;
		uint64_t after_ns;
	} takes[] = {{0, 0, 1000000000}, {1, 1, 500000000}, {1, 2, 3000000000}};

	program_init(program);
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

static void where_nothing_is_pooled_there_is_one_answer(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct replayed replayed;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, false);
	assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 1, &err), 0);
	assert_int_equal(alternatives_add_pools(&replayed, &program, &machine, &err), 0);
	assert_int_equal(replayed.alternatives, 0);
	for (size_t i = 0; i < replayed.count; i++) {
		assert_close(replayed.points[i].least_s, replayed.points[i].wall_s, 1e-12);
		assert_close(replayed.points[i].most_s, replayed.points[i].wall_s, 1e-12);
	}
	replayed_release(&replayed);
	program_release(&program);
}

/* As it was, the second thread has 3.5 s to do. */
static void what_a_pool_gives_may_also_be_done_by_who_did_it(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct replayed replayed;
	struct replayed_point *point;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, true);
	assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 1, &err), 0);
	point = &replayed.points[1];
	point->least_s = point->most_s = point->wall_s = 3.2;
	assert_int_equal(alternatives_add_pools(&replayed, &program, &machine, &err), 0);
	assert_int_equal(replayed.alternatives, REPLAYED_WITHOUT_POOLS);
	assert_true(program.sites[0].pooled);
	assert_close(point->least_s, 3.2, 1e-12);
	assert_close(point->most_s, 3.5, 1e-9);
	assert_close(point->wall_s, 3.2, 1e-12);
	replayed_release(&replayed);
	program_release(&program);
}

/* Two threads that end at such times; each waits in between. */
static void make_workers(struct program *program, uint64_t end_ns)
{
	program_init(program);
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
static void work_may_have_moved_where_threads_end_together(void **state)
{
	static const struct {
		uint64_t end_ns;
		unsigned alternatives;
		double least_s;
	} cases[] = {{4000000000, REPLAYED_EVEN_WORK, 3},
		     {3800000000, REPLAYED_EVEN_WORK, 3},
		     {3799999999, 0, 3.5},
		     {0, 0, 3.5}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		const uint64_t cores[] = {2};
		struct replayed replayed;
		struct program program;
		struct err err;

		make_workers(&program, cases[i].end_ns);
		assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 1, &err),
				 0);
		assert_int_equal(alternatives_add_even_work(&replayed, &program, &machine, &err),
				 0);
		assert_int_equal(replayed.alternatives, cases[i].alternatives);
		assert_close(replayed.points[1].wall_s, 3.5, 1e-9);
		assert_close(replayed.points[1].least_s, cases[i].least_s, 1e-9);
		assert_close(replayed.points[1].most_s, 3.5, 1e-9);
		replayed_release(&replayed);
		program_release(&program);
	}
}

/* 4.5 s of which two threads are active for 3 s: 1.5 + 3 / 2 on two cores. */
static void the_closed_form_is_an_answer_too(void **state)
{
	uint64_t wall_ns[] = {0, 1500000000, 3000000000};
	const struct level_times levels = {
		.wall_ns = wall_ns, .max_active = 2, .total_ns = 4500000000};
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct replayed replayed;
	struct program program;
	struct err err;

	(void)state;
	make_pool(&program, false);
	assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 1, &err), 0);
	alternatives_add_closed_form(&replayed, &levels);
	assert_int_equal(replayed.alternatives, REPLAYED_CLOSED_FORM);
	assert_close(replayed.points[0].least_s, replayed.points[0].most_s, 1e-9);
	assert_close(replayed.points[1].least_s, 3, 1e-9);
	assert_close(replayed.points[1].most_s, 3.5, 1e-9);
	replayed_release(&replayed);
	program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_nothing_is_pooled_there_is_one_answer),
		cmocka_unit_test(work_may_have_moved_where_threads_end_together),
		cmocka_unit_test(what_a_pool_gives_may_also_be_done_by_who_did_it),
		cmocka_unit_test(the_closed_form_is_an_answer_too),
	};

	return RUN_TESTS(tests);
}
