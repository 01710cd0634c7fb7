/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of a server that came in at its sockets, from the recorded uses of these.
 *
 * A turn of a connection begins with the first read after an answer and ends with the last write
 * before the next read. Its request arrived when data came in that no thread had read yet. If
 * several threads read the same socket, each has turns of its own there. If a thread writes to a
 * socket where it has read nothing, it answers the oldest turn there without an answer: that
 * request was handed over.
 *
 * A thread that answers, and then reads the end of the connection before it uses another one, has
 * waited for that end: it is occupied until then, with a request that has its answer.
 *
 * A socket belongs to a client of the program, unless the program opened the connection, or the
 * first recorded use is a write by a thread that has a turn on another socket: then the program is
 * the client there.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CONNECTIONS_H
#define PSCAL_REPLAY_RECOGNISE_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

struct turn {
	uint64_t arrival_ns; /* arrival of the request, since the program began */
	uint64_t begin_ns;   /* time of the first read */
	uint64_t end_ns;     /* time of the last write */
	uint32_t connection; /* number of the connection, by its first turn */
	uint32_t thread;     /* the thread that read */
	uint32_t answered;   /* the thread that wrote, usually the same */
	uint32_t first_use;  /* the first read, in socket_uses of the program */
	uint32_t last_use;   /* the last write, in socket_uses */
	uint32_t end_use;    /* the read of the end of the connection, see above, in socket_uses;
				PROGRAM_NONE: none */
};

/* The threads that read the requests of a connection. */
enum connection_threads {
	CONNECTION_ANY, /* any thread, or unknown */
	CONNECTION_ONE, /* one thread, which has several connections */
	CONNECTION_OWN, /* one thread, which has no other connection at that time */
};

struct connections {
	struct turn *turns; /* turns that have an answer, by their first reads */
	size_t turn_count, turn_capacity;
	size_t count;	    /* number of connections that have turns */
	size_t most;	    /* largest number of turns at a time */
	size_t unanswered;  /* reads without an answer; one at the end of each connection is
			       normal */
	size_t handed_over; /* turns that another thread answered */
	size_t overlapping; /* turns that a thread read while it had another one, and answered */
	size_t pipelined;   /* turns that began while the same connection had another one */
	enum connection_threads threads;
	size_t asked; /* number of sockets at which the program asks another program */
	bool *asks;   /* [socket_use of the program]: it is at one of these sockets */
};

/* Finds turns and connections, possibly none. The caller always releases `connections`. */
void connections_find(struct connections *connections, const struct program *program);
void connections_release(struct connections *connections);

/* Returns the number of requests that the program answered. */
size_t connections_count_turns(const struct program *program);

/*
 * Rewrites the program: its threads take requests from a queue, and put answers into another one.
 * Reads and writes at sockets become STEP_TAKE and STEP_GIVE there, and waits without a request
 * become waits for a token. `count` of a STEP_TAKE is the number of its token, by arrival. Clients
 * are added as threads without a process, which put a request and then take the answer: as many as
 * there were connections at a time, or requests without an answer. The program must have gaps
 * (program_read_with_gaps()). Returns the site of the requests; PROGRAM_NONE: none came through
 * sockets, and the program is unchanged.
 */
uint32_t connections_apply(struct program *program, const struct connections *connections);

#endif
