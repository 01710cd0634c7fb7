/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds whose something is that a recording says of a thread number at a time: they come again. */
#ifndef PSCAL_STATS_SPIN_THREAD_FINDER_H
#define PSCAL_STATS_SPIN_THREAD_FINDER_H

#include <stddef.h>
#include <stdint.h>

/* A thread of the target. */
struct counted_thread {
	int32_t tid, pid; /* pid -1: not known */
	uint64_t begin_ns;
};

struct thread_finder {
	const struct counted_thread *threads; /* borrowed */
	const struct counted_thread **by_tid; /* sorted by tid and begin */
	size_t count;
};

/* `threads` are in the order of their numbers. */
void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count);
void thread_finder_release(struct thread_finder *finder);

/*
 * The number of the last thread with this tid that had begun then, 0: of the last one; -1: none.
 */
ptrdiff_t thread_finder_find(const struct thread_finder *finder, int32_t tid, uint64_t time_ns);

#endif
