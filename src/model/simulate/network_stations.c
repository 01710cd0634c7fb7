/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/network.h"

#include "base/alloc.h"

#include <string.h>

/* --- Levels and lists ------------------------------------------------------------------------- */

void level_pass(struct net_level *level, double now_ns)
{
	level->area += level->now * (now_ns - level->last_ns);
	level->last_ns = now_ns;
}

void level_add(struct net_level *level, double now_ns, int by)
{
	level_pass(level, now_ns);
	level->now += (uint32_t)by;
}

void net_list_add(struct network *network, struct net_list *list, uint32_t thread)
{
	network->threads[thread].next = NETWORK_NONE;
	if (list->first == NETWORK_NONE)
		list->first = thread;
	else
		network->threads[list->last].next = thread;
	list->last = thread;
}

uint32_t net_list_take(struct network *network, struct net_list *list)
{
	uint32_t first = list->first;

	if (first != NETWORK_NONE)
		list->first = network->threads[first].next;
	return first;
}

/* --- Queues ----------------------------------------------------------------------------------- */

static struct net_lane *find_lane(const struct network *network, struct net_station *station,
				  const struct net_request *request)
{
	uint32_t key = request->client == MODEL_NONE ? (uint32_t)station->arrivals
						     : network->clients[request->client].order;

	if (station->turn_count)
		return &station->lanes[station->turns[key % station->turn_count]];
	return &station->lanes[station->lane_count > 1 ? key % station->lane_count : 0];
}

static void lane_grow(struct net_lane *lane)
{
	const uint32_t least = 8;
	uint32_t capacity = lane->capacity ? 2 * lane->capacity : least;
	struct net_token *tokens = xcalloc(capacity, sizeof(*tokens));

	for (uint32_t i = 0; i < lane->count; i++)
		tokens[i] = lane->tokens[(lane->first + i) & (lane->capacity - 1)];
	free(lane->tokens);
	lane->tokens = tokens;
	lane->capacity = capacity;
	lane->first = 0;
}

void network_put(struct network *network, uint32_t queue, uint32_t id)
{
	struct net_station *station = &network->stations[queue];
	struct net_request *request = &network->requests[id];
	struct net_lane *lane = find_lane(network, station, request);
	double now_ns = network->cores.now_ns;
	uint32_t thread;

	if (lane->count == lane->capacity)
		lane_grow(lane);
	lane->tokens[(lane->first + lane->count++) & (lane->capacity - 1)] =
		(struct net_token){now_ns, id};
	request->tokens++;
	network->tokens++;
	network->full |= network->tokens > NETWORK_TOKENS_MAX;
	station->arrivals++;
	level_add(&station->length, now_ns, 1);
	thread = net_list_take(network, &lane->idle);
	if (thread == NETWORK_NONE)
		return;
	station->coming++;
	station->idle--;
	network->threads[thread].woken = true;
	network_wake(network, thread);
}

/* Room is needed for tokens that no woken or idle thread is about to take. */
bool network_has_room(const struct network *network, uint32_t queue)
{
	const struct net_station *station = &network->stations[queue];

	return !station->model->bounded || station->idle ||
	       station->length.now < station->model->limit + station->coming;
}

uint32_t network_find_batch(const struct network *network, uint32_t queue)
{
	for (uint32_t i = 0; i < network->model->source_count; i++) {
		const struct model_source *source = network->sources[i].model;

		for (size_t j = 0; j < source->to_count && network->sources[i].left; j++)
			if (source->to[j] == queue)
				return i;
	}
	return MODEL_NONE;
}

/* Items enter a queue as it is emptied, so that a large batch needs little memory. */
void network_feed(struct network *network, struct net_station *station)
{
	const uint32_t enough = 16;
	uint32_t queue = (uint32_t)(station - network->stations);

	while (station->batch != MODEL_NONE && !network->full &&
	       station->length.now < enough + network->thread_count &&
	       network_has_room(network, queue)) {
		if (network->sources[station->batch].left)
			network_arrive(network, station->batch, MODEL_NONE);
		else
			station->batch = network_find_batch(network, queue);
	}
}

/* Wakes the thread that has waited longest for room, which tries again. */
static void wake_blocked(struct network *network, struct net_station *station)
{
	uint32_t blocked = net_list_take(network, &station->waiting);

	if (blocked != NETWORK_NONE)
		network_wake(network, blocked);
}

static uint32_t take_token(struct network *network, struct net_station *station,
			   struct net_lane *lane)
{
	struct net_token token = lane->tokens[lane->first];
	double now_ns = network->cores.now_ns;

	lane->first = (lane->first + 1) & (lane->capacity - 1);
	lane->count--;
	network->tokens--;
	level_add(&station->length, now_ns, -1);
	station->waited_ns += now_ns - token.since_ns;
	wake_blocked(network, station);
	network_feed(network, station);
	return token.request;
}

bool network_take(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	struct net_pool *pool = &network->pools[thread->pool];
	struct net_station *station = &network->stations[pool->model->takes];
	struct net_lane *lane = &station->lanes[thread->lane];

	station->coming -= thread->woken;
	thread->woken = false;
	if (!lane->count) {
		net_list_add(network, &lane->idle, id);
		station->idle++;
		wake_blocked(network, station);
		network_feed(network, station);
		return false;
	}
	thread->request = take_token(network, station, lane);
	return true;
}

bool network_put_step(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	struct net_pool *pool = &network->pools[thread->pool];
	uint32_t queue = thread->fragment.station;
	double now_ns = network->cores.now_ns;

	if (!network_has_room(network, queue)) {
		if (!thread->pending)
			level_add(&pool->blocked, now_ns, 1);
		net_list_add(network, &network->stations[queue].waiting, id);
		return true;
	}
	if (thread->pending)
		level_add(&pool->blocked, now_ns, -1);
	network_put(network, queue, thread->request);
	return false;
}

/* --- Locks ------------------------------------------------------------------------------------ */

bool network_acquire(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	struct net_station *station = &network->stations[thread->fragment.station];
	double now_ns = network->cores.now_ns;

	if (station->model->per_thread)
		return false;
	if (!thread->pending)
		station->arrivals++;
	if (station->busy.now >= station->model->servers) {
		if (!thread->pending) {
			thread->since_ns = now_ns;
			level_add(&station->length, now_ns, 1);
		}
		net_list_add(network, &station->waiting, id);
		return true;
	}
	if (thread->pending) {
		station->waited_ns += now_ns - thread->since_ns;
		level_add(&station->length, now_ns, -1);
	}
	level_add(&station->busy, now_ns, 1);
	array_reserve(&thread->held, &thread->held_capacity, thread->held_count + 1);
	thread->held[thread->held_count++] = thread->fragment.station;
	return false;
}

/* Releases the last hold of the lock; does nothing if the thread does not hold it. */
void network_free_lock(struct network *network, uint32_t id, uint32_t lock)
{
	struct net_thread *thread = &network->threads[id];
	struct net_station *station = &network->stations[lock];
	size_t at = thread->held_count;
	uint32_t waiting;

	while (at && thread->held[at - 1] != lock)
		at--;
	if (!at)
		return;
	memmove(thread->held + at - 1, thread->held + at,
		(thread->held_count - at) * sizeof(*thread->held));
	thread->held_count--;
	level_add(&station->busy, network->cores.now_ns, -1);
	waiting = net_list_take(network, &station->waiting);
	if (waiting != NETWORK_NONE)
		network_wake(network, waiting);
}

/* --- Disks and delays ------------------------------------------------------------------------- */

bool network_wait(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	double now_ns = network->cores.now_ns;
	struct net_station *station;

	if (thread->fragment.station == MODEL_NONE) {
		network_due(network, thread->fragment.ns, id);
		return true;
	}
	station = &network->stations[thread->fragment.station];
	station->arrivals++;
	thread->since_ns = now_ns;
	if (station->model->kind == MODEL_DISK && station->busy.now >= station->model->servers) {
		level_add(&station->length, now_ns, 1);
		net_list_add(network, &station->waiting, id);
		return true;
	}
	level_add(&station->busy, now_ns, 1);
	network_due(network, thread->fragment.ns, id);
	return true;
}

static void begin_service(struct network *network, struct net_station *station, uint32_t thread)
{
	double now_ns = network->cores.now_ns;

	level_add(&station->length, now_ns, -1);
	station->waited_ns += now_ns - network->threads[thread].since_ns;
}

/* Wakes all threads of the commit, and begins the next one for all that wait. */
static void end_commit(struct network *network, struct net_station *station)
{
	uint32_t next;

	while ((next = net_list_take(network, &station->served)) != NETWORK_NONE)
		network_wake(network, next);
	next = net_list_take(network, &station->waiting);
	if (next == NETWORK_NONE) {
		level_add(&station->busy, network->cores.now_ns, -1);
		return;
	}
	begin_service(network, station, next);
	network_due(network, network->threads[next].fragment.ns, next);
	while ((next = net_list_take(network, &station->waiting)) != NETWORK_NONE) {
		begin_service(network, station, next);
		net_list_add(network, &station->served, next);
	}
}

/* A disk then serves the thread that has waited longest. */
void network_end_wait(struct network *network, uint32_t id)
{
	uint32_t at = network->threads[id].fragment.station, next;
	double now_ns = network->cores.now_ns;
	struct net_station *station;

	if (at == MODEL_NONE)
		return;
	station = &network->stations[at];
	if (station->model->group_commit) {
		end_commit(network, station);
		return;
	}
	next = net_list_take(network, &station->waiting);
	if (next == NETWORK_NONE) {
		level_add(&station->busy, now_ns, -1);
		return;
	}
	begin_service(network, station, next);
	network_due(network, network->threads[next].fragment.ns, next);
}
