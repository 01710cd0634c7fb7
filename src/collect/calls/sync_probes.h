/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes on the functions of the C library in which threads wait for each other. */
#ifndef PSCAL_COLLECT_CALLS_SYNC_PROBES_H
#define PSCAL_COLLECT_CALLS_SYNC_PROBES_H

#include <stddef.h>
#include <sys/types.h>

#include "collect/kernel/uprobes.h"

struct err;

enum { SYNC_PROBES = 14 };

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
	struct uprobes made; /* events named as above */
	char *note;	     /* which files they are in */
};

/* Returns 0, or -1 with a sentence; remove them in both cases, once no perf event is open on them.
 */
int sync_probes_make(struct sync_probes *probes, const char *root, const struct sync_target *target,
		     struct run_directory *run, struct err *err);
void sync_probes_remove(struct sync_probes *probes);

#endif
