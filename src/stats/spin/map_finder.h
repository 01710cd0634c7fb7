/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the file that was mapped at an address of a process, by the recorded mappings. */
#ifndef PSCAL_STATS_SPIN_MAP_FINDER_H
#define PSCAL_STATS_SPIN_MAP_FINDER_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"

struct map_finder {
	const struct mapped **maps; /* sorted by process and begin */
	size_t map_count;
	struct map_place *places; /* the begins and ends of maps, sorted */
	size_t place_count;
	size_t leaves, *ends; /* leaves of a tree; by node: the end of its list of maps */
	/* the lists: maps that cover the whole node, sorted by time */
	const struct mapped **covering;
	const struct parentage **parents; /* sorted by process and time */
	size_t parent_count;
};

/* The samples must be complete and must not move. */
void map_finder_init(struct map_finder *finder, const struct samples *samples);
void map_finder_release(struct map_finder *finder);

/* Returns the map at `ip` at that time, in O(log^2 n) for any number of maps; NULL: not known. */
const struct mapped *map_finder_find(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns);

/*
 * Finds files that are mapped below an address at that time, the nearest first and `room` at most:
 * the data of a program or library follows its code. Returns their number.
 */
size_t map_finder_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t time_ns);

#endif
