/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An agenda: future events in order, as a binary heap of small numbered entries. The entry with the
 * smallest key is first; at equal keys the one with the lower `tie`.
 */
#ifndef PSCAL_REPLAY_SIMULATE_AGENDA_H
#define PSCAL_REPLAY_SIMULATE_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agenda_entry {
	double key;
	uint32_t tie;
	uint32_t id;
};

struct agenda {
	struct agenda_entry *entries;
	size_t count, capacity;
	uint32_t *places; /* [id]: place of the entry in `entries`; NULL: not movable */
};

/*
 * An agenda that is all zero is empty, and not movable. A movable one has entries with the ids 0 ..
 * ids - 1, each at most once.
 */
void agenda_init_movable(struct agenda *agenda, size_t ids);
void agenda_release(struct agenda *agenda);

static inline const struct agenda_entry *agenda_first(const struct agenda *agenda)
{
	return agenda->count ? &agenda->entries[0] : NULL;
}

void agenda_add(struct agenda *agenda, struct agenda_entry entry);

/* Returns and removes the first entry. The agenda must not be empty. */
struct agenda_entry agenda_take_first(struct agenda *agenda);

/*
 * Replaces the entry with the id of `entry`, or removes the one with `id`. The agenda is movable.
 */
void agenda_move(struct agenda *agenda, struct agenda_entry entry);
void agenda_remove(struct agenda *agenda, uint32_t id);

#endif
