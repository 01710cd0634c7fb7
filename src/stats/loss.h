/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time of P cores goes in a run of wall time T [Huynh, Nakashima and Taura 2013]:
 *
 *	P T = work + overhead + delay + no-work,	work = serial work + stretch
 *
 * At each instant with r workers in blocks of tasks, o in the runtime on behalf of a task
 *(spawning, beginning, ending), and q tasks that are ready and run nowhere:
 *
 *	r + o + q <= P: delay q, no-work P - r - o - q;		else: delay P - r - o
 *
 * so that the sum holds at each instant. Seconds; shares are of P T.
 */
#ifndef PSCAL_STATS_LOSS_H
#define PSCAL_STATS_LOSS_H

#include <stddef.h>
#include <stdint.h>

struct task_tree;

struct loss {
	double cores;  /* P */
	double wall_s; /* T */
	double work_s; /* serial work and stretch, which only another run can tell apart */
	double overhead_s, delay_s, no_work_s;
	double crowded_s; /* more than P workers at once, which is in none of these; 0 is expected
			   */
};

/* Of tasks. `cores` 0: as many as there are workers at once at most. */
void loss_of_tasks(struct loss *loss, const struct task_tree *tree, unsigned cores);

/* The same in `count` parts of equal time. */
void loss_of_tasks_over_time(struct loss *losses, size_t count, const struct task_tree *tree,
			     unsigned cores);

#endif
