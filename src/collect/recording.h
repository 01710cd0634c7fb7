/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording while it is made: collectors put records into it, it counts them and writes them to
 * its file.
 */
#ifndef PSCAL_COLLECT_RECORDING_H
#define PSCAL_COLLECT_RECORDING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/perfdata_write.h"
#include "collect/recording_file.h"
#include "collect/tally.h"

struct err;
struct features_input;

struct recording {
	struct recording_file file;
	struct tally tally;
	const struct perfdata_event *events; /* borrowed */
	size_t event_count;
	uint8_t *bytes; /* records that have not been written yet */
	size_t size, capacity;
};

/* Begins a file that is not called `path` before recording_publish(). 0, or -1 with a sentence. */
int recording_open(struct recording *recording, const char *path, struct err *err);

/* What stands before the first record. `events` must stay as they are up to the end. */
int recording_begin(struct recording *recording, const struct perfdata_event *events, size_t count,
		    struct err *err);
int recording_publish(struct recording *recording, struct err *err);

/*
 * Room for a record of `size` bytes, a multiple of 8, all of it zero, its header filled in. To be
 * filled in before the next call. Cannot fail.
 */
void *recording_add(struct recording *recording, uint32_t type, uint16_t misc, size_t size);

/* Counts the record that was added last, once it is filled in. */
void recording_count(struct recording *recording, const void *record);

/* A whole record as it is, counted. */
void recording_put(struct recording *recording, const void *record, size_t size);

/*
 * Ends a pass over all collectors and writes it: readers may sort what came before the pass before
 * this one. Returns 0, or -1 with a sentence.
 */
int recording_round(struct recording *recording, struct err *err);

/* The feature sections, once nothing more is added. Returns 0, or -1 with a sentence. */
int recording_end(struct recording *recording, const struct features_input *input, struct err *err);

/* Returns 0, or -1 with a sentence. */
int recording_close(struct recording *recording, struct err *err);

#endif
