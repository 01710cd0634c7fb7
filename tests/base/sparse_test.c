/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sparse.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>

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

static void what_was_set_is_found_and_nothing_else(void **state)
{
	struct sparse *sparse = new_sparse();
	char things[EDGES];

	(void)state;
	for (size_t i = 0; i < EDGES; i++) {
		assert_null(sparse_get(sparse, edges[i]));
		sparse_set(sparse, edges[i], &things[i]);
	}
	for (size_t i = 0; i < EDGES; i++)
		assert_ptr_equal(sparse_get(sparse, edges[i]), &things[i]);
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

static void what_is_taken_away_is_gone_and_can_be_set_again(void **state)
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
	cmocka_unit_test(what_was_set_is_found_and_nothing_else),
	cmocka_unit_test(an_index_beyond_the_range_holds_nothing),
	cmocka_unit_test(what_is_taken_away_is_gone_and_can_be_set_again),
};

TEST_FILE(tests);
