/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/ring.h"

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
	*ring = (struct ring){0};
}

static size_t index_of(const struct ring *ring, uint64_t position)
{
	return (size_t)(position & (ring->size - 1));
}

size_t ring_read(struct ring *ring, struct ring_span spans[2])
{
	size_t begin = index_of(ring, ring->tail);
	size_t size, to_end;

	/* Pairs with the kernel's barrier between writing a record and moving the head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	size = (size_t)(ring->head - ring->tail);
	to_end = ring->size - begin;
	spans[0] = (struct ring_span){ring->bytes + begin, size < to_end ? size : to_end};
	spans[1] = (struct ring_span){ring->bytes, size - spans[0].size};
	return size;
}

void ring_consume(struct ring *ring)
{
	ring->tail = ring->head;
	/* All reading is done before the kernel may write there again. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* Records are multiples of 8 bytes, so a word never runs over the end of the ring. */
static uint64_t word_at(const struct ring *ring, uint64_t position)
{
	uint64_t word;

	memcpy(&word, ring->bytes + index_of(ring, position), sizeof(word));
	return word;
}

int ring_next(const struct ring *ring, size_t *offset, union ring_record *record)
{
	uint64_t position = ring->tail + *offset;
	size_t size;

	if (position >= ring->head)
		return 0;
	record->words[0] = word_at(ring, position);
	size = record->header.size;
	if (size < sizeof(record->header) || size > ring->head - position)
		return 0; /* the kernel never does that */
	for (size_t i = 1; i < sizeof(record->words) / sizeof(record->words[0]); i++)
		record->words[i] = i * 8 < size ? word_at(ring, position + i * 8) : 0;
	*offset += size;
	return 1;
}
