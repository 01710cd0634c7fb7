/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of stretch.h. */
#ifndef PSCAL_STATS_STRETCH_STRETCH_PRIVATE_H
#define PSCAL_STATS_STRETCH_STRETCH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "code/source_lines.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"
#include "stats/stretch/stretch.h"

struct chain_names;
struct chains;
struct change;
struct err;
struct event_source;
struct samples;

/* --- Places -------------------------------------------------------------------------------- */

/*
 * The places of samples: work in a region of code, the runtime, or waiting in a loop. A sample in
 * the kernel has the place from which it was entered, and one in the C library that of a runtime
 * that called it.
 */
struct stretch_places {
	enum stretch_by by;
	const struct chains *chains;
	struct chain_names *names; /* only by path */
	struct symbol_finder symbols;
	struct source_lines lines;
	struct mapped_code code;
	struct stretch_region *blocks;
	size_t count, capacity;
	struct map numbers; /* the numbers of regions, by their keys */
};

/* All arguments are complete, and borrowed. */
void stretch_places_init(struct stretch_places *places, const struct samples *samples,
			 const struct chains *chains, enum stretch_by by);
void stretch_places_release(struct stretch_places *places);

/* Announces a search for the region of `row`, which makes it faster. */
void stretch_places_expect(struct stretch_places *places, const struct spin_row *row);

/* Returns the number of a region, or a value of the enum above; the same for equal samples. */
uint32_t stretch_places_find(struct stretch_places *places, const struct spin_row *row);

/* Returns the region of samples in the kernel with an unknown entry, if any. */
uint32_t stretch_places_kernel(const struct stretch_places *places);

void stretch_region_release(struct stretch_region *block);

/*
 * Returns the key by which regions of two recordings are equal: the names of the function and its
 * file, without the version of a library, and by line the line. The file `program` equals the
 * programs of other recordings. The caller frees the key.
 */
char *stretch_region_key(const struct stretch_region *block, enum stretch_by by,
			 const char *program);

/* Returns the number of a region; equal regions of one recording have the same number. */
uint32_t stretch_region_number(struct map *numbers, const struct stretch_region *block,
			       enum stretch_by by);

/* Takes the files that `finder` has searched. */
void stretch_files_init(struct stretch_files *files, const struct symbol_finder *finder);
void stretch_files_release(struct stretch_files *files);

/*
 * Code that runs a program in parallel, and does no work of it, is known by names, all of them in a
 * table of stretch_places.c. It is the code of
 *
 *  - the runtimes of OpenMP and of tasks (libgomp, libomp, libiomp5, libtbb, libopencilk) and
 *    pscal's own libraries;
 *  - the functions of the C and C++ libraries that make threads and let them wait for each other
 *    (pthread_*, sem_*, futexes, ...), with the kernel code that these call.
 *
 * Loops that wait are known by their instructions (spin_table.h). Longer ones are known by names in
 * the table, too: libomp's __kmp_wait_*; by reads of the time stamp counter (stretch_places.c); or
 * by the time that threads spend in them (stretch_run.c), as in sched_yield, which libomp calls
 * after each task.
 */
enum code_part {
	CODE_OF_PROGRAM,
	CODE_OF_RUNTIME,
	CODE_OF_WAITING, /* code of a runtime that only waits */
	CODE_OF_LIBRARY, /* the C library: it is like its caller */
};

/* `path` is that of the file; `function` NULL: not known. */
enum code_part runtime_code_part(const char *path, const char *function);

/* --- Runs of waiting ----------------------------------------------------------------------- */

/*
 * Finds threads that look for work but find none, by the order of their samples. A runtime uses the
 * same code to pass on work and to look for it; but the first takes microseconds between regions of
 * work, and the second lasts as long as there is no work.
 *
 * A run is n samples of a thread in a row without one of work. The whole run is waiting if it has
 *
 *	n >= 5 ms of CPU time, a time slice of schedulers, which no runtime takes to pass on work;
 *	p^n < 10^-6, that is, n samples in a row did not miss all work by chance.
 *
 * p is the probability that no work follows a sample of work, (k + 1) / (w + 2) for k of w
 * (Laplace's rule of succession), over the 16 samples of work before the run or the 16 behind it,
 * the larger one. If work and runtime are so finely mixed that their samples come in any order, p
 * is the share of the runtime. In a thread at work p is about 0.1, and 7 samples are enough; with a
 * share of one half it takes 20 to 30. As p is an estimate, up to one sample in a thousand of such
 * a mixture counts as waiting. A thread that creates tasks in a loop of its own is not waiting,
 * unless it does so for long without a sample in the loop.
 */

/*
 * Sorts samples, each with its time, by thread and time, and turns STRETCH_OVERHEAD in waiting runs
 * into STRETCH_WAITING. A sample stands for `tick_s[thread]` seconds. Samples of region `unknown`
 * are in no run and end none.
 */
void waiting_runs_mark(struct stretch_sample *samples, size_t count, const double *tick_s,
		       uint32_t unknown);

/*
 * Removes the run-queue waits of threads between two samples of waiting: they only look for work,
 * and are not delayed. `samples` are sorted as above.
 */
void waiting_runs_leave(struct cpu_edges *edges, const struct stretch_sample *samples,
			size_t count);

/* --- Loss ---------------------------------------------------------------------------------- */

/* A time slice of schedulers; no runtime takes as long to pass on a task. */
enum { TIME_LOSS_LOOKING_NS = 5000000 };

/* Computes the loss by tasks. `cores` 0: the largest number of workers at once. */
void time_loss_of_tasks(struct time_loss *loss, const struct task_tree *tree, unsigned cores);

/* Computes the same in `count` parts of equal time, to the nanosecond. */
void time_loss_of_tasks_over_time(struct time_loss *losses, size_t count,
				  const struct task_tree *tree, unsigned cores);

/*
 * The use of the time of P cores in a run of sampled threads: the same as above, but from shares of
 * work in the time that threads run.
 *
 * At each instant with r threads on CPUs, of which w work, o are in the runtime and s wait in loops
 * (each thread with its shares, w + o + s = r), and q runnable:
 *
 *	r' = w + o;	r' + q <= P: delay q, no-work P - r' - q;	else: delay P - r'
 *
 * so that the parts sum to P T at each instant. If r > P, all r threads share the cores.
 *
 * Shares of the time that a thread runs. The first three sum to 1; `serial` is a part of `work`.
 */
struct cpu_shares {
	double work, overhead, waiting;
	double serial;
	double ran; /* the share of time in unknown states in which it ran */
};

/*
 * Computes the loss in `count` parts of equal time. `shares` has, for each part, those of all
 * threads by their numbers.
 */
void sampled_loss(struct sampled_loss *parts, size_t count, const struct cpu_edges *edges,
		  const struct cpu_shares *shares, double cores);

/* Adds changes in the order of a timeline. */
void cpu_edges_add(struct cpu_edges *edges, const struct change *change);
/* Sorts the edges, when all are there. The timeline begins at `begin_ns`. */
void cpu_edges_finish(struct cpu_edges *edges, uint64_t begin_ns, size_t thread_count);
void cpu_edges_release(struct cpu_edges *edges);

/* --- Tasks --------------------------------------------------------------------------------- */

/* The functions of stretch.h for runs of tasks, whose regions are measured one by one. */
int stretch_tasks_read(struct stretch_run *run, struct event_source *source,
		       const struct stretch_options *options, struct err *err);
void stretch_tasks_release(struct stretch_run *run);
void stretch_tasks_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
			const double *serial);

/* --- Ratios -------------------------------------------------------------------------------- */

/* A time measured in each of several runs. */
struct rate {
	const double *seconds; /* [run] */
	size_t runs;
	double samples; /* the samples of all runs */
	/*
	 * For time that is not sampled but measured, the sum of `samples` values: the variance of
	 * the sum, relative to its square.
	 */
	bool is_sum;
	double sum_variance;
};

/*
 * Computes the mean of `above` over that of `below`, with the interval that contains the true ratio
 * with probability `level`.
 *
 * With one run each, the numbers of samples are assumed to have Poisson distributions: given their
 * sum n, one is binomial with p = ratio / (1 + ratio) if samples stand for the same time. p has the
 * score interval of Wilson [1927], which lies between 0 and 1, also for few samples. Samples at
 * equal distances vary less, so it is rather too wide; but it excludes run-to-run variation.
 *
 * With more runs, the logarithms have Student's distribution. A side of several runs has the
 * variance of their mean, with their degrees of freedom. A side of one run has the run-to-run
 * variance of the other side, or that of its own samples (1 / n, as if known; for a sum, with n - 1
 * degrees) if that is larger. Degrees of freedom by Welch [1947] and Satterthwaite [1946].
 */
void rate_ratio_init(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		     double level);

#endif
