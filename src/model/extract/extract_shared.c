/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A batch program whose queue is not recognised: the model gives out its work on demand, in the
 * recorded pieces. The threads of one group do most of it; another thread is a stage before it (the
 * first thread) or behind it (any other), with an equal part for each item. Locks that workers hold
 * for more than a hundredth of the work are held for the same part of each piece. Work that is
 * split evenly among the threads takes the same time.
 */

/* A piece: the work between two waits or locks. Small pieces join the next large one. */
struct piece {
	double cpu_s, wait_s;
};

struct held_lock {
	uint32_t site;
	double share; /* share of the CPU time of the workers */
};

enum { HELD_LOCKS_MAX = 8 };

struct sharing {
	struct extraction *extraction;
	uint32_t group;
	double least_s; /* CPU time of the smallest large piece */
	struct piece *pieces;
	size_t count, capacity;
	uint64_t *run_ns, *pause_ns; /* [thread] */
	bool *works;		     /* [thread] */
	struct held_lock locks[HELD_LOCKS_MAX];
	uint32_t lock_count;
	uint64_t all_ns; /* CPU time of the process */
	uint32_t workers;
};

/* The fewest pieces per worker that show how the work is given out. */
enum { PIECES_LEAST = 8 };

/* The smallest share of the group's work for a worker, and of all work for a stage. */
static const double few = .02;

static void sum_threads(struct sharing *sharing)
{
	const struct program *program = sharing->extraction->program;

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *own = &program->threads[i];

		for (size_t j = 0; j < own->count; j++) {
			enum step_op op = step_op(&own->steps[j]);

			sharing->run_ns[i] += step_run_ns(&own->steps[j]);
			if (step_op_is_pause(op))
				sharing->pause_ns[i] += step_pause_ns(&own->steps[j]);
		}
	}
}

/* Returns whether the thread is the first of its process. Text has no pid, but has forks. */
static bool is_first(const struct program_thread *thread)
{
	return thread->pid < 0 ? !thread->forked : thread->tid == thread->pid;
}

/* Finds the group with the most CPU time without first threads. Returns that time. */
static uint64_t find_group(struct sharing *sharing)
{
	const struct extraction *extraction = sharing->extraction;
	const struct program *program = extraction->program;
	uint64_t *sums = xcalloc(extraction->group_count + 1, sizeof(*sums)), most_ns;

	for (uint32_t i = 0; i < program->thread_count; i++)
		if (!is_first(&program->threads[i]))
			sums[extraction->groups_of[i]] += sharing->run_ns[i];
	for (uint32_t i = 1; i < extraction->group_count; i++)
		if (sums[i] > sums[sharing->group])
			sharing->group = i;
	most_ns = sums[sharing->group];
	free(sums);
	return most_ns;
}

/* Marks workers: threads of the group with enough work, and any with half their average. */
static void note_workers(struct sharing *sharing, uint64_t group_ns)
{
	const struct extraction *extraction = sharing->extraction;
	const struct program *program = extraction->program;
	uint64_t mean_ns;

	for (uint32_t i = 0; i < program->thread_count; i++) {
		sharing->works[i] = !is_first(&program->threads[i]) &&
				    extraction->groups_of[i] == sharing->group &&
				    (double)sharing->run_ns[i] > few * (double)group_ns;
		sharing->workers += sharing->works[i];
	}
	mean_ns = sharing->workers ? group_ns / sharing->workers : UINT64_MAX;
	for (uint32_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *own = &program->threads[i];

		if (own->pid != extraction->groups[sharing->group].pid)
			continue;
		sharing->all_ns += sharing->run_ns[i];
		if (sharing->works[i] || is_first(own) || sharing->run_ns[i] < mean_ns / 2)
			continue;
		sharing->works[i] = true;
		sharing->workers++;
	}
}

/* Returns whether there are workers that do most of the work, and seldom pause. */
static bool find_workers(struct sharing *sharing)
{
	uint64_t work_ns = 0, paused_ns = 0;

	if (!sharing->extraction->group_count)
		return false;
	note_workers(sharing, find_group(sharing));
	for (uint32_t i = 0; i < sharing->extraction->program->thread_count; i++) {
		work_ns += sharing->works[i] ? sharing->run_ns[i] : 0;
		paused_ns += sharing->works[i] ? sharing->pause_ns[i] : 0;
	}
	return sharing->workers > 1 && work_ns > sharing->all_ns / 2 && paused_ns < work_ns;
}

/* --- Locks ------------------------------------------------------------------------------------ */

/* Adds the CPU time of a thread to the locks that it holds; of nested locks, to the outer. */
static void hold_locks(const struct program_thread *own, uint64_t *held_ns)
{
	uint32_t held = PROGRAM_NONE;

	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (held != PROGRAM_NONE)
			held_ns[held] += step_run_ns(step);
		if (step_op(step) == STEP_LOCK && held == PROGRAM_NONE)
			held = step->site;
		else if (step_op(step) == STEP_UNLOCK && step->site == held)
			held = PROGRAM_NONE;
	}
}

static void find_locks(struct sharing *sharing)
{
	const struct extraction *extraction = sharing->extraction;
	const struct program *program = extraction->program;
	const double least = .01;
	uint64_t *held_ns = xcalloc(program->site_count + 1, sizeof(*held_ns)), work_ns = 0;

	for (uint32_t i = 0; i < program->thread_count; i++)
		if (sharing->works[i]) {
			work_ns += sharing->run_ns[i];
			hold_locks(&program->threads[i], held_ns);
		}
	for (uint32_t i = 0; i < program->site_count; i++) {
		double share = (double)held_ns[i] / (double)work_ns;

		if (extraction->objects[i].part == OBJECT_LOCK && share > least &&
		    sharing->lock_count < HELD_LOCKS_MAX)
			sharing->locks[sharing->lock_count++] = (struct held_lock){i, share};
	}
	free(held_ns);
}

/* --- Pieces ----------------------------------------------------------------------------------- */

static bool ends_piece(enum step_op op)
{
	return (step_op_waits(op) && !step_op_is_pause(op)) || op == STEP_EXIT;
}

static void add_piece(struct sharing *sharing, struct piece piece)
{
	array_reserve(&sharing->pieces, &sharing->capacity, sharing->count + 1);
	sharing->pieces[sharing->count++] = piece;
}

static void cut_thread(struct sharing *sharing, const struct program_thread *own)
{
	struct piece piece = {0, 0};
	double burst_s = 0;

	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		enum step_op op = step_op(step);

		burst_s += (double)step_run_ns(step) / 1e9;
		if (step_op_is_pause(op))
			piece.wait_s += (double)step_pause_ns(step) / 1e9;
		if (!ends_piece(op))
			continue;
		piece.cpu_s += burst_s;
		if (burst_s >= sharing->least_s && burst_s > 0) {
			add_piece(sharing, piece);
			piece = (struct piece){0, 0};
		}
		burst_s = 0;
	}
	if (sharing->count && piece.cpu_s + burst_s + piece.wait_s > 0) {
		sharing->pieces[sharing->count - 1].cpu_s += piece.cpu_s + burst_s;
		sharing->pieces[sharing->count - 1].wait_s += piece.wait_s;
	}
}

static void cut_work(struct sharing *sharing)
{
	const struct program *program = sharing->extraction->program;

	sharing->count = 0;
	for (uint32_t i = 0; i < program->thread_count; i++)
		if (sharing->works[i])
			cut_thread(sharing, &program->threads[i]);
}

static int by_length(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return compare_values(y->cpu_s, x->cpu_s);
}

/* Cuts the work into pieces; the largest pieces, nine tenths of the work, are large. */
static void find_pieces(struct sharing *sharing)
{
	const double most = .9;
	double sum_s = 0, all_s = 0;

	cut_work(sharing);
	sort_items(sharing->pieces, sharing->count, by_length);
	for (size_t i = 0; i < sharing->count; i++)
		all_s += sharing->pieces[i].cpu_s;
	for (size_t i = 0; i < sharing->count && sum_s < most * all_s; i++) {
		sum_s += sharing->pieces[i].cpu_s;
		sharing->least_s = sharing->pieces[i].cpu_s;
	}
	cut_work(sharing);
}

/* --- The model -------------------------------------------------------------------------------- */

/* Adds a pool that takes from its own queue; its visits are CPU time, a wait, and a put. */
static struct model_pool *add_stage(struct extraction *extraction, const char *name,
				    uint32_t threads)
{
	struct model *model = extraction->model;
	struct model_pool *pool;

	model->pools = xreallocarray(model->pools, model->pool_count + 1, sizeof(*model->pools));
	pool = &model->pools[model->pool_count++];
	*pool = (struct model_pool){
		.name = extraction_name(extraction, "%s", name),
		.threads = threads,
		.takes = extraction_add_station(
			model, extraction_name(extraction, "queue-%s", name), MODEL_QUEUE),
		.cpu_scale = 1,
		.wait_scale = 1,
		.node_count = 2};
	pool->nodes = xcalloc(3 + 3 * HELD_LOCKS_MAX, sizeof(*pool->nodes));
	pool->nodes[0] = (struct model_node){.kind = MODEL_CPU, .station = MODEL_NONE};
	pool->nodes[1] = (struct model_node){.kind = MODEL_WAIT, .station = MODEL_NONE};
	return pool;
}

/* Adds nodes for each lock: take, CPU time for its share, release. */
static void add_locks(struct sharing *sharing, struct model_pool *pool)
{
	struct extraction *extraction = sharing->extraction;

	for (uint32_t i = 0; i < sharing->lock_count; i++) {
		uint32_t site = sharing->locks[i].site;
		uint32_t station = extraction_add_station(
			extraction->model, extraction_station_name(extraction, site), MODEL_LOCK);

		extraction->objects[site].station = station;
		pool->nodes[pool->node_count++] =
			(struct model_node){.kind = MODEL_ACQUIRE, .station = station};
		pool->nodes[pool->node_count++] =
			(struct model_node){.kind = MODEL_CPU, .station = MODEL_NONE};
		pool->nodes[pool->node_count++] =
			(struct model_node){.kind = MODEL_RELEASE, .station = station};
	}
}

/* Returns the share of the CPU time of a piece in this node. */
static double cpu_share(const struct sharing *sharing, uint32_t node)
{
	const uint32_t first = 2, each = 3;
	double rest = 1;

	for (uint32_t i = 0; i < sharing->lock_count; i++) {
		if (node == first + each * i + 1)
			return sharing->locks[i].share;
		rest -= sharing->locks[i].share;
	}
	return node ? 0 : rest;
}

static struct distribution fixed_time(double seconds)
{
	return (struct distribution){.kind = DISTRIBUTION_FIXED, .mean = seconds};
}

static void link_nodes(struct model_pool *pool)
{
	for (uint32_t i = 0; i + 1 < pool->node_count; i++) {
		pool->nodes[i].edges = xcalloc(1, sizeof(*pool->nodes[i].edges));
		pool->nodes[i].edges[0] = (struct model_edge){i + 1, 1};
		pool->nodes[i].edge_count = 1;
	}
}

static void make_visits(struct model_pool *pool, const struct sharing *sharing)
{
	size_t count = sharing->count < MODEL_VISITS_MAX ? sharing->count : MODEL_VISITS_MAX;

	pool->visits = xcalloc(count, sizeof(*pool->visits));
	pool->steps = xcalloc(pool->node_count * count, sizeof(*pool->steps));
	for (size_t i = 0; i < count; i++) {
		const struct piece *piece = &sharing->pieces[i * sharing->count / count];

		pool->visits[i] = (struct model_visit){(uint32_t)pool->step_count,
						       (uint32_t)pool->node_count};
		for (uint32_t j = 0; j < pool->node_count; j++)
			pool->steps[pool->step_count++] = (struct model_step){
				j, (float)(piece->cpu_s * cpu_share(sharing, j) +
					   (j == 1 ? piece->wait_s : 0))};
	}
	pool->visit_count = count;
}

static void make_times(struct model_pool *pool, const struct sharing *sharing)
{
	double *seconds = xcalloc(sharing->count, sizeof(*seconds));

	for (uint32_t node = 0; node < pool->node_count; node++) {
		double share = cpu_share(sharing, node);

		if (pool->nodes[node].kind != MODEL_CPU && pool->nodes[node].kind != MODEL_WAIT)
			continue;
		for (size_t i = 0; i < sharing->count; i++)
			seconds[i] = node == 1 ? sharing->pieces[i].wait_s
					       : sharing->pieces[i].cpu_s * share;
		pool->nodes[node].time = distribution_of_times(seconds, sharing->count);
	}
	free(seconds);
}

/* Returns whether a thread that is no worker does enough work for a stage. */
static bool is_stage(const struct sharing *sharing, uint32_t thread, bool first)
{
	const struct program_thread *own = &sharing->extraction->program->threads[thread];

	return own->pid == sharing->extraction->groups[sharing->group].pid &&
	       is_first(own) == first && !sharing->works[thread] &&
	       (double)sharing->run_ns[thread] > few * (double)sharing->all_ns;
}

static void add_thread_stages(struct sharing *sharing, bool first)
{
	struct model *model = sharing->extraction->model;
	double items = (double)sharing->count;

	for (uint32_t i = 0; i < sharing->extraction->program->thread_count; i++) {
		struct model_pool *pool;

		if (!is_stage(sharing, i, first) || model->pool_count >= MODEL_POOLS_MAX)
			continue;
		pool = add_stage(sharing->extraction, first ? "first-thread" : "thread", 1);
		pool->nodes[0].time = fixed_time((double)sharing->run_ns[i] / 1e9 / items);
		pool->nodes[1].time = fixed_time((double)sharing->pause_ns[i] / 1e9 / items);
		pool->fixed = true;
		pool->why_fixed = xstrdup("it is a single thread");
	}
}

/* Lets each stage put into the queue of the next one. */
static void join_stages(struct model *model)
{
	for (size_t i = 0; i + 1 < model->pool_count; i++) {
		struct model_pool *pool = &model->pools[i];

		pool->nodes[pool->node_count++] = (struct model_node){
			.kind = MODEL_PUT, .station = model->pools[i + 1].takes};
	}
	for (size_t i = 0; i < model->pool_count; i++)
		link_nodes(&model->pools[i]);
}

static void make_batch(struct sharing *sharing)
{
	struct extraction *extraction = sharing->extraction;
	struct model *model = extraction->model;
	size_t workers;

	add_thread_stages(sharing, true);
	workers = model->pool_count;
	add_locks(sharing,
		  add_stage(extraction, extraction->groups[sharing->group].name, sharing->workers));
	add_thread_stages(sharing, false);
	join_stages(model);
	make_visits(&model->pools[workers], sharing);
	make_times(&model->pools[workers], sharing);
	extraction->groups[sharing->group].pool = (uint32_t)workers;
	model->sources = xcalloc(1, sizeof(*model->sources));
	model->source_count = 1;
	model->sources[0] = (struct model_source){.name = extraction_name(extraction, "items"),
						  .kind = MODEL_BATCH,
						  .items = sharing->count,
						  .to_count = 1};
	model->sources[0].to = xcalloc(1, sizeof(*model->sources[0].to));
	model->sources[0].to[0] = model->pools[0].takes;
}

/* Returns the wall time since the first worker began. */
static double sharing_wall_s(const struct sharing *sharing)
{
	const struct program *program = sharing->extraction->program;
	uint64_t begin_ns = program->wall_ns;

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_gaps *gaps = &program->gaps[i];
		uint64_t born_ns =
			gaps->count && gaps->items[0].kind == GAP_READY && !gaps->items[0].run_ns
				? gaps->items[0].begin_ns
				: 0;

		if (sharing->works[i] && born_ns < begin_ns)
			begin_ns = born_ns;
	}
	return (double)(program->wall_ns - begin_ns) / 1e9;
}

static void check_batch(const struct sharing *sharing)
{
	struct extraction *extraction = sharing->extraction;
	struct model_check *check = &extraction->model->check;
	double wall_s = sharing_wall_s(sharing), run_queue_s = 0;
	const struct model_checked unknown = {NAN, NAN};

	for (uint32_t i = 0; i < extraction->program->thread_count; i++)
		if (sharing->works[i])
			run_queue_s += extraction_run_queue_s(extraction, i) / sharing->workers;

	*check = (struct model_check){.response_s = unknown, .response_p95_s = unknown};
	check->wall_s = (struct model_checked){wall_s, NAN};
	check->run_queue_s = (struct model_checked){run_queue_s, NAN};
	check->throughput_per_s = (struct model_checked){(double)sharing->count / wall_s, NAN};
	check->busy_cores = (struct model_checked){(double)sharing->all_ns / 1e9 / wall_s, NAN};
	extraction->model->has_check = true;
}

/* Returns whether a first thread ended in the recording, which then has the whole program. */
static bool is_whole(const struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *own = &program->threads[i];

		if (is_first(own) && own->count && own->steps[own->count - 1].exit_ns &&
		    step_op(&own->steps[own->count - 1]) == STEP_EXIT)
			return true;
	}
	return false;
}

bool extraction_share_work(struct extraction *extraction)
{
	const struct program *program = extraction->program;
	struct sharing sharing = {.extraction = extraction};
	bool shared = false;

	sharing.run_ns = xcalloc(program->thread_count + 1, sizeof(*sharing.run_ns));
	sharing.pause_ns = xcalloc(program->thread_count + 1, sizeof(*sharing.pause_ns));
	sharing.works = xcalloc(program->thread_count + 1, sizeof(*sharing.works));
	sum_threads(&sharing);
	if (is_whole(program) && find_workers(&sharing)) {
		find_locks(&sharing);
		find_pieces(&sharing);
		shared = sharing.count >= PIECES_LEAST * (size_t)sharing.workers;
	}
	if (shared) {
		make_batch(&sharing);
		check_batch(&sharing);
		extraction->findings->batch = true;
		extraction->findings->requests = sharing.count;
		extraction_doubt(extraction,
				 "The queue of %s is not recognised: the model shares its work "
				 "dynamically, in the %zu recorded pieces.",
				 extraction->groups[sharing.group].name, sharing.count);
	}
	free(sharing.pieces);
	free(sharing.run_ns);
	free(sharing.pause_ns);
	free(sharing.works);
	return shared;
}
