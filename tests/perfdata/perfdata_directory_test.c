/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_directory.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/directory_of_files.h"
#include "support.h"

#include <string.h>

static void a_directory_is_opened_at_its_first_file(void **state)
{
	struct directory directory;
	struct err err = {""};
	struct input *input;

	(void)state;
	directory_make(&directory);
	assert_null(perfdata_directory_open(directory.path, INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, "is a directory without a file 'data'"));
	directory_add(&directory, "data", "x", 1);
	input = perfdata_directory_open(directory.path, INPUT_OF_ANYONE, &err);
	assert_non_null(input);
	assert_string_equal(input_name(input), directory.files[0]);
	input_close(input);
	directory_remove(&directory);
	assert_null(perfdata_directory_open("/nowhere/at/all", INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, "/nowhere/at/all: cannot open"));
}

static void the_files_beside_it_come_by_their_numbers(void **state)
{
	struct directory directory;
	struct input **inputs, *data;
	struct err err = {""};
	size_t count;

	(void)state;
	directory_make(&directory);
	data = input_open(directory_add(&directory, "data", "x", 1), &err);
	assert_int_equal(perfdata_directory_rest(&inputs, &count, data, &err), -1);
	assert_non_null(strstr(err.text, "are not beside it"));
	directory_add(&directory, "data.10", "b", 1);
	directory_add(&directory, "data.2", "a", 1);
	directory_add(&directory, "data.3", "", 0); /* a CPU on which nothing happened */
	directory_add(&directory, "data.old", "c", 1);
	directory_add(&directory, "data.-1", "c", 1);
	assert_int_equal(perfdata_directory_rest(&inputs, &count, data, &err), 0);
	assert_int_equal(count, 2);
	assert_non_null(strstr(input_name(inputs[0]), "/data.2"));
	assert_non_null(strstr(input_name(inputs[1]), "/data.10"));
	input_close(inputs[0]);
	input_close(inputs[1]);
	free(inputs);
	input_close(data);
	directory_remove(&directory);
}

static void a_file_of_another_name_has_none_beside_it(void **state)
{
	struct directory directory;
	struct input **inputs, *data;
	struct err err = {""};
	size_t count;

	(void)state;
	directory_make(&directory);
	data = input_open(directory_add(&directory, "perf.data", "x", 1), &err);
	directory_add(&directory, "data.0", "a", 1);
	assert_int_equal(perfdata_directory_rest(&inputs, &count, data, &err), -1);
	input_close(data);
	directory_remove(&directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_is_opened_at_its_first_file),
		cmocka_unit_test(the_files_beside_it_come_by_their_numbers),
		cmocka_unit_test(a_file_of_another_name_has_none_beside_it),
	};

	return RUN_TESTS(tests);
}
