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

#include "perfdata/perfdata_file.h"

struct err;

/* Members have the number of values that they lost: Linux 6.0, which not all headers know. */
enum { SAMPLE_FORMAT_LOST = 1 << 4 };

struct sample {
	uint64_t time_ns; /* 0 when the record holds none; so for the other numbers: */
	uint64_t id;
	int32_t pid, tid, cpu; /* -1 */
	const void *raw;       /* tracepoint payload, borrowed from the record; or NULL */
	size_t raw_length;
	const void *chain;   /* addresses of PERF_SAMPLE_CALLCHAIN, as borrowed */
	size_t chain_length; /* so many */
};

/* Where fields lie, in bytes; -1: there is none. */
struct sample_places {
	int16_t id, tid, time, cpu;
	uint16_t size; /* of all of them, with what lies between */
};

/* The hits of a tracepoint whose samples have payload and time. */
enum sample_tells { SAMPLE_TELLS_NOTHING, SAMPLE_TELLS_SOME, SAMPLE_TELLS_ALL };

struct sample_layout {
	enum sample_tells tells;
	struct sample_places head;    /* in a sample, from the body's beginning */
	struct sample_places trailer; /* in another record, from the trailer's beginning */
	bool has_raw;
	bool has_more; /* READ or CALLCHAIN, which lie between the head and RAW */
	bool is_usual; /* a tracepoint with all of the head, RAW next to it, oldest first */
	struct perf_event_attr attr;
};

enum sample_tells sample_attr_tells(const struct perf_event_attr *attr);

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* `body` is what follows the header of a PERF_RECORD_SAMPLE. 0, or -1 when it is cut short. */
int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *body,
		 size_t length);

/* The same for a usual layout, of which all that a sample has is in the same places. */
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

/* The trailer of any other record. 0, or -1 when it is cut short; without one all is empty. */
int sample_parse_trailer(struct sample *sample, const struct sample_layout *layout,
			 const void *body, size_t length);

/*
 * The user's part of a call chain (PERF_SAMPLE_CALLCHAIN), whose addresses lie among marks of whose
 * they are (PERF_CONTEXT_USER, ...): its first `max` addresses at most. Returns how many there are.
 *
 * Where that mark comes again it is one of them. What stands before it then, behind the first
 * address, are not frames but words from the top of the stack that stand behind a call: see
 * CHAIN_FRAMES_FROM of decode/event/samples.h.
 */
size_t sample_user_chain(uint64_t *frames, size_t max, const struct sample *sample);

/* --- Of which event a record is ------------------------------------------------------------ */

/*
 * Of which event a record is, and so where its fields lie. With one event, or events that are alike
 * in that, all is clear. Else the record has the id of its event, which has to be found before it
 * is known whose record it is:
 *
 *  - in a sample it comes first (PERF_SAMPLE_IDENTIFIER), or behind IP, TID, TIME and ADDR
 *    (PERF_SAMPLE_ID), and events may differ in having those;
 *  - in the trailer of another record it comes last, or before STREAM_ID and CPU.
 *
 * Each place where some event has its id is tried; an id counts where it is that of an event which
 * has it there, and if no other place says anything else.
 */

enum { OWNER_CACHE_SIZE = 256, OWNER_PLACES_MAX = 8 };

/* Begins as zero. */
struct record_owners {
	struct sample_layout *layouts; /* of the file's events, in their order */
	size_t count, capacity;
	size_t id_count; /* ids that the file had then */
	struct owner_places {
		int at[OWNER_PLACES_MAX]; /* where ids are tried; of a trailer from its end */
		size_t count;
		bool alike; /* of whatever event, the fields lie in the same places */
	} sample, trailer;
	struct {
		uint64_t id;
		const struct sample_layout *layout; /* NULL: the place is free */
		bool in_sample;			    /* it has an id in its samples */
	} cache[OWNER_CACHE_SIZE];		    /* by the last bits of the id */
};

void record_owners_release(struct record_owners *owners);

/* Takes up the events of the file, which may be given more later, but is always the same. */
void record_owners_learn(struct record_owners *owners, const struct perfdata_file *file);

/* The same where there are more events or ids than it has learned of. */
static inline void record_owners_update(struct record_owners *owners,
					const struct perfdata_file *file)
{
	if (owners->count != file->attr_count || owners->id_count != file->id_count)
		record_owners_learn(owners, file);
}

/* The same as record_owners_find, in small steps. */
const struct sample_layout *record_owners_search(struct record_owners *owners,
						 const struct perfdata_file *file, bool is_sample,
						 const char *body, size_t length);

/*
 * The layout of a sample, or of another record; NULL when it cannot be told. Where it makes no
 * difference that is the first event's for records without an id.
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

/*
 * Can the records of these events be told apart at all? -1 with a sentence, which lacks the name of
 * the input, when they cannot.
 */
int record_owners_check(const struct perfdata_file *file, struct err *err);

#endif
