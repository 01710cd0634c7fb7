/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_stacks.h"

#include "base/alloc.h"

#include <stdlib.h>

/* 0: not known. */
static uint32_t chain_at(const struct block_thread *thread, size_t event)
{
	size_t low = 0, high = thread->chain_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->chains[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < thread->chain_count && thread->chains[low].event == event
		       ? thread->chains[low].chain
		       : 0;
}

static int compare_numbers(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int compare_counts(const void *left, const void *right)
{
	const struct rdam_stack *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->chain > b->chain) - (a->chain < b->chain);
}

static void count_chains(struct rdam_row *row, const uint32_t *chains, size_t count)
{
	row->stacks = xcalloc(count, sizeof(*row->stacks));
	for (size_t i = 0; i < count; i++) {
		if (!i || chains[i] != chains[i - 1])
			row->stacks[row->stack_count++].chain = chains[i];
		row->stacks[row->stack_count - 1].count++;
	}
	qsort(row->stacks, row->stack_count, sizeof(*row->stacks), compare_counts);
}

void rdam_stacks_count(struct rdam_row *row, const struct rdam_scope *scope,
		       const struct occurrence *occurrences, size_t count)
{
	uint32_t *chains = NULL;
	size_t known = 0, capacity = 0;
	struct rdam_place at = {0};

	for (size_t i = 0; i < count; i++) {
		uint32_t chain;

		rdam_place_at(&at, scope, occurrences[i].begin);
		chain = chain_at(&scope->trace->threads[at.thread], at.event);
		if (!chain)
			continue;
		array_reserve(&chains, &capacity, known + 1);
		chains[known++] = chain;
	}
	if (known) {
		qsort(chains, known, sizeof(*chains), compare_numbers);
		count_chains(row, chains, known);
	}
	free(chains);
}
