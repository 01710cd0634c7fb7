/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of several watches tells of a thread. One that attaches opens its events on each thread
 * that it finds, while threads that are already watched go on creating others, which inherit the
 * events. So a thread may be watched twice, and all that it creates as well; each record is then
 * there twice, from two origins (the numbers of the threads that were opened). A thread's records
 * are taken from one origin: the one that told of it first.
 *
 * And one may be watched by nobody: a thread that was being created when the events were opened on
 * its creator has not inherited them, and may show up in /proc only after the last look. What its
 * creator does is on record, though: of the births that a thread tells of, only the first can be
 * such a one, since a thread creates one at a time. Such a birth is in doubt until the new thread
 * tells something itself.
 */
#ifndef PSCAL_COLLECT_TASK_ORIGINS_H
#define PSCAL_COLLECT_TASK_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/pid_set.h"

/* A thread of which it is not known whether it is watched. */
struct task_doubt {
	pid_t pid, tid;
	bool old; /* for a whole round */
};

/* Begins as zero. */
struct task_origins {
	uint32_t *of_tid; /* see task_origins.c */
	size_t tid_capacity;
	struct task_origin *origins;
	size_t origin_count, origin_capacity;
	struct pid_set in_doubt;
	struct task_doubt *doubts; /* in the order of their births; some are no longer in_doubt */
	size_t doubt_count, doubt_capacity;
};

/*
 * Events have been opened on `tid`, at some time after `time_ns`: the next origin, from 0 up.
 * `held`: it waits for us, so it was not creating a thread at that time.
 */
void task_origins_add(struct task_origins *origins, pid_t tid, uint64_t time_ns, bool held);

/* Is it known that this thread is watched? */
bool task_origins_has(const struct task_origins *origins, pid_t tid);

/* A record that thread `tid` has raised. Returns whether it is to be taken from this origin. */
bool task_origins_takes(struct task_origins *origins, pid_t tid, size_t origin);

/* ... and of these, what a birth, an exec and the end of the thread mean for what comes after. */
void task_origins_birth(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns,
			pid_t child_pid, pid_t child);
void task_origins_end(struct task_origins *origins, pid_t tid);

/*
 * An exec by a thread gives it the number of its process, and ends the others. Comes before
 * task_origins_takes().
 */
void task_origins_exec(struct task_origins *origins, pid_t tid, size_t origin);

/*
 * All rings have been walked once. Returns the number of threads that have been in doubt since the
 * round before: doubts[0] and on. They stay until they tell something or are added.
 */
size_t task_origins_round(struct task_origins *origins);

/* This thread need not be looked at again: it has ended, say. */
void task_origins_settle(struct task_origins *origins, pid_t tid);

void task_origins_release(struct task_origins *origins);

#endif
