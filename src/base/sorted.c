/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"

#include <stdint.h>

static void swap_items(char *one, char *other, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = one[i];

		one[i] = other[i];
		other[i] = byte;
	}
}

size_t drop_twins(void *items, size_t count, size_t size,
		  int (*compare)(const void *, const void *))
{
	char *all = items;
	size_t kept = count > 0;

	for (size_t i = 1; i < count; i++) {
		if (compare(all + (kept - 1) * size, all + i * size) == 0)
			continue;
		if (kept < i)
			swap_items(all + kept * size, all + i * size, size);
		kept++;
	}
	return kept;
}

int compare_i32(const void *a, const void *b)
{
	return compare_values(*(const int32_t *)a, *(const int32_t *)b);
}

int compare_u32(const void *a, const void *b)
{
	return compare_values(*(const uint32_t *)a, *(const uint32_t *)b);
}

int compare_u64(const void *a, const void *b)
{
	return compare_values(*(const uint64_t *)a, *(const uint64_t *)b);
}

int compare_doubles(const void *a, const void *b)
{
	return compare_values(*(const double *)a, *(const double *)b);
}
