/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"

#include <stdlib.h>

enum { COST_SAMPLES = 8192 };

/* Keeps every second sample, now and from now on. */
static void cost_samples_thin_out(struct cost_samples *samples)
{
	for (size_t i = 0; i < samples->count / 2; i++)
		samples->values[i] = samples->values[2 * i];
	samples->count /= 2;
	samples->stride *= 2;
}

void cost_samples_add(struct cost_samples *samples, uint64_t value)
{
	if (!samples->values) {
		samples->values = xcalloc(COST_SAMPLES, sizeof(*samples->values));
		samples->stride = 1;
	}
	if (samples->passed++ % samples->stride)
		return;
	if (samples->count == COST_SAMPLES)
		cost_samples_thin_out(samples);
	samples->values[samples->count++] = value;
}

/*
 * Returns the median; 0: no samples. Of two in the middle it is the smaller one: a wait for a core
 * that was not seen takes longer, and of a few wakeups one may have such a wait.
 */
static uint64_t cost_samples_median(struct cost_samples *samples)
{
	if (!samples->count)
		return 0;
	qsort(samples->values, samples->count, sizeof(*samples->values), compare_u64);
	return samples->values[(samples->count - 1) / 2];
}

void cost_samples_release(struct cost_samples *samples)
{
	free(samples->values);
	*samples = (struct cost_samples){0};
}

void cost_wakes_add(struct cost_wakes *wakes, uint32_t before, uint64_t waited_ns)
{
	cost_samples_add(&wakes->all, waited_ns);
	if (before == BY_NO_THREAD)
		cost_samples_add(&wakes->idle, waited_ns);
	wakes->others += before == BY_STRANGER;
}

void cost_wakes_release(struct cost_wakes *wakes)
{
	cost_samples_release(&wakes->all);
	cost_samples_release(&wakes->idle);
}

/* Returns the time from a wakeup to running; 0: not known. */
static uint64_t cost_wake_ns(struct cost_wakes *wakes)
{
	const uint64_t most_share = 10;

	return cost_samples_median(wakes->others > wakes->all.passed / most_share ? &wakes->idle
										  : &wakes->all);
}

bool cost_preemptions_add(struct cost_preemptions *preemptions, const struct cost_run *run)
{
	const uint64_t soon_ns = 50000;
	uint64_t after_ns = run->end_ns - run->active_ns;

	if (run->active_ns <= run->begin_ns && after_ns >= soon_ns) {
		if (!run->is_rest)
			cost_samples_add(&preemptions->slices, run->end_ns - run->begin_ns);
		return true;
	}
	preemptions->all++;
	preemptions->soon += after_ns < soon_ns;
	preemptions->later += after_ns >= soon_ns && after_ns < 2 * soon_ns;
	return false;
}

void cost_preemptions_add_uncut(struct cost_preemptions *preemptions, const struct cost_run *run)
{
	if (run->active_ns <= run->begin_ns && !run->is_rest)
		cost_samples_add(&preemptions->uncut, run->end_ns - run->begin_ns);
}

uint64_t cost_idle_pass(struct cost_idle *idle, size_t running, size_t active, size_t cores,
			uint64_t now_ns)
{
	size_t usable = active < cores ? active : cores;
	const uint64_t tick_ns = 10000000;
	uint64_t past_ns = 0;

	if (running < usable) {
		idle->cpus_ns += (usable - running) * (now_ns - idle->end_ns);
	} else if (now_ns > idle->end_ns) {
		past_ns = idle->end_ns - idle->begin_ns <= tick_ns ? idle->cpus_ns : 0;
		idle->cpus_ns = 0;
		idle->begin_ns = now_ns;
	}
	idle->end_ns = now_ns;
	return past_ns;
}

/* Returns the time slice; 0: not known. */
static uint64_t cost_slice_ns(struct cost_preemptions *preemptions)
{
	uint64_t slice_ns = cost_samples_median(&preemptions->slices);
	uint64_t cut = preemptions->slices.passed, longer = 0;

	for (size_t i = 0; i < preemptions->uncut.count; i++)
		longer += preemptions->uncut.values[i] > slice_ns;
	return longer * preemptions->uncut.stride > cut ? 0 : slice_ns;
}

uint64_t cost_others_ns(const struct target_info *target, uint64_t run_ns)
{
	uint64_t known_ns = run_ns + target->own_cpu_ns + target->steal_ns;

	return target->has_busy && target->busy_ns > known_ns ? target->busy_ns - known_ns : 0;
}

static bool cost_preemptions_are_by_wakes(const struct cost_preemptions *preemptions)
{
	const uint64_t least = 20, by_chance = 2, most_share = 10;

	return preemptions->all < least ||
	       preemptions->soon > by_chance * preemptions->later + preemptions->all / most_share;
}

void cost_tell(struct program_costs *costs, struct cost_wakes *wakes,
	       struct cost_preemptions *preemptions, const struct target_info *target)
{
	costs->wake_ns = cost_wake_ns(wakes);
	costs->slice_ns = cost_slice_ns(preemptions);
	costs->wakes_preempt = cost_preemptions_are_by_wakes(preemptions);
	costs->call_ns = target->cost_call_ns;
	costs->system_call_ns = target->cost_system_call_ns;
}

struct program_quota cost_quota_left(const struct target_quota *quota, uint64_t run_ns,
				     uint64_t wall_ns)
{
	const double least_share = .1;
	struct program_quota left = {.period_ns = quota->period_ns};
	double cpus, others = 0;

	if (!quota->quota_ns || !quota->period_ns || (quota->periods && !quota->throttled))
		return left;
	cpus = (double)quota->quota_ns / (double)quota->period_ns;
	if (quota->used_ns > run_ns && wall_ns)
		others = (double)(quota->used_ns - run_ns) / (double)wall_ns;
	left.cpus = cpus - others > least_share * cpus ? cpus - others : least_share * cpus;
	return left;
}
