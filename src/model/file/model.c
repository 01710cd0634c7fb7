/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void model_init(struct model *model)
{
	const struct model_checked unknown = {NAN, NAN};

	*model = (struct model){.machine.cores = 1};
	model->check = (struct model_check){
		.throughput_per_s = unknown,
		.response_s = unknown,
		.response_p95_s = unknown,
		.busy_cores = unknown,
		.run_queue_s = unknown,
		.wall_s = unknown,
	};
}

/* --- Release ---------------------------------------------------------------------------------- */

static void release_source(struct model_source *source)
{
	free(source->name);
	free(source->to);
	distribution_release(&source->gaps);
	distribution_release(&source->think);
}

static void release_pool(struct model_pool *pool)
{
	for (size_t i = 0; i < pool->node_count; i++) {
		free(pool->nodes[i].edges);
		free(pool->nodes[i].where);
		distribution_release(&pool->nodes[i].time);
	}
	free(pool->nodes);
	free(pool->visits);
	free(pool->steps);
	free(pool->name);
	free(pool->why_fixed);
	free(pool->connections);
}

void model_release(struct model *model)
{
	for (size_t i = 0; i < model->source_count; i++)
		release_source(&model->sources[i]);
	for (size_t i = 0; i < model->station_count; i++) {
		free(model->stations[i].name);
		distribution_release(&model->stations[i].service);
	}
	for (size_t i = 0; i < model->pool_count; i++)
		release_pool(&model->pools[i]);
	free(model->sources);
	free(model->stations);
	free(model->pools);
	free(model->machine.slowdown);
	free(model->check.items);
	free(model->made_from);
	*model = (struct model){0};
}

/* --- Copy ------------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void *copy_bytes(const void *from, size_t count, size_t size)
{
	void *copy = count ? xreallocarray(NULL, count, size) : NULL;

	if (copy)
		memcpy(copy, from, count * size);
	return copy;
}

#define copy_items(items, count) ((items) = copy_bytes((items), (count), sizeof(*(items))))

static void copy_source(struct model_source *source)
{
	source->name = copy_text(source->name);
	source->gaps = distribution_copy(&source->gaps);
	source->think = distribution_copy(&source->think);
	copy_items(source->to, source->to_count);
}

static void copy_pool(struct model_pool *pool)
{
	pool->name = copy_text(pool->name);
	pool->why_fixed = copy_text(pool->why_fixed);
	copy_items(pool->connections, pool->connection_count);
	copy_items(pool->nodes, pool->node_count);
	copy_items(pool->visits, pool->visit_count);
	copy_items(pool->steps, pool->step_count);
	for (size_t i = 0; i < pool->node_count; i++) {
		struct model_node *node = &pool->nodes[i];

		node->time = distribution_copy(&node->time);
		node->where = copy_text(node->where);
		copy_items(node->edges, node->edge_count);
	}
}

void model_copy(struct model *to, const struct model *from)
{
	*to = *from;
	to->made_from = copy_text(from->made_from);
	copy_items(to->machine.slowdown, from->machine.slowdown_count);
	copy_items(to->check.items, from->check.item_count);
	copy_items(to->sources, from->source_count);
	copy_items(to->stations, from->station_count);
	copy_items(to->pools, from->pool_count);
	for (size_t i = 0; i < to->source_count; i++)
		copy_source(&to->sources[i]);
	for (size_t i = 0; i < to->station_count; i++) {
		to->stations[i].name = copy_text(to->stations[i].name);
		to->stations[i].service = distribution_copy(&to->stations[i].service);
	}
	for (size_t i = 0; i < to->pool_count; i++)
		copy_pool(&to->pools[i]);
}
