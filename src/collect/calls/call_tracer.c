/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/call_tracer.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/calls/call_cost.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define PROC "/proc"

static struct call_tracer *of(struct collector *collector)
{
	return (struct call_tracer *)collector;
}

/* --- Events, on and off --------------------------------------------------------------------- */

static int switch_events(const struct call_events *events, size_t first, struct err *err)
{
	unsigned long request = events->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < events->count; i++)
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, i, at, request, NULL))
				return err_set(err, "%s: cannot be switched on or off: %m",
					       events->table[i].name);
	return 0;
}

static int set_events(struct call_events *events, bool on, struct err *err)
{
	events->on = on;
	return switch_events(events, 0, err);
}

static int apply_filter(const struct call_events *events, size_t first, struct err *err)
{
	char text[THREAD_FILTER_TEXT_SIZE];

	if (thread_filter_passes_all(&events->filter))
		return 0;
	thread_filter_text(text, &events->filter, "common_pid", NULL);
	for (size_t i = 0; i < events->count; i++)
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, i, at, PERF_EVENT_IOC_SET_FILTER,
						  text))
				return err_set(err,
					       "%s: the kernel does not take the filter '%s': %m",
					       events->table[i].name, text);
	return 0;
}

static int filter_events(struct call_events *events, const struct thread_filter *wanted,
			 struct err *err)
{
	events->filter = *wanted;
	return apply_filter(events, 0, err);
}

/* With the state and the filter of the other CPUs. */
static int add_cpu(struct call_events *events, int cpu, struct err *err)
{
	size_t first = events->open.cpu_count;

	if (cpu_events_add(&events->open, cpu, err) || apply_filter(events, first, err))
		return -1;
	return switch_events(events, first, err);
}

/* --- The target ---------------------------------------------------------------------------- */

static int filter_once(struct call_tracer *tracer, struct err *err)
{
	if (tracer->filtered || thread_filter_passes_all(&tracer->filter))
		return 0;
	tracer->filtered = true;
	return filter_events(&tracer->events, &tracer->filter, err);
}

/* A command and what it begets have higher numbers, until these begin anew. */
int call_tracer_follow(struct collector *collector, pid_t child, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	if (!tracer->wide && id_watch_begin(&tracer->id_watch, child, PROC))
		tracer->filter.first = child;
	if (filter_once(tracer, err))
		return -1;
	return set_events(&tracer->events, true, err);
}

int call_tracer_start(struct collector *collector, struct err *err)
{
	return set_events(&of(collector)->events, true, err);
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
	return set_events(&of(collector)->events, on, err);
}

void call_tracer_stop(struct collector *collector)
{
	struct call_tracer *tracer = of(collector);
	struct err ignored;

	tracer->stopped = true;
	set_events(&tracer->events, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* -1: the fields are not there. The kernel never does that. */
static int parse_sample(struct call_sample *sample, const struct perf_event_header *record,
			bool stacks)
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

/* The number of the event with this type in the kernel; CALL_EVENTS_MAX: none. */
static size_t find_event(const struct call_events *events, uint16_t type)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->attrs[i].config == type)
			return i;
	return CALL_EVENTS_MAX;
}

static void put_sample(struct call_tracer *tracer, struct recording *recording, int cpu,
		       const struct perf_event_header *record)
{
	struct call_sample sample = {.cpu = cpu};
	uint16_t type;

	if (parse_sample(&sample, record, tracer->events.stacks))
		return;
	if (!lineage_has_thread(tracer->lineage, (pid_t)sample.pid, (pid_t)sample.tid,
				sample.time_ns)) {
		tracer->strangers++;
		return;
	}
	memcpy(&type, sample.raw, sizeof(type));
	sample.event = find_event(&tracer->events, type);
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
		rc = add_cpu(&tracer->events, fresh.cpus[i], err);
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
	return filter_events(&tracer->events, &tracer->filter, err);
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
	if (filter_once(tracer, err) || (!tracer->stopped && add_cpus(tracer, err)))
		return -1;
	if (watch_ids(tracer, err))
		return -1;
	for (size_t at = 0; at < tracer->events.open.cpu_count; at++)
		read_ring(tracer, recording, at);
	return 0;
}

/* --- Cost ----------------------------------------------------------------------------------- */

/* Before the target is known all calls on the machine are recorded, and forgotten here. */
static void forget_records(struct call_tracer *tracer)
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

int call_tracer_measure(struct call_tracer *tracer, struct call_cost *added,
			const struct call_cost *bare, unsigned trials, struct err *err)
{
	struct call_cost watched;

	if (set_events(&tracer->events, true, err))
		return -1;
	call_cost_measure(&watched, trials);
	if (set_events(&tracer->events, false, err))
		return -1;
	forget_records(tracer);
	call_cost_added(added, bare, &watched);
	return 0;
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

int call_tracer_add(struct call_tracer *tracer, const char *group, const char *system,
		    const char *event, bool stack, struct err *err)
{
	const uint64_t basic = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	struct call_events *events = &tracer->events;
	size_t at = events->count;
	struct perf_event_attr attr;
	char path[128];
	uint64_t type;

	assert(at < CALL_EVENTS_MAX);
	snprintf(path, sizeof(path), "%s/%s", group, event);
	snprintf(events->names[at], CALL_EVENT_NAME_SIZE, "%s:%s", system, event);
	if (tracefs_event_id(&type, events->root, path, err))
		return -1;
	attr = record_attr(PERF_TYPE_TRACEPOINT, type);
	attr.exclude_callchain_kernel = events->stacks;
	events->attrs[at] = attr;
	if (events->stacks && stack)
		events->attrs[at].sample_type |= RECORD_STACK_TYPE;
	attr.sample_type = basic | (events->stacks ? (uint64_t)PERF_SAMPLE_CALLCHAIN : 0);
	attr.exclude_callchain_user = events->stacks && !stack;
	events->ids[at] = events->first_id + at;
	events->described[at] =
		(struct perfdata_event){events->names[at], &events->attrs[at], &events->ids[at], 1};
	events->table[at] = (struct cpu_event){.name = events->names[at], .attr = attr};
	events->count++;
	return 0;
}

int call_tracer_open(struct call_tracer *tracer, struct err *err)
{
	int rc = cpu_events_open(&tracer->events.open, tracer->events.table, tracer->events.count,
				 &tracer->cpus.online, err);

	tracer->base.events = tracer->events.described;
	tracer->base.event_count = tracer->events.count;
	tracer->lost_id = tracer->events.ids[0];
	share_fds(tracer);
	return rc;
}

void call_tracer_release(struct call_tracer *tracer)
{
	cpu_events_release(&tracer->events.open);
	cpu_watch_release(&tracer->cpus);
}
