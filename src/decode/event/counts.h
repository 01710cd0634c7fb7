/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of events in each thread: the PERF_RECORD_READ of a recording, and what the events are
 * called. Counts are not scheduling events; they are complete at the end of the input.
 *
 * PERF_RECORD_READ: u32 pid, tid; then a value as attr.read_format says (linux/perf_event.h). A tid
 * of -1 holds what several threads of the process counted that could not be told apart.
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
	uint32_t type; /* as in perf_event_attr */
	uint64_t config;
	bool in_ns; /* it counts nanoseconds */
};

/* The count of one event in one thread; a thread may have several, as of several CPUs. */
struct count {
	size_t counter; /* its number in `counters` */
	int32_t pid, tid;
	uint64_t time_ns; /* when it was read */
	uint64_t value;	  /* while it was on the hardware */
	uint64_t enabled_ns, running_ns;
	bool has_times; /* they are known */
};

struct counts {
	struct counter *counters; /* also those that counted nothing */
	size_t counter_count, counter_capacity;
	struct count *rows;
	size_t row_count, row_capacity;
	size_t unnamed;		/* so many of the last counters go by numbers */
	struct counter_id *ids; /* sorted */
	size_t id_count, id_capacity;
};

void counts_release(struct counts *counts);

/*
 * Takes the names of events from a section PERFDATA_EVENT_DESC. Returns -1 when it is damaged; then
 * as many are known as could be read.
 */
int counts_name(struct counts *counts, const char *bytes, size_t length);

/*
 * Takes the body of a PERF_RECORD_READ, whose trailer is `sample`, of an event with this attr.
 * Returns -1 when it is cut short.
 */
int counts_add(struct counts *counts, const struct perf_event_attr *attr,
	       const struct sample *sample, const char *body, size_t length);

#endif
