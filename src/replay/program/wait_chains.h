/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call chains in which threads waited, if recorded: numbers of call chains
 * (decode/event/samples.h) by edge and by site. They give waits their names; no replay depends on
 * them.
 */
#ifndef PSCAL_REPLAY_PROGRAM_WAIT_CHAINS_H
#define PSCAL_REPLAY_PROGRAM_WAIT_CHAINS_H

#include <stddef.h>
#include <stdint.h>

/* The number of times that threads came to a site in a call chain. */
struct site_chain {
	uint32_t site, chain;
	uint64_t count;
};

/* All zero: empty. */
struct wait_chains {
	uint32_t *edges; /* [edge]: chain of the waiting thread; 0 or beyond the end: unknown */
	size_t edge_count;
	struct site_chain *sites;
	size_t count, capacity;
	size_t merged; /* the first `merged` sites are sorted and distinct */
};

/* Note a call chain. Chain 0, which is none, is ignored. */
void wait_chains_note_edge(struct wait_chains *chains, uint32_t edge, uint32_t chain);
void wait_chains_note_site(struct wait_chains *chains, uint32_t site, uint32_t chain);

/* Returns the call chain of the wait of an edge; 0: unknown. */
static inline uint32_t wait_chains_of_edge(const struct wait_chains *chains, uint32_t edge)
{
	return edge < chains->edge_count ? chains->edges[edge] : 0;
}

/* Sorts the sites and merges equal ones. That holds until the next site is noted. */
void wait_chains_sort(struct wait_chains *chains);

#endif
