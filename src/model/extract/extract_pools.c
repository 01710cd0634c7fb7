/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"

#include <ctype.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Stations --------------------------------------------------------------------------------- */

/* Drops the address if there is a place: "lock 0x7f12 in take < work" is "lock-in-take". */
static char *word_of(const char *name)
{
	static const char *const ends[] = {" < ", ", and ", " on "};
	const char *address = strstr(name, " 0x"), *in = strstr(name, " in ");
	char *word = address && in > address ? xasprintf("%.*s%s", (int)(address - name), name, in)
					     : xstrdup(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char *end = strstr(word, ends[i]);

		if (end)
			*end = '\0';
	}
	for (char *c = word; *c; c++)
		if (!isgraph((unsigned char)*c) || *c == '.' || *c == '=')
			*c = '-';
	return word;
}

char *extraction_station_name(struct extraction *extraction, uint32_t site)
{
	const struct model_object *object = &extraction->objects[site];
	char *word, *name;

	if (object->part == OBJECT_QUEUE)
		return extraction_name(extraction, "queue-%s",
				       extraction->groups[object->group].name);
	word = word_of(extraction->program->sites[site].name);
	name = extraction_name(extraction, "%s", word);
	free(word);
	return name;
}

uint32_t extraction_add_station(struct model *model, char *name, enum model_station_kind kind)
{
	model->stations =
		xreallocarray(model->stations, model->station_count + 1, sizeof(*model->stations));
	model->stations[model->station_count] =
		(struct model_station){.name = name, .kind = kind, .servers = 1};
	return (uint32_t)model->station_count++;
}

/* Sets the servers of a semaphore, with a doubt if it was never full. */
static void set_servers(struct extraction *extraction, uint32_t site, struct model_station *station)
{
	const struct model_object *object = &extraction->objects[site];
	uint32_t servers = object->servers ? object->servers : 1;

	station->servers = servers < MODEL_THREADS_MAX ? servers : MODEL_THREADS_MAX;
	if (!extraction->program->sites[site].counted && !object->was_full)
		extraction_doubt(extraction,
				 "Up to %u threads held %s at once, and none waited: its limit may "
				 "be higher. See --set %s.servers=NUMBER, or record from the start "
				 "of the program.",
				 servers, station->name, station->name);
}

/*
 * Returns whether a source puts into the queue, which then has no limit: a recorded source waits
 * for room, one of a model loses the request. A batch is a pool, which waits.
 */
static bool is_of_source(const struct extraction *extraction, uint32_t site)
{
	for (size_t i = 0; i < extraction->group_count; i++) {
		enum group_part part = extraction->groups[i].part;

		if (extraction->groups[i].to == site &&
		    (part == GROUP_OPEN || part == GROUP_CLIENT))
			return true;
	}
	return false;
}

/* Returns the station of the site, new if needed. Room is kept for queues; MODEL_NONE: no room. */
static uint32_t station_of(struct extraction *extraction, uint32_t site)
{
	struct model_object *object = &extraction->objects[site];
	struct model_station *station;

	if (object->part == OBJECT_QUEUE && extraction->groups[object->group].queues > 1)
		object = &extraction->objects[extraction->groups[object->group].home];
	if (object->station != MODEL_NONE ||
	    (object->part != OBJECT_QUEUE &&
	     extraction->model->station_count + MODEL_POOLS_MAX >= MODEL_STATIONS_MAX))
		return object->station;
	site = (uint32_t)(object - extraction->objects);
	object->station =
		extraction_add_station(extraction->model, extraction_station_name(extraction, site),
				       object->part == OBJECT_QUEUE ? MODEL_QUEUE : MODEL_LOCK);
	station = &extraction->model->stations[object->station];
	if (object->part == OBJECT_SEMAPHORE)
		set_servers(extraction, site, station);
	station->limit = object->part == OBJECT_QUEUE ? object->limit : 0;
	station->bounded = station->limit && !is_of_source(extraction, site);
	return object->station;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* A lock that the visit holds. */
struct having {
	uint32_t site;
	size_t step; /* step of the pool that acquires it */
	uint64_t since_ns;
};

/* A place of steps in visits, and its count in the current visit. */
struct place {
	uint32_t visit, times;
};

enum { HAVING_MAX = 64, TIMES_MAX = 8 };

struct pool_maker {
	struct extraction *extraction;
	struct model_pool *pool;
	struct group *group;
	gsl_rng *random;
	uint32_t calls;		  /* station of calls; MODEL_NONE: none */
	size_t left, wanted;	  /* visits to come, and to be kept */
	struct map places, nodes; /* numbers by key */
	struct place *place_items;
	size_t place_capacity, node_capacity, step_capacity, visit_capacity;
	/* Members of the current visit: */
	uint32_t visit, thread;
	uint64_t cpu_ns, cpu_since_ns; /* CPU time, and its start */
	bool asking;		       /* another program has not answered yet */
	uint32_t last;		       /* last node */
	size_t first;		       /* first step */
	struct having having[HAVING_MAX];
	size_t having_count;
	struct load_sample *samples; /* of all visits */
	size_t sample_count, sample_capacity;
	uint32_t *loads; /* [step]: visits at its start */
	size_t load_capacity;
	uint32_t mutex; /* mutex of the queue while a token is taken; else PROGRAM_NONE */
};

/* Returns the node of the key, new if needed; MODEL_NONE: no more room. */
static uint32_t add_node(struct pool_maker *maker, uint64_t key, enum model_node_kind kind,
			 uint32_t station, const char *where)
{
	struct model_pool *pool = maker->pool;
	uint32_t node = map_find_u64(&maker->nodes, key);

	if (node != MAP_NONE)
		return node;
	if (pool->node_count == MODEL_NODES_MAX)
		return MODEL_NONE;
	node = map_add_u64(&maker->nodes, key);
	array_reserve(&pool->nodes, &maker->node_capacity, pool->node_count + 1);
	pool->nodes[pool->node_count++] = (struct model_node){
		.kind = kind, .station = station, .where = where ? xstrdup(where) : NULL};
	return node;
}

/* Returns the node of a step: the n-th step at a place in a visit has its own. */
static uint32_t node_at(struct pool_maker *maker, enum model_node_kind kind, uint32_t at,
			uint32_t station, const char *where)
{
	uint32_t number = map_add_u64(&maker->places, (uint64_t)kind << 32 | at);
	struct place *place;

	array_reserve(&maker->place_items, &maker->place_capacity, (size_t)number + 1);
	place = &maker->place_items[number];
	if (place->visit != maker->visit)
		*place = (struct place){.visit = maker->visit};
	if (place->times < TIMES_MAX && maker->pool->node_count < MODEL_NODES_MAX / 2)
		place->times++;
	return add_node(maker, (uint64_t)number << 8 | place->times, kind, station, where);
}

static void add_step_at(struct pool_maker *maker, uint32_t node, uint64_t ns)
{
	struct model_pool *pool = maker->pool;

	if (node == MODEL_NONE)
		return;
	array_reserve(&pool->steps, &maker->step_capacity, pool->step_count + 1);
	array_reserve(&maker->loads, &maker->load_capacity, pool->step_count + 1);
	maker->loads[pool->step_count] =
		extraction_count_visits(maker->extraction, maker->cpu_since_ns);
	pool->steps[pool->step_count++] = (struct model_step){node, (float)((double)ns / 1e9)};
	maker->last = node;
}

/* Adds the CPU time so far. Its node follows from the step before it; a visit's start has one. */
static void add_cpu(struct pool_maker *maker)
{
	bool first = maker->pool->step_count == maker->first;
	uint64_t key = UINT64_C(1) << 63 | (first ? (uint32_t)MODEL_NONE : maker->last);

	if (maker->cpu_ns || first)
		add_step_at(maker, add_node(maker, key, MODEL_CPU, MODEL_NONE, NULL),
			    maker->cpu_ns);
	maker->extraction->cpu_ns += maker->cpu_ns;
	maker->cpu_ns = 0;
}

static void add_wait(struct pool_maker *maker, uint32_t site, uint64_t ns)
{
	const struct program *program = maker->extraction->program;
	const char *where = site < program->site_count ? program->sites[site].name : NULL;

	add_cpu(maker);
	add_step_at(maker, node_at(maker, MODEL_WAIT, site, MODEL_NONE, where), ns);
}

/* Returns whether threads of the pool end the wait, as at a lock or a barrier. */
static bool waits_for_pool(const struct pool_maker *maker, const struct step *step)
{
	const struct extraction *extraction = maker->extraction;
	enum step_op op = step_op(step);
	uint32_t waker = PROGRAM_NONE;

	if (op == STEP_BLOCK && step->edge < extraction->program->edge_count)
		waker = extraction->wakers[step->edge];
	else if (op == STEP_TAKE)
		waker = extraction->objects[step->site].giver;
	else if (op != STEP_BLOCK)
		return op != STEP_JOIN;
	return waker != PROGRAM_NONE && group_of(extraction, waker) == maker->group;
}

/* Adds a wait for a thread that is not simulated; skips waits for the token. */
static void keep_wait(struct pool_maker *maker, const struct step *step,
		      const struct step_times *times)
{
	uint64_t ns = times->end_ns - times->begin_ns;

	if (maker->mutex != PROGRAM_NONE || times->end_ns <= times->begin_ns)
		return;
	maker->extraction->kept_ns += ns;
	maker->group->unseen_ns += waits_for_pool(maker, step) ? ns : 0;
	add_wait(maker, step_site(step), ns);
}

/* --- Locks ------------------------------------------------------------------------------------ */

static void acquire(struct pool_maker *maker, const struct step *step,
		    const struct step_times *times)
{
	uint32_t site = step->site;
	uint32_t station = station_of(maker->extraction, site);

	if (station == MODEL_NONE || maker->having_count == HAVING_MAX) {
		keep_wait(maker, step, times);
		return;
	}
	if (site != maker->mutex)
		maker->extraction->objects[site].waited_ns += times->end_ns - times->begin_ns;
	add_cpu(maker);
	maker->having[maker->having_count++] =
		(struct having){site, maker->pool->step_count, times->end_ns};
	add_step_at(maker, node_at(maker, MODEL_ACQUIRE, station, station, NULL), 0);
}

static void give_back(struct pool_maker *maker, uint32_t site, const struct step_times *times)
{
	size_t i = maker->having_count;

	while (i && maker->having[i - 1].site != site)
		i--;
	if (!i)
		return; /* acquired before the visit */
	maker->extraction->objects[site].held_ns +=
		site == maker->mutex ? maker->cpu_ns
				     : times->begin_ns - maker->having[i - 1].since_ns;
	memmove(&maker->having[i - 1], &maker->having[i],
		(maker->having_count - i) * sizeof(*maker->having));
	maker->having_count--;
	add_cpu(maker);
	add_step_at(maker,
		    node_at(maker, MODEL_RELEASE, maker->extraction->objects[site].station,
			    maker->extraction->objects[site].station, NULL),
		    0);
}

/* Drops the acquire steps of locks that the visit does not release. */
static void drop_having(struct pool_maker *maker)
{
	struct model_pool *pool = maker->pool;
	size_t kept = maker->first;

	for (size_t i = maker->first; i < pool->step_count; i++) {
		bool drop = false;

		for (size_t j = 0; j < maker->having_count; j++)
			drop |= maker->having[j].step == i;
		if (drop)
			continue;
		maker->loads[kept] = maker->loads[i];
		pool->steps[kept++] = pool->steps[i];
	}
	pool->step_count = kept;
	maker->having_count = 0;
}

/* --- Visits ----------------------------------------------------------------------------------- */

static void take_lock(struct pool_maker *maker, const struct step *step, bool first,
		      const struct step_times *times)
{
	enum object_part part = maker->extraction->objects[step->site].part;

	if (first)
		maker->mutex = step->site;
	if (part == OBJECT_LOCK)
		acquire(maker, step, times);
	else if (part != OBJECT_PRIVATE && !first)
		keep_wait(maker, step, times);
}

static void take_token(struct pool_maker *maker, const struct step *step,
		       const struct step_times *times)
{
	enum object_part part = maker->extraction->objects[step->site].part;

	if (part == OBJECT_SEMAPHORE)
		acquire(maker, step, times);
	else if (part != OBJECT_ROOM)
		keep_wait(maker, step, times);
}

static void give_token(struct pool_maker *maker, uint32_t site, const struct step_times *times)
{
	struct extraction *extraction = maker->extraction;
	enum object_part part = extraction->objects[site].part;
	uint32_t station;

	if (part == OBJECT_SEMAPHORE) {
		give_back(maker, site, times);
	} else if (part == OBJECT_QUEUE) {
		station = station_of(extraction, site);
		add_cpu(maker);
		add_step_at(maker, node_at(maker, MODEL_PUT, station, station, NULL), 0);
	} else if (part == OBJECT_REPLY) {
		add_cpu(maker);
		add_step_at(maker, node_at(maker, MODEL_DONE, 0, MODEL_NONE, NULL), 0);
	}
}

/* Notes that the thread asks another program at a socket, or reads the answer. */
static void note_socket(struct pool_maker *maker, uint32_t use)
{
	const struct program *program = maker->extraction->program;

	if (use < program->socket_use_count && maker->extraction->asks[use])
		maker->asking = program->socket_uses[use].event == SOCKET_SENT;
}

/* Adds a wait for the answer of another program. */
static void add_call(struct pool_maker *maker, uint64_t ns)
{
	const uint32_t no_site = UINT32_C(1) << 31; /* no site has this number */

	if (maker->calls == MODEL_NONE)
		maker->calls = extraction_add_station(
			maker->extraction->model,
			extraction_name(maker->extraction, "calls-%s", maker->pool->name),
			MODEL_DELAY);
	add_cpu(maker);
	add_step_at(maker, node_at(maker, MODEL_WAIT, no_site, maker->calls, "call"), ns);
}

/* Adds a pause, unless the thread is taking its token. */
static void add_pause(struct pool_maker *maker, const struct step *step)
{
	if (maker->mutex != PROGRAM_NONE)
		return;
	if (maker->asking && step_op(step) == STEP_EXTERNAL) {
		add_call(maker, step_pause_ns(step));
		return;
	}
	add_wait(maker, step_site(step), step_pause_ns(step));
}

/* Adds a wait for a device, without the part in the queue, which is simulated. */
static void add_device(struct pool_maker *maker, const struct step *step,
		       const struct device_wait *wait)
{
	const uint32_t no_site = UINT32_C(3) << 30; /* no site has this number */
	const struct program *program = maker->extraction->program;
	uint32_t site = step_site(step);
	bool known = site < program->site_count;

	if (maker->mutex != PROGRAM_NONE)
		return;
	maker->extraction->device_ns += wait->end_ns - wait->begin_ns;
	if (!wait->service_ns)
		return;
	add_cpu(maker);
	add_step_at(maker,
		    node_at(maker, MODEL_WAIT, known ? site : no_site,
			    extraction_disk_station(maker->extraction),
			    known ? program->sites[site].name : NULL),
		    wait->service_ns);
}

static void add_step(struct pool_maker *maker, const struct step *step, bool first,
		     const struct step_times *times)
{
	const struct program_thread *own = &maker->extraction->program->threads[maker->thread];
	const struct device_wait *device = extraction_device_wait(maker->extraction, maker->thread,
								  (uint32_t)(step - own->steps));
	enum step_op op = step_op(step);

	maker->cpu_ns += step_run_ns(step);
	if (device) {
		add_device(maker, step, device);
	} else if (step_op_is_pause(op)) {
		add_pause(maker, step);
	} else if (op == STEP_LOCK) {
		take_lock(maker, step, first, times);
	} else if (op == STEP_UNLOCK) {
		give_back(maker, step->site, times);
		maker->mutex = step->site == maker->mutex ? PROGRAM_NONE : maker->mutex;
	} else if (op == STEP_TAKE) {
		take_token(maker, step, times);
	} else if (op == STEP_GIVE) {
		give_token(maker, step->site, times);
	} else if (op == STEP_SOCKET) {
		note_socket(maker, step->socket);
	} else if (step_op_waits(op)) {
		keep_wait(maker, step, times);
	}
}

/* Returns whether to keep the visit: all have the same chance, up to the room for them. */
static bool keeps_visit(struct pool_maker *maker)
{
	bool keep = gsl_rng_uniform(maker->random) * (double)maker->left < (double)maker->wanted;

	maker->left--;
	if (maker->pool->step_count > MODEL_STEPS_MAX)
		keep = false;
	maker->wanted -= keep;
	return keep;
}

/* Adds samples of the CPU time of the visit's steps, up to the room for them. */
static void add_samples(struct pool_maker *maker, uint64_t begin_ns)
{
	const struct model_pool *pool = maker->pool;
	uint32_t block = extraction_load_block(maker->extraction, begin_ns);

	for (size_t i = maker->first; i < pool->step_count; i++) {
		const struct model_step *step = &pool->steps[i];

		if (pool->nodes[step->node].kind != MODEL_CPU ||
		    maker->sample_count == MODEL_STEPS_MAX)
			continue;
		array_reserve(&maker->samples, &maker->sample_capacity, maker->sample_count + 1);
		maker->samples[maker->sample_count++] = (struct load_sample){
			step->node, block, (double)step->seconds, maker->loads[i]};
	}
}

static void end_visit(struct pool_maker *maker, uint64_t begin_ns, bool keep)
{
	struct model_pool *pool = maker->pool;

	add_cpu(maker);
	drop_having(maker);
	add_samples(maker, begin_ns);
	if (!keep || pool->step_count > MODEL_STEPS_MAX) {
		pool->step_count = maker->first;
		return;
	}
	array_reserve(&pool->visits, &maker->visit_capacity, pool->visit_count + 1);
	pool->visits[pool->visit_count++] = (struct model_visit){
		(uint32_t)maker->first, (uint32_t)(pool->step_count - maker->first)};
}

/* Makes a visit. `times` is before its first step, and behind its last one afterwards. */
static void make_visit(struct pool_maker *maker, const struct visit *visit,
		       const struct program_thread *own, struct step_times *times)
{
	bool source = visit->site == PROGRAM_NONE;
	bool has_mutex = !source && visit->site != maker->extraction->network;

	maker->group->visits_ns += visit->end_ns - visit->begin_ns;
	maker->visit++;
	maker->first = maker->pool->step_count;
	maker->mutex = PROGRAM_NONE;
	maker->asking = false;
	if (visit->handed_ns) {
		add_cpu(maker);
		add_step_at(maker, node_at(maker, MODEL_WAIT, visit->site, MODEL_NONE, "hand-over"),
			    visit->handed_ns);
	}
	maker->cpu_since_ns = visit->begin_ns;
	for (uint32_t i = visit->first; i < visit->last; i++) {
		if (!maker->cpu_ns && times->end_ns > visit->begin_ns)
			maker->cpu_since_ns = times->end_ns;
		step_times_next(times, own, i);
		if (i > visit->first)
			add_step(maker, &own->steps[i], i == visit->first + 1 && has_mutex, times);
	}
	if (!source)
		maker->cpu_ns += step_run_ns(&own->steps[visit->last]);
	end_visit(maker, visit->begin_ns, keeps_visit(maker));
}

static void make_visits(struct pool_maker *maker, uint32_t thread, const struct visit *visits,
			size_t count)
{
	const struct program *program = maker->extraction->program;
	const struct program_thread *own = &program->threads[thread];
	struct step_times times = {.gaps = &program->gaps[thread]};
	uint32_t step = 0;

	maker->thread = thread;
	for (size_t i = 0; i < count; i++) {
		if (!visits[i].end_ns)
			continue;
		for (; step < visits[i].first; step++)
			step_times_next(&times, own, step);
		make_visit(maker, &visits[i], own, &times);
		step = visits[i].last;
	}
}

/* --- Pools ------------------------------------------------------------------------------------ */

static struct model_pool *add_pool(struct extraction *extraction, struct group *group)
{
	struct model *model = extraction->model;
	struct model_pool *pool;

	model->pools = xreallocarray(model->pools, model->pool_count + 1, sizeof(*model->pools));
	pool = &model->pools[model->pool_count];
	*pool = (struct model_pool){.name = extraction_name(extraction, "%s", group->name),
				    .cpu_scale = 1,
				    .wait_scale = 1};
	group->pool = (uint32_t)model->pool_count++;
	return pool;
}

/* Finds the queue of a pool; a batch group gets its own, full from the beginning. */
static void find_queue(struct extraction *extraction, struct group *group, struct model_pool *pool)
{
	if (group->part == GROUP_BATCH)
		pool->takes = extraction_add_station(
			extraction->model, extraction_name(extraction, "work-%s", group->name),
			MODEL_QUEUE);
	else
		pool->takes = station_of(extraction, group->home);
	pool->dispatch = group->home == extraction->network && group->part == GROUP_POOL
				 ? extraction->dispatch
			 : group->part == GROUP_POOL && group->queues > 1 ? MODEL_PINNED
									  : MODEL_SHARED;
}

/* The visits of a group that have an end, and their steps. */
struct group_visits {
	size_t count, steps;
};

/* Returns the visits of each group. */
static struct group_visits *count_visits(const struct extraction *extraction)
{
	struct group_visits *visits = xcalloc(extraction->group_count + 1, sizeof(*visits));

	for (size_t i = 0; i < extraction->visit_count; i++) {
		const struct visit *visit = &extraction->visits[i];
		struct group_visits *own = &visits[extraction->groups_of[visit->thread]];

		own->count += visit->end_ns > 0;
		own->steps += visit->end_ns ? visit->last - visit->first : 0;
	}
	return visits;
}

/* Returns the visits that fit into a model, where a step may be two: CPU time and the step. */
static size_t most_kept(const struct group_visits *visits)
{
	size_t most = visits->count < MODEL_VISITS_MAX ? visits->count : MODEL_VISITS_MAX;
	double each = 2 * (1 + (double)visits->steps / (double)visits->count);

	return (size_t)fmax(1, fmin((double)most, MODEL_STEPS_MAX / each));
}

static void init_maker(struct pool_maker *maker, struct extraction *extraction, uint32_t group,
		       const struct group_visits *visits)
{
	*maker = (struct pool_maker){.extraction = extraction,
				     .group = &extraction->groups[group],
				     .calls = MODEL_NONE,
				     .left = visits->count,
				     .wanted = most_kept(visits)};
	maker->random = gsl_rng_alloc(gsl_rng_taus2);
	maker->pool = add_pool(extraction, maker->group);
	find_queue(extraction, maker->group, maker->pool);
}

static void release_maker(struct pool_maker *maker)
{
	gsl_rng_free(maker->random);
	map_release(&maker->places);
	map_release(&maker->nodes);
	free(maker->place_items);
	free(maker->samples);
	free(maker->loads);
}

/* Divides recorded times by their growth, which makes them those of a lone visit. */
static void find_growth(struct pool_maker *maker)
{
	struct model_pool *pool = maker->pool;

	extraction_find_growth(pool, maker->samples, maker->sample_count);
	for (size_t i = 0; i < pool->step_count; i++) {
		double visits = maker->loads[i];

		if (pool->nodes[pool->steps[i].node].kind != MODEL_CPU)
			continue;
		if (pool->cpu_growth_until > 0)
			visits = fmin(visits, pool->cpu_growth_until);
		pool->steps[i].seconds /= (float)(1 + pool->cpu_growth * (visits - 1));
	}
}

/* Makes the pool of a group; `first`: [thread], the index of its first visit. */
static void make_pool(struct extraction *extraction, uint32_t group, uint32_t *threads,
		      size_t count, const size_t *first, const struct group_visits *visits)
{
	struct pool_maker maker;

	init_maker(&maker, extraction, group, visits);
	maker.group->visits = visits->count;
	count = extraction_count_threads(extraction, maker.pool, threads, count, first,
					 visits->count);
	for (size_t i = 0; i < count; i++)
		make_visits(&maker, threads[i], &extraction->visits[first[threads[i]]],
			    first[threads[i] + 1] - first[threads[i]]);
	if (maker.group->visits_ns)
		maker.pool->unseen_waits =
			fmin(1, (double)maker.group->unseen_ns / (double)maker.group->visits_ns);
	find_growth(&maker);
	extraction_make_graph(maker.pool);
	release_maker(&maker);
}

/* Threads in the order of their groups, and the first visit of each thread. */
struct order {
	uint32_t *threads;
	size_t *group_first, *visit_first;
};

static struct order make_order(const struct extraction *extraction)
{
	size_t thread_count = extraction->program->thread_count;
	struct order order = {xcalloc(thread_count + 1, sizeof(*order.threads)),
			      xcalloc(extraction->group_count + 2, sizeof(*order.group_first)),
			      xcalloc(thread_count + 2, sizeof(*order.visit_first))};

	for (size_t i = 0; i < thread_count; i++)
		order.group_first[extraction->groups_of[i] + 2]++;
	for (size_t i = 2; i < extraction->group_count + 2; i++)
		order.group_first[i] += order.group_first[i - 1];
	for (uint32_t i = 0; i < thread_count; i++)
		order.threads[order.group_first[extraction->groups_of[i] + 1]++] = i;
	for (size_t i = 0; i < extraction->visit_count; i++)
		order.visit_first[extraction->visits[i].thread + 1]++;
	for (size_t i = 0; i < thread_count; i++)
		order.visit_first[i + 1] += order.visit_first[i];
	return order;
}

/*
 * Drops pools without a whole visit or beyond the limit, and queues that a pool takes from beside
 * its own.
 */
static void drop_empty_pools(struct extraction *extraction, const struct group_visits *visits)
{
	size_t pools = 0;

	for (size_t i = 0; i < extraction->group_count; i++) {
		struct group *group = &extraction->groups[i];

		if (group->part != GROUP_POOL && group->part != GROUP_BATCH)
			continue;
		if (!visits[i].count || pools == MODEL_POOLS_MAX)
			group->part = GROUP_OTHER;
		else
			pools++;
	}
	for (size_t i = 0; i < extraction->program->site_count; i++) {
		struct model_object *object = &extraction->objects[i];
		const struct group *taker = &extraction->groups[object->group];

		if (object->part == OBJECT_QUEUE &&
		    (taker->part != GROUP_POOL || (taker->queues <= 1 && taker->home != i)))
			object->part = OBJECT_OTHER;
	}
}

static void find_wakers(struct extraction *extraction)
{
	const struct program *program = extraction->program;

	extraction->wakers = xcalloc(program->edge_count + 1, sizeof(*extraction->wakers));
	for (uint32_t i = 0; i < program->edge_count; i++)
		extraction->wakers[i] = PROGRAM_NONE;
	for (uint32_t i = 0; i < program->thread_count; i++)
		for (uint32_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];

			if (step_op(step) == STEP_WAKE && step->edge < program->edge_count)
				extraction->wakers[step->edge] = i;
			else if (step_op(step) == STEP_GIVE)
				extraction->objects[step->site].giver = i;
		}
}

void extraction_make_pools(struct extraction *extraction)
{
	struct group_visits *visits = count_visits(extraction);
	struct order order = make_order(extraction);

	find_wakers(extraction);
	drop_empty_pools(extraction, visits);
	extraction_note_visits(extraction);
	for (uint32_t i = 0; i < extraction->group_count; i++) {
		enum group_part part = extraction->groups[i].part;

		if (part == GROUP_POOL || part == GROUP_BATCH)
			make_pool(extraction, i, &order.threads[order.group_first[i]],
				  order.group_first[i + 1] - order.group_first[i],
				  order.visit_first, &visits[i]);
	}
	free(order.threads);
	free(order.group_first);
	free(order.visit_first);
	free(visits);
}
