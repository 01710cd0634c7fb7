/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which calls of their program threads waited, where a recording tells: numbers of call chains
 * (decode/event/samples.h) beside the steps. They name waits, and decide nothing.
 */
#ifndef PSCAL_REPLAY_PROGRAM_WAIT_CHAINS_H
#define PSCAL_REPLAY_PROGRAM_WAIT_CHAINS_H

#include <stddef.h>
#include <stdint.h>

/* So often was that site come to in that call chain. */
struct site_chain {
	uint32_t site, chain;
	uint64_t count;
};

/* Begins as zero. */
struct wait_chains {
	uint32_t *edges; /* [edge]: of its waiting thread; 0, or not there: not known */
	size_t edge_count;
	struct site_chain *sites;
	size_t count, capacity;
	size_t merged; /* so many of the first are sorted, and no two alike */
};

/* Chain 0 is none, and passed over. */
void wait_chains_note_edge(struct wait_chains *chains, uint32_t edge, uint32_t chain);
void wait_chains_note_site(struct wait_chains *chains, uint32_t site, uint32_t chain);

/* That of the wait of an edge; 0: not known. */
static inline uint32_t wait_chains_of_edge(const struct wait_chains *chains, uint32_t edge)
{
	return edge < chains->edge_count ? chains->edges[edge] : 0;
}

/* From now on the sites are sorted, and no two alike, until the next is noted. */
void wait_chains_sort(struct wait_chains *chains);

#endif
