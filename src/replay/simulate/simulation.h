/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program run again on simulated cores: a discrete-event simulation in which threads take their
 * steps, wait for each other as these say, and share the cores fairly.
 *
 * The scheduler is a model of the one of Linux, not a copy (simulation_cores.h): each core has a
 * queue, no core is free while a thread waits, the one with less CPU time goes first, and the one
 * that runs is preempted after a slice when others wait, or where the recording's machine did so,
 * when one wakes that is far behind. The same program on the same machine with the same seed always
 * takes the same time. Only const data is shared, so threads may simulate side by side.
 *
 * Impossible programs are safe: a release of something that is not held does nothing, invalid
 * indices are ignored, and a thread that waits for ever is stuck.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct err;

/* Linux has no more threads at a time, and so no use of more. */
enum { SIMULATION_CORES_MAX = 1 << 22 };

/* Work takes no more times as long, and no less than its inverse. */
#define SIMULATION_FACTOR_MAX 1e3

/* Groups of threads whose work is slowed down in different ways. */
struct thread_groups {
	const uint8_t *of;     /* [thread]: its group; NULL: there are none */
	const double *factors; /* [group * stride + b - 1]: while b cores are busy its work takes so
				  many times as long as machine.slowdown says; NULL: 1 */
	size_t stride;	       /* beyond as many busy cores: as there */
};

/* The machine of a run. All that is borrowed must outlive the run. */
struct machine {
	unsigned cores;		    /* 1 .. SIMULATION_CORES_MAX */
	struct program_costs costs; /* ns; slice_ns 0: 3 ms, as Linux has on a few cores, and at
				       least 0.1 ms, as it has too; more where slices would be more
				       than 2^16 and 8 for each step. A switch costs its time where
				       a core goes over to the next thread, a wake where it ends
				       the rest of a core; both are none of the threads' */
	struct program_costs other_costs; /* switches and wakes of the threads of another program */
	struct program_quota quota;	  /* of all threads together */
	bool keeps_lag; /* a thread that waits gains nothing on those that run (simulation_cores.h) */
	const double *slowdown; /* [b - 1]: work takes so many times as long while b cores are
				       busy; NULL: 1. Beyond the last one: as there */
	size_t slowdown_count;
	struct thread_groups groups;
	const double *speeds; /* of each core, 1 is that of the recording; NULL: all 1 */
	const double
		*site_costs; /* [site]: what is left of waiting there, see below; NULL: all 1 */
	uint64_t seed; /* which goes first, and to which core, where nothing else decides; 0: in the
			  order of threads and cores */
	const struct program_thread
		*instead;    /* does its own steps in the place of the thread ... */
	uint32_t instead_of; /* ... of this number; NULL: none does */
};

/*
 * The share of waiting at a site that is left, 0 .. 1. At 1 it is as recorded, and at 0 no thread
 * waits there: a lock excludes none, tokens are always there, a barrier holds none, a sleep or a
 * device takes no time. Between the two each wait takes that share of its time: of its length where
 * it has one of its own, and else of how long it takes on this machine where all these sites cost
 * 1. For that the program is simulated twice. What waits for ever does so at any cost.
 */

/*
 * Two programs on the same cores (program.other_from): the share of each. For a single program the
 * second is zero.
 */
enum { SIMULATED_PARTS = 2 };

struct simulated_part {
	uint64_t end_ns;   /* the last of its threads leaves its core */
	uint64_t queue_ns; /* its threads waited for a core, all together */
	uint64_t taken_ns; /* CPU time that it had while threads of the other one waited for a core,
			      at most as many as those */
};

struct simulated {
	uint64_t wall_ns;      /* until nothing happens any more */
	uint64_t busy_ns;      /* of all cores, without the costs of switches and wakes */
	uint64_t switch_ns;    /* ... those of switches */
	uint64_t throttled_ns; /* wall time in which a thread waits as the quota is used up */
	uint64_t switches;     /* a core goes from one thread to another */
	uint64_t *waited_ns; /* [site]: by all threads, until they may go on, which is not yet on a
				core; only where wanted, freed by the caller */
	uint64_t one_ns;     /* one thread computes, no other can, and none waits for a lock; */
	uint64_t alone_ns;   /* ... most of that by this thread: */
	uint32_t alone_thread; /* PROGRAM_NONE: it is none */
	size_t stuck;	       /* threads that wait at the end for what does not come, or that were
				never forked; but for those that wait for ever, as recorded */
	struct simulated_part parts[SIMULATED_PARTS];
};

/*
 * Runs all of `program` on `machine`. `waited` says whether simulated->waited_ns is wanted. Returns
 * 0, or -1 with a sentence where a number in `machine` makes no sense.
 */
int simulate(struct simulated *simulated, const struct program *program,
	     const struct machine *machine, bool waited, struct err *err);

/*
 * The same, and how much of the CPU time of each step is on the critical path of that run, which ends
 * with the last thread and begins with the first one: where threads wait for cores, those that have
 * them are on it. path_ns [step] of all threads, one behind the other, is to be freed; NULL: the path
 * has too many parts (simulation_path.h). `machine` has no `instead`.
 */
int simulate_path(double **path_ns, struct simulated *simulated, const struct program *program,
		  const struct machine *machine, struct err *err);

/*
 * The same for machine.groups: adds the CPU time of each group while b cores are busy to
 * group_ns[group * machine->cores + b - 1]. Returns 0, or -1 with a sentence.
 */
int simulate_groups(double *group_ns, const struct program *program, const struct machine *machine,
		    struct err *err);

/*
 * The same for waits by chance (step_waits_by_chance()): adds their number at each site to waits[site]. A
 * thread that finds a lock taken again waits again. The machine has no thread `instead` of another one.
 * Returns 0, or -1 with a sentence.
 */
int simulate_waits(double *waits, const struct program *program, const struct machine *machine,
		   struct err *err);

/* The amount of work to simulate: its steps, and the slices that it may take. */
double simulation_size(const struct program *program, const struct machine *machine);

/* The memory that this takes, roughly, without that of cores. */
size_t simulation_bytes(const struct program *program);

#endif
