/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cores of a simulation, the threads that run on them and those that wait for one.
 *
 * As in Linux each core has a queue. A thread that wakes goes to the fastest core that is free, of
 * equals to that where it was; else it waits where it was, or where it is woken if fewer are there.
 * A new one goes to where the fewest are. A core that would be free takes a thread from the longest
 * queue, so none is free while a thread waits. A busy core takes a thread from where more are only
 * now and then, from where there is one more at the second try, so it is random which threads share a
 * core and for how long, and it lasts. Each seed gives another answer: the mean over some
 * (replays.h) is nearer to that of Linux than any one of them.
 *
 * In a queue the thread that has had least of the core goes first. One that wakes counts as having
 * had a slice less than the others at least, so that to have slept for long is no claim on the
 * future. Where wakes preempt (program_read.c) it goes on at once if it is behind the one that runs
 * by two thirds of a slice; else that is not disturbed before the end of its slice. In CFS, Linux
 * up to 6.5, the two are 3 and 1 ms on one core and 9 and 3 ms on four, with slices of 3 to 4 ms as
 * these end at ticks; a core looks for threads of others every 16 ms times the cores. From 6.6 on a
 * thread that wakes is as far behind as when it went to sleep, by no more than two slices or a
 * tick.
 *
 * Where machine.keeps_lag is set, one that wakes gains nothing by having slept, as from Linux 6.6 on
 * (EEVDF): it is as far behind the mean of the threads of its core as when it went to sleep, and where
 * it was before that mean, it stays so until that has caught up, as from 6.12 on. Which thread of one
 * program goes first hardly matters; of two programs it decides how much each gets.
 *
 * A quota is handed out as by CFS bandwidth control (kernel/sched/fair.c, Documentation/scheduler/
 * sched-bwc.rst): a pool gets the CPU time of a period at the beginning of each, and keeps none of the
 * one before. A core takes 5 ms at a time from it, and 5 more when these are used up. If the pool is empty
 * the core is throttled: its threads, also those that wake there, wait for the next period, and no
 * other core takes them. A core that becomes free keeps 1 ms and gives back the rest. Periods do not
 * begin with the program: each seed has them begin at another time. Not simulated: the use of CPU time
 * beyond the quota up to the next tick, which the next period pays for, and the timer that hands
 * out in the middle of a period what free cores gave back.
 *
 * The model is held to the mean of many runs of another one, of CFS (tests/mock/machine.h).
 *
 * The clock of the cores goes slower than time where many of them slow each other down, so that
 * when a thread's CPU time ends is known in it once and for all. Where groups of threads are slowed
 * down in different ways, all cores get another speed whenever one more or one fewer is busy.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/simulate/agenda.h"
#include "replay/simulate/simulation.h"

struct simulation_path;

/* A thread while its program is simulated. */
enum sim_state {
	SIM_NEW,     /* it has not begun */
	SIM_QUEUED,  /* waits for a core */
	SIM_RUNNING, /* has one */
	SIM_PAUSED,  /* waits for a time */
	SIM_WAITING, /* for others */
	SIM_ENDED,
};

struct sim_thread {
	const struct step *step, *end; /* that it is at; behind its last */
	const struct step *polled;     /* behind the polls that it is at; NULL: not known */
	double left_ns;		       /* CPU time, on a core of speed 1, before the operation */
	double runtime;	  /* what it has had of the cores; while it runs, less the clock of these */
	double behind;	  /* the mean of its core, when it began to wait */
	double since_ns;  /* it waits */
	double due_ns;	  /* the end that its last sleep has asked for */
	double alone_ns;  /* it computed, and no other thread could have */
	uint32_t core;	  /* it runs on, or has run on last */
	uint32_t next;	  /* in the same list of waiting threads */
	uint32_t joiners; /* the first of those that wait for its end */
	uint32_t shares;  /* locks that it holds with others */
	uint8_t state;	  /* enum sim_state */
	uint8_t part;	  /* of the simulated parts */
	bool shortened;	  /* its wait at this step was a pause, and is over */
	uint32_t owner;	  /* whose steps it takes: another thread's after it took from a pool */
};

struct core {
	double own_speed, speed; /* alone; for the thread that it runs, beside others that do */
	double from;	  /* its thread's CPU time began or goes on, in the clock of the cores */
	double slice_end; /* until when its thread is left alone */
	uint32_t thread, last; /* that it runs, PROGRAM_NONE: it is free; that it ran last */
	struct agenda queue;   /* threads that wait for it, by runtime */
	double least;	       /* of the runtimes there; it never goes back */
	double queued;	       /* sum of the runtimes of the threads that wait for it */
	double quota_ns; /* CPU time that it has taken from the quota, and not used before ... */
	double quota_from_ns; /* ... its thread got the core */
	bool throttled;	      /* it has used that up, and so is the quota */
	bool tried;	      /* to take one from where there is one more */
	bool preempted;	      /* the thread that runs is to go */
};

/* As struct simulated_part. */
struct cores_part {
	size_t running, waiting; /* threads, now */
	double end_ns, queue_ns, taken_ns;
};

struct cores {
	struct sim_thread *threads;
	const struct machine *machine;
	gsl_rng *random; /* NULL: ties are decided by order */
	struct core *items;
	uint32_t count, busy;
	uint32_t current; /* of the thread that cores_run() returned; PROGRAM_NONE: none */
	uint32_t acting;  /* that thread, also where it has left its core; PROGRAM_NONE: none */
	struct simulation_path *path; /* that is noted; NULL: none is */
	uint64_t *free;		      /* bits */
	struct agenda ends;	      /* cores, by when their thread's CPU time or slice ends */
	struct agenda longest;	      /* ... the one with most threads first */
	struct agenda shortest;	      /* ... with the fewest */
	struct agenda balances;	      /* ... by when they look for threads of others */
	struct agenda quotas; /* ... that run, by when what they took from the quota is used up */
	double quota_ns, period_ns,
		share_ns;	   /* the quota; 0: none; ... so much is taken at a time */
	double pool_ns, refill_ns; /* what is left of it in this period; the next one begins */
	uint32_t throttled;	   /* cores */
	double throttled_ns;	   /* ... at least one is */
	size_t waiting;		   /* threads, in all queues but those of throttled cores */
	size_t locked_out;	   /* threads that wait for a lock */
	uint32_t queued;	   /* so many times */
	double now_ns;
	double clock;	/* of the cores */
	double stretch; /* time in which the clock goes on by 1 */
	double slice_ns, balance_ns;
	double busy_ns, switch_ns, idle_ns; /* idle: given out, but not yet awake */
	uint64_t switches;
	struct cores_part parts[SIMULATED_PARTS];
	double *group_ns; /* CPU time of groups of threads, see simulate_groups(); NULL: not wanted */
	size_t group_stride;
};

/* Of how long slices are: as is known of the machine, or usual; none is below `shortest_ns`. */
double cores_slice_ns(const struct machine *machine, double shortest_ns);

/* `threads` and `machine` are borrowed until the release. No slice is below `shortest_ns`. */
void cores_init(struct cores *cores, const struct machine *machine, struct sim_thread *threads,
		size_t thread_count, double shortest_ns);
void cores_release(struct cores *cores);

/* A number for the order of equals; `order` where chance is not wanted. */
uint32_t cores_tie(const struct cores *cores, uint32_t order);

/* The thread gets a core, or waits for one. */
void cores_wake(struct cores *cores, uint32_t thread);

/*
 * Lets time pass until the CPU time of a thread's step ends, which is returned, or until `limit_ns`:
 * then it returns PROGRAM_NONE. Without anything that runs and without a limit (INFINITY) no time
 * passes.
 */
uint32_t cores_run(struct cores *cores, double limit_ns);

/* The fate of the thread that was returned: it computes on for its left_ns, ... */
void cores_go_on(struct cores *cores, uint32_t thread);

/* ... gives up its core, or lets others go first. */
void cores_leave(struct cores *cores, uint32_t thread);
void cores_yield(struct cores *cores, uint32_t thread);

/* The CPU time of all threads so far, without the costs of switches and wakes. */
double cores_used_ns(const struct cores *cores);

#endif
