/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/call_tracer.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <string.h>

#define PROC "/proc"

static struct call_tracer *of(struct collector *collector)
{
	return (struct call_tracer *)collector;
}

/* --- The target ---------------------------------------------------------------------------- */

static int filter(struct call_tracer *tracer, struct err *err)
{
	if (tracer->filtered || thread_filter_passes_all(&tracer->filter))
		return 0;
	tracer->filtered = true;
	return call_events_filter(&tracer->events, &tracer->filter, err);
}

/* A command and what it begets have higher numbers, until these begin anew. */
int call_tracer_follow(struct collector *collector, pid_t child, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	if (!tracer->wide && id_watch_begin(&tracer->id_watch, child, PROC))
		tracer->filter.first = child;
	if (filter(tracer, err))
		return -1;
	return call_events_set(&tracer->events, true, err);
}

int call_tracer_start(struct collector *collector, struct err *err)
{
	return call_events_set(&of(collector)->events, true, err);
}

/* What these beget has higher numbers. A thread that execs goes on as its process. */
int call_tracer_adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	(void)err;
	if (tracer->wide || (!tracer->alone && !tracer->newborn))
		return 0;
	thread_filter_add(&tracer->filter, tid);
	if (tracer->alone)
		return 0;
	thread_filter_add(&tracer->filter, pid);
	tracer->filter.first = tracer->newborn;
	return 0;
}

int call_tracer_enable(struct collector *collector, bool on, struct err *err)
{
	return call_events_set(&of(collector)->events, on, err);
}

void call_tracer_stop(struct collector *collector)
{
	struct call_tracer *tracer = of(collector);
	struct err ignored;

	tracer->stopped = true;
	call_events_set(&tracer->events, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* -1: the fields are not there. The kernel never does that. */
static int parse(struct call_sample *sample, const struct perf_event_header *record, bool stacks)
{
	const uint8_t *at = (const uint8_t *)(record + 1);
	const uint8_t *end = (const uint8_t *)record + record->size;
	uint64_t depth = 0;

	if ((size_t)(end - at) < 16 + stacks * sizeof(depth))
		return -1;
	memcpy(&sample->pid, at, 4);
	memcpy(&sample->tid, at + 4, 4);
	memcpy(&sample->time_ns, at + 8, 8);
	at += 16;
	if (stacks) {
		memcpy(&depth, at, sizeof(depth));
		at += sizeof(depth);
	}
	if (depth > (size_t)(end - at) / sizeof(uint64_t))
		return -1;
	sample->stack = (struct record_stack){(const void *)at, (size_t)depth};
	at += depth * sizeof(uint64_t);
	if ((size_t)(end - at) < sizeof(sample->raw_size) + sizeof(uint16_t))
		return -1;
	memcpy(&sample->raw_size, at, sizeof(sample->raw_size));
	sample->raw = at + sizeof(sample->raw_size);
	return sample->raw_size <= (size_t)(end - sample->raw) ? 0 : -1;
}

static void put_sample(struct call_tracer *tracer, struct recording *recording, int cpu,
		       const struct perf_event_header *record)
{
	struct call_sample sample = {.cpu = cpu};
	uint16_t type;

	if (parse(&sample, record, tracer->events.stacks))
		return;
	if (!lineage_has_thread(tracer->lineage, (pid_t)sample.pid, (pid_t)sample.tid,
				sample.time_ns)) {
		tracer->strangers++;
		return;
	}
	memcpy(&type, sample.raw, sizeof(type));
	sample.event = call_events_find(&tracer->events, type);
	if (sample.event < CALL_EVENTS_MAX)
		tracer->put(tracer, recording, &sample);
}

void call_tracer_record(const struct call_tracer *tracer, struct recording *recording,
			const struct call_sample *sample)
{
	const struct call_events *events = &tracer->events;
	size_t i = sample->event;

	record_sample(recording,
		      &(struct record_place){.id = events->ids[i],
					     .time_ns = sample->time_ns,
					     .pid = (pid_t)sample->pid,
					     .tid = (pid_t)sample->tid,
					     .cpu = (uint32_t)sample->cpu},
		      events->attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN ? &sample->stack : NULL,
		      sample->raw, sample->raw_size);
}

/* PERF_RECORD_LOST: u64 id, lost; and then the trailer TID, TIME. */
static void put_lost(struct call_tracer *tracer, struct recording *recording, int cpu,
		     const struct perf_event_header *record)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
		uint32_t pid, tid;
		uint64_t time_ns;
	} lost;

	if (record->size < sizeof(lost))
		return;
	memcpy(&lost, record, sizeof(lost));
	tracer->lost += lost.lost;
	record_lost(recording,
		    &(struct record_place){
			    .id = tracer->lost_id, .time_ns = lost.time_ns, .cpu = (uint32_t)cpu},
		    lost.lost);
}

static void read_ring(struct call_tracer *tracer, struct recording *recording, size_t at)
{
	struct ring *ring = &tracer->events.open.rings[at];
	int cpu = tracer->events.open.cpus[at];
	const struct perf_event_header *record;

	if (ring->head == ring->tail)
		return;
	tracer->base.ring_bytes += ring->head - ring->tail;
	while ((record = ring_next(ring)))
		if (record->type == PERF_RECORD_SAMPLE)
			put_sample(tracer, recording, cpu, record);
		else if (record->type == PERF_RECORD_LOST)
			put_lost(tracer, recording, cpu, record);
	ring_consume(ring);
}

static void share_fds(struct call_tracer *tracer)
{
	tracer->base.fds = tracer->events.table[0].fds;
	tracer->base.fd_count = tracer->events.open.cpu_count;
}

static int add_cpus(struct call_tracer *tracer, struct err *err)
{
	struct cpu_list fresh;
	int rc = 0;

	cpu_watch_look(&tracer->cpus, monotonic_ns(), &fresh);
	for (size_t i = 0; !rc && i < fresh.count; i++)
		rc = call_events_add_cpu(&tracer->events, fresh.cpus[i], err);
	cpu_list_release(&fresh);
	share_fds(tracer);
	return rc;
}

/* When ids begin anew they tell nothing any more, and everybody passes. */
static int watch_ids(struct call_tracer *tracer, struct err *err)
{
	if (!tracer->filtered || tracer->filter.first <= 1)
		return 0;
	id_watch_look(&tracer->id_watch, PROC);
	tracer->base.wrapped = tracer->id_watch.wrapped;
	if (!tracer->base.wrapped)
		return 0;
	tracer->filter = (struct thread_filter){.first = 1};
	return call_events_filter(&tracer->events, &tracer->filter, err);
}

void call_tracer_mark(struct collector *collector)
{
	struct call_tracer *tracer = of(collector);

	for (size_t at = 0; at < tracer->events.open.cpu_count; at++)
		ring_read(&tracer->events.open.rings[at]);
}

int call_tracer_pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	/* All that is adopted has been adopted by now. */
	if (filter(tracer, err) || (!tracer->stopped && add_cpus(tracer, err)))
		return -1;
	if (watch_ids(tracer, err))
		return -1;
	for (size_t at = 0; at < tracer->events.open.cpu_count; at++)
		read_ring(tracer, recording, at);
	return 0;
}

/* As long as nobody is told of, all calls on the machine are recorded, and forgotten here. */
void call_tracer_forget(struct call_tracer *tracer)
{
	for (size_t at = 0; at < tracer->events.open.cpu_count; at++) {
		struct ring *ring = &tracer->events.open.rings[at];

		if (!ring_read(ring))
			continue;
		while (ring_next(ring))
			;
		ring_consume(ring);
	}
}

/* --- Opening and the end ------------------------------------------------------------------- */

int call_tracer_begin(struct call_tracer *tracer, const struct collector_options *options,
		      const char *option, struct err *err)
{
	tracer->wide = options->wide;
	tracer->alone = options->alone;
	tracer->lineage = options->lineage;
	tracer->events.root = options->tracefs;
	if (!options->tracefs)
		return err_set(err,
			       "%s needs tracefs, which is not there or not for this user to "
			       "read: run as root",
			       option);
	if (target_is_in_pid_namespace())
		return err_set(err,
			       "%s: thread ids in this container are not those in the kernel's "
			       "events: record outside of it, or in one started with --pid=host",
			       option);
	if (id_watch_begin(&tracer->id_watch, 0, PROC) &&
	    id_watch_begin(&tracer->id_watch, tracer->id_watch.last, PROC))
		tracer->newborn = tracer->id_watch.last + 1;
	return cpu_watch_begin(&tracer->cpus, CPU_WATCH_PATH, monotonic_ns(), err);
}

int call_tracer_open(struct call_tracer *tracer, struct err *err)
{
	int rc = call_events_open(&tracer->events, &tracer->cpus.online, err);

	tracer->base.events = tracer->events.described;
	tracer->base.event_count = tracer->events.count;
	tracer->lost_id = tracer->events.ids[0];
	share_fds(tracer);
	return rc;
}

void call_tracer_release(struct call_tracer *tracer)
{
	call_events_release(&tracer->events);
	cpu_watch_release(&tracer->cpus);
}
