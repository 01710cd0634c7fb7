/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work of a program, for the files that count it and rank it; see work.h.
 *
 * Samples are taken every ms or so, and a thread may lock and unlock a hundred times in that time. To
 * tell the work under a lock from other work, each sample has a context: the lock that the thread held,
 * and the operation that followed. The n samples of a thread in one context stand for n equal parts of
 * its CPU time in that context, in their order.
 */
#ifndef PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H
#define PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H

#include "base/map.h"
#include "replay/program/spin.h"
#include "replay/program/work.h"

/* Before the name of threads, where the name of a function could be. */
static const char work_of_threads[] = "thread:";

/* A place in the code; where call chains are known, one with its callers. */
struct work_place {
	size_t first; /* of work->called: its functions, the innermost one first ... */
	size_t count; /* ... and so many of them */
	uint64_t samples;
};

/* The samples at one operation under a lock may be too few to tell of it: then the lock alone counts. */
enum work_detail { WORK_OF_OPERATION, WORK_OF_LOCK, WORK_DETAILS };

struct work {
	const struct program *program;
	const struct chains *chains;
	struct spin_row *rows;	/* by thread and time */
	uint32_t *row_places;	/* [row] */
	uint32_t *row_contexts; /* [row][detail] */
	size_t row_count;
	struct map contexts; /* none: those of samples are not known, and all are alike */
	struct map place_numbers;
	struct work_place *places;
	size_t place_capacity;
	uint32_t *called; /* numbers of functions */
	size_t called_count, called_capacity;
	struct map function_numbers; /* by name */
	struct work_function *functions;
	size_t function_capacity;
	struct work_function *by_samples; /* the same in their order; NULL: not asked for yet */
};

/* All CPU time of the thread. */
uint64_t work_of_thread(const struct program_thread *thread);

/* Finds the contexts of the rows. */
void work_find_contexts(struct work *work);

/* --- The parts of the CPU time of a thread ---------------------------------------------------- */

/* Where a thread is in its steps. */
struct work_walk {
	uint32_t held[16]; /* locks, the last one taken last */
	size_t count;
};

/* The CPU time of a context, in equal parts. */
struct part_list {
	size_t *rows;
	size_t count;
	double run_ns, at_ns; /* all of it, and so far */
};

struct work_parts {
	const struct work *work;
	struct part_list *lists; /* [context] */
	struct part_list *rest;	 /* of contexts without samples */
	size_t *rows;
	size_t row_capacity, row, count; /* of the thread */
	struct work_walk walk;
};

void work_parts_init(struct work_parts *parts, const struct work *work);
void work_parts_release(struct work_parts *parts);

/* A thread has the rows from `row` on, `count` of them; its steps are taken next, each once. */
void work_parts_begin(struct work_parts *parts, const struct program_thread *thread, size_t row,
		      size_t count);

/* Calls `found` for each row that stands for CPU time of the step. There is at least one row. */
void work_parts_take(struct work_parts *parts, const struct step *step,
		     void (*found)(void *context, size_t row, double ns), void *context);

#endif
