/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that look for work where there is none, by the order of their samples. A runtime that
 * hands over work and one that looks for it in vain do it in the same code; but the one lasts
 * microseconds between blocks of work, and the other as long as there is no work.
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
 * less than one sample in a thousand of such a mixture is taken to wait. Who creates tasks, with a
 * loop of its own around that, is not; who did it for long without being sampled in the loop would
 * be.
 */
#ifndef PSCAL_STATS_STRETCH_WAITING_RUNS_H
#define PSCAL_STATS_STRETCH_WAITING_RUNS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_edges;
struct stretch_sample;

/*
 * Puts samples with the times of each in the order of threads and times, and makes STRETCH_OVERHEAD
 * in runs that wait STRETCH_WAITING. A sample of `tick_s[thread]` seconds. Those of block `unknown`
 * are in no run and end none.
 */
void waiting_runs_mark(struct stretch_sample *samples, size_t count, const double *tick_s,
		       uint32_t unknown);

/*
 * Threads that are runnable between two samples of waiting look for work, but for the CPU that they
 * do it on: they are not delayed. `samples` are in the order of above.
 */
void waiting_runs_leave(struct cpu_edges *edges, const struct stretch_sample *samples,
			size_t count);

#endif
