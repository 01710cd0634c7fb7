/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The common part of collectors that record calls, beside the collector that watches the scheduler:
 * events on every CPU. The kernel leaves out threads whose ids show that they are not of the
 * target, and other strangers are left out here. Each kind of collector has its own events, and its
 * own use for a sample.
 */
#ifndef PSCAL_COLLECT_CALLS_CALL_TRACER_H
#define PSCAL_COLLECT_CALLS_CALL_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/perf_events.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/target/thread_filter.h"
#include "perfdata/perfdata_write.h"
#include "perfdata/sample.h"

struct call_cost;
struct err;
struct lineage;
struct recording;

enum { CALL_EVENTS_MAX = 24, CALL_EVENT_NAME_SIZE = 64 };

/*
 * The perf events by which calls are recorded: tracepoints of system calls, and probes on
 * functions. They are open on every CPU, have rings of their own, and write no more than the kernel
 * alone knows. Begins as zero, but for the first two members.
 */
struct call_events {
	uint64_t first_id; /* in the file, of the first of them */
	bool stacks;	   /* of callers; samples without one have an empty one then */

	struct perf_event table[CALL_EVENTS_MAX]; /* as the kernel is asked for them */
	struct perf_events open;
	struct sample_layout layout;			  /* of their records */
	struct perfdata_event described[CALL_EVENTS_MAX]; /* as the file has them */
	struct perf_event_attr attrs[CALL_EVENTS_MAX];
	uint64_t ids[CALL_EVENTS_MAX];
	char names[CALL_EVENTS_MAX][CALL_EVENT_NAME_SIZE];
	size_t count;
};

/* A sample of one of the events. */
struct call_sample {
	const struct sample *parts; /* its chain is empty where the event has no stack */
	int cpu;
	size_t event; /* its number in `events` */
};

/* The first member of each kind's own struct. Begins as zero, but for `put` and `events`. */
struct call_tracer {
	struct collector base;
	struct collector_kind kind;
	struct collector_options options;
	void (*put)(struct call_tracer *tracer, struct recording *recording,
		    const struct call_sample *sample);
	struct call_events events;
	struct thread_filter filter;
	struct thread_filter
		newborn; /* the threads that are born from now on, where that is known */
	bool filtered, stopped;
	uint64_t strangers; /* samples of threads beside the target, which go nowhere */
	uint64_t lost;
	uint64_t lost_id; /* in the file, of the event that records of losses are told of */
};

/*
 * Begins a tracer where calls can be recorded at all. Its kind has the functions of this one beside
 * its own: name, format, tell and free. Returns 0, or -1 with a sentence; release it in both cases.
 */
int call_tracer_begin(struct call_tracer *tracer, const struct collector_kind *own,
		      const struct collector_options *options, struct err *err);

/*
 * Adds an event, before they are opened: `event` of `group` in tracefs is `system`:`event` in the
 * file; with its stack where `stack` says so and there are any. Returns 0, or -1 with a sentence.
 */
int call_tracer_add(struct call_tracer *tracer, const char *group, const char *system,
		    const char *event, bool stack, struct err *err);

/* Opens the events on all CPUs, switched off. */
int call_tracer_open(struct call_tracer *tracer, struct err *err);
void call_tracer_release(struct call_tracer *tracer);

/* Records the sample as one of the event with this id and attr, with this payload. */
void call_tracer_record(struct recording *recording, const struct call_sample *sample, uint64_t id,
			const struct perf_event_attr *attr, const void *raw, size_t raw_size);

/*
 * The time that recording adds to the calls of these trials, which took `bare` before. Recorded
 * calls, of whatever thread, are forgotten. Returns 0, or -1 with a sentence.
 */
int call_tracer_measure(struct call_tracer *tracer, struct call_cost *added,
			const struct call_cost *bare, unsigned trials, struct err *err);

#endif
