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
#ifndef PSCAL_STATS_STRETCH_LOSS_H
#define PSCAL_STATS_STRETCH_LOSS_H

#include <stddef.h>

struct task_tree;

/* A time slice of schedulers; no runtime takes as long to hand over a task. */
enum { LOSS_LOOKING_NS = 5000000 };

/* Seconds of cores, but for wall_s; shares are of P T. */
struct loss {
	double cores;  /* P */
	double wall_s; /* T */
	double work_s; /* serial work and stretch, which only another run can tell apart */
	double overhead_s, delay_s, no_work_s;
	double preempted_s; /* of delay_s: as many workers waited for a CPU, in blocks or not */
	double crowded_s;   /* r + o beyond P, which is in none of these; 0 is expected */
};

/* Of tasks. `cores` 0: as many as there are workers at once at most. */
void loss_of_tasks(struct loss *loss, const struct task_tree *tree, unsigned cores);

/* The same in `count` parts of equal time, to the nanosecond. */
void loss_of_tasks_over_time(struct loss *losses, size_t count, const struct task_tree *tree,
			     unsigned cores);

#endif
