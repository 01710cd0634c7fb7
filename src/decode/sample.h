/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bodies of perf_event records (linux/perf_event.h): which fields a PERF_RECORD_SAMPLE has is
 * said by its event's sample_type; the other records end in a few of them when sample_id_all is
 * set. Every field is held against the size of the record.
 */
#ifndef PSCAL_DECODE_SAMPLE_H
#define PSCAL_DECODE_SAMPLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	uint64_t time_ns; /* 0 when the record holds none; so for the other numbers: */
	uint64_t id;
	int32_t pid, tid, cpu; /* -1 */
	const void *raw;       /* tracepoint payload, borrowed from the record; or NULL */
	size_t raw_length;
};

/* `body` is what follows the header of a PERF_RECORD_SAMPLE. 0, or -1 when it is cut short. */
int sample_parse(struct sample *sample, const struct perf_event_attr *attr, const void *body,
		 size_t length);

/* The trailer of any other record. 0, or -1 when it is cut short; without one all is empty. */
int sample_parse_trailer(struct sample *sample, const struct perf_event_attr *attr,
			 const void *body, size_t length);

/*
 * Where the id of the event lies in a sample of this sample_type, in bytes from the body's
 * beginning; -1 when there is none.
 */
int sample_id_offset(uint64_t sample_type);

#endif
