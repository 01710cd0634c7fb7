/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cores of a simulation, who runs on them and who waits for one.
 *
 * There is one queue for all. Linux has one for each core and balances them, so that which threads
 * share a core for how long is luck; to share all evenly is nearer to the mean over that luck than
 * any one of its courses. Where threads that compute for longer than a slice meet again soon, the
 * luck is not even, and this queue ends too early: five threads of 8 ms on four cores take 11 ms
 * here, and 13 to 16 where two of them stay on one core.
 *
 * Nor does anybody who wakes preempt who runs, as up to Linux 6.5 who has slept for long enough on
 * a busy core does. There the slowest stage of a pipeline may lose its core to the others again and
 * again, where they are more threads than cores: such programs take up to 12 % longer than here.
 * With one queue for all to let who wakes preempt would err more, as it would also take the core of
 * a thread that shares it with nobody.
 *
 * As in Linux since 6.6 [EEVDF], who has had least of the cores goes first; who wakes counts as
 * having had the mean of those who run or want to, so that neither sleeping nor computing alone is
 * a claim on the future; and who runs is not disturbed before the end of its slice.
 *
 * The clock of the cores goes slower than time where many of them slow each other down, so that
 * when a thread's CPU time ends is known in it once and for all.
 */
#ifndef PSCAL_REPLAY_SIMULATION_CORES_H
#define PSCAL_REPLAY_SIMULATION_CORES_H

#include <gsl/gsl_rng.h>

#include "replay/agenda.h"
#include "replay/simulation.h"
#include "replay/simulation_task.h"

struct core {
	double speed;
	double from;	  /* its thread's CPU time began or goes on, in the clock of the cores */
	double slice_end; /* until when its thread is left alone */
	uint32_t task;
	uint32_t before, after; /* in the order in which slices began */
};

struct cores {
	struct task *tasks;
	const struct machine *machine;
	gsl_rng *random; /* NULL: ties are decided by order */
	struct core *items;
	uint32_t count, busy;
	uint64_t *free;		 /* bits */
	struct agenda ends;	 /* cores, by the end of the CPU time of their threads */
	struct agenda queue;	 /* tasks that wait, by runtime */
	uint32_t oldest, newest; /* slices */
	uint32_t queued;	 /* so many times */
	double now_ns;
	double clock;	/* of the cores */
	double stretch; /* time in which the clock goes on by 1 */
	double slice_ns;
	double runtimes;		    /* sum over all that run or wait, as in struct task */
	double mean;			    /* of them, when there last was one */
	double busy_ns, switch_ns, idle_ns; /* idle: given out, but not yet awake */
	uint64_t switches;
};

/* `tasks` and `machine` are borrowed until the release. No slice is below `shortest_ns`. */
void cores_init(struct cores *cores, const struct machine *machine, struct task *tasks,
		size_t task_count, double shortest_ns);
void cores_release(struct cores *cores);

/* A number for who goes first of equals; `order` where chance is not wanted. */
uint32_t cores_tie(const struct cores *cores, uint32_t order);

/* The task gets a core, or waits for one. */
void cores_wake(struct cores *cores, uint32_t task);

/*
 * Lets time pass until the CPU time of a task's step ends, which is returned, or until `limit_ns`:
 * then it returns PROGRAM_NONE. Without anything that runs and without a limit (INFINITY) no time
 * passes.
 */
uint32_t cores_run(struct cores *cores, double limit_ns);

/* What becomes of the task that was returned: it computes on for its left_ns, ... */
void cores_go_on(struct cores *cores, uint32_t task);

/* ... gives up its core, or lets others go first. */
void cores_leave(struct cores *cores, uint32_t task);
void cores_yield(struct cores *cores, uint32_t task);

#endif
