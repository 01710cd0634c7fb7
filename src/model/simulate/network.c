/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/network.h"

#include "base/alloc.h"
#include "model/file/distribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double second_ns = 1e9;

/* 36 years: up to that time the clock of the cores is exact to 1 us; no step is longer. */
static const double longest_ns = 0x1p60;

/* --- Beginning -------------------------------------------------------------------------------- */

/* Each source and pool has its own stream, so that runs differ only by what was changed. */
static gsl_rng *new_random(uint64_t seed, uint64_t stream)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	uint64_t z = seed * 0x9e3779b97f4a7c15 + stream * 0xd1342543de82ef95 + 1;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; /* splitmix64 */
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	gsl_rng_set(random, (unsigned long)((z ^ z >> 31) >> 32 | 1));
	return random;
}

static struct net_list no_threads(void)
{
	return (struct net_list){NETWORK_NONE, NETWORK_NONE};
}

static void init_sources(struct network *network, uint64_t seed)
{
	const struct model *model = network->model;

	network->sources = xcalloc(model->source_count, sizeof(*network->sources));
	for (size_t i = 0; i < model->source_count; i++) {
		const struct model_source *source = &model->sources[i];
		struct net_source *own = &network->sources[i];

		*own = (struct net_source){
			.model = source, .random = new_random(seed, 2 * i), .first = NETWORK_NONE};
		if (source->kind == MODEL_OPEN)
			own->gap_ns = second_ns / source->rate /
				      (source->gaps.kind ? source->gaps.mean : 1);
		if (source->kind == MODEL_BATCH)
			network->items_left += own->left = source->items;
	}
}

/* Returns whether requests of the pool are bound to one of its threads. */
static bool is_pinned(const struct model *model, const struct model_pool *pool)
{
	bool open = false;

	for (size_t i = 0; i < model->source_count; i++)
		open |= model->sources[i].kind != MODEL_CLOSED;
	return pool->dispatch == MODEL_PINNED || (pool->dispatch == MODEL_CONNECTION && !open);
}

static void add_lanes(struct net_station *station, uint32_t count)
{
	if (station->lane_count)
		return;
	station->lanes = xcalloc(count, sizeof(*station->lanes));
	station->lane_count = count;
	for (uint32_t i = 0; i < count; i++)
		station->lanes[i].idle = no_threads();
}

/* Adds a turn for the first client of each thread, then for the second, and so on. */
static void add_turns(struct net_station *station, const struct model_pool *pool)
{
	size_t capacity = 0;

	if (pool->connection_count != station->lane_count || station->turn_count)
		return;
	for (uint32_t round = 1; round <= MODEL_PINNED_MAX; round++)
		for (uint32_t i = 0; i < station->lane_count; i++)
			if (pool->connections[i] >= round) {
				array_reserve(&station->turns, &capacity,
					      (size_t)station->turn_count + 1);
				station->turns[station->turn_count++] = i;
			}
}

static void init_stations(struct network *network)
{
	const struct model *model = network->model;

	network->stations = xcalloc(model->station_count, sizeof(*network->stations));
	for (size_t i = 0; i < model->station_count; i++)
		network->stations[i] = (struct net_station){.model = &model->stations[i],
							    .waiting = no_threads(),
							    .served = no_threads(),
							    .batch = MODEL_NONE};
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct model_pool *pool = &model->pools[i];

		add_lanes(&network->stations[pool->takes],
			  is_pinned(model, pool) ? pool->threads : 1);
		if (pool->dispatch == MODEL_PINNED)
			add_turns(&network->stations[pool->takes], pool);
	}
	for (uint32_t i = 0; i < model->station_count; i++)
		network->stations[i].batch = network_find_batch(network, i);
}

static bool pool_computes(const struct model_pool *pool)
{
	for (size_t i = 0; i < pool->node_count; i++)
		if (pool->nodes[i].kind == MODEL_CPU)
			return true;
	return false;
}

static void init_pools(struct network *network, uint64_t seed)
{
	const struct model *model = network->model;

	network->pools = xcalloc(model->pool_count, sizeof(*network->pools));
	for (size_t i = 0; i < model->pool_count; i++) {
		network->pools[i] = (struct net_pool){.model = &model->pools[i],
						      .random = new_random(seed, 2 * i + 1),
						      .first = network->thread_count,
						      .computes = pool_computes(&model->pools[i])};
		network->thread_count += model->pools[i].threads;
	}
}

static void init_threads(struct network *network)
{
	network->threads = xcalloc(network->thread_count, sizeof(*network->threads));
	network->sim_threads = xcalloc(network->thread_count, sizeof(*network->sim_threads));
	network->ready = no_threads();
	for (uint32_t pool = 0; pool < network->model->pool_count; pool++) {
		struct net_pool *own = &network->pools[pool];
		struct net_station *station = &network->stations[own->model->takes];

		for (uint32_t i = 0; i < own->model->threads; i++) {
			uint32_t id = own->first + i, lane = i % station->lane_count;

			network->sim_threads[id].core = PROGRAM_NONE;
			network->threads[id] = (struct net_thread){
				.pool = pool, .lane = lane, .request = NETWORK_NONE};
			net_list_add(network, &station->lanes[lane].idle, id);
			station->idle++;
		}
	}
}

/* --- Cores ------------------------------------------------------------------------------------ */

static double pool_cpu_s(const struct model_pool *pool)
{
	double sum = 0;

	if (!pool->visit_count) {
		for (size_t i = 0; i < pool->node_count; i++)
			sum = pool->nodes[i].kind == MODEL_CPU ? fmax(sum, pool->nodes[i].time.mean)
							       : sum;
		return sum * pool->cpu_scale;
	}
	for (size_t i = 0; i < pool->step_count; i++)
		if (pool->nodes[pool->steps[i].node].kind == MODEL_CPU)
			sum += (double)pool->steps[i].seconds;
	return sum * pool->cpu_scale / (double)pool->visit_count;
}

/* Limits the average number of slices of a visit, to fewer if there are many threads. */
static double shortest_slice_ns(const struct model *model, uint32_t threads)
{
	const double slices_least = 8, slices_most = 1 << 12, slices_of_all = 1 << 20;
	double slices = fmin(fmax(slices_of_all / threads, slices_least), slices_most),
	       longest_s = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		longest_s = fmax(longest_s, pool_cpu_s(&model->pools[i]));
	return longest_s * second_ns / slices;
}

static void init_cores(struct network *network, uint64_t seed)
{
	const struct model_machine *machine = &network->model->machine;

	network->machine = (struct machine){
		.cores = machine->cores,
		.costs = {.switch_ns = (uint64_t)(machine->switch_s * second_ns + .5),
			  .wake_ns = (uint64_t)(machine->wake_s * second_ns + .5),
			  .slice_ns = (uint64_t)(machine->slice_s * second_ns + .5)},
		.slowdown = machine->slowdown_count ? machine->slowdown : NULL,
		.slowdown_count = machine->slowdown_count,
		.seed = seed * 2 + 1,
	};
	cores_init(&network->cores, &network->machine, network->sim_threads, network->thread_count,
		   shortest_slice_ns(network->model, network->thread_count));
}

/* --- Sources ---------------------------------------------------------------------------------- */

void network_due(struct network *network, double ns, uint32_t id)
{
	agenda_add(&network->agenda, (struct agenda_entry){.key = network->cores.now_ns + ns,
							   .tie = network->added++,
							   .id = id});
}

static void next_gap(struct network *network, uint32_t id)
{
	struct net_source *source = &network->sources[id];
	struct distribution gaps = source->model->gaps;

	if (gaps.kind == DISTRIBUTION_NONE)
		gaps = (struct distribution){.kind = DISTRIBUTION_EXPONENTIAL, .mean = 1};
	network_due(network, distribution_draw(&gaps, source->random) * source->gap_ns,
		    network->thread_count + id);
}

static struct net_source *source_of(const struct network *network, uint32_t client)
{
	return &network->sources[network->clients[client].source];
}

/* Begins to think, or waits for a thread of the source to be free. */
static void think(struct network *network, uint32_t client)
{
	struct net_source *source = source_of(network, client);

	if (source->model->threads && source->thinking.now == source->model->threads) {
		*(source->first == NETWORK_NONE ? &source->first
						: &network->clients[source->last].next) = client;
		source->last = client;
		network->clients[client].next = NETWORK_NONE;
		return;
	}
	level_add(&source->thinking, network->cores.now_ns, 1);
	network_due(network, distribution_draw(&source->model->think, source->random) * second_ns,
		    network->thread_count + (uint32_t)network->model->source_count + client);
}

/* Sends the client's request, and lets the next client think. */
static void end_thought(struct network *network, uint32_t client)
{
	struct net_source *source = source_of(network, client);
	uint32_t next = source->first;

	level_add(&source->thinking, network->cores.now_ns, -1);
	if (next != NETWORK_NONE) {
		source->first = network->clients[next].next;
		think(network, next);
	}
	network_arrive(network, network->clients[client].source, client);
}

/* A pool with a thread for each client serves as many clients as threads: the rest wait. */
static uint32_t connected_clients(const struct network *network, const struct net_source *source)
{
	uint32_t clients = source->model->clients;

	for (size_t i = 0; i < source->model->to_count; i++)
		for (size_t j = 0; j < network->model->pool_count; j++) {
			const struct model_pool *pool = &network->model->pools[j];
			uint32_t before = network->stations[pool->takes].clients;
			uint32_t room = before < pool->threads ? pool->threads - before : 0;

			if (pool->takes == source->model->to[i] &&
			    pool->dispatch == MODEL_CONNECTION && is_pinned(network->model, pool) &&
			    clients > room)
				clients = room;
		}
	return clients;
}

static void begin_clients(struct network *network, uint32_t id)
{
	struct net_source *source = &network->sources[id];
	size_t capacity = network->client_count;
	uint32_t before = network->stations[source->model->to[0]].clients;

	source->clients = connected_clients(network, source);
	for (size_t i = 0; i < source->model->to_count; i++)
		network->stations[source->model->to[i]].clients += source->clients;
	array_reserve(&network->clients, &capacity,
		      (size_t)network->client_count + source->clients);
	for (uint32_t i = 0; i < source->clients; i++) {
		network->clients[network->client_count] =
			(struct net_client){id, before + i, NETWORK_NONE};
		think(network, network->client_count++);
	}
}

static void begin_sources(struct network *network)
{
	for (uint32_t i = 0; i < network->model->source_count; i++) {
		if (network->model->sources[i].kind == MODEL_OPEN)
			next_gap(network, i);
		else if (network->model->sources[i].kind == MODEL_CLOSED)
			begin_clients(network, i);
	}
	for (size_t i = 0; i < network->model->station_count; i++)
		network_feed(network, &network->stations[i]);
}

void network_init(struct network *network, const struct model *model, uint64_t seed,
		  uint64_t steps_most)
{
	*network = (struct network){
		.model = model, .free_request = NETWORK_NONE, .steps_most = steps_most};
	measure_init(&network->measure);
	init_sources(network, seed);
	init_stations(network);
	init_pools(network, seed);
	init_threads(network);
	init_cores(network, seed);
	begin_sources(network);
}

void network_release(struct network *network)
{
	for (size_t i = 0; i < network->model->source_count; i++)
		gsl_rng_free(network->sources[i].random);
	for (size_t i = 0; i < network->model->pool_count; i++)
		gsl_rng_free(network->pools[i].random);
	for (size_t i = 0; i < network->model->station_count; i++) {
		for (uint32_t j = 0; j < network->stations[i].lane_count; j++)
			free(network->stations[i].lanes[j].tokens);
		free(network->stations[i].lanes);
		free(network->stations[i].turns);
	}
	for (uint32_t i = 0; i < network->thread_count; i++)
		free(network->threads[i].held);
	measure_release(&network->measure);
	agenda_release(&network->agenda);
	cores_release(&network->cores);
	free(network->sources);
	free(network->pools);
	free(network->stations);
	free(network->threads);
	free(network->sim_threads);
	free(network->clients);
	free(network->requests);
}

/* --- Requests --------------------------------------------------------------------------------- */

static uint32_t new_request(struct network *network, uint32_t source, uint32_t client)
{
	uint32_t id = network->free_request;

	if (id == NETWORK_NONE) {
		id = (uint32_t)network->request_count++;
		array_reserve(&network->requests, &network->request_capacity,
			      network->request_count);
	} else {
		network->free_request = network->requests[id].next;
	}
	network->requests[id] = (struct net_request){
		.arrived_ns = network->cores.now_ns, .client = client, .source = source};
	network->full |= ++network->inside > NETWORK_INSIDE_MAX;
	network->arrived++;
	return id;
}

/* Returns whether each queue of the source has room for a token. */
static bool has_room_for_all(const struct network *network, const struct model_source *source)
{
	for (size_t i = 0; i < source->to_count; i++)
		if (!network_has_room(network, source->to[i]))
			return false;
	return true;
}

void network_arrive(struct network *network, uint32_t id, uint32_t client)
{
	const struct model_source *source = network->sources[id].model;
	uint32_t request;

	if (source->kind == MODEL_BATCH) {
		network->sources[id].left--;
	} else if (!has_room_for_all(network, source)) {
		network->lost++;
		if (client != MODEL_NONE)
			think(network, client);
		return;
	}
	request = new_request(network, id, client);
	/* The response time of an item of a batch begins when a thread takes it. */
	if (source->kind == MODEL_BATCH)
		network->requests[request].arrived_ns = NAN;
	for (size_t i = 0; i < source->to_count; i++)
		network_put(network, source->to[i], request);
}

static void answer_request(struct network *network, struct net_request *request)
{
	double now_ns = network->cores.now_ns;

	request->answered = true;
	network->items_left -= network->sources[request->source].model->kind == MODEL_BATCH;
	measure_add(&network->measure, now_ns - request->arrived_ns, now_ns, network->inside);
	if (request->client != MODEL_NONE)
		think(network, request->client);
}

/* Uses up a token of the request. */
static void use_up(struct network *network, uint32_t id)
{
	struct net_request *request = &network->requests[id];

	if (--request->tokens)
		return;
	if (!request->answered)
		answer_request(network, request);
	request->next = network->free_request;
	network->free_request = id;
	network->inside--;
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* The factor on CPU time at the current number of visits. */
static double load_factor(const struct network *network, const struct model_pool *pool)
{
	double visits = network->visits;

	if (pool->cpu_growth_until > 0)
		visits = fmin(visits, pool->cpu_growth_until);
	return fmax(0, 1 + pool->cpu_growth * (visits - 1));
}

/* Returns the time in ns of the recorded step, else of the node, else of the station. */
static double fragment_ns(const struct network *network, const struct net_pool *pool,
			  const struct model_node *node, double seconds)
{
	double scale = node->kind == MODEL_CPU
			       ? pool->model->cpu_scale * load_factor(network, pool->model)
			       : pool->model->wait_scale;

	if (node->kind != MODEL_CPU && node->kind != MODEL_WAIT)
		return 0;
	if (!(seconds > 0) && !pool->model->visit_count)
		seconds = distribution_draw(&node->time, pool->random);
	if (!(seconds > 0) && node->time.kind == DISTRIBUTION_NONE && node->station != MODEL_NONE)
		seconds = distribution_draw(&network->model->stations[node->station].service,
					    pool->random);
	return fmin(seconds * scale * second_ns, longest_ns);
}

static void set_fragment(const struct network *network, struct net_thread *thread,
			 const struct model_node *node, double seconds)
{
	thread->fragment = (struct net_fragment){
		.kind = node->kind,
		.station = node->station,
		.ns = fragment_ns(network, &network->pools[thread->pool], node, seconds),
	};
}

static uint32_t draw_edge(const struct model_node *node, gsl_rng *random)
{
	double share;

	if (!node->edge_count)
		return MODEL_NONE;
	if (node->edge_count == 1)
		return node->edges[0].to;
	share = gsl_rng_uniform(random);
	for (size_t i = 0; i + 1 < node->edge_count; i++) {
		share -= node->edges[i].share;
		if (share < 0)
			return node->edges[i].to;
	}
	return node->edges[node->edge_count - 1].to;
}

/* Sets the next fragment of the thread's visit. Returns false at its end. */
static bool next_fragment(struct network *network, struct net_thread *thread)
{
	const struct net_pool *pool = &network->pools[thread->pool];
	const struct model_node *node;

	if (pool->model->visit_count) {
		if (thread->step == thread->end)
			return false;
		set_fragment(network, thread, &pool->model->nodes[thread->step->node],
			     (double)thread->step->seconds);
		thread->step++;
		return true;
	}
	if (thread->node == MODEL_NONE)
		return false;
	if (++thread->walked > MODEL_STEPS_MAX) {
		network->cut_walk = true;
		network->walker = thread->pool;
		return false;
	}
	node = &pool->model->nodes[thread->node];
	set_fragment(network, thread, node, 0);
	thread->node = draw_edge(node, pool->random);
	return true;
}

static void begin_visit(struct network *network, struct net_thread *thread)
{
	struct net_pool *pool = &network->pools[thread->pool];
	const struct model_pool *model = pool->model;
	struct net_request *request = &network->requests[thread->request];

	level_add(&pool->busy, network->cores.now_ns, 1);
	network->visits++;
	if (isnan(request->arrived_ns))
		request->arrived_ns = network->cores.now_ns;
	thread->visit_since_ns = network->cores.now_ns;
	thread->walked = 0;
	thread->node = model->node_count ? 0 : MODEL_NONE;
	if (model->visit_count) {
		const struct model_visit *visit =
			&model->visits[gsl_rng_uniform_int(pool->random, model->visit_count)];

		thread->step = model->steps + visit->first;
		thread->end = thread->step + visit->count;
	}
}

static void end_visit(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	struct net_pool *pool = &network->pools[thread->pool];

	while (thread->held_count)
		network_free_lock(network, id, thread->held[thread->held_count - 1]);
	level_add(&pool->busy, network->cores.now_ns, -1);
	network->visits--;
	pool->visits++;
	pool->visit_ns += network->cores.now_ns - thread->visit_since_ns;
	use_up(network, thread->request);
	thread->request = NETWORK_NONE;
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* Requests a core for the thread, for `ns` of work. */
static void want_core(struct network *network, uint32_t id, double ns)
{
	struct net_thread *thread = &network->threads[id];

	network->sim_threads[id].left_ns = ns;
	thread->core_since_ns = network->cores.now_ns;
	thread->core_clock = network->cores.clock;
	if (thread->on_core)
		cores_go_on(&network->cores, id);
	else
		cores_wake(&network->cores, id);
}

/* Splits the time since the thread requested a core into CPU time and run-queue wait. */
static void count_core(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	struct net_pool *pool = &network->pools[thread->pool];
	double clock = network->cores.clock - thread->core_clock;
	double ns = network->cores.now_ns - thread->core_since_ns;
	double worked_ns = thread->fragment.ns;

	if (clock > 0)
		worked_ns = fmin(worked_ns * (ns / clock), ns);
	pool->cpu_ns += worked_ns;
	pool->run_queue_ns += ns - worked_ns;
}

void network_wake(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];

	if (!network->pools[thread->pool].computes) {
		net_list_add(network, &network->ready, id);
		return;
	}
	if (!thread->pending)
		thread->fragment = (struct net_fragment){0};
	want_core(network, id, 0);
}

static void leave_core(struct network *network, uint32_t id)
{
	if (network->threads[id].on_core)
		cores_leave(&network->cores, id);
	network->threads[id].on_core = false;
}

/* Runs the thread's fragment. Returns whether the thread waits. */
static bool take_fragment(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];
	const struct net_fragment *fragment = &thread->fragment;

	switch (fragment->kind) {
	case MODEL_CPU:
		if (!(fragment->ns > 0))
			return false;
		want_core(network, id, fragment->ns);
		return true;
	case MODEL_WAIT:
		return fragment->ns > 0 && network_wait(network, id);
	case MODEL_ACQUIRE:
		return network_acquire(network, id);
	case MODEL_RELEASE:
		network_free_lock(network, id, fragment->station);
		return false;
	case MODEL_PUT:
		return network_put_step(network, id);
	default:
		if (!network->requests[thread->request].answered)
			answer_request(network, &network->requests[thread->request]);
		return false;
	}
}

/* Runs steps of the thread until it waits. */
static void take_steps(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];

	while (network->steps++ < network->steps_most && !network->full) {
		if (thread->request == NETWORK_NONE) {
			if (!network_take(network, id))
				break;
			begin_visit(network, thread);
		}
		if (!thread->pending && !next_fragment(network, thread)) {
			end_visit(network, id);
			continue;
		}
		if (take_fragment(network, id)) {
			thread->pending = thread->fragment.kind == MODEL_ACQUIRE ||
					  thread->fragment.kind == MODEL_PUT;
			if (thread->fragment.kind != MODEL_CPU)
				break;
			return;
		}
		thread->pending = false;
	}
	leave_core(network, id);
}

/* The thread has its CPU time, or has a core to retry its pending fragment. */
static void end_core(struct network *network, uint32_t id)
{
	struct net_thread *thread = &network->threads[id];

	thread->on_core = true;
	count_core(network, id);
	take_steps(network, id);
}

/* --- Time ------------------------------------------------------------------------------------- */

static void happen(struct network *network, uint32_t id)
{
	uint32_t sources = (uint32_t)network->model->source_count;

	network->steps++;
	if (id < network->thread_count) {
		network_end_wait(network, id);
		network_wake(network, id);
		return;
	}
	id -= network->thread_count;
	if (id < sources) {
		network_arrive(network, id, MODEL_NONE);
		next_gap(network, id);
	} else {
		end_thought(network, id - sources);
	}
}

/* The number of slices that cost the simulation as much time as a step. */
enum { SLICES_OF_STEP = 8 };

/* Returns whether anything happened. */
static bool network_step(struct network *network)
{
	uint32_t id = net_list_take(network, &network->ready), queued = network->cores.queued;
	const struct agenda_entry *first;

	if (id != NETWORK_NONE) {
		take_steps(network, id);
		return true;
	}
	first = agenda_first(&network->agenda);
	id = cores_run(&network->cores, first ? first->key : INFINITY);
	network->steps += (network->cores.queued - queued) / SLICES_OF_STEP;
	if (id != PROGRAM_NONE) {
		end_core(network, id);
		return true;
	}
	if (!first) {
		network->idle = true;
		return false;
	}
	happen(network, agenda_take_first(&network->agenda).id);
	return true;
}

bool network_run(struct network *network)
{
	uint64_t count = network->measure.count;
	bool goes_on = true;

	while (goes_on && network->measure.count == count)
		goes_on = network_step(network) && network->steps < network->steps_most &&
			  network->cores.now_ns < longest_ns && !network->full &&
			  !network->cut_walk;
	return goes_on;
}

/* --- Deadlocks -------------------------------------------------------------------------------- */

/*
 * Marks the threads that go on: those that wait for no lock, or for a lock that is free or held by
 * a thread that goes on. The others are stuck.
 */
size_t network_count_stuck(const struct network *network)
{
	size_t stuck = 0, found = 1;
	bool *live = xcalloc(network->thread_count, sizeof(*live));
	bool *frees = xcalloc(network->model->station_count + 1, sizeof(*frees));

	for (size_t i = 0; i < network->model->station_count; i++)
		frees[i] = network->stations[i].busy.now < network->model->stations[i].servers;
	while (found) {
		found = stuck = 0;
		for (uint32_t i = 0; i < network->thread_count; i++) {
			const struct net_thread *thread = &network->threads[i];
			bool waits = thread->pending && thread->fragment.kind == MODEL_ACQUIRE;

			if (live[i])
				continue;
			if (waits && !frees[thread->fragment.station]) {
				stuck++;
				continue;
			}
			live[i] = true;
			found++;
			for (size_t j = 0; j < thread->held_count; j++)
				frees[thread->held[j]] = true;
		}
	}
	free(live);
	free(frees);
	return stuck;
}
