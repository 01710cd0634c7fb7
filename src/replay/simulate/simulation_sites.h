/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The locks, tokens and barriers of a simulated program, for simulation.c.
 *
 * Objects work as those of the C library on futexes do. An object that is given back is free for any
 * thread, and the first waiting thread is woken to try for itself: a running thread may be faster.
 * If a lock were handed over to the waiting thread, all others would wait until that has woken up,
 * and so again.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/program/program.h"
#include "replay/simulate/simulation_cores.h"

/* Threads in the order in which they came, linked through struct sim_thread. */
struct sim_list {
	uint32_t first, last; /* PROGRAM_NONE: it is empty */
};

struct simulated_site {
	struct sim_list waiting;
	struct sim_list readers; /* that wait for a lock with others */
	uint32_t holder;	 /* of a lock, alone; PROGRAM_NONE: none */
	uint32_t depth;		 /* so many times */
	uint32_t shares;	 /* so many hold it together */
	uint32_t parties, here;	 /* of a barrier */
	uint64_t tokens;
};

struct simulated_sites {
	struct sim_thread *threads;
	struct simulated_site *items; /* up to the last site that is an object ... */
	uint32_t objects;
	uint32_t count;	       /* ... and of all: */
	const double *costs;   /* the share of waiting that is left; NULL: all of it */
	double *waited_ns;     /* by all threads; NULL: not wanted */
	double *waits;	       /* ... and how often; borrowed, likewise */
	struct sim_list woken; /* may go on; the simulation takes them out */
};

/* `costs` [site], or NULL, and `threads` are borrowed until the release. */
void sites_init(struct simulated_sites *sites, const struct program *program, const double *costs,
		bool waited, struct sim_thread *threads);
void sites_release(struct simulated_sites *sites);

/* NULL: `site` is no object, and nothing can be done with it. */
struct simulated_site *sites_find(const struct simulated_sites *sites, uint32_t site);

/* The share of waiting that is left at a site, or at none, which costs all of it. */
static inline double sites_cost(const struct simulated_sites *sites, uint32_t site)
{
	return sites->costs && site < sites->count ? sites->costs[site] : 1;
}

/*
 * The operation of the thread's step at `site`. Returns whether it has to wait; it may go on when it
 * is taken out of `woken`. Then it has to try once more where its step is a lock or a take.
 */
bool sites_operate(struct simulated_sites *sites, struct simulated_site *site, uint32_t thread);

/* The first of those that may go on; PROGRAM_NONE: there is none. */
uint32_t sites_take_woken(struct simulated_sites *sites);

/* --- Pools ---------------------------------------------------------------------------------- */

/* The thread of this number, or the one that is there instead of it. */
static inline const struct program_thread *thread_on(const struct machine *machine,
						     const struct program *program, size_t number)
{
	return machine->instead && machine->instead_of == number ? machine->instead
								 : &program->threads[number];
}

/*
 * The thread that gets the n-th token of a pool goes on as the thread did that got it in the trace,
 * up to its next take there.
 */
struct simulated_pools {
	struct simulated_pool *items; /* [site]; NULL: there is no pool at all */
	uint32_t count;
};

void pools_init(struct simulated_pools *pools, const struct program *program,
		const struct machine *machine);
void pools_release(struct simulated_pools *pools);

/* The thread has got a token by its step: where that is of a pool, it is at another step now. */
void pools_follow(struct simulated_pools *pools, struct sim_thread *thread);

#endif
