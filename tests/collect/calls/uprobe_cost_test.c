/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes add is held to the truth by tests/live/record_uprobe.sh. */
#include "collect/calls/uprobe_cost.h"

#include "support.h"

#include <stdio.h>

static void own_functions_are_found_in_the_file_that_runs(void **state)
{
	uint64_t stepped = uprobe_cost_place(UPROBE_STEPPED),
		 cheap = uprobe_cost_place(UPROBE_CHEAP);
	unsigned char code[4] = {0};
	FILE *file = fopen(UPROBE_COST_FILE, "re");

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

static void what_is_added_is_the_difference(void **state)
{
	const struct uprobe_cost bare = {{[UPROBE_CHEAP] = 2, [UPROBE_STEPPED] = 3}};
	const struct uprobe_cost watched = {{[UPROBE_CHEAP] = 1802, [UPROBE_STEPPED] = 40}};
	struct uprobe_cost cost;

	(void)state;
	uprobe_cost_measure(&cost);
	for (int i = 0; i < UPROBE_COSTS; i++)
		assert_true(cost.ns[i] > 0 && cost.ns[i] < 1e5);
	uprobe_cost_added(&cost, &bare, &watched);
	assert_close(cost.ns[UPROBE_CHEAP], 1800, 1e-12);
	assert_close(cost.ns[UPROBE_STEPPED], 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions_are_found_in_the_file_that_runs),
		cmocka_unit_test(what_is_added_is_the_difference),
	};
	return RUN_TESTS(tests);
}
