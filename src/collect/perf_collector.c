/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/perf_collector.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/cpu_events.h"
#include "collect/cpu_list.h"
#include "collect/id_watch.h"
#include "collect/record.h"
#include "collect/recording.h"
#include "collect/task_table.h"
#include "collect/tracefs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define PROC "/proc"

enum kind {
	KIND_SWITCH,
	KIND_WAKING,
	KIND_WAKEUP_NEW,
	KIND_FORK,
	KIND_EXIT,
	KIND_TASK, /* no tracepoint: carries the kernel's COMM, FORK and EXIT records */
	KIND_COUNT,
};

static const char *const names[KIND_COUNT] = {
	[KIND_SWITCH] = "sched:sched_switch",	      [KIND_WAKING] = "sched:sched_waking",
	[KIND_WAKEUP_NEW] = "sched:sched_wakeup_new", [KIND_FORK] = "sched:sched_process_fork",
	[KIND_EXIT] = "sched:sched_process_exit",     [KIND_TASK] = "dummy",
};

struct perf_collector {
	struct collector base;
	struct cpu_event events[KIND_COUNT]; /* as the kernel is asked for them */
	struct cpu_events open;
	struct perfdata_event described[KIND_COUNT]; /* as the file has them */
	struct perf_event_attr attrs[KIND_COUNT];
	uint64_t ids[KIND_COUNT];
	struct task_table tasks;
	bool wide;
	bool filtered;
	struct id_watch id_watch;
};

/* What is asked of the kernel: only what cannot be added here. */
enum {
	TRACEPOINT_SAMPLE_TYPE = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	TASK_SAMPLE_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};

static struct perf_collector *of(struct collector *collector)
{
	return (struct perf_collector *)collector;
}

/* --- Opening ------------------------------------------------------------------------------- */

static int set_event(struct perf_collector *perf, enum kind kind, const char *tracefs,
		     struct err *err)
{
	struct cpu_event *event = &perf->events[kind];
	bool task = kind == KIND_TASK;
	uint64_t config = PERF_COUNT_SW_DUMMY;
	char path[64];

	snprintf(path, sizeof(path), "%s", names[kind]);
	if (!task) {
		*strchr(path, ':') = '/';
		if (tracefs_event_id(&config, tracefs, path, err))
			return -1;
	}
	perf->attrs[kind] = record_attr(task ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT, config);
	perf->attrs[kind].comm = perf->attrs[kind].comm_exec = perf->attrs[kind].task = task;
	perf->ids[kind] = RECORD_OWN_ID + (uint64_t)kind;
	perf->described[kind] =
		(struct perfdata_event){names[kind], &perf->attrs[kind], &perf->ids[kind], 1};
	event->name = names[kind];
	event->attr = perf->attrs[kind];
	event->attr.sample_type = task ? TASK_SAMPLE_TYPE : TRACEPOINT_SAMPLE_TYPE;
	event->attr.read_format = 0;
	return 0;
}

static int control(struct perf_collector *perf, enum kind first, enum kind end,
		   unsigned long request, struct err *err)
{
	for (enum kind kind = first; kind < end; kind++)
		if (cpu_events_control(&perf->open, kind, request, NULL))
			return err_set(err, "%s: cannot be switched on or off: %m", names[kind]);
	return 0;
}

/* --- Following the target ------------------------------------------------------------------ */

static int expect(struct collector *collector, struct err *err)
{
	return control(of(collector), KIND_FORK, KIND_COUNT, PERF_EVENT_IOC_ENABLE, err);
}

/*
 * Switches and wakes that have nothing to do with a thread id of at least `first` are not recorded.
 * That follows all descendants of process `first` while ids grow.
 */
static int filter(struct perf_collector *perf, pid_t first, struct err *err)
{
	for (enum kind kind = KIND_SWITCH; kind < KIND_FORK; kind++) {
		char text[64];

		snprintf(text, sizeof(text),
			 kind == KIND_SWITCH ? "prev_pid>=%1$d||next_pid>=%1$d" : "pid>=%1$d",
			 (int)first);
		if (cpu_events_control(&perf->open, kind, PERF_EVENT_IOC_SET_FILTER, text))
			return err_set(err, "%s: the kernel does not take the filter '%s': %m",
				       names[kind], text);
	}
	return 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct perf_collector *perf = of(collector);

	perf->filtered = !perf->wide && id_watch_begin(&perf->id_watch, child, PROC);
	if (perf->filtered && filter(perf, child, err))
		return -1;
	return control(perf, KIND_SWITCH, KIND_FORK, PERF_EVENT_IOC_ENABLE, err);
}

static int start(struct collector *collector, struct err *err)
{
	return control(of(collector), KIND_SWITCH, KIND_COUNT, PERF_EVENT_IOC_ENABLE, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	(void)err;
	task_table_set(&of(collector)->tasks, tid, pid);
	return 0;
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	return control(of(collector), KIND_SWITCH, KIND_FORK,
		       on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, err);
}

static void stop(struct collector *collector)
{
	struct err ignored;

	control(of(collector), KIND_SWITCH, KIND_COUNT, PERF_EVENT_IOC_DISABLE, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* What the kernel writes for a tracepoint: see TRACEPOINT_SAMPLE_TYPE. */
struct slim_sample {
	struct perf_event_header header;
	uint64_t time_ns;
	uint32_t raw_size;
	/* every tracepoint's fields begin with these, see events/header_event in tracefs */
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t tid;
} __attribute__((packed));

/* The end of every other record: see TASK_SAMPLE_TYPE. */
struct slim_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
};

static void complete_sample(struct perf_collector *perf, struct recording *recording,
			    const struct perf_event_header *record, uint32_t cpu)
{
	const size_t raw_offset = offsetof(struct slim_sample, type);
	struct slim_sample slim;
	struct record_place place;

	if (record->size < sizeof(slim))
		return; /* the kernel never does that */
	memcpy(&slim, record, sizeof(slim));
	if (slim.raw_size > record->size - raw_offset)
		return;
	for (enum kind kind = KIND_SWITCH; kind < KIND_TASK; kind++) {
		if (perf->attrs[kind].config != slim.type)
			continue;
		place = (struct record_place){
			.id = perf->ids[kind],
			.time_ns = slim.time_ns,
			.pid = task_table_pid(&perf->tasks, slim.tid, PROC),
			.tid = slim.tid,
			.cpu = cpu,
		};
		record_sample(recording, &place, NULL, (const uint8_t *)record + raw_offset,
			      slim.raw_size);
	}
}

static void complete_task(struct perf_collector *perf, struct recording *recording,
			  const struct perf_event_header *record, const struct record_place *place)
{
	struct {
		struct record_task task;
		uint64_t time_ns;
	} body;

	memcpy(&body, record + 1, sizeof(body));
	body.task = (struct record_task){body.task.pid, body.task.parent_pid, body.task.tid,
					 body.task.parent_tid};
	if (record->type == PERF_RECORD_FORK) {
		task_table_set(&perf->tasks, body.task.tid, body.task.pid);
		record_fork(recording, place, &body.task);
	} else {
		record_exit(recording, place, &body.task);
	}
}

/* The records of the kernel that are no samples. */
static void complete_other(struct perf_collector *perf, struct recording *recording,
			   const struct perf_event_header *record, uint32_t cpu)
{
	const uint8_t *end = (const uint8_t *)record + record->size;
	struct record_place place = {.id = perf->ids[KIND_TASK], .cpu = cpu};
	struct slim_trailer trailer;
	uint64_t lost[2];

	if (record->size < sizeof(*record) + sizeof(lost) + sizeof(trailer.time_ns))
		return;
	if (record->type == PERF_RECORD_LOST) { /* of the event that the ring belongs to */
		memcpy(lost, record + 1, sizeof(lost));
		memcpy(&place.time_ns, end - sizeof(place.time_ns), sizeof(place.time_ns));
		place.id = perf->ids[KIND_SWITCH];
		record_lost(recording, &place, lost[1]);
		return;
	}
	memcpy(&trailer, end - sizeof(trailer), sizeof(trailer));
	place.time_ns = trailer.time_ns;
	place.pid = (pid_t)trailer.pid;
	place.tid = (pid_t)trailer.tid;
	if (record->type == PERF_RECORD_COMM)
		record_comm(recording, &place, (const char *)(record + 1) + 8,
			    record->misc & PERF_RECORD_MISC_COMM_EXEC);
	else if (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)
		complete_task(perf, recording, record, &place);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct perf_collector *perf = of(collector);
	const struct perf_event_header *record;

	(void)err;
	if (perf->filtered)
		id_watch_look(&perf->id_watch, PROC);
	perf->base.wrapped = perf->id_watch.wrapped;
	for (size_t i = 0; i < perf->open.cpu_count; i++) {
		struct ring *ring = &perf->open.rings[i];
		uint32_t cpu = (uint32_t)perf->open.cpus[i];

		if (!ring_read(ring))
			continue;
		while ((record = ring_next(ring)))
			if (record->type == PERF_RECORD_SAMPLE)
				complete_sample(perf, recording, record, cpu);
			else
				complete_other(perf, recording, record, cpu);
		ring_consume(ring);
	}
	return 0;
}

/* --- The end ------------------------------------------------------------------------------- */

static void tell(const struct collector *collector, FILE *out)
{
	const struct perf_collector *perf = (const struct perf_collector *)collector;

	for (enum kind kind = KIND_SWITCH; kind < KIND_TASK; kind++)
		fprintf(out, "count %s %" PRIu64 "\n", names[kind],
			cpu_events_hits(&perf->open, kind));
	if (perf->base.wrapped)
		fputs("wrapped 1\n", out);
}

static void release(struct collector *collector)
{
	struct perf_collector *perf = of(collector);

	cpu_events_release(&perf->open);
	task_table_release(&perf->tasks);
	free(perf);
}

static const struct collector_kind kind = {
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
	struct cpu_list online;
	int rc = 0;

	perf->base = (struct collector){
		.kind = &kind, .events = perf->described, .event_count = KIND_COUNT};
	perf->wide = options->wide;
	for (enum kind i = 0; !rc && i < KIND_COUNT; i++)
		rc = set_event(perf, i, options->tracefs, err);
	if (!rc)
		rc = cpu_list_read(&online, "/sys/devices/system/cpu/online", err);
	if (!rc) {
		rc = cpu_events_open(&perf->open, perf->events, KIND_COUNT, &online, err);
		cpu_list_release(&online);
		perf->base.fds = perf->events[0].fds;
		perf->base.fd_count = perf->open.cpu_count;
	}
	if (rc) {
		release(&perf->base);
		return NULL;
	}
	return &perf->base;
}
