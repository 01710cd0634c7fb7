/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A filter of threads for the kernel's tracepoints, for a collector that cannot know all threads
 * beforehand. Each term costs every event some nanoseconds, so there are few: all ids from one on
 * (a command and its descendants, while ids grow), a handful of ids, or both (running threads and
 * their descendants).
 */
#ifndef PSCAL_COLLECT_TARGET_THREAD_FILTER_H
#define PSCAL_COLLECT_TARGET_THREAD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	THREAD_FILTER_MAX = 16,		/* ids */
	THREAD_FILTER_TEXT_SIZE = 1024, /* the kernel takes 4096 */
};

/*
 * Begins as zero: all pass. Process ids grow until pid_max and then wrap around: "descendants have
 * higher ids" holds until then.
 */
struct thread_filter {
	pid_t first;			   /* 0: no id passes for being high */
	pid_t newest;			   /* the id given last in the system, when it was looked */
	pid_t tids[THREAD_FILTER_MAX + 1]; /* one more than can be told apart: then all pass */
	size_t count;
};

/* One id more. With more than THREAD_FILTER_MAX of them all threads pass. */
void thread_filter_add(struct thread_filter *filter, pid_t tid);

bool thread_filter_passes_all(const struct thread_filter *filter);
bool thread_filter_passes(const struct thread_filter *filter, pid_t tid);

/*
 * The filter as text, for a tracepoint with this field ("pid"), or with these two one of which is
 * to pass; `other` may be NULL. Not for a filter that passes all.
 */
void thread_filter_text(char text[THREAD_FILTER_TEXT_SIZE], const struct thread_filter *filter,
			const char *field, const char *other);

/*
 * All ids from `first` on (0: all that will be given from now on) pass, where there are enough of
 * them to rely on the order. Returns whether they do. `proc` is "/proc".
 */
bool thread_filter_follow(struct thread_filter *filter, pid_t first, const char *proc);

/*
 * Have ids wrapped around since thread_filter_follow(), or since the last call? Then their order is
 * no longer meaningful. No, if no id passes for being high.
 */
bool thread_filter_has_wrapped(struct thread_filter *filter, const char *proc);

#endif
