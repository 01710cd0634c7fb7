/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory allocation that does not fail: without memory the program ends with a sentence and status
 * 1. The caller frees the results with free().
 */
#ifndef PSCAL_BASE_ALLOC_H
#define PSCAL_BASE_ALLOC_H

#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Appends an entry to the list *text, behind the separator unless *text is NULL (the first entry).
 */
void xappend(char **text, const char *separator, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Room for `need` elements in a growing array; the array at least doubles, so that adding one
 * element at a time costs constant time on average. New elements are zero.
 *
 *	array_reserve(&list->items, &list->capacity, list->count + 1);
 */
#define array_reserve(array, capacity, need)                                                      \
	((need) > *(capacity)                                                                     \
		 ? (void)(*(array) = array_grow(*(array), (capacity), (need), sizeof(**(array)))) \
		 : (void)0)

/* Grows the array of array_reserve. It is marked cold: the caller keeps its registers. */
__attribute__((cold, noinline)) void *array_grow(void *array, size_t *capacity, size_t need,
						 size_t size);

#endif
