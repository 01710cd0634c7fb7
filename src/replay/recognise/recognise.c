/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "base/names.h"
#include "base/sorted.h"
#include "replay/program/program_gaps.h"
#include "replay/recognise/recognition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Edges and steps ------------------------------------------------------------------------ */

static const struct place nowhere = {PROGRAM_NONE, 0};

static void note_step(struct recognition *recognition, uint32_t thread, uint32_t number)
{
	struct place place = {thread, number};
	const struct step *step = recognition_step(recognition, place);
	enum step_op op = step_op(step);

	if (op == STEP_CALL && sync_call_waits_at_word(step_call(step)))
		recognition->tells_waits = true;
	if ((op != STEP_WAKE && op != STEP_BLOCK) || step->edge >= recognition->program->edge_count)
		return;
	if (op == STEP_WAKE)
		recognition->edges[step->edge].wake = place;
	else
		recognition->edges[step->edge].block = place;
}

void recognition_init(struct recognition *recognition, struct program *program,
		      struct recognised *found)
{
	*recognition = (struct recognition){.program = program, .found = found};
	recognition->edges = xcalloc(program->edge_count, sizeof(*recognition->edges));
	for (uint32_t i = 0; i < program->edge_count; i++)
		recognition->edges[i] = (struct edge){nowhere, nowhere};
	for (uint32_t i = 0; i < program->thread_count; i++)
		for (uint32_t j = 0; j < program->threads[i].count; j++)
			note_step(recognition, i, j);
}

void recognition_release(struct recognition *recognition)
{
	free(recognition->edges);
	*recognition = (struct recognition){0};
}

bool recognition_has_edge(const struct recognition *recognition, uint32_t edge)
{
	return edge < recognition->program->edge_count &&
	       place_is_known(recognition->edges[edge].wake) &&
	       place_is_known(recognition->edges[edge].block);
}

void step_become(struct step *step, enum step_op op)
{
	step->run_op = step_run_op(step_run_ns(step), op);
}

void step_become_at(struct step *step, enum step_op op, uint32_t site, uint32_t count)
{
	step_become(step, op);
	step->site = site;
	step->count = count;
}

void step_drop_call(struct step *step, enum sync_call call)
{
	step_become_at(step, STEP_CALL, PROGRAM_NONE, step_call_count(call, 0));
}

void recognition_forget_edge(struct recognition *recognition, uint32_t edge)
{
	struct edge *ends = &recognition->edges[edge];

	step_become(recognition_step(recognition, ends->wake), STEP_NONE);
	step_become(recognition_step(recognition, ends->block), STEP_NONE);
	*ends = (struct edge){nowhere, nowhere};
}

void recognition_move_back(struct recognition *recognition, uint32_t thread, uint32_t from,
			   uint32_t to)
{
	struct step *steps = recognition->program->threads[thread].steps;
	struct step moved = steps[from];
	uint64_t run_ns = step_run_ns(&moved);

	for (uint32_t i = from; i < to; i++) {
		steps[i] = steps[i + 1];
		steps[i].run_op = step_run_op(run_ns + step_run_ns(&steps[i]), step_op(&steps[i]));
		run_ns = 0;
		note_step(recognition, thread, i);
	}
	moved.run_op = step_run_op(run_ns, step_op(&moved));
	steps[to] = moved;
}

static void compact_thread(struct program_thread *thread)
{
	uint32_t kept = 0;
	uint64_t run_ns = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		run_ns += step_run_ns(&step);
		/* The thread's last work needs a step, also if its end is not recorded. */
		if (step_op(&step) == STEP_NONE && (i + 1 < thread->count || !run_ns))
			continue;
		step.run_op = step_run_op(run_ns, step_op(&step));
		thread->steps[kept++] = step;
		run_ns = 0;
	}
	thread->count = kept;
}

void recognition_compact(struct recognition *recognition)
{
	for (size_t i = 0; i < recognition->program->thread_count; i++)
		compact_thread(&recognition->program->threads[i]);
}

/* --- Sites and names ------------------------------------------------------------------------ */

/*
 * Gives sites and names to waits that are at no object: a site for each two threads that wait for
 * each other, or, if these are too many, for each two names of threads; and one for each kind of
 * pause.
 */

/* The largest number of pairs: a longer list is not readable, and threads form larger groups. */
enum { PAIRS_MAX = 1000 };

enum grouping {
	BY_THREAD,
	BY_NAME,
	BY_NAME_WITHOUT_NUMBER, /* "worker17" and "worker18" are "worker*" */
	ALL_TOGETHER,
};

/* Two threads or groups of threads, the smaller number first. */
struct pair {
	uint32_t one, other;
	uint32_t site;
};

struct pairs {
	struct pair *items;
	size_t count, capacity;
	uint32_t *group; /* [thread] */
};

static int by_threads(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->one != y->one ? compare_values(x->one, y->one)
				: compare_values(x->other, y->other);
}

static struct pair pair_of(const struct pairs *pairs, const struct edge *edge)
{
	uint32_t waker = pairs->group[edge->wake.thread], waiter = pairs->group[edge->block.thread];

	return (struct pair){.one = waker < waiter ? waker : waiter,
			     .other = waker < waiter ? waiter : waker};
}

/* Returns whether the wait at the end of the edge has no site yet. */
static bool is_nameless(const struct recognition *recognition, uint32_t edge)
{
	return recognition_has_edge(recognition, edge) &&
	       recognition_step(recognition, recognition->edges[edge].block)->site == PROGRAM_NONE;
}

static void find_pairs(struct pairs *pairs, const struct recognition *recognition)
{
	pairs->count = 0;
	for (uint32_t i = 0; i < recognition->program->edge_count; i++) {
		if (!is_nameless(recognition, i))
			continue;
		/* Skips repeats in a row of equal pairs, which keeps the array small. */
		struct pair pair = pair_of(pairs, &recognition->edges[i]);

		if (pairs->count && by_threads(&pairs->items[pairs->count - 1], &pair) == 0)
			continue;
		array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1);
		pairs->items[pairs->count++] = pair;
	}
	sort_items(pairs->items, pairs->count, by_threads);
	pairs->count = drop_twins(pairs->items, pairs->count, sizeof(*pairs->items), by_threads);
}

struct named {
	const char *comm;
	size_t length; /* length of the part that counts */
	bool is_cut;   /* the name is longer */
	uint32_t thread;
};

static bool is_same_name(const struct named *x, const struct named *y)
{
	return x->length == y->length && x->is_cut == y->is_cut &&
	       memcmp(x->comm, y->comm, x->length) == 0;
}

static int sites_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = x->length != y->length   ? compare_values(x->length, y->length)
		    : x->is_cut != y->is_cut ? compare_values(x->is_cut, y->is_cut)
					     : memcmp(x->comm, y->comm, x->length);

	return order ? order : compare_values(x->thread, y->thread);
}

static struct named name_in(const struct program *program, uint32_t thread, enum grouping grouping)
{
	const char *comm = thread_name_text(&program->threads[thread].name);
	bool counts = grouping < ALL_TOGETHER;
	size_t whole = strlen(comm), length = counts ? whole : 0;

	if (grouping == BY_NAME_WITHOUT_NUMBER)
		length = numbered_stem(comm, whole);
	return (struct named){comm, length, !counts || length < whole, thread};
}

/* Puts each thread into the group of the first thread with its name. */
static void group_by_name(struct pairs *pairs, const struct program *program,
			  enum grouping grouping)
{
	struct named *names = xcalloc(program->thread_count, sizeof(*names));

	for (uint32_t i = 0; i < program->thread_count; i++)
		names[i] = name_in(program, i, grouping);
	qsort(names, program->thread_count, sizeof(*names), sites_by_name);
	for (size_t i = 0, first = 0; i < program->thread_count; i++) {
		if (!is_same_name(&names[first], &names[i]))
			first = i;
		pairs->group[names[i].thread] = names[first].thread;
	}
	free(names);
}

static char *pair_name(const struct program *program, const struct pair *pair,
		       enum grouping grouping)
{
	const struct named one = name_in(program, pair->one, grouping);
	const struct named other = name_in(program, pair->other, grouping);

	if (grouping > BY_THREAD)
		return xasprintf("%.*s%s <-> %.*s%s", (int)one.length, one.comm,
				 one.is_cut ? "*" : "", (int)other.length, other.comm,
				 other.is_cut ? "*" : "");
	return xasprintf("%s/%d <-> %s/%d", one.comm, program->threads[pair->one].tid, other.comm,
			 program->threads[pair->other].tid);
}

static void name_edges(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct pairs pairs = {.group = xcalloc(program->thread_count, sizeof(*pairs.group))};
	enum grouping grouping = BY_THREAD;

	for (uint32_t i = 0; i < program->thread_count; i++)
		pairs.group[i] = i;
	find_pairs(&pairs, recognition);
	while (pairs.count > PAIRS_MAX && grouping < ALL_TOGETHER) {
		group_by_name(&pairs, program, ++grouping);
		find_pairs(&pairs, recognition);
	}
	for (size_t i = 0; i < pairs.count; i++) {
		pairs.items[i].site = program_add_site(program, SITE_THREADS);
		program->sites[pairs.items[i].site].name =
			pair_name(program, &pairs.items[i], grouping);
	}
	for (uint32_t i = 0; i < program->edge_count; i++) {
		struct pair key;

		if (!is_nameless(recognition, i))
			continue;
		key = pair_of(&pairs, &recognition->edges[i]);
		recognition_step(recognition, recognition->edges[i].block)->site =
			((struct pair *)bsearch(&key, pairs.items, pairs.count, sizeof(key),
						by_threads))
				->site;
	}
	free(pairs.items);
	free(pairs.group);
}

/* --- Pauses and objects -------------------------------------------------------------------- */

static enum site_kind kind_of(enum step_op op)
{
	switch (op) {
	case STEP_SLEEP:
	case STEP_DUE:
	case STEP_POLL:
		return SITE_SLEEP;
	case STEP_DEVICE:
		return SITE_DEVICE;
	case STEP_EXTERNAL:
		return SITE_EXTERNAL;
	default:
		return SITE_UNKNOWN;
	}
}

static const char *pause_name(enum step_op op)
{
	switch (op) {
	case STEP_POLL:
		return "timed wait";
	case STEP_DEVICE:
		return "device I/O";
	case STEP_EXTERNAL:
		return "I/O or other process";
	default:
		return site_kind_names[kind_of(op)];
	}
}

/* The sites of pauses, added on first use. */
struct pause_sites {
	uint32_t general[STEP_OPS]; /* [op]; PROGRAM_NONE: none yet */
	uint32_t *polls;	    /* [site of a call chain]: site of its polls, plus one */
	size_t capacity;
};

static uint32_t general_site(struct program *program, struct pause_sites *sites, enum step_op op)
{
	op = op == STEP_DUE ? STEP_SLEEP : op;
	if (sites->general[op] == PROGRAM_NONE) {
		sites->general[op] = program_add_site(program, kind_of(op));
		program->sites[sites->general[op]].name = xstrdup(pause_name(op));
	}
	return sites->general[op];
}

/* Returns the site of polls with the call chain of `sleep`, as polls were sleeps before. */
static uint32_t poll_site(struct program *program, struct pause_sites *sites, uint32_t sleep)
{
	uint32_t *poll;

	array_reserve(&sites->polls, &sites->capacity, (size_t)sleep + 1);
	poll = &sites->polls[sleep];
	if (!*poll) {
		*poll = program_add_site(program, SITE_UNKNOWN) + 1;
		program->sites[*poll - 1].chain = program->sites[sleep].chain;
	}
	return *poll - 1;
}

/* Names a pause. The site of a call chain becomes a part of the general site. */
static void name_pause(struct program *program, struct step *step, struct pause_sites *sites)
{
	enum step_op op = step_op(step);
	uint32_t own = step_site(step);
	bool chained = own < program->site_count && program->sites[own].chain;

	if (!step_op_is_pause(op) || (own != PROGRAM_NONE && !chained))
		return;
	if (chained && op == STEP_POLL)
		step->pause = step_pause(step_pause_ns(step), poll_site(program, sites, own));
	own = step_site(step);
	if (own == PROGRAM_NONE) {
		step->pause = step_pause(step_pause_ns(step), general_site(program, sites, op));
	} else if (!program->sites[own].name) {
		uint32_t general = general_site(program, sites, op);

		program->sites[own].kind = kind_of(op);
		program->sites[own].name = xstrdup(pause_name(op));
		program->sites[own].part_of = general;
	}
}

static void name_pauses(struct program *program)
{
	struct pause_sites sites = {.capacity = 0};

	memset(sites.general, 0xff, sizeof(sites.general));
	if (program->device_site) {
		struct site *device = &program->sites[program->device_site - 1];

		sites.general[STEP_DEVICE] = program->device_site - 1;
		device->name = device->name ? device->name : xstrdup(pause_name(STEP_DEVICE));
	}
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			name_pause(program, &program->threads[i].steps[j], &sites);
	free(sites.polls);
}

static void name_objects(struct program *program)
{
	for (size_t i = 0; i < program->site_count; i++) {
		struct site *site = &program->sites[i];
		const char *kind =
			site->kind == SITE_UNKNOWN
				? "condition"
				: site_kind_names[site_is_mutex(site) ? SITE_LOCK : site->kind];

		if (site->name || site->chain)
			continue;
		if (site->address)
			site->name = xasprintf("%s 0x%" PRIx64, kind, site->address);
		else if (site->kind == SITE_BARRIER)
			site->name = xasprintf("barrier of %u threads", site->parties);
		else
			site->name = xasprintf("%s %zu", kind, i);
	}
}

static void sites_name(struct recognition *recognition)
{
	name_objects(recognition->program);
	name_pauses(recognition->program);
	name_edges(recognition);
}

/* --- The cost of recording calls ------------------------------------------------------------ */

/* Each end of a system call has half of its cost. A call with two objects has two steps. */
static uint64_t call_cost_of(const struct program_costs *costs, const struct step *step)
{
	enum step_op op = step_op(step);

	if (op == STEP_YIELD)
		return costs->system_call_ns;
	if ((op != STEP_CALL && op != STEP_RETURN) || step_call(step) == SYNC_NONE)
		return 0;
	return sync_call_is_system(step_call(step)) ? costs->system_call_ns / 2 : costs->call_ns;
}

/*
 * Moves the gaps of a step whose CPU time is from begin_ns to end_ns: its first `part_ns` are taken
 * out, and `taken_ns` were before. Returns the first gap behind the step.
 */
static size_t gaps_shift(struct program_gaps *gaps, size_t next, uint64_t begin_ns, uint64_t end_ns,
			 uint64_t part_ns, uint64_t taken_ns)
{
	for (; next < gaps->count && gaps->items[next].run_ns <= end_ns; next++) {
		uint64_t since_ns = gaps->items[next].run_ns - begin_ns;

		gaps->items[next].run_ns -= taken_ns + (since_ns < part_ns ? since_ns : part_ns);
	}
	return next;
}

uint64_t recognise_take_out_work(struct program *program, size_t number, const uint64_t *out_ns)
{
	struct program_thread *thread = &program->threads[number];
	struct program_gaps *gaps = program->gaps ? &program->gaps[number] : NULL;
	uint64_t taken_ns = 0, at_ns = 0;
	size_t gap = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		uint64_t run_ns = step_run_ns(step);

		if (gaps)
			gap = gaps_shift(gaps, gap, at_ns, at_ns + run_ns, out_ns[i], taken_ns);
		at_ns += run_ns;
		step->run_op = step_run_op(run_ns - out_ns[i], step_op(step));
		taken_ns += out_ns[i];
	}
	return taken_ns;
}

static uint64_t call_costs_take_out_of(struct program *program, size_t number)
{
	const struct program_thread *thread = &program->threads[number];
	uint64_t *out_ns = xcalloc(thread->count, sizeof(*out_ns));
	uint64_t owed_ns = 0, taken_ns;

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		uint64_t run_ns = step_run_ns(step), cost_ns = call_cost_of(&program->costs, step);

		out_ns[i] = owed_ns < run_ns ? owed_ns : run_ns;
		owed_ns = cost_ns ? cost_ns : owed_ns - out_ns[i];
	}
	taken_ns = recognise_take_out_work(program, number, out_ns);
	free(out_ns);
	return taken_ns;
}

uint64_t recognise_take_out_costs(struct program *program)
{
	uint64_t taken_ns = 0;

	if (!program->costs.call_ns && !program->costs.system_call_ns)
		return 0;
	for (size_t i = 0; i < program->thread_count; i++)
		taken_ns += call_costs_take_out_of(program, i);
	program->costs.call_ns = program->costs.system_call_ns = 0;
	return taken_ns;
}

/* --- The recognition ------------------------------------------------------------------------ */

static void drop_calls(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			enum step_op op = step_op(&thread->steps[j]);

			if (op == STEP_CALL || op == STEP_RETURN)
				step_become(&thread->steps[j], STEP_NONE);
		}
	}
}

/* Counts the sites of objects by their kind. */
static void count_objects(const struct program *program, struct recognised *found)
{
	found->locks = found->queues = found->barriers = found->joins = 0;
	for (size_t i = 0; i < program->site_count; i++) {
		enum site_kind kind = program->sites[i].kind;

		found->locks += kind == SITE_LOCK;
		found->queues += kind == SITE_TOKENS;
		found->barriers += kind == SITE_BARRIER;
		found->joins += kind == SITE_JOIN;
	}
}

static void name_what_is_left(struct program *program, struct recognised *found)
{
	struct recognition recognition;

	recognition_init(&recognition, program, found);
	for (uint32_t i = 0; i < program->edge_count; i++)
		found->left += recognition_has_edge(&recognition, i);
	sites_name(&recognition);
	recognition_release(&recognition);
}

static void recognise_objects(struct program *program, struct recognised *recognised)
{
	struct recognition recognition;

	condition_counters_add(program);
	recognition_init(&recognition, program, recognised);
	condition_queues_rewrite(&recognition);
	recognition_release(&recognition);
	recognition_init(&recognition, program, recognised);
	recognise_calls(&recognition);
	recognition_release(&recognition);
}

void recognise_within(struct program *program, enum recognise_extent extent,
		      struct recognised *recognised)
{
	struct recognition recognition;

	*recognised = (struct recognised){.extent = extent};
	if (extent >= RECOGNISE_ALL)
		recognise_objects(program, recognised);
	recognition_init(&recognition, program, recognised);
	recognise_futex(&recognition);
	mutexes_measure(&recognition);
	drop_calls(program);
	if (extent >= RECOGNISE_WAKES) {
		recognise_barriers(&recognition);
		recognise_joins(&recognition);
	}
	recognition_compact(&recognition);
	recognition_release(&recognition);
	name_what_is_left(program, recognised);
	count_objects(program, recognised);
	if (extent >= RECOGNISE_WAKES && program->cores)
		even_work_make(program, program->cores);
}

void recognise(struct program *program, struct recognised *recognised)
{
	recognise_within(program, RECOGNISE_ALL, recognised);
}
