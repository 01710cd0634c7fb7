/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a simulated performance model: requests, threads at their steps, queues and
 * stations. network.c moves threads from step to step, network_stations.c has the queues and
 * stations.
 *
 * A woken thread of a pool that computes needs a core before it goes on. A running thread may then
 * be faster to take a token or a lock, as on a real machine, and the woken thread waits again. A
 * pool that never computes needs no cores. Between steps without CPU time no thread waits for a
 * core.
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
	NETWORK_INSIDE_MAX = 1 << 19, /* largest number of requests at a time; a growing queue is
					 noticed before */
	NETWORK_TOKENS_MAX = 1 << 20,
};

struct net_request {
	double arrived_ns; /* NaN: an item of a batch that no thread has taken yet */
	uint32_t tokens;   /* number of tokens in queues and with threads; 0: the entry is free */
	uint32_t client;   /* number of the client among all; MODEL_NONE: of no closed source */
	uint32_t source;
	uint32_t next; /* the next free entry */
	bool answered;
};

/* Threads in the order in which they came, linked through struct net_thread. */
struct net_list {
	uint32_t first, last;
};

/* A number that changes in time, for its mean. */
struct net_level {
	double area;	/* integral of the number over time in ns, up to `last_ns` */
	double last_ns; /* time of the last change */
	uint32_t now;
};

struct net_token {
	double since_ns;
	uint32_t request;
};

/* The tokens of a queue: all of them, or those for one thread of a pinned pool. */
struct net_lane {
	struct net_token *tokens; /* a ring; its capacity is a power of two */
	uint32_t capacity, first, count;
	struct net_list idle;
};

struct net_station {
	const struct model_station *model;
	struct net_level length; /* number of waiting tokens or threads */
	struct net_level busy;	 /* number of busy servers, or of threads at a delay */
	struct net_list waiting; /* threads that wait for a lock, for a disk, or for room in a
				    queue */
	struct net_list served;	 /* of a group commit: threads that are served together with the one
				    in the agenda */
	struct net_lane *lanes;	 /* of a queue */
	uint32_t lane_count;
	uint32_t *turns; /* order of lanes for the requests of clients; NULL: one after the other */
	uint32_t turn_count;
	uint32_t coming;  /* number of threads that were woken for tokens */
	uint32_t idle;	  /* number of threads that wait for tokens */
	uint32_t clients; /* number of clients of sources that put tokens here */
	uint32_t batch;	  /* a batch source that puts tokens here; MODEL_NONE: none */
	double waited_ns;
	uint64_t arrivals;
};

struct net_pool {
	const struct model_pool *model;
	gsl_rng *random;
	uint32_t first;		  /* index of its first thread */
	bool computes;		  /* a step needs a core */
	struct net_level busy;	  /* number of threads that have a request */
	struct net_level blocked; /* number of these that wait for room in a queue */
	uint64_t visits;
	double visit_ns, cpu_ns, run_queue_ns; /* sums */
};

struct net_source {
	const struct model_source *model;
	gsl_rng *random;
	double gap_ns;		   /* of an open source: mean gap, divided by the mean of the
				      shape */
	uint64_t left;		   /* number of items of a batch that are in no queue yet */
	uint32_t clients;	   /* of a closed source: number of clients; with threads for
				      connections, of those that have one */
	struct net_level thinking; /* number of clients that think */
	uint32_t first, last;	   /* clients that wait for a thread to think; first NETWORK_NONE:
				      none */
};

struct net_client {
	uint32_t source;
	uint32_t order; /* number among the clients of its first queue */
	uint32_t next;	/* the next client that waits to think */
};

/* The current step of a thread. */
struct net_fragment {
	enum model_node_kind kind;
	uint32_t station;
	double ns;
};

struct net_thread {
	uint32_t pool, lane, next;
	uint32_t request; /* request of its visit; NETWORK_NONE: none */
	bool on_core;
	bool woken;			     /* for a token that may be taken already */
	bool pending;			     /* `fragment` is to be tried again */
	const struct model_step *step, *end; /* rest of its visit */
	uint32_t node, walked;		     /* node of a walk, and number of nodes so far */
	struct net_fragment fragment;
	double since_ns; /* start of its wait */
	double visit_since_ns;
	double core_since_ns, core_clock; /* time, and clock of the cores, since which it needs a
					     core */
	uint32_t *held;			  /* stations of the locks that it holds */
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
	struct agenda agenda; /* threads, then sources, then clients, by the end of their wait */
	uint32_t added;	      /* number of entries to the agenda so far, for the order among
				 equals */
	struct net_request *requests;
	size_t request_count, request_capacity;
	uint32_t free_request;
	uint32_t inside; /* number of requests with unused tokens */
	uint32_t visits; /* number of visits that threads make now */
	uint32_t tokens;
	uint64_t arrived, lost, items_left;
	uint64_t steps, steps_most;
	struct measure measure;
	bool idle;	 /* nothing happens any more */
	bool full;	 /* there are too many requests or tokens */
	bool cut_walk;	 /* a walk did not end */
	uint32_t walker; /* the pool of that walk */
};

/* `network` is large and must not move until the release; `model` is valid and borrowed. */
void network_init(struct network *network, const struct model *model, uint64_t seed,
		  uint64_t steps_most);
void network_release(struct network *network);

/*
 * Simulates until another request is answered, nothing happens any more, or there are too many
 * steps or requests. Returns whether it can go on.
 */
bool network_run(struct network *network);

/* Returns the number of threads that wait forever for locks of each other. */
size_t network_count_stuck(const struct network *network);

/* --- network_stations.c ----------------------------------------------------------------------- */

/* Add to the integral of a level up to now; level_add() then changes its number. */
void level_pass(struct net_level *level, double now_ns);
void level_add(struct net_level *level, double now_ns, int by);

void net_list_add(struct network *network, struct net_list *list, uint32_t thread);
uint32_t net_list_take(struct network *network, struct net_list *list);

/* Puts another token of the request into a queue. */
void network_put(struct network *network, uint32_t queue, uint32_t request);

/* Returns whether the queue has room for a token. */
bool network_has_room(const struct network *network, uint32_t queue);

/* Returns a batch source with items for the queue; MODEL_NONE: none. */
uint32_t network_find_batch(const struct network *network, uint32_t queue);

/* Puts items of batches into the queue while it has few. */
void network_feed(struct network *network, struct net_station *station);

/* Gives the thread a request; returns false if it waits for one. */
bool network_take(struct network *network, uint32_t thread);

/*
 * Operations of the thread's fragment: return whether the thread has to wait. network_free_lock()
 * releases a lock, and wakes the first waiting thread.
 */
bool network_acquire(struct network *network, uint32_t thread);
bool network_wait(struct network *network, uint32_t thread);
bool network_put_step(struct network *network, uint32_t thread);
void network_free_lock(struct network *network, uint32_t thread, uint32_t station);

/* Ends the thread's time at a disk or a delay. */
void network_end_wait(struct network *network, uint32_t thread);

/* --- network.c -------------------------------------------------------------------------------- */

/* Ends the wait of a thread. */
void network_wake(struct network *network, uint32_t thread);

/* Enters `id` into the agenda, in `ns` from now. */
void network_due(struct network *network, double ns, uint32_t id);

/*
 * Adds a request of the source and the client (MODEL_NONE: none), with a token in each of its
 * queues.
 */
void network_arrive(struct network *network, uint32_t source, uint32_t client);

#endif
