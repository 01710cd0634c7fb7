/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a profile from a table: the output of `pscal profile --format csv`, or columns
 * `ready,wall_s` from elsewhere. A row `unknown` has the unknown time; other columns are ignored.
 * levels_csv_matches() says if an input begins like such a table, and consumes nothing.
 */
#ifndef PSCAL_STATS_PROFILE_LEVELS_CSV_H
#define PSCAL_STATS_PROFILE_LEVELS_CSV_H

#include <stdbool.h>

struct err;
struct input;
struct level_times;

bool levels_csv_matches(struct input *input);

/* Returns 0, or -1 with an error. The caller releases `times`. */
int levels_csv_read(struct level_times *times, struct input *input, struct err *err);

#endif
