/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A filter of threads for the kernel's tracepoints, for a collector that cannot know all threads
 * beforehand. Each term costs some nanoseconds per event, so there are few: all ids from one on (a
 * command and its descendants, while ids grow), a handful of ids, or both (running threads and
 * their descendants).
 */
#ifndef PSCAL_COLLECT_TARGET_THREAD_FILTER_H
#define PSCAL_COLLECT_TARGET_THREAD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	THREAD_FILTER_MAX = 16,		/* ids */
	THREAD_FILTER_TEXT_SIZE = 1024, /* the kernel's limit is 4096 */
};

/*
 * A filter begins as zero: all threads pass. Process ids grow until pid_max and then wrap around:
 * "descendants have higher ids" holds until then.
 */
struct thread_filter {
	pid_t first;			   /* the lowest id that passes for being high; 0: none */
	pid_t newest;			   /* the newest id in the system at the last look */
	pid_t tids[THREAD_FILTER_MAX + 1]; /* one more than the filter can hold: then all pass */
	size_t count;
};

/* Adds an id. With more than THREAD_FILTER_MAX ids all threads pass. */
void thread_filter_add(struct thread_filter *filter, pid_t tid);

bool thread_filter_passes_all(const struct thread_filter *filter);
bool thread_filter_passes(const struct thread_filter *filter, pid_t tid);

/*
 * Writes the filter as text, for a tracepoint with this field ("pid"), or for two fields, one of
 * which must pass; `other` may be NULL. Not for a filter that passes all.
 */
void thread_filter_text(char text[THREAD_FILTER_TEXT_SIZE], const struct thread_filter *filter,
			const char *field, const char *other);

/*
 * Makes all ids from `first` on pass (0: all future ids), if enough ids are left to rely on their
 * order. Returns whether they do. `proc` is "/proc".
 */
bool thread_filter_follow(struct thread_filter *filter, pid_t first, const char *proc);

/*
 * Returns whether ids have wrapped around since thread_filter_follow(), or since the last call, so
 * that their order is meaningless. False if no id passes for being high.
 */
bool thread_filter_has_wrapped(struct thread_filter *filter, const char *proc);

#endif
