/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks, tokens and barriers of a simulation: who has them, and who waits.
 *
 * They are those of the C library on futexes. What is given back is free for anybody, and the first
 * that waits is woken to try for itself: whoever runs may be faster than that. To hand over a lock
 * to the one that waits would make all others wait until that has woken up, and so again.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_SITES_H

#include "replay/simulate/simulation_task.h"

/* Threads in the order in which they came, linked through struct task. */
struct task_list {
	uint32_t first, last; /* PROGRAM_NONE: it is empty */
};

struct simulated_site {
	struct task_list waiting;
	struct task_list readers; /* that wait for a lock with others */
	uint32_t holder;	  /* of a lock, alone; PROGRAM_NONE: nobody */
	uint32_t depth;		  /* so many times */
	uint32_t shares;	  /* so many hold it together */
	uint32_t parties, here;	  /* of a barrier */
	uint64_t tokens;
	uint32_t owed; /* ... taken without waiting before they were given */
	double cost;   /* what is left of waiting here */
	double due;    /* ... summed up: from 1 on a wait is one */
	double waited_ns;
};

struct simulated_sites {
	struct task *tasks;
	struct simulated_site *items;
	uint32_t count;
	struct task_list woken; /* may go on: whoever looks takes them out */
};

/* `costs` [site], or NULL; `tasks` is borrowed until the release. */
void sites_init(struct simulated_sites *sites, const struct program *program, const double *costs,
		struct task *tasks);
void sites_release(struct simulated_sites *sites);

/* NULL: `site` is none. */
struct simulated_site *sites_find(const struct simulated_sites *sites, uint32_t site);

/* Whether the wait that comes now at `site`, which may be NULL, is one, or is left out. */
bool site_is_due(struct simulated_site *site);

/*
 * The operation of the task's step at `site`. Returns whether it has to wait; it may go on when it
 * is in the list `woken`. Then it has to try once more where its step is a lock or a take.
 */
bool sites_lock(struct simulated_sites *sites, struct simulated_site *site, uint32_t task);
bool sites_take(struct simulated_sites *sites, struct simulated_site *site, uint32_t task);
bool sites_barrier(struct simulated_sites *sites, struct simulated_site *site, uint32_t task);
void sites_unlock(struct simulated_sites *sites, struct simulated_site *site, uint32_t task);
void sites_give(struct simulated_sites *sites, struct simulated_site *site, uint32_t count);

void task_list_add(struct task_list *list, struct task *tasks, uint32_t task);
/* PROGRAM_NONE: it is empty. */
uint32_t task_list_take(struct task_list *list, const struct task *tasks);

#endif
