/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/wait_chains.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Fewer are not worth looking for those that are alike. */
enum { UNMERGED = 4096 };

void wait_chains_release(struct wait_chains *chains)
{
	free(chains->edges);
	free(chains->sites);
	*chains = (struct wait_chains){0};
}

void wait_chains_copy(struct wait_chains *to, const struct wait_chains *from)
{
	*to = (struct wait_chains){.count = from->count, .merged = from->merged};
	array_reserve(&to->edges, &to->edge_count, from->edge_count);
	if (from->edge_count)
		memcpy(to->edges, from->edges, from->edge_count * sizeof(*to->edges));
	array_reserve(&to->sites, &to->capacity, from->count);
	if (from->count)
		memcpy(to->sites, from->sites, from->count * sizeof(*to->sites));
}

void wait_chains_note_edge(struct wait_chains *chains, uint32_t edge, uint32_t chain)
{
	if (!chain)
		return;
	array_reserve(&chains->edges, &chains->edge_count, (size_t)edge + 1);
	chains->edges[edge] = chain;
}

uint32_t wait_chains_of_edge(const struct wait_chains *chains, uint32_t edge)
{
	return edge < chains->edge_count ? chains->edges[edge] : 0;
}

static int compare_site_chains(const void *a, const void *b)
{
	const struct site_chain *one = a, *other = b;

	if (one->site != other->site)
		return (one->site > other->site) - (one->site < other->site);
	return (one->chain > other->chain) - (one->chain < other->chain);
}

void wait_chains_sort(struct wait_chains *chains)
{
	struct site_chain *sites = chains->sites;
	size_t kept = 0;

	if (chains->count)
		qsort(sites, chains->count, sizeof(*sites), compare_site_chains);
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
	/* As many new ones as old ones, so that each costs no more as they grow. */
	if (chains->count >= UNMERGED && chains->count >= 2 * chains->merged)
		wait_chains_sort(chains);
	array_reserve(&chains->sites, &chains->capacity, chains->count + 1);
	chains->sites[chains->count++] = (struct site_chain){site, chain, 1};
}
