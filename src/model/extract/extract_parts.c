/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- Use of objects by threads ---------------------------------------------------------------- */

/* The numbers of tokens of a site that a thread takes and gives. */
struct use {
	uint32_t thread, site;
	uint64_t takes, gives;
};

/* A thread before it is in a group. */
struct member {
	uint32_t home, to;     /* queues that it takes from and gives to most; PROGRAM_NONE: none */
	uint64_t takes, gives; /* tokens of all queues */
	uint64_t turns;	       /* takes after a give */
	uint64_t paused_ns;    /* pauses for the outside ... */
	uint64_t first_ns, last_ns; /* ... between its first and last give */
	uint64_t run_ns, yields;
	uint64_t blocks; /* waits for threads and for the outside, without sleeps */
	bool gives_first;
};

/* The use of a site by all threads. */
struct looks {
	uint32_t user;	   /* the last thread, plus one */
	bool several;	   /* several threads use it */
	bool shared;	   /* a lock that readers share */
	uint64_t returned; /* tokens given back by their taker */
	uint32_t room_of;  /* the queue that threads put into just after a take here ... */
	uint64_t before;   /* ... and how often */
	uint64_t behind;   /* gives here just after a take elsewhere */
	uint32_t takers;
	uint64_t used_ns;      /* of a lock: time held or waited for */
	uint64_t times, waits; /* of a lock: takes, and takes after a wait */
};

/* A take (1) or a give (-1) of a semaphore's token, or the start of a wait for one (0). */
struct holding {
	uint64_t at_ns;
	uint32_t site;
	int change;
};

struct parts {
	struct extraction *extraction;
	const struct program *program;
	struct map map;
	struct use *uses;
	size_t use_count, use_capacity;
	struct member *members; /* [thread] */
	struct looks *looks;	/* [site] */
	uint32_t *taken;	/* [site]: last taker, plus one; 0: its token is given back */
	struct holding *holdings;
	size_t holding_count, holding_capacity;
};

static struct use *use_of(struct parts *parts, uint32_t thread, uint32_t site)
{
	uint32_t number = map_add_u64(&parts->map, (uint64_t)thread << 32 | site);

	if (number == parts->use_count) {
		array_reserve(&parts->uses, &parts->use_capacity, parts->use_count + 1);
		parts->uses[parts->use_count++] = (struct use){.thread = thread, .site = site};
	}
	return &parts->uses[number];
}

static bool is_token_step(const struct parts *parts, const struct step *step)
{
	enum step_op op = step_op(step);

	return (op == STEP_TAKE || op == STEP_GIVE) && step->site < parts->program->site_count &&
	       parts->program->sites[step->site].kind == SITE_TOKENS;
}

/* Notes a take or a give; `before` is the thread's last one. */
static void note_token(struct parts *parts, uint32_t thread, const struct step *step,
		       const struct step *before)
{
	struct looks *looks = &parts->looks[step->site];
	struct use *use = use_of(parts, thread, step->site);

	if (step_op(step) == STEP_TAKE) {
		use->takes++;
		parts->taken[step->site] = thread + 1;
		return;
	}
	use->gives++;
	looks->returned += parts->taken[step->site] == thread + 1;
	parts->taken[step->site] = 0;
	if (!before || step_op(before) != STEP_TAKE || before->site == step->site)
		return;
	looks->behind++;
	looks = &parts->looks[before->site];
	if (!looks->before)
		looks->room_of = step->site;
	looks->before += looks->room_of == step->site;
}

static void note_lock(struct parts *parts, uint32_t thread, const struct step *step)
{
	struct looks *looks = &parts->looks[step->site];

	looks->several |= looks->user && looks->user != thread + 1;
	looks->shared |= step_op(step) == STEP_LOCK_SHARED;
	looks->user = thread + 1;
}

static void note_thread(struct parts *parts, uint32_t thread)
{
	const struct program_thread *own = &parts->program->threads[thread];
	struct member *member = &parts->members[thread];
	const struct step *before = NULL;

	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		enum step_op op = step_op(step);

		member->run_ns += step_run_ns(step);
		member->yields += op == STEP_YIELD;
		member->blocks += op == STEP_BLOCK || op == STEP_EXTERNAL || op == STEP_UNKNOWN;
		if (op == STEP_LOCK || op == STEP_LOCK_SHARED)
			note_lock(parts, thread, step);
		if (is_token_step(parts, step)) {
			note_token(parts, thread, step, before);
			before = step;
		}
	}
}

/* --- Roles of objects ------------------------------------------------------------------------- */

static bool is_most(uint64_t part, uint64_t all)
{
	return part > 0 && part >= all - all / 10;
}

/*
 * Returns the role. If requests come in at sockets, a site with fewer takes than a hundredth of
 * them is no queue: a thread that accepts connections sometimes waits for a free worker.
 */
static enum object_part part_of_tokens(const struct parts *parts, uint32_t site, uint64_t requests)
{
	const struct looks *looks = &parts->looks[site];
	const struct model_object *object = &parts->extraction->objects[site];

	if (!object->takes || !object->gives || object->takes < requests / 100)
		return OBJECT_OTHER;
	if (!parts->program->sites[site].tokens)
		return OBJECT_QUEUE;
	if (is_most(looks->returned, object->takes) && looks->takers > 1)
		return OBJECT_SEMAPHORE;
	if (is_most(looks->before, object->takes) && is_most(looks->behind, object->gives))
		return OBJECT_ROOM;
	return OBJECT_QUEUE;
}

static void find_object_parts(struct parts *parts)
{
	struct model_object *objects = parts->extraction->objects;
	uint32_t network = parts->extraction->network;

	for (size_t i = 0; i < parts->use_count; i++) {
		const struct use *use = &parts->uses[i];

		objects[use->site].takes += use->takes;
		objects[use->site].gives += use->gives;
		parts->looks[use->site].takers += use->takes > 0;
	}
	for (uint32_t i = 0; i < parts->program->site_count; i++) {
		const struct looks *looks = &parts->looks[i];

		if (parts->program->sites[i].kind == SITE_TOKENS)
			objects[i].part = part_of_tokens(
				parts, i, network == PROGRAM_NONE ? 0 : objects[network].takes);
		else if (parts->program->sites[i].kind == SITE_LOCK && looks->user &&
			 !looks->shared)
			objects[i].part = looks->several ? OBJECT_LOCK : OBJECT_PRIVATE;
	}
	for (uint32_t i = 0; i < parts->program->site_count; i++)
		if (objects[i].part == OBJECT_ROOM &&
		    objects[parts->looks[i].room_of].part == OBJECT_QUEUE)
			objects[parts->looks[i].room_of].limit =
				parts->program->sites[i].counted ? parts->program->sites[i].tokens
								 : 0;
}

/* --- Threads at queues ------------------------------------------------------------------------ */

static bool is_queue(const struct parts *parts, uint32_t site)
{
	return parts->extraction->objects[site].part == OBJECT_QUEUE;
}

static void find_homes(struct parts *parts)
{
	uint64_t *most_takes = xcalloc(parts->program->thread_count, sizeof(*most_takes));
	uint64_t *most_gives = xcalloc(parts->program->thread_count, sizeof(*most_gives));

	for (size_t i = 0; i < parts->use_count; i++) {
		const struct use *use = &parts->uses[i];
		struct member *member = &parts->members[use->thread];

		if (!is_queue(parts, use->site))
			continue;
		member->takes += use->takes;
		member->gives += use->gives;
		if (use->takes > most_takes[use->thread]) {
			most_takes[use->thread] = use->takes;
			member->home = use->site;
		}
		if (use->gives > most_gives[use->thread]) {
			most_gives[use->thread] = use->gives;
			member->to = use->site;
		}
	}
	free(most_takes);
	free(most_gives);
}

static void note_give(struct member *member, const struct step_times *times, uint64_t paused_ns)
{
	if (!member->first_ns)
		member->first_ns = times->begin_ns;
	else
		member->paused_ns += paused_ns;
	member->last_ns = times->begin_ns;
}

/* The last thread that took a lock, and when; since_ns is 0 once it has unlocked it. */
struct taken {
	uint32_t thread;
	uint64_t since_ns;
};

/* Adds up the use of locks; `taken` by site. A thread may end with a lock, or begin with one. */
static void watch_lock(struct parts *parts, uint32_t thread, const struct step *step,
		       const struct step_times *times, struct taken *taken)
{
	enum step_op op = step_op(step);

	if (op == STEP_LOCK) {
		parts->looks[step->site].used_ns += times->end_ns - times->begin_ns;
		parts->looks[step->site].times++;
		parts->looks[step->site].waits += times->end_ns > times->begin_ns;
		taken[step->site] = (struct taken){thread, times->end_ns};
	} else if (op == STEP_UNLOCK && taken[step->site].since_ns &&
		   taken[step->site].thread == thread) {
		parts->looks[step->site].used_ns += times->begin_ns - taken[step->site].since_ns;
		taken[step->site].since_ns = 0;
	}
}

static void add_holding(struct parts *parts, uint64_t at_ns, uint32_t site, int change)
{
	array_reserve(&parts->holdings, &parts->holding_capacity, parts->holding_count + 1);
	parts->holdings[parts->holding_count++] = (struct holding){at_ns, site, change};
}

static void watch_semaphore(struct parts *parts, const struct step *step,
			    const struct step_times *times)
{
	bool takes = step_op(step) == STEP_TAKE;
	struct model_object *object = &parts->extraction->objects[step->site];

	if (object->part != OBJECT_SEMAPHORE)
		return;
	if (takes && times->end_ns > times->begin_ns) {
		object->was_full = true;
		add_holding(parts, times->begin_ns, step->site, 0);
	}
	add_holding(parts, takes ? times->end_ns : times->begin_ns, step->site, takes ? 1 : -1);
}

/* Notes the order in which a thread takes and gives, and its pauses between gives. */
static void watch_turns(struct parts *parts, uint32_t thread, struct taken *taken)
{
	const struct program_thread *own = &parts->program->threads[thread];
	struct member *member = &parts->members[thread];
	struct step_times times = {.gaps = &parts->program->gaps[thread]};
	uint64_t paused_ns = 0, tokens = 0;
	bool gave = false;

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		enum step_op op = step_op(step);

		step_times_next(&times, own, i);
		watch_lock(parts, thread, step, &times, taken);
		if (step_op_is_pause(op) && op != STEP_DEVICE)
			paused_ns += step_pause_ns(step);
		if (is_token_step(parts, step))
			watch_semaphore(parts, step, &times);
		if (!is_token_step(parts, step) || !is_queue(parts, step->site))
			continue;
		if (op == STEP_GIVE) {
			note_give(member, &times, paused_ns);
			paused_ns = 0;
		}
		member->gives_first |= !tokens++ && op == STEP_GIVE;
		member->turns += op == STEP_TAKE && gave;
		gave = op == STEP_GIVE;
	}
}

/* Returns whether no thread waited for the lock. */
static bool is_free(const struct parts *parts, uint32_t site)
{
	return parts->extraction->objects[site].part == OBJECT_LOCK && !parts->looks[site].waits;
}

/*
 * Returns whether locks without waits belong to one thread at a time: of takes at random times,
 * takes times the share of time in use would have waited, a Poisson number; none is one in 150.
 */
static bool are_apart(const struct parts *parts)
{
	const double enough = 5;
	double expected = 0;

	for (uint32_t i = 0; i < parts->program->site_count; i++)
		if (is_free(parts, i))
			expected += (double)parts->looks[i].times *
				    (double)parts->looks[i].used_ns /
				    (double)parts->program->wall_ns;
	return expected > enough;
}

/*
 * Makes a lock private, so that it is no station, if ten times as many threads would not wait for
 * it either, or if it belongs to a connection, whose current thread takes it alone. The work under
 * it stays in the visits.
 */
static void free_idle_locks(struct parts *parts)
{
	const uint64_t little_ns = parts->program->wall_ns / 1000;
	bool apart = are_apart(parts);

	for (uint32_t i = 0; i < parts->program->site_count; i++) {
		struct model_object *object = &parts->extraction->objects[i];

		if (object->part != OBJECT_LOCK ||
		    (parts->looks[i].used_ns > little_ns && !(apart && is_free(parts, i))))
			continue;
		object->part = OBJECT_PRIVATE;
		parts->extraction->findings->idle_locks++;
	}
}

static int by_site_and_time(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;

	if (x->site != y->site)
		return compare_values(x->site, y->site);
	return x->at_ns != y->at_ns ? compare_values(x->at_ns, y->at_ns)
				    : compare_values(x->change, y->change);
}

/*
 * Returns the tokens of a site: those taken when threads began to wait, by the median, as a woken
 * thread may have its token just before the giver is done; without waits, the most at a time.
 * Tokens that threads had at the start of the recording are given back in it.
 */
static uint32_t count_taken(const struct holding *holdings, size_t count)
{
	int32_t *full = xcalloc(count, sizeof(*full)), now = 0, least = 0, most = 0;
	size_t waits = 0;

	for (size_t i = 0; i < count; i++) {
		now += holdings[i].change;
		least = now < least ? now : least;
		most = now > most ? now : most;
		if (!holdings[i].change)
			full[waits++] = now;
	}
	sort_items(full, waits, compare_i32);
	if (waits)
		most = full[waits / 2];
	free(full);
	return (uint32_t)(most - least);
}

static void count_servers(struct parts *parts)
{
	size_t end;

	sort_items(parts->holdings, parts->holding_count, by_site_and_time);
	for (size_t i = 0; i < parts->holding_count; i = end) {
		uint32_t number = parts->holdings[i].site;
		const struct site *site = &parts->program->sites[number];

		for (end = i; end < parts->holding_count; end++)
			if (parts->holdings[end].site != number)
				break;
		parts->extraction->objects[number].servers =
			site->counted ? site->tokens : count_taken(&parts->holdings[i], end - i);
	}
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* Returns the name for people; if it has a function, only that. */
static char *whole_name(const struct thread_name *name)
{
	const char *text = thread_name_text(name), *space = strrchr(text, ' ');
	char *copy = xstrdup(space && space[1] ? space + 1 : text);

	for (char *c = copy; *c; c++)
		if (!isgraph((unsigned char)*c) || *c == '.' || *c == '=')
			*c = '-';
	return copy;
}

/* Returns the name without a number: "worker" for "worker-3". */
static char *group_name(const struct thread_name *name)
{
	char *copy = whole_name(name);
	size_t length = strlen(copy);

	while (length > 1 && isdigit((unsigned char)copy[length - 1]))
		length--;
	while (length > 1 && strchr("-_#:/", copy[length - 1]))
		length--;
	copy[length] = '\0';
	return copy;
}

enum member_kind { MEMBER_IDLE, MEMBER_GIVES, MEMBER_TAKES };

/* Makes the key of a thread's group. A queue is part of it if several threads take from it. */
static void key_of(char **key, const struct parts *parts, uint32_t thread, bool idle)
{
	const struct program_thread *own = &parts->program->threads[thread];
	const struct member *member = &parts->members[thread];
	enum member_kind kind = idle		? MEMBER_IDLE
				: member->takes ? MEMBER_TAKES
				: member->gives ? MEMBER_GIVES
						: MEMBER_IDLE;
	char *name = group_name(&own->name);
	bool shared = member->takes && parts->looks[member->home].takers > 1;

	*key = xasprintf("%d %u %d %u %u %s", own->pid, own->start, (int)kind,
			 kind == MEMBER_TAKES && shared ? member->home : PROGRAM_NONE,
			 kind == MEMBER_GIVES || (kind == MEMBER_TAKES && !shared) ? member->to
										   : PROGRAM_NONE,
			 name);
	free(name);
}

static void add_group(struct extraction *extraction, const struct program_thread *thread)
{
	array_reserve(&extraction->groups, &extraction->group_capacity,
		      extraction->group_count + 1);
	extraction->groups[extraction->group_count++] =
		(struct group){.pid = thread->pid,
			       .name = whole_name(&thread->name),
			       .home = PROGRAM_NONE,
			       .to = PROGRAM_NONE,
			       .pool = MODEL_NONE};
}

/* Drops the number from the group's name if the thread has another name. */
static void name_group(struct group *group, const struct program_thread *thread)
{
	char *name = whole_name(&thread->name);

	if (strcmp(name, group->name) != 0) {
		free(group->name);
		group->name = group_name(&thread->name);
	}
	free(name);
}

static void group_threads(struct parts *parts)
{
	struct extraction *extraction = parts->extraction;
	struct map map = {0};

	for (uint32_t i = 0; i < parts->program->thread_count; i++) {
		char *key;
		uint32_t number;

		key_of(&key, parts, i, false);
		number = map_add(&map, key, strlen(key));
		if (number == extraction->group_count)
			add_group(extraction, &parts->program->threads[i]);
		else
			name_group(&extraction->groups[number], &parts->program->threads[i]);
		extraction->groups_of[i] = number;
		free(key);
	}
	map_release(&map);
}

/*
 * Puts a thread that did nothing into the pool whose threads have its name and its thread start,
 * unless it is the first thread of its process.
 */
static void place_idle(struct parts *parts)
{
	struct extraction *extraction = parts->extraction;
	struct map map = {0};
	uint32_t *pools = xcalloc(parts->program->thread_count + 1, sizeof(*pools));

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < parts->program->thread_count; i++) {
			const struct program_thread *thread = &parts->program->threads[i];
			const struct member *member = &parts->members[i];
			size_t before = map.count;
			char *key;
			uint32_t number;

			if ((pass == 0) != (member->takes > 0) || member->gives ||
			    thread->tid == thread->pid)
				continue;
			key_of(&key, parts, i, true);
			number = map_add(&map, key, strlen(key));
			if (number == before)
				pools[number] = pass == 0 ? extraction->groups_of[i] : PROGRAM_NONE;
			else if (pass == 1 && pools[number] != PROGRAM_NONE)
				extraction->groups_of[i] = pools[number];
			free(key);
		}
	}
	free(pools);
	map_release(&map);
}

/* --- Roles of groups -------------------------------------------------------------------------- */

/* Sums over the threads of a group. */
struct group_sums {
	uint64_t takes, gives, turns, paused_ns, between_ns, takers, first_givers, sites;
	uint64_t most_takes, most_gives;
};

/* Adds (`by` 1) or removes (-1) a thread. */
static void add_member(struct group *group, const struct member *member, int by)
{
	group->threads += (uint32_t)by;
	group->run_ns += (uint64_t)by * member->run_ns;
	group->yields += (uint64_t)by * member->yields;
	group->blocks += (uint64_t)by * member->blocks;
}

static struct group_sums *sum_groups(struct parts *parts)
{
	struct extraction *extraction = parts->extraction;
	struct group_sums *sums = xcalloc(extraction->group_count + 1, sizeof(*sums));

	for (uint32_t i = 0; i < parts->program->thread_count; i++) {
		const struct member *member = &parts->members[i];
		struct group *group = group_of(extraction, i);
		struct group_sums *sum = &sums[extraction->groups_of[i]];

		add_member(group, member, 1);
		sum->takes += member->takes;
		sum->gives += member->gives;
		sum->turns += member->turns;
		sum->paused_ns += member->paused_ns;
		sum->between_ns += member->last_ns - member->first_ns;
		sum->takers += member->takes > 0;
		sum->first_givers += member->gives_first;
		if (member->takes > sum->most_takes) {
			sum->most_takes = member->takes;
			group->home = member->home;
		}
		if (member->gives > sum->most_gives) {
			sum->most_gives = member->gives;
			group->to = member->to;
		}
	}
	return sums;
}

/* Finds the group that takes most from each queue. */
static void find_takers(struct parts *parts, struct group_sums *sums)
{
	struct extraction *extraction = parts->extraction;
	uint64_t *most = xcalloc(parts->program->site_count, sizeof(*most));

	for (size_t i = 0; i < parts->use_count; i++) {
		const struct use *use = &parts->uses[i];

		if (!use->takes || !is_queue(parts, use->site))
			continue;
		if (use->site == parts->members[use->thread].home && !most[use->site])
			sums[extraction->groups_of[use->thread]].sites++;
		if (use->takes > most[use->site]) {
			most[use->site] = use->takes;
			extraction->objects[use->site].group = extraction->groups_of[use->thread];
		}
	}
	free(most);
}

/* The numbers of tokens that one group gives and another takes. */
struct flows {
	struct map map;
	uint64_t *tokens;
	size_t capacity;
};

static uint64_t flow_key(uint32_t giver, uint32_t taker)
{
	return (uint64_t)giver << 32 | taker;
}

static void find_flows(struct flows *flows, const struct parts *parts)
{
	const struct extraction *extraction = parts->extraction;

	for (size_t i = 0; i < parts->use_count; i++) {
		const struct use *use = &parts->uses[i];
		uint32_t flow;

		if (!use->gives || !is_queue(parts, use->site))
			continue;
		flow = map_add_u64(&flows->map, flow_key(extraction->groups_of[use->thread],
							 extraction->objects[use->site].group));
		array_reserve(&flows->tokens, &flows->capacity, (size_t)flow + 1);
		flows->tokens[flow] += use->gives;
	}
}

static uint64_t flow_between(const struct flows *flows, uint32_t giver, uint32_t taker)
{
	uint32_t flow = map_find_u64(&flows->map, flow_key(giver, taker));

	return flow == MAP_NONE ? 0 : flows->tokens[flow];
}

/* Returns whether `sum` is rather the client: it has more queues per thread, or puts first. */
static bool asks_rather(const struct group_sums *sum, const struct group_sums *other)
{
	double alone = (double)sum->sites / (double)sum->takers;
	double other_alone = (double)other->sites / (double)other->takers;

	if (alone != other_alone)
		return alone > other_alone;
	return sum->first_givers > other->first_givers;
}

/*
 * Returns whether the group is a client among groups that put tokens for each other, or in a
 * circle: the last one for the first. Clients have a queue for each thread.
 */
static bool asks(const struct parts *parts, const struct group_sums *sums,
		 const struct flows *flows, uint32_t group)
{
	enum { CIRCLE_MAX = 16 };
	const struct extraction *extraction = parts->extraction;
	const struct group *own = &extraction->groups[group];
	uint32_t at = group, to = own->to;

	if (own->home == PROGRAM_NONE || own->to == PROGRAM_NONE)
		return false;
	if (extraction->network != PROGRAM_NONE &&
	    (own->to == extraction->network || own->home == extraction->network))
		return own->to == extraction->network;
	for (size_t i = 0; i < CIRCLE_MAX && to != PROGRAM_NONE; i++) {
		uint32_t next = extraction->objects[to].group;

		if (next == group)
			return i && flow_between(flows, at, group) >= sums[group].takes / 2;
		if (!asks_rather(&sums[group], &sums[next]))
			return false;
		at = next;
		to = extraction->groups[next].to;
	}
	return false;
}

static enum group_part source_part(const struct group_sums *sum)
{
	return sum->paused_ns < sum->between_ns / 2 ? GROUP_BATCH : GROUP_OPEN;
}

static enum group_part part_of_group(const struct group *group, const struct group_sums *sum,
				     bool asks)
{
	if (asks && is_most(sum->turns, sum->takes))
		return GROUP_CLIENT;
	if (asks || (group->home == PROGRAM_NONE && group->to != PROGRAM_NONE))
		return source_part(sum);
	return group->home != PROGRAM_NONE ? GROUP_POOL : GROUP_OTHER;
}

/* Finds the roles of groups. Clients take answers; a take by another source is unknown. */
static void find_group_parts(struct parts *parts)
{
	struct extraction *extraction = parts->extraction;
	struct group_sums *sums = sum_groups(parts);
	struct flows flows = {.capacity = 0};

	find_takers(parts, sums);
	find_flows(&flows, parts);
	for (uint32_t i = 0; i < extraction->group_count; i++) {
		struct group *group = &extraction->groups[i];

		group->part = part_of_group(group, &sums[i], asks(parts, sums, &flows, i));
		group->queues = (uint32_t)sums[i].sites;
	}
	for (size_t i = 0; i < parts->program->site_count; i++) {
		struct model_object *object = &extraction->objects[i];
		enum group_part taker = extraction->groups[object->group].part;

		if (object->part == OBJECT_QUEUE && taker != GROUP_POOL)
			object->part = taker == GROUP_CLIENT ? OBJECT_REPLY : OBJECT_OTHER;
	}
	map_release(&flows.map);
	free(flows.tokens);
	free(sums);
}

/* Moves threads that take from the queue of another pool into that pool. */
static void join_takers(struct parts *parts)
{
	struct extraction *extraction = parts->extraction;

	for (uint32_t i = 0; i < parts->program->thread_count; i++) {
		const struct member *member = &parts->members[i];
		struct group *group = group_of(extraction, i), *other;

		if (group->part != GROUP_POOL || !member->takes || !is_queue(parts, member->home))
			continue;
		other = &extraction->groups[extraction->objects[member->home].group];
		if (other == group || other->part != GROUP_POOL)
			continue;
		add_member(group, member, -1);
		add_member(other, member, 1);
		extraction->groups_of[i] = extraction->objects[member->home].group;
	}
	for (size_t i = 0; i < extraction->group_count; i++)
		if (!extraction->groups[i].threads)
			extraction->groups[i].part = GROUP_OTHER;
}

void extraction_find_parts(struct extraction *extraction)
{
	const struct program *program = extraction->program;
	struct parts parts = {.extraction = extraction, .program = program};
	struct taken *taken;

	parts.members = xcalloc(program->thread_count + 1, sizeof(*parts.members));
	parts.looks = xcalloc(program->site_count + 1, sizeof(*parts.looks));
	parts.taken = xcalloc(program->site_count + 1, sizeof(*parts.taken));
	for (uint32_t i = 0; i < program->thread_count; i++) {
		parts.members[i].home = parts.members[i].to = PROGRAM_NONE;
		note_thread(&parts, i);
	}
	taken = xcalloc(program->site_count + 1, sizeof(*taken));
	find_object_parts(&parts);
	find_homes(&parts);
	for (uint32_t i = 0; i < program->thread_count; i++)
		watch_turns(&parts, i, taken);
	free(taken);
	free_idle_locks(&parts);
	count_servers(&parts);
	group_threads(&parts);
	place_idle(&parts);
	find_group_parts(&parts);
	join_takers(&parts);
	map_release(&parts.map);
	free(parts.uses);
	free(parts.members);
	free(parts.looks);
	free(parts.taken);
	free(parts.holdings);
}
