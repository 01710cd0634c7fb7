/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts what goes into a recording, for the line that ends it: records, losses, and the threads
 * of the target, which are found by following PERF_RECORD_FORK from what it began with.
 */
#ifndef PSCAL_COLLECT_TALLY_H
#define PSCAL_COLLECT_TALLY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/pid_set.h"

struct tally_fork;
struct target;
struct target_spec;

/* Those that belong to the target, or did, and of them those that nobody has found to have ended.
 */
struct members {
	struct pid_set all, living;
};

/* A process has begun to run another program. */
struct tally_exec {
	pid_t pid;
	char name[16]; /* of the program, cut */
};

enum { TALLY_EXECS_MAX = 1 << 16 };

/* Begins as zero. */
struct tally {
	uint64_t samples; /* and records of switches */
	uint64_t lost;
	uint64_t threads;

	const struct target_spec *spec; /* borrowed; NULL: processes with their descendants */
	struct members processes;	/* with all threads of each */
	struct members tids;		/* threads that belong to it for themselves */
	struct pid_set known;		/* threads that were counted when the target was scanned */
	uint64_t scanned_ns;		/* ... which was over then */
	struct tally_fork *orphans;
	size_t orphan_count, orphan_capacity;
	size_t orphans_old;	  /* so many have been waiting for a whole round */
	struct tally_exec *execs; /* also of others than the target; the first ones */
	size_t exec_count, exec_capacity;
};

/* The target as it is at the beginning. Must live as long as the tally. */
void tally_target(struct tally *tally, const struct target *target);

/* A process, or a thread of one, that existed before. */
void tally_thread(struct tally *tally, pid_t pid, pid_t tid);
/* `record` is whole. */
void tally_record(struct tally *tally, const struct perf_event_header *record);

/*
 * All rings have been walked once. The fork of a parent and that of its child may stand in the
 * rings of two CPUs, so a fork whose parent is a stranger is looked at again here.
 */
void tally_round(struct tally *tally);
/* Does the process belong to the target, or did it? */
bool tally_has_process(const struct tally *tally, pid_t pid);
void tally_release(struct tally *tally);

#endif
