/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/switch_counters.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/counters/counter_output.h"
#include "collect/counters/counter_stretches.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/permission.h"
#include "collect/kernel/ring.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/thread_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PROC  "/proc"
#define EVENT "sched:sched_switch"

/* See cpu_events.c. */
enum { RING_BYTES = 4 << 20 };

/* Where the tracepoint has them. */
struct fields {
	unsigned prev_pid, prev_state, next_pid, size;
};

/* On one CPU: the first descriptor is that of the tracepoint, the others count. */
struct place {
	int cpu;
	int *fds;
	struct ring ring;
};

struct switch_counters {
	struct collector base;
	struct counter_choice choice;
	struct counter_output output;
	struct counter_stretches *stretches;
	enum counter_gain *gains;
	bool has_clock;
	struct fields fields;
	struct perf_event_attr attr; /* of the tracepoint */
	struct place *places;
	size_t place_count;
	int *fds;		 /* of the rings */
	struct lineage *lineage; /* borrowed */
	struct id_watch id_watch;
	bool wide, filtered, stopped, told;
	uint64_t stop_ns;
};

static struct switch_counters *of(struct collector *collector)
{
	return (struct switch_counters *)collector;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;" */
static int find_field(unsigned *offset, unsigned *end, const char *format, const char *name)
{
	const char *line = strstr(format, name);
	unsigned size;

	if (!line || sscanf(line + strlen(name), "\toffset:%u;\tsize:%u;", offset, &size) != 2 ||
	    size < sizeof(int32_t))
		return -1;
	if (*offset + size > *end)
		*end = *offset + size;
	return 0;
}

static int read_fields(struct fields *fields, const char *tracefs, struct err *err)
{
	char *format = tracefs_read(tracefs, "events/sched/sched_switch/format", NULL, err);
	int rc = 0;

	if (!format)
		return -1;
	if (find_field(&fields->prev_pid, &fields->size, format, " prev_pid;") ||
	    find_field(&fields->prev_state, &fields->size, format, " prev_state;") ||
	    find_field(&fields->next_pid, &fields->size, format, " next_pid;"))
		rc = err_set(err, EVENT " of this kernel lacks prev_pid, prev_state or next_pid");
	free(format);
	return rc;
}

static enum counter_gain gain_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return GAIN_EVENTS;
	if (attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK)
		return GAIN_TIME;
	/* In user mode alone there are none. */
	return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !attr->exclude_kernel
		       ? GAIN_SWITCHES
		       : GAIN_EVENTS;
}

static void set_attr(struct switch_counters *counters, uint64_t config)
{
	counters->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = config,
		.size = sizeof(counters->attr),
		.sample_period = 1,
		.sample_type =
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.context_switch = counters->has_clock,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int event_open(struct perf_event_attr *attr, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_place(struct switch_counters *counters, struct place *place, struct err *err)
{
	place->fds[0] = event_open(&counters->attr, place->cpu, -1);
	if (place->fds[0] < 0 || ring_map(&place->ring, place->fds[0], RING_BYTES))
		return permission_perf_event(err, EVENT);
	for (size_t i = 0; i < counters->choice.count; i++) {
		struct perf_event_attr attr = counters->choice.counters[i].attr;

		attr.size = sizeof(attr);
		attr.use_clockid = 1; /* a group has one clock */
		attr.clockid = CLOCK_MONOTONIC;
		place->fds[1 + i] = event_open(&attr, place->cpu, place->fds[0]);
		if (place->fds[1 + i] < 0)
			return permission_perf_event(err, counters->choice.counters[i].name);
	}
	return 0;
}

static int open_places(struct switch_counters *counters, const struct cpu_list *cpus,
		       struct err *err)
{
	size_t each = 1 + counters->choice.count;

	counters->places = xcalloc(cpus->count, sizeof(*counters->places));
	counters->fds = xcalloc(cpus->count, sizeof(*counters->fds));
	for (size_t i = 0; i < cpus->count; i++) {
		struct place *place = &counters->places[counters->place_count++];

		place->cpu = cpus->cpus[i];
		place->fds = xcalloc(each, sizeof(*place->fds));
		memset(place->fds, -1, each * sizeof(*place->fds));
		if (open_place(counters, place, err))
			return -1;
		counters->fds[i] = place->fds[0];
	}
	counters->base.fds = counters->fds;
	counters->base.fd_count = counters->place_count;
	return 0;
}

/* --- Following the target ------------------------------------------------------------------ */

static int control(struct switch_counters *counters, unsigned long request, const void *argument,
		   struct err *err)
{
	for (size_t i = 0; i < counters->place_count; i++)
		if (ioctl(counters->places[i].fds[0], request, argument))
			return err_set(err, EVENT ": cannot be set up: %m");
	return 0;
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	struct switch_counters *counters = of(collector);

	for (size_t i = 0; i < counters->place_count; i++)
		counter_stretches_lost(counters->stretches, i);
	return control(counters, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL, err);
}

static int start(struct collector *collector, struct err *err)
{
	return control(of(collector), PERF_EVENT_IOC_ENABLE, NULL, err);
}

/* As perf_collector.c: descendants have larger numbers, as long as these grow. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct switch_counters *counters = of(collector);
	char filter[64];

	snprintf(filter, sizeof(filter), "prev_pid>=%1$d||next_pid>=%1$d", (int)child);
	counters->filtered = !counters->wide && id_watch_begin(&counters->id_watch, child, PROC);
	if (counters->filtered && control(counters, PERF_EVENT_IOC_SET_FILTER, filter, err))
		return -1;
	return start(collector, err);
}

static void stop(struct collector *collector)
{
	struct switch_counters *counters = of(collector);
	struct err ignored;

	if (counters->stopped)
		return;
	control(counters, PERF_EVENT_IOC_DISABLE, NULL, &ignored);
	counters->stopped = true;
	counters->stop_ns = monotonic_ns();
}

/* --- Records ------------------------------------------------------------------------------- */

/* A sample of the tracepoint, up to its values: see set_attr(). */
struct head {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t members, enabled_ns, running_ns, tracepoint;
};

/* What every other record ends in. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
};

static int32_t field(const uint8_t *raw, unsigned offset)
{
	int32_t value;

	memcpy(&value, raw + offset, sizeof(value));
	return value;
}

static void write_counted(struct switch_counters *counters, struct recording *recording,
			  const struct counted *counted, uint64_t time_ns, uint32_t cpu)
{
	struct record_place place = {
		.time_ns = time_ns,
		.pid = counted->pid,
		.tid = counted->tid,
		.cpu = cpu,
	};

	if (!lineage_has_thread(counters->lineage, counted->pid, counted->tid, time_ns))
		return;
	if (place.pid <= 0)
		place.pid = lineage_process_of(counters->lineage, counted->tid);
	counter_output_write(&counters->output, recording, &place, counted->counts);
}

static void take_sample(struct switch_counters *counters, struct recording *recording,
			const struct perf_event_header *record, size_t at)
{
	const size_t values_size = counters->choice.count * sizeof(uint64_t);
	const size_t raw_at = sizeof(struct head) + values_size + sizeof(uint32_t);
	const uint8_t *raw = (const uint8_t *)record + raw_at;
	const struct counted *counted;
	struct head head;

	if (record->size < raw_at + counters->fields.size)
		return; /* the kernel never does that */
	memcpy(&head, record, sizeof(head));
	counted = counter_stretches_switch(
		counters->stretches, at,
		&(struct counter_switch){
			.pid = (pid_t)head.pid,
			.from = field(raw, counters->fields.prev_pid),
			.to = field(raw, counters->fields.next_pid),
			.dead = field(raw, counters->fields.prev_state) & 0x30, /* X or Z */
			.state = {head.time_ns, head.enabled_ns, head.running_ns,
				  (const uint64_t *)(const void *)((const uint8_t *)record +
								   sizeof(head))},
		});
	if (counted)
		write_counted(counters, recording, counted, head.time_ns,
			      (uint32_t)counters->places[at].cpu);
}

/* PERF_RECORD_SWITCH_CPU_WIDE of the thread that gets the CPU. */
static void take_arrival(struct switch_counters *counters, const struct perf_event_header *record,
			 size_t at)
{
	struct trailer trailer;

	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT ||
	    record->size < sizeof(*record) + sizeof(trailer))
		return;
	memcpy(&trailer, (const uint8_t *)record + record->size - sizeof(trailer), sizeof(trailer));
	counter_stretches_arrive(counters->stretches, at, (pid_t)trailer.tid, trailer.time_ns);
}

static void read_ring(struct switch_counters *counters, struct recording *recording, size_t at)
{
	struct ring *ring = &counters->places[at].ring;
	const struct perf_event_header *record;

	while ((record = ring_next(ring)))
		if (record->type == PERF_RECORD_SAMPLE)
			take_sample(counters, recording, record, at);
		else if (record->type == PERF_RECORD_SWITCH_CPU_WIDE)
			take_arrival(counters, record, at);
		else if (record->type == PERF_RECORD_LOST)
			counter_stretches_lost(counters->stretches, at);
	ring_consume(ring);
}

/* --- The end ------------------------------------------------------------------------------- */

/* What threads have counted that are on a CPU now. */
static void close_stretches(struct switch_counters *counters)
{
	const size_t fixed = 4; /* members, enabled, running, the tracepoint itself */
	size_t size = (fixed + counters->choice.count) * sizeof(uint64_t);
	uint64_t *words = xcalloc(size, 1);

	for (size_t i = 0; i < counters->place_count; i++) {
		struct counter_state state = {counters->stop_ns, 0, 0, words + fixed};

		if (read(counters->places[i].fds[0], words, size) != (ssize_t)size)
			continue;
		state.enabled_ns = words[1];
		state.running_ns = words[2];
		counter_stretches_close(counters->stretches, i, &state);
	}
	free(words);
}

static void mark(struct collector *collector)
{
	struct switch_counters *counters = of(collector);

	for (size_t i = 0; i < counters->place_count; i++)
		ring_read(&counters->places[i].ring);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct switch_counters *counters = of(collector);
	const struct counted *counted;

	(void)err;
	if (counters->filtered)
		id_watch_look(&counters->id_watch, PROC);
	counters->base.wrapped = counters->id_watch.wrapped;
	for (size_t i = 0; i < counters->place_count; i++)
		read_ring(counters, recording, i);
	if (!counters->stopped || counters->told)
		return 0;
	counters->told = true;
	close_stretches(counters);
	while ((counted = counter_stretches_take(counters->stretches)))
		write_counted(counters, recording, counted, counters->stop_ns, 0);
	return 0;
}

static void switch_counters_release(struct collector *collector)
{
	struct switch_counters *counters = of(collector);

	for (size_t i = 0; i < counters->place_count; i++) {
		struct place *place = &counters->places[i];

		ring_unmap(&place->ring);
		for (size_t k = 0; k <= counters->output.count; k++)
			if (place->fds[k] >= 0)
				close(place->fds[k]);
		free(place->fds);
	}
	counter_stretches_free(counters->stretches);
	counter_output_release(&counters->output);
	counter_choice_release(&counters->choice);
	free(counters->places);
	free(counters->fds);
	free(counters->gains);
	free(counters);
}

static const struct collector_kind kind = {
	.name = "counters",
	.follow = follow,
	.start = start,
	.enable = enable,
	.mark = mark,
	.pass = pass,
	.stop = stop,
	.free = switch_counters_release,
};

static int open_all(struct switch_counters *counters, const char *tracefs, struct err *err)
{
	struct cpu_list online;
	uint64_t config;
	int rc;

	if (!tracefs)
		return err_set(err, "tracefs may not be read");
	if (tracefs_event_id(&config, tracefs, "sched/sched_switch", err) ||
	    read_fields(&counters->fields, tracefs, err) ||
	    cpu_list_read(&online, "/sys/devices/system/cpu/online", err))
		return -1;
	set_attr(counters, config);
	rc = open_places(counters, &online, err);
	cpu_list_release(&online);
	counters->stretches = counter_stretches_new(counters->gains, counters->choice.count,
						    counters->place_count);
	return rc;
}

struct collector *switch_counters_open(const struct collector_options *options,
				       struct counter_choice *choice, struct err *err)
{
	struct switch_counters *counters = xcalloc(1, sizeof(*counters));

	counters->base.kind = &kind;
	counters->choice = *choice;
	*choice = (struct counter_choice){0};
	counters->wide = options->wide;
	counters->lineage = options->lineage;
	counters->gains = xcalloc(counters->choice.count, sizeof(*counters->gains));
	for (size_t i = 0; i < counters->choice.count; i++) {
		counters->gains[i] = gain_of(&counters->choice.counters[i].attr);
		counters->has_clock |= counters->gains[i] == GAIN_TIME;
	}
	counter_output_init(&counters->output, &counters->choice);
	counters->base.events = counters->output.events;
	counters->base.event_count = counters->output.count;
	if (open_all(counters, options->tracefs, err)) {
		*choice = counters->choice;
		counters->choice = (struct counter_choice){0};
		switch_counters_release(&counters->base);
		return NULL;
	}
	return &counters->base;
}
