/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void an_array_grows_one_by_one_and_keeps_what_it_holds(void **state)
{
	size_t capacity = 0, growths = 0;
	int *numbers = NULL;

	(void)state;
	for (size_t i = 0; i < 10000; i++) {
		size_t before = capacity;

		array_reserve(&numbers, &capacity, i + 1);
		assert_true(capacity > i);
		growths += capacity != before;
		assert_int_equal(numbers[i], 0);
		numbers[i] = (int)i + 1;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(numbers[i], (int)i + 1);
	assert_true(growths <= 12); /* the array doubles */
	free(numbers);
}

static void an_array_reserves_far_ahead_and_new_elements_are_zero(void **state)
{
	size_t capacity = 0;
	char *bytes = NULL;

	(void)state;
	array_reserve(&bytes, &capacity, 1);
	memset(bytes, 'x', capacity);
	array_reserve(&bytes, &capacity, 5000);
	assert_true(capacity >= 5000);
	for (size_t i = 8; i < capacity; i++)
		assert_int_equal(bytes[i], 0);
	assert_int_equal(bytes[7], 'x');
	free(bytes);
}

static void an_array_that_is_large_enough_does_not_move(void **state)
{
	size_t capacity = 0;
	char *bytes = NULL, *before;

	(void)state;
	array_reserve(&bytes, &capacity, 10);
	before = bytes;
	array_reserve(&bytes, &capacity, capacity);
	array_reserve(&bytes, &capacity, 1);
	assert_ptr_equal(bytes, before);
	free(bytes);
}

static void an_empty_array_can_be_freed(void **state)
{
	char *none = xcalloc(0, 0);

	(void)state;
	assert_non_null(none);
	none = xreallocarray(none, 0, 8);
	assert_non_null(none);
	free(none);
}

static void texts_are_copies(void **state)
{
	char text[] = "abc";
	char *copy = xstrdup(text), *made = xasprintf("%s-%d", text, 7);

	(void)state;
	text[0] = 'x';
	assert_string_equal(copy, "abc");
	assert_string_equal(made, "abc-7");
	free(copy);
	free(made);
}

/* Asks for more than an address space has; a product that overflows must not become a small
 * number. */
static void ask_for_too_much(int how)
{
	switch (how) {
	case 0:
		free(xcalloc(SIZE_MAX / 16, 64));
		break;
	case 1:
		free(xreallocarray(NULL, SIZE_MAX / 16, 64));
		break;
	default:
		free(xreallocarray(NULL, SIZE_MAX / 8, 1));
		break;
	}
}

static void without_memory_the_program_ends_with_a_sentence_and_status_1(void **state)
{
	(void)state;
	/* The sanitizer ends the program itself otherwise. */
	setenv("ASAN_OPTIONS", "allocator_may_return_null=1", 1);
	for (int how = 0; how < 3; how++) {
		char command[64], text[256] = "";
		FILE *child;
		size_t length;
		int status;

		snprintf(command, sizeof(command), "/proc/%d/exe %d 2>&1", getpid(), how);
		child = popen(command, "re");
		assert_non_null(child);
		length = fread(text, 1, sizeof(text) - 1, child);
		status = pclose(child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
		assert_true(length >= 21);
		assert_string_equal(text + length - 21, "pscal: out of memory\n");
	}
}

static void a_list_has_separators_between_its_items(void **state)
{
	char *text = NULL;

	(void)state;
	xappend(&text, ", ", "%s", "one");
	assert_string_equal(text, "one");
	xappend(&text, ", ", "%d %s", 2, "more");
	assert_string_equal(text, "one, 2 more");
	free(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_grows_one_by_one_and_keeps_what_it_holds),
		cmocka_unit_test(an_array_reserves_far_ahead_and_new_elements_are_zero),
		cmocka_unit_test(an_array_that_is_large_enough_does_not_move),
		cmocka_unit_test(an_empty_array_can_be_freed),
		cmocka_unit_test(texts_are_copies),
		cmocka_unit_test(without_memory_the_program_ends_with_a_sentence_and_status_1),
		cmocka_unit_test(a_list_has_separators_between_its_items),
	};

	if (argc > 1) {
		ask_for_too_much(atoi(argv[1]));
		return 0;
	}
	return RUN_TESTS(tests);
}
