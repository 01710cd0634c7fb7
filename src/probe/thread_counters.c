/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/thread_counters.h"

#include "probe/confinement.h"
#include "probe/raw_call.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { PAGE_BYTES = 4096, HIGH_FD_MAX = 4096 };

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * Returns the lowest descriptor to use. Low numbers belong to the program, which may rely on the
 * next one; tables of descriptors are as long as their highest number, so it is not very high.
 */
static long lowest_fd(void)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)limits, 0, 0);
	return (long)((limits[0] < HIGH_FD_MAX ? limits[0] : HIGH_FD_MAX) / 4 * 3);
}

/* Returns whether the program may read the counter itself (rdpmc). */
static bool may_ask_cpu(const struct perf_event_mmap_page *page)
{
#if defined(__x86_64__)
	return page->cap_user_rdpmc;
#else
	(void)page;
	return false;
#endif
}

/*
 * Keeps a copy of the descriptor, unless the counter can be read with rdpmc: then the page keeps
 * the event alive.
 */
static long keep_fd(struct thread_counters *counters, uint32_t i, long fd)
{
	if (may_ask_cpu(counters->pages[i]))
		return 0;
	fd = raw_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest_fd(), 0, 0, 0);
	if (raw_call_failed(fd))
		return fd;
	counters->fds[i] = (int)fd + 1;
	return 0;
}

static long map_page(struct thread_counters *counters, uint32_t i, long fd)
{
	long page = raw_call(SYS_mmap, 0, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (raw_call_failed(page))
		return page;
	/* A child has its own counters, of its own threads. */
	raw_call(SYS_madvise, page, PAGE_BYTES, MADV_DONTFORK, 0, 0, 0);
	counters->pages[i] = (const struct perf_event_mmap_page *)page; // NOLINT: an address
	return keep_fd(counters, i, fd);
}

/*
 * Returns whether the event is one of the CPU, which are in one group. Clocks are not: in a group
 * they count late (Linux 6.18).
 */
static bool is_of_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

/* Opens all counters. Returns 0 or -errno. */
static long open_all(struct thread_counters *counters, const struct perf_event_attr *attrs,
		     uint32_t count)
{
	long group = -1, rc = 0;

	for (uint32_t i = 0; i < count && !rc; i++) {
		long fd = raw_call(SYS_perf_event_open, (long)&attrs[i], 0, -1,
				   is_of_cpu(&attrs[i]) ? group : -1, PERF_FLAG_FD_CLOEXEC, 0);

		if (raw_call_failed(fd)) {
			rc = fd;
			break;
		}
		rc = map_page(counters, i, fd);
		if (group < 0 && is_of_cpu(&attrs[i]))
			group = fd;
		else
			raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	}
	if (!raw_call_failed(group))
		raw_call(SYS_close, group, 0, 0, 0, 0, 0);
	return rc;
}

static void close_fds(struct thread_counters *counters)
{
	for (uint32_t i = 0; i < PLAN_COUNTERS_MAX; i++) {
		if (counters->fds[i])
			raw_call(SYS_close, counters->fds[i] - 1, 0, 0, 0, 0, 0);
		counters->fds[i] = 0;
	}
}

int thread_counters_open(struct thread_counters *counters, const struct perf_event_attr *attrs,
			 uint32_t count)
{
	long rc;

	close_fds(counters); /* inherited by a fork, without the pages */
	*counters = (struct thread_counters){.count = 0};
	rc = open_all(counters, attrs, count);
	if (rc)
		thread_counters_close(counters);
	else
		counters->count = count;
	return (int)-rc;
}

void thread_counters_close(struct thread_counters *counters)
{
	counters->count = 0;
	for (uint32_t i = 0; i < PLAN_COUNTERS_MAX; i++) {
		if (counters->pages[i])
			raw_call(SYS_munmap, (long)counters->pages[i], PAGE_BYTES, 0, 0, 0, 0);
		counters->pages[i] = NULL;
	}
	close_fds(counters);
}

/* --- Reading ------------------------------------------------------------------------------- */

static uint64_t ask_cpu(uint32_t index)
{
#if defined(__x86_64__)
	return __rdpmc((int)index);
#else
	(void)index;
	return 0;
#endif
}

static uint64_t ask_time(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return 0;
#endif
}

static const struct page_counter_machine machine = {ask_cpu, ask_time};

/* A count with both times. */
struct answer {
	uint64_t count, enabled, running;
};

static uint64_t ask_kernel(int fd)
{
	struct answer answer;
	long bytes = 0;

	if (confinement_hold()) {
		bytes = raw_call(SYS_read, fd, (long)&answer, sizeof(answer), 0, 0, 0);
		confinement_free();
	}
	if (bytes != sizeof(answer) || !answer.running)
		return THREAD_COUNT_UNKNOWN;
	if (answer.running == answer.enabled)
		return answer.count;
	return page_counter_scaled(answer.count, answer.enabled, answer.running);
}

void thread_counters_read(uint64_t *values, const struct thread_counters *counters)
{
	for (uint32_t i = 0; i < counters->count; i++) {
		values[i] = THREAD_COUNT_UNKNOWN;
		if (counters->fds[i])
			values[i] = ask_kernel(counters->fds[i] - 1);
		else
			page_counter_read(&values[i], counters->pages[i], &machine);
	}
}
