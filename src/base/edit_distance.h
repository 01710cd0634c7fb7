/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How alike two words are. */
#ifndef PSCAL_BASE_EDIT_DISTANCE_H
#define PSCAL_BASE_EDIT_DISTANCE_H

#include <stddef.h>

/* Of longer words only so much counts. */
enum { EDIT_DISTANCE_MAX = 128 };

/* How many letters have to be put in, taken out or changed [Levenshtein 1966]. */
size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length);

#endif
