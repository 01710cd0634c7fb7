/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognises the objects of waits. In a replay on other cores, another thread may get a lock first
 * than in the trace, and another one may be the last at a barrier. So recorded waits and wakeups
 * become steps on objects (locks, tokens, barriers, ends of threads):
 *
 *  - exactly, if calls of the C library are recorded (STEP_CALL), also calls that did not wait. A
 *    condition is a queue if items are put and got under its mutex, and the work on an item that
 *    several threads get can be done by any of them; a condition that signals progress is a counter
 *    that other threads follow;
 *  - from the pattern of wakeups alone if it has only one explanation: barriers of three or more
 *    threads with a changing last one, and joins; barriers to which the same thread always comes
 *    last are presumed, and counted as such;
 *  - work that threads seem to have shared dynamically is made even, see below;
 *  - from the waits, if only the system calls at mutexes are recorded, see recognise_mutexes();
 *  - all other waits stay as recorded. So do queues of which only the system calls are recorded,
 *    whose sites only name the waits: if any wakeup at a word ended any wait there, threads would
 *    get stuck.
 *
 * The rewritten steps were possible in the recorded order. In another order, threads may meet at
 * objects and at recorded edges in a way in which neither can go on: if a simulation ends with
 * threads stuck, the program is better replayed as recorded. A forecast recognises only as much as
 * its simulations confirm.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_H

#include "replay/program/program.h"

enum recognise_extent {
	RECOGNISE_NOTHING, /* all waits stay as recorded */
	RECOGNISE_WAKES,   /* objects that the pattern of wakeups shows, without calls */
	RECOGNISE_ALL,
};

struct recognised {
	size_t locks, queues, barriers, joins; /* numbers of objects; of joins, the joining
						  threads */
	size_t mutexes;			       /* mutexes that became locks by their system calls */
	uint64_t waits;			       /* waits at recognised objects */
	uint64_t lock_costs_ns; /* CPU time of waits for locks, which is taken out of the steps */
	uint64_t left;		/* edges that stay as recorded */
	uint64_t presumed;	/* waits at barriers that are only presumed (recognise_wakes.c) */
	enum recognise_extent extent;
	bool locks_unused; /* calls at locks are recorded, but a replay without them repeats the run
			      better */
	double locks_s;	   /* of locks_unused: wall time of the replay with these calls; NaN: it
			      never ended */
};

/* Rewrites the steps of `program`, so that no STEP_CALL or STEP_RETURN is left. */
void recognise(struct program *program, struct recognised *recognised);

/* Rewrites the steps of `program` up to `extent`. */
void recognise_within(struct program *program, enum recognise_extent extent,
		      struct recognised *recognised);

/*
 * Takes the costs of recording calls (call_ns and system_call_ns) out of the CPU time behind each
 * call, as far as there is any before the next call, and sets these costs to 0: a program with
 * frequent calls may take half as long again while it is recorded. Call it before recognise(),
 * which removes the calls. Returns the CPU time taken out, in ns.
 */
uint64_t recognise_take_out_costs(struct program *program);

/*
 * Takes out the recorded waits for other threads that look like waits for a lock: of three or more
 * threads, any two wake each other. Waits at a condition stay, unless only its futex words show
 * that it is one, and a thread that waits there also wakes others there. `program` is one after
 * recognise(). Returns the number of waits taken out.
 */
uint64_t recognise_drop_lock_suspicions(struct program *program);

/*
 * Turns waits for mutexes of which only system calls are recorded into waits for locks. `program`
 * is one after recognise(). With `nested` a thread may wait for one mutex while it holds another,
 * which can leave threads stuck that were not. Returns the number of mutexes.
 *
 * `waits` of each site counts the waits for its mutex that began by chance: not those of a thread
 * that another one has just woken elsewhere and that waits for the mutex at once, as behind a
 * condition.
 */
size_t recognise_mutexes(struct program *program, bool nested);

/*
 * Adds uses[site] uses of each mutex without a wait, at random times, to threads that use that
 * mutex and hold no lock then. Their hold times are exponential with mean hold_ns. Uses that do not
 * fit between two steps are left out. `program` is one after recognise_mutexes().
 */
void recognise_add_uses(struct program *program, const double *uses);

/* --- Even work ----------------------------------------------------------------------------- */

/*
 * Threads that take pieces of work from a place where no thread ever waits leave no trace of that,
 * like the iterations of a loop that are given to threads dynamically: on other cores the pieces
 * may go to other threads. On fewer cores than threads, one thread may do all of them.
 *
 * Sharing shows in a section of a program: the work of a team of threads up to a barrier, or up to
 * their ends. No piece is left when the first thread comes to the end of a shared section: others
 * only end the pieces that they have begun. With as many cores as threads, pipelines end together,
 * too.
 *
 * The last sections of the threads of a process are the work after the last wait of each for
 * another thread. They have more than half of the work of each, sleep for about the same part of
 * their time, and end within a twentieth of the wall time. If sleeps divide the work of a thread
 * into eight pieces or more, they end within two pieces; on one core only these show anything.
 *
 * A section between barriers may be short, and threads seldom have equal shares of the cores in it.
 * If each has work of its own, at least one of two measures is left at the first arrival: the work
 * of all but the thread with most, as if one ran after the other, or the sum of what each has more
 * than the thread with least, as if they took turns. So a section tells of sharing if less than half
 * of the smaller one is left, and of work that is divided beforehand if more is. It tells nothing if
 * that measure is a tenth of the whole or less: parts are even, or one thread has done all; or if no
 * wait for the last arrival is recorded. The work left is at most that of all threads from the first
 * arrival to the last.
 *
 * The sections of a loop are 1 to 8 phases apart: the sum of their parts changes least there. One is
 * shared if most of up to 17 next to it in the loop are, and less than the smaller measure is left in
 * it. If it tells nothing, it is shared if in the one before or behind it another thread did most,
 * for about as long: a block that the same thread always runs is none.
 *
 * Gives each thread of a team of more than `few` the mean of the work, and of the sleeps, of a
 * shared section. Where more threads than cores worked between barriers, a thread has at least the
 * least part that one ever had in that loop. Returns whether there are any such sections.
 * recognise() does it for more threads than cores.
 */
bool even_work_make(struct program *program, unsigned few);

/* Undoes even_work_make(): each thread does its recorded work. */
void even_work_undo(struct program *program);

#endif
