/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dependence of a visit's CPU time on the number n of visits that are made when it begins to
 * compute. For each node k of the pool the mean time is c_k (1 + g (n - 1)), with one g for all:
 * the threads of a program share caches and locks that spin, whatever they do. g is that at which
 * the deviations s - c_k (1 + g (n - 1)) are not correlated with n within their nodes. Its standard
 * error is that of sums over blocks of time, as visits that come one after the other are alike.
 *
 * The number at the beginning of a step does not depend on how long the step is. Any later number
 * does: more requests come in while it lasts.
 */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>

/* --- Visits at a time ------------------------------------------------------------------------- */

void extraction_note_visits(struct extraction *extraction)
{
	extraction->begins = xcalloc(extraction->visit_count + 1, sizeof(*extraction->begins));
	extraction->ends = xcalloc(extraction->visit_count + 1, sizeof(*extraction->ends));
	for (size_t i = 0; i < extraction->visit_count; i++) {
		const struct visit *visit = &extraction->visits[i];
		enum group_part part = group_of(extraction, visit->thread)->part;

		if (part != GROUP_POOL && part != GROUP_BATCH)
			continue;
		extraction->begins[extraction->begin_count++] = visit->begin_ns;
		if (visit->end_ns)
			extraction->ends[extraction->end_count++] = visit->end_ns;
	}
	sort_items(extraction->begins, extraction->begin_count, compare_u64);
	sort_items(extraction->ends, extraction->end_count, compare_u64);
}

uint32_t extraction_count_visits(const struct extraction *extraction, uint64_t at_ns)
{
	size_t begun = find_first(i, 0, extraction->begin_count, extraction->begins[i] > at_ns);
	size_t ended = find_first(i, 0, extraction->end_count, extraction->ends[i] > at_ns);

	return begun > ended ? (uint32_t)(begun - ended) : 1;
}

uint32_t extraction_load_block(const struct extraction *extraction, uint64_t at_ns)
{
	double share = (double)at_ns / ((double)extraction->program->wall_ns + 1);

	return (uint32_t)fmin(share * LOAD_BLOCKS, LOAD_BLOCKS - 1);
}

/* --- Regression ------------------------------------------------------------------------------- */

/* Sums over the steps of a node; x is n - 1. */
struct node_sums {
	double count, mean_x, mean_s;
	double xx; /* sum of squared deviations of x from its mean */
};

struct regression {
	struct node_sums *nodes;
	double xs;		/* sum of deviations of x times s */
	double least_x, most_x; /* smallest and largest x */
	double growth, se;
};

/* Sums by Welford's updates, which lose no digits. */
static void sum_nodes(struct regression *regression, const struct load_sample *samples,
		      size_t count)
{
	regression->least_x = INFINITY;
	for (size_t i = 0; i < count; i++) {
		struct node_sums *node = &regression->nodes[samples[i].node];
		double x = samples[i].visits - 1, dx = x - node->mean_x;

		node->count++;
		node->mean_x += dx / node->count;
		node->mean_s += (samples[i].seconds - node->mean_s) / node->count;
		node->xx += dx * (x - node->mean_x);
		regression->xs += dx * (samples[i].seconds - node->mean_s);
		regression->least_x = fmin(regression->least_x, x);
		regression->most_x = fmax(regression->most_x, x);
	}
}

/* Returns a number that is 0 at the right growth, and falls as the growth rises. */
static double excess_of(const struct regression *regression, size_t nodes, double growth)
{
	double sum = regression->xs;

	for (size_t i = 0; i < nodes; i++) {
		const struct node_sums *node = &regression->nodes[i];

		sum -= growth * node->xx * node->mean_s / (1 + growth * node->mean_x);
	}
	return sum;
}

/* Bisects for the growth, within limits that keep times positive at all recorded numbers. */
static void solve(struct regression *regression, size_t nodes)
{
	const double most = 10, nearly = .99;
	double low = -nearly / fmax(regression->most_x, nearly), high = most;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(excess_of(regression, nodes, middle) > 0 ? &low : &high) = middle;
	}
	regression->growth = low;
}

static void find_error(struct regression *regression, size_t nodes,
		       const struct load_sample *samples, size_t count)
{
	double blocks[LOAD_BLOCKS] = {0}, squares = 0, slope = 0, growth = regression->growth;

	for (size_t i = 0; i < count; i++) {
		const struct node_sums *node = &regression->nodes[samples[i].node];
		double alone_s = node->mean_s / (1 + growth * node->mean_x);
		double x = samples[i].visits - 1;

		blocks[samples[i].block] +=
			(x - node->mean_x) * (samples[i].seconds - alone_s * (1 + growth * x));
	}
	for (size_t i = 0; i < LOAD_BLOCKS; i++)
		squares += blocks[i] * blocks[i];
	for (size_t i = 0; i < nodes; i++) {
		const struct node_sums *node = &regression->nodes[i];
		double factor = 1 + growth * node->mean_x;

		slope += node->mean_s * node->xx / (factor * factor);
	}
	regression->se = sqrt(squares) / slope;
}

/*
 * A growth must be four standard errors from 0, and must matter over the recorded numbers. CPU time
 * that falls with n does not fall further beyond the largest recorded n.
 */
void extraction_find_growth(struct model_pool *pool, const struct load_sample *samples,
			    size_t count)
{
	const double sure = 4, difference = .03, few = 200;
	struct regression regression = {.least_x = 0};
	double range;

	if ((double)count < few)
		return;
	regression.nodes = xcalloc(pool->node_count, sizeof(*regression.nodes));
	sum_nodes(&regression, samples, count);
	range = regression.most_x - regression.least_x;
	if (range > 0) {
		solve(&regression, pool->node_count);
		find_error(&regression, pool->node_count, samples, count);
	}
	if (fabs(regression.growth) > sure * regression.se &&
	    fabs(regression.growth) * range > difference) {
		pool->cpu_growth = regression.growth;
		pool->cpu_growth_se = regression.se;
		pool->cpu_growth_until = regression.growth < 0 ? regression.most_x + 1 : 0;
	}
	free(regression.nodes);
}
