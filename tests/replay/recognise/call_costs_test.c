/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_costs.h"

#include "steps.h"
#include "support.h"

#include <stdlib.h>

static void the_cost_of_a_call_is_in_the_time_behind_it(void **state)
{
	static const struct {
		const char *text, *left;
		uint64_t taken_ns;
	} cases[] = {
		{"a: 5us mutex_lock(m:0) 3us mutex_unlock(m:1) 5us", /* each 2 us */
		 "a: 5us mutex_lock(m:0) 1us mutex_unlock(m:1) 3us", 4000},
		{"a: 5us mutex_lock(m:0) 1us mutex_unlock(m:1) 5us", /* there was no more */
		 "a: 5us mutex_lock(m:0) mutex_unlock(m:1) 3us", 3000},
		{"a: cond_signal(c:0) 1us wake(b,0) 5us\nb: block(0)", /* also while it lasts */
		 "a: cond_signal(c:0) wake(b,0) 4us\nb: block(0)", 2000},
		{"a: 5us call(m,0) cond_wait(c:0) 5us", /* one call on two objects */
		 "a: 5us call(m,0) cond_wait(c:0) 3us", 2000},
		{"a: futex_wake(m:0) 1us return(m,2) 1us", /* half at each end */
		 "a: futex_wake(m:0) 500ns return(m,2) 500ns", 1000},
		{"a: 5us yield() 5us", "a: 5us yield() 4us", 1000},
		{"a: 5us lock(m) 5us unlock(m) 5us", "a: 5us lock(m) 5us unlock(m) 5us", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program, want;
		char *is, *should;

		steps_read(&program, cases[i].text);
		steps_read(&want, cases[i].left);
		program.costs.call_ns = 2000;
		program.costs.system_call_ns = 1000;
		assert_int_equal(call_costs_take_out(&program), cases[i].taken_ns);
		is = steps_text(&program);
		should = steps_text(&want);
		assert_string_equal(is, should);
		assert_int_equal(call_costs_take_out(&program), 0);
		free(is);
		free(should);
		program_release(&program);
		program_release(&want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_of_a_call_is_in_the_time_behind_it),
	};

	return RUN_TESTS(tests);
}
