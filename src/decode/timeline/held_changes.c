/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline_private.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_SIZE = 64 };

struct late_change {
	uint64_t end_ns, serial;
	size_t behind; /* the end of the ring when it was added */
	struct change change;
};

void held_changes_release(struct held_changes *held)
{
	free(held->ring);
	free(held->late);
	*held = (struct held_changes){0};
}

/* --- The ring ------------------------------------------------------------------------------ */

/* Doubles the ring: a change whose number has one more bit now moves up by the old size. */
static __attribute__((cold, noinline)) void held_grow(struct held_changes *held)
{
	size_t before = held->size, size = before ? 2 * before : FIRST_SIZE;

	held->ring = xreallocarray(held->ring, size, sizeof(*held->ring));
	held->size = size;
	for (size_t i = held->begin; i != held->end; i++)
		if (i & before)
			*held_at(held, i) = held->ring[i & (before - 1)];
}

/* --- The heap ------------------------------------------------------------------------------ */

static bool late_is_before(const struct late_change *a, const struct late_change *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->serial < b->serial;
}

static struct change *add_late(struct held_changes *held, uint64_t end_ns)
{
	struct late_change late = {.end_ns = end_ns, .behind = held->end};
	size_t i = held->late_count;

	late.serial = held->serial++;
	array_reserve(&held->late, &held->late_capacity, held->late_count + 1);
	held->late_count++;
	for (; i && late_is_before(&late, &held->late[(i - 1) / 2]); i = (i - 1) / 2)
		held->late[i] = held->late[(i - 1) / 2];
	held->late[i] = late;
	return &held->late[i].change;
}

/* Moves the first change behind the last one, where it stays until another is added. */
const struct change *held_changes_take_late(struct held_changes *held)
{
	struct late_change first = held->late[0], last = held->late[--held->late_count];
	size_t i = 0;

	for (size_t child = 1; child < held->late_count; child = 2 * i + 1) {
		if (child + 1 < held->late_count &&
		    late_is_before(&held->late[child + 1], &held->late[child]))
			child++;
		if (!late_is_before(&held->late[child], &last))
			break;
		held->late[i] = held->late[child];
		i = child;
	}
	held->late[i] = last;
	held->late[held->late_count] = first;
	return &held->late[held->late_count].change;
}

/* --- The ring and the heap ----------------------------------------------------------------- */

struct change *held_changes_add(struct held_changes *held, uint64_t end_ns, uint32_t *place)
{
	*place = 0;
	if (held->begin != held->end && held_at(held, held->end - 1)->end_ns > end_ns)
		return add_late(held, end_ns);
	if (held->end - held->begin == held->size)
		held_grow(held);
	*place = (uint32_t)++held->end;
	return held_at(held, held->end - 1);
}

struct change *held_changes_find(const struct held_changes *held, uint32_t place)
{
	uint32_t later = (uint32_t)held->end - place; /* changes behind it */
	struct change *change;

	if (!place || later >= held->end - held->begin)
		return NULL;
	change = held_at(held, held->end - 1 - later);
	return change->thread == HELD_MOVED ? NULL : change;
}

struct change *held_changes_advance(struct held_changes *held, uint32_t place, uint64_t end_ns)
{
	struct change *change = add_late(held, end_ns), *before = held_at(held, place - 1);

	*change = *before;
	change->end_ns = end_ns;
	before->thread = HELD_MOVED; /* the ring stays in the order of ends */
	return change;
}

/* Returns the earlier of `first`, of the ring or NULL, and the first change of the heap. */
const struct change *held_changes_first_late(const struct held_changes *held,
					     const struct change *first)
{
	const struct late_change *late = held->late;
	bool is_first = !first || late->end_ns < first->end_ns ||
			(late->end_ns == first->end_ns && late->behind <= held->begin);

	return is_first ? &late->change : first;
}

size_t held_changes_copy(const struct held_changes *held, struct change *changes)
{
	struct held_changes copy = *held;
	size_t count = 0;

	copy.late = xcalloc(held->late_count, sizeof(*copy.late));
	for (size_t i = 0; i < held->late_count; i++)
		copy.late[i] = held->late[i];
	for (const struct change *first; (first = held_changes_first(&copy));)
		changes[count++] = *held_changes_take(&copy, first);
	free(copy.late);
	return count;
}
