/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/pauses.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

/* --- When a recording was off -------------------------------------------------------------- */

void pauses_add(struct pauses *pauses, uint64_t begin_ns, uint64_t end_ns)
{
	array_reserve(&pauses->list, &pauses->capacity, pauses->count + 1);
	pauses->list[pauses->count++] = (struct pause){begin_ns, end_ns};
}

static bool pauses_hold(const struct pauses *pauses, uint64_t time_ns)
{
	size_t low = 0, high = pauses->count; /* the last that begins before is below `high` */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pauses->list[middle].begin_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && time_ns < pauses->list[low - 1].end_ns;
}

static size_t pauses_apply_birth(const struct event *event, struct event out[PAUSES_OUT_MAX])
{
	out[0] = out[1] = *event;
	out[1].kind = EVENT_GAP;
	out[1].cpu = -1;
	out[1].note = QUALITY_PAUSED;
	return 2;
}

/* Its last switch, which comes a moment later, is not recorded. */
static size_t pauses_apply_exit(const struct event *event, struct event out[PAUSES_OUT_MAX])
{
	out[0] = *event;
	out[0].kind = EVENT_SWITCH;
	out[0].state = STATE_NONE;
	out[0].other = out[0].other_pid = 0;
	return 1;
}

size_t pauses_apply(const struct pauses *pauses, const struct event *event,
		    struct event out[PAUSES_OUT_MAX])
{
	out[0] = *event;
	if (!pauses_hold(pauses, event->time_ns))
		return 1;
	switch (event->kind) {
	case EVENT_FORK:
		return pauses_apply_birth(event, out);
	case EVENT_EXIT:
		return pauses_apply_exit(event, out);
	case EVENT_END:
	case EVENT_EXEC:
	case EVENT_TASK:
	case EVENT_GAP:
	case EVENT_NOTE:
		return 1;
	default:
		return 0;
	}
}

void pauses_release(struct pauses *pauses)
{
	free(pauses->list);
	*pauses = (struct pauses){0};
}

/* --- What rings have forgotten ------------------------------------------------------------- */

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
static bool overwritten_ring_is_full(const struct overwritten_ring *ring)
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
		if (overwritten_ring_is_full(&overwritten->rings[i]) &&
		    overwritten->rings[i].begin_ns > until_ns)
			until_ns = overwritten->rings[i].begin_ns;
	return until_ns;
}

void overwritten_release(struct overwritten *overwritten)
{
	free(overwritten->rings);
	*overwritten = (struct overwritten){0};
}
