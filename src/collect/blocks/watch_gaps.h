/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a command that should have been watched and were not, as the probe library was not
 * there: programs that did not load the library, and files that were loaded after the entries of
 * functions had been patched. Both follow from the notes of the library at its begin and end
 * (probe/spool.h).
 */
#ifndef PSCAL_COLLECT_BLOCKS_WATCH_GAPS_H
#define PSCAL_COLLECT_BLOCKS_WATCH_GAPS_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

struct probe_plan;
struct recording_counts;

/* The gaps. Begins as zero. */
struct watch_gaps {
	pid_t *begun; /* processes, once for each program with the library */
	size_t begun_count, begun_capacity;
	char **looked; /* paths of files that came late */
	size_t looked_count, looked_capacity;
	char **late; /* ... of those with functions that were requested */
	size_t late_count, late_capacity;
};

/* Notes that the library has begun in a program of the process. */
void watch_gaps_begun(struct watch_gaps *gaps, pid_t pid);

/*
 * Notes that a process has mapped this file after its functions were patched. `has` returns whether
 * it has a function that matches the glob.
 */
void watch_gaps_late(struct watch_gaps *gaps, const char *path, const struct probe_plan *plan,
		     bool (*has)(void *context, const char *path, const char *glob), void *context);

/* Returns a sentence on the gaps; NULL: none. `counts` has all programs. The caller frees it. */
char *watch_gaps_tell(struct watch_gaps *gaps, const struct recording_counts *counts);

void watch_gaps_release(struct watch_gaps *gaps);

#endif
