/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_events.h"

#include "base/alloc.h"
#include "decode/counts.h"
#include "decode/formats.h"
#include "decode/order.h"
#include "decode/perfdata_file.h"
#include "decode/quality.h"
#include "decode/sample.h"

#include <stdlib.h>
#include <string.h>

enum { CPU_MAX = 1 << 16 };

/* A record of the kernel, with the id fields that it carries. */
struct reading {
	const struct perfdata_record *record;
	struct sample sample;
};

static int read_i32(const struct reading *reading, size_t offset, int32_t *value)
{
	if (offset + sizeof(*value) > reading->record->length)
		return -1;
	memcpy(value, reading->record->body + offset, sizeof(*value));
	return 0;
}

static struct event new_event(const struct reading *reading, enum event_kind kind)
{
	const struct sample *sample = &reading->sample;

	return (struct event){
		.time_ns = sample->time_ns,
		.place = reading->record->place,
		.kind = kind,
		.cpu = sample->cpu,
		.pid = sample->pid,
		.tid = sample->tid,
		.other_pid = -1,
		.other = -1,
	};
}

/* Its buffer holds nothing of the scheduler. */
static bool is_aside(const struct sample *sample)
{
	return sample->id >= PERFDATA_ASIDE_ID;
}

/* Where the buffer of a CPU had come to: records lost later were lost after this time. */
static void note_time(struct perfdata_events *events, const struct sample *sample)
{
	if (is_aside(sample) || sample->cpu < 0 || sample->cpu >= CPU_MAX)
		return;
	array_reserve(&events->last_ns, &events->cpu_capacity, (size_t)sample->cpu + 1);
	events->last_ns[sample->cpu] = sample->time_ns;
}

static void count_sample(struct perfdata_events *events, const struct sample *sample)
{
	uint16_t type;

	if (sample->raw_length < sizeof(type))
		return;
	memcpy(&type, sample->raw, sizeof(type));
	array_reserve(&events->samples, &events->sample_capacity, (size_t)type + 1);
	events->samples[type]++;
}

/* --- Samples ------------------------------------------------------------------------------- */

/* Whose sample it is; NULL when that cannot be told. */
static const struct perf_event_attr *attr_of_sample(const struct perfdata_file *file,
						    const struct perfdata_record *record)
{
	int offset = sample_id_offset(file->attrs[0].sample_type);
	uint64_t id;

	if (file->attr_count == 1)
		return &file->attrs[0];
	if (offset < 0 || (size_t)offset + sizeof(id) > record->length)
		return NULL;
	memcpy(&id, record->body + offset, sizeof(id));
	return perfdata_file_attr(file, id);
}

static int read_sample(struct perfdata_events *events, struct reading *reading)
{
	const struct perfdata_record *record = reading->record;
	const struct perf_event_attr *attr = attr_of_sample(events->file, record);
	struct sample *sample = &reading->sample;
	struct event event;
	int pid, rc;

	if (!attr || sample_parse(sample, attr, record->body, record->length))
		return -1;
	note_time(events, sample);
	if (attr->type != PERF_TYPE_TRACEPOINT || !sample->raw)
		return 0;
	count_sample(events, sample);
	event = new_event(reading, EVENT_SWITCH);
	pid = event.pid;
	rc = formats_decode(events->formats, &event, sample->raw, sample->raw_length);
	/* In a container the header has ids of its namespace: the payload is right. */
	event.pid = event.tid == sample->tid ? pid : -1;
	if (rc > 0)
		order_push(events->order, &event);
	return rc < 0 ? -1 : 0;
}

/* --- Other records ------------------------------------------------------------------------- */

/* PERF_RECORD_COMM: u32 pid, tid; char comm[] */
static int read_comm(struct perfdata_events *events, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;
	bool exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC && reading->sample.time_ns;
	struct event event = new_event(reading, exec ? EVENT_EXEC : EVENT_TASK);

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 4, &event.tid))
		return -1;
	event_set_comm(event.comm, record->body + 8, record->length - 8);
	order_push(events->order, &event);
	return 0;
}

/*
 * PERF_RECORD_FORK: u32 pid, ppid, tid, ptid; u64 time. It is written a moment before
 * sched_process_fork, which says when the thread becomes runnable; where a recording has that one,
 * this one only tells the process. Time 0: the thread existed before.
 */
static int read_fork(struct perfdata_events *events, const struct reading *reading)
{
	struct event event = new_event(reading, EVENT_TASK);
	bool birth = event.time_ns && events->births;

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 4, &event.other_pid) ||
	    read_i32(reading, 8, &event.tid) || read_i32(reading, 12, &event.other))
		return -1;
	if (birth) {
		struct event task = event;

		event.kind = EVENT_FORK;
		event.pid = task.other_pid;
		event.tid = task.other;
		event.other_pid = task.pid;
		event.other = task.tid;
	}
	order_push(events->order, &event);
	return 0;
}

/* PERF_RECORD_EXIT: the same fields. Nothing is seen of the thread after that. */
static int read_exit(struct perfdata_events *events, const struct reading *reading)
{
	struct event event = new_event(reading, EVENT_END);

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 8, &event.tid))
		return -1;
	if (events->ends && event.time_ns)
		order_push(events->order, &event);
	return 0;
}

static int read_switch(struct perfdata_events *events, const struct reading *reading)
{
	uint16_t misc = reading->record->header.misc;
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct event event = new_event(reading, out ? EVENT_SWITCH_OUT : EVENT_SWITCH_IN);

	event.state = preempted ? STATE_RUNNABLE : STATE_INACTIVE;
	if (event.tid < 0 || !event.time_ns)
		return 0;
	order_push(events->order, &event);
	return 0;
}

/* PERF_RECORD_LOST: u64 id, lost. PERF_RECORD_LOST_SAMPLES: u64 lost. */
static int read_lost(struct perfdata_events *events, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;
	size_t offset = record->header.type == PERF_RECORD_LOST ? 8 : 0;
	struct event event = new_event(reading, EVENT_GAP);
	uint64_t lost;

	if (offset + sizeof(lost) > record->length)
		return -1;
	if (is_aside(&reading->sample))
		return 0;
	memcpy(&lost, record->body + offset, sizeof(lost));
	events->quality->lost += lost;
	if (event.cpu >= 0 && (size_t)event.cpu < events->cpu_capacity)
		event.time_ns = events->last_ns[event.cpu];
	order_push(events->order, &event);
	return 0;
}

/*
 * Whose trailer it ends in. Events may differ in what they have, and where all have
 * PERF_SAMPLE_IDENTIFIER the last word tells.
 */
static const struct perf_event_attr *attr_of_trailer(const struct perfdata_file *file,
						     const struct perfdata_record *record)
{
	const struct perf_event_attr *first = &file->attrs[0], *found = NULL;
	uint64_t id;

	if (file->attr_count > 1 && first->sample_type & PERF_SAMPLE_IDENTIFIER &&
	    record->length >= sizeof(id)) {
		memcpy(&id, record->body + record->length - sizeof(id), sizeof(id));
		found = perfdata_file_attr(file, id);
	}
	return found ? found : first;
}

static int read_count(struct perfdata_events *events, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;

	return counts_add(events->counts, attr_of_trailer(events->file, record), &reading->sample,
			  record->body, record->length);
}

/* The records that say something; the others are passed over. */
static const struct {
	uint32_t type;
	int (*read)(struct perfdata_events *events, const struct reading *reading);
} readers[] = {
	{PERF_RECORD_COMM, read_comm},
	{PERF_RECORD_FORK, read_fork},
	{PERF_RECORD_EXIT, read_exit},
	{PERF_RECORD_SWITCH, read_switch},
	{PERF_RECORD_SWITCH_CPU_WIDE, read_switch},
	{PERF_RECORD_LOST, read_lost},
	{PERF_RECORD_LOST_SAMPLES, read_lost},
	{PERF_RECORD_READ, read_count},
};

static int read_other(struct perfdata_events *events, struct reading *reading)
{
	const struct perfdata_record *record = reading->record;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].type != record->header.type)
			continue;
		if (sample_parse_trailer(&reading->sample, attr_of_trailer(events->file, record),
					 record->body, record->length))
			return -1;
		if (readers[i].read(events, reading))
			return -1;
		note_time(events, &reading->sample);
	}
	return 0;
}

void perfdata_events_read(struct perfdata_events *events, const struct perfdata_record *record)
{
	struct reading reading = {.record = record, .sample = {.pid = -1, .tid = -1, .cpu = -1}};
	int rc;

	if (!events->file->attr_count)
		rc = -1;
	else if (record->header.type == PERF_RECORD_SAMPLE)
		rc = read_sample(events, &reading);
	else
		rc = read_other(events, &reading);
	if (rc)
		events->quality->malformed++;
}

uint64_t perfdata_events_samples(const struct perfdata_events *events, int type)
{
	return type >= 0 && (size_t)type < events->sample_capacity ? events->samples[type] : 0;
}

void perfdata_events_release(struct perfdata_events *events)
{
	free(events->samples);
	free(events->last_ns);
}
