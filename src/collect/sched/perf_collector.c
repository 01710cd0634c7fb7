/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/perf_collector.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/cpu_watch.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/sched/sched_events.h"
#include "collect/sched/slim_records.h"
#include "collect/target/id_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#define PROC "/proc"

/* So many switches of a CPU between two passes are a storm, also those that no filter lets pass. */
enum { STORM_SWITCHES = 10000 };

struct perf_collector {
	struct collector base;
	struct sched_events events;
	struct slim_records slim;
	struct ring_reach {
		uint64_t marked; /* a pass completes the records before it */
		uint64_t learnt; /* read ahead up to there */
	} * reaches;
	size_t reach_capacity;
	struct cpu_watch cpus;
	struct id_watch id_watch;
	bool wide, alone;
	bool filtered; /* by the kernel */
	bool prepared;
	bool stopped;
	bool told; /* ... and that was the last pass */
	char *note;
};

static struct perf_collector *of(struct collector *collector)
{
	return (struct perf_collector *)collector;
}

/* --- Following the target ------------------------------------------------------------------ */

/* What somebody who asks for details may want to know. */
static void make_note(struct perf_collector *perf)
{
	char *list;

	if (cpu_mask_is_empty(&perf->events.hiding))
		return;
	list = cpu_mask_format(&perf->events.hiding);
	perf->base.note = perf->note =
		xasprintf("CPU %s: this kernel hides from perf how a thread gets it when it was "
			  "idle, so PERF_RECORD_SWITCH is recorded there too",
			  list);
	free(list);
}

/* What is about to be followed runs on CPUs of `mask`, or on any when it is NULL. */
static int prepare(struct perf_collector *perf, const struct cpu_mask *mask, struct err *err)
{
	if (perf->prepared)
		return 0;
	perf->prepared = true;
	if (sched_events_find_hidden(&perf->events, &perf->slim.layout, 0, mask, err))
		return -1;
	make_note(perf);
	return 0;
}

/* The command inherits our affinity. One that leaves it has unknown times where CPUs hide them. */
static int expect(struct collector *collector, struct err *err)
{
	struct perf_collector *perf = of(collector);
	struct cpu_mask *own = xcalloc(1, sizeof(*own));
	bool known = !perf->wide && cpu_mask_add_affinity(own, 0) == 0;
	int rc = prepare(perf, known ? own : NULL, err);

	free(own);
	return rc ? rc : sched_events_set(&perf->events, true, false, err);
}

static int filter(struct perf_collector *perf, struct err *err)
{
	perf->filtered = !thread_filter_passes_all(&perf->slim.filter);
	return perf->filtered ? sched_events_filter(&perf->events, &perf->slim.filter, err) : 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct perf_collector *perf = of(collector);

	if (!perf->wide && id_watch_begin(&perf->id_watch, child, PROC))
		perf->slim.filter.first = child;
	if (filter(perf, err))
		return -1;
	return sched_events_set(&perf->events, true, true, err);
}

static int start(struct collector *collector, struct err *err)
{
	struct perf_collector *perf = of(collector);

	if (prepare(perf, NULL, err))
		return -1;
	return sched_events_set(&perf->events, true, true, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct perf_collector *perf = of(collector);

	(void)pid, (void)err;
	if (perf->alone && !perf->wide)
		thread_filter_add(&perf->slim.filter, tid);
	return 0;
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	return sched_events_set(&of(collector)->events, true, on, err);
}

static void stop(struct collector *collector)
{
	struct perf_collector *perf = of(collector);
	struct err ignored;

	perf->stopped = true;
	sched_events_set(&perf->events, false, false, &ignored);
}

/* --- CPUs that come ------------------------------------------------------------------------ */

/*
 * What ran there since it came has not been seen: as if records of the CPU had been lost, though
 * nobody counted them.
 */
static void tell_gap(struct perf_collector *perf, struct recording *recording, int cpu)
{
	const struct record_place place = {.id = perf->slim.tracepoints[0].id,
					   .time_ns = monotonic_ns(),
					   .cpu = (uint32_t)cpu};

	record_lost(recording, &place, 0);
}

static int add_cpus(struct perf_collector *perf, struct recording *recording, struct err *err)
{
	struct cpu_list fresh;
	int rc = 0;

	cpu_watch_look(&perf->cpus, monotonic_ns(), &fresh);
	for (size_t i = 0; !rc && i < fresh.count; i++) {
		rc = sched_events_add_cpu(&perf->events, &perf->slim.layout, fresh.cpus[i], err);
		tell_gap(perf, recording, fresh.cpus[i]);
		lineage_lost(perf->slim.lineage);
	}
	cpu_list_release(&fresh);
	return rc;
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * A CPU that was too busy to find out about it may have told meanwhile. One that is never idle in a
 * storm of switches hides nothing, so SWITCH records are not worth their price there, until the
 * next switch that is hidden.
 */
static int settle(struct perf_collector *perf, size_t at, const struct slim_ring *before,
		  struct err *err)
{
	const struct slim_ring *now = slim_ring(&perf->slim, at);
	int cpu = perf->events.open.cpus[at];
	uint64_t records = now->records - before->records; /* one for each side */
	bool storm =
		now->switches - before->switches > STORM_SWITCHES || records / 2 > STORM_SWITCHES;
	bool spared = perf->stopped || (storm && now->hidden == before->hidden);

	if (perf->events.hiding.has[cpu])
		return sched_events_settle(&perf->events, at, HIDDEN_YES, spared, err);
	if (perf->events.doubtful.has[cpu])
		return sched_events_settle(&perf->events, at, now->hides, spared, err);
	return 0;
}

static struct ring_reach *reach_of(struct perf_collector *perf, size_t at)
{
	array_reserve(&perf->reaches, &perf->reach_capacity, at + 1);
	return &perf->reaches[at];
}

static void mark(struct collector *collector)
{
	struct perf_collector *perf = of(collector);

	for (size_t at = 0; at < perf->events.open.cpu_count; at++) {
		ring_read(&perf->events.open.rings[at]);
		reach_of(perf, at)->marked = perf->events.open.rings[at].head;
	}
}

/*
 * All births, execs and ends that are in the rings by now. Those up to `until_ns` can be judged: the
 * birth of a thread's parent, and an exec of its process before, are in a ring before its own birth.
 */
static void read_ahead(struct perf_collector *perf)
{
	uint64_t until_ns = monotonic_ns();

	for (size_t at = 0; at < perf->events.open.cpu_count; at++) {
		struct ring *ring = &perf->events.open.rings[at];
		const struct perf_event_header *record;

		ring_read(ring);
		ring_skip(ring, reach_of(perf, at)->learnt);
		while ((record = ring_next(ring)))
			slim_learn(&perf->slim, record);
		reach_of(perf, at)->learnt = ring->head;
	}
	lineage_settle(perf->slim.lineage, until_ns);
}

/* Completes the records in the ring before `head`. */
static int read_ring(struct perf_collector *perf, struct recording *recording, size_t at,
		     uint64_t head, struct err *err)
{
	struct ring *ring = &perf->events.open.rings[at];
	int cpu = perf->events.open.cpus[at];
	const struct slim_ring before = *slim_ring(&perf->slim, at);
	const struct perf_event_header *record;

	ring_rewind(ring, head);
	if (ring->head == ring->tail)
		return 0;
	perf->base.ring_bytes += ring->head - ring->tail;
	while ((record = ring_next(ring)))
		slim_complete(&perf->slim, recording, at, (uint32_t)cpu, record);
	ring_consume(ring);
	return settle(perf, at, &before, err);
}

/* Wakes that the kernel counted and neither wrote nor says it lost, once it has been stopped. */
static uint64_t missed_wakes(const struct perf_collector *perf)
{
	uint64_t hits = 0, known = perf->slim.lost;

	for (enum sched_event kind = SCHED_WAKING; kind <= SCHED_WAKEUP_NEW; kind++) {
		hits += cpu_events_hits(&perf->events.open, kind);
		known += perf->slim.tracepoints[kind].received;
	}
	return hits > known ? hits - known : 0;
}

/* What was found out about the CPUs is kept. */
static int forget(struct collector *collector, const pid_t *tids, size_t count,
		  struct recording *scratch, struct err *err)
{
	struct perf_collector *perf = of(collector);
	struct slim_records *slim = &perf->slim;

	if (sched_events_set(&perf->events, false, false, err))
		return -1;
	(void)tids, (void)count;
	mark(collector);
	for (size_t at = 0; at < perf->events.open.cpu_count; at++) {
		reach_of(perf, at)->learnt = reach_of(perf, at)->marked;
		if (read_ring(perf, scratch, at, reach_of(perf, at)->marked, err))
			return -1;
	}
	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++) {
		slim->tracepoints[kind].received = 0;
		if (cpu_events_control(&perf->events.open, kind, PERF_EVENT_IOC_RESET, NULL))
			return err_set(err, "%s: cannot be reset: %m",
				       perf->events.table[kind].name);
	}
	slim->lost = 0;
	slim->filter = (struct thread_filter){0};
	perf->filtered = false;
	perf->base.ring_bytes = 0;
	return 0;
}

/* A ring that is full up to the end has no room for the record that tells what was lost. */
static void tell_last_losses(struct perf_collector *perf, struct recording *recording, size_t at)
{
	const struct slim_ring *ring = slim_ring(&perf->slim, at);
	const struct record_place place = {.id = perf->slim.tracepoints[0].id,
					   .time_ns = ring->last_ns,
					   .cpu = (uint32_t)perf->events.open.cpus[at]};
	uint64_t lost = 0;

	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++)
		if (perf->events.table[kind].fds[at] >= 0)
			lost += cpu_events_lost(&perf->events.open, kind, at);
	if (lost <= ring->lost)
		return;
	perf->slim.lost += lost - ring->lost;
	record_lost(recording, &place, lost - ring->lost);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct perf_collector *perf = of(collector);

	/* All that is adopted has been adopted by now. */
	if (!perf->filtered && filter(perf, err))
		return -1;
	if (perf->slim.filter.first)
		id_watch_look(&perf->id_watch, PROC);
	perf->base.wrapped = perf->id_watch.wrapped;
	if (!perf->stopped && add_cpus(perf, recording, err))
		return -1;
	read_ahead(perf);
	for (size_t at = 0; at < perf->events.open.cpu_count; at++)
		if (read_ring(perf, recording, at, reach_of(perf, at)->marked, err))
			return -1;
	if (!perf->stopped || perf->told)
		return 0;
	perf->told = true;
	for (size_t at = 0; at < perf->events.open.cpu_count; at++)
		tell_last_losses(perf, recording, at);
	perf->base.missed_wakes = missed_wakes(perf);
	return 0;
}

/* --- The end ------------------------------------------------------------------------------- */

static void tell(const struct collector *collector, FILE *out)
{
	const struct perf_collector *perf = (const struct perf_collector *)collector;
	const struct sched_events *events = &perf->events;

	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++)
		fprintf(out, "count %s %" PRIu64 "\n", events->table[kind].name,
			cpu_events_hits(&events->open, kind));
	if (!cpu_mask_is_empty(&events->hiding)) {
		char *list = cpu_mask_format(&events->hiding);

		fprintf(out, "hidden %s\n", list);
		free(list);
	}
	if (perf->base.wrapped)
		fputs("wrapped 1\n", out);
}

static void release(struct collector *collector)
{
	struct perf_collector *perf = of(collector);

	sched_events_release(&perf->events);
	cpu_watch_release(&perf->cpus);
	slim_release(&perf->slim);
	free(perf->reaches);
	free(perf->note);
	free(perf);
}

static const struct collector_kind kind = {
	.name = "perf",
	.expect = expect,
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.mark = mark,
	.pass = pass,
	.forget = forget,
	.stop = stop,
	.tell = tell,
	.free = release,
};

struct collector *perf_collector_open(const struct collector_options *options, struct err *err)
{
	struct perf_collector *perf = xcalloc(1, sizeof(*perf));

	perf->wide = options->wide;
	perf->alone = options->alone;
	perf->slim.lineage = options->lineage;
	perf->events.epoll = -1;
	perf->base = (struct collector){
		.kind = &kind,
		.events = perf->events.described,
		.event_count = SCHED_DESCRIBED,
		.fds = &perf->events.epoll,
		.fd_count = 1,
	};
	if (cpu_watch_begin(&perf->cpus, CPU_WATCH_PATH, monotonic_ns(), err) ||
	    sched_events_open(&perf->events, &perf->slim, options, &perf->cpus.online, err)) {
		release(&perf->base);
		return NULL;
	}
	return &perf->base;
}
