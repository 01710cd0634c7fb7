/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/cpu_list.h"

#include <stdlib.h>
#include <string.h>

static void lists_are_read_with_gaps_and_written_back(void **state)
{
	static const struct {
		const char *text, *again;
		size_t count;
	} cases[] = {
		{"0\n", "0", 1},       {"0-3\n", "0-3", 4},	    {"0-3,8", "0-3,8", 5},
		{"0,2,4", "0,2,4", 3}, {"0,1,2,5-6", "0-2,5-6", 5}, {"8191", "8191", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_mask mask = {{0}};
		struct cpu_list list;
		struct err err;
		char *text;

		assert_int_equal(
			cpu_list_read(&list, file_with(cases[i].text, strlen(cases[i].text)), &err),
			0);
		assert_int_equal(list.count, cases[i].count);
		for (size_t c = 0; c < list.count; c++)
			mask.has[list.cpus[c]] = true;
		text = cpu_mask_format(&mask);
		assert_string_equal(text, cases[i].again);
		free(text);
		cpu_list_release(&list);
	}
}

static void a_text_that_is_no_list_is_refused(void **state)
{
	static const char *const cases[] = {"", "\n", "0-", "a", "3-1", "8192", "0 1", "-1"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_list list;
		struct err err = {.text = ""};

		assert_int_equal(cpu_list_read(&list, file_with(cases[i], strlen(cases[i])), &err),
				 -1);
		assert_true(strlen(err.text) > 0);
	}
}

/* Numbers may have gaps, so an array with CPU numbers as indices needs more elements than there are
 * CPUs. */
static void the_highest_number_decides_the_size_of_arrays(void **state)
{
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(cpu_numbers(file_with("0-3\n", 4), &err), 4);
	assert_int_equal(cpu_numbers(file_with("0,64\n", 5), &err), 65);
	assert_int_equal(cpu_numbers(file_with("none\n", 5), &err), 0);
	assert_true(strlen(err.text) > 0);
}

static void a_file_is_named_in_the_sentence(void **state)
{
	struct cpu_list list;
	struct err err = {.text = ""};
	const char *path = file_with("nonsense\n", 9);

	(void)state;
	assert_int_equal(cpu_list_read(&list, path, &err), -1);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(cpu_list_read(&list, "/no/such/file", &err), -1);
	assert_non_null(strstr(err.text, "/no/such/file"));
}

static void an_empty_set_is_an_empty_text(void **state)
{
	const struct cpu_mask none = {{0}};
	char *text = cpu_mask_format(&none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void the_affinity_of_this_thread_is_not_empty(void **state)
{
	struct cpu_mask mask = {{0}};
	char *text;

	(void)state;
	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	text = cpu_mask_format(&mask);
	assert_true(strlen(text) > 0);
	free(text);
}

#define SIBLINGS(cpu) "sys/devices/system/cpu/cpu" #cpu "/topology/thread_siblings_list"

static void siblings_are_one_core(void **state)
{
	static const struct {
		const char *files[4][2];
		size_t cpus, want;
	} cases[] = {
		{{{SIBLINGS(0), "0\n"}, {SIBLINGS(1), "1\n"}}, 2, 2},
		{{{SIBLINGS(0), "0-1\n"}, {SIBLINGS(1), "0-1\n"}}, 2, 1},
		{{{SIBLINGS(0), "0,2\n"},
		  {SIBLINGS(1), "1,3\n"},
		  {SIBLINGS(2), "0,2\n"},
		  {SIBLINGS(3), "1,3\n"}},
		 4,
		 2},
		{{{SIBLINGS(0), "0,2\n"}, {SIBLINGS(1), "1,3\n"}}, 2, 2},
		{{{SIBLINGS(0), "0\n"}}, 2, 0},
		{{{NULL}}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_mask mask = {{0}};
		char root[64];

		dir_make(root);
		for (size_t k = 0; k < 4 && cases[i].files[k][0]; k++)
			dir_put(root, cases[i].files[k][0], cases[i].files[k][1]);
		for (size_t cpu = 0; cpu < cases[i].cpus; cpu++)
			mask.has[cpu] = true;
		assert_int_equal(cpu_mask_cores(&mask, root), cases[i].want);
		dir_remove(root);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(siblings_are_one_core),
	cmocka_unit_test(lists_are_read_with_gaps_and_written_back),
	cmocka_unit_test(a_text_that_is_no_list_is_refused),
	cmocka_unit_test(the_highest_number_decides_the_size_of_arrays),
	cmocka_unit_test(a_file_is_named_in_the_sentence),
	cmocka_unit_test(an_empty_set_is_an_empty_text),
	cmocka_unit_test(the_affinity_of_this_thread_is_not_empty),
};

TEST_FILE(tests);
