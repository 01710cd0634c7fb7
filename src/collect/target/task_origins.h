/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The origin of a thread's records, if it has several. A collector that attaches opens its events
 * on each thread that it finds, while threads that are watched already create others, which inherit
 * the events. So a thread, and all that it creates, may be watched twice; each record is then there
 * twice, from two origins (the numbers of the opened threads). Only the records of one origin are
 * used.
 *
 * A thread may also be watched on some CPUs only, or not at all, if it was created while the events
 * were opened on its creator one after the other. It may appear in /proc only after the last look.
 * But the records of its creator are complete. A birth that ended before all events were open is in
 * doubt, and so is the first one after that, as a thread creates one at a time. Records of the new
 * thread are no proof, so events must be opened on a thread in doubt itself.
 */
#ifndef PSCAL_COLLECT_TARGET_TASK_ORIGINS_H
#define PSCAL_COLLECT_TARGET_TASK_ORIGINS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target/pid_set.h"

/* A thread that is possibly not watched on all CPUs. */
struct task_doubt {
	pid_t pid, tid; /* 0: settled */
	bool old;	/* in doubt for a whole round */
};

/* The origins of all threads. It begins as zero. */
struct task_origins {
	uint32_t *of_tid; /* see task_origins.c */
	size_t tid_capacity;
	struct task_origin *origins;
	size_t origin_count, origin_capacity;
	struct task_doubt *doubts; /* in the order of their records */
	size_t doubt_count, doubt_capacity;
	struct pid_set silent; /* threads in doubt without records */
};

/*
 * Adds the next origin, from 0 up: all events have been open on `tid` since `time_ns`. `asleep`:
 * the thread slept while they were opened, so that no birth is in doubt.
 */
void task_origins_add(struct task_origins *origins, pid_t tid, uint64_t time_ns, bool asleep);

enum task_knowledge {
	TASK_IS_UNKNOWN, /* no records, or it has ended */
	TASK_IS_SILENT,	 /* only a record of its birth, which is in doubt */
	TASK_HAS_TOLD,	 /* records, but it may not be watched on all CPUs */
	TASK_IS_WATCHED,
};
enum task_knowledge task_origins_of(const struct task_origins *origins, pid_t tid);

/*
 * Takes a record of thread `tid`. An exec, which gives the thread the number of its process and
 * ends the others, or the end of the thread changes later results. Returns whether the record is to
 * be used from this origin.
 */
bool task_origins_take(struct task_origins *origins, const struct perf_event_header *record,
		       pid_t tid, size_t origin, uint64_t time_ns);

/* Takes the birth of a thread, from a record that is used. */
void task_origins_birth(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns,
			pid_t child_pid, pid_t child);

/*
 * Ends a round over all rings. Returns the number of threads that have been in doubt since the
 * round before: doubts[0] and on. They stay until they are added or settled.
 */
size_t task_origins_round(struct task_origins *origins);

/* Settles a thread for which nothing more can be done. */
void task_origins_settle(struct task_origins *origins, pid_t tid);

void task_origins_release(struct task_origins *origins);

#endif
