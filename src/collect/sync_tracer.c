/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sync_tracer.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/collector.h"
#include "collect/cpu_watch.h"
#include "collect/id_watch.h"
#include "collect/pid_set.h"
#include "collect/record.h"
#include "collect/recording.h"
#include "collect/sync_cost.h"
#include "collect/sync_events.h"
#include "collect/sync_probes.h"
#include "collect/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROC "/proc"

struct sync_tracer {
	struct collector base;
	struct sync_events events;
	struct sync_probes probes;
	struct cpu_watch cpus;
	struct id_watch id_watch;
	struct thread_filter filter;
	struct sync_cost cost; /* that a call has because it is recorded; 0: not known */
	bool wide, alone, filtered, stopped;
	uint64_t calls;
	struct pid_set system, library; /* processes with calls of other threads than the first */
};

static struct sync_tracer *of(struct collector *collector)
{
	return (struct sync_tracer *)collector;
}

int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err)
{
	*choice = strcmp(name, "all") == 0 ? SYNC_RECORD_ALL : SYNC_RECORD_FUTEX;
	if (*choice == SYNC_RECORD_ALL || strcmp(name, "futex") == 0)
		return 0;
	return err_set(err, "%s: take futex, what waits in the kernel, or all, also what does not",
		       name);
}

/* --- The target ---------------------------------------------------------------------------- */

static int filter(struct sync_tracer *tracer, struct err *err)
{
	if (tracer->filtered || thread_filter_passes_all(&tracer->filter))
		return 0;
	tracer->filtered = true;
	return sync_events_filter(&tracer->events, &tracer->filter, err);
}

/* A command and what it begets have higher numbers, until these begin anew. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct sync_tracer *tracer = of(collector);

	if (!tracer->wide && id_watch_begin(&tracer->id_watch, child, PROC))
		tracer->filter.first = child;
	if (filter(tracer, err))
		return -1;
	return sync_events_set(&tracer->events, true, err);
}

static int start(struct collector *collector, struct err *err)
{
	return sync_events_set(&of(collector)->events, true, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct sync_tracer *tracer = of(collector);

	(void)pid, (void)err;
	if (tracer->alone && !tracer->wide)
		thread_filter_add(&tracer->filter, tid);
	return 0;
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	return sync_events_set(&of(collector)->events, on, err);
}

static void stop(struct collector *collector)
{
	struct sync_tracer *tracer = of(collector);
	struct err ignored;

	tracer->stopped = true;
	sync_events_set(&tracer->events, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* A sample, as it was asked for; the stack only where some events have one. */
struct sync_sample {
	uint32_t pid, tid;
	uint64_t time_ns;
	struct record_stack stack;
	const uint8_t *raw;
	uint32_t raw_size;
};

/* -1: the fields are not there. The kernel never does that. */
static int parse(struct sync_sample *sample, const struct perf_event_header *record, bool stacks)
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

static void note_process(struct sync_tracer *tracer, const struct tally *tally,
			 const struct sync_sample *sample, size_t event)
{
	pid_t pid = (pid_t)sample->pid;

	if (sample->tid == sample->pid ||
	    (!tracer->wide && !pid_set_has(&tally->processes.all, pid) &&
	     !pid_set_has(&tally->tids.all, (pid_t)sample->tid)))
		return;
	pid_set_add(event < SYNC_TRACEPOINTS ? &tracer->system : &tracer->library, pid);
}

static void put_sample(struct sync_tracer *tracer, struct recording *recording, int cpu,
		       const struct perf_event_header *record)
{
	const struct sync_events *events = &tracer->events;
	struct sync_sample sample;
	uint16_t type;
	size_t i;

	if (parse(&sample, record, events->stacks))
		return;
	memcpy(&type, sample.raw, sizeof(type));
	i = sync_events_find(events, type);
	if (i == SYNC_EVENTS_MAX)
		return;
	tracer->calls++;
	note_process(tracer, &recording->tally, &sample, i);
	record_sample(recording,
		      &(struct record_place){.id = events->ids[i],
					     .time_ns = sample.time_ns,
					     .pid = (pid_t)sample.pid,
					     .tid = (pid_t)sample.tid,
					     .cpu = (uint32_t)cpu},
		      events->attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN ? &sample.stack : NULL,
		      sample.raw, sample.raw_size);
}

/* PERF_RECORD_LOST: u64 id, lost; and then the trailer TID, TIME. */
static void put_lost(struct sync_tracer *tracer, struct recording *recording, int cpu,
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
	record_lost(recording,
		    &(struct record_place){.id = tracer->events.ids[0],
					   .time_ns = lost.time_ns,
					   .cpu = (uint32_t)cpu},
		    lost.lost);
}

static void read_ring(struct sync_tracer *tracer, struct recording *recording, size_t at)
{
	struct ring *ring = &tracer->events.open.rings[at];
	int cpu = tracer->events.open.cpus[at];
	const struct perf_event_header *record;
	size_t size = ring_read(ring);

	if (!size)
		return;
	tracer->base.ring_bytes += size;
	while ((record = ring_next(ring)))
		if (record->type == PERF_RECORD_SAMPLE)
			put_sample(tracer, recording, cpu, record);
		else if (record->type == PERF_RECORD_LOST)
			put_lost(tracer, recording, cpu, record);
	ring_consume(ring);
}

static void share_fds(struct sync_tracer *tracer)
{
	tracer->base.fds = tracer->events.table[0].fds;
	tracer->base.fd_count = tracer->events.open.cpu_count;
}

static int add_cpus(struct sync_tracer *tracer, struct err *err)
{
	struct cpu_list fresh;
	int rc = 0;

	cpu_watch_look(&tracer->cpus, monotonic_ns(), &fresh);
	for (size_t i = 0; !rc && i < fresh.count; i++)
		rc = sync_events_add_cpu(&tracer->events, fresh.cpus[i], err);
	cpu_list_release(&fresh);
	share_fds(tracer);
	return rc;
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct sync_tracer *tracer = of(collector);

	/* All that is adopted has been adopted by now. */
	if (filter(tracer, err) || (!tracer->stopped && add_cpus(tracer, err)))
		return -1;
	if (tracer->filter.first)
		id_watch_look(&tracer->id_watch, PROC);
	tracer->base.wrapped = tracer->id_watch.wrapped;
	for (size_t at = 0; at < tracer->events.open.cpu_count; at++)
		read_ring(tracer, recording, at);
	return 0;
}

/* As long as nobody is told of, all calls on the machine are recorded, and forgotten here. */
static void forget_rings(struct sync_tracer *tracer)
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

static int measure_cost(struct sync_tracer *tracer, const struct sync_cost *bare, struct err *err)
{
	struct sync_cost watched;

	if (sync_events_set(&tracer->events, true, err))
		return -1;
	sync_cost_measure(&watched);
	if (sync_events_set(&tracer->events, false, err))
		return -1;
	forget_rings(tracer);
	sync_cost_added(&tracer->cost, bare, &watched);
	return 0;
}

static void tell(const struct collector *collector, FILE *out)
{
	const struct sync_cost *cost = &((const struct sync_tracer *)collector)->cost;

	if (cost->library_ns > 0)
		fprintf(out, "cost_call_ns %.0f\n", cost->library_ns);
	if (cost->system_ns > 0)
		fprintf(out, "cost_system_call_ns %.0f\n", cost->system_ns);
}

uint64_t sync_tracer_calls(const struct collector *collector)
{
	return ((const struct sync_tracer *)collector)->calls;
}

uint64_t sync_tracer_unseen(const struct collector *collector)
{
	const struct sync_tracer *tracer = (const struct sync_tracer *)collector;
	uint64_t count = 0;
	pid_t pid = 0;

	if (!tracer->probes.note)
		return 0;
	while ((pid = pid_set_next(&tracer->system, pid)))
		count += !pid_set_has(&tracer->library, pid);
	return count;
}

/* --- Opening and the end ------------------------------------------------------------------- */

/* A probe can only be removed when nobody listens to it. */
static void release(struct collector *collector)
{
	struct sync_tracer *tracer = of(collector);

	sync_events_release(&tracer->events);
	sync_probes_remove(&tracer->probes);
	cpu_watch_release(&tracer->cpus);
	pid_set_release(&tracer->system);
	pid_set_release(&tracer->library);
	free(tracer);
}

static const struct collector_kind kind = {
	.name = "sync",
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.stop = stop,
	.tell = tell,
	.free = release,
};

static int open_events(struct sync_tracer *tracer, const char *root,
		       const struct sync_options *sync, struct err *err)
{
	const struct sync_target target = {sync->command, sync->pids, sync->pid_count};
	bool all = sync->choice == SYNC_RECORD_ALL;

	if (all && sync_probes_make(&tracer->probes, root, &target, err))
		return -1;
	return sync_events_open(&tracer->events, root, all ? &tracer->probes : NULL, sync->stacks,
				&tracer->cpus.online, err);
}

struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err)
{
	struct sync_tracer *tracer = xcalloc(1, sizeof(*tracer));
	struct sync_cost bare;

	tracer->base.kind = &kind;
	tracer->wide = options->wide;
	tracer->alone = options->alone;
	if (!options->tracefs) {
		err_set(err, "--sync needs tracefs, which is not there or not for this user to "
			     "read: run as root");
		free(tracer);
		return NULL;
	}
	if (target_is_in_pid_namespace()) {
		err_set(err, "--sync: thread ids in this container are not those in the kernel's "
			     "events: record outside of it, or in one started with --pid=host");
		free(tracer);
		return NULL;
	}
	sync_cost_measure(&bare);
	if (cpu_watch_begin(&tracer->cpus, CPU_WATCH_PATH, monotonic_ns(), err) ||
	    open_events(tracer, options->tracefs, sync, err) || measure_cost(tracer, &bare, err)) {
		release(&tracer->base);
		return NULL;
	}
	tracer->base.events = tracer->events.described;
	tracer->base.event_count = tracer->events.count;
	tracer->base.note = tracer->probes.note;
	share_fds(tracer);
	return &tracer->base;
}
