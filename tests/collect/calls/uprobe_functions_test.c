/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION(name) \
	"\t.type " name ", %function\n" name ":\n\tret\n\t.size " name ", .-" name "\n"

/* Names that compilers and C++ make; the last two are at one address. */
__asm__("\t.text\n" FUNCTION("odd.name.1") FUNCTION("odd_name_1") FUNCTION(
	"\"9odd$name\"") "\t.globl odd_alias\n\t.type odd_alias, %function\n\t.set "
			 "odd_alias, _odd_real\n"
			 "\t.globl _odd_real\n" FUNCTION("_odd_real"));

static char *own_spec(const char *function)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	path[length] = '\0';
	return xasprintf("%s:%s", path, function);
}

static const struct uprobe_target nobody = {.command = NULL};

static const struct uprobe_function *find(const struct uprobe_functions *functions,
					  const char *name)
{
	for (size_t i = 0; i < functions->count; i++)
		if (strcmp(functions->items[i].name, name) == 0)
			return &functions->items[i];
	return NULL;
}

static void names_become_words_that_differ(void **state)
{
	struct uprobe_functions functions = {.count = 0};
	char *spec = own_spec("*odd*");
	const char *one, *other;
	struct err err;

	(void)state;
	if (uprobe_functions_add(&functions, spec, &nobody, 2, "/proc", &err))
		fail_msg("%s", err.text);
	assert_int_equal(functions.count, 4);
	assert_int_equal(functions.place_count, 4);
	assert_non_null(find(&functions, "9odd$name"));
	assert_string_equal(find(&functions, "9odd$name")->event, "_9odd_name");
	one = find(&functions, "odd.name.1")->event;
	other = find(&functions, "odd_name_1")->event;
	assert_string_not_equal(one, other);
	assert_true(strncmp(one, "odd_name_1", 10) == 0 && strncmp(other, "odd_name_1", 10) == 0);
	assert_non_null(find(&functions, "odd_alias"));
	assert_null(find(&functions, "_odd_real"));

	/* The same name again adds no function. */
	assert_int_equal(uprobe_functions_add(&functions, spec, &nobody, 2, "/proc", &err), 0);
	assert_int_equal(functions.place_count, 4);
	uprobe_functions_release(&functions);
	free(spec);
}

static void functions_that_cannot_be_probed_are_reported(void **state)
{
	static const struct {
		const char *spec, *part;
	} cases[] = {
		{"/no/such/file:f", "No such file"},
		{"/:f", "is not a file"},
		{"/proc/self/status:f", "has no functions with names"},
		{"no-such-program-anywhere:f", "is neither a command in PATH"},
		{"libc.so.6:*", " functions, and a program that stops"},
		{"libc:_setjmp", "returns twice"},
		{"libc:no_such_function_at_all", "is called 'no_such_function_at_all'"},
		{"libc:pthread_mutex_lok", "did you mean 'pthread_mutex_lock'?"},
	};
	struct uprobe_functions functions = {.count = 0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
			uprobe_functions_add(&functions, cases[i].spec, &nobody, 0, "/proc", &err),
			-1);
		if (!strstr(err.text, cases[i].part))
			fail_msg("%s: %s", cases[i].spec, err.text);
		assert_int_equal(functions.place_count, 0);
	}
	uprobe_functions_release(&functions);
}

static void the_form_is_binary_and_function(void **state)
{
	static const struct {
		const char *spec;
		bool is_right;
	} cases[] = {
		{"a:b", true}, {"./a:b*", true}, {"a:ns::b", true}, {"a", false},
		{"a:", false}, {":b", false},	 {"", false},	    {":", false},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if ((uprobe_functions_check(cases[i].spec, &err) == 0) != cases[i].is_right)
			fail_msg("'%s'", cases[i].spec);
}

static void only_files_that_the_target_has_mapped_count(void **state)
{
	const pid_t own = getpid();
	const struct uprobe_target target = {.pids = &own, .pid_count = 1};
	struct uprobe_functions functions = {.count = 0};
	struct err err;

	(void)state;
	if (uprobe_functions_add(&functions, "libc:malloc", &target, 1, "/proc", &err))
		fail_msg("%s", err.text);
	assert_int_equal(functions.place_count, 1);
	assert_non_null(strstr(functions.places[0].path, "/libc"));
	/* The file is in PATH, but not mapped. */
	assert_int_equal(uprobe_functions_add(&functions, "env:*", &target, 1, "/proc", &err), -1);
	assert_non_null(strstr(err.text, "is not mapped by the target"));
	uprobe_functions_release(&functions);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_become_words_that_differ),
	cmocka_unit_test(functions_that_cannot_be_probed_are_reported),
	cmocka_unit_test(the_form_is_binary_and_function),
	cmocka_unit_test(only_files_that_the_target_has_mapped_count),
};

TEST_FILE(tests);
