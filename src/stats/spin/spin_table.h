/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of their time on CPUs threads spend in loops that wait, by samples of where they were.
 * Of n samples that are independent, a share p that is found has the standard error
 * sqrt(p (1 - p) / n); of one that is 0 no more is known than that it is less than 3 / n, at 95 %.
 */
#ifndef PSCAL_STATS_SPIN_SPIN_TABLE_H
#define PSCAL_STATS_SPIN_SPIN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"
#include "stats/spin/mapped_code.h"
#include "stats/spin/thread_finder.h"

/* A row of the samples that is of a thread of the target. */
struct spin_row {
	size_t thread;
	const struct sampled *row; /* borrowed */
	enum code_use use;
};

/*
 * All of them, in no order. `threads` are in the order of their numbers; samples of others are
 * passed over. The caller frees what it returns.
 */
struct spin_row *spin_rows(size_t *count, const struct samples *samples,
			   const struct counted_thread *threads, size_t thread_count);

struct spin_share {
	uint64_t samples; /* on a CPU, also in the kernel; below: of them */
	uint64_t waiting; /* in a wait loop, see mapped_code.h */
	uint64_t unknown; /* at code that cannot be read */
};

struct spin_table {
	struct spin_share *threads; /* in the order of the target's */
	struct spin_share all;
};

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count);
void spin_table_release(struct spin_table *table);

void spin_share_add(struct spin_share *share, const struct spin_row *row);

/* NAN where there are no samples. */
double spin_share_value(const struct spin_share *share);
double spin_share_error(const struct spin_share *share);
double spin_share_unknown(const struct spin_share *share);

#endif
