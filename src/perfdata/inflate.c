/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/inflate.h"

#include "base/alloc.h"
#include "perfdata/byte_order.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

/* Room for the largest record, and as much again to unpack in one go. */
enum { CAPACITY = 256 << 10 };

struct inflate {
	ZSTD_DStream *stream;
	bool swapped; /* records are of the other byte order */
	ZSTD_inBuffer payload;
	bool drained; /* there is nothing left of the payload, nor within zstd */
	size_t begin, end;
	char bytes[CAPACITY];
};

struct inflate *inflate_new(bool swapped)
{
	struct inflate *inflate = xcalloc(1, sizeof(*inflate));

	inflate->stream = ZSTD_createDStream();
	if (!inflate->stream)
		abort();
	inflate->swapped = swapped;
	inflate->drained = true;
	return inflate;
}

void inflate_free(struct inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

void inflate_feed(struct inflate *inflate, const void *payload, size_t length)
{
	inflate->payload = (ZSTD_inBuffer){payload, length, 0};
	inflate->drained = false;
}

/* Unpacks behind what has not been read yet. Returns 0, or -1 when the payload is damaged. */
static int unpack(struct inflate *inflate)
{
	ZSTD_outBuffer out;
	size_t rc;

	memmove(inflate->bytes, inflate->bytes + inflate->begin, inflate->end - inflate->begin);
	inflate->end -= inflate->begin;
	inflate->begin = 0;
	out = (ZSTD_outBuffer){inflate->bytes, sizeof(inflate->bytes), inflate->end};
	rc = ZSTD_decompressStream(inflate->stream, &out, &inflate->payload);
	if (ZSTD_isError(rc))
		return -1;
	inflate->drained = inflate->payload.pos == inflate->payload.size && out.pos < out.size;
	inflate->end = out.pos;
	return 0;
}

int inflate_next(struct inflate *inflate, const char **record)
{
	for (;;) {
		size_t left = inflate->end - inflate->begin;
		struct perf_event_header header;

		*record = inflate->bytes + inflate->begin;
		if (left >= sizeof(header)) {
			memcpy(&header, *record, sizeof(header));
			header.size = byte_order_u16(header.size, inflate->swapped);
			if (header.size < sizeof(header))
				return -1;
			if (header.size <= left) {
				inflate->begin += header.size;
				return 1;
			}
		}
		if (inflate->drained)
			return 0;
		if (unpack(inflate))
			return -1;
	}
}

int inflate_has_rest(const struct inflate *inflate)
{
	return inflate->end > inflate->begin;
}
