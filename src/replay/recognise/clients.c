/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/connections.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"

#include <stdlib.h>

enum { NONE = PROGRAM_NONE };

/* The time at which a client puts a request or takes its answer. */
struct moment {
	uint64_t at_ns;
	uint32_t turn;
	uint32_t client; /* number of the client */
	bool answer;
};

struct sockets {
	struct program *program;
	const struct connections *found;
	uint32_t requests, answers; /* sites */
	uint32_t *asked, *answered; /* [turn]: the number of its token, by time */
	uint32_t *begun, *ended;    /* [use]: turn that begins or ends there; NONE: none */
	bool *handing;		    /* [site]: a queue of connections, not of requests */
	bool *left;		    /* [use]: wait for the end of a connection ended there */
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = compare_values(x->at_ns, y->at_ns);

	if (!order)
		order = compare_values(x->answer, y->answer);
	return order ? order : compare_values(x->turn, y->turn);
}

static int by_client(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = compare_values(x->client, y->client);

	return order ? order : by_time(a, b);
}

/* --- Threads of the server ------------------------------------------------------------------- */

static void become(struct step *step, enum step_op op, uint32_t site, uint32_t count)
{
	step->run_op = step_run_op(step_run_ns(step), op);
	step->site = site;
	step->count = count;
}

/* A thread of the server during the pass over its steps. */
struct server {
	const struct sockets *sockets;
	struct program_thread *own;
	struct program_gaps *gaps;
	size_t gap;	 /* the first gap not before the idle time */
	size_t idle;	 /* the step from which on it has no request */
	uint64_t run_ns; /* CPU time up to that step */
	uint32_t busy;	 /* requests that the thread has */
	uint32_t read;	 /* a lock that it releases after the read; NONE: none */
	bool taking;	 /* the last step takes a token */
	bool reads;	 /* the thread has read a request */
};

/*
 * Joins the waits between two CPU times into one wait for a request, at the later time: the thread
 * computes before it waits.
 */
static void join_gaps(struct server *server, uint64_t from_ns, uint64_t to_ns)
{
	struct program_gaps *gaps = server->gaps;

	while (server->gap < gaps->count && gaps->items[server->gap].run_ns < from_ns)
		server->gap++;
	for (; server->gap < gaps->count && gaps->items[server->gap].run_ns <= to_ns;
	     server->gap++) {
		gaps->items[server->gap].run_ns = to_ns;
		if (gaps->items[server->gap].kind == GAP_PAUSE)
			gaps->items[server->gap].kind = GAP_EDGE;
	}
}

/* The place behind the last unlock in the idle time: a lock taken later is held at `read`. */
static size_t last_unlock(const struct server *server, size_t read)
{
	for (size_t i = read; i > server->idle; i--)
		if (step_op(&server->own->steps[i - 1]) == STEP_UNLOCK)
			return i;
	return server->idle;
}

/*
 * Returns whether the thread waits for a request at step `i`, while it has none. A token of another
 * queue is a connection that an accepting thread hands over; the wait for it is in the call that
 * locks the mutex, which follows.
 */
static bool waits_for_request(struct server *server, size_t i, size_t unlocked)
{
	const struct step *step = &server->own->steps[i];
	enum step_op op = step_op(step);
	bool locks = op == STEP_LOCK && (i >= unlocked || server->taking);

	if (locks)
		server->read = step->site;
	server->taking = op == STEP_TAKE;
	return locks || op == STEP_TAKE || step_op_is_pause(op) || op == STEP_BLOCK;
}

static void give_back(struct server *server, struct step *step)
{
	if (step_op(step) != STEP_UNLOCK || step->site != server->read)
		return;
	become(step, STEP_NONE, NONE, 0);
	server->read = NONE;
}

/*
 * Gives the thread a request from its read on. Its waits while idle were for this request, also
 * those for a lock under which threads take turns to read: the last wait takes the token.
 */
static void take_request(struct server *server, size_t read, uint32_t token)
{
	struct step *steps = server->own->steps;
	size_t unlocked = last_unlock(server, read);
	struct step *take = NULL;
	uint64_t from_ns = 0, to_ns = 0;

	for (size_t i = server->idle; i < read; i++) {
		server->run_ns += step_run_ns(&steps[i]);
		give_back(server, &steps[i]);
		if (!waits_for_request(server, i, unlocked))
			continue;
		from_ns = take ? from_ns : server->run_ns;
		to_ns = server->run_ns;
		take = &steps[i];
		if (step_op(take) == STEP_TAKE)
			server->sockets->handing[take->site] = true;
		become(take, STEP_NONE, NONE, 0);
	}
	if (take)
		join_gaps(server, from_ns, to_ns);
	become(take ? take : &steps[read], STEP_TAKE, server->sockets->requests, token);
	server->idle = read;
}

static void be_idle(struct server *server, size_t from)
{
	for (; server->idle < from; server->idle++)
		server->run_ns += step_run_ns(&server->own->steps[server->idle]);
}

/* A request that another thread will answer is handed over at once. */
static void read_request(struct server *server, size_t i, uint32_t turn)
{
	const struct sockets *sockets = server->sockets;
	bool hands_over =
		sockets->found->turns[turn].answered != sockets->found->turns[turn].thread;

	server->reads = true;
	if (server->busy)
		become(&server->own->steps[i], STEP_TAKE, sockets->requests, sockets->asked[turn]);
	else
		take_request(server, i, sockets->asked[turn]);
	if (hands_over && !server->busy)
		be_idle(server, i + 1);
	server->busy += !hands_over;
}

static void serve_step(struct server *server, size_t i)
{
	const struct sockets *sockets = server->sockets;
	struct step *step = &server->own->steps[i];
	uint32_t use = step->socket;

	give_back(server, step);
	if (step_op(step) != STEP_SOCKET || use >= sockets->program->socket_use_count)
		return;
	if (sockets->left[use]) {
		be_idle(server, i + 1);
	} else if (sockets->begun[use] != NONE) {
		read_request(server, i, sockets->begun[use]);
	} else if (sockets->ended[use] != NONE) {
		become(step, STEP_GIVE, sockets->answers, 1);
		server->busy -= server->busy > 0;
		be_idle(server, i + 1);
	}
}

/*
 * Removes waits of an accepting thread for a thread that is free for the next connection. Such a
 * token is no request, and the accepting thread is no pool.
 */
static void accept_connections(const struct sockets *sockets, uint32_t thread)
{
	struct program_thread *own = &sockets->program->threads[thread];
	bool serves = false, hands = false;

	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (step_op(step) == STEP_TAKE)
			serves |= step->site == sockets->requests;
		else if (step_op(step) == STEP_GIVE)
			hands |= sockets->handing[step->site];
	}
	for (size_t i = 0; i < own->count && hands && !serves; i++)
		if (step_op(&own->steps[i]) == STEP_TAKE)
			become(&own->steps[i], STEP_NONE, NONE, 0);
}

static void serve(const struct sockets *sockets, uint32_t thread)
{
	struct program *program = sockets->program;
	struct server server = {.sockets = sockets,
				.own = &program->threads[thread],
				.gaps = &program->gaps[thread],
				.read = NONE};

	for (size_t i = 0; i < server.own->count; i++)
		serve_step(&server, i);
	for (size_t i = server.idle; i < server.own->count && server.reads && !server.busy; i++)
		if (step_op(&server.own->steps[i]) == STEP_TAKE)
			become(&server.own->steps[i], STEP_NONE, NONE, 0);
}

/* --- Threads of the clients ------------------------------------------------------------------ */

/* Idle clients by connection: lists of numbers plus one, linked by `next`. */
struct free_clients {
	uint32_t *first; /* [connection]; the last list: clients of ended connections */
	uint32_t *next;	 /* [client] */
	uint32_t count;	 /* number of all clients */
};

static uint32_t take_client(struct free_clients *free_ones, uint32_t list)
{
	uint32_t client = free_ones->first[list] - 1;

	free_ones->first[list] = free_ones->next[client];
	return client;
}

static void leave_client(struct free_clients *free_ones, uint32_t list, uint32_t client)
{
	free_ones->next[client] = free_ones->first[list];
	free_ones->first[list] = client + 1;
}

/*
 * Numbers the clients. Turns of a connection that overlap have different clients. A connection that
 * ends leaves its clients to new connections. `left`: turns to come of each connection.
 */
static void number_clients(const struct connections *found, struct moment *moments, size_t count,
			   size_t *left)
{
	const uint32_t ended = (uint32_t)found->count;
	uint32_t *client_of = xcalloc(found->turn_count, sizeof(*client_of));
	struct free_clients idle = {.first = xcalloc(found->count + 1, sizeof(*idle.first)),
				    .next = xcalloc(found->turn_count, sizeof(*idle.next))};

	for (size_t i = 0; i < count; i++) {
		struct moment *moment = &moments[i];
		uint32_t connection = found->turns[moment->turn].connection;
		uint32_t *client = &client_of[moment->turn];

		if (!moment->answer)
			*client = idle.first[connection] ? take_client(&idle, connection)
				  : idle.first[ended]	 ? take_client(&idle, ended)
							 : idle.count++;
		else
			leave_client(&idle, connection, *client);
		moment->client = *client;
		if (moment->answer && !--left[connection])
			while (idle.first[connection])
				leave_client(&idle, ended, take_client(&idle, connection));
	}
	free(client_of);
	free(idle.first);
	free(idle.next);
}

/* Adds a gap without CPU time: clients need none. */
static void add_gap(struct program *program, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
		    enum gap_kind kind)
{
	program_add_gap(program, thread,
			(struct program_gap){.begin_ns = from_ns, .end_ns = to_ns, .kind = kind});
}

static void add_client(struct sockets *sockets, const struct moment *moments, size_t count)
{
	struct program *program = sockets->program;
	uint32_t thread = program_add_thread(program, -1, -1, "clients");
	uint64_t now_ns = 0;
	struct step *step;

	for (size_t i = 0; i < count; now_ns = moments[i++].at_ns) {
		const struct moment *moment = &moments[i];

		if (moment->answer) {
			step = program_add_step(program, thread, 0, STEP_TAKE);
			step->site = sockets->answers;
			step->count = sockets->answered[moment->turn];
			add_gap(program, thread, now_ns, moment->at_ns, GAP_EDGE);
			continue;
		}
		step = program_add_step(program, thread, 0, STEP_SLEEP);
		step->pause = step_pause(moment->at_ns - now_ns, NONE);
		add_gap(program, thread, now_ns, moment->at_ns, GAP_PAUSE);
		step = program_add_step(program, thread, 0, STEP_GIVE);
		step->site = sockets->requests;
		step->count = 1;
	}
	program_add_step(program, thread, 0, STEP_EXIT)->exit_ns = now_ns;
}

static void add_clients(struct sockets *sockets, struct moment *moments, size_t count)
{
	const struct connections *found = sockets->found;
	size_t *left = xcalloc(found->count, sizeof(*left)), first = 0;

	for (size_t i = 0; i < found->turn_count; i++)
		left[found->turns[i].connection]++;
	number_clients(found, moments, count, left);
	free(left);
	sort_items(moments, count, by_client);
	for (size_t i = 1; i <= count; i++)
		if (i == count || moments[i].client != moments[first].client) {
			add_client(sockets, &moments[first], i - first);
			first = i;
		}
}

/* --- Server and clients ---------------------------------------------------------------------- */

static uint32_t add_queue(struct program *program, const char *name, int32_t pid)
{
	uint32_t site = program_add_site(program, SITE_TOKENS);

	program->sites[site].name = xstrdup(name);
	program->sites[site].pooled = true;
	program->sites[site].pid = pid;
	return site;
}

/* Returns the moments by time, and numbers the tokens of requests and answers in that order. */
static struct moment *find_moments(struct sockets *sockets)
{
	const struct connections *found = sockets->found;
	const size_t count = 2 * found->turn_count;
	struct moment *moments = xcalloc(count, sizeof(*moments));
	uint32_t asked = 0, answered = 0;

	for (size_t i = 0; i < found->turn_count; i++) {
		const struct turn *turn = &found->turns[i];

		moments[2 * i] = (struct moment){.at_ns = turn->arrival_ns, .turn = (uint32_t)i};
		moments[2 * i + 1] =
			(struct moment){.at_ns = turn->end_ns, .turn = (uint32_t)i, .answer = true};
	}
	sort_items(moments, count, by_time);
	for (size_t i = 0; i < count; i++)
		if (moments[i].answer)
			sockets->answered[moments[i].turn] = answered++;
		else
			sockets->asked[moments[i].turn] = asked++;
	return moments;
}

/* A thread with a connection of its own waits for the next request as well as for the end. */
static void mark_uses(struct sockets *sockets)
{
	const struct connections *found = sockets->found;
	bool lingers = found->threads == CONNECTION_ANY;

	for (size_t i = 0; i < sockets->program->socket_use_count; i++)
		sockets->begun[i] = sockets->ended[i] = NONE;
	for (uint32_t i = 0; i < found->turn_count; i++) {
		sockets->begun[found->turns[i].first_use] = i;
		sockets->ended[found->turns[i].last_use] = i;
		if (lingers && found->turns[i].end_use != NONE)
			sockets->left[found->turns[i].end_use] = true;
	}
}

uint32_t connections_apply(struct program *program, const struct connections *connections)
{
	size_t turns = connections->turn_count, uses = program->socket_use_count;
	uint32_t threads = (uint32_t)program->thread_count;
	struct sockets sockets = {.program = program, .found = connections};
	struct moment *moments;
	int32_t pid;

	if (!turns || !program->gap_capacity)
		return NONE;
	pid = program->threads[connections->turns[0].thread].pid;
	sockets.requests = add_queue(program, "sockets", pid);
	sockets.answers = add_queue(program, "answers", pid);
	sockets.asked = xcalloc(turns, sizeof(*sockets.asked));
	sockets.answered = xcalloc(turns, sizeof(*sockets.answered));
	sockets.begun = xcalloc(uses, sizeof(*sockets.begun));
	sockets.ended = xcalloc(uses, sizeof(*sockets.ended));
	sockets.handing = xcalloc(program->site_count, sizeof(*sockets.handing));
	sockets.left = xcalloc(uses, sizeof(*sockets.left));
	moments = find_moments(&sockets);
	mark_uses(&sockets);
	for (uint32_t i = 0; i < threads; i++)
		serve(&sockets, i);
	for (uint32_t i = 0; i < threads; i++)
		accept_connections(&sockets, i);
	add_clients(&sockets, moments, 2 * turns);
	free(moments);
	free(sockets.asked);
	free(sockets.answered);
	free(sockets.begun);
	free(sockets.ended);
	free(sockets.left);
	free(sockets.handing);
	return sockets.requests;
}
