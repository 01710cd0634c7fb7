/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event_rules.h"
#include "decode/states.h"

#include <stdlib.h>

struct timeline {
	struct event_source *source;
	struct states states;
	bool finished;
};

struct timeline *timeline_new(struct event_source *source, const struct selection *selection)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->source = source;
	states_init(&timeline->states, source, selection);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	states_release(&timeline->states);
	free(timeline);
}

uint64_t timeline_begin_ns(const struct timeline *timeline)
{
	return timeline->states.begin_ns;
}

size_t timeline_open(const struct timeline *timeline, struct change **open)
{
	return states_open(&timeline->states, open);
}

unsigned timeline_cpus(const struct timeline *timeline)
{
	return timeline->states.cpus.used;
}

/* A CPU that cannot be is not known. */
static void check_cpu(struct states *states, struct event *event)
{
	if (event->cpu < CPU_TABLE_MAX)
		return;
	states->quality->malformed++;
	event->cpu = -1;
}

/* Time never goes back: an event that comes too late happens now, and is counted. */
static void advance(struct states *states, const struct event *event)
{
	const struct target_info *target = states->target;
	struct quality *quality = states->quality;

	if (event->kind == EVENT_TASK || event->kind == EVENT_RAN)
		return; /* tell who is who and where, and not that anything happened */
	if (event->kind != EVENT_STATE && event->kind != EVENT_GAP && event->kind != EVENT_EXEC) {
		if (!quality->events++)
			states->first_ns = event->time_ns;
		quality->late += event->time_ns < states->now_ns;
	}
	if (event->time_ns > states->now_ns)
		states->now_ns = event->time_ns;
	if (target->attached && !states->begun && states->now_ns >= target->start_ns)
		states_begin_attached(states);
}

/* All intervals end where the recording ended. */
static void finish(struct states *states)
{
	const struct target_info *target = states->target;

	if (target->attached && target->end_ns > states->now_ns)
		states->now_ns = target->end_ns;
	if (target->attached && !states->begun)
		states_begin_attached(states);
	for (struct thread *thread = states->threads.first; thread; thread = thread->next)
		if (thread->target)
			states_move_on(states, thread, thread->state, STATE_NONE);
	if (states->quality->no_wakes) {
		/* None is missing: the recording has none. Nor is it needed if nobody was woken. */
		states->quality->no_wakes = states->quality->repaired_wakes > 0;
		states->quality->repaired_wakes = 0;
	}
}

int timeline_next(struct timeline *timeline, struct change *change, struct err *err)
{
	while (!states_pop(&timeline->states, change)) {
		struct event event;
		int rc;

		if (timeline->finished)
			return 0;
		rc = event_source_next(timeline->source, &event, err);
		if (rc < 0)
			return -1;
		if (rc) {
			check_cpu(&timeline->states, &event);
			advance(&timeline->states, &event);
			event_rules_apply(&timeline->states, &event);
			continue;
		}
		timeline->finished = true;
		finish(&timeline->states);
		if (!timeline->states.target_threads)
			return err_set(err, "the recording holds nothing of the target; "
					    "name another with --pid, --tid or --comm");
	}
	return 1;
}
