/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time of P cores goes in a run of threads that have been sampled: loss.h, where what
 * threads do while they run is known as shares of that time.
 *
 * At each instant with r threads on CPUs, of which w work, o are in the runtime and s wait in loops
 * (each thread with its shares, w + o + s = r), and q runnable:
 *
 *	r' = w + o;	r' + q <= P: delay q, no-work P - r' - q;	else: delay P - r'
 *
 * so that the sum is P T at each instant. Where r > P the cores are taken to be shared by all r.
 */
#ifndef PSCAL_STATS_STRETCH_SAMPLED_LOSS_H
#define PSCAL_STATS_STRETCH_SAMPLED_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stretch/loss.h"

struct change;

/*
 * From then on a thread runs, is runnable, is one of these (STATE_ACTIVE), or it is not known
 * whether it does (STATE_UNKNOWN); or it does not (STATE_NONE).
 */
struct cpu_edge {
	uint64_t time_ns;
	uint32_t thread;
	uint32_t state; /* enum thread_state */
};

/* What the threads of a trace do with CPUs: 16 bytes a change. Begins as zero. */
struct cpu_edges {
	struct cpu_edge *items;
	size_t count, capacity;
	uint32_t *states; /* of each thread, as last told */
	size_t thread_count, thread_capacity;
	uint64_t running_ns;	   /* of all threads */
	uint64_t begin_ns, end_ns; /* of what counts: at first of all there is */
	uint64_t origin_ns;	   /* the timeline begins */
};

/* Changes in the order of a timeline. */
void cpu_edges_add(struct cpu_edges *edges, const struct change *change);
/* All are there: puts them in order. The timeline begins at `begin_ns` and has so many threads. */
void cpu_edges_finish(struct cpu_edges *edges, uint64_t begin_ns, size_t thread_count);
void cpu_edges_release(struct cpu_edges *edges);

/* Of the time that a thread runs. The first three are all of it; `serial` is a part of `work`. */
struct cpu_shares {
	double work, overhead, waiting;
	double serial;
	double ran; /* it ran for this share of the time in which it is not known whether it did */
};

struct sampled_loss {
	struct loss loss;
	double begin_s;		 /* since the timeline began */
	double serial_work_s;	 /* of the work */
	double several_s, any_s; /* wall time with several threads on CPUs, and with any */
};

/*
 * In `count` parts of equal time. `shares` has for each part those of all threads, in the order of
 * their numbers.
 */
void sampled_loss(struct sampled_loss *parts, size_t count, const struct cpu_edges *edges,
		  const struct cpu_shares *shares, double cores);

#endif
