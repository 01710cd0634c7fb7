/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognises the objects of waits, where a trace shows them: on other cores a lock goes to the
 * thread that waits then, not to the thread of the trace, and another thread is the last at a
 * barrier. So waits and wakes as recorded become steps on objects (locks, tokens, barriers, ends of
 * threads):
 *
 *  - exactly, where calls of the C library are recorded (STEP_CALL): then also those that did not
 *    wait. A condition under whose mutex something is put and got is a queue, and what is taken
 *    from a queue by several threads can be done by any of them; one that tells of progress is a
 *    counter that others follow;
 *  - from the pattern of wakes alone where that can be nothing else: barriers of three or more
 *    threads with a changing last one, and joins; barriers to which the same one always comes last
 *    are presumed, and counted as such;
 *  - work that threads seem to have shared as it came, see below, is the same for all;
 *  - as far as waits tell, where only the system calls at mutexes are recorded, see
 *    recognise_mutexes();
 *  - and stay as they are everywhere else. So do queues of which only the system calls are recorded:
 *    to let any wake at a word end any wait there leaves threads stuck. They only say where the
 *    waits are.
 *
 * What is rewritten was possible in the recorded order, but on objects threads may also meet in
 * another one, and where edges are left beside them those may not allow that: a simulation that
 * ends with threads stuck is one of a program that is better replayed as recorded. A forecast
 * recognises only as much as its simulations confirm.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_H

#include "replay/program/program.h"

enum recognise_extent {
	RECOGNISE_NOTHING, /* all waits stay as recorded */
	RECOGNISE_WAKES,   /* what the pattern of wakes tells, without the calls */
	RECOGNISE_ALL,
};

struct recognised {
	size_t locks, queues, barriers, joins; /* objects; of joins, threads that do */
	size_t mutexes;			       /* that are locks by their system calls */
	uint64_t waits;			       /* that are at one of them now */
	uint64_t left;			       /* edges that stay as recorded */
	uint64_t presumed;    /* ... of those at barriers that may be none; recognise_wakes.c */
	uint64_t unexplained; /* waits in calls that no matching call ended; they stay edges too */
	enum recognise_extent extent;
	bool locks_unused; /* calls at locks are recorded, and less of it repeats the run better: */
	double locks_s;	   /* the replay with them took so long; NaN: it never ended */
};

/* Rewrites the steps of `program`; no STEP_CALL or STEP_RETURN is left. */
void recognise(struct program *program, struct recognised *recognised);

/* The same, with no more than `extent`. */
void recognise_within(struct program *program, enum recognise_extent extent,
		      struct recognised *recognised);

/*
 * CPU time that the recording of calls added: a program with frequent calls may take half as long
 * again while it is recorded.
 *
 * Takes what the costs of `program` say out of the CPU time behind each call, as far as there is
 * any up to the next one. They are none of its costs any more then. To be done while it has its
 * calls, before recognise(). Returns how much that was, in ns.
 */
uint64_t recognise_take_out_costs(struct program *program);

/*
 * Takes out the recorded waits for other threads that look like those for a lock, by the pattern of
 * wakes: three threads or more of which each two wake each other. Not those at a condition, unless only
 * its words have shown that it is one, and a thread that waits there also wakes others there. Returns their
 * number. Of a program after recognise().
 */
uint64_t recognise_drop_lock_suspicions(struct program *program);

/*
 * Waits for mutexes of which only system calls are recorded become those for locks. Of a program
 * after recognise(). With `nested` a thread may wait for one while it has another, which can leave
 * threads stuck where that was not so. Returns how many mutexes there are.
 *
 * `waits` of the site of each counts its waits. A thread that another one has just woken elsewhere and
 * that waits for the mutex at once, as behind a condition, did not meet the holder by chance: such
 * waits are not counted.
 */
size_t recognise_mutexes(struct program *program, bool nested);

/*
 * Adds uses[site] uses of each mutex that no thread waited for, at random times at which a thread holds
 * no lock, to threads that use that mutex. They are held for exponential times of mean hold_ns. Those
 * that do not fit between two steps are left out. Of a program after recognise_mutexes().
 */
void recognise_add_uses(struct program *program, const double *uses);

/* --- Even work ----------------------------------------------------------------------------- */

/*
 * Work that may have moved: threads that take theirs from where none of them ever has to wait leave
 * no trace of that. It shows where two or more of a process do more than half of what they do after
 * their last wait for another thread, and end within a twentieth of the wall time, or within two
 * pieces where they sleep between eight or more, though some had more of the cores than others. All
 * sleep about the same part of their time.
 *
 * Where they are more than the cores it is presumed: threads with work of their own end together
 * only by chance, or where it is the same. With as many cores as threads pipelines end together too,
 * and with one core all that only compute do.
 *
 * Has such threads all do the mean after that wait, sleeps too, if they are more than `few`. Returns
 * whether there are.
 */
bool even_work_make(struct program *program, unsigned few);

/* The same, where it is presumed. */
bool even_work_presume(struct program *program);

/*
 * Undoes even_work_make() and even_work_presume(): each thread does its recorded work. Phases between
 * barriers stay even.
 */
void even_work_undo(struct program *program);

/*
 * Work between barriers may have moved, too: of a loop whose iterations threads take as they come, one
 * thread may do all where there are fewer cores than threads. The phases of a loop, from barrier to
 * barrier, are taken to be 1 to 8 phases apart. The threads of a barrier to which the same ones come 16
 * times or more are presumed to share a loop if in its phases, of nine or more,
 *  - the sum of all threads changes by less than half of what independent parts would make it change;
 *  - in three phases and one of 20 the busiest thread has more or less by a tenth of the sum, and the
 *    sum changes by less than a quarter of that: a block of code that one thread alone goes through,
 *    whichever comes first, takes a longer or shorter time only with the sum;
 *  - parts differ as much between neighbours as between phases twice as far apart (1.5 times as much at
 *    most): work does not move slowly from thread to thread, as over fixed parts of some data.
 *
 * Where a tenth of the sum has gone from thread to thread since the phase before, or to the next one,
 * each thread does the mean, or if that is more the least part that a thread has done. Returns the
 * number of these phases.
 */
uint64_t even_work_between_barriers(struct program *program);

#endif
