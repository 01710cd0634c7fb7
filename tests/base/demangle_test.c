/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As c++filt of binutils says. */
static void names_of_c_plus_plus_are_as_people_write_them(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"_ZN2ns1fEi", "ns::f(int)"},
		{"_ZNK3Foo3getEv", "Foo::get() const"},
		{"_ZN12_GLOBAL__N_14workEPKc", "(anonymous namespace)::work(char const*)"},
		{"_ZSt4sortIPiEvT_S1_", "void std::sort<int*>(int*, int*)"},
		{"_ZN3FoocvbEv", "Foo::operator bool()"},
		{"main", NULL},
		{"", NULL},
		{"_Z", NULL},
		{"__Z1fv", NULL},
	};
	char *known = demangle("_Z1fv");

	(void)state;
	if (!known)
		skip(); /* there is no library of C++ here */
	free(known);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *name = demangle(cases[i].name), *shown = demangle_or_copy(cases[i].name);

		if (!cases[i].want)
			assert_null(name);
		else
			assert_string_equal(name, cases[i].want);
		assert_string_equal(shown, cases[i].want ? cases[i].want : cases[i].name);
		free(name);
		free(shown);
	}
}

static void names_that_are_very_long_are_left_alone(void **state)
{
	char name[DEMANGLE_MAX + 2];

	(void)state;
	memset(name, 'v', sizeof(name));
	memcpy(name, "_Z1f", 4);
	name[DEMANGLE_MAX + 1] = '\0';
	assert_null(demangle(name));
}

static void arguments_are_told_from_the_rest_of_a_name(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"ns::f(int)", "ns::f"},
		{"main", "main"},
		{"Foo::get() const", "Foo::get"},
		{"Foo::operator()(int, char)", "Foo::operator()"},
		{"(anonymous namespace)::work(char const*)", "(anonymous namespace)::work"},
		{"(anonymous namespace)::work", "(anonymous namespace)::work"},
		{"call(void (*)(int))", "call"},
		{"std::function<void (int)>::operator()(int) const",
		 "std::function<void (int)>::operator()"},
		{"std::vector<void (*)(int)>", "std::vector<void (*)(int)>"},
		{"f(int) [clone .cold]", "f"},
		{"f)", "f)"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = demangled_length(cases[i].name);

		assert_int_equal(length, strlen(cases[i].want));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_c_plus_plus_are_as_people_write_them),
	cmocka_unit_test(names_that_are_very_long_are_left_alone),
	cmocka_unit_test(arguments_are_told_from_the_rest_of_a_name),
};

TEST_FILE(tests);
