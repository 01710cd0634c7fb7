/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/wait_chains.h"

#include "base/alloc.h"
#include "base/sorted.h"

/* The fewest chains that are worth merging. */
enum { UNMERGED = 4096 };

void wait_chains_note_edge(struct wait_chains *chains, uint32_t edge, uint32_t chain)
{
	if (!chain)
		return;
	array_reserve(&chains->edges, &chains->edge_count, (size_t)edge + 1);
	chains->edges[edge] = chain;
}

static int compare_site_chains(const void *a, const void *b)
{
	const struct site_chain *one = a, *other = b;
	int order = compare_values(one->site, other->site);

	return order ? order : compare_values(one->chain, other->chain);
}

void wait_chains_sort(struct wait_chains *chains)
{
	struct site_chain *sites = chains->sites;
	size_t kept = 0;

	sort_items(sites, chains->count, compare_site_chains);
	for (size_t i = 0; i < chains->count; i++)
		if (kept && compare_site_chains(&sites[kept - 1], &sites[i]) == 0)
			sites[kept - 1].count += sites[i].count;
		else
			sites[kept++] = sites[i];
	chains->count = chains->merged = kept;
}

void wait_chains_note_site(struct wait_chains *chains, uint32_t site, uint32_t chain)
{
	if (!chain)
		return;
	/* Merges when the number has doubled, so that the cost of each chain stays constant. */
	if (chains->count >= UNMERGED && chains->count >= 2 * chains->merged)
		wait_chains_sort(chains);
	array_reserve(&chains->sites, &chains->capacity, chains->count + 1);
	chains->sites[chains->count++] = (struct site_chain){site, chain, 1};
}
