/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was mapped at a place in the memory of a process, by the mappings that a recording tells. */
#ifndef PSCAL_STATS_SPIN_MAP_FINDER_H
#define PSCAL_STATS_SPIN_MAP_FINDER_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"

struct map_finder {
	const struct mapped **maps; /* sorted by process and begin */
	uint64_t *reach;	    /* the largest end of a map of the process up to here */
	size_t map_count;
	const struct parentage **parents; /* sorted by process and time */
	size_t parent_count;
};

/* Of samples that are complete, and which stay where they are. */
void map_finder_init(struct map_finder *finder, const struct samples *samples);
void map_finder_release(struct map_finder *finder);

/*
 * What was mapped at `ip` then; NULL: not known. That is also so among more than a thousand maps
 * which may overlap there, as no program has them.
 */
const struct mapped *map_finder_find(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns);

/*
 * What is mapped of files below an address then, the nearest first and `room` at most: the data of
 * a program or library follows its code. Returns how many it has found.
 */
size_t map_finder_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t time_ns);

#endif
