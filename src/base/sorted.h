/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorted arrays: putting items in order, dropping those that are the same, finding one.
 *
 *	sort_items(list->items, list->count, compare_items);
 *	i = find_first(at, 0, list->count, list->items[at].begin >= begin);
 */
#ifndef PSCAL_BASE_SORTED_H
#define PSCAL_BASE_SORTED_H

#include <stddef.h>
#include <stdlib.h>

/* An array that has no items may be NULL. */
#define sort_items(items, count, compare) \
	((count) ? qsort((items), (count), sizeof(*(items)), (compare)) : (void)0)

/*
 * Of the items of a sorted array that are equal, the first one is kept: returns how many those are.
 * They keep their order, and those to be dropped stand behind them.
 */
size_t drop_twins(void *items, size_t count, size_t size,
		  int (*compare)(const void *, const void *));

/*
 * The first `i` from `low` on, and below `high`, of which `condition` is true; `high` where there is
 * none. The condition is false up to some `i` and true from there on.
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

/* -1, 0 or 1, as qsort(3) wants it. */
#define compare_values(a, b) (((a) > (b)) - ((a) < (b)))

/* Items that are plain numbers. */
int compare_i32(const void *a, const void *b);
int compare_u32(const void *a, const void *b);
int compare_u64(const void *a, const void *b);
int compare_doubles(const void *a, const void *b);

#endif
