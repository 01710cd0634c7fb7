/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring buffer that the kernel writes the records of one CPU into. Source: perf_event_open(2),
 * "MMAP layout".
 *
 *	struct ring_span spans[2];
 *	if (ring_read(&ring, spans)) {
 *		... spans[0], then spans[1], hold whole records ...
 *		ring_consume(&ring);
 *	}
 */
#ifndef PSCAL_COLLECT_RING_H
#define PSCAL_COLLECT_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	struct perf_event_mmap_page *page; /* shared with the kernel */
	const uint8_t *bytes;
	size_t size;	     /* of bytes; a power of two */
	uint64_t head, tail; /* what was read last: bytes since the ring was made */
};

struct ring_span {
	const uint8_t *bytes;
	size_t size;
};

/* What a caller looks at of one record; longer ones are cut. */
union ring_record {
	struct perf_event_header header;
	uint64_t words[8];
};

/* Maps `size` bytes for the event `fd`. Returns 0, or -1 with errno. */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* The same on memory that the caller owns: a control page and `size` bytes. */
void ring_init(struct ring *ring, struct perf_event_mmap_page *page, const uint8_t *bytes,
	       size_t size);

/*
 * All that is new, in one piece or, where it runs over the end of the ring, in two. Returns how
 * many bytes there are. The kernel leaves them alone until they are consumed.
 */
size_t ring_read(struct ring *ring, struct ring_span spans[2]);
void ring_consume(struct ring *ring);

/*
 * Walks the records that ring_read() gave: copies the beginning of the one at *offset (0 for the
 * first) and moves *offset on. Returns 0 at the end.
 */
int ring_next(const struct ring *ring, size_t *offset, union ring_record *record);

#endif
