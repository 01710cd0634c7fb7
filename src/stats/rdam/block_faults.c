/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/block_faults.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <string.h>

/* --- Reading ------------------------------------------------------------------------------- */

/* That has not ended so far. */
enum { OPEN_NS = 0 };

static bool is_open(const struct block_thread *thread)
{
	return thread->fault_count && thread->faults[thread->fault_count - 1].end_ns == OPEN_NS;
}

/* A fault that never ends is one that a signal has answered, or whose end is not on record. */
void block_faults_take(struct block_thread *thread, enum event_kind kind, uint64_t time_ns)
{
	if (kind == EVENT_FAULT_END) {
		if (is_open(thread))
			thread->faults[thread->fault_count - 1].end_ns = time_ns;
		return;
	}
	if (is_open(thread))
		thread->fault_count--;
	array_reserve(&thread->faults, &thread->fault_capacity, thread->fault_count + 1);
	thread->faults[thread->fault_count++] =
		(struct block_fault){.begin_ns = time_ns, .end_ns = OPEN_NS};
}

/* --- Measuring ----------------------------------------------------------------------------- */

static uint64_t overlap_ns(const struct block_fault *fault, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t from_ns = fault->begin_ns > begin_ns ? fault->begin_ns : begin_ns;
	uint64_t to_ns = fault->end_ns < end_ns ? fault->end_ns : end_ns;

	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Adds to `times` what the thread did within the fault. *at: its first interval; moves on. */
static void add_times(struct block_fault *times, const struct block_fault *fault,
		      const struct block_thread *thread, size_t *at)
{
	while (*at < thread->interval_count && thread->intervals[*at].end_ns <= fault->begin_ns)
		++*at;
	for (size_t i = *at; i < thread->interval_count; i++) {
		const struct block_interval *interval = &thread->intervals[i];
		uint64_t begin_ns = i ? thread->intervals[i - 1].end_ns : thread->begin_ns;

		if (begin_ns >= fault->end_ns)
			break;
		if (interval->state == STATE_RUNNING)
			times->cpu_ns += overlap_ns(fault, begin_ns, interval->end_ns);
		else if (interval->state == STATE_DISK)
			times->disk_ns += overlap_ns(fault, begin_ns, interval->end_ns);
	}
}

void block_faults_measure(struct block_thread *thread, double outside_ns)
{
	struct block_fault sum = {.begin_ns = UINT64_MAX, .end_ns = UINT64_MAX};
	size_t at = 0;

	if (is_open(thread))
		thread->fault_count--;
	array_reserve(&thread->faults, &thread->fault_capacity, thread->fault_count + 1);
	for (size_t i = 0; i < thread->fault_count; i++) {
		struct block_fault *fault = &thread->faults[i];

		fault->cpu_ns = sum.cpu_ns;
		fault->disk_ns = sum.disk_ns;
		add_times(&sum, fault, thread, &at);
		sum.cpu_ns += (uint64_t)outside_ns;
	}
	thread->faults[thread->fault_count] = sum;
}

size_t block_faults_find(const struct block_thread *thread, uint64_t time_ns, size_t guess)
{
	const struct block_fault *faults = thread->faults;
	size_t count = thread->fault_count, low = 0, high = count, step = 1;

	if (guess <= count && (!guess || faults[guess - 1].begin_ns < time_ns)) {
		for (low = guess; low + step <= count && faults[low + step - 1].begin_ns < time_ns;
		     step *= 2)
			low += step;
		high = low + step - 1 < count ? low + step - 1 : count;
	}
	return find_first(i, low, high, faults[i].begin_ns >= time_ns);
}
