/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The locks, tokens and barriers of a simulated program, for simulation.c.
 *
 * Objects work as those of the C library on futexes do. A released object is free for any thread,
 * and the first waiting thread is woken to try again: a running thread may be faster. If a lock
 * were handed over to the waiting thread, all others would wait until that thread runs, again and
 * again. While a woken thread has not tried yet, releases of a lock wake no other one: the lock is
 * marked as contended by threads that wait, not by one that finds it free (lowlevellock.h of the
 * GNU C library).
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/program/program.h"
#include "replay/simulate/simulation_cores.h"

/* Threads in the order in which they came, linked through struct sim_thread. */
struct sim_list {
	uint32_t first, last; /* PROGRAM_NONE: empty */
};

struct simulated_site {
	struct sim_list waiting;
	struct sim_list readers; /* threads that wait for shared holding of a lock */
	uint32_t holder;	 /* thread that holds a lock exclusively; PROGRAM_NONE: none */
	uint32_t depth;		 /* number of times that it holds the lock */
	uint32_t shares;	 /* number of threads that share the lock */
	bool contended;		 /* the release of the lock wakes a thread */
	uint32_t parties, here;	 /* of a barrier: its number of threads, and of those that have
				    come */
	uint64_t tokens;
	uint32_t wait_cost_ns, wake_cost_ns, woke_cost_ns; /* of a lock (program.h) */
};

struct simulated_sites {
	struct sim_thread *threads;
	struct simulated_site *items; /* [site], up to the last one that is an object */
	uint32_t objects;
	uint32_t count;	       /* number of all sites */
	const double *costs;   /* [site]: share of waiting that is left; NULL: all of it */
	double *waited_ns;     /* [site]: waits of all threads; NULL: not requested */
	double *waits;	       /* [site]: number of waits by chance; NULL: not requested;
				  borrowed */
	struct sim_list woken; /* threads that may go on; the simulation takes them out */
};

/*
 * `costs` [site], or NULL, and `threads` are borrowed until the release. `waited`: request for
 * waited_ns.
 */
void sites_init(struct simulated_sites *sites, const struct program *program, const double *costs,
		bool waited, struct sim_thread *threads);
void sites_release(struct simulated_sites *sites);

/* Returns an object; NULL: `site` is none. */
struct simulated_site *sites_find(const struct simulated_sites *sites, uint32_t site);

/* Returns the share of waiting that is left at a site; 1 without a site. */
static inline double sites_cost(const struct simulated_sites *sites, uint32_t site)
{
	return sites->costs && site < sites->count ? sites->costs[site] : 1;
}

/*
 * Does the operation of the thread's step at `site`. Returns whether the thread has to wait, until
 * it is taken out of `woken`; then it has to try again if its step takes a lock or a token. If it
 * has owes_ns to do then, it tries again after that instead, and waits then if it still has to.
 */
bool sites_operate(struct simulated_sites *sites, struct simulated_site *site, uint32_t thread);

/* Returns and removes the first thread that may go on; PROGRAM_NONE: none. */
uint32_t sites_take_woken(struct simulated_sites *sites);

/* --- Pools ---------------------------------------------------------------------------------- */

/* Returns the thread with this number, or the one that replaces it. */
static inline const struct program_thread *thread_on(const struct machine *machine,
						     const struct program *program, size_t number)
{
	return machine->instead && machine->instead_of == number ? machine->instead
								 : &program->threads[number];
}

/*
 * The pools: in a pool the thread that gets the n-th token goes on with the steps of the thread
 * that got this token in the trace, up to its next take there.
 */
struct simulated_pools {
	struct simulated_pool *items; /* [site]; NULL: no pools */
	uint32_t count;
};

void pools_init(struct simulated_pools *pools, const struct program *program,
		const struct machine *machine);
void pools_release(struct simulated_pools *pools);

/* Sends a thread that has got a token to the steps that follow it, if the token is of a pool. */
void pools_follow(struct simulated_pools *pools, struct sim_thread *thread);

#endif
