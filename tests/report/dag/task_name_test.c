/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

static void bodies_of_constructs_are_tasks_of_their_function(void **state)
{
	static const struct {
		const char *function, *want;
	} cases[] = {
		{"fib._omp_fn.1", "fib (task 1)"},
		{"fib._omp_fn.12", "fib (task 12)"},
		{"T<int>::sum(int) [clone ._omp_fn.0]", "T<int>::sum(int) (task 0)"},
		{"fib", "fib"},
		{"", ""},
		{"fib(int) [clone .constprop.0]", "fib(int) [clone .constprop.0]"},
		{"fib._omp_fn.1.cold", "fib._omp_fn.1.cold"},
		{"fib._omp_fn.", "fib._omp_fn."},
		{"fib._omp_fn.1]", "fib._omp_fn.1]"},
		{"._omp_fn.1", "._omp_fn.1"},
		{" [clone ._omp_fn.0]", " [clone ._omp_fn.0]"},
		{".omp_outlined..8", ".omp_outlined..8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = task_name(cases[i].function, strlen(cases[i].function));

		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static void names_have_the_given_length(void **state)
{
	char *got = task_name("fib._omp_fn.12 fib.c:7", strlen("fib._omp_fn.1"));

	(void)state;
	assert_string_equal(got, "fib (task 1)");
	free(got);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bodies_of_constructs_are_tasks_of_their_function),
	cmocka_unit_test(names_have_the_given_length),
};

TEST_FILE(tests);
