/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes on the functions of the C library in which threads wait for each other, as events of
 * tracefs (Documentation/trace/uprobetracer.rst) in a group of this process. What a recorder that
 * was killed has left is removed by the next one.
 */
#ifndef PSCAL_COLLECT_SYNC_PROBES_H
#define PSCAL_COLLECT_SYNC_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;

/* What readers see in front of the names. */
#define SYNC_PROBES_SYSTEM "pscal"

enum { SYNC_PROBES = 14, SYNC_PROBES_GROUP_SIZE = 32 };

/* The group of process `pid` in tracefs. */
void sync_probes_group(char group[SYNC_PROBES_GROUP_SIZE], pid_t pid);

/* "mutex_lock", ...: one of SYNC_PROBES. */
const char *sync_probe_name(size_t number);

/* Whose C library it is. */
struct sync_target {
	const char *command; /* what will be started; NULL: nothing */
	const pid_t *pids;   /* what runs */
	size_t pid_count;
};

/* Begins as zero. */
struct sync_probes {
	char group[SYNC_PROBES_GROUP_SIZE];
	bool has[SYNC_PROBES]; /* the event is there */
	char *root;	       /* the directory of tracefs */
	char *note;	       /* which files they are in */
};

/* Returns 0, or -1 with a sentence; remove them in both cases, once no perf event is open on them.
 */
int sync_probes_make(struct sync_probes *probes, const char *root, const struct sync_target *target,
		     struct err *err);
void sync_probes_remove(struct sync_probes *probes);

#endif
