/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program run again on simulated cores: a discrete-event simulation in which threads take their
 * steps, wait for each other as these say, and share the cores fairly.
 *
 * The scheduler is a model of that of Linux, no copy: work conserving, a thread that wakes gets a
 * free core if there is one, else it waits; who has had less CPU time goes first; who runs is
 * preempted after a slice when others wait. The same program on the same machine with the same
 * seed always takes the same time.
 */
#ifndef PSCAL_REPLAY_SIMULATION_H
#define PSCAL_REPLAY_SIMULATION_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program.h"

struct err;

/* Linux has no more threads at a time, and so no use of more. */
enum { SIMULATION_CORES_MAX = 1 << 22 };

/* What a program is run on. What is borrowed must outlive the run. */
struct machine {
	unsigned cores;		    /* 1 .. SIMULATION_CORES_MAX */
	struct program_costs costs; /* ns; slice_ns 0: 3 ms, as Linux has on a few cores */
	const double *slowdown;	    /* [b - 1]: work takes so many times as long while b cores are
				       busy; NULL: 1. Beyond the last one: as there */
	size_t slowdown_count;
	const double *speeds;	  /* of each core, 1 is that of the recording; NULL: all 1 */
	const double *site_costs; /* [site]: what is left of waiting there, 0 .. 1; NULL: all 1 */
	uint64_t seed; /* who goes first where nothing else decides; 0: in the order of threads */
};

struct simulated {
	uint64_t wall_ns;    /* until nothing happens any more */
	uint64_t busy_ns;    /* of all cores, without the costs of switches */
	uint64_t switch_ns;  /* ... those */
	uint64_t switches;   /* a core goes from one thread to another */
	uint64_t *waited_ns; /* [site]: by all threads; only where wanted, freed by the caller */
	size_t stuck;	     /* threads that wait at the end for what does not come; but for those
				that do so for ever, as recorded */
};

/*
 * Runs all of `program` on `machine`. `waited` says whether simulated->waited_ns is wanted. Returns
 * 0, or -1 with a sentence where a number in `machine` makes no sense.
 */
int simulate(struct simulated *simulated, const struct program *program,
	     const struct machine *machine, bool waited, struct err *err);

#endif
