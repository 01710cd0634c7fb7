/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/source_lines.h"

#include "stats/own_code.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Two lines of which each has code of its own. */
enum { LINE = __LINE__ + 1 };
__attribute__((noinline)) static int twice(volatile int *number)
{
	*number *= 2;
	return *number;
}

static const struct mapped *map_of(const struct samples *samples, uint64_t ip)
{
	for (size_t i = 0; i < samples->map_count; i++)
		if (ip >= samples->maps[i].begin && ip < samples->maps[i].end)
			return &samples->maps[i];
	fail_msg("%jx is not mapped", (uintmax_t)ip);
	return NULL;
}

static void code_has_the_line_that_it_was_made_from(void **state)
{
	struct source_lines lines = {0};
	struct samples own = {0};
	volatile int number = 1;
	uint64_t ip = (uint64_t)(uintptr_t)twice;
	const struct mapped *map;
	struct source_line line;

	(void)state;
	assert_int_equal(twice(&number), 2);
	own_code_map(&own);
	map = map_of(&own, ip);
	assert_true(source_lines_find(&line, &lines, map->path, ip - map->begin + map->offset));
	assert_true(strstr(line.file, "source_lines_test.c"));
	assert_in_range(line.line, LINE, LINE + 1);
	for (uint64_t i = 0; i < 8; i++)
		if (source_lines_find(&line, &lines, map->path, ip + i - map->begin + map->offset))
			assert_in_range(line.line, LINE, LINE + 5);
	assert_int_equal(lines.count, 1);
	source_lines_release(&lines);
	samples_release(&own);
}

static void what_is_not_there_has_no_line(void **state)
{
	static const char *const paths[] = {"/", "/is/nowhere", NULL};
	struct source_lines lines = {0};
	struct source_line line;
	char *text = strdup(file_with("\177ELF and no more", 15));

	(void)state;
	assert_false(source_lines_find(&line, &lines, text, 4));
	for (size_t i = 0; paths[i]; i++)
		assert_false(source_lines_find(&line, &lines, paths[i], 4));
	source_lines_release(&lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_the_line_that_it_was_made_from),
		cmocka_unit_test(what_is_not_there_has_no_line),
	};

	return RUN_TESTS(tests);
}
