/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a command was not watched although it was meant to be, since the probe library had no
 * part in it: programs that it started and that did not load the library, and files that were
 * loaded when the entries of functions had been patched already. Both follow from what the library
 * leaves in the spool when it begins and when it ends (probe/spool.h).
 */
#ifndef PSCAL_COLLECT_WATCH_GAPS_H
#define PSCAL_COLLECT_WATCH_GAPS_H

#include <stddef.h>

#include <sys/types.h>

struct probe_plan;
struct tally;

/* Begins as zero. */
struct watch_gaps {
	pid_t *begun; /* processes, once for each program in which the library was; rising */
	size_t begun_count, begun_capacity;
	char **late; /* paths of files with functions that were meant */
	size_t late_count, late_capacity;
};

/* To be called when all has been written, and is still there. */
void watch_gaps_read(struct watch_gaps *gaps, const char *spool, const struct probe_plan *plan);

/* A sentence, to be freed; NULL: there are none. `tally` knows of all programs. */
char *watch_gaps_tell(const struct watch_gaps *gaps, const struct tally *tally);

void watch_gaps_release(struct watch_gaps *gaps);

#endif
