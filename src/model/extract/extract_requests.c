/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* The request of a put that began before the recording. */
enum { REQUEST_UNKNOWN = MODEL_NONE - 1 };

/* Tolerances of times: a put may seem late, as a condition's signal follows the unlock. */
enum { JOIN_SLACK_NS = 1000000, WAIT_SLACK_NS = 50000, TAKE_SLACK_NS = 20000 };

/* --- Puts and visits of a thread -------------------------------------------------------------- */

/* A thread whose steps are followed. */
struct follower {
	struct extraction *extraction;
	const struct program_thread *own;
	struct step_times times;
	uint32_t thread, group;
	uint32_t visit;	  /* its current visit; MODEL_NONE: none */
	uint32_t mutex;	  /* mutex of its queue; PROGRAM_NONE: none */
	bool taking;	  /* it holds the mutex to take its token, ... */
	uint64_t took_ns; /* ... since this CPU time */
	uint32_t asked;	  /* step that asks for the next token, which may not exist; 0: none */
	uint64_t asked_ns;
	uint64_t asked_run_ns; /* CPU time when it last asked */
	uint32_t wait;	       /* its last step that waits, ... */
	uint64_t wait_ns;      /* ... and the time at which it began */
};

static void end_visit(struct follower *follower, uint32_t step, uint64_t at_ns)
{
	struct visit *visit;

	if (follower->visit == MODEL_NONE)
		return;
	visit = &follower->extraction->visits[follower->visit];
	visit->last = step;
	visit->end_ns = at_ns > visit->begin_ns ? at_ns : visit->begin_ns;
	follower->visit = MODEL_NONE;
	follower->asked = 0;
}

static void begin_visit(struct follower *follower, uint32_t site, uint32_t step)
{
	struct extraction *extraction = follower->extraction;

	array_reserve(&extraction->visits, &extraction->visit_capacity,
		      extraction->visit_count + 1);
	follower->visit = (uint32_t)extraction->visit_count++;
	extraction->visits[follower->visit] =
		(struct visit){.since_ns = follower->times.begin_ns,
			       .begin_ns = follower->times.end_ns,
			       .ready_ns = follower->times.ready_ns,
			       .thread = follower->thread,
			       .site = site,
			       .first = step,
			       .last = step + 1,
			       .put = MODEL_NONE,
			       .waited = follower->times.end_ns > follower->times.begin_ns};
}

/*
 * Begins to take a token. The wait for a condition's token is in the next call, which locks the
 * mutex. A thread that is woken without a token, and waits again, asks since the first time.
 */
static void take_mutex(struct follower *follower, uint32_t step)
{
	const struct step *before = step ? &follower->own->steps[step - 1] : NULL;
	struct visit *visit = &follower->extraction->visits[follower->visit];

	if (visit->first + 1 == step && step_op(before) == STEP_TAKE &&
	    visit->site != follower->extraction->network) {
		follower->mutex = follower->own->steps[step].site;
		follower->taking = true;
		follower->took_ns = follower->times.run_ns;
		visit->begin_ns = follower->times.end_ns;
		visit->waited = follower->times.end_ns > follower->times.begin_ns;
	} else if (follower->own->steps[step].site == follower->mutex) {
		if (!follower->asked || step_op(before) != STEP_BLOCK ||
		    follower->times.run_ns - follower->asked_run_ns > STEP_WAITS_WITHIN_NS) {
			follower->asked = step;
			follower->asked_ns = follower->times.begin_ns;
		}
		follower->asked_run_ns = follower->times.run_ns;
	}
}

/* Ends the take: all waits until the thread releases the mutex are for the token. */
static void has_token(struct follower *follower)
{
	struct visit *visit = &follower->extraction->visits[follower->visit];
	uint64_t passed_ns = follower->times.begin_ns - visit->begin_ns;

	follower->taking = false;
	if (passed_ns <= follower->times.run_ns - follower->took_ns + TAKE_SLACK_NS)
		return;
	visit->begin_ns = follower->times.begin_ns;
	visit->waited = true;
}

static void put_token(struct follower *follower, uint32_t site)
{
	struct extraction *extraction = follower->extraction;
	bool source = group_of(extraction, follower->thread)->part != GROUP_POOL;

	follower->asked = 0;
	if (!source && follower->visit == MODEL_NONE)
		return; /* its visit began before the recording */
	array_reserve(&extraction->puts, &extraction->put_capacity, extraction->put_count + 1);
	extraction->puts[extraction->put_count++] =
		(struct put){.at_ns = follower->times.begin_ns,
			     .site = site,
			     .thread = follower->thread,
			     .visit = source ? (uint32_t)MODEL_NONE : follower->visit,
			     .request = MODEL_NONE,
			     .got = MODEL_NONE};
}

/* Begins the next visit of a batch source: its work from one put to the next. */
static void turn_of_source(struct follower *follower, uint32_t step)
{
	const struct step *next = &follower->own->steps[step + 1];
	bool unlocks = step + 1 < follower->own->count && step_op(next) == STEP_UNLOCK;

	end_visit(follower, step + 1 + unlocks, follower->times.begin_ns);
	begin_visit(follower, PROGRAM_NONE, step + unlocks);
}

static void follow_give(struct follower *follower, uint32_t step)
{
	struct extraction *extraction = follower->extraction;
	uint32_t site = follower->own->steps[step].site;
	enum object_part part = extraction->objects[site].part;

	if (part == OBJECT_QUEUE)
		put_token(follower, site);
	else if (part == OBJECT_REPLY && follower->visit != MODEL_NONE &&
		 !extraction->visits[follower->visit].done_ns)
		extraction->visits[follower->visit].done_ns = follower->times.begin_ns;
	if (part == OBJECT_QUEUE && group_of(extraction, follower->thread)->part == GROUP_BATCH)
		turn_of_source(follower, step);
}

/*
 * Ends the visit of a thread that exits: at its last request for a token, if it got none. A thread
 * that does nothing after a wait was killed in it, mostly while it waited for work.
 */
static void follow_exit(struct follower *follower, uint32_t step)
{
	const struct step *exit = &follower->own->steps[step];

	if (follower->visit == MODEL_NONE ||
	    group_of(follower->extraction, follower->thread)->part != GROUP_POOL)
		return;
	if (follower->asked)
		end_visit(follower, follower->asked, follower->asked_ns);
	else if (!exit->exit_ns || follower->mutex != PROGRAM_NONE)
		return;
	else if (follower->wait + 1 == step &&
		 follower->wait > follower->extraction->visits[follower->visit].first)
		end_visit(follower, follower->wait, follower->wait_ns);
	else
		end_visit(follower, step, follower->times.begin_ns);
}

static void follow_step(struct follower *follower, uint32_t number)
{
	struct extraction *extraction = follower->extraction;
	const struct step *step = &follower->own->steps[number];
	enum step_op op = step_op(step);

	step_times_next(&follower->times, follower->own, number);
	if (op == STEP_TAKE && extraction->objects[step->site].part == OBJECT_QUEUE &&
	    extraction->objects[step->site].group == follower->group) {
		end_visit(follower, number, follower->times.begin_ns);
		begin_visit(follower, step->site, number);
	} else if (op == STEP_LOCK && follower->visit != MODEL_NONE) {
		take_mutex(follower, number);
	} else if (op == STEP_UNLOCK && step->site == follower->mutex) {
		if (follower->taking && follower->visit != MODEL_NONE)
			has_token(follower);
	} else if (op == STEP_GIVE) {
		follow_give(follower, number);
	} else if (op == STEP_EXIT) {
		follow_exit(follower, number);
	}
	if (step_op_waits(op)) {
		follower->wait = number;
		follower->wait_ns = follower->times.begin_ns;
	}
}

static void follow_thread(struct extraction *extraction, uint32_t thread)
{
	struct follower follower = {.extraction = extraction,
				    .own = &extraction->program->threads[thread],
				    .times = {.gaps = &extraction->program->gaps[thread]},
				    .thread = thread,
				    .group = extraction->groups_of[thread],
				    .visit = MODEL_NONE,
				    .mutex = PROGRAM_NONE};

	for (uint32_t i = 0; i < follower.own->count; i++)
		follow_step(&follower, i);
}

/* --- Gets and their puts ---------------------------------------------------------------------- */

/*
 * A queue is first in, first out: the n-th get is of the n-th put, after the tokens that were there
 * before the recording. The number of those follows from threads that waited: the token of such a
 * thread was put while it waited.
 */
struct ranked {
	uint64_t at_ns;
	uint32_t site, number; /* index of the put or the visit */
};

static int by_site_and_time(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->site != y->site)
		return compare_values(x->site, y->site);
	return x->at_ns != y->at_ns ? compare_values(x->at_ns, y->at_ns)
				    : compare_values(x->number, y->number);
}

/* The puts and gets of one site, in the order of their times. */
struct joining {
	struct extraction *extraction;
	const struct ranked *puts, *gets;
	size_t put_count, get_count;
};

/* Returns the number of threads that got a token that was put while they waited. */
static size_t fitting_waits(const struct joining *joining, size_t before)
{
	size_t fit = 0;

	for (size_t i = before; i < joining->get_count && i - before < joining->put_count; i++) {
		const struct visit *visit = &joining->extraction->visits[joining->gets[i].number];
		uint64_t put_ns = joining->puts[i - before].at_ns;

		fit += visit->waited && put_ns + WAIT_SLACK_NS >= visit->since_ns &&
		       put_ns <= visit->begin_ns + WAIT_SLACK_NS;
	}
	return fit;
}

/* Returns the number of tokens before the recording, near `known` from the queue's levels. */
static size_t tokens_before(const struct joining *joining, size_t known)
{
	const size_t range = 8;
	size_t best = known, most = fitting_waits(joining, known);

	for (size_t i = 0; i <= known + range && i <= joining->get_count; i++) {
		size_t fit;

		if (i > range && i + range < known)
			i = known - range;
		fit = fitting_waits(joining, i);
		if (fit > most) {
			best = i;
			most = fit;
		}
	}
	return best;
}

/*
 * Begins the visit when the request is there and its thread waits for one, even if another thread
 * accepts the connection first and hands it over: meanwhile the thread takes no other request.
 */
static void hand_over(struct visit *visit, uint64_t put_ns)
{
	uint64_t from_ns = put_ns > visit->since_ns ? put_ns : visit->since_ns;

	if (visit->begin_ns <= from_ns + visit->ready_ns)
		return;
	visit->handed_ns = visit->begin_ns - visit->ready_ns - from_ns;
	visit->begin_ns -= visit->handed_ns;
}

static void join_site(const struct joining *joining)
{
	struct extraction *extraction = joining->extraction;
	uint32_t site = joining->gets[0].site;
	bool numbered = site == extraction->network;
	size_t before =
		numbered ? 0 : tokens_before(joining, extraction->program->sites[site].tokens);

	for (size_t i = before; i < joining->get_count; i++) {
		struct visit *visit = &extraction->visits[joining->gets[i].number];
		size_t token = numbered ? (size_t)joining->gets[i].at_ns : i - before;
		uint32_t number;
		struct put *put;

		if (token >= joining->put_count)
			break;
		number = joining->puts[token].number;
		put = &extraction->puts[number];
		if (put->at_ns > visit->begin_ns + JOIN_SLACK_NS) {
			extraction->odd_joins++;
			continue;
		}
		put->at_ns = put->at_ns < visit->begin_ns ? put->at_ns : visit->begin_ns;
		put->got = joining->gets[i].number;
		visit->put = number;
		if (numbered)
			hand_over(visit, put->at_ns);
	}
}

static size_t same_site(const struct ranked *ranked, size_t count, size_t from, uint32_t site)
{
	while (from < count && ranked[from].site == site)
		from++;
	return from;
}

/* Returns the get with its order: at a socket the number of the request, else the time. */
static struct ranked rank_of_get(const struct extraction *extraction, uint32_t number)
{
	const struct visit *visit = &extraction->visits[number];
	const struct step *take = &extraction->program->threads[visit->thread].steps[visit->first];

	return (struct ranked){visit->site == extraction->network ? take->count : visit->begin_ns,
			       visit->site, number};
}

static void join_tokens(struct extraction *extraction)
{
	struct ranked *puts = xcalloc(extraction->put_count + 1, sizeof(*puts));
	struct ranked *gets = xcalloc(extraction->visit_count + 1, sizeof(*gets));
	size_t get_count = 0, put = 0, end;

	for (uint32_t i = 0; i < extraction->put_count; i++)
		puts[i] = (struct ranked){extraction->puts[i].at_ns, extraction->puts[i].site, i};
	for (uint32_t i = 0; i < extraction->visit_count; i++)
		if (extraction->visits[i].site != PROGRAM_NONE)
			gets[get_count++] = rank_of_get(extraction, i);
	sort_items(puts, extraction->put_count, by_site_and_time);
	sort_items(gets, get_count, by_site_and_time);
	for (size_t i = 0; i < get_count; i = end) {
		struct joining joining = {.extraction = extraction, .gets = &gets[i]};

		end = same_site(gets, get_count, i, gets[i].site);
		while (put < extraction->put_count && puts[put].site < gets[i].site)
			put++;
		joining.puts = &puts[put];
		joining.get_count = end - i;
		joining.put_count = same_site(puts, extraction->put_count, put, gets[i].site) - put;
		join_site(&joining);
	}
	free(puts);
	free(gets);
}

/* --- Requests --------------------------------------------------------------------------------- */

static uint32_t add_request(struct extraction *extraction, const struct put *put)
{
	array_reserve(&extraction->requests, &extraction->request_capacity,
		      extraction->request_count + 1);
	extraction->requests[extraction->request_count] =
		(struct request){.put_ns = put->at_ns, .thread = put->thread, .site = put->site};
	return (uint32_t)extraction->request_count++;
}

/* Returns the put of the token whose visit made this put; MODEL_NONE: none. */
static uint32_t parent_of(const struct extraction *extraction, uint32_t put)
{
	uint32_t visit = extraction->puts[put].visit;

	return visit == MODEL_NONE ? (uint32_t)MODEL_NONE : extraction->visits[visit].put;
}

/* Finds the request of a put at the first put; unknown if it began before the recording. */
static void find_request(struct extraction *extraction, uint32_t put)
{
	struct put *puts = extraction->puts;
	uint32_t root = put, request;
	size_t way = 0;

	while (puts[root].request == MODEL_NONE && parent_of(extraction, root) != MODEL_NONE &&
	       way++ <= extraction->put_count)
		root = parent_of(extraction, root);
	request = puts[root].request;
	if (request == MODEL_NONE)
		request = puts[root].visit == MODEL_NONE ? add_request(extraction, &puts[root])
							 : (uint32_t)REQUEST_UNKNOWN;
	for (uint32_t i = put; i != MODEL_NONE && puts[i].request == MODEL_NONE;
	     i = parent_of(extraction, i))
		puts[i].request = request;
}

/* A request is answered by the visit that says so, else when all its tokens are used up. */
static void use_token(struct extraction *extraction, const struct put *put)
{
	struct request *request = &extraction->requests[put->request];
	const struct visit *visit = put->got == MODEL_NONE ? NULL : &extraction->visits[put->got];

	if (!visit || (!visit->end_ns && !visit->done_ns)) {
		request->open++;
		return;
	}
	if (visit->done_ns) {
		request->done_ns = visit->done_ns;
		request->answered = true;
	} else if (!request->answered && visit->end_ns > request->done_ns) {
		request->done_ns = visit->end_ns;
	}
	request->open += !visit->end_ns;
}

/* Drops sources of fewer than 1 % of the requests: threads also put to announce the end. */
static void drop_small_sources(struct extraction *extraction)
{
	size_t *counts = xcalloc(extraction->group_count + 1, sizeof(*counts)), kept = 0;
	struct request *requests = extraction->requests;

	for (size_t i = 0; i < extraction->request_count; i++)
		counts[extraction->groups_of[requests[i].thread]]++;
	for (size_t i = 0; i < extraction->group_count; i++)
		if (counts[i] && counts[i] * 100 < extraction->request_count)
			extraction->groups[i].part = GROUP_OTHER;
	for (size_t i = 0; i < extraction->request_count; i++)
		if (group_of(extraction, requests[i].thread)->part != GROUP_OTHER)
			requests[kept++] = requests[i];
	extraction->request_count = kept;
	free(counts);
}

static void find_window(struct extraction *extraction)
{
	extraction->begin_ns = UINT64_MAX;
	for (size_t i = 0; i < extraction->request_count; i++) {
		const struct request *request = &extraction->requests[i];
		uint64_t last_ns =
			request->done_ns > request->put_ns ? request->done_ns : request->put_ns;

		if (request->put_ns < extraction->begin_ns)
			extraction->begin_ns = request->put_ns;
		if (last_ns > extraction->end_ns)
			extraction->end_ns = last_ns;
	}
	if (extraction->begin_ns > extraction->end_ns)
		extraction->begin_ns = extraction->end_ns;
}

void extraction_find_requests(struct extraction *extraction)
{
	for (uint32_t i = 0; i < extraction->program->thread_count; i++)
		if (group_of(extraction, i)->part != GROUP_OTHER)
			follow_thread(extraction, i);
	join_tokens(extraction);
	for (uint32_t i = 0; i < extraction->put_count; i++)
		find_request(extraction, i);
	for (size_t i = 0; i < extraction->put_count; i++)
		if (extraction->puts[i].request < REQUEST_UNKNOWN)
			use_token(extraction, &extraction->puts[i]);
	for (size_t i = 0; i < extraction->request_count; i++)
		if (extraction->requests[i].open && !extraction->requests[i].answered)
			extraction->requests[i].done_ns = 0;
	drop_small_sources(extraction);
	find_window(extraction);
}
