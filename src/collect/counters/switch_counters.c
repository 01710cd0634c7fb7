/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/counters/counters.h"
#include "collect/counters/counters_private.h"
#include "collect/kernel/perf_events.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/thread_filter.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC "/proc"

/* The table: the tracepoint leads a group with all counters. */
enum { SWITCHES, COUNTERS };

/* The places of fields in the payload of the tracepoint. */
enum { PREV_PID, PREV_STATE, NEXT_PID };

/*
 * The words of a read of the group: the number of members, two times, the tracepoint, the counters.
 */
enum { MEMBERS, ENABLED_NS, RUNNING_NS, VALUES = 4 };

struct switch_counters {
	struct collector base;
	struct counter_choice choice;
	struct counter_stretches *stretches;
	enum counter_gain *gains;
	struct perf_event *table;
	struct perf_events open;
	struct sample_layout layout; /* of the tracepoint */
	struct tracefs_format format;
	struct lineage *lineage; /* borrowed */
	struct thread_filter filter;
	bool stopped, told;
	uint64_t stop_ns;
};

static struct switch_counters *of(struct collector *collector)
{
	return (struct switch_counters *)collector;
}

/* --- Opening ------------------------------------------------------------------------------- */

static int read_format(struct tracefs_format *format, const char *tracefs, struct err *err)
{
	static const char *const names[] = {"prev_pid", "prev_state", "next_pid", NULL};

	if (tracefs_format_read(format, tracefs, "sched:sched_switch", names, err))
		return -1;
	for (size_t i = 0; names[i]; i++)
		if (format->fields[i].size < sizeof(int32_t))
			return err_set(err, "sched_switch: has no field %s of 4 bytes", names[i]);
	return 0;
}

static enum counter_gain gain_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return GAIN_EVENTS;
	if (attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK)
		return GAIN_TIME;
	/* In user mode there are no context switches. */
	return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !attr->exclude_kernel
		       ? GAIN_SWITCHES
		       : GAIN_EVENTS;
}

static void set_table(struct switch_counters *counters, bool has_clock)
{
	struct perf_event *switches;

	counters->table = xcalloc(COUNTERS + counters->choice.count, sizeof(*counters->table));
	switches = &counters->table[SWITCHES];
	switches->name = "sched:sched_switch";
	switches->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = counters->format.type,
		.size = sizeof(switches->attr),
		.sample_period = 1,
		.sample_type =
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.context_switch = has_clock,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	for (size_t i = 0; i < counters->choice.count; i++) {
		struct perf_event *event = &counters->table[COUNTERS + i];

		event->name = counters->choice.counters[i].name;
		event->in_group = true;
		event->attr = counters->choice.counters[i].attr;
		event->attr.size = sizeof(event->attr);
		event->attr.use_clockid = 1; /* a group has one clock */
		event->attr.clockid = CLOCK_MONOTONIC;
	}
	sample_layout_init(&counters->layout, &switches->attr);
}

/* --- Following the target ------------------------------------------------------------------ */

static int enable(struct collector *collector, bool on, struct err *err)
{
	struct switch_counters *counters = of(collector);

	for (size_t at = 0; at < counters->open.cpu_count; at++)
		counter_stretches_lost(counters->stretches, at);
	return perf_events_set(&counters->open, SWITCHES, on, err);
}

static int start(struct collector *collector, struct err *err)
{
	return perf_events_set(&of(collector)->open, SWITCHES, true, err);
}

/* Follows the command. As in perf_collector.c, descendants have larger numbers while these grow. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct switch_counters *counters = of(collector);
	char text[THREAD_FILTER_TEXT_SIZE];

	if (!counters->lineage->wide && thread_filter_follow(&counters->filter, child, PROC)) {
		thread_filter_text(text, &counters->filter, "prev_pid", "next_pid");
		if (perf_events_filter(&counters->open, SWITCHES, text, err))
			return -1;
	}
	return start(collector, err);
}

static void stop(struct collector *collector)
{
	struct switch_counters *counters = of(collector);
	struct err ignored;

	if (counters->stopped)
		return;
	perf_events_set(&counters->open, SWITCHES, false, &ignored);
	counters->stopped = true;
	counters->stop_ns = monotonic_ns();
}

/* --- Records ------------------------------------------------------------------------------- */

static int32_t number_of(const struct switch_counters *counters, const struct sample *sample,
			 size_t field)
{
	int32_t value;

	memcpy(&value, (const uint8_t *)sample->raw + counters->format.fields[field].offset,
	       sizeof(value));
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
	counter_choice_write(&counters->choice, recording, &place, counted->counts);
}

static struct counter_state state_of(const uint64_t *words, uint64_t time_ns)
{
	return (struct counter_state){time_ns, words[ENABLED_NS], words[RUNNING_NS],
				      words + VALUES};
}

/* Reads a sample. The values of the group follow the first fields. */
static void take_sample(struct switch_counters *counters, struct recording *recording,
			const struct perf_event_header *record, size_t at)
{
	const uint64_t *words = (const uint64_t *)(record + 1) + counters->layout.head.size / 8;
	const struct counted *counted;
	struct sample sample;

	if (record_parse(&sample, record, &counters->layout) ||
	    words[MEMBERS] != counters->open.event_count ||
	    sample.raw_length < counters->format.size)
		return; /* the kernel never does that */
	counted = counter_stretches_switch(
		counters->stretches, at,
		&(struct counter_switch){
			.pid = sample.pid,
			.from = number_of(counters, &sample, PREV_PID),
			.to = number_of(counters, &sample, NEXT_PID),
			.dead = number_of(counters, &sample, PREV_STATE) & 0x30, /* X or Z */
			.state = state_of(words, sample.time_ns),
		});
	if (counted)
		write_counted(counters, recording, counted, sample.time_ns,
			      (uint32_t)counters->open.cpus[at]);
}

/* Reads PERF_RECORD_SWITCH_CPU_WIDE of the thread that gets the CPU. */
static void take_arrival(struct switch_counters *counters, const struct perf_event_header *record,
			 size_t at)
{
	struct sample sample;

	if (!(record->misc & PERF_RECORD_MISC_SWITCH_OUT) &&
	    record_body(&sample, record, &counters->layout))
		counter_stretches_arrive(counters->stretches, at, sample.tid, sample.time_ns);
}

static void read_ring(struct switch_counters *counters, struct recording *recording, size_t at)
{
	struct ring *ring = &counters->open.rings[at];
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

/* Ends the counts of threads that are on a CPU now. */
static void close_stretches(struct switch_counters *counters)
{
	size_t size = (VALUES + counters->choice.count) * sizeof(uint64_t);
	uint64_t *words = xcalloc(size, 1);

	for (size_t at = 0; at < counters->open.cpu_count; at++) {
		int fd = perf_events_fd(&counters->open, SWITCHES, at);
		struct counter_state state;

		if (read(fd, words, size) != (ssize_t)size)
			continue;
		state = state_of(words, counters->stop_ns);
		counter_stretches_close(counters->stretches, at, &state);
	}
	free(words);
}

static void mark(struct collector *collector)
{
	perf_events_mark(&of(collector)->open);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct switch_counters *counters = of(collector);
	const struct counted *counted;

	if (!counters->stopped && perf_events_look(&counters->open, NULL, NULL, err))
		return -1;
	counters->base.wrapped |= thread_filter_has_wrapped(&counters->filter, PROC);
	for (size_t at = 0; at < counters->open.cpu_count; at++)
		read_ring(counters, recording, at);
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

	perf_events_release(&counters->open);
	counter_stretches_free(counters->stretches);
	counter_choice_release(&counters->choice);
	free(counters->table);
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

static int open_all(struct switch_counters *counters, const struct collector_options *options,
		    struct err *err)
{
	bool has_clock = false;

	if (!options->tracefs)
		return err_set(err, "tracefs may not be read");
	if (read_format(&counters->format, options->tracefs, err))
		return -1;
	counters->gains = xcalloc(counters->choice.count, sizeof(*counters->gains));
	for (size_t i = 0; i < counters->choice.count; i++) {
		counters->gains[i] = gain_of(&counters->choice.counters[i].attr);
		has_clock |= counters->gains[i] == GAIN_TIME;
	}
	set_table(counters, has_clock);
	counters->stretches = counter_stretches_new(counters->gains, counters->choice.count);
	return perf_events_open(&counters->open, counters->table, COUNTERS + counters->choice.count,
				PERF_ON_CPUS, options->online, err);
}

struct collector *switch_counters_open(const struct collector_options *options,
				       struct counter_choice *choice, struct err *err)
{
	struct switch_counters *counters = xcalloc(1, sizeof(*counters));

	counters->choice = *choice;
	*choice = (struct counter_choice){0};
	counters->lineage = options->lineage;
	counters->base = (struct collector){
		.kind = &kind,
		.events = counters->choice.events,
		.event_count = counters->choice.count,
		.fd = &counters->open.wake_fd,
	};
	if (open_all(counters, options, err)) {
		*choice = counters->choice;
		counters->choice = (struct counter_choice){0};
		switch_counters_release(&counters->base);
		return NULL;
	}
	return &counters->base;
}
