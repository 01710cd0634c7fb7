/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_measure.h"

#include "base/alloc.h"
#include "stats/rdam/rdam_dependence.h"
#include "stats/rdam/rdam_stacks.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

static const double NS = 1e9;

/* Returns the fastest one. */
static struct rdam_span measure_durations(struct rdam_row *row, double *durations_ns,
					  const struct rdam_scope *scope,
					  const struct occurrence *occurrences, size_t count)
{
	uint64_t sum_ns = 0, least_ns = UINT64_MAX, most_ns = 0, wall_ns = 0;
	size_t last = SIZE_MAX;
	struct rdam_span fastest = {0};
	struct rdam_place at = {0};

	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);
		uint64_t duration_ns = span.end_ns - span.begin_ns;
		const struct block_thread *thread = &scope->trace->threads[span.thread];

		if (span.thread != last)
			wall_ns += thread->end_ns - thread->begin_ns;
		last = span.thread;
		if (duration_ns < least_ns) {
			least_ns = duration_ns;
			fastest = span;
		}
		if (duration_ns > most_ns || !i) {
			most_ns = duration_ns;
			row->slowest.thread = span.thread;
			row->slowest.first = span.first;
			row->slowest.last = span.last;
		}
		sum_ns += duration_ns;
		durations_ns[i] = (double)duration_ns;
	}
	row->total_s = (double)scope->trace->every * (double)sum_ns / NS;
	row->lost_s = (double)scope->trace->every * (double)(sum_ns - count * least_ns) / NS;
	row->min_s = (double)least_ns / NS;
	row->wall_s = (double)wall_ns / NS;
	row->score = wall_ns ? row->lost_s / row->wall_s : 0;
	return fastest;
}

static void measure_causes(struct rdam_row *row, const struct rdam_scope *scope,
			   struct rdam_states *states, struct rdam_wakes *wakes,
			   const struct occurrence *occurrences, size_t count,
			   const struct rdam_span *fastest)
{
	struct rdam_times least, times;
	struct rdam_place at = {0};
	struct rdam_cursor cursor = {0};
	size_t last = SIZE_MAX;

	rdam_states_within(&least, states, fastest->thread, fastest->begin_ns, fastest->end_ns,
			   &cursor);
	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);

		if (span.thread != last)
			cursor = (struct rdam_cursor){0};
		last = span.thread;
		rdam_states_within(&times, states, span.thread, span.begin_ns, span.end_ns,
				   &cursor);
		rdam_split(row->causes_s, &times, &least, (double)scope->trace->every);
		if (!row->wakers_left_out &&
		    rdam_wakes_add(wakes, states, span.thread, span.begin_ns, span.end_ns, &cursor))
			row->wakers_left_out = true;
	}
	rdam_wakes_take(row, wakes);
}

/*
 * As gsl_stats_quantile_from_sorted_data: between two neighbours in order. What is selected leaves
 * what is larger behind it.
 */
static double quantile(double *data, size_t count, double share)
{
	double place = share * (double)(count - 1);
	size_t k = (size_t)place;
	double at = gsl_stats_select(data, 1, count, k);

	if (k + 1 == count)
		return at;
	return at + (place - (double)k) * (gsl_stats_min(data + k + 1, 1, count - k - 1) - at);
}

void rdam_measure(struct rdam_row *row, const struct rdam_scope *scope, struct rdam_states *states,
		  struct rdam_wakes *wakes, const struct occurrence *occurrences, size_t count)
{
	double *durations_ns = xreallocarray(NULL, count, sizeof(*durations_ns));
	struct rdam_span fastest;

	row->thread = scope->thread;
	row->occurrences = count;
	row->few = count < RDAM_FEW;
	fastest = measure_durations(row, durations_ns, scope, occurrences, count);
	measure_causes(row, scope, states, wakes, occurrences, count, &fastest);
	rdam_stacks_count(row, scope, occurrences, count);
	rdam_dependence_measure(row, scope, occurrences, durations_ns, count);
	row->median_s = quantile(durations_ns, count, 0.5) / NS;
	row->p99_s = quantile(durations_ns, count, 0.99) / NS;
	free(durations_ns);
}
