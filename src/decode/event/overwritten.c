/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/overwritten.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096 };

void overwritten_note(struct overwritten *overwritten, int32_t cpu, uint64_t time_ns,
		      uint32_t bytes)
{
	struct overwritten_ring *ring;

	if (cpu < 0 || cpu >= CPU_MAX)
		return;
	array_reserve(&overwritten->rings, &overwritten->capacity, (size_t)cpu + 1);
	if ((size_t)cpu >= overwritten->count)
		overwritten->count = (size_t)cpu + 1;
	ring = &overwritten->rings[cpu];
	if (!ring->bytes || time_ns < ring->begin_ns)
		ring->begin_ns = time_ns;
	if (bytes > ring->record_max)
		ring->record_max = bytes;
	ring->bytes += bytes;
}

/* Was there room for no more than one record? perf leaves out the oldest also where it is whole. */
static bool is_full(const struct overwritten_ring *ring)
{
	uint64_t size = PAGE_BYTES;

	while (size < ring->bytes)
		size *= 2;
	return ring->bytes && size - ring->bytes <= ring->record_max;
}

uint64_t overwritten_until(const struct overwritten *overwritten)
{
	uint64_t until_ns = 0;

	for (size_t i = 0; i < overwritten->count; i++)
		if (is_full(&overwritten->rings[i]) && overwritten->rings[i].begin_ns > until_ns)
			until_ns = overwritten->rings[i].begin_ns;
	return until_ns;
}

void overwritten_release(struct overwritten *overwritten)
{
	free(overwritten->rings);
	*overwritten = (struct overwritten){0};
}
