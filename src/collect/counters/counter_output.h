/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chosen counters as a recording has them: their events, and what threads counted. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_OUTPUT_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_OUTPUT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/counters/counter_choice.h"
#include "collect/kernel/perf_events.h"
#include "perfdata/perfdata_write.h"

struct record_place;
struct recording;

struct counter_output {
	struct perfdata_event *events;
	struct perf_event_attr *attrs;
	uint64_t *ids;
	size_t count;
};

/* The names are borrowed. */
void counter_output_init(struct counter_output *output, const struct counter_choice *choice);
void counter_output_release(struct counter_output *output);

/* `counts`, one for each counter, are those of the thread of `place`; its id does not matter. */
void counter_output_write(const struct counter_output *output, struct recording *recording,
			  const struct record_place *place, const struct perf_count *counts);

#endif
