/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to the header and the sections of a perf.data file of either byte order. */
#ifndef PSCAL_TESTS_DAMAGE_PERFDATA_EDIT_H
#define PSCAL_TESTS_DAMAGE_PERFDATA_EDIT_H

#include "decode/recording_bytes.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>

/* True if the file has the other byte order. */
bool edit_is_swapped(const struct bytes *bytes);

/* Turns each 64 bits into the other byte order. */
void edit_swap_words(void *words, size_t size);

/* Reads the header in the byte order of this machine. Returns false if there is none, as in a
 * stream. */
bool edit_get_header(struct perfdata_header *header, const struct bytes *bytes);
void edit_put_header(struct bytes *bytes, struct perfdata_header header);

/*
 * Moves the sections of the features by `by` bytes in their table; the table is behind the data,
 * and `header` tells its place in `bytes`.
 */
void edit_move_sections(struct bytes *bytes, const struct perfdata_header *header, uint64_t by);

#endif
