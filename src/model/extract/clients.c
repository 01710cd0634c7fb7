/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/connections.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"

#include <stdlib.h>

enum { NONE = PROGRAM_NONE };

/* A request is put, or its answer taken. */
struct moment {
	uint64_t at_ns;
	uint32_t turn;
	uint32_t client; /* of a turn's connection and place there */
	bool answer;
};

struct sockets {
	struct program *program;
	const struct connections *found;
	uint32_t requests, answers; /* sites */
	uint32_t *asked, *answered; /* [turn]: the number of its token, by time */
	uint32_t *begun, *ended;    /* [use]: the turn that begins or ends there; NONE: none */
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

/* Between `from` and `to` the thread had no request, and its waits were for one. */
static void drop_idle_waits(struct program_thread *thread, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		if (op == STEP_EXTERNAL || op == STEP_BLOCK)
			become(step, STEP_NONE, NONE, 0);
	}
}

static void serve(struct sockets *sockets, struct program_thread *thread)
{
	size_t idle = 0; /* since that step */
	uint32_t busy = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		uint32_t use = step->socket;

		if (step_op(step) != STEP_SOCKET || use >= sockets->program->socket_use_count)
			continue;
		if (sockets->begun[use] != NONE) {
			if (!busy++)
				drop_idle_waits(thread, idle, i);
			become(step, STEP_TAKE, sockets->requests,
			       sockets->asked[sockets->begun[use]]);
		} else if (sockets->ended[use] != NONE) {
			become(step, STEP_GIVE, sockets->answers, 1);
			busy -= busy > 0;
			idle = i + 1;
		}
	}
}

/* --- Threads of the clients ------------------------------------------------------------------ */

/* Two turns of a connection at a time are of two clients. */
static void number_clients(const struct sockets *sockets, struct moment *moments, size_t count)
{
	const struct connections *found = sockets->found;
	uint32_t *client_of = xcalloc(found->turn_count, sizeof(*client_of));
	uint32_t *free_one = xcalloc(found->count, sizeof(*free_one)); /* plus one */
	uint32_t *next_free = NULL;
	size_t capacity = 0;
	uint32_t clients = 0;

	for (size_t i = 0; i < count; i++) {
		struct moment *moment = &moments[i];
		uint32_t *first = &free_one[found->turns[moment->turn].connection];

		if (moment->answer) {
			moment->client = client_of[moment->turn];
			next_free[moment->client] = *first;
			*first = moment->client + 1;
			continue;
		}
		if (*first) {
			moment->client = *first - 1;
			*first = next_free[moment->client];
		} else {
			moment->client = clients++;
			array_reserve(&next_free, &capacity, clients);
		}
		client_of[moment->turn] = moment->client;
	}
	free(client_of);
	free(free_one);
	free(next_free);
}

/* No client needs CPU time. */
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
	size_t first = 0;

	number_clients(sockets, moments, count);
	sort_items(moments, count, by_client);
	for (size_t i = 1; i <= count; i++)
		if (i == count || moments[i].client != moments[first].client) {
			add_client(sockets, &moments[first], i - first);
			first = i;
		}
}

/* --- Both ------------------------------------------------------------------------------------ */

static uint32_t add_queue(struct program *program, const char *name, int32_t pid)
{
	uint32_t site = program_add_site(program, SITE_TOKENS);

	program->sites[site].name = xstrdup(name);
	program->sites[site].pooled = true;
	program->sites[site].pid = pid;
	return site;
}

/* A turn's request and its answer are the tokens of these numbers. */
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

static void mark_uses(struct sockets *sockets)
{
	const struct connections *found = sockets->found;

	for (size_t i = 0; i < sockets->program->socket_use_count; i++)
		sockets->begun[i] = sockets->ended[i] = NONE;
	for (uint32_t i = 0; i < found->turn_count; i++) {
		sockets->begun[found->turns[i].first_use] = i;
		sockets->ended[found->turns[i].last_use] = i;
	}
}

void connections_apply(struct program *program, const struct connections *connections)
{
	size_t turns = connections->turn_count, uses = program->socket_use_count;
	size_t threads = program->thread_count;
	struct sockets sockets = {.program = program, .found = connections};
	struct moment *moments;
	int32_t pid;

	if (!turns)
		return;
	pid = program->threads[connections->turns[0].thread].pid;
	sockets.requests = add_queue(program, "sockets", pid);
	sockets.answers = add_queue(program, "answers", pid);
	sockets.asked = xcalloc(turns, sizeof(*sockets.asked));
	sockets.answered = xcalloc(turns, sizeof(*sockets.answered));
	sockets.begun = xcalloc(uses, sizeof(*sockets.begun));
	sockets.ended = xcalloc(uses, sizeof(*sockets.ended));
	moments = find_moments(&sockets);
	mark_uses(&sockets);
	for (size_t i = 0; i < threads; i++)
		serve(&sockets, &program->threads[i]);
	add_clients(&sockets, moments, 2 * turns);
	free(moments);
	free(sockets.asked);
	free(sockets.answered);
	free(sockets.begun);
	free(sockets.ended);
}
