/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring buffer that the kernel writes the records of one CPU into, and the records in it.
 * Source: perf_event_open(2), "MMAP layout", and linux/perf_event.h.
 *
 *	if (ring_read(&ring)) {
 *		while ((record = ring_next(&ring)))
 *			...
 *		ring_consume(&ring);
 *	}
 */
#ifndef PSCAL_COLLECT_KERNEL_RING_H
#define PSCAL_COLLECT_KERNEL_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/sample.h"

struct ring {
	struct perf_event_mmap_page *page; /* shared with the kernel */
	const uint8_t *bytes;
	size_t size;	     /* of bytes; a power of two */
	uint64_t head, tail; /* what was read last: bytes since the ring was made */
	uint64_t at;	     /* the next record, between the two */
	uint8_t *joined;     /* a record that runs over the end, in one piece */
};

/* Maps `size` bytes for the event `fd`. Returns 0, or -1 with errno. */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* The same on memory that the caller owns: a control page and `size` bytes. */
void ring_init(struct ring *ring, struct perf_event_mmap_page *page, const uint8_t *bytes,
	       size_t size);

/*
 * Looks what is new. Returns how many bytes there are. The kernel leaves them alone until they are
 * consumed.
 */
size_t ring_read(struct ring *ring);

/* The next record of what ring_read() found, NULL at its end. Valid until the next call. */
const struct perf_event_header *ring_next(struct ring *ring);
void ring_consume(struct ring *ring);

/*
 * Back to the first record. What lies at `head` or behind, which ring->head was when it was read
 * before, is left for the next time.
 */
void ring_rewind(struct ring *ring, uint64_t head);

/* On to `at`, no further than the end of the records that were read; never back. */
void ring_skip(struct ring *ring, uint64_t at);

/* Frees what ring_init() led to; ring_unmap() does it as well. */
void ring_release(struct ring *ring);

/* --- Records ------------------------------------------------------------------------------- */

/* PERF_RECORD_LOST */
struct lost_body {
	uint64_t id, lost;
};

/* PERF_RECORD_COMM */
struct comm_body {
	uint32_t pid, tid;
	char comm[]; /* 8 or 16 bytes */
};

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct task_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

/* PERF_RECORD_READ of an event that asks for both times and its id. */
struct read_body {
	uint32_t pid, tid;
	uint64_t value, enabled_ns, running_ns, id;
};

/* PERF_RECORD_SWITCH_CPU_WIDE, and the beginning of PERF_RECORD_MMAP2 */
struct thread_body {
	uint32_t pid, tid;
};

/*
 * The event, the thread and the time of any record of an event with this layout. Returns
 * 0, or -1 when it is cut short, which the kernel never does.
 */
int record_parse(struct sample *sample, const struct perf_event_header *record,
		 const struct sample_layout *layout);

/*
 * The same of one of the records above, whose body is returned. Returns NULL when it is cut short,
 * and for records of other types.
 */
const void *record_body(struct sample *sample, const struct perf_event_header *record,
			const struct sample_layout *layout);

#endif
