/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bodies of perf_event records (linux/perf_event.h): which fields a PERF_RECORD_SAMPLE has is
 * said by its event's sample_type; the other records end in a few of them when sample_id_all is
 * set. Where they lie is worked out once for each event, and held against the size of each record.
 */
#ifndef PSCAL_DECODE_SAMPLE_H
#define PSCAL_DECODE_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	uint64_t time_ns; /* 0 when the record holds none; so for the other numbers: */
	uint64_t id;
	int32_t pid, tid, cpu; /* -1 */
	const void *raw;       /* tracepoint payload, borrowed from the record; or NULL */
	size_t raw_length;
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
	bool has_more; /* READ or CALLCHAIN, which lie between the head and RAW */
	bool is_tracepoint;
	struct perf_event_attr attr;
};

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* Would every record mean the same to both? */
bool sample_layout_is_same(const struct sample_layout *a, const struct sample_layout *b);

/* `body` is what follows the header of a PERF_RECORD_SAMPLE. 0, or -1 when it is cut short. */
int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *body,
		 size_t length);

/* The trailer of any other record. 0, or -1 when it is cut short; without one all is empty. */
int sample_parse_trailer(struct sample *sample, const struct sample_layout *layout,
			 const void *body, size_t length);

#endif
