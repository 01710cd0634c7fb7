/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include "base/alloc.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The names are those of c++filt of binutils. */
static void names_of_c_plus_plus_and_rust_are_as_people_write_them(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"_ZN2ns1fEi", "ns::f(int)"},
		{"_ZNK3Foo3getEv", "Foo::get() const"},
		{"_ZN12_GLOBAL__N_14workEPKc", "(anonymous namespace)::work(char const*)"},
		{"_ZSt4sortIPiEvT_S1_", "void std::sort<int*>(int*, int*)"},
		{"_ZN3FoocvbEv", "Foo::operator bool()"},
		{"_ZN1a4main17h1854dee5fd9945b4E", "a::main"},
		{"_ZN1a4main17h1854dee5fd9945b4E.llvm.61940206", "a::main"},
		{"_ZN1a4main17h1854dee5fd99zzzzE", "a::main::h1854dee5fd99zzzz"},
		{"_ZN47_$LT$a..Pool$LT$T$GT$$u20$as$u20$a..Service$GT$4call17h59f1b68f2e6fd12fE",
		 "<a::Pool<T> as a::Service>::call"},
		{"_RNvC1a4main", "a::main"},
		{"_RNvCs6xxl1lAjzDf_1a4main.llvm.61940206", "a::main"},
		{"_RNvXCs6xxl1lAjzDf_1aINtB2_4PoolmENtB2_7Service4call",
		 "<a::Pool<u32> as a::Service>::call"},
		{"_RNCNvC1a4mains_0", "a::main::{closure#1}"},
		{"_RINvC1a4sortFG_RL0_tEuE", "a::sort::<for<'a> fn(&'a u16)>"},
		{"_RNvC1au9gre_6ka8i", "a::größe"},
		{"_RNvC1a10DGEMM_init", "a::DGEMM_init"},
		{"_RNvNtC1a9DFGEMM_12DGEMM_init", NULL},
		{"_RNvNtC1a8DGEMM_kB10DGEMM_init", "a::DGEMM_kB::DGEMM_init"},
		{"_RINvC1a10DGEMM_initFG_RL0_tEuE", "a::DGEMM_init::<for<'a> fn(&'a u16)>"},
		{"_RINvC1a1fFG0_uEuB7_E", "a::f::<for<'a, 'b> fn(()), for<'a, 'b> fn(())>"},
		{"main", NULL},
		{"", NULL},
		{"_", NULL},
		{"_Z", NULL},
		{"_R", NULL},
		{"__Z1fv", NULL},
		{"DGEMM_init", NULL},
		{"_RNvDGEMM_init", NULL},
		{"_Random", NULL},
		{"_ZERO", NULL},
		{"_ZN3foo", NULL},
		{"_RNvC1a", NULL},
	};

	(void)state;
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

enum { DOUBLED = 33 };

/* "f(A, P<A, A>, P<P<A, A>, P<A, A>>, ...": with S1_ for the second argument, S2_ for the third. */
static char *doubling_of_c_plus_plus(void)
{
	char *name = xstrdup("_Z1f1A1PIS_S_E");

	for (int i = 1; i <= DOUBLED; i++) {
		char sequence = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

		xappend(&name, "", "S0_IS%c_S%c_E", sequence, sequence);
	}
	return name;
}

/* "a::f::<((((), ()), ((), ())), ...>": with B, the place of the first, for the second of each pair. */
static char *doubling_of_rust(void)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = xstrdup("_RINvC1a1f");
	size_t place = strlen(name) - strlen("_R") + DOUBLED;

	for (int i = 0; i < DOUBLED; i++)
		xappend(&name, "", "T");
	xappend(&name, "", "u");
	for (size_t i = 0; i < DOUBLED; i++)
		xappend(&name, "", "B%c_E", digits[place - i - 1]);
	xappend(&name, "", "E");
	return name;
}

/* "f(a<a<a<int, int>, (the same)>, ...>...)", in whose types a pack is sought. */
static char *ways_to_a_pack_of_c_plus_plus(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = xstrdup("_Z1fDp");

	for (int i = 0; i <= DOUBLED; i++)
		xappend(&name, "", "1aI");
	xappend(&name, "", "iiE");
	for (int i = DOUBLED; i < 2 * DOUBLED; i++)
		xappend(&name, "", i < 36 ? "S%.0s%c_E" : "S%s%c_E", "1", digits[i % 36]);
	return name;
}

/* Their full names would take minutes, and gigabytes. */
static void names_that_expand_to_very_long_ones_are_left_alone(void **state)
{
	char *names[] = {doubling_of_c_plus_plus(),
			 ways_to_a_pack_of_c_plus_plus(),
			 doubling_of_rust(),
			 xstrdup("_RNvC1a4mainINvC1b3fooFGzzzzzzzzzz_uEuE"),
			 xstrdup("_RNvC1a4mainINvC1b3fooFGZZZ_uEuEuE"),
			 xstrdup("_RNvC1a4mainINvC1b3fooFGZZ_FGZZ_uEuEuE"),
			 xstrdup("_RINvC1a1fMINvC1b1gFG10_uEuEhB7_E")};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_null(demangle(names[i]));
		free(names[i]);
	}
}

static void arguments_are_separated_from_the_rest_of_a_name(void **state)
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
		{"<a::Pool<(u32, i64)> as a::Service>::call",
		 "<a::Pool<(u32, i64)> as a::Service>::call"},
		{"a::sort::<fn(&u16)>", "a::sort::<fn(&u16)>"},
		{"f)", "f)"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = demangled_length(cases[i].name);

		assert_int_equal(length, strlen(cases[i].want));
	}
}

static void each_inserted_removed_changed_or_exchanged_letter_counts(void **state)
{
	static const struct {
		const char *from, *to;
		size_t distance;
	} cases[] = {
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"same", "same", 0},
		{"work", "worm", 1},
		{"work", "wrk", 1},
		{"work", "awork", 1},
		{"ab", "ba", 1},
		{"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
		{"porfile", "profile", 1},
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

static void the_most_similar_names_are_suggested(void **state)
{
	static const char *const names[] = {"record",	"profile", "forecast", "fit", "list",
					    "timeline", "stretch", "interval", "pid", "profiles"};
	static const struct {
		const char *typed, *want;
	} cases[] = {
		{"porfile", "did you mean 'profile' or 'profiles'?"},
		{"rec", "did you mean 'record'?"},
		{"fti", "did you mean 'fit'?"},
		{"Record", "did you mean 'record'?"},
		{"inteval", "did you mean 'interval'?"},
		{"lit", "did you mean 'fit' or 'list'?"},
		{"tretch", "did you mean 'stretch'?"},
		{"line", "did you mean 'timeline'?"},
		{"dance", NULL},
		{"x", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nearest nearest;
		char *question;

		nearest_init(&nearest, cases[i].typed);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			nearest_try(&nearest, names[k]);
		question = nearest_question(&nearest);
		if (!cases[i].want)
			assert_null(question);
		else
			assert_string_equal(question, cases[i].want);
		free(question);
	}
}

static void only_a_few_suggestions_are_kept(void **state)
{
	static const char *const names[] = {"data4", "data2", "data33", "data1", "data3"};
	struct nearest nearest;
	char *list;

	(void)state;
	nearest_init(&nearest, "data");
	for (size_t i = 0; i < 5; i++)
		nearest_try(&nearest, names[i]);
	list = nearest_list(&nearest);
	assert_string_equal(list, "'data1', 'data2' or 'data3'");
	free(list);
}

static void a_long_name_has_no_similar_one(void **state)
{
	char name[5000];
	struct nearest nearest;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	nearest_init(&nearest, name);
	nearest_try(&nearest, name);
	nearest_try(&nearest, "xxx");
	nearest_init(&nearest, "xxx");
	nearest_try(&nearest, name);
	assert_int_equal(nearest.count, 0);
}

static void for_a_missing_file_similar_names_are_found(void **state)
{
	static const char *const files[] = {"pigz.data", "xz.data", "notes.txt", ".hidden.data"};
	static const struct {
		const char *typed, *want;
	} cases[] = {
		{"pigzz.data", "'pigz.data'"},
		{"pscal.data", "'pigz.data' or 'xz.data'"},
		{"note.txt", "'notes.txt'"},
		{"nothing", ""},
		{"sub.data", "'pigz.data' or 'xz.data'"},
		{"nowhere/pigz.data", ""},
	};
	char directory[] = "/tmp/pscal-nearest-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(mkdir("sub.dat", 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fclose(fopen(files[i], "w"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *path = xasprintf("%s/%s", directory, cases[i].typed), *list;
		struct nearest nearest;

		nearest_files(&nearest, cases[i].typed);
		list = nearest_list(&nearest);
		assert_string_equal(list, cases[i].want);
		free(list);
		nearest_files(&nearest, path);
		list = nearest_list(&nearest);
		assert_string_equal(list, cases[i].want);
		free(list);
		free(path);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	rmdir("sub.dat");
	rmdir(directory);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_c_plus_plus_and_rust_are_as_people_write_them),
	cmocka_unit_test(names_that_are_very_long_are_left_alone),
	cmocka_unit_test(names_that_expand_to_very_long_ones_are_left_alone),
	cmocka_unit_test(arguments_are_separated_from_the_rest_of_a_name),
	cmocka_unit_test(each_inserted_removed_changed_or_exchanged_letter_counts),
	cmocka_unit_test(long_words_are_compared_at_their_beginnings),
	cmocka_unit_test(the_most_similar_names_are_suggested),
	cmocka_unit_test(only_a_few_suggestions_are_kept),
	cmocka_unit_test(a_long_name_has_no_similar_one),
	cmocka_unit_test(for_a_missing_file_similar_names_are_found),
};

TEST_FILE(tests);
