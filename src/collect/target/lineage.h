/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads and processes of the target: the given ones and their descendants. All collectors ask
 * it, as the kernel also shows them events of other processes. The kernel reuses ids, so each
 * question has the time of an event.
 *
 * The collector of scheduler events reports births, execs and ends, which come from the rings of
 * several CPUs in any order: so they are collected, and judged in the order of time. The birth of a
 * thread is in a ring before the thread runs. So a collector that notes how far its rings are
 * filled before births are read (see `mark` in collector.h) reads no event of a thread that is not
 * judged by then.
 */
#ifndef PSCAL_COLLECT_TARGET_LINEAGE_H
#define PSCAL_COLLECT_TARGET_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "collect/target/pid_set.h"

/* The contents of PERF_RECORD_FORK. */
struct lineage_birth {
	uint64_t time_ns;
	pid_t pid, tid, parent_pid, parent_tid;
	bool ours; /* it is known already that a thread of the target is the parent */
};

/* A birth, or what changes a thread (an end) or a process (an exec) that is there already. */
struct lineage_change {
	enum lineage_change_kind { LINEAGE_BIRTH, LINEAGE_EXEC, LINEAGE_END } kind;
	uint64_t time_ns;
	pid_t id;		    /* the one that is changed */
	struct lineage_birth birth; /* of a birth */
};

/* Begins as zero but for the first part. */
struct lineage {
	bool wide;		/* everything belongs to it */
	bool alone;		/* processes that it creates do not */
	const char *proc;	/* "/proc" */
	uint64_t started_ticks; /* of proc_now_ticks(), when births began to be told */

	pid_t launched;	      /* the process of a command; 0: none */
	uint64_t launched_ns; /* when it did its first exec; 0: not yet */

	uint64_t threads; /* so many have belonged to it */
	uint64_t unknown; /* events that were not taken because births had been lost */
	/* Those not known to have ended: processes, and threads of which the process is not ours. */
	struct pid_set living_processes, living_threads;

	bool lossy;
	pid_t *pids; /* by tid, of any thread; 0: not known, -1: not known to /proc either */
	size_t pid_capacity;
	struct sparse kin_threads, kin_processes;
	struct pid_set strangers, doubtful; /* threads judged: they are of other processes */
	struct lineage_change *changes;	    /* that wait to be judged */
	size_t change_count, change_capacity;
};

/* --- Changes ---------------------------------------------------------------------------------- */

/*
 * This process with all its threads, or this thread, belongs to it. `now_ns` is in the clock of
 * the births: those up to then change nothing.
 */
void lineage_give_process(struct lineage *lineage, pid_t pid, uint64_t now_ns);
void lineage_give_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t now_ns);

/* The processes of threads can be asked for as soon as this is told. */
void lineage_birth(struct lineage *lineage, const struct lineage_birth *birth);

/* The process has done an exec, which ends all its threads but one, which gets its number. */
void lineage_exec(struct lineage *lineage, pid_t pid, uint64_t time_ns);

/* The thread has left its CPU for the last time. */
void lineage_end(struct lineage *lineage, pid_t tid, uint64_t time_ns);

/*
 * All births, execs and ends up to this time have been told: they are judged, in the order of time.
 * Later ones wait for the next call.
 */
void lineage_settle(struct lineage *lineage, uint64_t until_ns);

/* Births may be missing: from now on unknown threads are looked up in /proc. */
void lineage_lost(struct lineage *lineage);

/* --- Questions -------------------------------------------------------------------------------- */

/*
 * Did thread `tid` of process `pid` (0 or less: not known) belong to it at that time? An event of a
 * thread of which that cannot be found out is counted in `unknown`.
 */
bool lineage_has_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t time_ns);

/* The same of a process: one of its threads belonged to it. */
bool lineage_has_process(const struct lineage *lineage, pid_t pid, uint64_t time_ns);

/* Has a process of this number belonged to it at any time? */
bool lineage_had_process(const struct lineage *lineage, pid_t pid);

/* The process of any thread, 0 for 0, -1 when it cannot be found out. */
pid_t lineage_process_of(struct lineage *lineage, pid_t tid);

void lineage_release(struct lineage *lineage);

#endif
