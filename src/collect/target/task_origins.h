/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The origin of a thread's records, if it has several. One that attaches opens its events on each
 * thread that it finds, while threads that are already watched go on creating others, which inherit
 * the events. So a thread may be watched twice, and all that it creates as well; each record is
 * then there twice, from two origins (the numbers of the threads that were opened). A thread's
 * records are taken from one origin.
 *
 * And a thread is perhaps not watched, or on some CPUs only: one that was being created while the
 * events were opened on its creator one after the other. It may show up in /proc only after the
 * last look. But what its creator does is on record. A birth that ended before all events were open
 * is in doubt, and the first one after that: a thread creates one at a time. That the new thread
 * tells something is no proof, so what is in doubt has to be opened itself.
 */
#ifndef PSCAL_COLLECT_TARGET_TASK_ORIGINS_H
#define PSCAL_COLLECT_TARGET_TASK_ORIGINS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target/pid_set.h"

/* A thread of which it is not known whether it is watched on all CPUs. */
struct task_doubt {
	pid_t pid, tid; /* 0: it is settled */
	bool old;	/* for a whole round */
};

/* Begins as zero. */
struct task_origins {
	uint32_t *of_tid; /* see task_origins.c */
	size_t tid_capacity;
	struct task_origin *origins;
	size_t origin_count, origin_capacity;
	struct task_doubt *doubts; /* in the order in which they were read */
	size_t doubt_count, doubt_capacity;
	struct pid_set silent; /* those of the doubts that have told nothing */
};

/*
 * All events have been open on `tid` since `time_ns`: the next origin, from 0 up. `asleep`: it was
 * while they were opened, so no birth is in doubt.
 */
void task_origins_add(struct task_origins *origins, pid_t tid, uint64_t time_ns, bool asleep);

enum task_knowledge {
	TASK_IS_UNKNOWN, /* nothing is on record, or it has ended */
	TASK_IS_SILENT,	 /* only its birth is, which is in doubt */
	TASK_HAS_TOLD,	 /* it has told something, but may not be watched on all CPUs */
	TASK_IS_WATCHED,
};
enum task_knowledge task_origins_of(const struct task_origins *origins, pid_t tid);

/*
 * A record that thread `tid` has raised, with what an exec, which gives the thread the number of its
 * process and ends the others, or the end of the thread mean for what comes after. Returns whether
 * it is to be taken from this origin.
 */
bool task_origins_take(struct task_origins *origins, const struct perf_event_header *record,
		       pid_t tid, size_t origin, uint64_t time_ns);

/* ... and of these, what a birth means. */
void task_origins_birth(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns,
			pid_t child_pid, pid_t child);

/*
 * All rings have been walked once. Returns how many threads have been in doubt since the round
 * before: doubts[0] and on. They stay until they are added or settled.
 */
size_t task_origins_round(struct task_origins *origins);

/* All that can be done for this thread has been done. */
void task_origins_settle(struct task_origins *origins, pid_t tid);

void task_origins_release(struct task_origins *origins);

#endif
