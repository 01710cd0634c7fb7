/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts what goes into a recording, for the line that ends it: records, losses, and the threads
 * of the target.
 */
#ifndef PSCAL_COLLECT_RECORDING_TALLY_H
#define PSCAL_COLLECT_RECORDING_TALLY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target/pid_set.h"

struct lineage;
struct target;
struct target_spec;

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

	const struct target_spec *spec; /* borrowed, as the lineage is; NULL: none */
	const struct lineage *lineage;
	struct pid_set named; /* threads that have the name which is asked for, or had it */
	uint64_t named_threads;
	uint64_t scanned_ns;	  /* those that were there at the beginning are counted */
	struct tally_exec *execs; /* the first ones */
	size_t exec_count, exec_capacity;
};

/* The target as it is at the beginning. Both must live as long as the tally. */
void tally_target(struct tally *tally, const struct target *target, const struct lineage *lineage);

/* `record` is whole. */
void tally_record(struct tally *tally, const struct perf_event_header *record);

/* How many threads have belonged to the target. */
uint64_t tally_threads(const struct tally *tally);

void tally_release(struct tally *tally);

#endif
