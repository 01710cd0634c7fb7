/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A performance model of a program that serves requests or processes items: a queueing network in
 * which the servers are pools of threads (Tarvo and Reiss, ASE 2014). It is extracted from one
 * recording (model/extract), or written by hand as JSON (model_file.h), and simulated with other
 * numbers of threads, cores, clients, and at other rates (model/simulate).
 *
 * A request arrives from a source, as a token in a queue. A thread of a pool that takes from this
 * queue takes the token and makes a visit: it computes, sleeps, locks, waits for a disk, puts
 * tokens of the same request into queues of other pools, and takes the next token. A visit is one
 * of those that were recorded, drawn at random; where there are none it is a walk through the graph
 * of fragments. A request is answered by a step MODEL_DONE, or where its pools have no such step,
 * when all its tokens are used up: the visits that took them are over.
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

/* Bounds of what a file can ask for; beyond them it is refused. */
enum {
	MODEL_SOURCES_MAX = 256,
	MODEL_STATIONS_MAX = 4096,
	MODEL_POOLS_MAX = 256,
	MODEL_THREADS_MAX = 100000, /* of all pools, and clients of all sources, each */
	MODEL_NODES_MAX = 4096,	    /* of a pool */
	MODEL_EDGES_MAX = 64,	    /* of a node */
	MODEL_VISITS_MAX = 4000,    /* of a pool */
	MODEL_STEPS_MAX = 1 << 20,  /* of all visits of a pool, and of one walk through a graph */
	MODEL_NAME_MAX = 255,	    /* bytes */
	MODEL_PINNED_MAX = 1024,    /* threads with `connections`, and of these */
};

/* --- Where requests come from ------------------------------------------------------------------ */

enum model_source_kind {
	MODEL_OPEN,   /* at `rate`, whatever becomes of them */
	MODEL_CLOSED, /* each of `clients` asks, waits for the answer, thinks, and asks again */
	MODEL_BATCH,  /* `items` are there at the beginning; how long do they take? */
	MODEL_SOURCE_KINDS,
};

struct model_source {
	char *name;
	enum model_source_kind kind;
	double rate;		   /* of an open one, 1/s */
	struct distribution gaps;  /* ... their shape; the mean is that of the rate. Not given:
				      exponential */
	uint32_t clients;	   /* of a closed one */
	struct distribution think; /* ... */
	uint32_t threads; /* ... of which so many think at a time, first come, first served: the
			     program that is all of them has so many. 0: each by itself */
	uint64_t items;	  /* of a batch */
	uint32_t *to;	  /* queues; a request has a token in each of them */
	size_t to_count;
};

/* --- What threads wait at ----------------------------------------------------------------------- */

enum model_station_kind {
	MODEL_QUEUE, /* of tokens, first come, first served */
	MODEL_LOCK,  /* one thread at a time, or `servers` of them: a semaphore */
	MODEL_DISK, /* `servers` requests at a time, for the time of the visit's step, else `service`;
			the thread needs no core meanwhile */
	MODEL_DELAY, /* all at once, the same way: a sleep, a call to another service */
	MODEL_STATION_KINDS,
};

struct model_station {
	char *name;
	enum model_station_kind kind;
	uint32_t servers; /* of a lock or a disk, 1 or more */
	bool bounded; /* a queue: it has room for `limit` tokens, which may be 0; those that a thread
			   waits for need none. Beyond it requests of a source are lost, and threads
			   wait */
	uint32_t limit;
	struct distribution service; /* of a disk or a delay, where a step has no time of its own */
	bool per_thread; /* a lock: each thread has its own, so it never waits; it is cloned with it */
	bool group_commit; /* a disk: one request is served for all that wait when it begins, in its
			      time; those that come meanwhile wait for the next one */
	double deepest; /* of a delay for devices: the most threads there at a time as recorded, beyond
			    which they may wait longer; 0: any number is alike */
};

/* --- Threads and their visits ------------------------------------------------------------------- */

enum model_node_kind {
	MODEL_CPU,     /* needs a core for its time */
	MODEL_WAIT,    /* at a disk or delay station for its time; without a station: a sleep */
	MODEL_ACQUIRE, /* a lock station ... */
	MODEL_RELEASE, /* ... which a thread gives back; what it still has at the end of its visit is
			  given back there */
	MODEL_PUT,     /* a token of the same request into a queue station */
	MODEL_DONE,    /* the request is answered; the thread may go on */
	MODEL_NODE_KINDS,
};

struct model_edge {
	uint32_t to;  /* a node of the pool; MODEL_NONE: the end of the visit */
	double share; /* of all that leave the node; they add up to 1 */
};

/* A fragment of what a thread does. */
struct model_node {
	enum model_node_kind kind;
	uint32_t station;	  /* or MODEL_NONE */
	struct distribution time; /* of a walk; not given: that of the station */
	struct model_edge *edges; /* of a walk; none: the visit ends */
	size_t edge_count;
	char *where; /* function or site, for people; or NULL */
};

struct model_step {
	uint32_t node;
	float seconds; /* of MODEL_CPU and MODEL_WAIT, as recorded; 0 of others */
};

struct model_visit {
	uint32_t first, count; /* of the pool's steps */
};

enum model_dispatch {
	MODEL_SHARED,	  /* any thread of the pool takes any request */
	MODEL_PINNED,	  /* a client's requests stay with one thread: client modulo threads, or as
			 `connections` says. Those of an open source go to each thread in turn */
	MODEL_CONNECTION, /* each client has a thread, as long as there is one for it: the rest of them
			     never ask. Where a source is open as MODEL_SHARED */
	MODEL_DISPATCHES,
};

struct model_pool {
	char *name;
	uint32_t threads;
	uint32_t takes; /* a queue */
	enum model_dispatch dispatch;
	bool forks; /* of MODEL_CONNECTION: a process is started for each client, so that there are
		       as many as clients, unless another number is asked for */
	double *connections; /* of MODEL_PINNED: clients of each thread, as far as these are not even */
	size_t connection_count;  /* 0, or `threads`; with other threads they are even */
	struct model_node *nodes; /* a walk begins at the first */
	size_t node_count;
	struct model_visit *visits; /* none: walks are simulated */
	size_t visit_count;
	struct model_step *steps; /* of all visits */
	size_t step_count;
	double cpu_scale,
		wait_scale; /* times of MODEL_CPU and MODEL_WAIT take so many times as long;
					 1: as they stand */
	/* CPU time takes 1 + cpu_growth (n - 1) times as long for a step that begins while the
	   threads of all pools make n visits. The times of visits and graph are those of n = 1. */
	double cpu_growth;
	double cpu_growth_se;	 /* standard error */
	double cpu_growth_until; /* more visits are as so many; 0: no such bound */
	bool fixed;	     /* the program decides how many threads there are: see `why_fixed` */
	char *why_fixed;     /* a clause for people; or NULL */
	double unseen_waits; /* share of the recorded visits' time: waits for other threads of the
				pool at what is no station, which keep their length */
};

/* --- The whole ----------------------------------------------------------------------------------- */

/* A number as recorded and as the model gives it for the recorded configuration; NaN: not known. */
struct model_checked {
	double recorded, model;
};

/* The self-check of a model: what was recorded, and its simulation. */
struct model_station_check {
	uint32_t station, pool;		  /* the other one is MODEL_NONE */
	struct model_checked utilisation; /* 0..1, of threads of a pool or servers of a station */
	struct model_checked length;	  /* mean number that wait there */
};

struct model_check {
	struct model_checked throughput_per_s, response_s, response_p95_s, busy_cores, wall_s;
	struct model_checked run_queue_s; /* of a batch: in which a thread of the pool that computes
					     most waits for a core, in all of `wall_s` */
	struct model_station_check *items;
	size_t item_count;
};

struct model_machine {
	uint32_t cores;	 /* 1 .. SIMULATION_CORES_MAX */
	double slice_s;	 /* 0: as usual, see simulation.h */
	double switch_s; /* a core goes over to another thread */
	double wake_s;
	double *slowdown; /* [b - 1]: work takes so many times as long while b cores are busy; or NULL */
	size_t slowdown_count;
};

struct model {
	char *made_from; /* the recording, for people; or NULL */
	struct model_machine machine;
	struct model_source *sources;
	size_t source_count;
	struct model_station *stations;
	size_t station_count;
	struct model_pool *pools;
	size_t pool_count;
	bool has_check; /* it was extracted, and not written by hand */
	struct model_check check;
};

/* An empty one on one core. The caller releases it. */
void model_init(struct model *model);
void model_release(struct model *model);

/* A deep copy, which the caller releases. */
void model_copy(struct model *to, const struct model *from);

struct err;

/*
 * Checks a model: indices lead somewhere, sources lead to queues that a pool takes from,
 * numbers are within the bounds above. Returns 0, or -1 with a sentence that names the place.
 */
int model_validate(const struct model *model, struct err *err);

/*
 * Sets any number of the model by its name as in the file: "worker.threads", "main.rate",
 * "worker.scale.cpu", "machine.cores", "A.limit". Returns 0, or -1 with a sentence that lists the
 * names that come near.
 */
int model_set(struct model *model, const char *name, double value, struct err *err);

#endif
