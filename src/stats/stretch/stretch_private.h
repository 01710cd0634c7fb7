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
 * The place of a thread where it was sampled: at work in a region of code, in the runtime, or
 * waiting in a loop. In the kernel that is what it was entered from, and in the C library what has
 * called it if that is a runtime.
 */
struct stretch_places {
	enum stretch_by by;
	const struct chains *chains;
	struct chain_names *names; /* by path only */
	struct symbol_finder symbols;
	struct source_lines lines;
	struct mapped_code code;
	struct stretch_region *blocks;
	size_t count, capacity;
	struct map numbers; /* of regions by their keys */
};

/* All are complete, and borrowed. */
void stretch_places_init(struct stretch_places *places, const struct samples *samples,
			 const struct chains *chains, enum stretch_by by);
void stretch_places_release(struct stretch_places *places);

/* That the region of `row` will be asked for; else each is slower to be found. */
void stretch_places_expect(struct stretch_places *places, const struct spin_row *row);

/* The number of a region, or one of the above. Samples with `row` alike have the same. */
uint32_t stretch_places_find(struct stretch_places *places, const struct spin_row *row);

/* That of samples in the kernel of which it is not known from where it was entered, if any. */
uint32_t stretch_places_kernel(const struct stretch_places *places);

void stretch_region_release(struct stretch_region *block);

/*
 * The key by which regions of two recordings are the same, to be freed: the names of the function
 * and of the file that it is in, without the version of a library, and by line the line. That of
 * the program itself, `program`, is the same as any other's.
 */
char *stretch_region_key(const struct stretch_region *block, enum stretch_by by,
			 const char *program);

/* Regions that are the same in one recording have the same number. */
uint32_t stretch_region_number(struct map *numbers, const struct stretch_region *block,
			       enum stretch_by by);

/* Those that `finder` has been asked for. */
void stretch_files_init(struct stretch_files *files, const struct symbol_finder *finder);
void stretch_files_release(struct stretch_files *files);

/*
 * Code that does not belong to the work of a program, but to running it in parallel, is known by
 * names, which are all in a table of stretch_places.c. It is the code of
 *
 *  - the runtimes of OpenMP and of tasks (libgomp, libomp, libiomp5, libtbb, libopencilk) and
 *    pscal's own libraries;
 *  - the functions of the C library, and those of C++, that make threads and let them wait for each
 *    other (pthread_*, sem_*, futexes, ...), with what the kernel does for these.
 *
 * Loops that wait are known by their instructions (spin_table.h). Where these are too long for
 * that, by the names that are in the table as well: libomp's __kmp_wait_*; by their reading the
 * time stamp counter (stretch_places.c); or by how long threads are in them (stretch_run.c), as in
 * sched_yield, which libomp calls after each task.
 */
enum code_part {
	CODE_OF_PROGRAM,
	CODE_OF_RUNTIME,
	CODE_OF_WAITING, /* in a runtime, which does nothing but wait there */
	CODE_OF_LIBRARY, /* that of C: it is what its caller is */
};

/* `path` is that of the file that it is in, `function` NULL where it is not known. */
enum code_part runtime_code_part(const char *path, const char *function);

/* --- Runs of waiting ----------------------------------------------------------------------- */

/*
 * Threads that look for work where there is none, by the order of their samples. A runtime that
 * hands over work and one that finds none do it in the same code; but the one lasts
 * microseconds between regions of work, and the other as long as there is no work.
 *
 * A run is n samples of a thread one after the other of which none is of work. It is waiting, all
 * of it, if it has
 *
 *	n >= 5 ms of CPU time, a time slice of schedulers, which no runtime takes to hand over work;
 *	p^n < 10^-6, that is, n samples in a row did not miss all work by chance.
 *
 * p is how often a sample of work is followed by one that is of none, (k + 1) / (w + 2) for k of w
 * (Laplace's rule of succession): of the 16 samples of work before the run or the 16 behind it,
 * where it is more. Were work so finely mixed with the runtime that samples of both come in any
 * order, it would be the share of the runtime. In a thread at work p is about 0.1, so that 7
 * samples will do; where half of it is the runtime it takes 20 to 30. As p is itself an estimate,
 * less than one sample in a thousand of such a mixture is taken to wait. A thread that
 * creates tasks, with a loop of its own around that, is not; one that did it for long without being
 * sampled in the loop would be.
 */

/*
 * Puts samples with the times of each in the order of threads and times, and makes STRETCH_OVERHEAD
 * in runs that wait STRETCH_WAITING. A sample of `tick_s[thread]` seconds. Those of region
 * `unknown` are in no run and end none.
 */
void waiting_runs_mark(struct stretch_sample *samples, size_t count, const double *tick_s,
		       uint32_t unknown);

/*
 * Threads that are runnable between two samples of waiting look for work, but for the CPU that they
 * do it on: they are not delayed. `samples` are in the order of above.
 */
void waiting_runs_leave(struct cpu_edges *edges, const struct stretch_sample *samples,
			size_t count);

/* --- Loss ---------------------------------------------------------------------------------- */

/* A time slice of schedulers; no runtime takes as long to hand over a task. */
enum { TIME_LOSS_LOOKING_NS = 5000000 };

/* Of tasks. `cores` 0: as many as there are workers at once at most. */
void time_loss_of_tasks(struct time_loss *loss, const struct task_tree *tree, unsigned cores);

/* The same in `count` parts of equal time, to the nanosecond. */
void time_loss_of_tasks_over_time(struct time_loss *losses, size_t count,
				  const struct task_tree *tree, unsigned cores);

/*
 * The use of the time of P cores in a run of sampled threads: the same, but the work
 * of threads while they run is known as shares of that time.
 *
 * At each instant with r threads on CPUs, of which w work, o are in the runtime and s wait in loops
 * (each thread with its shares, w + o + s = r), and q runnable:
 *
 *	r' = w + o;	r' + q <= P: delay q, no-work P - r' - q;	else: delay P - r'
 *
 * so that the sum is P T at each instant. Where r > P the cores are taken to be shared by all r.
 *
 * Of the time that a thread runs. The first three are all of it; `serial` is a part of `work`.
 */
struct cpu_shares {
	double work, overhead, waiting;
	double serial;
	double ran; /* it ran for this share of the time in which it is not known whether it did */
};

/*
 * In `count` parts of equal time. `shares` has for each part those of all threads, in the order of
 * their numbers.
 */
void sampled_loss(struct sampled_loss *parts, size_t count, const struct cpu_edges *edges,
		  const struct cpu_shares *shares, double cores);

/* Changes in the order of a timeline. */
void cpu_edges_add(struct cpu_edges *edges, const struct change *change);
/* All are there: puts them in order. The timeline begins at `begin_ns` and has so many threads. */
void cpu_edges_finish(struct cpu_edges *edges, uint64_t begin_ns, size_t thread_count);
void cpu_edges_release(struct cpu_edges *edges);

/* --- Tasks --------------------------------------------------------------------------------- */

/*
 * One run of a program that tells of its tasks: CPU seconds in their regions, which are known one
 * by one, and the loss.
 */

/* See stretch.h, whose functions call these for runs of tasks. */
int stretch_tasks_read(struct stretch_run *run, struct event_source *source,
		       const struct stretch_options *options, struct err *err);
void stretch_tasks_release(struct stretch_run *run);
void stretch_tasks_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
			const double *serial);

/* --- Ratios -------------------------------------------------------------------------------- */

/* A measure of something, in each of several runs. */
struct rate {
	const double *seconds; /* of each run */
	size_t runs;
	double samples; /* of all of them */
	/*
	 * Where the time was not sampled but measured, as a sum of so many: the variance of that
	 * sum as a share of its square.
	 */
	bool is_sum;
	double sum_variance;
};

/*
 * The mean of `above` over that of `below`, with the interval that holds the true ratio with
 * probability `level`.
 *
 * Of one run each: the numbers of samples are taken to be of Poisson, so that given their sum n the
 * one is binomial with p = ratio / (1 + ratio) if samples stand for the same time; p has the score
 * interval of Wilson [1927], which lies between 0 and 1, also for few samples. Samples that come at
 * equal times vary less, so that it is rather too wide; but how much runs vary is not in it.
 *
 * Else on the logarithms: Student's distribution. A side of several runs has the variance of its
 * mean by these, with as many degrees of freedom. A side of one run has the run-to-run variance of
 * the other side, or that of its own samples (1 / n, as if known; of a sum with n - 1 degrees)
 * where that is more. Degrees of freedom by Welch [1947] and Satterthwaite [1946].
 */
void rate_ratio_init(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		     double level);

#endif
