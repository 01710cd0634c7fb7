/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bodies of perf_event records (linux/perf_event.h). The fields of a PERF_RECORD_SAMPLE depend
 * on its event's sample_type; other records end in a few of them if sample_id_all is set. Their
 * places are computed once for each event, and compared with the size of each record.
 */
#ifndef PSCAL_PERFDATA_SAMPLE_H
#define PSCAL_PERFDATA_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "perfdata/perfdata_file.h"

struct err;

/* PERF_FORMAT_LOST of Linux 6.0: the number of lost samples; not all headers have it. */
enum { SAMPLE_FORMAT_LOST = 1 << 4 };

struct sample {
	uint64_t time_ns; /* 0: not in the record; likewise for the numbers below */
	uint64_t id;
	int32_t pid, tid, cpu; /* -1: not in the record */
	const void *raw;       /* tracepoint payload, borrowed from the record; or NULL */
	size_t raw_length;
	const void *chain;   /* addresses of PERF_SAMPLE_CALLCHAIN, borrowed */
	size_t chain_length; /* ... and their number */
};

/* The places of fields, in bytes; -1: none. */
struct sample_places {
	int16_t id, tid, time, cpu;
	uint16_t size; /* of all fields, with what lies between */
};

/* The hits of a tracepoint that have a sample with payload and time. */
enum sample_tells { SAMPLE_TELLS_NOTHING, SAMPLE_TELLS_SOME, SAMPLE_TELLS_ALL };

struct sample_layout {
	enum sample_tells tells;
	struct sample_places head;    /* in a sample, from the beginning of the body */
	struct sample_places trailer; /* in another record, from the beginning of the trailer */
	bool has_raw;
	bool has_more; /* READ or CALLCHAIN, between the head and RAW */
	bool is_usual; /* a tracepoint: full head, RAW next to it, oldest first */
	struct perf_event_attr attr;
};

enum sample_tells sample_attr_tells(const struct perf_event_attr *attr);

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* Parses the body of a PERF_RECORD_SAMPLE. Returns 0, or -1 if it is cut short. */
int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *body,
		 size_t length);

/*
 * Parses a sample of a usual layout, whose fields are always in the same places. Returns 0 or -1.
 */
static inline int sample_parse_usual(struct sample *sample, const struct sample_layout *layout,
				     const void *body, size_t length)
{
	const char *at = body;
	uint32_t raw_length;

	if (length < layout->head.size + sizeof(raw_length))
		return -1;
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

/* Parses the trailer of any other record; without one all is empty. 0, or -1 if cut short. */
int sample_parse_trailer(struct sample *sample, const struct sample_layout *layout,
			 const void *body, size_t length);

/*
 * Stores the user's part of a call chain (PERF_SAMPLE_CALLCHAIN), at most `max` addresses, and
 * returns their number. In a chain, marks (PERF_CONTEXT_USER, ...) say whether addresses are the
 * user's.
 *
 * A second mark of the user is stored as one of them. The addresses between the first one and it
 * are not frames but words from the top of the stack that follow a call: see CHAIN_FRAMES_FROM of
 * decode/event/samples.h.
 */
size_t sample_user_chain(uint64_t *frames, size_t max, const struct sample *sample);

/* --- The event of a record ------------------------------------------------------------------- */

/*
 * The event of a record, which determines the places of its fields. With one event, or events with
 * the same places, all is clear. Otherwise the record has the id of its event, whose place depends
 * on the event:
 *
 * - in a sample it comes first (PERF_SAMPLE_IDENTIFIER), or behind IP, TID, TIME and ADDR
 * (PERF_SAMPLE_ID), and events may differ in having those;
 *
 * - in the trailer of another record it comes last, or before STREAM_ID and CPU.
 *
 * Each place where some event has its id is tried. An id counts if its event has its id in this
 * place, and no other place has the id of another event.
 */

enum { OWNER_CACHE_SIZE = 256, OWNER_PLACES_MAX = 8 };

/* The layouts of a file's events, and their places for ids. Begins as zero. */
struct record_owners {
	struct sample_layout *layouts; /* of the file's events, in their order */
	size_t count, capacity;
	size_t id_count; /* ids of the file when they were learned */
	struct owner_places {
		int at[OWNER_PLACES_MAX]; /* places of ids; of a trailer from its end */
		size_t count;
		bool alike; /* all events have the fields in the same places */
	} sample, trailer;
	struct {
		uint64_t id;
		const struct sample_layout *layout; /* NULL: unused */
		bool in_sample;			    /* its samples have an id */
	} cache[OWNER_CACHE_SIZE];		    /* indexed by the last bits of the id */
};

void record_owners_release(struct record_owners *owners);

/* Learns the events of the file, which is always the same; it may have more events later. */
void record_owners_learn(struct record_owners *owners, const struct perfdata_file *file);

/* Learns the events of the file if it has more events or ids than before. */
static inline void record_owners_update(struct record_owners *owners,
					const struct perfdata_file *file)
{
	if (owners->count != file->attr_count || owners->id_count != file->id_count)
		record_owners_learn(owners, file);
}

/* The general case of record_owners_find. */
const struct sample_layout *record_owners_search(struct record_owners *owners,
						 const struct perfdata_file *file, bool is_sample,
						 const char *body, size_t length);

/*
 * Returns the layout of a sample or of another record; NULL: its event is unknown. If all events
 * have the same layout, a record without an id gets that of the first one.
 */
static inline const struct sample_layout *record_owners_find(struct record_owners *owners,
							     const struct perfdata_file *file,
							     bool is_sample, const char *body,
							     size_t length)
{
	size_t at = (size_t)owners->sample.at[0];
	uint64_t id;

	if (is_sample && owners->sample.count == 1 && length >= at + sizeof(id)) {
		size_t place;

		memcpy(&id, body + at, sizeof(id));
		place = id % OWNER_CACHE_SIZE;
		if (owners->cache[place].id == id && owners->cache[place].in_sample)
			return owners->cache[place].layout;
	}
	return record_owners_search(owners, file, is_sample, body, length);
}

/* Checks that the events of records can be found. 0, or -1 with an error without the name. */
int record_owners_check(const struct perfdata_file *file, struct err *err);

#endif
