/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of future events: small numbered entries, each with a key, the least key first; a
 * binary heap. At equal keys the lower `tie` goes first.
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
	uint32_t *places; /* [id], of those that are in; NULL: nothing is ever moved or taken out */
};

/*
 * All zero it is empty, and takes things as they come. A movable one is of the things 0 .. ids - 1,
 * and holds each of them once at most.
 */
void agenda_init_movable(struct agenda *agenda, size_t ids);
void agenda_release(struct agenda *agenda);

static inline const struct agenda_entry *agenda_first(const struct agenda *agenda)
{
	return agenda->count ? &agenda->entries[0] : NULL;
}

void agenda_add(struct agenda *agenda, struct agenda_entry entry);

/* There has to be a first one. */
struct agenda_entry agenda_take_first(struct agenda *agenda);

/* Of a movable agenda: `entry` takes the place of the one with its id, or that one goes. */
void agenda_move(struct agenda *agenda, struct agenda_entry entry);
void agenda_remove(struct agenda *agenda, uint32_t id);

#endif
