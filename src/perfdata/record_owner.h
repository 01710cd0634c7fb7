/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#ifndef PSCAL_PERFDATA_RECORD_OWNER_H
#define PSCAL_PERFDATA_RECORD_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "perfdata/perfdata_file.h"
#include "perfdata/sample.h"

struct err;

enum { OWNER_CACHE_SIZE = 256, OWNER_PLACES_MAX = 8 };

/* Begins as zero. */
struct record_owners {
	struct sample_layout *layouts; /* of the file's events, in their order */
	size_t count, capacity;
	size_t id_count; /* ids that the file had then */
	struct owner_places {
		int at[OWNER_PLACES_MAX]; /* where ids are tried; of a trailer from its end */
		size_t count;
		bool alike; /* whoever it is of, the fields lie in the same places */
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
