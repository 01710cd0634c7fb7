/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorted arrays: sorting items, dropping duplicates, finding an item.
 *
 *	sort_items(list->items, list->count, compare_items);
 *	i = find_first(at, 0, list->count, list->items[at].begin >= begin);
 */
#ifndef PSCAL_BASE_SORTED_H
#define PSCAL_BASE_SORTED_H

#include <stddef.h>
#include <stdlib.h>

/* Sorts an array, which may be NULL if it has no items. */
#define sort_items(items, count, compare) \
	((count) ? qsort((items), (count), sizeof(*(items)), (compare)) : (void)0)

/*
 * Keeps the first of equal items of a sorted array, in order, and moves the others behind them.
 * Returns the number of items kept.
 */
size_t drop_twins(void *items, size_t count, size_t size,
		  int (*compare)(const void *, const void *));

/*
 * The first `i` from `low` to `high` - 1 for which `condition` is true, or `high`. The condition
 * has to be false up to some `i` and true from there on.
 */
#define find_first(i, low, high, condition)                   \
	__extension__({                                       \
		size_t low_ = (low), high_ = (high);          \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
			if (condition)                        \
				high_ = i;                    \
			else                                  \
				low_ = i + 1;                 \
		}                                             \
		low_;                                         \
	})

/* The order of two numbers: -1, 0 or 1, as qsort(3) wants it. */
#define compare_values(a, b) (((a) > (b)) - ((a) < (b)))

/* Compares items that are plain numbers, for qsort(3). */
int compare_i32(const void *a, const void *b);
int compare_u32(const void *a, const void *b);
int compare_u64(const void *a, const void *b);
int compare_doubles(const void *a, const void *b);

#endif
