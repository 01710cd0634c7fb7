/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/err.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PROC "/proc"

static struct call_tracer *of(struct collector *collector)
{
	return (struct call_tracer *)collector;
}

/* --- The target ---------------------------------------------------------------------------- */

static int set_events(struct call_events *events, bool on, struct err *err)
{
	for (size_t i = 0; i < events->count; i++)
		if (perf_events_set(&events->open, i, on, err))
			return -1;
	return 0;
}

static int filter_events(struct call_tracer *tracer, struct err *err)
{
	size_t count = tracer->events.count - tracer->links.is_open;
	char text[THREAD_FILTER_TEXT_SIZE];

	if (tracer->links.is_open && call_links_filter(&tracer->links, &tracer->filter, err))
		return -1;
	thread_filter_text(text, &tracer->filter, "common_pid", NULL);
	for (size_t i = 0; i < count; i++)
		if (!tracer->events.by_anyone[i] &&
		    perf_events_filter(&tracer->events.open, i, text, err))
			return -1;
	return 0;
}

static int filter_once(struct call_tracer *tracer, struct err *err)
{
	if (tracer->filtered || thread_filter_passes_all(&tracer->filter))
		return 0;
	tracer->filtered = true;
	return filter_events(tracer, err);
}

/* Follows a command. It and its descendants have higher ids, until these wrap around. */
static int tracer_follow(struct collector *collector, pid_t child, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	if (!tracer->options.lineage->wide)
		thread_filter_follow(&tracer->filter, child, PROC);
	if (filter_once(tracer, err))
		return -1;
	return set_events(&tracer->events, true, err);
}

static int tracer_start(struct collector *collector, struct err *err)
{
	return set_events(&of(collector)->events, true, err);
}

/* Adopts a thread. Threads that it creates have higher ids; an exec gives it its process's id. */
static int tracer_adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct call_tracer *tracer = of(collector);

	const struct lineage *lineage = tracer->options.lineage;

	(void)err;
	if (lineage->wide || (!lineage->alone && !tracer->newborn.first))
		return 0;
	thread_filter_add(&tracer->filter, tid);
	if (lineage->alone)
		return 0;
	thread_filter_add(&tracer->filter, pid);
	tracer->filter.first = tracer->newborn.first;
	tracer->filter.newest = tracer->newborn.newest;
	return 0;
}

static int tracer_enable(struct collector *collector, bool on, struct err *err)
{
	return set_events(&of(collector)->events, on && !of(collector)->spared, err);
}

static void tracer_see_calls(struct collector *collector, bool on)
{
	struct err ignored;

	of(collector)->spared = !on;
	set_events(&of(collector)->events, on, &ignored);
}

static void tracer_stop(struct collector *collector)
{
	struct call_tracer *tracer = of(collector);
	struct err ignored;

	tracer->stopped = true;
	set_events(&tracer->events, false, &ignored);
	if (tracer->links.is_open)
		call_links_detach(&tracer->links);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Returns the index of the event with this type in the kernel; CALL_EVENTS_MAX: none. */
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
	struct sample parts;
	struct call_sample sample = {.parts = &parts, .cpu = cpu};
	uint16_t type;

	if (record_parse(&parts, record, &tracer->events.layout) || parts.raw_length < sizeof(type))
		return;
	memcpy(&type, parts.raw, sizeof(type));
	sample.event = find_event(&tracer->events, type);
	if (sample.event == CALL_EVENTS_MAX)
		return;
	if (!tracer->events.by_anyone[sample.event] &&
	    !lineage_has_thread(tracer->options.lineage, parts.pid, parts.tid, parts.time_ns)) {
		tracer->strangers++;
		return;
	}
	tracer->put(tracer, recording, &sample);
}

void call_tracer_record(struct recording *recording, const struct call_sample *sample, uint64_t id,
			const struct perf_event_attr *attr, const void *raw, size_t raw_size)
{
	const struct record_stack stack = {sample->parts->chain, sample->parts->chain_length,
					   &sample->caller, 1};

	record_sample(recording,
		      &(struct record_place){.id = id,
					     .time_ns = sample->parts->time_ns,
					     .pid = sample->parts->pid,
					     .tid = sample->parts->tid,
					     .cpu = (uint32_t)sample->cpu},
		      attr->sample_type & PERF_SAMPLE_CALLCHAIN ? &stack : NULL, raw, raw_size);
}

static void put_lost(struct call_tracer *tracer, struct recording *recording, int cpu,
		     const struct perf_event_header *record)
{
	struct sample parts;
	const struct lost_body *body = record_body(&parts, record, &tracer->events.layout);

	if (!body)
		return;
	tracer->lost += body->lost;
	record_lost(recording,
		    &(struct record_place){
			    .id = tracer->lost_id, .time_ns = parts.time_ns, .cpu = (uint32_t)cpu},
		    body->lost);
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

/* Lets all threads pass after ids have wrapped around and mean nothing any more. */
static int watch_ids(struct call_tracer *tracer, struct err *err)
{
	if (!tracer->filtered || tracer->filter.first <= 1)
		return 0;
	tracer->base.wrapped |= thread_filter_has_wrapped(&tracer->filter, PROC);
	if (!tracer->base.wrapped)
		return 0;
	tracer->filter = (struct thread_filter){.first = 1};
	return filter_events(tracer, err);
}

static void tracer_mark(struct collector *collector)
{
	perf_events_mark(&of(collector)->events.open);
}

/* Directs the records of links, on CPUs from number `first` on. */
static int lead_links(void *context, size_t first, struct err *err)
{
	const struct call_tracer *tracer = context;
	const struct perf_events *open = &tracer->events.open;

	for (size_t at = first; tracer->links.is_open && at < open->cpu_count; at++)
		if (call_links_output(&tracer->links, open->cpus[at],
				      perf_events_fd(open, open->event_count - 1, at), err))
			return -1;
	return 0;
}

static int tracer_pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct call_tracer *tracer = of(collector);
	struct perf_events *open = &tracer->events.open;

	/* All threads have been adopted by now. */
	if (filter_once(tracer, err) ||
	    (!tracer->stopped && perf_events_look(open, lead_links, tracer, err)) ||
	    watch_ids(tracer, err))
		return -1;
	for (size_t at = 0; at < open->cpu_count; at++)
		read_ring(tracer, recording, at);
	return 0;
}

/* --- Cost ----------------------------------------------------------------------------------- */

/* Drops the records so far: before the target is known, all calls on the machine are recorded. */
static void forget_records(struct call_tracer *tracer)
{
	perf_events_mark(&tracer->events.open);
	for (size_t at = 0; at < tracer->events.open.cpu_count; at++)
		ring_consume(&tracer->events.open.rings[at]);
}

static int measure_cost(struct call_tracer *tracer, struct err *err)
{
	struct call_cost watched;

	if (set_events(&tracer->events, true, err))
		return -1;
	call_cost_measure(&watched, tracer->trials);
	if (set_events(&tracer->events, false, err))
		return -1;
	forget_records(tracer);
	call_cost_added(&tracer->cost, &tracer->bare, &watched);
	return 0;
}

/* --- Opening and the end ------------------------------------------------------------------- */

int call_tracer_begin(struct call_tracer *tracer, const struct collector_kind *own,
		      const struct collector_options *options, struct err *err)
{
	tracer->kind = (struct collector_kind){
		.name = own->name,
		.follow = tracer_follow,
		.start = tracer_start,
		.adopt = tracer_adopt,
		.enable = tracer_enable,
		.mark = tracer_mark,
		.pass = tracer_pass,
		.see_calls = tracer_see_calls,
		.stop = tracer_stop,
		.format = own->format,
		.tell = own->tell,
		.free = own->free,
	};
	tracer->base.kind = &tracer->kind;
	tracer->options = *options;
	if (!options->tracefs)
		return err_set(err,
			       "--%s needs tracefs, which is missing or not readable for this "
			       "user: run as root",
			       own->name);
	if (target_is_in_pid_namespace())
		return err_set(err,
			       "--%s: thread ids in this container are not those in the kernel's "
			       "events: record outside of it, or in one started with --pid=host",
			       own->name);
	thread_filter_follow(&tracer->newborn, 0, PROC);
	call_cost_measure(&tracer->bare, tracer->trials);
	return 0;
}

/* Adds an event. `type` is the number in its payloads. */
static void add_event(struct call_tracer *tracer, const char *system, const char *event, bool stack,
		      uint16_t type)
{
	const uint64_t basic = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	struct call_events *events = &tracer->events;
	size_t at = events->count++;
	struct perf_event_attr attr = record_attr(PERF_TYPE_TRACEPOINT, type);

	assert(at < CALL_EVENTS_MAX);
	snprintf(events->names[at], CALL_EVENT_NAME_SIZE, "%s:%s", system, event);
	attr.exclude_callchain_kernel = events->stacks;
	events->attrs[at] = attr;
	if (events->stacks && stack)
		events->attrs[at].sample_type |= RECORD_STACK_TYPE;
	attr.sample_type = basic | (events->stacks ? (uint64_t)PERF_SAMPLE_CALLCHAIN : 0);
	attr.exclude_callchain_user = events->stacks && !stack;
	events->ids[at] = events->first_id + at;
	events->described[at] =
		(struct perfdata_event){events->names[at], &events->attrs[at], &events->ids[at], 1};
	events->table[at] = (struct perf_event){.name = events->names[at], .attr = attr};
}

int call_tracer_add(struct call_tracer *tracer, const char *group, const char *system,
		    const char *event, bool stack, struct err *err)
{
	char path[128];
	uint64_t type;

	snprintf(path, sizeof(path), "%s:%s", group, event);
	if (tracefs_event_id(&type, tracer->options.tracefs, path, err))
		return -1;
	add_event(tracer, system, event, stack, (uint16_t)type);
	return 0;
}

void call_tracer_add_links(struct call_tracer *tracer, const char *system, const char *event)
{
	struct perf_event_attr *attr = &tracer->events.table[tracer->events.count].attr;

	add_event(tracer, system, event, true, SYNC_LINK_TYPE);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_BPF_OUTPUT;
}

int call_tracer_open(struct call_tracer *tracer, struct err *err)
{
	struct call_events *events = &tracer->events;

	tracer->base.events = events->described;
	tracer->base.event_count = events->count;
	tracer->base.fd = &events->open.wake_fd;
	tracer->lost_id = events->ids[0];
	sample_layout_init(&events->layout, &events->table[0].attr);
	if (perf_events_open(&events->open, events->table, events->count, PERF_ON_CPUS,
			     tracer->options.online, err) ||
	    lead_links(tracer, 0, err))
		return -1;
	return measure_cost(tracer, err);
}

void call_tracer_release(struct call_tracer *tracer)
{
	perf_events_release(&tracer->events.open);
	call_links_release(&tracer->links);
}
