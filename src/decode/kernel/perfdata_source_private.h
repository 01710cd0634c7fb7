/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data file that is read: perfdata_source.c goes through the file, perfdata_events.c reads
 * the records of the kernel in it.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_PRIVATE_H
#define PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/kernel/perfdata_target.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_reader.h"
#include "perfdata/sample.h"

struct formats;
struct input;
struct order;

struct perfdata_source {
	struct event_source base;
	struct input *input;
	struct perfdata_file file;
	struct perfdata_reader *reader;
	struct perfdata_record first; /* of the kernel, met while opening */
	bool has_first;
	struct formats *formats;
	bool has_formats, has_names; /* have been read: the first ones count */
	struct order *order;
	struct perfdata_target target;
	bool ended;
	bool only_samples; /* nothing tells who has a CPU, and this is what is to be said: */
	struct err no_switches;

	/* Of the records of the kernel. */
	bool births; /* PERF_RECORD_FORK begins a thread: no tracepoint tells it */
	bool ends;   /* PERF_RECORD_EXIT ends one, for the same reason */
	enum {
		TIMELESS_TOO,  /* COMM and FORK records without a time count as others do, ... */
		TIMELESS_ONLY, /* ... are the only ones that do, */
		TIMELESS_NONE, /* ... or have been read before */
	} timeless;
	struct overwritten_ring *rings; /* by CPU, where any are written over */
	size_t ring_count, ring_capacity;
	struct record_owners owners;
	uint64_t lost, lost_sum; /* records, as told where that was and as added up at the end */
	bool lost_anywhere;	 /* more in the sum, and no CPU is known that lost them */
	uint64_t *last_ns;	 /* the last record of each CPU's buffer */
	size_t cpu_capacity;
};

/*
 * One record of the kernel: its events go to `order`, what it says of counts, samples and chains to
 * `base`. Those that say nothing here are passed over, damaged ones are counted.
 */
void perfdata_events_read(struct perfdata_source *source, const struct perfdata_record *record);

/*
 * Rings that the kernel writes over (perf record --overwrite) have forgotten their beginning, each
 * CPU's up to another time. When the last of those begins; 0 when none has forgotten anything.
 */
uint64_t perfdata_events_forgotten(const struct perfdata_source *source);

void perfdata_events_release(struct perfdata_source *source);

/* What is at that place is not used, and counted; an audit tells where it is. */
void perfdata_source_pass_over(struct perfdata_source *source, enum quality_fact fact,
			       uint64_t place);

#endif
