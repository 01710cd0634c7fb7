/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/why.h"

#include "base/err.h"
#include "decode/event/samples.h"
#include "draw/random_program.h"
#include "draw/steps.h"
#include "replay/recognise/recognise.h"
#include "replay/simulate/simulation.h"
#include "stats/own_code.h"
#include "stats/spin/symbol_finder.h"
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Chains of the test's own functions, and an unknown one. */
enum { MIDDLE = 1, OUTER, MIDDLE_TOO, NOWHERE, CHAIN_COUNT = NOWHERE };

struct fixture {
	struct samples samples;
	struct chains chains;
	struct chain_names *names;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	const struct own_returns r = own_code_returns();
	const uint64_t frames[CHAIN_COUNT][2] = {{r.innermost, r.middle},
						 {own_code_libc(), r.middle},
						 {r.innermost - 1, r.middle},
						 {0x1234, 0x5678}};

	fixture = (struct fixture){0};
	own_code_map(&fixture.samples);
	for (size_t i = 0; i < CHAIN_COUNT; i++)
		chains_add(&fixture.chains, OWN_PID, 1, frames[i], 2);
	fixture.names = chain_names_new(&fixture.chains, &fixture.samples);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	chain_names_free(fixture->names);
	chains_release(&fixture->chains);
	samples_release(&fixture->samples);
	return 0;
}

/* MIDDLE's own frame is the innermost; that of OUTER is missing. */
#define IN_MIDDLE "own_middle < own_outer"

static const char *name_at(const struct program *program, uint32_t thread, size_t step)
{
	uint32_t site = step_site(&program->threads[thread].steps[step]);

	return site < program->site_count ? program->sites[site].name : "nowhere";
}

static void waits_for_threads_in_the_same_calls_are_one_site(void **state)
{
	const struct fixture *fixture = *state;
	static const uint32_t of_edge[] = {MIDDLE, MIDDLE_TOO, NOWHERE, 0};
	struct recognised recognised;
	struct program program;

	steps_read(&program, "a: wake(b,0) wake(c,1) wake(b,2) wake(c,3) 1ms\n"
			     "b: block(0) 1ms block(2) 1ms\n c: block(1) 1ms block(3) 1ms");
	for (uint32_t i = 0; i < 4; i++)
		wait_chains_note_edge(&program.chains, i, of_edge[i]);
	recognise(&program, &recognised);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(name_at(&program, 1, 0), IN_MIDDLE);
	assert_int_equal(step_site(&program.threads[1].steps[0]),
			 step_site(&program.threads[2].steps[0]));
	assert_int_equal(program.sites[step_site(&program.threads[1].steps[0])].kind, SITE_THREADS);
	assert_string_equal(name_at(&program, 1, 1), "a/1 <-> b/2");
	assert_string_equal(name_at(&program, 2, 1), "a/1 <-> c/3");
	program_release(&program);
}

/* The site of a pause with that call chain; chain 0 has no frames. */
static uint32_t add_pause_site(struct program *program, uint32_t chain)
{
	uint32_t site = chain ? program_add_site(program, SITE_UNKNOWN) : (uint32_t)PROGRAM_NONE;

	if (chain)
		program->sites[site].chain = chain;
	return site;
}

static void pauses_are_distinguished_by_their_calls(void **state)
{
	const struct fixture *fixture = *state;
	static const uint32_t chains[] = {MIDDLE, OUTER, MIDDLE_TOO, NOWHERE, 0};
	static const char *const want[] = {"sleep in " IN_MIDDLE, "sleep in " IN_MIDDLE,
					   "sleep in " IN_MIDDLE, "sleep", "sleep"};
	struct recognised recognised;
	struct program program;

	steps_read(&program,
		   "a: sleep(1ms) sleep(2ms) sleep(3ms) sleep(4ms) sleep(5ms) device(6ms)");
	for (size_t i = 0; i < 6; i++) {
		struct step *step = &program.threads[0].steps[i];
		uint32_t chain = i < 5 ? chains[i] : MIDDLE;
		uint32_t site = add_pause_site(&program, chain);

		step->pause = step_pause(step_pause_ns(step), site);
	}
	recognise(&program, &recognised);
	wait_names_apply(&program, fixture->names);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(name_at(&program, 0, i), want[i]);
	assert_string_equal(name_at(&program, 0, 5), "device I/O in " IN_MIDDLE);
	assert_int_equal(step_site(&program.threads[0].steps[3]),
			 step_site(&program.threads[0].steps[4]));
	assert_int_equal(step_pause_ns(&program.threads[0].steps[2]), 3000000);
	program_release(&program);
}

static void polls_are_distinguished_from_sleeps_in_the_same_calls(void **state)
{
	const struct fixture *fixture = *state;
	struct recognised recognised;
	struct program program;

	steps_read(&program, "a: sleep(1ms) sleep(2ms)");
	for (size_t i = 0; i < 2; i++)
		program.threads[0].steps[i].pause =
			step_pause(1000000, add_pause_site(&program, MIDDLE));
	program.threads[0].steps[1].run_op = step_run_op(0, STEP_POLL);
	recognise(&program, &recognised);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(name_at(&program, 0, 0), "sleep in " IN_MIDDLE);
	assert_string_equal(name_at(&program, 0, 1), "timed wait in " IN_MIDDLE);
	program_release(&program);
}

static void an_object_is_named_by_the_place_of_most_waits(void **state)
{
	const struct fixture *fixture = *state;
	struct recognised recognised;
	struct program program;

	steps_read(&program, "a: lock(m) 1ms unlock(m) lock(n) 1ms unlock(n) lock(o) unlock(o)");
	recognise(&program, &recognised);
	wait_chains_note_site(&program.chains, 0, MIDDLE);
	wait_chains_note_site(&program.chains, 0, NOWHERE);
	wait_chains_note_site(&program.chains, 0, MIDDLE_TOO);
	wait_chains_note_site(&program.chains, 1, NOWHERE);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(program.sites[0].name, "m in " IN_MIDDLE);
	assert_string_equal(chain_names_get(fixture->names, program.sites[0].callers)->functions[1],
			    "own_outer");
	assert_string_equal(program.sites[1].name, "n");
	assert_int_equal(program.sites[1].callers, 0);
	assert_string_equal(program.sites[2].name, "o");
	program_release(&program);
}

static int own_lock;

static void a_variable_gives_its_name_to_the_object(void **state)
{
	const struct fixture *fixture = *state;
	struct recognised recognised;
	struct program program;

	steps_read(&program, "a: lock(m) 1ms unlock(m) lock(n) 1ms unlock(n) lock(o) unlock(o)");
	recognise(&program, &recognised);
	for (size_t i = 0; i < 3; i++)
		program.sites[i].pid = OWN_PID;
	program.sites[0].address = (uint64_t)(uintptr_t)&own_lock;
	program.sites[1].address = (uint64_t)(uintptr_t)&own_lock + 1;
	program.sites[2].address = (uint64_t)(uintptr_t)&recognised;
	program.wall_ns = 1;
	wait_chains_note_site(&program.chains, 0, MIDDLE);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(program.sites[0].name, "own_lock in " IN_MIDDLE);
	assert_string_equal(program.sites[1].name, "own_lock+0x1");
	assert_string_equal(program.sites[2].name, "o on the stack of main");
	program_release(&program);
}

/* The offset of the two words of a condition in glibc, and from 2.41 on. */
enum { WORDS = 0x28, WORDS_2_41 = 0x20 };

static pthread_cond_t own_condition, own_conditions[2];
static _Alignas(8) int own_words[2];
static _Alignas(8) char own_bytes[48];

struct condition_case {
	const void *object; /* NULL: an address of the heap */
	uint64_t first, second;
	bool as_condition, twins, called; /* called: by a call at site 2 */
	const char *one, *other; /* names of the sites; other NULL: they are one site, of `kind` */
};

static const struct condition_case condition_cases[] = {
	{&own_condition, WORDS, WORDS + 4, true, true, false, "own_condition", NULL},
	{&own_condition, WORDS, WORDS + 4, false, false, false, "own_condition", NULL},
	{&own_condition, 0x10, WORDS, false, false, false, "own_condition", NULL},
	{own_conditions, WORDS_2_41 + 48, WORDS_2_41 + 52, true, true, false, "own_conditions[1]",
	 NULL},
	{own_conditions, WORDS, WORDS + 48, true, false, false, "own_conditions[0]",
	 "own_conditions[1]"},
	{own_words, 0, 4, true, true, false, "own_words[0]", "own_words[1]"},
	{own_bytes, WORDS, WORDS + 4, true, true, false, "own_bytes[40]", "own_bytes[44]"},
	{NULL, WORDS, WORDS + 4, true, true, false, "condition 0x1028", NULL},
	{NULL, WORDS, WORDS + 4, true, false, false, "futex 0x1028", "futex 0x102c"},
	{NULL, WORDS, WORDS + 4, false, false, true, "condition 0x1000", NULL},
	{NULL, WORDS, WORDS + 8, true, true, false, "condition 0x1028", "condition 0x1030"},
};

static uint32_t add_word(struct program *program, const struct condition_case *the_case,
			 uint64_t offset)
{
	uint64_t begin = the_case->object ? (uint64_t)(uintptr_t)the_case->object : 0x1000;
	uint32_t number = program_add_site(program, SITE_FUTEX);
	struct site *site = &program->sites[number];

	site->pid = OWN_PID;
	site->address = begin + offset;
	site->waits_as_condition = the_case->as_condition;
	site->name = xasprintf("futex 0x%" PRIx64, site->address);
	return number;
}

static void assert_condition(const struct condition_case *the_case, struct chain_names *names)
{
	struct program program;
	const struct program_thread *b;
	uint32_t one, other;

	steps_read(&program, "a: wake(b,0) 1ms wake(b,1)\n b: block(0) 1ms block(1)");
	one = add_word(&program, the_case, the_case->first);
	other = add_word(&program, the_case, the_case->second);
	if (the_case->called) {
		struct site *whole = &program.sites[add_word(&program, the_case, 0)];

		whole->begins_condition = true;
		free(whole->name);
		whole->name = xstrdup("condition 0x1000");
	}
	program.sites[one].twin = the_case->twins ? other + 1 : 0;
	program.sites[other].twin = the_case->twins ? one + 1 : 0;
	b = &program.threads[1];
	b->steps[0].site = one;
	b->steps[1].site = other;
	program.wall_ns = 1;
	wait_names_apply(&program, names);
	assert_string_equal(name_at(&program, 1, 0), the_case->one);
	assert_string_equal(name_at(&program, 1, 1), the_case->other ?: the_case->one);
	assert_int_equal(b->steps[0].site == b->steps[1].site, !the_case->other);
	assert_int_equal(program.sites[b->steps[0].site].is_condition,
			 !the_case->other || the_case->object == own_conditions);
	program_release(&program);
}

static void the_words_of_a_condition_are_one_site(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(condition_cases) / sizeof(condition_cases[0]); i++)
		assert_condition(&condition_cases[i], fixture->names);
}

/* __g_refs, at which signals wait for late threads. */
static void the_words_before_them_belong_to_a_condition(void **state)
{
	static const uint64_t offsets[] = {0x10, 0x14, WORDS, WORDS + 4, WORDS + 8, 0xc};
	const struct condition_case on_heap = {.object = NULL};
	struct program program;
	struct step *steps;

	(void)state;
	steps_read(&program, "a: 1ms wake(b,0) wake(b,1) wake(b,2) wake(b,3) wake(b,4) wake(b,5)\n"
			     "b: block(0) block(1) block(2) block(3) block(4) block(5)");
	steps = program.threads[1].steps;
	for (size_t i = 0; i < 6; i++)
		steps[i].site = add_word(&program, &on_heap, offsets[i]);
	program.sites[steps[2].site].twin = steps[3].site + 1;
	program.sites[steps[3].site].twin = steps[2].site + 1;
	wait_names_apply(&program, NULL);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(name_at(&program, 1, i), "condition 0x1028");
	assert_string_equal(name_at(&program, 1, 4), "futex 0x1030");
	assert_string_equal(name_at(&program, 1, 5), "futex 0x100c");
	program_release(&program);
}

static void without_names_of_memory_conditions_are_one_site_too(void **state)
{
	const struct condition_case *on_heap = &condition_cases[7];

	(void)state;
	assert_condition(on_heap, NULL);
}

/* Addresses differ from run to run, and have no meaning for people. */
static void objects_of_one_name_are_numbered_in_the_order_of_their_addresses(void **state)
{
	const struct fixture *fixture = *state;
	static const uint64_t addresses[] = {0x7ffe00003000, 0x7ffe00001000, 0x7ffe00002000,
					     0x7ffe00004000};
	struct recognised recognised;
	struct program program;

	steps_read(&program, "a: lock(m) unlock(m) lock(n) unlock(n) lock(o) unlock(o)"
			     " lock(p) unlock(p)");
	recognise(&program, &recognised);
	for (size_t i = 0; i < 4; i++) {
		program.sites[i].pid = OWN_PID;
		program.sites[i].address = addresses[i];
		free(program.sites[i].name);
		program.sites[i].name = xasprintf("lock 0x%" PRIx64, addresses[i]);
	}
	wait_chains_note_site(&program.chains, 0, MIDDLE);
	wait_chains_note_site(&program.chains, 1, MIDDLE_TOO);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(program.sites[0].name,
			    "lock on the stack of main in " IN_MIDDLE " (2 of 2)");
	assert_string_equal(program.sites[1].name,
			    "lock on the stack of main in " IN_MIDDLE " (1 of 2)");
	assert_string_equal(program.sites[2].name, "lock on the stack of main (1 of 2)");
	assert_string_equal(program.sites[3].name, "lock on the stack of main (2 of 2)");
	program_release(&program);
}

static void unnamed_places_of_an_object_are_counted(void **state)
{
	struct fixture *fixture = *state;
	const struct own_returns r = own_code_returns();
	const uint64_t pointer = own_code_pointer_return();
	struct recognised recognised;
	struct program program;

	chain_names_free(fixture->names);
	assert_int_equal(chains_add(&fixture->chains, OWN_PID, 1, &r.innermost, 1), 5);
	assert_int_equal(chains_add(&fixture->chains, OWN_PID, 1, &pointer, 1), 6);
	fixture->names = chain_names_new(&fixture->chains, &fixture->samples);
	steps_read(&program, "a: lock(m) 1ms unlock(m)");
	recognise(&program, &recognised);
	wait_chains_note_site(&program.chains, 0, MIDDLE);
	wait_chains_note_site(&program.chains, 0, 6);
	wait_chains_note_site(&program.chains, 0, 5);
	wait_chains_note_site(&program.chains, 0, 6);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(program.sites[0].name, "m in own_by_pointer, and 2 more");
	program_release(&program);
}

static void barriers_and_joins_known_from_wakes_have_chains_too(void **state)
{
	const struct fixture *fixture = *state;
	struct recognised recognised;
	struct program program;

	steps_read(&program, "main: fork(a) 1ms block(0)\n a: 5ms wake(main,0)");
	wait_chains_note_edge(&program.chains, 0, MIDDLE);
	recognise(&program, &recognised);
	assert_int_equal(recognised.joins, 1);
	wait_names_apply(&program, fixture->names);
	assert_string_equal(name_at(&program, 0, 1), "join by main/1 in " IN_MIDDLE);
	program_release(&program);
}

/* Random chains, as those of edges, pauses and visits of sites. */
static void add_chains(struct program *program, struct random *random)
{
	for (uint32_t i = 0; i < program->edge_count; i++)
		wait_chains_note_edge(&program->chains, i,
				      (uint32_t)random_below(random, CHAIN_COUNT + 2));
	for (uint32_t i = 0; i < program->site_count; i++)
		wait_chains_note_site(&program->chains, i,
				      (uint32_t)random_below(random, CHAIN_COUNT + 2));
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			struct step *step = &program->threads[i].steps[j];
			uint32_t chain = (uint32_t)random_below(random, CHAIN_COUNT + 2);

			if (step_op_is_pause(step_op(step)))
				step->pause = step_pause(step_pause_ns(step),
							 add_pause_site(program, chain));
		}
}

static uint64_t wall_ns(const struct program *program, unsigned cores)
{
	const struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct err err;

	assert_int_equal(simulate(&simulated, program, &machine, false, &err), 0);
	return simulated.wall_ns;
}

static void names_do_not_change_a_program(void **state)
{
	const struct fixture *fixture = *state;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct random random = {seed};
		struct recognised recognised;
		struct program plain, named;

		random_program(&plain, &random, RANDOM_ALL);
		program_copy(&named, &plain);
		add_chains(&named, &random);
		recognise(&plain, &recognised);
		recognise(&named, &recognised);
		wait_names_apply(&named, fixture->names);
		for (unsigned cores = 1; cores <= 4; cores++)
			if (wall_ns(&plain, cores) != wall_ns(&named, cores))
				fail_msg("seed %d on %u cores", (int)seed, cores);
		program_release(&plain);
		program_release(&named);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waits_for_threads_in_the_same_calls_are_one_site),
	cmocka_unit_test(pauses_are_distinguished_by_their_calls),
	cmocka_unit_test(polls_are_distinguished_from_sleeps_in_the_same_calls),
	cmocka_unit_test(an_object_is_named_by_the_place_of_most_waits),
	cmocka_unit_test(a_variable_gives_its_name_to_the_object),
	cmocka_unit_test(the_words_of_a_condition_are_one_site),
	cmocka_unit_test(the_words_before_them_belong_to_a_condition),
	cmocka_unit_test(without_names_of_memory_conditions_are_one_site_too),
	cmocka_unit_test(objects_of_one_name_are_numbered_in_the_order_of_their_addresses),
	cmocka_unit_test(unnamed_places_of_an_object_are_counted),
	cmocka_unit_test(barriers_and_joins_known_from_wakes_have_chains_too),
	cmocka_unit_test(names_do_not_change_a_program),
};

TEST_FILE_WITH(tests, set_up, tear_down);
