/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program.h"

#include "base/alloc.h"
#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "main: fork(a) fork(b) 2000000ns join(a) join(b)\n"
			   "a: 5000000ns lock(0) 1000ns unlock(0) barrier(1:2) give(2,3)\n"
			   "b@4000ns: wake(a,0) block(1) take(2) sleep(7ns) block() yield()\n"
			   "c: device(9ns@3) block(0@4) join(a@5) sleep(1ns) block(1)\n";

static void a_step_is_sixteen_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct step), 16);
}

static void a_step_keeps_its_time_and_its_operation(void **state)
{
	struct step step = {.run_op = step_run_op(123456789012345, STEP_RETURN)};

	(void)state;
	assert_int_equal(step_run_ns(&step), 123456789012345);
	assert_int_equal(step_op(&step), STEP_RETURN);
	step.run_op = step_run_op(UINT64_MAX, STEP_EXIT);
	assert_true(step_run_ns(&step) == STEP_RUN_MAX);
	assert_int_equal(step_op(&step), STEP_EXIT);
}

static void a_pause_keeps_its_length_and_its_site(void **state)
{
	struct step step = {.run_op = step_run_op(1, STEP_DEVICE),
			    .pause = step_pause(123456789012345, 65534)};

	(void)state;
	assert_int_equal(step_pause_ns(&step), 123456789012345);
	assert_int_equal(step_site(&step), 65534);
	step.pause = step_pause(UINT64_MAX, 65535);
	assert_true(step_pause_ns(&step) == STEP_PAUSE_MAX);
	assert_int_equal(step_site(&step), PROGRAM_NONE);
}

static void an_empty_step_waits_nowhere(void **state)
{
	struct program program;

	(void)state;
	program = (struct program){0};
	program_add_thread(&program, 1, 1, "a");
	for (int op = 0; op < STEP_OPS; op++) {
		const struct step *step = program_add_step(&program, 0, 0, (enum step_op)op);
		bool without = op == STEP_BLOCK || op == STEP_JOIN ||
			       step_op_is_pause((enum step_op)op) || op < STEP_LOCK ||
			       op == STEP_YIELD || op >= STEP_SOCKET;

		assert_int_equal(step_site(step), without ? PROGRAM_NONE : 0);
	}
	program_release(&program);
}

static void a_call_keeps_its_place_among_those_of_its_site(void **state)
{
	struct step step = {.count = step_call_count(SYNC_SEM_POST, (1 << 24) + 7)};

	(void)state;
	assert_int_equal(step_call(&step), SYNC_SEM_POST);
	assert_int_equal(step_call_order(&step), 7);
}

static void steps_that_are_read_are_written_the_same(void **state)
{
	struct program program;
	char *again;

	(void)state;
	steps_read(&program, text);
	again = steps_text(&program);
	assert_string_equal(again, text);
	assert_int_equal(program.edge_count, 2);
	assert_int_equal(program_steps(&program), 5 + 5 + 7 + 6);
	assert_int_equal(program_work_ns(&program), 7001000);
	assert_true(program.threads[1].forked && !program.threads[0].forked);
	free(again);
	program_release(&program);
}

static void a_copy_shares_no_memory_with_its_original(void **state)
{
	struct program program, copy;
	char *got;

	(void)state;
	steps_read(&program, text);
	program_copy(&copy, &program);
	program.threads[0].steps[0].run_op = step_run_op(9, STEP_NONE);
	program.sites[0].name[0] = '?';
	program_add_step(&copy, 0, 1, STEP_EXIT);
	program_release(&program);
	assert_string_equal(copy.sites[0].name, "0");
	copy.threads[0].count--;
	got = steps_text(&copy);
	assert_string_equal(got, text);
	free(got);
	program_release(&copy);
}

static void kept_steps_are_restored_after_other_ones(void **state)
{
	struct program program, copy;
	struct program_kept kept;
	char *got;

	(void)state;
	steps_read(&program, text);
	program_keep(&kept, &program);
	for (size_t i = 0; i < program.thread_count; i++)
		program.threads[i].steps[0].run_op = step_run_op(9, STEP_NONE);
	program.threads[1].even_spans = xcalloc(1, sizeof(*program.threads[1].even_spans));
	program.threads[1].even_span_count = program.threads[1].even_span_capacity = 1;
	program_add_step(&program, 0, 1, STEP_EXIT);
	program_add_site(&program, SITE_THREADS);
	program.sites[0].name[0] = '?';
	program_restore(&copy, &kept, &program);
	program_kept_release(&kept);
	program_release(&program);
	got = steps_text(&copy);
	assert_string_equal(got, text);
	assert_int_equal(copy.threads[1].even_span_count, 0);
	free(got);
	program_release(&copy);
}

static void an_edge_has_the_chain_of_the_waiting_thread(void **state)
{
	struct program program = {0}, copy;

	(void)state;
	wait_chains_note_edge(&program.chains, 3, 7);
	wait_chains_note_edge(&program.chains, 4, 0);
	program_copy(&copy, &program);
	program_release(&program);
	assert_int_equal(wait_chains_of_edge(&copy.chains, 3), 7);
	assert_int_equal(wait_chains_of_edge(&copy.chains, 2), 0);
	assert_int_equal(wait_chains_of_edge(&copy.chains, 4), 0);
	assert_int_equal(wait_chains_of_edge(&copy.chains, UINT32_MAX), 0);
	program_release(&copy);
}

static void visits_of_one_chain_at_one_site_are_added_up(void **state)
{
	enum { VISITS = 100000 };
	static const struct site_chain want[] = {
		{1, 5, VISITS / 4}, {1, 6, VISITS / 4}, {2, 5, VISITS / 2}};
	struct program program = {0};
	struct wait_chains *chains = &program.chains;

	(void)state;
	for (uint32_t i = 0; i < VISITS; i++)
		wait_chains_note_site(chains, 2 - i % 2, i % 4 == 1 ? 6 : 5);
	wait_chains_note_site(chains, 1, 0);
	assert_true(chains->capacity < VISITS / 2);
	wait_chains_sort(chains);
	assert_int_equal(chains->count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(chains->sites[i].site, want[i].site);
		assert_int_equal(chains->sites[i].chain, want[i].chain);
		assert_int_equal(chains->sites[i].count, want[i].count);
	}
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_edge_has_the_chain_of_the_waiting_thread),
	cmocka_unit_test(visits_of_one_chain_at_one_site_are_added_up),
	cmocka_unit_test(a_step_is_sixteen_bytes),
	cmocka_unit_test(a_step_keeps_its_time_and_its_operation),
	cmocka_unit_test(a_pause_keeps_its_length_and_its_site),
	cmocka_unit_test(an_empty_step_waits_nowhere),
	cmocka_unit_test(a_call_keeps_its_place_among_those_of_its_site),
	cmocka_unit_test(steps_that_are_read_are_written_the_same),
	cmocka_unit_test(a_copy_shares_no_memory_with_its_original),
	cmocka_unit_test(kept_steps_are_restored_after_other_ones),
};

TEST_FILE(tests);
