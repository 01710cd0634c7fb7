/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time of P cores goes in a run of wall time T [Huynh, Nakashima and Taura 2013]:
 *
 *	P T = work + overhead + delay + no-work,	work = serial work + stretch
 *
 * At each instant, from the first step of a task to the last,
 *
 *	r	workers run blocks on a CPU; also those of which it is not known whether they are
 *		on one
 *	q	pieces of tasks could run and are in no block: tasks that have been spawned and not
 *		begun; tasks between a spawn and going on, unless that child runs there meanwhile
 *		(who spawns a team of which he becomes one goes on behind the sync for it); tasks
 *		that wait in a sync or at a barrier for nothing any more
 *	w	blocks that their workers are in while these wait for a CPU (preempted)
 *	o	of those are being fetched: by each worker that is on a CPU and in no block, and
 *		runs next what could run by now, or had its last block less than 5 ms before the
 *		next. Where no scheduler is on record: by those between a spawn and going on
 *
 *	r + q + w <= P: overhead o, delay (q - o) + w, no-work what is left;
 *	else: overhead o, or P - r if that is less; delay P - r - o
 *
 * so that the sum holds at each instant, and exactly. A worker on a CPU between two blocks is
 * overhead where it could do something, and else has no work. In short, queues decide which piece
 * gets to whom, which may be one that is ready only since; who has looked in vain for long, while
 * something is ready that others run later, has no work, and that is delayed.
 * A worker that sleeps in a block, for a lock or a device, is none of these: there, too, a core is
 * without work, or with delayed work.
 *
 * The paper has no overhead, and has the whole of q as delay; and it counts what passes in a block
 * as work, preempted or not, as it does not ask the scheduler.
 */
#ifndef PSCAL_STATS_STRETCH_TIME_LOSS_H
#define PSCAL_STATS_STRETCH_TIME_LOSS_H

#include <stddef.h>
#include <stdint.h>

struct change;
struct task_tree;

/* A time slice of schedulers; no runtime takes as long to hand over a task. */
enum { TIME_LOSS_LOOKING_NS = 5000000 };

/* Seconds of cores, but for wall_s; shares are of P T. */
struct time_loss {
	double cores;  /* P */
	double wall_s; /* T */
	double work_s; /* serial work and stretch, which only another run can tell apart */
	double overhead_s, delay_s, no_work_s;
	double preempted_s; /* of delay_s: as many workers waited for a CPU, in blocks or not */
	double crowded_s;   /* r + o beyond P, which is in none of these; 0 is expected */
};

/* Of tasks. `cores` 0: as many as there are workers at once at most. */
void time_loss_of_tasks(struct time_loss *loss, const struct task_tree *tree, unsigned cores);

/* The same in `count` parts of equal time, to the nanosecond. */
void time_loss_of_tasks_over_time(struct time_loss *losses, size_t count,
				  const struct task_tree *tree, unsigned cores);

/* --- Of sampled threads -------------------------------------------------------------------- */

/*
 * Where the time of P cores goes in a run of threads that have been sampled: the same, but the work
 * of threads while they run is known as shares of that time.
 *
 * At each instant with r threads on CPUs, of which w work, o are in the runtime and s wait in loops
 * (each thread with its shares, w + o + s = r), and q runnable:
 *
 *	r' = w + o;	r' + q <= P: delay q, no-work P - r' - q;	else: delay P - r'
 *
 * so that the sum is P T at each instant. Where r > P the cores are taken to be shared by all r.
 */

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
	struct time_loss loss;
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
