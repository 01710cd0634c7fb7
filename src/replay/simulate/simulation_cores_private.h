/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run queues of cores, in simulation_queue.c, for simulation_cores.c. */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_PRIVATE_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_PRIVATE_H

#include "replay/simulate/simulation_cores.h"

/* Returns the number of threads that run or are runnable on the core. */
size_t queue_active(const struct core *core);

/* Returns the least runtime at the core, which never decreases. */
double queue_least(const struct cores *cores, struct core *core);

/* Returns the mean of the runtimes at the core. */
double queue_mean(const struct cores *cores, const struct core *core);

/* Moves a thread to core `to`, where it keeps its lead over the other threads. */
void queue_transfer(struct cores *cores, struct sim_thread *thread, uint32_t to);

/* Returns the runtime of a woken thread on the core. */
double queue_woken_runtime(const struct cores *cores, const struct sim_thread *thread,
			   struct core *core);

void queue_add(struct cores *cores, struct core *core, uint32_t id);

/* Takes the next thread out of the queue, which must not be empty. */
uint32_t queue_take(struct cores *cores, struct core *core);

#endif
