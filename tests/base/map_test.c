/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/map.h"

#include "base/alloc.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 100000 };

static void keys_have_the_number_of_those_added_before(void **state)
{
	static const char *const keys[] = {"",	    "a",	"b",	     "ab",
					   "ba",    "12345678", "123456789", "1234567812345678",
					   "\0\0x", "a",	"12345678",  ""};
	static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 5, 0};
	struct map map = {0};

	(void)state;
	assert_int_equal(map_find(&map, "a", 1), MAP_NONE);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_equal(map_add(&map, keys[i], strlen(keys[i])), numbers[i]);
	assert_int_equal(map.count, 8);
	assert_int_equal(map_find(&map, "123456789", 9), 6);
	assert_int_equal(map_find(&map, "1234567", 7), MAP_NONE);
	map_release(&map);
	assert_int_equal(map_find(&map, "a", 1), MAP_NONE);
}

static void length_and_zeros_make_other_keys(void **state)
{
	struct map map = {0};
	const void *key;
	size_t size;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(map_add(&map, (char[20]){0}, i), i);
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(map_find(&map, (char[20]){0}, i), i);
		key = map_key(&map, i, &size);
		assert_int_equal(size, i);
		assert_memory_equal(key, (char[20]){0}, size);
	}
	map_release(&map);
}

static void many_keys_of_either_kind_are_found_again(void **state)
{
	struct map words = {0}, texts = {0};
	char text[32];

	(void)state;
	assert_int_equal(map_find_u64(&words, 0), MAP_NONE);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(map_add_u64(&words, (uint64_t)i << 40), i);
		assert_int_equal(map_add(&texts, text, (size_t)sprintf(text, "%u", i)), i);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(map_add_u64(&words, (uint64_t)i << 40), i);
		assert_int_equal(map_find_u64(&words, (uint64_t)i << 40), i);
		assert_int_equal(map_find_u64(&words, ((uint64_t)i << 40) + 1), MAP_NONE);
		assert_int_equal(map_find(&texts, text, (size_t)sprintf(text, "%u", i)), i);
		assert_int_equal(map_find(&texts, text, (size_t)sprintf(text, "%u.", i)), MAP_NONE);
	}
	assert_int_equal(words.count, MANY);
	map_release(&words);
	map_release(&texts);
}

/* With an order by the numbers of the keys, an attacker could choose keys that collide. */
static void maps_put_the_same_keys_into_other_places(void **state)
{
	struct map maps[2] = {{0}, {0}};

	(void)state;
	map_add_u64(&maps[0], 1);
	map_add_u64(&maps[1], 1);
	assert_true(maps[0].seed != maps[1].seed);
	map_release(&maps[0]);
	map_release(&maps[1]);
}

static const uint32_t edges[] = {
	0,
	1,
	SPARSE_LEAF - 1,
	SPARSE_LEAF,
	99999,
	1 << 20,
	SPARSE_MAX / 2,
	SPARSE_MAX - SPARSE_LEAF,
	SPARSE_MAX - 2,
	SPARSE_MAX - 1,
};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

static struct sparse *new_sparse(void)
{
	return xcalloc(1, sizeof(struct sparse));
}

static void free_sparse(struct sparse *sparse)
{
	sparse_release(sparse);
	free(sparse);
}

static void only_keys_that_were_set_are_found(void **state)
{
	struct sparse *sparse = new_sparse();
	char things[EDGES];

	(void)state;
	for (size_t i = 0; i < EDGES; i++) {
		assert_null(sparse_get(sparse, edges[i]));
		sparse_set(sparse, edges[i], &things[i]);
	}
	for (size_t i = 0; i < EDGES; i++) {
		assert_ptr_equal(sparse_get(sparse, edges[i]), &things[i]);
		assert_int_equal(sparse_next(sparse, i ? edges[i - 1] + 1 : 0), edges[i]);
	}
	assert_int_equal(sparse_next(sparse, SPARSE_MAX), SPARSE_MAX);
	sparse_set(sparse, SPARSE_MAX - 1, NULL);
	assert_int_equal(sparse_next(sparse, SPARSE_MAX - 1), SPARSE_MAX);
	sparse_set(sparse, SPARSE_MAX - 1, &things[EDGES - 1]);
	assert_null(sparse_get(sparse, 2));
	assert_null(sparse_get(sparse, SPARSE_LEAF + 1));
	assert_null(sparse_get(sparse, SPARSE_MAX - 3));
	free_sparse(sparse);
}

static void an_index_beyond_the_range_holds_nothing(void **state)
{
	struct sparse *sparse = new_sparse();

	(void)state;
	sparse_set(sparse, SPARSE_MAX - 1, sparse);
	assert_null(sparse_get(sparse, SPARSE_MAX));
	assert_null(sparse_get(sparse, UINT32_MAX));
	free_sparse(sparse);
}

static void a_removed_key_is_gone_and_can_be_set_again(void **state)
{
	struct sparse *sparse = new_sparse();
	int one, two;

	(void)state;
	sparse_set(sparse, 4711, &one);
	sparse_set(sparse, 4712, &two);
	sparse_set(sparse, 4711, NULL);
	assert_null(sparse_get(sparse, 4711));
	assert_ptr_equal(sparse_get(sparse, 4712), &two);
	sparse_set(sparse, 4711, &two);
	assert_ptr_equal(sparse_get(sparse, 4711), &two);
	free_sparse(sparse);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keys_have_the_number_of_those_added_before),
	cmocka_unit_test(length_and_zeros_make_other_keys),
	cmocka_unit_test(many_keys_of_either_kind_are_found_again),
	cmocka_unit_test(maps_put_the_same_keys_into_other_places),
	cmocka_unit_test(only_keys_that_were_set_are_found),
	cmocka_unit_test(an_index_beyond_the_range_holds_nothing),
	cmocka_unit_test(a_removed_key_is_gone_and_can_be_set_again),
};

TEST_FILE(tests);
