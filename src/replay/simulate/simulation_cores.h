/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cores of a simulation, who runs on them and who waits for one.
 *
 * As in Linux each core has a queue. A thread that wakes goes to the fastest core that is free, of
 * equals to that where it was; else it waits where it was, or where it is woken if fewer are there.
 * A new one goes to where the fewest are. A core that would be free takes who waits at the longest
 * queue, so none is free while somebody waits. A busy core takes a thread from where more are only
 * now and then, from where there is one more at the second try, so that which threads share a core
 * and for how long is luck, and lasts. With a seed it is another luck for each: the mean over some
 * (replays.h) is nearer to that of Linux than any one of them.
 *
 * In a queue who has had least of the core goes first. Who wakes counts as having had a slice less
 * than the others at least, so that to have slept for long is no claim on the future. Where wakes
 * preempt (program_read.c) it goes on at once if it is behind who runs by two thirds of a slice;
 * else who runs is not disturbed before the end of its slice. In CFS, Linux up to 6.5, the two are
 * 3 and 1 ms on one core and 9 and 3 ms on four, with slices of 3 to 4 ms as these end at ticks; a
 * core looks for tasks of others every 16 ms times the cores. From 6.6 on who wakes is as far
 * behind as when it went to sleep, by no more than two slices or a tick.
 *
 * Against the mean of many runs of a machine of its own, which is a model of CFS
 * (tests/mock_machine), mean errors in % over programs 21 to 28 of `make forecast-simulated`, with
 * one queue from which all cores share evenly, and with these: fork-join .77, .49; pipelines with
 * calls .39, .29; sleep .41, .18; unequal .64, .60; tree .67, .50; farm .61, .37; locks .78, .49;
 * nested .69, .52; readers 2.40, 1.40. Pools of which no call is recorded have 5.5 and 8.0, as one
 * queue lets fixed work end together as if it moved; that is each simulation by itself. What is
 * recognised and presumed since (even_work.h, condition_queues.h) makes them 5.9, 42 at worst, and
 * those with calls .30 and 6.3. Real programs from one core to two and back (`make forecast-real`):
 * 5.8 and 5.8, 6.9 and 6.8; in a second set of recordings 7.3 and 7.2, 9.1 and 8.6. A truth which
 * never preempts, or looks for tasks four times more seldom, or has the head start of four cores,
 * is nearer, too. With a head start of two slices all classes are as far off or farther over
 * programs 41 to 56, sleep .27 and not .21; and threads that meet at barriers, so 16 of 6 ms on
 * four cores, take 2 % more time than if they shared the cores evenly, which the machine of the
 * tests does to 1.1 %.
 *
 * The clock of the cores goes slower than time where many of them slow each other down, so that
 * when a thread's CPU time ends is known in it once and for all.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_CORES_H

#include <gsl/gsl_rng.h>

#include "replay/simulate/agenda.h"
#include "replay/simulate/simulation.h"
#include "replay/simulate/simulation_task.h"

struct core {
	double speed;
	double from;	     /* its task's CPU time began or goes on, in the clock of the cores */
	double slice_end;    /* until when its task is left alone */
	uint32_t task, last; /* that it runs, PROGRAM_NONE: it is free; that it ran last */
	struct agenda queue; /* tasks that wait for it, by runtime */
	double least;	     /* of the runtimes there; it never goes back */
	bool tried;	     /* to take one from where there is one more */
	bool preempted;	     /* who runs is to go */
};

struct cores {
	struct task *tasks;
	const struct machine *machine;
	gsl_rng *random; /* NULL: ties are decided by order */
	struct core *items;
	uint32_t count, busy;
	uint32_t current;	/* of the task that cores_run() returned; PROGRAM_NONE: none */
	uint64_t *free;		/* bits */
	struct agenda ends;	/* cores, by when their task's CPU time or slice ends */
	struct agenda longest;	/* ... the one with most tasks first */
	struct agenda shortest; /* ... with the fewest */
	struct agenda balances; /* ... by when they look for tasks of others */
	size_t waiting;		/* tasks, in all queues */
	uint32_t queued;	/* so many times */
	double now_ns;
	double clock;	/* of the cores */
	double stretch; /* time in which the clock goes on by 1 */
	double slice_ns, balance_ns;
	double busy_ns, switch_ns, idle_ns; /* idle: given out, but not yet awake */
	uint64_t switches;
};

/* Of how long slices are: as is known of the machine, or usual; none is below `shortest_ns`. */
double cores_slice_ns(const struct machine *machine, double shortest_ns);

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
