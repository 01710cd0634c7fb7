/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A performance model while it is simulated: requests, threads at their steps, queues and stations.
 * network.c moves threads from step to step, network_stations.c has what they wait at.
 *
 * A thread that wakes in a pool that computes needs a core before it goes on, so that another one
 * that runs may be faster to a token or a lock, as on a real machine; it then waits again. Where a
 * pool never computes no cores are needed. Between steps without CPU time no thread waits for a core.
 */
#ifndef PSCAL_MODEL_SIMULATE_NETWORK_H
#define PSCAL_MODEL_SIMULATE_NETWORK_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/file/model.h"
#include "model/simulate/measure.h"
#include "replay/simulate/agenda.h"
#include "replay/simulate/simulation_cores.h"

enum {
	NETWORK_NONE = UINT32_MAX,
	NETWORK_INSIDE_MAX = 1 << 19, /* requests at a time; a queue that grows is seen before */
	NETWORK_TOKENS_MAX = 1 << 20,
};

struct net_request {
	double arrived_ns; /* NaN: an item of a batch that no thread has taken yet */
	uint32_t tokens;   /* in queues and with threads; 0: it is free */
	uint32_t client;   /* MODEL_NONE: of no closed source; else its number among all */
	uint32_t source;
	uint32_t next; /* free one */
	bool answered;
};

/* Threads in the order in which they came, linked through struct net_thread. */
struct net_list {
	uint32_t first, last;
};

/* A number that changes in time. */
struct net_level {
	double area;	/* ns: of the number by time ... */
	double last_ns; /* ... up to here */
	uint32_t now;
};

struct net_token {
	double since_ns;
	uint32_t request;
};

/* Tokens of a queue: all of them, or those for one thread of a pool that requests are pinned in. */
struct net_lane {
	struct net_token *tokens; /* a ring, of a power of two */
	uint32_t capacity, first, count;
	struct net_list idle;
};

struct net_station {
	const struct model_station *model;
	struct net_level length; /* what waits: tokens, threads */
	struct net_level busy;	 /* servers, or threads at a delay */
	struct net_list waiting; /* for a lock, a disk, for room in a queue */
	struct net_list served;	 /* of a group commit: with the thread that has its time */
	struct net_lane *lanes;	 /* of a queue */
	uint32_t lane_count;
	uint32_t *turns; /* lanes of clients, one after the other; NULL: each in turn */
	uint32_t turn_count;
	uint32_t coming;  /* threads that were woken for tokens */
	uint32_t idle;	  /* threads that wait for one */
	uint32_t clients; /* of sources that put tokens here */
	uint32_t batch;	  /* a batch source that puts tokens here; MODEL_NONE: none */
	double waited_ns;
	uint64_t arrivals;
};

struct net_pool {
	const struct model_pool *model;
	gsl_rng *random;
	uint32_t first;		  /* of its threads */
	bool computes;		  /* some step needs a core */
	struct net_level busy;	  /* threads that have a request */
	struct net_level blocked; /* ... but for room in a queue */
	uint64_t visits;
	double visit_ns, cpu_ns, run_queue_ns; /* sums */
};

struct net_source {
	const struct model_source *model;
	gsl_rng *random;
	double gap_ns;		   /* mean gap of an open one by the mean of its shape */
	uint64_t left;		   /* items of a batch that are not in its queues yet */
	uint32_t clients;	   /* of a closed one, that have a thread if they need one */
	struct net_level thinking; /* clients that do now ... */
	uint32_t first,
		last; /* ... and that wait for a thread to do so; first NETWORK_NONE: none */
};

struct net_client {
	uint32_t source;
	uint32_t order; /* among those of its first queue */
	uint32_t next;	/* behind it, that waits to think */
};

/* The step of a thread. */
struct net_fragment {
	enum model_node_kind kind;
	uint32_t station;
	double ns;
};

struct net_thread {
	uint32_t pool, lane, next;
	uint32_t request; /* of its visit; NETWORK_NONE: it has none */
	bool on_core;
	bool woken;			     /* for a token that may be gone */
	bool pending;			     /* `fragment` is to be tried again, or goes on now */
	const struct model_step *step, *end; /* of a visit */
	uint32_t node, walked;		     /* of a walk */
	struct net_fragment fragment;
	double since_ns; /* it waits */
	double visit_since_ns;
	double core_since_ns, core_clock; /* it wants a core */
	uint32_t *held;			  /* locks */
	size_t held_count, held_capacity;
};

struct network {
	const struct model *model;
	struct machine machine;
	struct cores cores;
	struct sim_thread *sim_threads;
	struct net_thread *threads;
	uint32_t thread_count;
	struct net_list ready; /* threads that go on without a core */
	struct net_pool *pools;
	struct net_station *stations;
	struct net_source *sources;
	struct net_client *clients;
	uint32_t client_count;
	struct agenda agenda; /* threads, then sources, then clients, by when something is over */
	uint32_t added;	      /* to the agenda, for the order of equals */
	struct net_request *requests;
	size_t request_count, request_capacity;
	uint32_t free_request;
	uint32_t inside; /* requests whose tokens are not used up */
	uint32_t visits; /* that threads make now */
	uint32_t tokens;
	uint64_t arrived, lost, items_left;
	uint64_t steps, steps_most;
	struct measure measure;
	bool idle;	 /* nothing happens any more */
	bool full;	 /* there are too many requests or tokens */
	bool cut_walk;	 /* a walk had no end */
	uint32_t walker; /* ... of this pool */
};

/* `network` is large and stays where it is until the release; `model` is valid and borrowed. */
void network_init(struct network *network, const struct model *model, uint64_t seed,
		  uint64_t steps_most);
void network_release(struct network *network);

/*
 * Goes on until a request more is answered, or nothing happens any more, or there are too many steps
 * or requests. Returns whether it can go on.
 */
bool network_run(struct network *network);

/* Threads that wait for locks of each other, and so for ever. */
size_t network_count_stuck(const struct network *network);

/* --- network_stations.c ----------------------------------------------------------------------- */

/* The area of the level up to now. */
void level_pass(struct net_level *level, double now_ns);
void level_add(struct net_level *level, double now_ns, int by);

void net_list_add(struct network *network, struct net_list *list, uint32_t thread);
uint32_t net_list_take(struct network *network, struct net_list *list);

/* The request has a token more, in a queue. */
void network_put(struct network *network, uint32_t queue, uint32_t request);

/* Tells if a token has room there. */
bool network_has_room(const struct network *network, uint32_t queue);

/* A batch source with items for the queue; MODEL_NONE: there is none. */
uint32_t network_find_batch(const struct network *network, uint32_t queue);

/* Batches put items into the queue, as long as few are there. */
void network_feed(struct network *network, struct net_station *station);

/* The thread gets a request; false: it waits for one. */
bool network_take(struct network *network, uint32_t thread);

/* Operations of the thread's fragment: each returns whether it has to wait. */
bool network_acquire(struct network *network, uint32_t thread);
bool network_wait(struct network *network, uint32_t thread);
bool network_put_step(struct network *network, uint32_t thread);
void network_free_lock(struct network *network, uint32_t thread, uint32_t station);

/* The thread's time at a disk or a delay is over. */
void network_end_wait(struct network *network, uint32_t thread);

/* --- network.c ---------------------------------------------------------------------------------- */

/* The thread waits no longer. */
void network_wake(struct network *network, uint32_t thread);

/* Something of this number is over in `ns`. */
void network_due(struct network *network, double ns, uint32_t id);

/* A new request from the source, of a client or MODEL_NONE, with a token in each of its queues. */
void network_arrive(struct network *network, uint32_t source, uint32_t client);

#endif
