/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/live/record_sync.sh and record_uprobe.sh compare the time that recording adds with the
 * truth. */
#include "collect/calls/calls_private.h"

#include "support.h"

#include <stdio.h>

static void each_call_takes_some_time(void **state)
{
	struct call_cost cost;

	(void)state;
	call_cost_measure(&cost, UINT32_MAX);
	for (int i = 0; i < CALL_TRIALS; i++)
		assert_true(cost.ns[i] > 0 && cost.ns[i] < 1e6);
}

static void only_requested_trials_are_made(void **state)
{
	const unsigned some = 1U << CALL_OF_LIBRARY | 1U << CALL_OF_SYSTEM;
	struct call_cost cost;

	(void)state;
	call_cost_measure(&cost, some);
	for (int i = 0; i < CALL_TRIALS; i++)
		assert_int_equal(cost.ns[i] > 0, some >> i & 1);
}

/* Less than 50 ns may be noise. */
static void the_difference_is_added_unless_it_may_be_noise(void **state)
{
	static const struct {
		double bare_ns, watched_ns, added_ns;
	} cases[] = {
		{10, 1210, 1200}, {100, 600, 500}, {100, 149, 0}, {10, 9, 0}, {0, 0, 0},
	};
	struct call_cost bare = {{0}}, watched = {{0}}, added;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int k = 0; k < CALL_TRIALS; k++) {
			bare.ns[k] = cases[i].bare_ns;
			watched.ns[k] = cases[i].watched_ns;
			call_cost_added(&added, &bare, &watched);
			assert_close(added.ns[k], cases[i].added_ns, 1e-12);
		}
}

static void own_functions_are_found_in_the_file_that_runs(void **state)
{
	uint64_t stepped = call_cost_place(CALL_OF_STEPPED), cheap = call_cost_place(CALL_OF_CHEAP);
	unsigned char code[4] = {0};
	FILE *file = fopen(CALL_COST_FILE, "re");

	(void)state;
	assert_non_null(file);
	assert_true(stepped && cheap && stepped != cheap);
#if defined(__x86_64__)
	assert_int_equal(fseek(file, (long)cheap, SEEK_SET), 0);
	assert_int_equal(fread(code, 1, 1, file), 1);
	assert_int_equal(code[0], 0x53); /* push %rbx */
	assert_int_equal(fseek(file, (long)stepped, SEEK_SET), 0);
	assert_int_equal(fread(code, 1, 4, file), 4);
	assert_memory_equal(code, "\x48\x89\xf8\xc3", 4); /* mov %rdi,%rax; ret */
#endif
	(void)code;
	fclose(file);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_call_takes_some_time),
	cmocka_unit_test(only_requested_trials_are_made),
	cmocka_unit_test(the_difference_is_added_unless_it_may_be_noise),
	cmocka_unit_test(own_functions_are_found_in_the_file_that_runs),
};

TEST_FILE(tests);
