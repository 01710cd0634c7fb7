/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/handovers.h"

#include "steps.h"
#include "support.h"

static void three_that_wake_each_other_in_turns_compete(void **state)
{
	static const struct {
		const char *text;
		uint64_t count;
	} cases[] = {
		{"a: 1ms", 0},
		/* Two of them may as well talk. */
		{"a: 1ms wake(b,0) block(1) 1ms\n b: block(0) 1ms wake(a,1) 1ms", 0},
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(2) 1ms block(4) 1ms\n"
		 "b: block(0) 1ms wake(a,2) 1ms wake(c,3) block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 6},
		/* b never wakes a */
		{"a: 1ms wake(b,0) 1ms wake(c,1) block(4) 1ms\n"
		 "b: block(0) 1ms wake(c,3) block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) 1ms wake(b,5) 1ms",
		 0},
		/* Round in circles. */
		{"a: 1ms wake(b,0) block(2) 1ms\n b: block(0) 1ms wake(c,1) 1ms\n"
		 "c: block(1) 1ms wake(a,2) 1ms",
		 0},
		/* Neighbours of a pipeline, a to b to c. */
		{"a: 1ms wake(b,0) block(1) 1ms\n"
		 "b: block(0) 1ms wake(a,1) 1ms wake(c,2) block(3) 1ms\n"
		 "c: block(2) 1ms wake(b,3) 1ms",
		 0},
		/* Who comes last lets both of the others go on. */
		{"a: 1ms wake(b,0) wake(c,1) 1ms block(2) 1ms block(4) 1ms\n"
		 "b: block(0) 1ms wake(a,2) 5us wake(c,3) 1ms block(5) 1ms\n"
		 "c: block(1) 1ms block(3) 1ms wake(a,4) wake(b,5) 1ms",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;

		steps_read(&program, cases[i].text);
		assert_int_equal(handovers_count(&program), cases[i].count);
		program_release(&program);
	}
}

static void signals_of_a_condition_hand_no_lock_on(void **state)
{
	struct program program;

	(void)state;
	steps_read(&program, "a: 1ms wake(b,0) 1ms wake(c,1) block(2@x) 1ms block(4@x) 1ms\n"
			     "b: block(0@x) 1ms wake(a,2) 1ms wake(c,3) block(5@x) 1ms\n"
			     "c: block(1@x) 1ms block(3@x) 1ms wake(a,4) 1ms wake(b,5) 1ms");
	assert_int_equal(handovers_count(&program), 6); /* nothing is known of x */
	program.sites[0].address = 0x1000;
	assert_int_equal(handovers_count(&program), 0);
	program.sites[0].kind = SITE_FUTEX; /* which may be a lock's */
	assert_int_equal(handovers_count(&program), 6);
	program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_that_wake_each_other_in_turns_compete),
		cmocka_unit_test(signals_of_a_condition_hand_no_lock_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
