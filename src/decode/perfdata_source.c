/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "decode/formats.h"
#include "decode/order.h"
#include "decode/perfdata_file.h"
#include "decode/sample.h"
#include "decode/target_feature.h"

#include <stdlib.h>
#include <string.h>

enum { CPU_MAX = 1 << 16 };

/* Samples received of one tracepoint. */
struct seen {
	int type; /* of the tracepoint */
	uint64_t samples;
};

struct perfdata_source {
	struct event_source source;
	struct input *input;
	struct perfdata_file file;
	struct formats *formats;
	bool has_fork; /* the recording has sched_process_fork */
	struct target_feature feature;
	struct seen *seen; /* for each of feature.counts */
	struct order *order;
	uint64_t *last_ns; /* the last record of each CPU's buffer */
	size_t cpu_capacity;
	uint64_t left; /* bytes of data not read yet */
};

static struct perfdata_source *of(struct event_source *source)
{
	return (struct perfdata_source *)source;
}

/* --- One record ---------------------------------------------------------------------------- */

/* A record of the kernel, with the id fields that it carries. */
struct record {
	struct perf_event_header header;
	const char *body; /* borrowed until the next peek */
	size_t length;
	struct sample sample;
};

static int read_i32(const struct record *record, size_t offset, int32_t *value)
{
	if (offset + sizeof(*value) > record->length)
		return -1;
	memcpy(value, record->body + offset, sizeof(*value));
	return 0;
}

static struct event new_event(const struct sample *sample, enum event_kind kind)
{
	return (struct event){
		.time_ns = sample->time_ns,
		.kind = kind,
		.cpu = sample->cpu,
		.pid = sample->pid,
		.tid = sample->tid,
		.other_pid = -1,
		.other = -1,
	};
}

/* Where the buffer of a CPU had come to: records lost later were lost after this time. */
static void note_time(struct perfdata_source *source, const struct sample *sample)
{
	if (sample->cpu < 0 || sample->cpu >= CPU_MAX)
		return;
	array_reserve(&source->last_ns, &source->cpu_capacity, (size_t)sample->cpu + 1);
	source->last_ns[sample->cpu] = sample->time_ns;
}

static void count_sample(struct perfdata_source *source, const struct sample *sample)
{
	uint16_t type;

	if (sample->raw_length < sizeof(type))
		return;
	memcpy(&type, sample->raw, sizeof(type));
	for (size_t i = 0; i < source->feature.count; i++)
		source->seen[i].samples += source->seen[i].type == type;
}

static int read_sample(struct perfdata_source *source, struct record *record)
{
	const struct perf_event_attr *attr = source->file.attrs;
	int offset = sample_id_offset(source->file.attrs->sample_type);
	struct event event;
	uint64_t id;
	int pid, rc;

	if (source->file.attr_count > 1) {
		if (offset < 0 || (size_t)offset + sizeof(id) > record->length)
			return -1;
		memcpy(&id, record->body + offset, sizeof(id));
		attr = perfdata_file_attr(&source->file, id);
	}
	if (!attr || sample_parse(&record->sample, attr, record->body, record->length))
		return -1;
	note_time(source, &record->sample);
	if (attr->type != PERF_TYPE_TRACEPOINT || !record->sample.raw)
		return 0;
	if (source->feature.count)
		count_sample(source, &record->sample);
	event = new_event(&record->sample, EVENT_SWITCH);
	pid = event.pid;
	rc = formats_decode(source->formats, &event, record->sample.raw, record->sample.raw_length);
	/* In a container the header has ids of its namespace: the payload is right. */
	event.pid = event.tid == record->sample.tid ? pid : -1;
	if (rc > 0)
		order_push(source->order, &event);
	return rc < 0 ? -1 : 0;
}

/* PERF_RECORD_COMM: u32 pid, tid; char comm[] */
static int read_comm(struct perfdata_source *source, const struct record *record)
{
	struct event event = new_event(&record->sample, EVENT_TASK);

	if (read_i32(record, 0, &event.pid) || read_i32(record, 4, &event.tid))
		return -1;
	event_set_comm(event.comm, record->body + 8, record->length - 8);
	order_push(source->order, &event);
	return 0;
}

/*
 * PERF_RECORD_FORK: u32 pid, ppid, tid, ptid; u64 time. It is written a moment before
 * sched_process_fork, which says when the thread becomes runnable; where a recording has that one,
 * this one only tells the process. Time 0: the thread existed before.
 */
static int read_fork(struct perfdata_source *source, const struct record *record)
{
	struct event event = new_event(&record->sample, EVENT_TASK);
	bool birth = event.time_ns && !source->has_fork;

	if (read_i32(record, 0, &event.pid) || read_i32(record, 4, &event.other_pid) ||
	    read_i32(record, 8, &event.tid) || read_i32(record, 12, &event.other))
		return -1;
	if (birth) {
		struct event task = event;

		event.kind = EVENT_FORK;
		event.pid = task.other_pid;
		event.tid = task.other;
		event.other_pid = task.pid;
		event.other = task.tid;
	}
	order_push(source->order, &event);
	return 0;
}

static int read_switch(struct perfdata_source *source, const struct record *record)
{
	bool out = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempted = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct event event = new_event(&record->sample, out ? EVENT_SWITCH_OUT : EVENT_SWITCH_IN);

	event.state = preempted ? STATE_RUNNABLE : STATE_INACTIVE;
	if (event.tid < 0 || !event.time_ns)
		return 0;
	order_push(source->order, &event);
	return 0;
}

/* PERF_RECORD_LOST: u64 id, lost. PERF_RECORD_LOST_SAMPLES: u64 lost. */
static int read_lost(struct perfdata_source *source, const struct record *record)
{
	size_t offset = record->header.type == PERF_RECORD_LOST ? 8 : 0;
	struct event event = new_event(&record->sample, EVENT_GAP);
	uint64_t lost;

	if (offset + sizeof(lost) > record->length)
		return -1;
	memcpy(&lost, record->body + offset, sizeof(lost));
	source->source.quality.lost += lost;
	if (event.cpu >= 0 && (size_t)event.cpu < source->cpu_capacity)
		event.time_ns = source->last_ns[event.cpu];
	order_push(source->order, &event);
	return 0;
}

/* The records that say something; the others are passed over. */
static const struct {
	uint32_t type;
	int (*read)(struct perfdata_source *source, const struct record *record);
} readers[] = {
	{PERF_RECORD_COMM, read_comm},	   {PERF_RECORD_FORK, read_fork},
	{PERF_RECORD_SWITCH, read_switch}, {PERF_RECORD_SWITCH_CPU_WIDE, read_switch},
	{PERF_RECORD_LOST, read_lost},	   {PERF_RECORD_LOST_SAMPLES, read_lost},
};

static int read_kernel_record(struct perfdata_source *source, struct record *record)
{
	if (record->header.type == PERF_RECORD_SAMPLE)
		return read_sample(source, record);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].type != record->header.type)
			continue;
		if (sample_parse_trailer(&record->sample, source->file.attrs, record->body,
					 record->length))
			return -1;
		if (readers[i].read(source, record))
			return -1;
		note_time(source, &record->sample);
	}
	return 0;
}

/* --- The stream of records ----------------------------------------------------------------- */

static uint64_t skip(struct perfdata_source *source, uint64_t count)
{
	uint64_t skipped = input_skip(source->input, count < source->left ? count : source->left);

	source->left -= skipped;
	return skipped;
}

/* AUXTRACE is followed by as many bytes as its first word says. */
static void skip_auxtrace(struct perfdata_source *source, const struct record *record)
{
	uint64_t size = 0;

	if (record->length >= sizeof(size))
		memcpy(&size, record->body, sizeof(size));
	skip(source, record->header.size);
	if (skip(source, size) < size)
		source->source.quality.truncated = true;
}

/* Returns 1 after a record, 0 at the end, -1 with a sentence. */
static int read_record(struct perfdata_source *source, struct err *err)
{
	struct quality *quality = &source->source.quality;
	struct record record = {.sample = {.pid = -1, .tid = -1, .cpu = -1}};
	const void *bytes;
	size_t have;

	if (source->left < sizeof(record.header))
		return 0;
	have = input_peek(source->input, &bytes, sizeof(record.header));
	if (have >= sizeof(record.header))
		memcpy(&record.header, bytes, sizeof(record.header));
	have = input_peek(source->input, &bytes, record.header.size);
	if (record.header.size < sizeof(record.header) || record.header.size > have ||
	    record.header.size > source->left) {
		quality->truncated = true;
		return 0;
	}
	record.body = (const char *)bytes + sizeof(record.header);
	record.length = record.header.size - sizeof(record.header);
	switch (record.header.type) {
	case PERFDATA_RECORD_FINISHED_ROUND:
		order_round(source->order);
		break;
	case PERFDATA_RECORD_AUXTRACE:
		skip_auxtrace(source, &record);
		return 1;
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
		return err_set(err,
			       "%s: is compressed, which cannot be read yet: record without -z, "
			       "or pipe in the text of perf script",
			       input_name(source->input));
	default:
		if (record.header.type < PERFDATA_RECORD_USER &&
		    read_kernel_record(source, &record))
			quality->malformed++;
		break;
	}
	skip(source, record.header.size);
	return 1;
}

/* Wakes that the kernel counted and did not record, beside those it says it lost. */
static void count_missed(struct perfdata_source *source)
{
	struct quality *quality = &source->source.quality;
	uint64_t missed = 0;

	for (size_t i = 0; i < source->feature.count; i++) {
		const struct event_count *count = &source->feature.counts[i];

		if (strncmp(count->name, "sched:sched_wak", 15) == 0 &&
		    count->hits > source->seen[i].samples)
			missed += count->hits - source->seen[i].samples;
	}
	quality->missed_wakes = missed > quality->lost ? missed - quality->lost : 0;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct perfdata_source *source = of(base);

	while (!order_pop(source->order, event)) {
		int rc = source->left ? read_record(source, err) : 0;

		if (rc < 0)
			return -1;
		if (rc)
			continue;
		source->left = 0;
		order_finish(source->order);
		count_missed(source);
		return order_pop(source->order, event);
	}
	return 1;
}

static void release(struct event_source *base)
{
	struct perfdata_source *source = of(base);

	formats_free(source->formats);
	target_feature_release(&source->feature);
	order_free(source->order);
	perfdata_file_release(&source->file);
	input_close(source->input);
	free(source->last_ns);
	free(source->seen);
	free(source);
}

/* --- Opening ------------------------------------------------------------------------------- */

static int read_tracing_data(struct perfdata_source *source, const struct input *input,
			     struct err *err)
{
	size_t length;
	char *bytes;
	int rc;

	if (source->file.interrupted)
		return err_set(err, "the recorder was interrupted before it wrote the table at "
				    "the end, without which the events cannot be told apart");
	if (source->file.truncated)
		return err_set(err, "is cut off: the table at its end, without which the events "
				    "cannot be told apart, is missing");
	if (!source->file.features[PERFDATA_TRACING_DATA].size)
		return err_set(err, "holds no scheduling events; record some with 'pscal record' "
				    "or 'perf sched record'");
	bytes = perfdata_file_feature(&source->file, input, PERFDATA_TRACING_DATA, &length, err);
	if (!bytes)
		return -1;
	rc = formats_read(source->formats, bytes, length, err);
	free(bytes);
	source->has_fork = formats_type(source->formats, "sched:sched_process_fork") >= 0;
	if (!rc && !formats_have_switch(source->formats))
		rc = err_set(err, "holds no sched_switch events; record some with 'pscal record' "
				  "or 'perf sched record'");
	return rc;
}

static int read_feature(struct perfdata_source *source, const struct input *input, struct err *err)
{
	size_t length;
	char *text;
	int rc;

	if (!source->file.features[PERFDATA_PSCAL].size)
		return 0;
	text = perfdata_file_feature(&source->file, input, PERFDATA_PSCAL, &length, err);
	if (!text)
		return -1;
	rc = target_feature_init(&source->feature, &source->source.target, source->order, text,
				 err);
	source->source.quality.wrapped = source->feature.wrapped;
	source->seen = xcalloc(source->feature.count, sizeof(*source->seen));
	for (size_t i = 0; i < source->feature.count; i++)
		source->seen[i].type =
			formats_type(source->formats, source->feature.counts[i].name);
	free(text);
	return rc;
}

static int check_attrs(const struct perfdata_file *file, struct err *err)
{
	for (size_t i = 0; i < file->attr_count; i++) {
		uint64_t type = file->attrs[i].sample_type;

		if (file->attrs[i].type != PERF_TYPE_TRACEPOINT)
			continue;
		if (!(type & PERF_SAMPLE_TIME) || !(type & PERF_SAMPLE_RAW))
			return err_set(err, "was recorded without the time or the fields of its "
					    "events; record it with 'pscal record'");
	}
	return 0;
}

struct event_source *perfdata_source_new(struct input *input, struct err *err)
{
	struct perfdata_source *source = xcalloc(1, sizeof(*source));

	if (perfdata_file_init(&source->file, input, err)) {
		err_wrap(err, "%s", input_name(input));
		free(source);
		return NULL;
	}
	source->source.next = next;
	source->source.free = release;
	source->formats = formats_new();
	source->order = order_new();
	source->left = source->file.data.size;
	source->source.quality.truncated = source->file.truncated;
	if (check_attrs(&source->file, err) || read_tracing_data(source, input, err) ||
	    read_feature(source, input, err)) {
		err_wrap(err, "%s", input_name(input));
		event_source_free(&source->source);
		return NULL;
	}
	source->input = input;
	input_skip(input, source->file.data.offset);
	return &source->source;
}
