/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes that are not given out yet, as later events may amend them or tell of earlier ones.
 * They come out in the order of their ends, of which most are told in order: those are in a ring.
 * A change that is told too late for it, or amended, is in a heap, so that either costs O(log n) at
 * most.
 */
#ifndef PSCAL_DECODE_TIMELINE_HELD_CHANGES_H
#define PSCAL_DECODE_TIMELINE_HELD_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"

struct late_change;

struct held_changes {
	struct change *ring;	  /* its size is a power of two or 0 */
	size_t size, begin, end;  /* the last two count up for ever */
	struct late_change *late; /* a heap; the earliest is the first */
	size_t late_count, late_capacity;
	uint64_t serial; /* how many have got into it */
};

void held_changes_release(struct held_changes *held);

/* How many places are taken, also by amended ones. */
static inline size_t held_changes_count(const struct held_changes *held)
{
	return held->end - held->begin + held->late_count;
}

/*
 * The place of a change that ends then, which the caller fills in at once; it stands behind those
 * that end at the same time. *place is where to find it again; 0: nowhere.
 */
struct change *held_changes_add(struct held_changes *held, uint64_t end_ns, size_t *place);

/* The change at a place; NULL when it is not held there any more. */
struct change *held_changes_find(const struct held_changes *held, size_t place);

/* The change at a place ends earlier, at `end_ns`, and stands behind those that do so, too. */
struct change *held_changes_advance(struct held_changes *held, size_t place, uint64_t end_ns);

const struct change *held_changes_first_late(const struct held_changes *held,
					     const struct change *first);
const struct change *held_changes_take_late(struct held_changes *held);

/* The thread of a change in the ring that is to be found in the heap. */
#define HELD_MOVED SIZE_MAX

static inline struct change *held_at(const struct held_changes *held, size_t i)
{
	return &held->ring[i & (held->size - 1)];
}

/* The first one; NULL when there is none. */
static inline const struct change *held_changes_first(struct held_changes *held)
{
	const struct change *first;

	while (held->begin != held->end && held_at(held, held->begin)->thread == HELD_MOVED)
		held->begin++;
	first = held->begin == held->end ? NULL : held_at(held, held->begin);
	return held->late_count ? held_changes_first_late(held, first) : first;
}

/* It is given out: valid until one is added. */
static inline const struct change *held_changes_take(struct held_changes *held,
						     const struct change *first)
{
	if (held->late_count && (held->begin == held->end || first != held_at(held, held->begin)))
		return held_changes_take_late(held);
	held->begin++;
	__builtin_prefetch(held_at(held, held->begin + 8)); /* made long ago */
	return first;
}

/* Copies all, in their order, to where there is room for held_changes_count(). Returns how many. */
size_t held_changes_copy(const struct held_changes *held, struct change *changes);

#endif
