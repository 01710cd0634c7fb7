/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/blocks.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_name_has_one_number(void **state)
{
	struct blocks blocks = {0};

	(void)state;
	assert_int_equal(blocks_number(&blocks, "fold", 4), 0);
	assert_int_equal(blocks_number(&blocks, "fold(int)", 9), 1);
	assert_int_equal(blocks_number(&blocks, "folder", 4), 0);
	assert_int_equal(blocks_number(&blocks, "", 0), 2);
	assert_int_equal(blocks_number(&blocks, "fold\0it", 7), 0);
	assert_string_equal(blocks.items[1].name, "fold(int)");
	assert_int_equal(blocks.count, 3);
	blocks_release(&blocks);
}

static void a_hundred_thousand_names_have_one_number_each(void **state)
{
	enum { MANY = 100000 };
	struct blocks blocks = {0};
	char name[16];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < MANY; i++) {
			int length = snprintf(name, sizeof(name), "f%d", i);

			assert_int_equal(blocks_number(&blocks, name, (size_t)length), i);
		}
	assert_int_equal(blocks.count, MANY);
	blocks_release(&blocks);
}

static void names_beyond_the_limit_are_counted(void **state)
{
	struct blocks blocks = {0};
	char name[16];

	(void)state;
	for (int i = 0; i < BLOCKS_MAX; i++)
		blocks_number(&blocks, name, (size_t)snprintf(name, sizeof(name), "%x", i));
	assert_int_equal(blocks.dropped, 0);
	assert_int_equal(blocks_number(&blocks, "one more", 8), BLOCK_NONE);
	assert_int_equal(blocks_number(&blocks, "ff", 2), 0xff);
	assert_int_equal(blocks.dropped, 1);
	blocks_release(&blocks);
}

static void an_argument_keeps_its_first_name(void **state)
{
	struct blocks blocks = {0};
	uint32_t block = (uint32_t)blocks_number(&blocks, "search", 6);

	(void)state;
	assert_null(blocks_argument(&blocks, block, 0));
	blocks_name_argument(&blocks, block, 1, "needle=7", 6);
	blocks_name_argument(&blocks, block, 1, "other", 5);
	assert_null(blocks_argument(&blocks, block, 0));
	assert_string_equal(blocks_argument(&blocks, block, 1), "needle");
	blocks_release(&blocks);
}

/* The order of names in the file decides which alias comes first. */
static void an_alias_leads_to_the_first_name(void **state)
{
	struct blocks blocks = {0};
	char name[16];

	(void)state;
	assert_int_equal(blocks_number(&blocks, "sum_part_0", 10), 0);
	blocks_call(&blocks, "sum_part_0", "sum.part.0");
	blocks_call(&blocks, "work_2", "work$2");
	for (int i = 2; i < 1000; i++) { /* the table grows */
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(blocks_number(&blocks, name, strlen(name)), i);
	}
	assert_int_equal(blocks_number(&blocks, "sum_part_0", 10), 0);
	assert_int_equal(blocks_number(&blocks, "work_2", 6), 1);
	assert_string_equal(blocks.items[0].name, "sum.part.0");
	assert_string_equal(blocks.items[1].name, "work$2");
	blocks_call(&blocks, "work_2", "other"); /* the first name stays */
	assert_string_equal(blocks.items[1].name, "work$2");
	blocks_release(&blocks);
}

static void counters_that_are_times_are_known(void **state)
{
	struct blocks blocks = {.count = 0};

	(void)state;
	assert_int_equal(blocks_counter(&blocks, "task-clock:u more", 12), 0);
	assert_int_equal(blocks_counter(&blocks, "page-faults", 11), 1);
	assert_int_equal(blocks_counter(&blocks, "task-clock:u", 12), 0);
	assert_string_equal(blocks.counters[0].name, "task-clock:u");
	assert_true(blocks.counters[0].in_ns);
	assert_false(blocks.counters[1].in_ns);
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_name_has_one_number),
	cmocka_unit_test(a_hundred_thousand_names_have_one_number_each),
	cmocka_unit_test(names_beyond_the_limit_are_counted),
	cmocka_unit_test(an_argument_keeps_its_first_name),
	cmocka_unit_test(an_alias_leads_to_the_first_name),
	cmocka_unit_test(counters_that_are_times_are_known),
};

TEST_FILE(tests);
