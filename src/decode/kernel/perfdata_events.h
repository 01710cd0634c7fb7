/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the records of the kernel in a perf.data file say of the scheduler. */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_EVENTS_H
#define PSCAL_DECODE_KERNEL_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/pauses.h"
#include "perfdata/perfdata_records.h"
#include "perfdata/record_owner.h"

struct chains;
struct counts;
struct formats;
struct order;
struct perfdata_file;
struct quality;
struct samples;

struct perfdata_events {
	/* To be filled in; all borrowed. */
	const struct perfdata_file *file; /* has an event */
	const struct formats *formats;
	struct order *order; /* where the events go */
	struct quality *quality;
	struct counts *counts;	  /* where what threads counted goes */
	struct samples *places;	  /* where the samples of clocks go; NULL: nowhere */
	struct chains *chains;	  /* where call chains go; NULL: nowhere */
	const bool *wants_faults; /* are page faults wanted as events? NULL: no */
	const bool *audited;	  /* is what is passed over wanted as an event? NULL: no */
	bool births;		  /* PERF_RECORD_FORK begins a thread: no tracepoint tells it */
	bool ends;		  /* PERF_RECORD_EXIT ends one, for the same reason */
	enum {
		TIMELESS_TOO,  /* COMM and FORK records without a time count as others do, ... */
		TIMELESS_ONLY, /* ... are the only ones that do, */
		TIMELESS_NONE, /* ... or have been read before */
	} timeless;

	struct overwritten overwritten; /* what rings of this kind held */
	struct record_owners owners;
	uint64_t *samples; /* received of each tracepoint, by its type */
	size_t sample_capacity;
	uint64_t lost, lost_sum; /* records, as told where that was and as added up at the end */
	bool lost_anywhere;	 /* more in the sum, and no CPU is known that lost them */
	uint64_t *last_ns;	 /* the last record of each CPU's buffer */
	size_t cpu_capacity;
};

/* One record. Those that say nothing here are passed over, damaged ones are counted. */
void perfdata_events_read(struct perfdata_events *events, const struct perfdata_record *record);

/* How many samples of a tracepoint there were; -1 is none. */
uint64_t perfdata_events_samples(const struct perfdata_events *events, int type);

void perfdata_events_release(struct perfdata_events *events);

#endif
