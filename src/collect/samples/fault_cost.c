/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/fault_cost.h"

#include "base/monotonic.h"
#include "collect/kernel/ring.h"
#include "collect/recording/record.h"

#include <gsl/gsl_statistics_double.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The records of a round, of less than 64 bytes each, fit into the ring. The median is of rounds in
 * which nobody disturbs.
 */
enum { ROUNDS = 21, PAGES = 128, RING_BYTES = 16384 };

/* Of this thread: the ring is that of the first. */
enum { FAULT, MINOR, EVENTS };

struct watched {
	int fds[EVENTS];
	struct ring ring;
	struct sample_layout layout;
};

/* --- The events ---------------------------------------------------------------------------- */

static int open_event(struct watched *watched, uint64_t config)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, config);

	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr.exclude_kernel = attr.exclude_hv = 1;
	sample_layout_init(&watched->layout, &attr);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int watch(struct watched *watched)
{
	watched->fds[FAULT] = open_event(watched, PERF_COUNT_SW_PAGE_FAULTS);
	watched->fds[MINOR] = open_event(watched, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	if (watched->fds[FAULT] < 0 || watched->fds[MINOR] < 0 ||
	    ring_map(&watched->ring, watched->fds[FAULT], RING_BYTES))
		return -1;
	return ioctl(watched->fds[MINOR], PERF_EVENT_IOC_SET_OUTPUT, watched->fds[FAULT]);
}

static void unwatch(struct watched *watched)
{
	ring_unmap(&watched->ring);
	for (size_t i = 0; i < EVENTS; i++)
		if (watched->fds[i] >= 0)
			close(watched->fds[i]);
}

static int set_events(const struct watched *watched, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(watched->fds[FAULT], request, 0) || ioctl(watched->fds[MINOR], request, 0) ? -1
												: 0;
}

/* --- Rounds -------------------------------------------------------------------------------- */

/* CPU time of as many faults as there are pages. */
static uint64_t touch_ns(char *memory, size_t page)
{
	uint64_t begin_ns;

	madvise(memory, PAGES * page, MADV_DONTNEED);
	begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(memory + i * page) = 1;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

/* From the first record to the second of all faults. *count: how many these are. */
static uint64_t lengths_ns(struct watched *watched, uint64_t *count)
{
	const struct perf_event_header *record;
	struct sample sample;
	uint64_t sum_ns = 0, begin_ns = 0;

	*count = 0;
	if (!ring_read(&watched->ring))
		return 0;
	for (bool ends = false; (record = ring_next(&watched->ring)); ends = !ends) {
		if (record->type != PERF_RECORD_SAMPLE ||
		    record_parse(&sample, record, &watched->layout))
			continue;
		sum_ns += ends ? sample.time_ns - begin_ns : 0;
		begin_ns = sample.time_ns;
		*count += ends;
	}
	ring_consume(&watched->ring);
	return sum_ns;
}

static int measure(struct fault_cost *cost, struct watched *watched, char *memory, size_t page)
{
	double outside_ns[ROUNDS], added_ns[ROUNDS];

	touch_ns(memory, page); /* to get warm */
	for (int i = 0; i < ROUNDS; i++) {
		double bare_ns = (double)touch_ns(memory, page), all_ns;
		uint64_t within_ns, count;

		if (set_events(watched, true))
			return -1;
		all_ns = (double)touch_ns(memory, page);
		if (set_events(watched, false))
			return -1;
		within_ns = lengths_ns(watched, &count);
		if (count < PAGES)
			return -1;
		outside_ns[i] = (all_ns - (double)within_ns) / PAGES;
		added_ns[i] = (all_ns - bare_ns) / PAGES;
	}
	cost->outside_ns = gsl_stats_median(outside_ns, 1, ROUNDS);
	cost->added_ns = gsl_stats_median(added_ns, 1, ROUNDS);
	return cost->outside_ns > 0 && cost->added_ns > 0 ? 0 : -1;
}

int fault_cost_measure(struct fault_cost *cost)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct watched watched = {.fds = {-1, -1}};
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	int rc;

	if (memory == MAP_FAILED)
		return -1;
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	rc = watch(&watched) || measure(cost, &watched, memory, page) ? -1 : 0;
	unwatch(&watched);
	munmap(memory, PAGES * page);
	return rc;
}
