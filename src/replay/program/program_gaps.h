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

/* A time in which a living thread did not run. */
enum gap_kind {
	GAP_READY, /* the thread waited for a CPU, or had not begun */
	GAP_EDGE,  /* the thread waited for another thread, and then maybe for a CPU */
	GAP_PAUSE, /* the thread waited for anything else */
};

struct program_gap {
	uint64_t run_ns;	   /* CPU time of the thread before the gap */
	uint64_t begin_ns, end_ns; /* since the beginning of the program */
	enum gap_kind kind;
	uint64_t ready_ns; /* part at the end of a wait in which the thread waited for a CPU */
};

/* The gaps of a thread, by time. */
struct program_gaps {
	struct program_gap *items;
	size_t count, capacity;
};

/*
 * Adds the next gap of a thread. A wait for a CPU directly behind another wait is merged into it.
 */
void program_add_gap(struct program *program, size_t thread, struct program_gap gap);

void program_gaps_release(struct program_gaps *gaps, size_t count);

/*
 * Adds a gap of length 0 at the time of each sample. It keeps the CPU time of the thread at the
 * sample, also after the costs of calls are taken out (recognise.h). If several threads had the
 * same number, the last one gets all samples.
 */
void program_gaps_add_samples(struct program *program, const struct samples *samples);

/*
 * The times of the steps of a thread, in their order:
 *
 *	struct step_times times = {.gaps = &program->gaps[thread]};
 *	for (uint32_t i = 0; i < own->count; i++)
 *		step_times_next(&times, own, i);
 *
 * A probe is at the beginning of a call, and the wait in the call comes somewhat later. So a step
 * that waits for threads ends with the last such wait before the next step, within
 * STEP_WAITS_WITHIN_NS of CPU time.
 */
enum { STEP_WAITS_WITHIN_NS = 50000 };

struct step_times {
	const struct program_gaps *gaps;
	uint64_t begin_ns, end_ns; /* of the step: before its wait, if any, and after it */
	uint64_t run_ns;	   /* CPU time of the thread up to the step, including the step */
	uint64_t ready_ns;	   /* part at the end of its wait in which the thread waited for
				      a CPU */
	/* Internal state: */
	size_t next;		     /* index of the next gap */
	uint64_t ran_ns, resumed_ns; /* CPU time at which the thread last resumed, and the time
					of that */
};
void step_times_next(struct step_times *times, const struct program_thread *thread, uint32_t step);

#endif
