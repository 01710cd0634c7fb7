/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what was mapped at a place in the memory of a process, among all that samples.h tells. */
#ifndef PSCAL_DECODE_EVENT_MAP_FINDER_H
#define PSCAL_DECODE_EVENT_MAP_FINDER_H

#include <stddef.h>
#include <stdint.h>

struct mapped;
struct parentage;
struct samples;

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

#endif
