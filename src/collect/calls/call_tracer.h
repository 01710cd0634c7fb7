/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What collectors have in common that record calls, beside whatever watches the scheduler: events
 * on every CPU. The kernel leaves out threads of which the ids tell that they are not the target,
 * and the rest is left out here. Each kind has its own
 * events, and its own use for a sample.
 */
#ifndef PSCAL_COLLECT_CALLS_CALL_TRACER_H
#define PSCAL_COLLECT_CALLS_CALL_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/calls/call_events.h"
#include "collect/kernel/cpu_watch.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/target/id_watch.h"
#include "collect/target/thread_filter.h"

struct err;
struct lineage;
struct recording;

/* A sample, as it was asked for. */
struct call_sample {
	uint32_t pid, tid;
	uint64_t time_ns;
	int cpu;
	struct record_stack stack; /* only where some events have one */
	const uint8_t *raw;	   /* the payload; borrowed */
	uint32_t raw_size;
	size_t event; /* its number in `events` */
};

/* The first member of each kind's own struct. */
struct call_tracer {
	struct collector base;
	void (*put)(struct call_tracer *tracer, struct recording *recording,
		    const struct call_sample *sample);
	struct call_events events;
	struct cpu_watch cpus;
	struct id_watch id_watch;
	struct thread_filter filter;
	pid_t newborn; /* who is born from now on has at least this id; 0: that is not known */
	bool wide, alone, filtered, stopped;
	struct lineage *lineage; /* borrowed */
	uint64_t strangers;	 /* samples of threads beside the target, which go nowhere */
	uint64_t lost;
	uint64_t lost_id; /* in the file, of the event that records of losses are told of */
};

/*
 * May calls be recorded here at all? `option` is what asks for it ("--sync"). Begins a tracer,
 * zero before, for `events`, of which the fields for the caller are filled in. Returns 0, or -1
 * with a sentence; release it in both cases.
 */
int call_tracer_begin(struct call_tracer *tracer, const struct collector_options *options,
		      const char *option, struct err *err);
int call_tracer_open(struct call_tracer *tracer, struct err *err);
void call_tracer_release(struct call_tracer *tracer);

/* How the file has it, with its own payload: what most kinds do with it. */
void call_tracer_record(const struct call_tracer *tracer, struct recording *recording,
			const struct call_sample *sample);

/* What was recorded so far, be it of whom it may, goes nowhere. */
void call_tracer_forget(struct call_tracer *tracer);

/* Those of struct collector_kind; none of them needs to be another. */
int call_tracer_follow(struct collector *collector, pid_t child, struct err *err);
int call_tracer_start(struct collector *collector, struct err *err);
int call_tracer_adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err);
int call_tracer_enable(struct collector *collector, bool on, struct err *err);
void call_tracer_mark(struct collector *collector);
int call_tracer_pass(struct collector *collector, struct recording *recording, struct err *err);
void call_tracer_stop(struct collector *collector);

#endif
