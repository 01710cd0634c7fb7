/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pscal record says of the target in a perf.data file: in a section at its end, or in notes
 * among its records, where it did not come to its end or has none.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_TARGET_H
#define PSCAL_DECODE_KERNEL_PERFDATA_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event_source.h"
#include "decode/kernel/order.h"
#include "perfdata/perfdata_reader.h"

struct err;
struct input;
struct perfdata_file;

/*
 * The feature section that pscal record adds to its perf.data files (PERFDATA_PSCAL in
 * perfdata/perfdata.h): the target, its first states, and how many events the kernel counted.
 */

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

struct perfdata_target {
	/* To be filled in; borrowed. */
	struct target_info *target; /* where it goes, */
	struct order *order;	    /* and the states in which threads were found */
	struct blocks *blocks;	    /* ... whose names are not those of their events; or NULL */

	bool described; /* something has been said */
	struct target_feature feature;
	bool has_section; /* so notes are old */
	char *text;	  /* notes, as far as they have been read */
	size_t text_length, text_capacity;
};

/* Both return 0, or -1 with a sentence that lacks the name of the input. */
int perfdata_target_section(struct perfdata_target *target, const struct perfdata_file *file,
			    const struct input *input, struct err *err);
int perfdata_target_note(struct perfdata_target *target, const struct perfdata_record *record,
			 struct err *err);
void perfdata_target_release(struct perfdata_target *target);

#endif
