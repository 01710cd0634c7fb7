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
 * The samples show where a part is: n samples of a thread stand for n equal parts of its CPU time,
 * in their order (spin.h). So the place of the function in the work of a thread is known to about a
 * period of the sampling. If program->gaps show the CPU time of each sample, it stands for the CPU
 * time around that, in steps of the same kind: its lock is then also known if locks are taken
 * more often than samples.
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
 * `samples` were read with their times (timed), and with `chains` if they have call chains.
 * `spin_waits`: samples of busy-waiting are left out, after spin_to_waits(). All are borrowed until
 * work_free(); the steps of threads may change meanwhile.
 */
struct work *work_new(const struct program *program, const struct samples *samples,
		      const struct chains *chains, bool spin_waits);
void work_free(struct work *work);

/* A part of the CPU time of a program. All zero: empty. */
struct work_part {
	char *name;
	bool *threads;	  /* [thread]: all CPU time of these threads; NULL: `places` */
	bool *places;	  /* the CPU time at these places in the code */
	uint64_t samples; /* number of samples in it; of threads 0 */
	double share;	  /* share of the CPU time of the program, 0..1 */
	uint64_t hold_ns; /* mean hold time of the lock that most of the part runs under; 0: most
			     runs under none, or the cost of waits for it is known */
	bool coarse;	  /* threads wait, lock and wake more often than they are sampled, and it is
			     not known under which lock that was */
};

/*
 * Finds the part that `text` names. "compress": the CPU time in that function, and in its callees
 * if call chains are recorded. "compress < encode": the same if encode calls it. "thread:encoder":
 * all CPU time of the threads whose name in the kernel, name for people (thread_names.h) or start
 * function it is; "thread:encoder-*": a group of names. The caller always releases `part`. Returns
 * 0, or -1 with an error that names the functions or threads with most CPU time.
 */
int work_find(struct work_part *part, struct work *work, const char *text, struct err *err);
bool work_is_of_threads(const char *text); /* `text` begins with "thread:" */
void work_part_release(struct work_part *part);

struct work_change {
	struct work_part part;
	double share; /* remaining share of its CPU time, 0 or more */
};

/*
 * Changes the CPU time in the steps of `program`, which is that of work_new() or a copy of it. CPU
 * time in several parts is multiplied by the share of each. In threads without samples only parts
 * of threads change CPU time.
 */
void work_scale(struct program *program, const struct work *work, const struct work_change *changes,
		size_t count);

/* A function, and the number of samples in it and in the functions that it calls. */
struct work_function {
	const char *name;
	uint64_t samples;
};

/*
 * Returns the functions, those with most samples first; borrowed until work_free(). *of_samples:
 * the number of all samples.
 */
const struct work_function *work_functions(size_t *count, uint64_t *of_samples, struct work *work);

/* A function or a group of threads, with its work on a critical path. */
struct work_on_path {
	char *text;	/* as in work_find() */
	char *threads;	/* the group of threads that does nine tenths of it; NULL: several groups */
	double path_ns; /* CPU time, including callees */
};

/*
 * Ranks the functions with most work on the path of simulate_path(), at most `most`; returns their
 * number. Functions that only call another one are left out, and so are those with all the work of
 * their threads, like main. With `by_threads`, or if there are no functions, groups of threads are
 * ranked, unless one group has all the work.
 */
size_t work_rank(struct work_on_path *ranked, size_t most, const struct program *program,
		 const struct work *work, const double *path_ns, bool by_threads);
void work_on_path_release(struct work_on_path *ranked, size_t count);

#endif
