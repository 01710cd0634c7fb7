/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording while it is made: the rings of the events go into its file, and what goes there is
 * counted.
 */
#ifndef PSCAL_COLLECT_RECORDING_H
#define PSCAL_COLLECT_RECORDING_H

#include "collect/perfdata_write.h"
#include "collect/recording_file.h"
#include "collect/tally.h"
#include "collect/tracepoints.h"

struct err;
struct features_input;
struct target;

struct recording {
	const struct tracepoints *points; /* borrowed; its rings are consumed */
	struct perfdata_event events[TRACEPOINT_COUNT];
	struct recording_file file;
	struct tally tally;
};

/* Begins a file that is not called `path` before recording_publish(). 0, or -1 with a sentence. */
int recording_open(struct recording *recording, const char *path, const struct tracepoints *points,
		   struct err *err);

/* What stands before the first ring: header, events, the names of the target's threads. */
int recording_begin(struct recording *recording, const struct target *target, struct err *err);
int recording_publish(struct recording *recording, struct err *err);

/* One pass over all rings. Returns 0, or -1 with a sentence. */
int recording_drain(struct recording *recording, struct err *err);

/*
 * The last pass and the feature sections, once the events are disabled. Of `input` the caller
 * fills in what is not about the events.
 */
int recording_end(struct recording *recording, const struct features_input *input, struct err *err);

/* Returns 0, or -1 with a sentence. */
int recording_close(struct recording *recording, struct err *err);

#endif
