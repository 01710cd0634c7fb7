/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated servers: pools of threads that take requests from queues, compute, nap, lock, wait for
 * a disk and hand over, with any number of threads, cores and clients, at any rate. So the truth of
 * a forecast is known: throughput, response times, busy shares. The events that perf would have
 * recorded can be written.
 *
 * It shares nothing with the program that it tests. Requests come from a thread "source" at times
 * of their own, or from threads "client" that think, ask, and wait for the answer. Queues are a
 * mutex and a condition, clients wait at semaphores of their own, all as in the GNU C library: a
 * free object goes to the first thread that asks.
 *
 * Cores are shared as by Linux's fair class. A woken thread goes to an idle core, if possible to
 * its last one; else to the queue of its last core, or to that of its waker's core if that is
 * shorter. Of the threads that wait, the one that has run least goes first. However long a worker
 * has slept, it counts as at most one slice behind the worker of its core that has run least. A
 * thread runs until it waits, or its slice is over and another one has run less. An idle core takes
 * a thread from the longest queue, a busy one does so from time to time. A woken source or client
 * preempts a worker, which keeps the rest of its slice, as in Linux from 6.6 on.
 */
#ifndef PSCAL_TESTS_MOCK_SERVER_H
#define PSCAL_TESTS_MOCK_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SERVER_POOLS_MAX = 4,
	SERVER_STEPS_MAX = 12,
	SERVER_LOCKS_MAX = 4,
	SERVER_THREADS_MAX = 2048,
	SERVER_CORES_MAX = 64,
};

enum server_shape {
	SERVER_FIXED,
	SERVER_EXPONENTIAL,
	SERVER_ERLANG,	  /* of 4 phases: cv2 1/4 */
	SERVER_HYPER,	  /* of two phases with balanced means: cv2 4 */
	SERVER_LOGNORMAL, /* cv2 1 */
	SERVER_SHAPES,
};

struct server_time {
	enum server_shape shape;
	double mean_s;
};

/* A step of a worker with a request. */
enum server_act {
	SERVER_CPU,    /* computes for `time` */
	SERVER_NAP,    /* sleeps for `time` */
	SERVER_LOCK,   /* lock `object` */
	SERVER_UNLOCK, /* ... */
	SERVER_HAND,   /* hands the request over to pool `object`, which answers it */
	/* waits for the disk, which serves it for `time`; `object` of a thousand requests find a
	 * cache instead, and do not wait */
	SERVER_DISK,
	SERVER_ACTS,
};

struct server_step {
	enum server_act act;
	unsigned object;
	struct server_time time;
};

/* A pool takes requests from a queue of its own. A request is answered at the end of a visit that
 * does not hand it over. */
struct server_pool {
	unsigned threads;
	struct server_step steps[SERVER_STEPS_MAX];
	size_t step_count;
};

struct server {
	struct server_pool pools[SERVER_POOLS_MAX]; /* requests come to the first one */
	size_t pool_count;
	double rate_per_s;	  /* of an open load, ... */
	enum server_shape gaps;	  /* ... which comes in such gaps */
	unsigned clients;	  /* of a closed load; 0: it is open */
	struct server_time think; /* ... */
	unsigned cores;
	double slice_s;			 /* 0: a thread runs until it waits */
	double call_s, wake_s, switch_s; /* CPU time of a call, of waking, of a switch */
	double growth;	       /* of work that begins, for each other worker with a request */
	unsigned disk_servers; /* served in order of arrival */
	/* one service, as long as that of the first request, for all that wait when it begins */
	bool group_commit;
};

/* The end of the recorded program, and of the recording. */
enum server_ending {
	SERVER_EXITS, /* exit() once all requests have come */
	SERVER_STOPS, /* a flag and a broadcast; the last requests are not answered */
	SERVER_CUT,   /* the recording ends, the server continues */
};

struct server_run {
	uint64_t seed;
	uint64_t requests; /* answered; in a recording: asked */
	bool exact;	   /* times are the quantiles of their distribution, in random order, ... */
			   /* ... so their means are exact for every seed */
	FILE *trace;	   /* as `perf script` prints what `perf record` keeps; NULL: none */
	bool no_calls;	   /* only scheduler events are recorded */
	enum server_ending ending;
	double attached_s; /* the recording begins then, at a running server; 0: with the server */
};

struct server_truth {
	uint64_t requests; /* answered after the warm-up: the first tenth */
	double throughput_per_s;
	double response_s,
		response_se; /* mean, and its standard error, from the put to the answer */
	double response_p95_s;
	double busy_cores;
	double pool_busy[SERVER_POOLS_MAX]; /* share of time in which its threads have a request */
	double lock_busy[SERVER_LOCKS_MAX];
	double disk_busy; /* 0..1, of all its servers */
	double waiting;	  /* mean number in the first queue */
	double wall_s;
};

/* Returns 0, or -1 if all threads wait for ever. */
int server_run(struct server_truth *truth, const struct server *server,
	       const struct server_run *run);

/* Its throughput under constant demand, by simulation. */
double server_capacity(const struct server *server);

/* Writes its model as JSON, see model/file/model_file.h, without the cost of calls. */
void server_write_model(FILE *file, const struct server *server);

/* A different name for each pool, "worker" and so on. */
const char *server_pool_name(size_t pool);

/* --- Drawn ones (server_draw.c) --------------------------------------------------------------- */

enum { SERVER_ASKED_MAX = 6 };

/* A recorded server, and configurations of it to forecast. */
struct server_case {
	struct server recorded;
	struct server asked[SERVER_ASKED_MAX];
	double utilisation[SERVER_ASKED_MAX]; /* of its capacity; > 1: overloaded, no response */
	size_t asked_count;
	unsigned pool; /* the pool whose count of threads is asked for */
};

void server_draw_case(struct server_case *drawn, uint64_t seed);

#endif
