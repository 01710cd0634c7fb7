/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cores of a simulation, the threads that run on them, and those in their run queues.
 *
 * As in Linux each core has a run queue. A woken thread goes to a free core, if possible to its
 * previous one; if no core is free it waits in the queue of its previous core, or of its waker's
 * core if fewer threads are there. A new thread goes to the shortest queue. A core that would
 * become free takes a thread from the longest queue, so no core is free while a thread waits.
 * A busy core takes a thread from a longer queue only now and then, and from one that is longer by
 * one thread only at the second try: which threads share a core, and for how long, is random, and
 * lasts. Each seed gives another wall time: the mean over several (replays.h) is closer to Linux
 * than any one of them.
 *
 * In a queue the thread with the least runtime goes first. The runtime of a woken thread is raised
 * to that of the others less a slice, so that a long sleep is no claim to CPU time. If wakeups
 * preempt (program_costs.c) the woken thread runs at once if it is behind the running one by two
 * thirds of a slice; else the running thread keeps its core until the end of its slice. In CFS,
 * Linux up to 6.5, the two are 3 and 1 ms on one core and 9 and 3 ms on four, with slices of 3 to 4
 * ms as slices end at ticks; a core looks for threads in other queues every 16 ms times the number
 * of cores.
 *
 * With machine.eevdf the order is close to that of Linux from 6.6 on (pick_eevdf() and
 * place_entity() in kernel/sched/fair.c; Stoica and Abdel-Wahab, Earliest Eligible Virtual Deadline
 * First, 1995). A woken thread gains nothing by its sleep: it is as far behind the mean runtime of
 * its core as when it went to sleep, or as far ahead until the mean has caught up, as from 6.12 on.
 * If wakeups preempt it runs at once if it is the next one and the running one is ahead of the
 * mean. Slices end at ticks, every 4 ms. Not simulated: deadlines. As all threads have the same
 * weight and slice, the earliest deadline and the least runtime differ in order by less than a
 * slice; forecasts of pairs are as close with them as without. For one program the order of threads
 * hardly matters; for two it decides the CPU time that each gets.
 *
 * A quota works as CFS bandwidth control (kernel/sched/fair.c, Documentation/scheduler/
 * sched-bwc.rst): at the beginning of each period a pool is set to the CPU time of one period. A
 * core takes 5 ms at a time from the pool. If the pool is empty the core is throttled: its threads,
 * also those that wake there, wait for the next period, and no other core takes them. A core that
 * becomes free keeps 1 ms and gives back the rest. The seed decides at which time of a period the
 * program begins. Not simulated: the use of CPU time beyond the quota up to the next tick, which
 * the next period pays for, and the timer that hands out in the middle of a period what free cores
 * gave back.
 *
 * Tests compare this model with the mean of many runs of a model of CFS (tests/mock/machine.h).
 *
 * The clock of the cores runs slower than time while busy cores slow each other down, so that the
 * end of a thread's CPU time in this clock never changes. If groups of threads are slowed down
 * differently, the speeds of all cores change whenever the number of busy cores does.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/simulate/agenda.h"
#include "replay/simulate/simulation.h"

struct simulation_path;

/* The state of a thread in a simulation. */
enum sim_state {
	SIM_NEW,     /* it has not begun */
	SIM_QUEUED,  /* waits for a core */
	SIM_RUNNING, /* has a core */
	SIM_PAUSED,  /* waits for a time */
	SIM_WAITING, /* waits for other threads */
	SIM_ENDED,
};

struct sim_thread {
	const struct step *step, *end; /* the current step; the end of its steps */
	const struct step *polled;     /* the step behind a row of polls; NULL: unknown */
	double left_ns;		       /* CPU time before the operation of the step, with speed 1 */
	double runtime;		       /* time on cores, for the order in a run queue; while it
					  runs, less the clock of the cores */
	double behind;		       /* mean runtime of its core less its own, when it began to
					  wait */
	double since_ns;	       /* start of its wait */
	double due_ns;		       /* requested end of its last sleep */
	double alone_ns;	       /* time in which it computed and no other thread could */
	uint32_t core;		       /* the core that it runs on, or ran on last */
	uint32_t next;		       /* the next thread in the same list */
	uint32_t joiners;	       /* the first thread that waits for its end */
	uint32_t shares;	       /* number of locks that it shares */
	uint8_t state;		       /* enum sim_state */
	uint8_t part;		       /* index in cores.parts */
	bool retries;		       /* it waits, or was woken, to try again to get a lock */
	bool has_paid;		       /* the CPU time before its wait or wakeup is behind it */
	double owes_ns;		       /* CPU time that the operation of its step takes */
	bool shortened;		       /* the shortened pause at its current step is over */
	uint32_t owner;		       /* the thread whose steps it takes: another one after a take
					  from a pool */
};

struct core {
	double speed;	       /* speed for its current thread beside other busy cores */
	double from;	       /* clock of the cores when its thread's CPU time began or went
				    on */
	double slice_end;      /* clock of the cores at the end of its thread's slice */
	uint32_t thread, last; /* the current thread, PROGRAM_NONE: the core is free; the thread
				    that ran last */
	struct agenda queue;   /* the run queue, by runtime */
	double least;	       /* the smallest runtime there; it never decreases */
	double queued;	       /* sum of the runtimes of the threads in the run queue */
	double quota_ns;       /* CPU time of the core from the quota at `quota_from_ns` */
	double quota_from_ns;  /* time at which its thread began */
	bool throttled;	       /* the core has used up its quota, and the pool is empty */
	bool tried;	       /* it has tried to take a thread from a queue that is longer by
				    one */
	bool preempted;	       /* its thread has to leave */
};

/* The state of a simulated_part. */
struct cores_part {
	size_t running, waiting; /* numbers of running threads, and of threads in run queues */
	double end_ns, queue_ns, taken_ns;
};

struct cores {
	struct sim_thread *threads;
	const struct machine *machine;
	gsl_rng *random; /* NULL: the order of threads and cores decides among equals */
	struct core *items;
	uint32_t count, busy;
	uint32_t current;		      /* the core of the thread that cores_run() returned;
						 PROGRAM_NONE: none */
	uint32_t acting;		      /* that thread, even if it has left its core;
						 PROGRAM_NONE: none */
	struct simulation_path *path;	      /* the critical path to fill in; NULL: not
						 requested */
	uint64_t *free;			      /* bits: [core] is free */
	struct agenda ends;		      /* busy cores, by the end of their thread's CPU time
						 or slice */
	struct agenda longest;		      /* cores, the one with most threads first */
	struct agenda shortest;		      /* cores, the one with the fewest threads first */
	struct agenda balances;		      /* cores, by the time at which they look for threads
						 in other queues */
	struct agenda quotas;		      /* busy cores, by the time at which their part of the
						 quota is used up */
	double quota_ns, period_ns, share_ns; /* the quota in a period, 0: none; the period; the
						 part that a core takes */
	double pool_ns, refill_ns;	      /* rest of the quota in this period; the beginning of
						 the next period */
	uint32_t throttled;		      /* number of throttled cores */
	double throttled_ns;		      /* time in which at least one core is throttled */
	size_t waiting;			      /* number of threads in run queues, without those of
						 throttled cores */
	size_t locked_out;		      /* number of threads that wait for a lock */
	uint32_t queued;		      /* number of entries to run queues so far */
	double now_ns;
	double clock;	/* clock of the cores */
	double stretch; /* time per unit of the clock */
	double slice_ns, balance_ns;
	double tick_ns, first_tick; /* period of the ticks at which slices end, 0: none; clock of
				       the cores at one of them */
	double busy_ns, switch_ns, idle_ns; /* idle_ns: the time for which woken threads have a core
					       but do not run yet */
	uint64_t switches;
	struct cores_part parts[SIMULATED_PARTS];
	double *group_ns; /* [group * group_stride + b - 1]: CPU time of groups, see
			     simulate_groups(); NULL: not requested */
	size_t group_stride;
};

/*
 * Returns the length of slices: that of the machine or the usual one, and at least `shortest_ns`.
 */
double cores_slice_ns(const struct machine *machine, double shortest_ns);

/* `threads` and `machine` are borrowed until the release. Slices last at least `shortest_ns`. */
void cores_init(struct cores *cores, const struct machine *machine, struct sim_thread *threads,
		size_t thread_count, double shortest_ns);
void cores_release(struct cores *cores);

/* Returns a number for the order among equals: random, or `order` without a seed. */
uint32_t cores_tie(const struct cores *cores, uint32_t order);

/* Gives the thread a core, or puts it into a run queue. */
void cores_wake(struct cores *cores, uint32_t thread);

/*
 * Advances time until the CPU time of a thread's step ends, and returns the thread; or until
 * `limit_ns`, and returns PROGRAM_NONE. If no thread runs and there is no limit (INFINITY), time
 * stays.
 */
uint32_t cores_run(struct cores *cores, double limit_ns);

/* Lets the returned thread compute on for its left_ns. */
void cores_go_on(struct cores *cores, uint32_t thread);

/* Take the core from the returned thread; after cores_yield() it is at the end of a run queue. */
void cores_leave(struct cores *cores, uint32_t thread);
void cores_yield(struct cores *cores, uint32_t thread);

/* Returns the CPU time of all threads so far, without the costs of switches and wakeups. */
double cores_used_ns(const struct cores *cores);

#endif
