/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cores of a simulation, who runs on them and who waits for one.
 *
 * As in Linux each core has a queue. A thread that wakes goes to the fastest core that is free, to
 * that where it was if it can; else it waits where it was, or where it is woken if fewer do there.
 * A core that would be free takes who waits at the longest queue, so none is free while somebody
 * waits; but where one waits and nobody does elsewhere, that stays so.
 *
 * In a queue, as in EEVDF, who has had least of the core goes first; who wakes counts as having had
 * the mean of those who are there, so that neither sleeping nor computing alone is a claim on the
 * future; and who runs is not disturbed before the end of its slice.
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
	double from;	     /* its task's CPU time began or goes on, in the clock of the cores */
	double slice_end;    /* until when its task is left alone */
	uint32_t task, last; /* that it runs, PROGRAM_NONE: it is free; that it ran last */
	struct agenda queue; /* tasks that wait for it, by runtime */
	double runtimes;     /* sum over those and its own, as in struct task */
	double mean;	     /* of them, when there last were any */
};

struct cores {
	struct task *tasks;
	const struct machine *machine;
	gsl_rng *random; /* NULL: ties are decided by order */
	struct core *items;
	uint32_t count, busy;
	uint32_t current;   /* of the task that cores_run() returned; PROGRAM_NONE: it has left */
	uint64_t *free;	    /* bits */
	struct agenda ends; /* cores, by when their task's CPU time or slice ends */
	size_t waiting;	    /* tasks, in all queues */
	uint32_t queued;    /* so many times */
	double now_ns;
	double clock;	/* of the cores */
	double stretch; /* time in which the clock goes on by 1 */
	double slice_ns;
	double busy_ns, switch_ns, idle_ns; /* idle: given out, but not yet awake */
	uint64_t switches;
};

/* `tasks` and `machine` are borrowed until the release. */
void cores_init(struct cores *cores, const struct machine *machine, struct task *tasks,
		size_t task_count);
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
