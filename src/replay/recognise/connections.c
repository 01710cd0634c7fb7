/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/connections.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "replay/program/program.h"

#include <stdlib.h>

enum { NONE = PROGRAM_NONE };

enum peer { PEER_UNKNOWN, PEER_CLIENT, PEER_SERVER };

/* The state of a socket during the pass over its uses. */
struct socket_state {
	enum peer peer;
	bool opening;	      /* the program opens the connection */
	uint32_t number;      /* number of the connection; NONE: no turn yet */
	uint32_t first, last; /* turns without an answer; NONE: none */
	uint64_t ready_ns;    /* arrival of the oldest data ... */
	bool unread;	      /* ... that no thread has read yet */
	uint64_t *ready;      /* all times at which data came in on this connection */
	size_t ready_count, ready_capacity;
	uint32_t *turns; /* all turns, in the order of their reads */
	size_t turn_count, turn_capacity;
	size_t pipelined; /* number of pipelined turns */
};

/* A turn, and its neighbours among the unanswered turns of its socket. */
struct open_turn {
	struct turn turn;
	uint32_t next, previous;
	uint32_t place; /* place of its socket and thread */
	bool has_answer;
};

struct connection_reader {
	struct connections *found;
	struct map sockets; /* by address */
	struct socket_state *states;
	size_t state_capacity;
	struct map places; /* by socket and thread: the thread's turn there */
	uint32_t *turn_at; /* [place]: its open turn; NONE: none */
	size_t turn_capacity;
	struct open_turn *turns;
	size_t count, capacity;
	uint32_t *reading; /* [thread]: turns read and not answered */
	uint32_t *at;	   /* [thread]: last turn; NONE: none */
	size_t open_count;
};

static struct socket_state *socket_of(struct connection_reader *reader, uint64_t address,
				      uint32_t *number)
{
	size_t known = reader->sockets.count;

	*number = map_add_u64(&reader->sockets, address);
	array_reserve(&reader->states, &reader->state_capacity, reader->sockets.count);
	if (reader->sockets.count > known)
		reader->states[*number] =
			(struct socket_state){.number = NONE, .first = NONE, .last = NONE};
	return &reader->states[*number];
}

/* Returns the index in `turn_at` of a socket and a thread. */
static uint32_t place_of(struct connection_reader *reader, uint32_t socket, uint32_t thread)
{
	size_t known = reader->places.count;
	uint64_t key = (uint64_t)socket << 32 | thread;
	uint32_t place = map_add_u64(&reader->places, key);

	array_reserve(&reader->turn_at, &reader->turn_capacity, reader->places.count);
	if (reader->places.count > known)
		reader->turn_at[place] = NONE;
	return place;
}

/* --- Turns ----------------------------------------------------------------------------------- */

static void turn_open(struct connection_reader *reader, struct socket_state *socket, uint32_t place,
		      const struct socket_use *use, uint32_t number)
{
	struct connections *found = reader->found;
	uint32_t new = (uint32_t)reader->count;
	bool was_there = socket->unread || socket->first != NONE;

	if (socket->number == NONE)
		socket->number = (uint32_t)found->count++;
	socket->pipelined += socket->first != NONE;
	array_reserve(&socket->turns, &socket->turn_capacity, socket->turn_count + 1);
	socket->turns[socket->turn_count++] = new;
	array_reserve(&reader->turns, &reader->capacity, reader->count + 1);
	reader->turns[reader->count++] = (struct open_turn){
		.turn = {.arrival_ns =
				 was_there && socket->ready_ns ? socket->ready_ns : use->time_ns,
			 .begin_ns = use->time_ns,
			 .end_ns = use->time_ns,
			 .connection = socket->number,
			 .thread = use->thread,
			 .answered = NONE,
			 .first_use = number,
			 .last_use = number,
			 .end_use = NONE},
		.next = NONE,
		.previous = socket->last,
		.place = place,
	};
	*(socket->first == NONE ? &socket->first : &reader->turns[socket->last].next) = new;
	socket->last = new;
	reader->turn_at[place] = new;
	reader->reading[use->thread]++;
	reader->at[use->thread] = new;
	if (++reader->open_count > found->most)
		found->most = reader->open_count;
}

/* Removes a turn from the unanswered ones: it has an answer, or will get none. */
static void turn_leave(struct connection_reader *reader, struct socket_state *socket, uint32_t at)
{
	struct open_turn *open = &reader->turns[at];

	*(open->previous == NONE ? &socket->first : &reader->turns[open->previous].next) =
		open->next;
	*(open->next == NONE ? &socket->last : &reader->turns[open->next].previous) =
		open->previous;
	reader->reading[open->turn.thread]--;
	reader->open_count--;
}

static void turn_close(struct connection_reader *reader, struct socket_state *socket, uint32_t at)
{
	if (!reader->turns[at].has_answer)
		turn_leave(reader, socket, at);
	reader->turn_at[reader->turns[at].place] = NONE;
}

static void turn_answer(struct connection_reader *reader, struct socket_state *socket, uint32_t at,
			const struct socket_use *use, uint32_t number)
{
	struct open_turn *open = &reader->turns[at];

	if (!open->has_answer) {
		turn_leave(reader, socket, at);
		open->has_answer = true;
		open->turn.answered = use->thread;
		reader->found->handed_over += use->thread != open->turn.thread;
	}
	open->turn.end_ns = use->time_ns;
	open->turn.last_use = number;
}

/* --- Uses ------------------------------------------------------------------------------------ */

static void take_ready(struct socket_state *socket, const struct socket_use *use)
{
	array_reserve(&socket->ready, &socket->ready_capacity, socket->ready_count + 1);
	socket->ready[socket->ready_count++] = use->time_ns;
	if (!socket->unread)
		socket->ready_ns = use->time_ns;
	socket->unread = true;
}

/* Handles a read. A read of nothing means that the other side has closed the connection. */
static void take_read(struct connection_reader *reader, uint32_t socket_number,
		      const struct socket_use *use, uint32_t number)
{
	struct socket_state *socket = &reader->states[socket_number];
	uint32_t place = place_of(reader, socket_number, use->thread);
	uint32_t at = reader->turn_at[place];

	if (socket->peer == PEER_UNKNOWN)
		socket->peer = PEER_CLIENT;
	if (at != NONE && !use->count && reader->turns[at].turn.answered == use->thread &&
	    reader->at[use->thread] == at)
		reader->turns[at].turn.end_use = number;
	if (at != NONE && (reader->turns[at].has_answer || !use->count)) {
		turn_close(reader, socket, at);
		at = NONE;
	}
	if (socket->peer == PEER_CLIENT && at == NONE && use->count > 0)
		turn_open(reader, socket, place, use, number);
	socket->unread = false;
}

static void take_write(struct connection_reader *reader, uint32_t socket_number,
		       const struct socket_use *use, uint32_t number)
{
	struct socket_state *socket = &reader->states[socket_number];
	uint32_t place = place_of(reader, socket_number, use->thread);
	uint32_t at = reader->turn_at[place];

	if (socket->peer == PEER_UNKNOWN && reader->reading[use->thread]) {
		socket->peer = PEER_SERVER;
		reader->found->asked++;
	}
	if (at == NONE)
		at = socket->first;
	if (socket->peer == PEER_CLIENT && at != NONE)
		turn_answer(reader, socket, at, use, number);
}

/*
 * Sets the arrivals of pipelined requests, which unread data does not separate. If data came in
 * about as often as there were turns, each time is one arrival.
 */
static void place_arrivals(struct connection_reader *reader, const struct socket_state *socket)
{
	const size_t some = 2, part = 8;
	const size_t spare = socket->turn_count / part + some;

	if (!socket->pipelined || socket->ready_count > socket->turn_count + spare ||
	    socket->ready_count + spare < socket->turn_count)
		return;
	for (size_t i = 0; i < socket->turn_count && i < socket->ready_count; i++) {
		struct turn *turn = &reader->turns[socket->turns[i]].turn;

		turn->arrival_ns =
			socket->ready[i] < turn->begin_ns ? socket->ready[i] : turn->begin_ns;
	}
}

/*
 * Moves arrivals behind the previous answer. A write is recorded when it is over: the next request
 * may be there by then. If that is seen only now and then, the client does wait for answers.
 */
static void wait_for_answers(struct connection_reader *reader, const struct socket_state *socket)
{
	size_t early = 0;

	for (size_t i = 1; i < socket->turn_count; i++)
		early += reader->turns[socket->turns[i]].turn.arrival_ns <
			 reader->turns[socket->turns[i - 1]].turn.end_ns;
	if (socket->pipelined || early >= socket->turn_count / 2)
		return;
	for (size_t i = 1; i < socket->turn_count; i++) {
		struct turn *turn = &reader->turns[socket->turns[i]].turn;
		uint64_t answer_ns = reader->turns[socket->turns[i - 1]].turn.end_ns;

		if (turn->arrival_ns <= answer_ns && answer_ns < turn->begin_ns)
			turn->arrival_ns = answer_ns + 1;
	}
}

static void socket_release(struct connection_reader *reader, struct socket_state *socket)
{
	place_arrivals(reader, socket);
	wait_for_answers(reader, socket);
	reader->found->pipelined += socket->pipelined;
	free(socket->ready);
	free(socket->turns);
}

/*
 * Begins a connection. An earlier one with its address gets no answers any more. A process that
 * opens a connection is the client there, as a load generator recorded with its server.
 */
static void take_connection(struct connection_reader *reader, struct socket_state *socket,
			    int32_t state)
{
	bool asks = socket->opening && state == SOCKET_ESTABLISHED;

	while (socket->first != NONE)
		turn_close(reader, socket, socket->first);
	socket_release(reader, socket);
	*socket = (struct socket_state){.peer = asks ? PEER_SERVER : PEER_UNKNOWN,
					.opening = state == SOCKET_ASKS,
					.number = NONE,
					.first = NONE,
					.last = NONE};
	reader->found->asked += asks;
}

static void take_use(struct connection_reader *reader, const struct socket_use *use,
		     uint32_t number)
{
	uint32_t socket_number;
	struct socket_state *socket = socket_of(reader, use->socket, &socket_number);

	if (use->event == SOCKET_READY)
		take_ready(socket, use);
	else if (use->event == SOCKET_RECEIVED && use->thread != NONE)
		take_read(reader, socket_number, use, number);
	else if (use->event == SOCKET_SENT && use->thread != NONE && use->count > 0)
		take_write(reader, socket_number, use, number);
	else if (use->event == SOCKET_STATE &&
		 (use->count == SOCKET_ASKS || use->count == SOCKET_ESTABLISHED))
		take_connection(reader, socket, use->count);
	reader->found->asks[number] = socket->peer == PEER_SERVER &&
				      (use->event == SOCKET_SENT || use->event == SOCKET_RECEIVED);
}

/* --- Threads of connections ------------------------------------------------------------------ */

/* A connection from its first turn to its last one. */
struct span {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	uint32_t turns, strange; /* strange: turns of other threads than the first */
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int order = compare_values(x->thread, y->thread);

	return order ? order : compare_values(x->begin_ns, y->begin_ns);
}

static void add_turn(struct span *span, const struct turn *turn)
{
	if (!span->turns++) {
		span->begin_ns = turn->begin_ns;
		span->thread = turn->thread;
	}
	span->strange += turn->thread != span->thread;
	if (turn->end_ns > span->end_ns)
		span->end_ns = turn->end_ns;
}

/* Connections with few turns show nothing, and neither does a single connection. */
static enum connection_threads find_threads(const struct connections *found)
{
	const uint32_t few = 3, tenth = 10;
	struct span *spans = xcalloc(found->count + 1, sizeof(*spans));
	size_t count = 0, mixed = 0, shared = 0;

	for (size_t i = 0; i < found->turn_count; i++)
		add_turn(&spans[found->turns[i].connection], &found->turns[i]);
	for (size_t i = 0; i < found->count; i++) {
		if (spans[i].turns < few)
			continue;
		mixed += spans[i].strange > spans[i].turns / tenth;
		spans[count++] = spans[i];
	}
	sort_items(spans, count, by_thread_and_time);
	for (size_t i = 1; i < count; i++)
		shared += spans[i].thread == spans[i - 1].thread &&
			  spans[i].begin_ns < spans[i - 1].end_ns;
	free(spans);
	if (count < 2 || mixed > count / tenth)
		return CONNECTION_ANY;
	return shared ? CONNECTION_ONE : CONNECTION_OWN;
}

/* Counts overlapping turns: event loops read further requests before they answer. */
static void count_overlaps(struct connections *found, size_t threads)
{
	uint64_t *end_ns = xcalloc(threads + 1, sizeof(*end_ns));

	for (size_t i = 0; i < found->turn_count; i++) {
		const struct turn *turn = &found->turns[i];

		if (turn->answered != turn->thread)
			continue;
		found->overlapping += turn->begin_ns < end_ns[turn->thread];
		if (turn->end_ns > end_ns[turn->thread])
			end_ns[turn->thread] = turn->end_ns;
	}
	free(end_ns);
}

/* --- The search ------------------------------------------------------------------------------ */

static void keep_answered(struct connection_reader *reader)
{
	struct connections *found = reader->found;

	for (size_t i = 0; i < reader->count; i++) {
		if (!reader->turns[i].has_answer) {
			found->unanswered++;
			continue;
		}
		array_reserve(&found->turns, &found->turn_capacity, found->turn_count + 1);
		found->turns[found->turn_count++] = reader->turns[i].turn;
	}
}

void connections_find(struct connections *connections, const struct program *program)
{
	struct connection_reader reader = {.found = connections};

	*connections = (struct connections){0};
	connections->asks = xcalloc(program->socket_use_count + 1, sizeof(*connections->asks));
	reader.reading = xcalloc(program->thread_count + 1, sizeof(*reader.reading));
	reader.at = xcalloc(program->thread_count + 1, sizeof(*reader.at));
	for (size_t i = 0; i < program->socket_use_count; i++)
		take_use(&reader, &program->socket_uses[i], (uint32_t)i);
	for (size_t i = 0; i < reader.sockets.count; i++)
		socket_release(&reader, &reader.states[i]);
	keep_answered(&reader);
	count_overlaps(connections, program->thread_count);
	connections->threads = find_threads(connections);
	map_release(&reader.sockets);
	map_release(&reader.places);
	free(reader.states);
	free(reader.turn_at);
	free(reader.turns);
	free(reader.reading);
	free(reader.at);
}

void connections_release(struct connections *connections)
{
	free(connections->turns);
	free(connections->asks);
	*connections = (struct connections){0};
}

size_t connections_count_turns(const struct program *program)
{
	struct connections connections;
	size_t count;

	connections_find(&connections, program);
	count = connections.turn_count;
	connections_release(&connections);
	return count;
}
