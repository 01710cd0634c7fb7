/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a command that were to be watched and were not, since the probe library had no part in
 * them: programs that it started and that did not load the library, and files that were loaded when
 * the entries of functions had been patched already. Both follow from the notes that the library
 * takes when it begins and when it ends (probe/spool.h).
 */
#ifndef PSCAL_COLLECT_BLOCKS_WATCH_GAPS_H
#define PSCAL_COLLECT_BLOCKS_WATCH_GAPS_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

struct probe_plan;
struct recording_counts;

/* Begins as zero. */
struct watch_gaps {
	pid_t *begun; /* processes, once for each program in which the library was */
	size_t begun_count, begun_capacity;
	char **looked; /* paths of files that came late */
	size_t looked_count, looked_capacity;
	char **late; /* ... of those with functions that were meant */
	size_t late_count, late_capacity;
};

/* The library has begun in a program of the process. */
void watch_gaps_begun(struct watch_gaps *gaps, pid_t pid);

/*
 * A process has this file now, and had not when functions were patched. `has` says whether it has a
 * function that the glob means.
 */
void watch_gaps_late(struct watch_gaps *gaps, const char *path, const struct probe_plan *plan,
		     bool (*has)(void *context, const char *path, const char *glob), void *context);

/* A sentence, to be freed; NULL: there are none. `counts` knows of all programs. */
char *watch_gaps_tell(struct watch_gaps *gaps, const struct recording_counts *counts);

void watch_gaps_release(struct watch_gaps *gaps);

#endif
