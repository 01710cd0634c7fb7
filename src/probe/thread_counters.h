/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counters of a thread while its tasks run: events of perf, of which those of the CPU are one
 * group, so that they are counted at the same times. They are read from the CPU if possible,
 * otherwise by a system call.
 */
#ifndef PSCAL_PROBE_THREAD_COUNTERS_H
#define PSCAL_PROBE_THREAD_COUNTERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/patch_plan.h"

struct perf_event_mmap_page;

#define THREAD_COUNT_UNKNOWN UINT64_MAX

/* The counters. Begins as zero. */
struct thread_counters {
	uint32_t count;		    /* 0: none */
	int fds[PLAN_COUNTERS_MAX]; /* plus one; 0: not needed */
	const struct perf_event_mmap_page *pages[PLAN_COUNTERS_MAX];
};

/*
 * Opens the counters of the calling thread; system calls are allowed. Counters inherited from a
 * thread of the parent by a fork are dropped. Returns 0, or the errno of the first failure, with no
 * counters.
 */
int thread_counters_open(struct thread_counters *counters, const struct perf_event_attr *attrs,
			 uint32_t count);
void thread_counters_close(struct thread_counters *counters);

/* Reads all counters; THREAD_COUNT_UNKNOWN: not known. */
void thread_counters_read(uint64_t *values, const struct thread_counters *counters);

/*
 * The count of an event of perf, read in user space from the page that the kernel updates
 * (linux/perf_event.h, struct perf_event_mmap_page, whose comments are the protocol).
 */

/* Functions that read counter number `index` of the CPU, and the time stamp counter. */
struct page_counter_machine {
	uint64_t (*count)(uint32_t index);
	uint64_t (*time)(void);
};

/* One consistent reading of the page. */
struct page_counter_look {
	uint64_t count, enabled, running, time;
	uint32_t index, mult;
	uint16_t shift;
	uint64_t offset;
	bool has_time;
};

#define PAGE_COUNTER_LOAD(field) (*(const volatile __typeof__(field) *)&(field))

/* Extends the sign of a counter of `width` bits. */
static inline uint64_t page_counter_extend(uint64_t count, unsigned width)
{
	return width && width < 64 ? (uint64_t)((int64_t)(count << (64 - width)) >> (64 - width))
				   : count;
}

static inline void page_counter_look(struct page_counter_look *look,
				     const struct perf_event_mmap_page *page,
				     const struct page_counter_machine *machine)
{
	uint32_t lock;

	do {
		lock = PAGE_COUNTER_LOAD(page->lock);
		__atomic_signal_fence(__ATOMIC_SEQ_CST); /* this CPU writes the page */
		look->enabled = PAGE_COUNTER_LOAD(page->time_enabled);
		look->running = PAGE_COUNTER_LOAD(page->time_running);
		look->has_time = page->cap_user_time && look->enabled != look->running;
		if (look->has_time) {
			look->time = machine->time();
			look->offset = PAGE_COUNTER_LOAD(page->time_offset);
			look->mult = PAGE_COUNTER_LOAD(page->time_mult);
			look->shift = PAGE_COUNTER_LOAD(page->time_shift);
		}
		look->index = PAGE_COUNTER_LOAD(page->index);
		look->count = (uint64_t)PAGE_COUNTER_LOAD(page->offset);
		if (look->index)
			look->count += page_counter_extend(machine->count(look->index - 1),
							   PAGE_COUNTER_LOAD(page->pmc_width));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (PAGE_COUNTER_LOAD(page->lock) != lock || lock & 1);
}

/* Compute value * mult / 2^shift and value * by / of, without an overflow. */
static inline uint64_t page_counter_shifted(uint64_t value, uint32_t mult, uint16_t shift)
{
	uint64_t rest = value & ((UINT64_C(1) << shift) - 1);

	return (value >> shift) * mult + ((rest * mult) >> shift);
}

static inline uint64_t page_counter_scaled(uint64_t value, uint64_t by, uint64_t of)
{
	return value / of * by + (uint64_t)((unsigned __int128)(value % of) * by / of);
}

/*
 * Returns the count, scaled up if other events had their turn, by the share of time that it was on.
 */
static inline uint64_t page_counter_value(const struct page_counter_look *look)
{
	uint64_t enabled = look->enabled, running = look->running;

	if (look->has_time) {
		uint64_t passed =
			look->offset + page_counter_shifted(look->time, look->mult, look->shift);

		enabled += passed;
		running += look->index ? passed : 0;
	}
	if (enabled == running || !running)
		return look->count;
	return page_counter_scaled(look->count, enabled, running);
}

/* Reads the count. False: the CPU does not allow it for this event. */
static inline bool page_counter_read(uint64_t *value, const struct perf_event_mmap_page *page,
				     const struct page_counter_machine *machine)
{
	struct page_counter_look look = {.count = 0};

	if (!page->cap_user_rdpmc)
		return false;
	page_counter_look(&look, page, machine);
	*value = page_counter_value(&look);
	return true;
}

#endif
