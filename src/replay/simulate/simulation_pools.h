/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What belongs to the tokens of a pool: who gets the n-th one goes on as the thread did that got it
 * in the trace, up to its next take there.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_POOLS_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_POOLS_H

#include "replay/simulate/simulation_task.h"

struct simulated_pool;

struct simulated_pools {
	struct simulated_pool *items; /* [site]; NULL: there is no pool at all */
	uint32_t count;
};

void pools_init(struct simulated_pools *pools, const struct program *program);
void pools_release(struct simulated_pools *pools);

/* The task has got a token by its step: where that is of a pool, it is at another step now. */
void pools_follow(struct simulated_pools *pools, struct task *task);

#endif
