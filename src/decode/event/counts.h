/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of events in each thread: the PERF_RECORD_READ of a recording, and the names of the
 * events. Counts are not scheduling events; they are complete at the end of the input.
 *
 * PERF_RECORD_READ: u32 pid, tid; then a value as attr.read_format says (linux/perf_event.h). A tid
 * of -1 holds the counts of several threads of the process that could not be told apart.
 */
#ifndef PSCAL_DECODE_EVENT_COUNTS_H
#define PSCAL_DECODE_EVENT_COUNTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;

struct counter {
	char *name;
	uint32_t type; /* the type of perf_event_attr */
	uint64_t config;
	bool in_ns; /* the counter counts nanoseconds */
};

/* The count of one event in one thread. A thread may have several, for example one for each CPU. */
struct count {
	size_t counter; /* the number of the event in `counters` */
	int32_t pid, tid;
	uint64_t time_ns; /* time of the reading */
	uint64_t value;	  /* while the counter was on the hardware */
	uint64_t enabled_ns, running_ns;
	bool has_times; /* enabled_ns and running_ns are known */
};

struct counts {
	struct counter *counters; /* counters, also those that no row mentions */
	size_t counter_count, counter_capacity;
	struct count *rows;
	size_t row_count, row_capacity;
	size_t unnamed; /* the number of counters at the end that have a number for a name */
	struct counter_id *ids; /* sorted by id */
	size_t id_count, id_capacity;
};

void counts_release(struct counts *counts);

/*
 * Reads the names of events from a section PERFDATA_EVENT_DESC. Returns -1 if the section is
 * damaged: the names before the damage are then known.
 */
int counts_name(struct counts *counts, const char *bytes, size_t length);

/*
 * Adds the body of a PERF_RECORD_READ, whose trailer is `sample`, of an event with this attr.
 * Returns -1 if the record is cut short.
 */
int counts_add(struct counts *counts, const struct perf_event_attr *attr,
	       const struct sample *sample, const char *body, size_t length);

#endif
