/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/thread_finder.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

static int compare_threads(const void *a, const void *b)
{
	const struct counted_thread *one = *(const struct counted_thread *const *)a;
	const struct counted_thread *other = *(const struct counted_thread *const *)b;

	return compare_values(one->tid, other->tid)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count)
{
	*finder = (struct thread_finder){threads, xcalloc(count, sizeof(*finder->by_tid)), count};
	for (size_t i = 0; i < count; i++)
		finder->by_tid[i] = &threads[i];
	sort_items(finder->by_tid, count, compare_threads);
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
	size_t behind =
		find_first(i, 0, finder->count, compare_threads(&finder->by_tid[i], &at) > 0);

	if (!behind || finder->by_tid[behind - 1]->tid != tid)
		return -1;
	return finder->by_tid[behind - 1] - finder->threads;
}
