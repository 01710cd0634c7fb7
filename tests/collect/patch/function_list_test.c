/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/function_list.h"

#include "base/err.h"
#include "code/function_table.h"
#include "support.h"

#include <stdbool.h>
#include <string.h>

#define SELF "/proc/self/exe"

/* No code calls these functions: `used` keeps the optimiser from removing them. */
__attribute__((noinline, used)) int function_list_test_one(int number);
int function_list_test_one(int number)
{
	return number * 7919 + 104729;
}

__attribute__((noinline, used)) int function_list_test_two(int number);
int function_list_test_two(int number)
{
	return number * 7907 + 104723;
}

/* One address with two names. */
int function_list_test_other(int number) __attribute__((used, alias("function_list_test_two")));
int function_list_test_other(int number);

static bool has(const struct function_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].is->name, name) == 0)
			return true;
	return false;
}

static size_t count_of(const char *one, const char *other)
{
	const char *const patterns[] = {one, other, NULL};
	struct function_list list = {.count = 0};
	struct err err;
	size_t count;

	assert_int_equal(function_list_find(&list, patterns, SELF, &err), 0);
	count = list.count;
	function_list_release(&list);
	return count;
}

static void a_pattern_matches_functions_of_the_program(void **state)
{
	static const struct {
		const char *one, *other;
		size_t count;
	} cases[] = {
		{"function_list_test_one", NULL, 1},
		{"function_list_test_t?o", NULL, 1},
		{"function_list_test_*", NULL, 2}, /* three names of two addresses */
		{"function_list_test_o*", "function_list_test_[ot]*", 2},
		{SELF ":function_list_test_one", "function_list_test_one", 1},
		{"marks", NULL, 0},
		{"marks", "function_list_test_one", 1},
		{"libc:puts", "libc.so.6:puts", 1},
		{"libc*:puts", "function_list_test_one", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(count_of(cases[i].one, cases[i].other), cases[i].count);
}

static void a_function_has_the_name_that_the_pattern_matched(void **state)
{
	static const char *const patterns[] = {"function_list_test_oth*", NULL};
	struct function_list list = {.count = 0};
	struct err err;

	(void)state;
	assert_int_equal(function_list_find(&list, patterns, SELF, &err), 0);
	assert_int_equal(list.count, 1);
	assert_true(has(&list, "function_list_test_other"));
	assert_int_equal(list.items[0].is->size > 0, 1);
	function_list_release(&list);
}

static void a_pattern_without_a_match_is_refused_with_similar_names(void **state)
{
	static const struct {
		const char *pattern, *sentence;
	} cases[] = {
		{"function_list_test_onne", "did you mean 'function_list_test_one'?"},
		{"zzz_*", "is called 'zzz_*'"},
		{"libnone:puts", "loads no library 'libnone', but "},
		{"libc:putss", "did you mean 'puts'"},
		{"zzz::f", "is called 'zzz::f'"},
		{"libc:zzz::f", "libc.so.6 is called 'zzz::f'"},
		{"libc:", "give OBJECT:FUNCTION"},
		{":puts", "give OBJECT:FUNCTION"},
		{"/no/such/file:puts", "/no/such/file: No such file"},
		{"/etc/passwd:puts", "none of its functions has a name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const patterns[] = {cases[i].pattern, NULL};
		struct function_list list = {.count = 0};
		struct err err = {.text = ""};

		assert_int_equal(function_list_find(&list, patterns, SELF, &err), -1);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("'%s' is not in: %s", cases[i].sentence, err.text);
		function_list_release(&list);
	}
}

static void a_missing_command_or_one_that_is_no_program_is_refused(void **state)
{
	static const char *const commands[] = {"/no/such/program", "no-such-program-at-all",
					       "/etc/passwd"};
	static const char *const patterns[] = {"main", NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct function_list list = {.count = 0};
		struct err err = {.text = ""};

		assert_int_equal(function_list_find(&list, patterns, commands[i], &err), -1);
		assert_non_null(strstr(err.text, "there is no such program"));
		function_list_release(&list);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_pattern_matches_functions_of_the_program),
	cmocka_unit_test(a_function_has_the_name_that_the_pattern_matched),
	cmocka_unit_test(a_pattern_without_a_match_is_refused_with_similar_names),
	cmocka_unit_test(a_missing_command_or_one_that_is_no_program_is_refused),
};

TEST_FILE(tests);
