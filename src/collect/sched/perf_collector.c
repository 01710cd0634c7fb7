/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/sched_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/printable.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/perf_events.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/thread_filter.h"
#include "perfdata/perfdata_write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* --- Events: a table, on and off, and the CPUs where they are open ------------------------- */

enum sched_event {
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP_NEW,
	SCHED_FORK,
	SCHED_EXIT,
	SCHED_TASK,   /* no tracepoint: carries the kernel's COMM, FORK and EXIT records */
	SCHED_HIDDEN, /* ... and its SWITCH records, on CPUs where it hides switches */
	SCHED_EVENTS,
	SCHED_TRACEPOINTS = SCHED_TASK,
	SCHED_DESCRIBED = SCHED_HIDDEN, /* in the file SCHED_TASK stands for both, as with perf */
};

struct sched_events {
	struct perf_event table[SCHED_EVENTS]; /* for perf_event_open() */
	struct perf_events open;
	struct perfdata_event described[SCHED_DESCRIBED]; /* for the file */
	struct perf_event_attr attrs[SCHED_DESCRIBED];
	uint64_t ids[SCHED_DESCRIBED];
	struct cpu_mask hiding;	  /* CPUs that hide switches */
	struct cpu_mask doubtful; /* CPUs that may hide them */
};

static const struct {
	const char *name;
	bool birth;	       /* on up to the end, also in pauses */
	const char *fields[2]; /* fields of the threads that pass the filter, if any */
	const char *reads[4];  /* the affected thread; the state of a switch */
} kinds[SCHED_EVENTS] = {
	[SCHED_SWITCH] = {"sched:sched_switch",
			  false,
			  {"prev_pid", "next_pid"},
			  {"next_pid", "prev_state", "prev_comm"}},
	[SCHED_WAKING] = {"sched:sched_waking", false, {"pid"}, {"pid"}},
	[SCHED_WAKEUP_NEW] = {"sched:sched_wakeup_new", false, {"pid"}, {"pid"}},
	[SCHED_FORK] = {"sched:sched_process_fork", true, {NULL}, {"child_pid"}},
	[SCHED_EXIT] = {"sched:sched_process_exit", true, {NULL}, {NULL}},
	[SCHED_TASK] = {"dummy", true, {NULL}, {NULL}},
	[SCHED_HIDDEN] = {"dummy", false, {NULL}, {NULL}},
};

/*
 * Switches events on and off; births are recorded in pauses, too. Returns 0, or -1 with an error.
 */
static int sched_events_set(struct sched_events *events, bool births, bool switches,
			    struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++)
		if (perf_events_set(&events->open, kind, kinds[kind].birth ? births : switches,
				    err))
			return -1;
	return 0;
}

/* Restricts events to threads that pass; only once. Returns 0, or -1 with an error. */
static int sched_events_filter(struct sched_events *events, const struct thread_filter *wanted,
			       struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++) {
		const char *const *fields = kinds[kind].fields;
		char text[THREAD_FILTER_TEXT_SIZE];

		if (!fields[0])
			continue;
		thread_filter_text(text, wanted, fields[0], fields[1]);
		if (perf_events_filter(&events->open, kind, text, err))
			return -1;
	}
	return 0;
}

/* Reads the number of a tracepoint and the places of its fields. */
static int read_format(struct sched_records *records, enum sched_event kind, const char *tracefs,
		       struct err *err)
{
	const char *const *names = kinds[kind].reads;
	struct tracefs_format format;

	if (tracefs_format_read(&format, tracefs, kinds[kind].name, names, err))
		return -1;
	if (names[0] && format.fields[0].size != sizeof(int32_t))
		return err_set(err, "%s: has no field %s of 4 bytes", kinds[kind].name, names[0]);
	records->tracepoints[kind].type = format.type;
	if (kind != SCHED_SWITCH) {
		records->tracepoints[kind].whom = format.fields[0].offset;
		return 0;
	}
	records->layout.next_pid_offset = format.fields[0].offset;
	records->layout.state_offset = format.fields[1].offset; /* its lower bytes */
	if (format.fields[2].size >= RECORD_COMM_SIZE)
		records->layout.comm_offset = format.fields[2].offset;
	return 0;
}

static void set_tracepoint(struct sched_events *events, struct sched_tracepoint *tracepoint,
			   enum sched_event kind, bool stacks)
{
	struct perf_event_attr *attr = &events->table[kind].attr;

	tracepoint->id = events->ids[kind];
	tracepoint->stack = stacks && kind == SCHED_SWITCH;
	*attr = record_attr(PERF_TYPE_TRACEPOINT, tracepoint->type);
	attr->exclude_callchain_kernel = stacks;
	events->attrs[kind] = *attr;
	if (tracepoint->stack)
		events->attrs[kind].sample_type |= RECORD_STACK_TYPE;
	attr->sample_type = stacks ? SCHED_STACK_TYPE : SCHED_TRACEPOINT_TYPE;
	attr->exclude_callchain_user = stacks && !tracepoint->stack;
}

static void set_others(struct sched_events *events, bool stacks)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.comm = attr.comm_exec = attr.task = 1;
	events->attrs[SCHED_TASK] = attr;
	events->attrs[SCHED_TASK].context_switch = stacks;
	attr.sample_type = SCHED_OTHER_TYPE;
	events->table[SCHED_TASK].attr = attr;
	attr.comm = attr.comm_exec = attr.task = 0;
	attr.context_switch = 1;
	events->table[SCHED_HIDDEN].attr = attr;
	events->table[SCHED_HIDDEN].apart = true;
}

static int set_all(struct sched_events *events, struct sched_records *records,
		   const struct collector_options *options, struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_DESCRIBED; kind++) {
		events->ids[kind] = RECORD_SCHED_ID + (uint64_t)kind;
		events->described[kind] = (struct perfdata_event){
			kinds[kind].name, &events->attrs[kind], &events->ids[kind], 1};
	}
	sched_layout_init(&records->layout, options->stacks);
	records->tracepoint_count = SCHED_TRACEPOINTS;
	records->other_id = events->ids[SCHED_TASK];
	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++) {
		if (read_format(records, kind, options->tracefs, err))
			return -1;
		set_tracepoint(events, &records->tracepoints[kind], kind, options->stacks);
	}
	set_others(events, options->stacks);
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++) {
		events->table[kind].name = kinds[kind].name;
		events->table[kind].attr.read_format = 0;
	}
	return 0;
}

/*
 * Opens all events but SCHED_HIDDEN, off, and stores their formats in `records`. Returns 0, or -1
 * with an error; the caller releases them in both cases.
 */
static int sched_events_open(struct sched_events *events, struct sched_records *records,
			     const struct collector_options *options, struct err *err)
{
	if (set_all(events, records, options, err))
		return -1;
	return perf_events_open(&events->open, events->table, SCHED_EVENTS, PERF_ON_CPUS,
				options->online, err);
}

/*
 * Updates the knowledge on CPU number `at`. SCHED_HIDDEN, which is not cheap, is open unless it is
 * known to be useless, or `spared` for now. Returns 0, or -1 with an error.
 */
static int sched_events_settle(struct sched_events *events, size_t at, enum hidden hides,
			       bool spared, struct err *err)
{
	bool wanted = hides != HIDDEN_NO && !spared;
	int cpu = events->open.cpus[at];

	events->hiding.has[cpu] = hides == HIDDEN_YES;
	events->doubtful.has[cpu] = hides == HIDDEN_PERHAPS;
	if (wanted)
		events->attrs[SCHED_TASK].context_switch = 1;
	return perf_events_set_apart(&events->open, SCHED_HIDDEN, at, wanted, err);
}

/*
 * Finds the CPUs of `mask` (NULL: all), from number `first` on, on which the kernel hides switches,
 * and opens SCHED_HIDDEN there, or on all if all threads are recorded: some of them leave any CPU
 * unseen. All events must be off there. If other threads run all the time it remains in doubt.
 * Returns 0, or -1 with an error.
 */
static int sched_events_find_hidden(struct sched_events *events,
				    const struct sched_records *records, size_t first,
				    const struct cpu_mask *mask, struct err *err)
{
	bool wide = records->lineage->wide;
	bool hides = !cpu_mask_is_empty(&events->hiding);
	size_t count = events->open.cpu_count - first;
	enum hidden *found = xcalloc(count, sizeof(*found));
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		if (mask && !mask->has[events->open.cpus[first + i]])
			found[i] = HIDDEN_NO;
	hidden_switches_find(found, &events->open, first, records);
	for (size_t i = 0; i < count; i++)
		hides |= found[i] == HIDDEN_YES;
	for (size_t i = 0; !rc && i < count; i++)
		rc = sched_events_settle(events, first + i, wide && hides ? HIDDEN_YES : found[i],
					 false, err);
	free(found);
	return rc;
}

#define PROC "/proc"

/* The switches of a CPU between two passes, filtered or not, that are a storm. */
enum { STORM_SWITCHES = 10000 };

struct perf_collector {
	struct collector base;
	struct sched_events events;
	struct sched_records records;
	struct ring_reach {
		uint64_t marked; /* the next pass completes the records before it */
		uint64_t learnt; /* the ring was read ahead to here */
	} * reaches;
	size_t reach_capacity;
	bool filtered; /* by the kernel */
	bool prepared;
	bool stopped;
	bool told; /* the last pass is done */
	uint64_t stopped_ns;
	char *note;
};

static struct perf_collector *of(struct collector *collector)
{
	return (struct perf_collector *)collector;
}

/* --- Following the target ------------------------------------------------------------------ */

/* Makes a note for users that ask for details. */
static void make_note(struct perf_collector *perf)
{
	char *list;

	if (cpu_mask_is_empty(&perf->events.hiding))
		return;
	list = cpu_mask_format(&perf->events.hiding);
	perf->base.note = perf->note =
		xasprintf("CPU %s: this kernel hides some context switches from perf, so "
			  "PERF_RECORD_SWITCH is recorded there too",
			  list);
	free(list);
}

/* Prepares for threads that run on CPUs of `mask`; NULL: on any. */
static int prepare(struct perf_collector *perf, const struct cpu_mask *mask, struct err *err)
{
	if (perf->prepared)
		return 0;
	perf->prepared = true;
	if (sched_events_find_hidden(&perf->events, &perf->records, 0, mask, err))
		return -1;
	make_note(perf);
	return 0;
}

/* Prepares for the command on our CPUs, which it inherits: others may hide switches from us. */
static int expect(struct collector *collector, struct err *err)
{
	struct perf_collector *perf = of(collector);
	struct cpu_mask *own = xcalloc(1, sizeof(*own));
	bool known = !perf->records.lineage->wide && cpu_mask_add_affinity(own, 0) == 0;
	int rc = prepare(perf, known ? own : NULL, err);

	free(own);
	return rc ? rc : sched_events_set(&perf->events, true, false, err);
}

static int filter_threads(struct perf_collector *perf, struct err *err)
{
	perf->filtered = !thread_filter_passes_all(&perf->records.filter);
	return perf->filtered ? sched_events_filter(&perf->events, &perf->records.filter, err) : 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct perf_collector *perf = of(collector);

	if (!perf->records.lineage->wide)
		thread_filter_follow(&perf->records.filter, child, PROC);
	if (filter_threads(perf, err))
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
	const struct lineage *lineage = perf->records.lineage;

	(void)pid, (void)err;
	if (lineage->alone && !lineage->wide)
		thread_filter_add(&perf->records.filter, tid);
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
	perf->stopped_ns = monotonic_ns();
	sched_events_set(&perf->events, false, false, &ignored);
}

/* --- New CPUs -------------------------------------------------------------------------------- */

/*
 * Records a gap: no record shows what ran on a CPU since it came online, as if its records had been
 * lost, without being counted.
 */
static void tell_gap(struct perf_collector *perf, struct recording *recording, int cpu)
{
	const struct record_place place = {.id = perf->records.tracepoints[0].id,
					   .time_ns = monotonic_ns(),
					   .cpu = (uint32_t)cpu};

	record_lost(recording, &place, 0);
}

static int prepare_cpus(void *context, size_t first, struct err *err)
{
	struct perf_collector *perf = context;

	return sched_events_find_hidden(&perf->events, &perf->records, first, NULL, err);
}

static int add_cpus(struct perf_collector *perf, struct recording *recording, struct err *err)
{
	const struct perf_events *open = &perf->events.open;
	size_t at = open->cpu_count;
	int rc = perf_events_look(&perf->events.open, prepare_cpus, perf, err);

	for (; at < open->cpu_count; at++) {
		tell_gap(perf, recording, open->cpus[at]);
		perf->records.lineage->lossy = true;
	}
	return rc;
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * Updates the knowledge on a CPU by its records: one that was too busy may be known now. One that
 * is never idle in a storm of switches hides nothing, so SWITCH records are not worth their cost
 * there until the next hidden switch.
 */
static int settle(struct perf_collector *perf, size_t at, const struct sched_ring *before,
		  struct err *err)
{
	const struct sched_ring *now = sched_ring(&perf->records, at);
	int cpu = perf->events.open.cpus[at];
	uint64_t records = now->records - before->records; /* one for each of two threads */
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
 * Learns all births, execs and ends that are in the rings now, and judges those up to `until_ns`:
 * the birth of a thread's parent, and an earlier exec of its process, are in a ring before its own
 * birth.
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
			sched_records_learn(&perf->records, record);
		reach_of(perf, at)->learnt = ring->head;
	}
	lineage_settle(perf->records.lineage, until_ns);
}

/* Completes the records in the ring before `head`. */
static int read_ring(struct perf_collector *perf, struct recording *recording, size_t at,
		     uint64_t head, struct err *err)
{
	struct ring *ring = &perf->events.open.rings[at];
	int cpu = perf->events.open.cpus[at];
	const struct sched_ring before = *sched_ring(&perf->records, at);
	const struct perf_event_header *record;

	ring_rewind(ring, head);
	if (ring->head == ring->tail)
		return 0;
	perf->base.ring_bytes += ring->head - ring->tail;
	while ((record = ring_next(ring)))
		sched_records_complete(&perf->records, recording, at, (uint32_t)cpu, record);
	ring_consume(ring);
	return settle(perf, at, &before, err);
}

/* Returns wakeups that the kernel counted, but neither wrote nor reported as lost. */
static uint64_t missed_wakes(const struct perf_collector *perf)
{
	uint64_t hits = 0, known = perf->records.lost;

	for (enum sched_event kind = SCHED_WAKING; kind <= SCHED_WAKEUP_NEW; kind++) {
		hits += perf_events_count(&perf->events.open, 0, kind).value;
		known += perf->records.tracepoints[kind].received;
	}
	return hits > known ? hits - known : 0;
}

static int reset_counts(const struct perf_events *open, struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++)
		for (size_t at = 0; at < open->cpu_count; at++) {
			int fd = perf_events_fd(open, kind, at);

			if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_RESET, 0))
				return err_set(err, "%s: cannot be reset: %m", kinds[kind].name);
		}
	return 0;
}

/* Forgets all events, but not the facts on CPUs. */
static int forget(struct collector *collector, const pid_t *tids, size_t count,
		  struct recording *scratch, struct err *err)
{
	struct perf_collector *perf = of(collector);
	struct sched_records *records = &perf->records;

	if (sched_events_set(&perf->events, false, false, err))
		return -1;
	(void)tids, (void)count;
	mark(collector);
	for (size_t at = 0; at < perf->events.open.cpu_count; at++) {
		reach_of(perf, at)->learnt = reach_of(perf, at)->marked;
		if (read_ring(perf, scratch, at, reach_of(perf, at)->marked, err))
			return -1;
	}
	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++)
		records->tracepoints[kind].received = 0;
	if (reset_counts(&perf->events.open, err))
		return -1;
	records->lost = 0;
	records->filter = (struct thread_filter){0};
	perf->filtered = false;
	perf->base.wrapped = false;
	perf->base.ring_bytes = 0;
	return 0;
}

/* Records the last losses: a full ring has no room for the record of its losses. */
static void tell_last_losses(struct perf_collector *perf, struct recording *recording, size_t at)
{
	const struct sched_ring *ring = sched_ring(&perf->records, at);
	const struct record_place place = {.id = perf->records.tracepoints[0].id,
					   .time_ns = ring->last_ns,
					   .cpu = (uint32_t)perf->events.open.cpus[at]};
	uint64_t lost = perf_events_lost(&perf->events.open, at);

	if (lost <= ring->lost)
		return;
	perf->records.lost += lost - ring->lost;
	record_lost(recording, &place, lost - ring->lost);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct perf_collector *perf = of(collector);

	/* All threads have been adopted by now. */
	if (!perf->filtered && filter_threads(perf, err))
		return -1;
	perf->base.wrapped |= thread_filter_has_wrapped(&perf->records.filter, PROC);
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

/* Writes the state of a thread, which explains why it left its CPU if nothing was seen since. */
static void tell_state(FILE *out, pid_t tid, uint64_t time_ns)
{
	pid_t pid = proc_process_of(tid, PROC);
	struct proc_stat stat;

	if (pid && !proc_stat_of(&stat, PROC, pid, tid))
		fprintf(out, "thread %" PRIu64 " %d %d %c %s\n", time_ns, (int)pid, (int)tid,
			stat.state, printable_mend(stat.comm));
}

static void perf_tell(const struct collector *collector, FILE *out)
{
	const struct perf_collector *perf = (const struct perf_collector *)collector;
	const struct sched_events *events = &perf->events;

	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++)
		fprintf(out, "count %s %" PRIu64 "\n", events->table[kind].name,
			perf_events_count(&events->open, 0, kind).value);
	if (!cpu_mask_is_empty(&events->hiding)) {
		char *list = cpu_mask_format(&events->hiding);

		fprintf(out, "hidden %s\n", list);
		free(list);
	}
	if (perf->base.wrapped)
		fputs("wrapped 1\n", out);
	for (pid_t tid = 0; (tid = pid_set_next(&perf->records.unseen, tid));)
		tell_state(out, tid, perf->stopped_ns);
}

static void perf_release(struct collector *collector)
{
	struct perf_collector *perf = of(collector);

	perf_events_release(&perf->events.open);
	sched_records_release(&perf->records);
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
	.tell = perf_tell,
	.free = perf_release,
};

struct collector *perf_collector_open(const struct collector_options *options, struct err *err)
{
	struct perf_collector *perf = xcalloc(1, sizeof(*perf));

	perf->records.lineage = options->lineage;
	perf->base = (struct collector){
		.kind = &kind,
		.events = perf->events.described,
		.event_count = SCHED_DESCRIBED,
		.fd = &perf->events.open.wake_fd,
	};
	if (sched_events_open(&perf->events, &perf->records, options, err)) {
		perf_release(&perf->base);
		return NULL;
	}
	return &perf->base;
}
