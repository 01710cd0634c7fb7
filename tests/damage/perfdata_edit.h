/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to the header and the sections of a perf.data file of either byte order. */
#ifndef PSCAL_TESTS_DAMAGE_PERFDATA_EDIT_H
#define PSCAL_TESTS_DAMAGE_PERFDATA_EDIT_H

#include "decode/recording_bytes.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>

/* Is it of the other byte order? */
bool edit_is_swapped(const struct bytes *bytes);

/* The other byte order, of each 64 bits. */
void edit_swap_words(void *words, size_t size);

/* In the order of this machine. Returns false where there is none, as in a stream. */
bool edit_get_header(struct perfdata_header *header, const struct bytes *bytes);
void edit_put_header(struct bytes *bytes, struct perfdata_header header);

/*
 * The sections of the features lie `by` bytes further on; of their table, which is behind the data,
 * `header` says where it is in `bytes`.
 */
void edit_move_sections(struct bytes *bytes, const struct perfdata_header *header, uint64_t by);

#endif
