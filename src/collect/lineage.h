/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which threads and processes are the target, for a collector that is shown those of the whole
 * machine: the ones it was given, and what they create. The births of one pass may stand in the
 * rings of several CPUs in any order, so they are gathered first and judged together:
 *
 *	lineage_birth() ..., lineage_settle(), lineage_has_thread() ...
 */
#ifndef PSCAL_COLLECT_LINEAGE_H
#define PSCAL_COLLECT_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/pid_set.h"

/* What PERF_RECORD_FORK says. */
struct lineage_birth {
	uint64_t time_ns;
	pid_t pid, tid, parent_tid;
};

struct lineage {
	bool wide;  /* everybody belongs to it */
	bool alone; /* what its threads create does not */
	struct pid_set threads, processes;
	uint64_t given_ns; /* births up to here are told by lineage_add() */
	struct lineage_birth *births;
	size_t birth_count, birth_capacity;
};

/* This thread belongs to it. `now_ns` is in the clock of the births. Returns whether its process
 * is new. */
bool lineage_add(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t now_ns);

void lineage_birth(struct lineage *lineage, const struct lineage_birth *birth);

/* All births of this pass are there. */
void lineage_settle(struct lineage *lineage);

bool lineage_has_thread(const struct lineage *lineage, pid_t tid);

/* One of its threads belongs to it. */
bool lineage_has_process(const struct lineage *lineage, pid_t pid);

void lineage_release(struct lineage *lineage);

#endif
