/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

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

static void each_letter_put_in_taken_out_or_changed_counts(void **state)
{
	static const struct {
		const char *from, *to;
		size_t distance;
	} cases[] = {
		{"", "", 0},	      {"", "abc", 3},	   {"abc", "", 3},
		{"same", "same", 0},  {"work", "worm", 1}, {"work", "wrk", 1},
		{"work", "awork", 1}, {"ab", "ba", 2},	   {"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t got = edit_distance(cases[i].from, strlen(cases[i].from), cases[i].to,
					   strlen(cases[i].to));

		if (got != cases[i].distance)
			fail_msg("%s, %s: %zu", cases[i].from, cases[i].to, got);
	}
}

static void long_words_are_compared_at_their_beginnings(void **state)
{
	char a[1000], b[1000];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	b[0] = 'b';
	b[EDIT_DISTANCE_MAX] = 'b';
	assert_int_equal(edit_distance(a, sizeof(a), b, sizeof(b)), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_c_plus_plus_are_as_people_write_them),
	cmocka_unit_test(names_that_are_very_long_are_left_alone),
	cmocka_unit_test(arguments_are_told_from_the_rest_of_a_name),
	cmocka_unit_test(each_letter_put_in_taken_out_or_changed_counts),
	cmocka_unit_test(long_words_are_compared_at_their_beginnings),
};

TEST_FILE(tests);
