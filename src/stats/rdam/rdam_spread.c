/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_spread.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static const double NS = 1e9;

struct range {
	struct rdam_span fastest;
	uint64_t least_ns, most_ns;
};

static struct range range_of(const struct rdam_scope *scope, const struct occurrence *occurrences,
			     size_t count)
{
	struct range range = {.least_ns = UINT64_MAX};
	struct rdam_place at = {0};

	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);
		uint64_t duration_ns = span.end_ns - span.begin_ns;

		if (duration_ns < range.least_ns) {
			range.least_ns = duration_ns;
			range.fastest = span;
		}
		if (duration_ns > range.most_ns)
			range.most_ns = duration_ns;
	}
	return range;
}

/* Of what took no time there is no logarithm: it counts as a nanosecond. */
static double log_of(uint64_t ns)
{
	return log(ns ? (double)ns : 1);
}

static void make_classes(struct rdam *rdam, const struct range *range)
{
	double from = log_of(range->least_ns), to = log_of(range->most_ns);

	free(rdam->classes);
	rdam->class_count = to > from ? RDAM_CLASSES : 1;
	rdam->classes = xcalloc(rdam->class_count, sizeof(*rdam->classes));
	for (size_t i = 0; i < rdam->class_count; i++) {
		double width = (to - from) / (double)rdam->class_count;

		rdam->classes[i].from_s = exp(from + (double)i * width) / NS;
		rdam->classes[i].to_s = exp(from + (double)(i + 1) * width) / NS;
	}
}

static struct rdam_class *class_of(struct rdam *rdam, const struct range *range, uint64_t ns)
{
	double from = log_of(range->least_ns), to = log_of(range->most_ns);
	double place = to > from ? (log_of(ns) - from) / (to - from) : 0;
	size_t number = (size_t)(place * (double)rdam->class_count);

	return &rdam->classes[number < rdam->class_count ? number : rdam->class_count - 1];
}

void rdam_spread_measure(struct rdam *rdam, const struct rdam_scope *scope,
			 const struct rdam_states *states, const struct occurrence *occurrences,
			 size_t count)
{
	struct range range = range_of(scope, occurrences, count);
	struct rdam_times least, times;
	struct rdam_cursor cursor = {0};
	struct rdam_place at = {0};
	size_t last = SIZE_MAX;

	make_classes(rdam, &range);
	rdam_states_within(&least, states, range.fastest.thread, range.fastest.begin_ns,
			   range.fastest.end_ns, &cursor);
	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);
		struct rdam_class *class = class_of(rdam, &range, span.end_ns - span.begin_ns);

		if (span.thread != last)
			cursor = (struct rdam_cursor){0};
		last = span.thread;
		rdam_states_within(&times, states, span.thread, span.begin_ns, span.end_ns,
				   &cursor);
		rdam_split(class->causes_s, &times, &least, (double)scope->trace->every);
		class->count++;
	}
}
