/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the bottleneck of a program: the reason why more cores do not make it faster. It is the
 * work of one thread, a lack of threads, a lock that is always held, a quota, or waits for
 * something other than a thread.
 *
 * The limit is the wall time with a core for each thread. If most of it is work in each of several
 * threads, there are too few threads. Else the program is replayed with one cause eased at a time:
 * half of the work of a busy thread or of the one that computes alone, no waits at the lock that is
 * held longest or at a semaphore with longer waits, no pauses, work as fast as on one busy core, or
 * no quota. The bottleneck is the cause that saves most, at least a tenth of the limit. If it is a
 * thread that does most of its work while no other thread can compute, it is a serial part.
 */
#ifndef PSCAL_REPLAY_FORECAST_BOTTLENECK_H
#define PSCAL_REPLAY_FORECAST_BOTTLENECK_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"
#include "replay/simulate/bounds.h"

struct err;
struct forecast_points;
struct machine;

enum bottleneck_kind {
	BOTTLENECK_NONE,    /* no time is needed */
	BOTTLENECK_SERIAL,  /* one thread computes while no other can */
	BOTTLENECK_THREAD,  /* the work of one thread, beside other threads */
	BOTTLENECK_THREADS, /* several threads with the same work: more threads would help */
	BOTTLENECK_LOCK,    /* a lock or a semaphore that is always held */
	BOTTLENECK_SLOWED,  /* the slowdown of work while more cores are busy */
	BOTTLENECK_QUOTA,   /* a limit of CPU time */
	BOTTLENECK_PAUSES,  /* sleeps, devices, other processes, and unknown waits */
	BOTTLENECK_CHAIN,   /* threads that wait for each other, for none of these reasons */
	BOTTLENECK_UNKNOWN, /* unknown, as the program is too large to try every cause */
};

/* "thread", "threads", ... for JSON. */
extern const char *const bottleneck_kind_names[BOTTLENECK_UNKNOWN + 1];

struct bottleneck {
	enum bottleneck_kind kind;
	double limit_s;	 /* limit: the wall time with a core for each thread */
	double running;	 /* mean number of running threads then; NaN: unknown */
	uint32_t thread; /* SERIAL, THREAD, THREADS: the thread with the most work; else
			    PROGRAM_NONE */
	double work_s;	 /* CPU time of that thread */
	size_t alike;	 /* THREADS: number of threads with at least nine tenths of that work */
	uint32_t site;	 /* LOCK: the lock or the semaphore; else PROGRAM_NONE */
	double held_s;	 /* LOCK: total time for which it is held; NaN: unknown */
	double eased_s;	 /* limit without the bottleneck: with that thread's work divided between
			    two, without waits at that lock, with work as fast as on one core,
			    without quota, or without pauses; NaN: unknown */
	size_t untried;	 /* number of replays that would have been too large */

	/*
	 * The thread with at least half of the time in which one thread computes and no other can,
	 * and its part of that time; PROGRAM_NONE and NaN: none.
	 */
	uint32_t alone;
	double alone_s;
};

/*
 * The largest size (simulation_size) of all simulations that look for the bottleneck: some seconds.
 */
#define BOTTLENECK_SIZE_MOST 30000000

/*
 * Looks for the bottleneck of `program` on `machine`, which is that of forecast_points_init().
 * Times are scaled as those of `scaled`, which that call made. Returns 0, or -1 with an error.
 */
int bottleneck_find(struct bottleneck *bottleneck, const struct program *program,
		    const struct machine *machine, const struct forecast_points *scaled,
		    struct err *err);

#endif
