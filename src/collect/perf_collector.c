/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/perf_collector.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/cpu_events.h"
#include "collect/cpu_watch.h"
#include "collect/hidden_switches.h"
#include "collect/id_watch.h"
#include "collect/record.h"
#include "collect/recording.h"
#include "collect/slim_records.h"
#include "collect/tracefs.h"
#include "collect/tracepoint_field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROC "/proc"

enum kind {
	KIND_SWITCH,
	KIND_WAKING,
	KIND_WAKEUP_NEW,
	KIND_FORK,
	KIND_EXIT,
	KIND_TASK,   /* no tracepoint: carries the kernel's COMM, FORK and EXIT records */
	KIND_HIDDEN, /* ... and its SWITCH records, on CPUs where it hides switches */
	KIND_COUNT,
	TRACEPOINTS = KIND_TASK,
	DESCRIBED = KIND_HIDDEN, /* KIND_TASK stands for both in the file, as with perf */
};

static const struct {
	const char *name;
	bool birth;	       /* on from before the target is born up to the end, paused or not */
	const char *fields[2]; /* what is to pass the filter, if it is filtered */
} kinds[KIND_COUNT] = {
	[KIND_SWITCH] = {"sched:sched_switch", false, {"prev_pid", "next_pid"}},
	[KIND_WAKING] = {"sched:sched_waking", false, {"pid"}},
	[KIND_WAKEUP_NEW] = {"sched:sched_wakeup_new", false, {"pid"}},
	[KIND_FORK] = {"sched:sched_process_fork", true, {NULL}},
	[KIND_EXIT] = {"sched:sched_process_exit", true, {NULL}},
	[KIND_TASK] = {"dummy", true, {NULL}},
	[KIND_HIDDEN] = {"dummy", false, {NULL}},
};

struct perf_collector {
	struct collector base;
	struct cpu_event events[KIND_COUNT]; /* as the kernel is asked for them */
	struct cpu_events open;
	struct perfdata_event described[DESCRIBED]; /* as the file has them */
	struct perf_event_attr attrs[DESCRIBED];
	uint64_t ids[DESCRIBED];
	struct slim_records slim;
	struct cpu_watch cpus;
	struct cpu_mask hiding; /* where SWITCH records are needed */
	char *note;
	int epoll; /* readable when a ring has filled up to its mark */
	bool births_on, switches_on;
	bool wide, alone;
	bool filtered; /* by the kernel */
	struct id_watch id_watch;
};

static struct perf_collector *of(struct collector *collector)
{
	return (struct perf_collector *)collector;
}

/* --- On and off ---------------------------------------------------------------------------- */

static bool is_on(const struct perf_collector *perf, enum kind kind)
{
	return kinds[kind].birth ? perf->births_on : perf->switches_on;
}

/* Makes the kernel's events what is_on() says, on CPUs from number `first` on. */
static int control(const struct perf_collector *perf, size_t first, struct err *err)
{
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		unsigned long request =
			is_on(perf, kind) ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

		for (size_t at = first; at < perf->open.cpu_count; at++)
			if (cpu_events_control_at(&perf->open, kind, at, request, NULL))
				return err_set(err, "%s: cannot be switched on or off: %m",
					       kinds[kind].name);
	}
	return 0;
}

/* The same for what passes slim.filter only. */
static int filter(const struct perf_collector *perf, size_t first, struct err *err)
{
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		char text[THREAD_FILTER_TEXT_SIZE];

		if (!kinds[kind].fields[0])
			continue;
		thread_filter_text(text, &perf->slim.filter, kinds[kind].fields[0],
				   kinds[kind].fields[1]);
		for (size_t at = first; at < perf->open.cpu_count; at++)
			if (cpu_events_control_at(&perf->open, kind, at, PERF_EVENT_IOC_SET_FILTER,
						  text))
				return err_set(err,
					       "%s: the kernel does not take the filter "
					       "'%s': %m",
					       kinds[kind].name, text);
	}
	return 0;
}

/* --- Opening ------------------------------------------------------------------------------- */

static int set_tracepoint(struct perf_collector *perf, enum kind kind,
			  const struct collector_options *options, struct err *err)
{
	bool stack = options->stacks && kind == KIND_SWITCH;
	struct cpu_event *event = &perf->events[kind];
	uint64_t type;
	char path[64];

	snprintf(path, sizeof(path), "%s", kinds[kind].name);
	*strchr(path, ':') = '/';
	if (tracefs_event_id(&type, options->tracefs, path, err))
		return -1;
	perf->attrs[kind] = record_attr(PERF_TYPE_TRACEPOINT, type);
	if (stack)
		perf->attrs[kind].sample_type |= PERF_SAMPLE_CALLCHAIN;
	perf->attrs[kind].exclude_callchain_kernel = options->stacks;
	event->attr = perf->attrs[kind];
	event->attr.sample_type = options->stacks ? SLIM_STACK_TYPE : SLIM_TRACEPOINT_TYPE;
	event->attr.exclude_callchain_user = options->stacks && !stack;
	perf->slim.tracepoints[kind] =
		(struct slim_tracepoint){.type = type, .id = perf->ids[kind], .stack = stack};
	return 0;
}

static void set_others(struct perf_collector *perf)
{
	struct perf_event_attr *attr = &perf->attrs[KIND_TASK];

	*attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr->comm = attr->comm_exec = attr->task = 1;
	perf->slim.other_id = perf->ids[KIND_TASK];
	perf->events[KIND_TASK].attr = *attr;
	perf->events[KIND_TASK].attr.sample_type = SLIM_OTHER_TYPE;
	perf->events[KIND_HIDDEN].attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	perf->events[KIND_HIDDEN].attr.sample_type = SLIM_OTHER_TYPE;
	perf->events[KIND_HIDDEN].attr.context_switch = 1;
	perf->events[KIND_HIDDEN].apart = true;
}

static int set_events(struct perf_collector *perf, const struct collector_options *options,
		      struct err *err)
{
	perf->slim.layout.stacks = options->stacks;
	perf->slim.tracepoint_count = TRACEPOINTS;
	if (tracepoint_field_offset(&perf->slim.layout.next_pid_offset, options->tracefs,
				    "sched/sched_switch", "next_pid", err))
		return -1;
	for (enum kind kind = 0; kind < DESCRIBED; kind++) {
		perf->ids[kind] = RECORD_OWN_ID + (uint64_t)kind;
		perf->described[kind] = (struct perfdata_event){
			kinds[kind].name, &perf->attrs[kind], &perf->ids[kind], 1};
	}
	for (enum kind kind = 0; kind < TRACEPOINTS; kind++)
		if (set_tracepoint(perf, kind, options, err))
			return -1;
	set_others(perf);
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		perf->events[kind].name = kinds[kind].name;
		perf->events[kind].attr.read_format = 0;
	}
	return 0;
}

/*
 * Whatever else the CPUs from number `first` on need before they are switched on: SWITCH records
 * where the kernel hides switches or may do so, and somebody who waits for their rings.
 */
static int complete_cpus(struct perf_collector *perf, size_t first, struct err *err)
{
	size_t count = perf->open.cpu_count - first;
	enum hidden *found = xcalloc(count, sizeof(*found));
	int rc = 0;

	hidden_switches_find(found, &perf->open, first, &perf->slim.layout);
	for (size_t i = 0; !rc && i < count; i++) {
		struct epoll_event wanted = {.events = EPOLLIN};
		int fd = perf->events[0].fds[first + i];

		if (epoll_ctl(perf->epoll, EPOLL_CTL_ADD, fd, &wanted))
			rc = err_set(err, "perf events cannot be waited for: %m");
		if (rc || found[i] == HIDDEN_NO)
			continue;
		perf->hiding.has[perf->open.cpus[first + i]] = true;
		perf->attrs[KIND_TASK].context_switch = 1;
		rc = cpu_events_open_apart(&perf->open, KIND_HIDDEN, first + i, err);
	}
	free(found);
	return rc;
}

/* What somebody who asks for details may want to know. */
static void make_note(struct perf_collector *perf)
{
	char *list;

	if (cpu_mask_is_empty(&perf->hiding))
		return;
	list = cpu_mask_format(&perf->hiding);
	perf->base.note = perf->note =
		xasprintf("CPU %s: this kernel hides from perf, or may hide, how threads get it "
			  "when it was idle, so PERF_RECORD_SWITCH is recorded there too",
			  list);
	free(list);
}

static int open_all(struct perf_collector *perf, const struct collector_options *options,
		    struct err *err)
{
	perf->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (perf->epoll < 0)
		return err_set(err, "perf events cannot be waited for: %m");
	if (set_events(perf, options, err) ||
	    cpu_watch_begin(&perf->cpus, CPU_WATCH_PATH, monotonic_ns(), err) ||
	    cpu_events_open(&perf->open, perf->events, KIND_COUNT, &perf->cpus.online, err))
		return -1;
	if (complete_cpus(perf, 0, err))
		return -1;
	make_note(perf);
	return 0;
}

/* --- CPUs that come ------------------------------------------------------------------------ */

/*
 * What ran there since it came has not been seen: as if records of the CPU had been lost, though
 * nobody counted them.
 */
static void tell_gap(struct perf_collector *perf, struct recording *recording, int cpu)
{
	const struct record_place place = {
		.id = perf->ids[KIND_SWITCH], .time_ns = monotonic_ns(), .cpu = (uint32_t)cpu};

	record_lost(recording, &place, 0);
}

static int add_cpu(struct perf_collector *perf, struct recording *recording, int cpu,
		   struct err *err)
{
	size_t first = perf->open.cpu_count;

	if (cpu_events_add(&perf->open, cpu, err))
		return -1;
	if (perf->open.cpu_count == first)
		return 0; /* and is gone again */
	if (complete_cpus(perf, first, err) || (perf->filtered && filter(perf, first, err)) ||
	    control(perf, first, err))
		return -1;
	tell_gap(perf, recording, cpu);
	return 0;
}

static int add_cpus(struct perf_collector *perf, struct recording *recording, struct err *err)
{
	struct cpu_list fresh;
	int rc = 0;

	cpu_watch_look(&perf->cpus, monotonic_ns(), &fresh);
	for (size_t i = 0; !rc && i < fresh.count; i++)
		rc = add_cpu(perf, recording, fresh.cpus[i], err);
	cpu_list_release(&fresh);
	return rc;
}

/* --- Following the target ------------------------------------------------------------------ */

static int expect(struct collector *collector, struct err *err)
{
	of(collector)->births_on = true;
	return control(of(collector), 0, err);
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct perf_collector *perf = of(collector);

	if (!perf->wide && id_watch_begin(&perf->id_watch, child, PROC))
		perf->slim.filter.first = child;
	perf->filtered = !thread_filter_passes_all(&perf->slim.filter);
	if (perf->filtered && filter(perf, 0, err))
		return -1;
	perf->switches_on = true;
	return control(perf, 0, err);
}

static int start(struct collector *collector, struct err *err)
{
	of(collector)->births_on = of(collector)->switches_on = true;
	return control(of(collector), 0, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct perf_collector *perf = of(collector);

	(void)err;
	task_table_set(&perf->slim.tasks, tid, pid);
	if (perf->alone && !perf->wide)
		thread_filter_add(&perf->slim.filter, tid);
	return 0;
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	of(collector)->switches_on = on;
	return control(of(collector), 0, err);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Wakes that the kernel counted and neither wrote nor says it lost, once it has been stopped. */
static uint64_t missed_wakes(const struct perf_collector *perf)
{
	uint64_t hits = 0, known = perf->slim.lost;

	for (enum kind kind = KIND_WAKING; kind <= KIND_WAKEUP_NEW; kind++) {
		hits += cpu_events_hits(&perf->open, kind);
		known += perf->slim.tracepoints[kind].received;
	}
	return hits > known ? hits - known : 0;
}

static void read_rings(struct perf_collector *perf, struct recording *recording)
{
	const struct perf_event_header *record;

	for (size_t i = 0; i < perf->open.cpu_count; i++) {
		struct ring *ring = &perf->open.rings[i];

		if (!ring_read(ring))
			continue;
		while ((record = ring_next(ring)))
			slim_complete(&perf->slim, recording, i, (uint32_t)perf->open.cpus[i],
				      record);
		ring_consume(ring);
	}
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct perf_collector *perf = of(collector);

	/* All that is adopted has been adopted by now. */
	if (!perf->filtered && !thread_filter_passes_all(&perf->slim.filter)) {
		perf->filtered = true;
		if (filter(perf, 0, err))
			return -1;
	}
	if (perf->slim.filter.first)
		id_watch_look(&perf->id_watch, PROC);
	perf->base.wrapped = perf->id_watch.wrapped;
	if (perf->births_on && add_cpus(perf, recording, err))
		return -1;
	read_rings(perf, recording);
	if (!perf->births_on)
		perf->base.missed_wakes = missed_wakes(perf);
	return 0;
}

/* --- The end ------------------------------------------------------------------------------- */

static void stop(struct collector *collector)
{
	struct perf_collector *perf = of(collector);
	struct err ignored;

	perf->births_on = perf->switches_on = false;
	control(perf, 0, &ignored);
}

static void tell(const struct collector *collector, FILE *out)
{
	const struct perf_collector *perf = (const struct perf_collector *)collector;

	for (enum kind kind = 0; kind < TRACEPOINTS; kind++)
		fprintf(out, "count %s %" PRIu64 "\n", kinds[kind].name,
			cpu_events_hits(&perf->open, kind));
	if (!cpu_mask_is_empty(&perf->hiding)) {
		char *list = cpu_mask_format(&perf->hiding);

		fprintf(out, "hidden %s\n", list);
		free(list);
	}
	if (perf->base.wrapped)
		fputs("wrapped 1\n", out);
}

static void release(struct collector *collector)
{
	struct perf_collector *perf = of(collector);

	cpu_events_release(&perf->open);
	cpu_watch_release(&perf->cpus);
	slim_release(&perf->slim);
	if (perf->epoll >= 0)
		close(perf->epoll);
	free(perf->note);
	free(perf);
}

static const struct collector_kind perf_kind = {
	.name = "perf",
	.expect = expect,
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.stop = stop,
	.tell = tell,
	.free = release,
};

struct collector *perf_collector_open(const struct collector_options *options, struct err *err)
{
	struct perf_collector *perf = xcalloc(1, sizeof(*perf));

	perf->wide = options->wide;
	perf->alone = options->alone;
	perf->base = (struct collector){
		.kind = &perf_kind,
		.events = perf->described,
		.event_count = DESCRIBED,
		.fds = &perf->epoll,
		.fd_count = 1,
	};
	if (open_all(perf, options, err)) {
		release(&perf->base);
		return NULL;
	}
	return &perf->base;
}
