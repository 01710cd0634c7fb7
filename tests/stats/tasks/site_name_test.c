/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree.h"

#include "decode/event/blocks.h"
#include "support.h"

#include <string.h>

static struct site_name named(const char *name)
{
	struct block block = {.name = (char *)(uintptr_t)name};
	const struct blocks blocks = {.items = &block, .count = 1};
	const struct task_tree tree = {.blocks = &blocks};

	return task_site_name(&tree, 0);
}

static void names_of_sites_have_a_function_a_file_and_a_line(void **state)
{
	static const struct {
		const char *name, *function, *file;
		uint32_t line;
	} cases[] = {
		{"fib fib.c:17", "fib", "fib.c", 17},
		{"operator new(unsigned long) a b/new.cc:3", "operator new(unsigned long) a",
		 "b/new.cc", 3},
		{"fib /my src/fib.c:17", "fib", "/my src/fib.c", 17},
		{"fib+0x1f", "fib", NULL, 0},
		{"_start+0", "_start", NULL, 0},
		{"a+b", "a+b", NULL, 0},
		{"std::sort", "std::sort", NULL, 0},
		{"f x.c:12x", "f x.c:12x", NULL, 0},
		{"f x.c:", "f x.c:", NULL, 0},
		{"f x.c:99999999999", "f x.c:99999999999", NULL, 0},
		{"", "", NULL, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct site_name got = named(cases[i].name);

		assert_int_equal(got.function_length, strlen(cases[i].function));
		assert_memory_equal(got.function, cases[i].function, (size_t)got.function_length);
		assert_int_equal(got.line, cases[i].line);
		if (!cases[i].file) {
			assert_null(got.file);
			continue;
		}
		assert_int_equal(got.file_length, strlen(cases[i].file));
		assert_memory_equal(got.file, cases[i].file, (size_t)got.file_length);
	}
}

static void parts_of_a_function_made_by_compilers_are_that_function(void **state)
{
	static const struct {
		const char *name, *function;
	} cases[] = {
		{"sort.part.2 sort.c:19", "sort"},
		{"sort.constprop.0 sort.c:19", "sort"},
		{"sort.isra.0.part.1+0x12", "sort"},
		{"sort.cold sort.c:19", "sort"},
		{"sort.lto_priv.1 sort.c:19", "sort"},
		{"sort(int*) [clone .part.0] sort.cc:19", "sort(int*)"},
		{"sort(int*) [clone .constprop.0] [clone .isra.1] a.cc:1", "sort(int*)"},
		/* The body of a construct is a task of its own. */
		{"sort._omp_fn.1 sort.c:17", "sort._omp_fn.1"},
		{"sort._omp_fn.1.constprop.0 sort.c:17", "sort._omp_fn.1"},
		{"sort(int*) [clone ._omp_fn.1] sort.cc:17", "sort(int*) [clone ._omp_fn.1]"},
		{".omp_task_entry..3+0x1", ".omp_task_entry..3"},
		/* Names that only look like parts. */
		{".part.2 sort.c:19", ".part.2"},
		{"sort.part2 sort.c:19", "sort.part2"},
		{"sort.part. sort.c:19", "sort.part."},
		{"sort.party.2 sort.c:19", "sort.party.2"},
		{"sort.part.2] sort.c:19", "sort.part.2]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct site_name got = named(cases[i].name);

		if ((size_t)got.function_length != strlen(cases[i].function) ||
		    memcmp(got.function, cases[i].function, (size_t)got.function_length) != 0)
			fail_msg("%s: %.*s", cases[i].name, got.function_length, got.function);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_sites_have_a_function_a_file_and_a_line),
	cmocka_unit_test(parts_of_a_function_made_by_compilers_are_that_function),
};

TEST_FILE(tests);
