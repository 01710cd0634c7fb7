/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that was mapped at a place in the memory of a process, by the mappings on record. */
#ifndef PSCAL_STATS_SPIN_MAP_FINDER_H
#define PSCAL_STATS_SPIN_MAP_FINDER_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"

struct map_finder {
	const struct mapped **maps; /* sorted by process and begin */
	size_t map_count;
	struct map_place *places; /* where maps begin or end, sorted */
	size_t place_count;
	size_t leaves, *ends;		  /* of a tree, and of each node's maps ... */
	const struct mapped **covering;	  /* ... which cover all of it, sorted by time */
	const struct parentage **parents; /* sorted by process and time */
	size_t parent_count;
};

/* Of samples that are complete, and which stay where they are. */
void map_finder_init(struct map_finder *finder, const struct samples *samples);
void map_finder_release(struct map_finder *finder);

/* The map at `ip` then, in O(log^2 n) whatever was mapped over it; NULL: not known. */
const struct mapped *map_finder_find(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns);

/*
 * Finds files that are mapped below an address then, the nearest first and `room` at most: the data
 * of a program or library follows its code. Returns how many it has found.
 */
size_t map_finder_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t time_ns);

#endif
