/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The times at which the threads of a program did not run. Steps have only CPU time; with these
 * gaps they also have times, which a performance model needs for its requests
 * (program_read_with_gaps()).
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_GAPS_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_GAPS_H

#include <stddef.h>
#include <stdint.h>

struct program;
struct program_thread;
struct samples;

/* A time in which a thread did not run, though it lived. */
enum gap_kind {
	GAP_READY, /* it waited for a CPU, or was not born yet */
	GAP_EDGE,  /* it waited for another thread; and then maybe for a CPU */
	GAP_PAUSE, /* ... for anything else */
};

struct program_gap {
	uint64_t run_ns;	   /* its CPU time up to then */
	uint64_t begin_ns, end_ns; /* since the beginning of the program */
	enum gap_kind kind;
	uint64_t ready_ns; /* of a wait: the time at its end in which the thread waited for a CPU */
};

/* When a thread ran; CPU time is all that steps tell. In order. */
struct program_gaps {
	struct program_gap *items;
	size_t count, capacity;
};

/* The next one of a thread; a wait for a CPU right behind a wait goes into that. */
void program_add_gap(struct program *program, size_t thread, struct program_gap gap);

void program_gaps_release(struct program_gaps *gaps, size_t count);

/*
 * Adds a gap of no length at the time of each sample, which tells the CPU time of the thread there, also
 * when the costs of calls are taken out (recognise.h). Of threads that had one number the last has all.
 */
void program_gaps_add_samples(struct program *program, const struct samples *samples);

/*
 * When a thread took its steps, one after the other from the first:
 *
 *	struct step_times times = {.gaps = &program->gaps[thread]};
 *	for (uint32_t i = 0; i < own->count; i++)
 *		step_times_next(&times, own, i);
 *
 * A probe stands at the beginning of a call, and the wait in it comes somewhat later. So a step that
 * waits for threads ends with the last wait for one up to the next step, within that CPU time.
 */
enum { STEP_WAITS_WITHIN_NS = 50000 };

struct step_times {
	const struct program_gaps *gaps;
	uint64_t begin_ns, end_ns; /* of the step: before its wait, if it waits, and after it */
	uint64_t run_ns;	   /* CPU time of the thread up to the step, with its own */
	uint64_t ready_ns;	   /* at the end of its wait, the thread waited for a CPU so long */
	/* Its own: */
	size_t next;		     /* gap */
	uint64_t ran_ns, resumed_ns; /* after that CPU time it went on then */
};
void step_times_next(struct step_times *times, const struct program_thread *thread, uint32_t step);

#endif
