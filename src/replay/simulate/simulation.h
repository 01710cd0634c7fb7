/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulation of a program on a machine with any number of cores: a discrete-event simulation in
 * which threads take their steps, wait for each other as the steps say, and share the cores fairly.
 *
 * The scheduler is a model of that of Linux, not a copy (simulation_cores.h): each core has a run
 * queue, no core is free while a thread waits for one, and the thread with less CPU time goes
 * first. A running thread is preempted after a slice if others wait, or, if the recorded machine
 * did so, when a thread wakes that is far behind. The same program on the same machine with the
 * same seed always takes the same time. Only const data is shared, so that simulations may run in
 * parallel.
 *
 * Impossible programs are safe: the release of an object that is not held does nothing, invalid
 * indices are ignored, and a thread that waits forever is stuck.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct err;

/* The largest number of threads of Linux, and so the largest useful number of cores. */
enum { SIMULATION_CORES_MAX = 1 << 22 };

/* The largest slowdown factor of work; its inverse is the smallest. */
#define SIMULATION_FACTOR_MAX 1e3

/* Groups of threads whose work is slowed down in different ways. */
struct thread_groups {
	const uint8_t *of;     /* [thread]: its group; NULL: no groups */
	const double *factors; /* [group * stride + b - 1]: factor on machine.slowdown for the work
				  of a group while b cores are busy; NULL: 1 */
	size_t stride;	       /* number of factors of a group; the last one also applies to more
				  busy cores */
};

/* The machine of a simulation. All that is borrowed must outlive the run. */
struct machine {
	unsigned cores;			  /* 1 .. SIMULATION_CORES_MAX */
	struct program_costs costs;	  /* ns. slice_ns 0: 3 ms, as on Linux with a few cores. A
					     slice is at least 0.1 ms, and longer if the program
					     would take more than 2^16 slices and 8 for each step. A
					     switch costs its time if a core goes over to the next
					     thread, a wakeup if it ends the idle time of a core;
					     neither is CPU time of a thread */
	struct program_costs other_costs; /* switches and wakeups of the threads of the second
					     program */
	struct program_quota quota;	  /* limit of the CPU time of all threads together */
	bool eevdf;			  /* the order of threads is that of EEVDF, not of CFS
					     (simulation_cores.h) */
	const double *slowdown;		  /* [b - 1]: factor on the time of work while b cores are
					     busy; NULL: 1. The last one also applies to more busy
					     cores */
	size_t slowdown_count;
	struct thread_groups groups;
	const double *site_costs;	      /* [site]: share of waiting that is left, see below;
						 NULL: all 1 */
	uint64_t seed;			      /* seed of the order of threads and the choice of
						 cores among equals; 0: by their numbers */
	const struct program_thread *instead; /* steps that replace those of thread `instead_of`;
						 NULL: none */
	uint32_t instead_of;		      /* number of the replaced thread */
};

/*
 * The share of waiting at a site that is left, 0 .. 1. With 1 waits are as recorded. With 0 no
 * thread waits there: a lock excludes none, tokens are always there, a barrier holds none, and a
 * sleep or a device takes no time. With a share between, each wait takes that share of its time: a
 * pause that of its length, any other wait that of its time on this machine with all shares 1, for
 * which the program is simulated twice. A wait that never ends does so with any share.
 */

/*
 * The two programs on the same cores (program.other_from): the results of each. Those of the second
 * are zero if there is one program only.
 */
enum { SIMULATED_PARTS = 2 };

struct simulated_part {
	uint64_t end_ns;   /* time at which its last thread leaves its core */
	uint64_t queue_ns; /* run-queue wait of its threads */
	uint64_t taken_ns; /* CPU time of its threads while threads of the other program waited for
			      a core, counted for at most as many threads as waited */
};

struct simulated {
	uint64_t wall_ns;      /* time until nothing happens any more */
	uint64_t busy_ns;      /* CPU time of all cores, without the costs of switches and
				  wakeups */
	uint64_t switch_ns;    /* cost of all switches */
	uint64_t throttled_ns; /* wall time in which a thread waits because the quota is used up */
	uint64_t switches;     /* number of switches of a core from one thread to another */
	uint64_t *waited_ns;   /* [site]: waits of all threads until they are ready again; NULL
				  unless requested; the caller frees it */
	uint64_t one_ns;       /* time in which one thread computes, no other is ready, and none
				  waits for a lock */
	uint64_t alone_ns;     /* part of one_ns of the thread with most of it */
	uint32_t alone_thread; /* that thread; PROGRAM_NONE: none */
	size_t stuck;	       /* threads that wait forever at the end, or were never forked, except
				  those that waited forever in the recording */
	struct simulated_part parts[SIMULATED_PARTS];
};

/*
 * Simulates `program` on `machine`. `waited`: request for simulated->waited_ns. Returns 0, or -1
 * with an error if a number in `machine` is invalid.
 */
int simulate(struct simulated *simulated, const struct program *program,
	     const struct machine *machine, bool waited, struct err *err);

/*
 * Like simulate(), and finds the CPU time of each step on the critical path of the run. The path
 * ends with the last thread and begins with the first one; while threads wait for cores, it goes
 * through the threads that have them. *path_ns: [step] of all threads, one thread after the other;
 * the caller frees it; NULL: the path has too many parts (simulation_path.h). `machine` has no
 * `instead`.
 */
int simulate_path(double **path_ns, struct simulated *simulated, const struct program *program,
		  const struct machine *machine, struct err *err);

/*
 * Simulates, and adds the CPU time of each group of machine.groups while b cores are busy to
 * group_ns[group * machine->cores + b - 1]. Returns 0, or -1 with an error.
 */
int simulate_groups(double *group_ns, const struct program *program, const struct machine *machine,
		    struct err *err);

/*
 * Simulates, and adds the number of waits by chance at each site (step_waits_by_chance()) to
 * waits[site]. A thread that finds a lock taken again waits again. `machine` has no `instead`.
 * Returns 0, or -1 with an error.
 */
int simulate_waits(double *waits, const struct program *program, const struct machine *machine,
		   struct err *err);

/* Returns the size of a simulation: the number of steps and possible slices. */
double simulation_size(const struct program *program, const struct machine *machine);

/* Returns the approximate memory of a simulation in bytes, without that of cores. */
size_t simulation_bytes(const struct program *program);

#endif
