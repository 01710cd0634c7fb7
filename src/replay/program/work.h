/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPU time of a program by function, and a program with scaled CPU time of a part: its replay
 * gives the wall time with a faster function. It is the virtual speedup of Curtsinger & Berger
 * (Coz, SOSP 2015), for a recording instead of a running program.
 *
 *	work = work_new(program, &source->samples, &source->chains, false);
 *	work_find(&change.part, work, "compress", err);
 *	change.share = .5;
 *	work_scale(program, work, &change, 1);
 *
 * The samples tell which part it is: n samples of a thread stand for n equal parts of its CPU time,
 * in their order (spin.h). So it is known to about a period of the sampling where in its work a
 * thread was in the function. Where program->gaps tell at which CPU time each sample was taken, it is
 * also known under which lock that was, if locks are taken more often than samples.
 */
#ifndef PSCAL_REPLAY_PROGRAM_WORK_H
#define PSCAL_REPLAY_PROGRAM_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"
#include "replay/program/program.h"

struct err;
struct work;

/*
 * `samples` have been read with their times (timed), and with `chains` where they have call chains.
 * `spin_waits`: those of busy-waiting are left out, after spin_to_waits().
 * All are borrowed until work_free; threads may be given other steps meanwhile.
 */
struct work *work_new(const struct program *program, const struct samples *samples,
		      const struct chains *chains, bool spin_waits);
void work_free(struct work *work);

/* A part of the CPU time of a program. It begins as zero. */
struct work_part {
	char *name;
	bool *threads;	  /* [thread]: all CPU time of these; NULL: ... */
	bool *places;	  /* ... that at these places in the code */
	uint64_t samples; /* so many are in it; of threads 0 */
	double share;	  /* of the CPU time of the program, 0..1 */
	bool coarse;	  /* threads wait, lock and wake more often than they are sampled, and it is
			     not known under which lock that was */
};

/*
 * "compress": the CPU time in that function, and in those that it calls where call chains are on
 * record. "compress < encode": the same, where encode calls it. "thread:encoder": all CPU time of
 * the threads that are called so, by the kernel or for people (thread_names.h), or that began with
 * that function; "thread:encoder-*" of a group of names. The caller releases in
 * any case. Returns 0, or -1 with a sentence that names the functions or threads with most CPU time.
 */
int work_find(struct work_part *part, struct work *work, const char *text, struct err *err);
bool work_is_of_threads(const char *text); /* it begins with "thread:" */
void work_part_release(struct work_part *part);

struct work_change {
	struct work_part part;
	double share; /* of its CPU time that is left, 0 or more */
};

/*
 * Changes the CPU time in the steps of `program`, which is the one of work_new or a copy of it. CPU
 * time in several parts is multiplied by the share of each. In threads without samples only parts
 * of threads change anything.
 */
void work_scale(struct program *program, const struct work *work, const struct work_change *changes,
		size_t count);

/* A function, and the number of samples in it and in the functions that it calls. */
struct work_function {
	const char *name;
	uint64_t samples;
};

/* Those with most samples first; borrowed until work_free. There are `of_samples` in all. */
const struct work_function *work_functions(size_t *count, uint64_t *of_samples, struct work *work);

/* A function, or a group of threads, with its work on a critical path. */
struct work_on_path {
	char *text;	/* as work_find() takes it */
	char *threads;	/* the group of threads that has nine tenths of it; NULL: several have */
	double path_ns; /* with the functions that it calls */
};

/*
 * Those with most work on the path of simulate_path(), at most so many, in order; returns how many.
 * Functions that hand over all they have to do to another one are left out, as are those that are all
 * the work of their threads, like main. Without functions, or `by_threads`,
 * groups of threads are ranked, unless one has all the work.
 */
size_t work_rank(struct work_on_path *ranked, size_t most, const struct program *program,
		 const struct work *work, const double *path_ns, bool by_threads);
void work_on_path_release(struct work_on_path *ranked, size_t count);

#endif
