/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of a server that come in at its sockets, from what was recorded there.
 *
 * A turn of a connection begins with the first read after an answer and ends with the last write
 * before the next read. Its request had arrived when data came in that no thread had read yet.
 * Where several threads read the same socket, each has turns of its own there. A thread that writes
 * to a socket where it has read nothing answers the oldest turn there that has no answer: its
 * request was handed over.
 *
 * A thread that answers, and then reads the end of the connection before it does anything at another
 * one, has waited for that end: it is occupied up to then, with a request that has its answer.
 *
 * A socket belongs to a client of the program, unless the program has opened the connection, or the
 * first use on record is a write by a thread that has a turn on another socket: then the program is the
 * client there.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CONNECTIONS_H
#define PSCAL_REPLAY_RECOGNISE_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

struct turn {
	uint64_t arrival_ns; /* of its request, since the program began */
	uint64_t begin_ns;   /* of the first read */
	uint64_t end_ns;     /* of the last write */
	uint32_t connection; /* 0, 1, ... by their first turns */
	uint32_t thread;     /* that read ... */
	uint32_t answered;   /* ... and the one that wrote, as a rule the same */
	uint32_t first_use;  /* socket_uses of the program: the first read ... */
	uint32_t last_use;   /* ... and the last write */
	uint32_t end_use; /* the read of the end of the connection, see above; PROGRAM_NONE: none */
};

/* Which threads read the requests of a connection. */
enum connection_threads {
	CONNECTION_ANY, /* any; or that cannot be told */
	CONNECTION_ONE, /* one, which has several connections */
	CONNECTION_OWN, /* one, which has no other connection at that time */
};

struct connections {
	struct turn *turns; /* that have an answer, in the order of their first reads */
	size_t turn_count, turn_capacity;
	size_t count;	   /* connections that have turns */
	size_t most;	   /* turns at a time */
	size_t unanswered; /* reads without an answer; one for each connection at the end is normal */
	size_t handed_over; /* turns that another thread answered */
	size_t overlapping; /* turns that a thread read while it had another one, and answered */
	size_t pipelined;   /* turns that began while the same connection had another one */
	enum connection_threads threads;
	size_t asked; /* sockets at which the program asks another one */
	bool *asks;   /* [socket_use of the program]: it is a read or a write at one of these */
};

/* The caller releases `connections`, also where there are none. */
void connections_find(struct connections *connections, const struct program *program);
void connections_release(struct connections *connections);

/* The turns alone: the requests that the program answered. */
size_t connections_count_turns(const struct program *program);

/*
 * Has the program take the requests from a queue, and put the answers into another one: what its
 * threads read and write at sockets becomes STEP_TAKE and STEP_GIVE there, and their waits without a
 * request those for a token. `count` of a STEP_TAKE is which token it is, in the order of arrivals.
 * What clients do is added as threads of no process, which put a request, and then take the answer: as
 * many as there were connections at a time, or requests without an answer. The program is
 * to have gaps (program_read_with_gaps()). Returns the site of the requests; PROGRAM_NONE: none came
 * through sockets, and the program is as it was.
 */
uint32_t connections_apply(struct program *program, const struct connections *connections);

#endif
