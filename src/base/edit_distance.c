/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/edit_distance.h"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
	size_t row[EDIT_DISTANCE_MAX + 1];

	from_length = smaller(from_length, EDIT_DISTANCE_MAX);
	to_length = smaller(to_length, EDIT_DISTANCE_MAX);
	for (size_t k = 0; k <= to_length; k++)
		row[k] = k;
	for (size_t i = 1; i <= from_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= to_length; k++) {
			size_t best = diagonal + (from[i - 1] != to[k - 1]);

			diagonal = row[k];
			row[k] = smaller(best, smaller(row[k], row[k - 1]) + 1);
		}
	}
	return row[to_length];
}
