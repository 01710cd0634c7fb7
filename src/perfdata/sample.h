/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bodies of perf_event records (linux/perf_event.h): which fields a PERF_RECORD_SAMPLE has is
 * said by its event's sample_type; the other records end in a few of them when sample_id_all is
 * set. Where they lie is worked out once for each event, and held against the size of each record.
 */
#ifndef PSCAL_PERFDATA_SAMPLE_H
#define PSCAL_PERFDATA_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Members have the number of values that they lost: Linux 6.0, which not all headers know. */
enum { SAMPLE_FORMAT_LOST = 1 << 4 };

struct sample {
	uint64_t time_ns; /* 0 when the record holds none; so for the other numbers: */
	uint64_t id;
	int32_t pid, tid, cpu; /* -1 */
	const void *raw;       /* tracepoint payload, borrowed from the record; or NULL */
	size_t raw_length;
	const void *chain;   /* addresses of PERF_SAMPLE_CALLCHAIN, as borrowed; see chains.h */
	size_t chain_length; /* so many */
};

/* Where fields lie, in bytes; -1: there is none. */
struct sample_places {
	int16_t id, tid, time, cpu;
	uint16_t size; /* of all of them, with what lies between */
};

struct sample_layout {
	struct sample_places head;    /* in a sample, from the body's beginning */
	struct sample_places trailer; /* in another record, from the trailer's beginning */
	bool has_raw;
	bool has_more;	    /* READ or CALLCHAIN, which lie between the head and RAW */
	bool is_tracepoint; /* of which there is what is needed */
	bool is_usual;	    /* a tracepoint with all of the head, and RAW next to it */
	struct perf_event_attr attr;
};

/* Does a sample of it say what a tracepoint has to say, and when? */
bool sample_attr_tells(const struct perf_event_attr *attr);

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* Would every record mean the same to both? */
bool sample_layout_is_same(const struct sample_layout *a, const struct sample_layout *b);

/* The same as sample_parse, for all layouts. */
int sample_parse_any(struct sample *sample, const struct sample_layout *layout, const void *body,
		     size_t length);

/* `body` is what follows the header of a PERF_RECORD_SAMPLE. 0, or -1 when it is cut short. */
static inline int sample_parse(struct sample *sample, const struct sample_layout *layout,
			       const void *body, size_t length)
{
	const char *at = body;
	uint32_t raw_length;

	if (!layout->is_usual || length < layout->head.size + sizeof(raw_length))
		return sample_parse_any(sample, layout, body, length);
	memcpy(&sample->time_ns, at + layout->head.time, sizeof(sample->time_ns));
	memcpy(&sample->pid, at + layout->head.tid, sizeof(sample->pid));
	memcpy(&sample->tid, at + layout->head.tid + 4, sizeof(sample->tid));
	memcpy(&sample->cpu, at + layout->head.cpu, sizeof(sample->cpu));
	memcpy(&sample->id, at + layout->head.id, sizeof(sample->id));
	at += layout->head.size;
	memcpy(&raw_length, at, sizeof(raw_length));
	sample->raw = at + sizeof(raw_length);
	sample->raw_length = raw_length;
	sample->chain_length = 0;
	return raw_length <= length - layout->head.size - sizeof(raw_length) ? 0 : -1;
}

/* The trailer of any other record. 0, or -1 when it is cut short; without one all is empty. */
int sample_parse_trailer(struct sample *sample, const struct sample_layout *layout,
			 const void *body, size_t length);

#endif
