/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile from a table: the output of `pscal profile --format csv`, or `ready,wall_s` written by
 * hand or by another tool. A row `unknown` holds the unknown time; other columns are passed over.
 * levels_csv_matches() tells whether an input begins like one, and consumes nothing.
 */
#ifndef PSCAL_STATS_PROFILE_LEVELS_CSV_H
#define PSCAL_STATS_PROFILE_LEVELS_CSV_H

#include <stdbool.h>

struct err;
struct input;
struct level_times;

bool levels_csv_matches(struct input *input);

/* Returns 0, or -1 with a sentence. The caller releases `times`. */
int levels_csv_read(struct level_times *times, struct input *input, struct err *err);

#endif
