/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/function_table.h"

#include "base/names.h"
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void functions_have_their_names_in_the_source(void **state)
{
	static const struct {
		const char *name, *version, *want;
	} cases[] = {
		{"main", NULL, "main"},
		{"pthread_cond_wait", "GLIBC_2.2.5", "pthread_cond_wait@GLIBC_2.2.5"},
		{"_ZN2ns1fEi", NULL, "ns::f(int)"},
		{"_ZN2ns1fEi", "V1", "ns::f(int)@V1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct code_function function = {.name = (char *)(uintptr_t)cases[i].name,
						       .old_version =
							       (char *)(uintptr_t)cases[i].version};
		char *label = code_function_label(&function);

		assert_string_equal(label, cases[i].want);
		free(label);
	}
}

static void a_glob_matches_symbols_and_names_in_the_source(void **state)
{
	static const struct {
		const char *name, *glob;
		bool want;
	} cases[] = {
		{"insert", "ins*", true},
		{"insert", "ins", false},
		{"_ZN2ns1fEi", "_ZN2ns*", true},
		{"_ZN2ns1fEi", "ns::f", true},
		{"_ZN2ns1fEi", "ns::f(int)", true},
		{"_ZN2ns1fEi", "ns::*", true},
		{"_ZN2ns1fEi", "ns::f()", false},
		{"_ZN2ns1fEi", "ns", false},
		{"_ZNK3Foo3getEv", "Foo::get", true},
		{"_ZN1a4main17h1854dee5fd9945b4E", "a::main", true},
		{"_RNvCs6xxl1lAjzDf_1a4main", "a::main", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct code_function function = {.name = (char *)(uintptr_t)cases[i].name};

		assert_int_equal(code_function_matches(&function, cases[i].glob), cases[i].want);
	}
}

/* The C library of x86-64 also has a function for programs that were linked before 2003. */
static void functions_for_old_programs_have_a_version(void **state)
{
	int (*wait)(pthread_cond_t *, pthread_mutex_t *) = pthread_cond_wait;
	struct function_table table;
	size_t usual = 0, old = 0;
	Dl_info info;
	void *at;

	(void)state;
	memcpy(&at, &wait, sizeof(at));
	if (!dladdr(at, &info) || function_table_read(&table, info.dli_fname))
		skip();
	for (size_t i = 0; i < table.count; i++) {
		const struct code_function *function = &table.items[i];

		if (strcmp(function->name, "pthread_cond_wait") != 0)
			continue;
		usual += !function->old_version;
		old += function->old_version && strcmp(function->old_version, "GLIBC_2.2.5") == 0;
	}
	function_table_release(&table);
#if defined(__x86_64__) && defined(__GLIBC__)
	assert_int_equal(usual, 1);
	assert_int_equal(old, 1);
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_have_their_names_in_the_source),
	cmocka_unit_test(a_glob_matches_symbols_and_names_in_the_source),
	cmocka_unit_test(functions_for_old_programs_have_a_version),
};

TEST_FILE(tests);
