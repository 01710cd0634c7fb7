/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/ring.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void ring_init(struct ring *ring, struct perf_event_mmap_page *page, const uint8_t *bytes,
	       size_t size)
{
	*ring = (struct ring){.page = page, .bytes = bytes, .size = size};
}

int ring_map(struct ring *ring, int fd, size_t size)
{
	uint8_t *pages = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pages == MAP_FAILED)
		return -1;
	ring_init(ring, (struct perf_event_mmap_page *)pages, pages + page_size(), size);
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, page_size() + ring->size);
	ring_release(ring);
}

static size_t index_of(const struct ring *ring, uint64_t position)
{
	return (size_t)(position & (ring->size - 1));
}

size_t ring_read(struct ring *ring)
{
	/* Pairs with the kernel's barrier between writing a record and moving the head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->at = ring->tail;
	return (size_t)(ring->head - ring->tail);
}

/* Records are multiples of 8 bytes, so a header never runs over the end of the ring. */
const struct perf_event_header *ring_next(struct ring *ring)
{
	size_t begin = index_of(ring, ring->at), to_end = ring->size - begin;
	const struct perf_event_header *record = (const void *)(ring->bytes + begin);
	size_t size;

	if (ring->at >= ring->head)
		return NULL;
	size = record->size;
	if (size < sizeof(*record) || size > ring->head - ring->at)
		return NULL; /* the kernel never does that */
	ring->at += size;
	if (size <= to_end)
		return record;
	if (!ring->joined)
		ring->joined = xcalloc(1, UINT16_MAX + 1);
	memcpy(ring->joined, ring->bytes + begin, to_end);
	memcpy(ring->joined + to_end, ring->bytes, size - to_end);
	return (const void *)ring->joined;
}

void ring_consume(struct ring *ring)
{
	ring->tail = ring->head;
	/* Orders all reads before the kernel writes there again. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

void ring_rewind(struct ring *ring, uint64_t head)
{
	ring->head = head;
	ring->at = ring->tail;
}

void ring_skip(struct ring *ring, uint64_t at)
{
	if (at > ring->tail)
		ring->at = at;
}

void ring_release(struct ring *ring)
{
	free(ring->joined);
	*ring = (struct ring){0};
}

/* --- Records ------------------------------------------------------------------------------- */

/* The smallest body of each type; PERF_RECORD_SWITCH has none. */
static const struct {
	bool is_known;
	size_t size;
} bodies[] = {
	[PERF_RECORD_LOST] = {true, sizeof(struct lost_body)},
	[PERF_RECORD_COMM] = {true, sizeof(struct comm_body) + 8},
	[PERF_RECORD_EXIT] = {true, sizeof(struct task_body)},
	[PERF_RECORD_FORK] = {true, sizeof(struct task_body)},
	[PERF_RECORD_READ] = {true, sizeof(struct read_body)},
	[PERF_RECORD_MMAP2] = {true, sizeof(struct thread_body)},
	[PERF_RECORD_SWITCH] = {true, 0},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {true, sizeof(struct thread_body)},
};
enum { BODY_TYPES = sizeof(bodies) / sizeof(bodies[0]) };

int record_parse(struct sample *sample, const struct perf_event_header *record,
		 const struct sample_layout *layout)
{
	size_t length = record->size - sizeof(*record);

	return record->type == PERF_RECORD_SAMPLE
		       ? sample_parse(sample, layout, record + 1, length)
		       : sample_parse_trailer(sample, layout, record + 1, length);
}

const void *record_body(struct sample *sample, const struct perf_event_header *record,
			const struct sample_layout *layout)
{
	size_t least = sizeof(*record) + layout->trailer.size;

	if (record->type >= BODY_TYPES || !bodies[record->type].is_known ||
	    record->size < least + bodies[record->type].size)
		return NULL;
	return record_parse(sample, record, layout) ? NULL : record + 1;
}
