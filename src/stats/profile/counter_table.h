/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What events counted in each thread of a target. An event that had to share the PMU with others
 * was on it for a part of the time only: its value is scaled up by time enabled / time running, as
 * if it had counted at the same rate all the time.
 */
#ifndef PSCAL_STATS_PROFILE_COUNTER_TABLE_H
#define PSCAL_STATS_PROFILE_COUNTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/counts.h"
#include "stats/spin/spin_table.h"

struct counter_value {
	double value; /* scaled; NAN when the event never got on the PMU */
	double share; /* of the time that it was there; NAN when that is not known */
};

enum { COUNTER_SEVERAL = -1 };

struct counter_row {
	ptrdiff_t thread; /* its number in the target; COUNTER_SEVERAL: threads of process pid */
	int32_t pid;
	size_t counter; /* its number in `counters` */
	struct counter_value value;
};

struct counter_table {
	struct counter *counters; /* in the order of the recording */
	struct counter_value *totals;
	size_t counter_count;
	struct counter_row *rows; /* by thread and counter; those of several threads last */
	size_t row_count;
};

/* `threads` are in the order of their numbers; counts of others are passed over. */
void counter_table_init(struct counter_table *table, const struct counts *counts,
			const struct counted_thread *threads, size_t thread_count);
void counter_table_release(struct counter_table *table);

#endif
