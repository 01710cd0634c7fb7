/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What threads of a run did while they ran, by their samples: how much of that was work, how much
 * in the runtime, and how much waiting.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_SHARES_H
#define PSCAL_STATS_STRETCH_STRETCH_SHARES_H

#include <stddef.h>

struct cpu_shares;
struct stretch_run;

/* Threads with fewer samples are taken together. */
enum { STRETCH_THREAD_SAMPLES_MIN = 10 };

/*
 * In `count` parts of equal time, as sampled_loss() wants them; `serial` as of stretch_run_loss().
 * The caller frees.
 */
struct cpu_shares *stretch_shares_new(size_t count, const struct stretch_run *run,
				      const double *serial);

#endif
