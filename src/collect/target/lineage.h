/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads and processes of the target: the given ones and their descendants. All collectors ask
 * the lineage, as the kernel also shows them events of other processes. The kernel reuses ids, so
 * each question has the time of an event.
 *
 * The collector of scheduler events reports births, execs and ends. They come from the rings of
 * several CPUs in any order, so they are collected, and judged in the order of time. The birth of a
 * thread is in a ring before the thread runs: a collector that notes how far its rings are filled
 * before births are read (see `mark` in collector.h) reads only events of threads whose births have
 * been judged.
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
	bool ours; /* its parent is known to be a thread of the target */
};

/* A birth, or a change of an existing thread (its end) or process (its exec). */
struct lineage_change {
	enum lineage_change_kind { LINEAGE_BIRTH, LINEAGE_EXEC, LINEAGE_END } kind;
	uint64_t time_ns;
	pid_t id;		    /* the thread or process that changes */
	struct lineage_birth birth; /* of a birth */
};

/* The lineage of a target. It begins as zero, except for the first members. */
struct lineage {
	bool wide;		/* all threads of the machine belong to the target */
	bool alone;		/* processes that it creates do not belong to it */
	bool lossy;		/* births may be missing: look unknown threads up in /proc */
	const char *proc;	/* "/proc" */
	uint64_t started_ticks; /* proc_now_ticks() at the start of the reports of births */

	pid_t launched;	      /* the process of a command; 0: none */
	uint64_t launched_ns; /* time of its first exec; 0: not yet */

	uint64_t threads; /* threads that have belonged to the target */
	uint64_t unknown; /* events that were dropped because births had been lost */
	/* Living processes, and living threads that belong to the target without their process. */
	struct pid_set living_processes, living_threads;

	pid_t *pids; /* process of any thread, by tid; 0: not known, -1: not in /proc either */
	size_t pid_capacity;
	struct sparse kin_threads, kin_processes;
	/* Threads of other processes, and threads that could not be judged. */
	struct pid_set strangers, doubtful;
	struct lineage_change *changes; /* changes to be judged */
	size_t change_count, change_capacity;
};

/* --- Changes ---------------------------------------------------------------------------------- */

/*
 * Adds a process with all its threads, or one thread, to the target. `now_ns` is in the clock of
 * the births: births up to then change nothing.
 */
void lineage_give_process(struct lineage *lineage, pid_t pid, uint64_t now_ns);
void lineage_give_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t now_ns);

/* Reports a birth. The process of the thread is known at once. */
void lineage_birth(struct lineage *lineage, const struct lineage_birth *birth);

/* Reports an exec, which ends all threads of the process but one, which gets its number. */
void lineage_exec(struct lineage *lineage, pid_t pid, uint64_t time_ns);

/* Reports that a thread has left its CPU for the last time. */
void lineage_end(struct lineage *lineage, pid_t tid, uint64_t time_ns);

/*
 * Judges all births, execs and ends up to this time, which all have been reported, in the order of
 * time. Later ones wait for the next call.
 */
void lineage_settle(struct lineage *lineage, uint64_t until_ns);

/* --- Questions -------------------------------------------------------------------------------- */

/*
 * Returns whether thread `tid` of process `pid` (0 or less: not known) belonged to the target at
 * that time. If that cannot be found out, the event is counted in `unknown`.
 */
bool lineage_has_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t time_ns);

/* Returns whether a thread of the process belonged to the target at that time. */
bool lineage_has_process(const struct lineage *lineage, pid_t pid, uint64_t time_ns);

/* Returns whether a thread of the target has not left its CPU for the last time; true if wide. */
bool lineage_lives(const struct lineage *lineage);

/* Returns whether a whole process of this number has ever belonged to the target. */
bool lineage_had_process(const struct lineage *lineage, pid_t pid);

/* Returns the process of any thread; 0 for 0; -1: unknown. */
pid_t lineage_process_of(struct lineage *lineage, pid_t tid);

void lineage_release(struct lineage *lineage);

#endif
