/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a pool: the order of steps in its visits, and the times of each step. */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"

#include <stdlib.h>

/* The number of times that step `to` follows step `from`. */
struct way {
	uint32_t from, to;
	uint64_t count;
};

static int by_from_and_count(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->from != y->from)
		return compare_values(x->from, y->from);
	return x->count != y->count ? compare_values(y->count, x->count)
				    : compare_values(x->to, y->to);
}

static size_t find_ways(struct way **ways, const struct model_pool *pool)
{
	struct map map = {0};
	size_t capacity = 0;

	*ways = NULL;
	for (size_t i = 0; i < pool->visit_count; i++) {
		const struct model_step *steps = &pool->steps[pool->visits[i].first];

		for (uint32_t j = 0; j < pool->visits[i].count; j++) {
			bool last = j + 1 == pool->visits[i].count;
			uint32_t to = last ? (uint32_t)MODEL_NONE : steps[j + 1].node;
			uint32_t way = map_add_u64(&map, (uint64_t)steps[j].node << 32 | to);

			array_reserve(ways, &capacity, (size_t)way + 1);
			(*ways)[way].from = steps[j].node;
			(*ways)[way].to = to;
			(*ways)[way].count++;
		}
	}
	sort_items(*ways, map.count, by_from_and_count);
	capacity = map.count;
	map_release(&map);
	return capacity;
}

/* Makes the edges of a node; keeps the most frequent ones if there are too many. */
static void make_edges(struct model_node *node, const struct way *ways, size_t count)
{
	uint64_t sum = 0;

	count = count < MODEL_EDGES_MAX ? count : MODEL_EDGES_MAX;
	for (size_t i = 0; i < count; i++)
		sum += ways[i].count;
	node->edges = xcalloc(count, sizeof(*node->edges));
	node->edge_count = count;
	for (size_t i = 0; i < count; i++)
		node->edges[i] =
			(struct model_edge){ways[i].to, (double)ways[i].count / (double)sum};
}

static void make_ways(struct model_pool *pool)
{
	struct way *ways;
	size_t count = find_ways(&ways, pool), end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (ways[end].from != ways[i].from)
				break;
		make_edges(&pool->nodes[ways[i].from], &ways[i], end - i);
	}
	free(ways);
}

static void make_times(struct model_pool *pool)
{
	size_t *first = xcalloc(pool->node_count + 2, sizeof(*first));
	double *times = xcalloc(pool->step_count + 1, sizeof(*times));

	for (size_t i = 0; i < pool->step_count; i++)
		first[pool->steps[i].node + 2]++;
	for (size_t i = 2; i < pool->node_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < pool->step_count; i++)
		times[first[pool->steps[i].node + 1]++] = (double)pool->steps[i].seconds;
	for (size_t i = 0; i < pool->node_count; i++) {
		struct model_node *node = &pool->nodes[i];

		if ((node->kind == MODEL_CPU || node->kind == MODEL_WAIT) &&
		    first[i + 1] > first[i])
			node->time =
				distribution_of_times(&times[first[i]], first[i + 1] - first[i]);
	}
	free(first);
	free(times);
}

void extraction_make_graph(struct model_pool *pool)
{
	make_ways(pool);
	make_times(pool);
}
