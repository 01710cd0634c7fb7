/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"

#include "support.h"

#include <stdint.h>
#include <string.h>

static void the_first_item_is_found_at_every_place(void **state)
{
	static const uint32_t items[] = {1, 3, 3, 7, 9};
	static const struct {
		size_t low, high;
		uint32_t least;
		size_t found;
	} cases[] = {
		{0, 5, 0, 0}, {0, 5, 1, 0},  {0, 5, 2, 1}, {0, 5, 3, 1}, {0, 5, 4, 3}, {0, 5, 7, 3},
		{0, 5, 9, 4}, {0, 5, 10, 5}, {0, 0, 1, 0}, {2, 4, 1, 2}, {2, 4, 9, 4}, {3, 3, 9, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			find_first(at, cases[i].low, cases[i].high, items[at] >= cases[i].least),
			cases[i].found);
}

static void items_are_sorted_and_copies_dropped(void **state)
{
	static const struct {
		uint64_t items[6], kept[6];
		size_t count, kept_count;
	} cases[] = {
		{{0}, {0}, 0, 0},
		{{5}, {5}, 1, 1},
		{{5, 5}, {5}, 2, 1},
		{{3, 1, 2, 1, 3, 3}, {1, 2, 3}, 6, 3},
		{{UINT64_MAX, 0, UINT64_MAX, 1}, {0, 1, UINT64_MAX}, 4, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t items[6];
		size_t kept;

		memcpy(items, cases[i].items, sizeof(items));
		sort_items(items, cases[i].count, compare_u64);
		kept = drop_twins(items, cases[i].count, sizeof(items[0]), compare_u64);
		assert_int_equal(kept, cases[i].kept_count);
		assert_memory_equal(items, cases[i].kept, kept * sizeof(items[0]));
	}
}

static int compare_tens(const void *a, const void *b)
{
	return compare_values(*(const uint32_t *)a / 10, *(const uint32_t *)b / 10);
}

static void the_first_of_equal_items_stays_and_the_rest_follows(void **state)
{
	uint32_t items[] = {10, 11, 25, 24, 30};

	(void)state;
	assert_int_equal(drop_twins(items, 5, sizeof(items[0]), compare_tens), 3);
	assert_memory_equal(items, ((uint32_t[]){10, 25, 30}), 3 * sizeof(items[0]));
	sort_items(&items[3], 2, compare_u32);
	assert_memory_equal(&items[3], ((uint32_t[]){11, 24}), 2 * sizeof(items[0]));
}

static void numbers_are_compared_by_their_type(void **state)
{
	(void)state;
	assert_int_equal(compare_i32(&(int32_t){-1}, &(int32_t){1}), -1);
	assert_int_equal(compare_u32(&(uint32_t){UINT32_MAX}, &(uint32_t){1}), 1);
	assert_int_equal(compare_u64(&(uint64_t){7}, &(uint64_t){7}), 0);
	assert_int_equal(compare_doubles(&(double){-.5}, &(double){.25}), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_first_item_is_found_at_every_place),
	cmocka_unit_test(items_are_sorted_and_copies_dropped),
	cmocka_unit_test(the_first_of_equal_items_stays_and_the_rest_follows),
	cmocka_unit_test(numbers_are_compared_by_their_type),
};

TEST_FILE(tests);
