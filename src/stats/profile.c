/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

static void add_to_thread(struct thread_profile *thread, const struct change *change)
{
	if (!thread->tid)
		thread->begin_ns = change->begin_ns;
	thread->tid = change->tid;
	thread->pid = change->pid;
	memcpy(thread->comm, change->comm, sizeof(thread->comm));
	thread->state_ns[change->state] += change->end_ns - change->begin_ns;
	thread->switches += change->left_cpu;
	thread->wakes += change->next == STATE_RUNNABLE && !change->left_cpu &&
			 !thread_state_is_active(change->state) && change->state != STATE_NONE;
}

static void add(struct profile *profile, size_t *capacity, const struct change *change)
{
	array_reserve(&profile->threads, capacity, change->thread + 1);
	if (change->thread >= profile->thread_count)
		profile->thread_count = change->thread + 1;
	add_to_thread(&profile->threads[change->thread], change);
}

static void add_counters(struct profile *profile, const struct counts *counts)
{
	struct counted_thread *threads = xcalloc(profile->thread_count, sizeof(*threads));

	for (size_t i = 0; i < profile->thread_count; i++)
		threads[i] =
			(struct counted_thread){profile->threads[i].tid, profile->threads[i].pid,
						profile->threads[i].begin_ns};
	counter_table_init(&profile->counters, counts, threads, profile->thread_count);
	free(threads);
}

int profile_init(struct profile *profile, struct event_source *source,
		 const struct selection *selection, uint64_t interval_ns, struct err *err)
{
	struct timeline *timeline = timeline_new(source, selection);
	struct levels *levels = levels_new(interval_ns);
	struct change change;
	size_t capacity = 0;
	int rc;

	*profile = (struct profile){.interval_ns = interval_ns};
	while ((rc = timeline_next(timeline, &change, err)) > 0) {
		add(profile, &capacity, &change);
		levels_begin(levels, timeline_begin_ns(timeline));
		if (levels_add(levels, &change)) {
			rc = err_set(err,
				     "the recording has more than %d intervals of %g s: take "
				     "longer ones",
				     LEVELS_INTERVALS_MAX, (double)interval_ns / 1e9);
			break;
		}
	}
	levels_sum(levels, &profile->levels);
	if (interval_ns)
		profile->interval_count = levels_intervals(levels, &profile->intervals);
	profile->cores = source->target.affinity_count ? source->target.affinity_count
						       : timeline_cpus(timeline);
	profile->quality = source->quality;
	add_counters(profile, &source->counts);
	timeline_free(timeline);
	levels_free(levels);
	if (rc)
		profile_release(profile);
	return rc;
}

void profile_release(struct profile *profile)
{
	level_times_release(&profile->levels);
	for (size_t i = 0; i < profile->interval_count; i++)
		level_times_release(&profile->intervals[i]);
	counter_table_release(&profile->counters);
	free(profile->intervals);
	free(profile->threads);
	*profile = (struct profile){0};
}
