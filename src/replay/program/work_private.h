/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the files of work.h share.
 *
 * Samples are taken every ms or so, and a thread may lock and unlock a hundred times in that time.
 * To separate the work under a lock from other work, each sample has a context: the lock that the
 * thread held, and the operation that followed. The CPU time of a context belongs to the nearest of
 * its samples: long steps have samples of their own, and short ones those of steps like them.
 *
 * Uses of a mutex that recognise_add_uses() has added are at random times, without samples of their
 * own. They are like the recorded uses of that mutex: their CPU time is in its context, and the
 * samples of as much CPU time in the same functions are left out of the work without a lock.
 */
#ifndef PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H
#define PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H

#include "base/map.h"
#include "replay/program/spin.h"
#include "replay/program/work.h"

/* The prefix of a name of threads, where a function is expected otherwise. */
static const char work_of_threads[] = "thread:";

/* A place in the code: a function, or with call chains a function with its callers. */
struct work_place {
	size_t first;  /* first of its functions in work->called, innermost first */
	size_t count;  /* number of its functions */
	uint32_t kind; /* the same for places with the same functions */
	uint64_t samples;
};

/*
 * The detail of a context. If an operation under a lock has too few samples, the context is the
 * lock alone.
 */
enum work_detail { WORK_OF_OPERATION, WORK_OF_LOCK, WORK_DETAILS };

struct work {
	const struct program *program;
	const struct chains *chains;
	struct spin_row *rows;	/* ordered by thread and time */
	uint32_t *row_places;	/* [row] */
	uint32_t *row_contexts; /* [row][detail] */
	double *row_at_ns;	/* [row]: CPU time of its thread, where contexts are known */
	size_t row_count;
	struct map contexts; /* empty: unknown, all samples are alike */
	struct map place_numbers;
	struct map kinds; /* lists of functions of places */
	struct work_place *places;
	size_t place_capacity;
	uint32_t *called; /* numbers of functions */
	size_t called_count, called_capacity;
	struct map function_numbers; /* by name */
	struct work_function *functions;
	size_t function_capacity;
	struct work_function *by_samples; /* the functions by samples; NULL: not computed yet */
};

/* Returns the CPU time of the thread. */
uint64_t work_of_thread(const struct program_thread *thread);

/* Finds the contexts of the rows. */
void work_find_contexts(struct work *work);

/* See struct work_part, of these places. */
uint64_t work_hold_ns(const struct work *work, const bool *places);

/* --- The parts of the CPU time of a thread ---------------------------------------------------- */

/* The state of a thread between two steps. */
struct work_walk {
	uint32_t held[16]; /* locks held, the last one taken last */
	size_t count;
	const struct step *recorded; /* the next recorded operation; NULL: not looked for */
};

/* The CPU time of a context, in parts. */
struct part_list {
	size_t *rows;
	double *ends_ns; /* ends of their parts */
	size_t count, part;
	double run_ns, at_ns; /* total, and already taken */
	double added_ns;      /* CPU time of added uses; only of a lock */
};

/* Samples at places of a kind. */
struct kind_rows {
	size_t count; /* number of samples without a lock */
	double out;   /* number of them to leave out */
	double due;   /* number due by now, minus those left out */
};

struct work_parts {
	const struct work *work;
	struct part_list *lists; /* [context] */
	struct part_list *rest;	 /* list of contexts without samples */
	struct kind_rows *kinds; /* [kind] */
	bool *is_out;		 /* [row] */
	double *at_ns;		 /* [row]: CPU time in its context */
	size_t *rows;
	double *ends_ns;
	size_t row_capacity, end_capacity, row, count; /* rows of the thread */
	struct work_walk walk;
};

void work_parts_init(struct work_parts *parts, const struct work *work);
void work_parts_release(struct work_parts *parts);

/*
 * Begins a thread that has `count` rows from `row` on; work_parts_take() then takes each of its
 * steps once, in order.
 */
void work_parts_begin(struct work_parts *parts, const struct program_thread *thread, size_t row,
		      size_t count);

/* Calls `found` for each row that stands for a part of the step's CPU time, with that part. */
void work_parts_take(struct work_parts *parts, const struct step *step,
		     void (*found)(void *context, size_t row, double ns), void *context);

#endif
