/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A performance model of a program that serves requests or processes items: a queueing network in
 * which the servers are pools of threads (Tarvo and Reiss, ASE 2014). It is extracted from one
 * recording (model/extract), or written by hand as JSON (model_file.h), and simulated with other
 * numbers of threads, cores, clients, and at other rates (model/simulate).
 *
 * A request arrives from a source, as a token in a queue. A thread of a pool that takes from this
 * queue takes the token and makes a visit: it computes, sleeps, locks, waits for a disk, puts
 * tokens of the same request into queues of other pools, and takes the next token. A visit is a
 * recorded one, drawn at random; in a pool without recorded visits it is a walk through the graph
 * of fragments. A step MODEL_DONE answers a request; if its pools have no such step, it is answered
 * when all its tokens are used up, that is at the end of the visits that took them.
 *
 * Times are in seconds, rates in 1/s. Indices are into the arrays of the model.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_H
#define PSCAL_MODEL_FILE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/file/distribution.h"

enum { MODEL_SCHEMA = 1, MODEL_NONE = UINT32_MAX };

/* Limits of a model file: a larger model is refused. */
enum {
	MODEL_SOURCES_MAX = 256,
	MODEL_STATIONS_MAX = 4096,
	MODEL_POOLS_MAX = 256,
	MODEL_THREADS_MAX = 100000, /* of all pools; also the limit of all clients */
	MODEL_NODES_MAX = 4096,	    /* of a pool */
	MODEL_EDGES_MAX = 64,	    /* of a node */
	MODEL_VISITS_MAX = 4000,    /* of a pool */
	MODEL_STEPS_MAX = 1 << 20,  /* of all visits of a pool; also the limit of a walk */
	MODEL_NAME_MAX = 255,	    /* bytes */
	MODEL_PINNED_MAX = 1024,    /* number of `connections` of a pool, and the largest of them */
};

/* --- Where requests come from ----------------------------------------------------------------- */

enum model_source_kind {
	MODEL_OPEN,   /* requests come at `rate`, whether or not earlier ones are answered */
	MODEL_CLOSED, /* each client asks, waits for the answer, thinks, and asks again */
	MODEL_BATCH,  /* `items` are there at the beginning: the result is the time to process
			 all */
	MODEL_SOURCE_KINDS,
};

struct model_source {
	char *name;
	enum model_source_kind kind;
	double rate;		   /* of an open source, 1/s */
	struct distribution gaps;  /* of an open source: shape of the gaps, whose mean is 1 / rate.
				      Not given: exponential */
	uint32_t clients;	   /* of a closed source */
	struct distribution think; /* of a closed source: think time */
	uint32_t threads;	   /* of a closed source: number of clients that can think at a
				      time, first come, first served, as all clients are one program
				      with so many threads. 0: each client has its own */
	uint64_t items;		   /* of a batch source */
	uint32_t *to;		   /* queues: a request has a token in each of them */
	size_t to_count;
};

/* --- What threads wait at --------------------------------------------------------------------- */

enum model_station_kind {
	MODEL_QUEUE, /* tokens, first come, first served */
	MODEL_LOCK,  /* a lock with `servers` holders at most: 1, or more for a semaphore */
	MODEL_DISK,  /* serves `servers` requests at a time, each for the time of its step, else
			`service`; threads there need no core */
	MODEL_DELAY, /* serves all requests at once, else like a disk: a sleep, a call to another
			service */
	MODEL_STATION_KINDS,
};

struct model_station {
	char *name;
	enum model_station_kind kind;
	uint32_t servers; /* of a lock or a disk: number of holders or of requests at a time, 1 or
			     more */
	bool bounded;	  /* of a queue: it has room for `limit` tokens, 0 or more, besides those
			     that waiting threads take at once. Without room, requests of a source
			     are lost, and threads wait */
	uint32_t limit;
	struct distribution service; /* of a disk or a delay: times of steps that have none */
	bool per_thread;	     /* of a lock: each thread has its own, and never waits */
	bool group_commit;	     /* of a disk: all requests that wait when it begins are served
					together, in the time of one; later ones wait for the next
					time */
	double deepest;		     /* of a delay for devices: the largest recorded number of
					threads there at a time; more may wait longer. 0: no such
					limit */
};

/* --- Threads and their visits ----------------------------------------------------------------- */

enum model_node_kind {
	MODEL_CPU,     /* computes for its time on a core */
	MODEL_WAIT,    /* waits at a disk or delay station for its time; without a station:
			  sleeps */
	MODEL_ACQUIRE, /* takes a lock station */
	MODEL_RELEASE, /* releases a lock station; the end of a visit releases all that are still
			  held */
	MODEL_PUT,     /* puts a token of the same request into a queue station */
	MODEL_DONE,    /* answers the request; the thread may go on */
	MODEL_NODE_KINDS,
};

struct model_edge {
	uint32_t to;  /* node of the pool; MODEL_NONE: end of the visit */
	double share; /* probability of this edge; those of a node add up to 1 */
};

/* A fragment of the work of a thread. */
struct model_node {
	enum model_node_kind kind;
	uint32_t station;	  /* MODEL_NONE: none */
	struct distribution time; /* of a walk; not given: the time of the station */
	struct model_edge *edges; /* of a walk; none: the visit ends */
	size_t edge_count;
	char *where; /* function or site, for people; NULL: unknown */
};

struct model_step {
	uint32_t node;
	float seconds; /* recorded time of MODEL_CPU and MODEL_WAIT; else 0 */
};

struct model_visit {
	uint32_t first, count; /* steps of the pool */
};

enum model_dispatch {
	MODEL_SHARED,	  /* any thread of the pool takes any request */
	MODEL_PINNED,	  /* the requests of a client stay with one thread: number of the client
			     modulo threads, or as in `connections`. Those of an open source go to
			     the threads in turn */
	MODEL_CONNECTION, /* each client has a thread of its own, while there are any; other clients
			     never ask. With an open source as MODEL_SHARED */
	MODEL_DISPATCHES,
};

struct model_pool {
	char *name;
	uint32_t threads;
	uint32_t takes; /* the queue that its threads take from */
	enum model_dispatch dispatch;
	bool forks;		  /* of MODEL_CONNECTION: a process is forked for each client, so
				     that there are as many threads as clients, unless another
				     number is requested */
	double *connections;	  /* of MODEL_PINNED: [thread]: number of its clients; NULL: even */
	size_t connection_count;  /* 0 or `threads`; with another number of threads the clients are
				     even */
	struct model_node *nodes; /* nodes of the graph; a walk begins at the first */
	size_t node_count;
	struct model_visit *visits; /* recorded visits; none: walks are simulated */
	size_t visit_count;
	struct model_step *steps; /* steps of all visits */
	size_t step_count;
	double cpu_scale, wait_scale; /* factors on the times of MODEL_CPU and MODEL_WAIT */
	/*
	 * The factor 1 + cpu_growth (n - 1) on the CPU time of a step that begins while the threads
	 * of all pools make n visits. The times of visits and graph are those of n = 1.
	 */
	double cpu_growth;
	double cpu_growth_se;	 /* standard error of cpu_growth */
	double cpu_growth_until; /* the largest n that makes a difference; 0: no limit */
	bool fixed;		 /* the program decides the number of threads: see `why_fixed` */
	char *why_fixed;	 /* a clause for people; NULL: none */
	double unseen_waits;	 /* share of the time of recorded visits in which they wait for
				    other threads of the pool, but at no station; such waits keep
				    their length */
};

/* --- The whole -------------------------------------------------------------------------------- */

/* A number as recorded, and as simulated in the recorded configuration; NaN: unknown. */
struct model_checked {
	double recorded, model;
};

/* The self-check of a pool or a station. */
struct model_station_check {
	uint32_t station, pool;		  /* one of them is MODEL_NONE */
	struct model_checked utilisation; /* 0..1: busy threads of a pool, or servers of a
					     station */
	struct model_checked length;	  /* mean number of waiting tokens or threads */
};

struct model_check {
	struct model_checked throughput_per_s, response_s, response_p95_s, busy_cores, wall_s;
	struct model_checked run_queue_s; /* of a batch: run-queue wait of the thread with the most
					     CPU time, in all of `wall_s` */
	struct model_station_check *items;
	size_t item_count;
};

struct model_machine {
	uint32_t cores;	 /* 1 .. SIMULATION_CORES_MAX */
	double slice_s;	 /* 0: the usual slice (simulation.h) */
	double switch_s; /* cost of a switch of a core to another thread */
	double wake_s;
	double *slowdown; /* [b - 1]: factor on the time of work while b cores are busy; NULL: 1 */
	size_t slowdown_count;
};

struct model {
	char *made_from; /* the recording, for people; NULL: none */
	struct model_machine machine;
	struct model_source *sources;
	size_t source_count;
	struct model_station *stations;
	size_t station_count;
	struct model_pool *pools;
	size_t pool_count;
	bool has_check; /* the model was extracted, not written by hand */
	struct model_check check;
};

/* Makes an empty model with one core. The caller releases it. */
void model_init(struct model *model);
void model_release(struct model *model);

/* Makes a deep copy, which the caller releases. */
void model_copy(struct model *to, const struct model *from);

struct err;

/*
 * Checks a model: indices are valid, sources have queues that a pool takes from, numbers are within
 * their limits. Returns 0, or -1 with an error that names the place.
 */
int model_validate(const struct model *model, struct err *err);

/*
 * Sets a number of the model by its name in the file: "worker.threads", "main.rate",
 * "worker.scale.cpu", "machine.cores", "A.limit". Returns 0, or -1 with an error that lists similar
 * names.
 */
int model_set(struct model *model, const char *name, double value, struct err *err);

#endif
