/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/agenda.h"

#include "base/alloc.h"

#include <stdlib.h>

void agenda_init_movable(struct agenda *agenda, size_t ids)
{
	*agenda = (struct agenda){.places = xcalloc(ids, sizeof(*agenda->places))};
}

void agenda_release(struct agenda *agenda)
{
	free(agenda->entries);
	free(agenda->places);
}

static inline bool is_before(const struct agenda_entry *a, const struct agenda_entry *b)
{
	return a->key < b->key || (a->key <= b->key && a->tie < b->tie);
}

static inline void agenda_put(struct agenda *agenda, size_t at, struct agenda_entry entry)
{
	agenda->entries[at] = entry;
	if (agenda->places)
		agenda->places[entry.id] = (uint32_t)at;
}

/* Moves `entry` from the gap at `at` towards the first place, as far as it belongs. */
static void rise(struct agenda *agenda, size_t at, struct agenda_entry entry)
{
	for (; at > 0; at = (at - 1) / 2) {
		const struct agenda_entry *parent = &agenda->entries[(at - 1) / 2];

		if (!is_before(&entry, parent))
			break;
		agenda_put(agenda, at, *parent);
	}
	agenda_put(agenda, at, entry);
}

/* Moves `entry` from the gap at `at` away from the first place. */
static void sink(struct agenda *agenda, size_t at, struct agenda_entry entry)
{
	const struct agenda_entry *entries = agenda->entries;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= agenda->count)
			break;
		if (child + 1 < agenda->count && is_before(&entries[child + 1], &entries[child]))
			child++;
		if (!is_before(&entries[child], &entry))
			break;
		agenda_put(agenda, at, entries[child]);
		at = child;
	}
	agenda_put(agenda, at, entry);
}

static void settle(struct agenda *agenda, size_t at, struct agenda_entry entry)
{
	if (at > 0 && is_before(&entry, &agenda->entries[(at - 1) / 2]))
		rise(agenda, at, entry);
	else
		sink(agenda, at, entry);
}

void agenda_add(struct agenda *agenda, struct agenda_entry entry)
{
	array_reserve(&agenda->entries, &agenda->capacity, agenda->count + 1);
	rise(agenda, agenda->count++, entry);
}

struct agenda_entry agenda_take_first(struct agenda *agenda)
{
	struct agenda_entry first = agenda->entries[0];

	if (--agenda->count)
		sink(agenda, 0, agenda->entries[agenda->count]);
	return first;
}

void agenda_move(struct agenda *agenda, struct agenda_entry entry)
{
	settle(agenda, agenda->places[entry.id], entry);
}

void agenda_remove(struct agenda *agenda, uint32_t id)
{
	size_t at = agenda->places[id];

	if (at < --agenda->count)
		settle(agenda, at, agenda->entries[agenda->count]);
}
