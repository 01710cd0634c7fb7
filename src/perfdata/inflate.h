/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records that perf record -z has compressed: the payloads of its COMPRESSED records, one zstd
 * stream, back to records. However much a payload unpacks to, it is unpacked by the piece.
 *
 *	inflate_feed(inflate, payload, length);
 *	while (inflate_next(inflate, &record) > 0)
 *		...
 */
#ifndef PSCAL_PERFDATA_INFLATE_H
#define PSCAL_PERFDATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

struct inflate;

/* `swapped`: the records are of the other byte order. */
struct inflate *inflate_new(bool swapped);
void inflate_free(struct inflate *inflate);

/* The next payload, borrowed until inflate_next() has said 0. */
void inflate_feed(struct inflate *inflate, const void *payload, size_t length);

/*
 * The next whole record, which begins with a struct perf_event_header (it may lie at an odd
 * address). Returns 1 and the record, valid until the next call; 0 when it takes the next payload;
 * -1 when the bytes are damaged: then nothing more can be read.
 */
int inflate_next(struct inflate *inflate, const char **record);

/* The last record is incomplete. */
int inflate_has_rest(const struct inflate *inflate);

#endif
