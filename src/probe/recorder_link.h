/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the probe library reaches its recorder (spool.h): the plan that it takes, and the memory that
 * it hands over. Nobody else can take the recorder's place: the directory and the plan must belong
 * to root or, where the process is not root's, to the process's own user, with no right for other
 * users to write; the plan must carry the name of the directory, which cannot be guessed; and so
 * must the process that listens be root's or the own user's.
 */
#ifndef PSCAL_PROBE_RECORDER_LINK_H
#define PSCAL_PROBE_RECORDER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/patch_plan.h"
#include "probe/spool.h"

/* Begins as zero. Stays as it is over forks. */
struct recorder_link {
	char path[SPOOL_PATH_MAX];	/* of the directory */
	const struct plan_header *plan; /* mapped; NULL: there is no recorder */
	size_t plan_bytes;
};

/*
 * Takes the plan from the directory at `path`. Returns 0, or -1: there is none that may be trusted.
 * The plan may be of another version than SPOOL_VERSION, with nothing behind `version` in its place.
 */
int recorder_link_open(struct recorder_link *link, const char *path);

/* Does the recorder still read events? */
bool recorder_link_is_read(const struct recorder_link *link);

/* ... and may files take more memory? */
bool recorder_link_has_room(const struct recorder_link *link);

/*
 * Makes a memory file of `bytes`, all zeros, which can neither be cut nor grow, and maps `mapped`
 * bytes from its beginning, which may be more than it has; they take no memory before they are
 * touched. Hands it over as
 * `offer` says; its magic and version are filled in here. No descriptor stays open. Returns the
 * mapping, or NULL: there is no memory, or no recorder.
 */
void *recorder_link_offer(const struct recorder_link *link, struct spool_offer *offer,
			  uint64_t bytes, uint64_t mapped);

/* Tells of a library of another version than the recorder's. */
void recorder_link_refuse(const struct recorder_link *link);

#endif
