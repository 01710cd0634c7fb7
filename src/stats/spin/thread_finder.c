/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/thread_finder.h"

#include "base/alloc.h"

#include <stdlib.h>

static int compare_threads(const void *a, const void *b)
{
	const struct counted_thread *one = *(const struct counted_thread *const *)a;
	const struct counted_thread *other = *(const struct counted_thread *const *)b;

	if (one->tid != other->tid)
		return (one->tid > other->tid) - (one->tid < other->tid);
	return (one->begin_ns > other->begin_ns) - (one->begin_ns < other->begin_ns);
}

void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count)
{
	*finder = (struct thread_finder){threads, xcalloc(count, sizeof(*finder->by_tid)), count};
	for (size_t i = 0; i < count; i++)
		finder->by_tid[i] = &threads[i];
	if (count)
		qsort(finder->by_tid, count, sizeof(*finder->by_tid), compare_threads);
}

void thread_finder_release(struct thread_finder *finder)
{
	free(finder->by_tid);
	*finder = (struct thread_finder){0};
}

ptrdiff_t thread_finder_find(const struct thread_finder *finder, int32_t tid, uint64_t time_ns)
{
	const struct counted_thread key = {.tid = tid, .begin_ns = time_ns ? time_ns : UINT64_MAX};
	const struct counted_thread *at = &key;
	size_t low = 0, high = finder->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_threads(&finder->by_tid[middle], &at) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || finder->by_tid[low - 1]->tid != tid)
		return -1;
	return finder->by_tid[low - 1] - finder->threads;
}
