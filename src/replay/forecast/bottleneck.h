/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the limit of a program on any number of cores: the work of one thread, of as many threads
 * as it has, a lock that is always held, or waits for something else than a thread.
 *
 * With a core for each thread it takes the limit. Where several threads have most of that as their
 * own work there are too few threads. Else the busiest threads are replayed with half of their
 * work, the lock that is taken for longest without a wait, pauses without their time, and all work
 * as fast as on one busy core: what saves most is the bottleneck, if that is a tenth of the limit.
 * Where it is a thread whose work is mostly done while no other thread can compute, it is a serial
 * part.
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
	BOTTLENECK_NONE,    /* nothing takes time */
	BOTTLENECK_SERIAL,  /* one thread computes while no other can */
	BOTTLENECK_THREAD,  /* the work of one thread, beside that of others */
	BOTTLENECK_THREADS, /* several threads have the same work, and there are no more of them */
	BOTTLENECK_LOCK,    /* one lock is always taken */
	BOTTLENECK_SLOWED,  /* work is slower while more cores are busy */
	BOTTLENECK_QUOTA,   /* CPU time, of which a quota gives no more */
	BOTTLENECK_PAUSES,  /* sleeps, devices, other processes, and what is not known */
	BOTTLENECK_CHAIN,   /* threads that wait for each other, for none of these reasons */
	BOTTLENECK_UNKNOWN, /* not all that it may be has been tried, as the program is too large */
};

/* "thread", "threads", ... for programs. */
extern const char *const bottleneck_kind_names[BOTTLENECK_UNKNOWN + 1];

struct bottleneck {
	enum bottleneck_kind kind;
	double limit_s;	 /* wall time with a core for each thread */
	double running;	 /* threads, on average, there; NaN: not known */
	uint32_t thread; /* SERIAL, THREAD, THREADS: with the most work, else PROGRAM_NONE */
	double work_s;	 /* of that thread */
	size_t alike;	 /* THREADS: so many have nine tenths of it or more */
	uint32_t site;	 /* LOCK: that lock, else PROGRAM_NONE */
	double held_s;	 /* LOCK: it is taken for so long in all; NaN: not known */
	double eased_s;	 /* the limit with that thread's work divided between two, with no wait at
			    that lock, with work as fast as on one core, without quota, or with no
			    pauses; NaN: not known, or there is none of these */
	size_t untried;	 /* so many of these replays would have been too large */

	/*
	 * The thread with half or more of the time in which one computes and no other can, and so
	 * much of that; PROGRAM_NONE and NaN: there is none.
	 */
	uint32_t alone;
	double alone_s;
};

/* Of all simulations (simulation_size) that are made to find what causes the limit: some seconds. */
#define BOTTLENECK_SIZE_MOST 30000000

/*
 * `machine` as for forecast_points_init(), and `scaled` what that made: the times are as much longer
 * or shorter as its own are. Returns 0, or -1 with a sentence.
 */
int bottleneck_find(struct bottleneck *bottleneck, const struct program *program,
		    const struct machine *machine, const struct forecast_points *scaled,
		    struct err *err);

#endif
