/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The feature section that pscal record adds to its perf.data files (PERFDATA_PSCAL in
 * perfdata/perfdata.h): the target, its first states, and how many events the kernel counted.
 */
#ifndef PSCAL_DECODE_KERNEL_TARGET_FEATURE_H
#define PSCAL_DECODE_KERNEL_TARGET_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event_source.h"
#include "decode/event/order.h"

struct err;

/* Hits of a tracepoint that the kernel counted. */
struct event_count {
	char name[64]; /* "sched:sched_waking" */
	uint64_t hits;
};

struct target_feature {
	struct event_count *counts;
	size_t count;
	bool wrapped;	    /* thread numbers began anew while only large ones were recorded */
	uint64_t paused_ns; /* recording was off for so long */
};

/*
 * Reads `text`, which is changed on the way. What is said of the target and the recording goes to
 * `target` (which the caller releases, also on failure), the state in which a thread was found is
 * pushed to `order` as an EVENT_STATE, and `order` learns of pauses. Returns 0, or -1 with a
 * sentence.
 */
int target_feature_init(struct target_feature *feature, struct target_info *target,
			struct order *order, char *text, struct err *err);
void target_feature_release(struct target_feature *feature);

#endif
