/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring buffer into which the kernel writes the records of one CPU, and the records in it.
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
	size_t size;	     /* of `bytes`; a power of two */
	uint64_t head, tail; /* the bytes read last: positions since the ring was made */
	uint64_t at;	     /* position of the next record between them */
	uint8_t *joined;     /* a copy of a record that wraps around the end */
};

/* Maps `size` bytes for the event `fd`. Returns 0, or -1 with errno. */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* Initializes a ring on memory of the caller: a control page and `size` bytes. */
void ring_init(struct ring *ring, struct perf_event_mmap_page *page, const uint8_t *bytes,
	       size_t size);

/* Finds the new bytes and returns their number. They stay until they are consumed. */
size_t ring_read(struct ring *ring);

/* Returns the next record that ring_read() found; NULL at the end. Valid until the next call. */
const struct perf_event_header *ring_next(struct ring *ring);
void ring_consume(struct ring *ring);

/* Returns to the first record, without records from `head` on, an earlier ring->head. */
void ring_rewind(struct ring *ring, uint64_t head);

/* Moves forward to `at`, at most to the end of the records that were read. */
void ring_skip(struct ring *ring, uint64_t at);

/* Frees the memory after ring_init(); ring_unmap() includes this. */
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
 * Finds the event, the thread and the time of any record of an event with this layout. Returns 0,
 * or -1 if it is cut short, which the kernel never does.
 */
int record_parse(struct sample *sample, const struct perf_event_header *record,
		 const struct sample_layout *layout);

/* Parses one of the records above, and returns its body. NULL: cut short, or of another type. */
const void *record_body(struct sample *sample, const struct perf_event_header *record,
			const struct sample_layout *layout);

#endif
