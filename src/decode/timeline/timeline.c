/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/timeline/event_rules.h"
#include "decode/timeline/states.h"

#include <stdlib.h>

struct timeline {
	struct event_source *source;
	struct states states;
	bool finished; /* the source is at its end: one thread after the other ends, too */
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

void timeline_want_marks(struct timeline *timeline,
			 void (*take)(void *context, const struct mark *mark), void *context)
{
	timeline->states.take_mark = take;
	timeline->states.mark_context = context;
}

struct timeline_calls timeline_calls(const struct timeline *timeline)
{
	return timeline->states.calls;
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
	if (event->cpu < CPU_MAX)
		return;
	states->event = event;
	states->quality->malformed++;
	states_tell_finding(states, QUALITY_MALFORMED);
	event->cpu = -1;
}

/* Does it tell who is who and where, and not that anything happened? */
static bool is_timeless(const struct event *event)
{
	return event->kind == EVENT_TASK || event->kind == EVENT_NOTE;
}

/* The kernel's own account of something that is written down by others, later. */
static bool is_aside(const struct event *event)
{
	return event->kind == EVENT_STATE || event->kind == EVENT_GAP || event->kind == EVENT_EXEC;
}

/* Time goes on. Returns whether the event counts. */
static bool advance(struct states *states, const struct event *event)
{
	struct quality *quality = states->quality;
	enum event_clock_step step;

	if (is_aside(event)) {
		event_clock_reach(&states->clock, event->time_ns);
		return true;
	}
	if (!quality->events++)
		states->first_ns = event->time_ns;
	step = event_clock_step(&states->clock, event->time_ns);
	if (step == CLOCK_ON)
		return true;
	quality_count(quality, step == CLOCK_LATE ? QUALITY_LATE : QUALITY_CLOCK_BACK);
	states_tell_finding(states, step == CLOCK_LATE ? QUALITY_LATE : QUALITY_CLOCK_BACK);
	if (step == CLOCK_SET)
		event_rules_forget(states);
	return step != CLOCK_BACK;
}

static void apply(struct states *states, const struct event *event)
{
	const struct target_info *target = states->target;

	states->event = event;
	if (!is_timeless(event)) {
		if (!advance(states, event))
			return;
		states->now_ns = states->clock.now_ns;
		if (target->attached && !states->begun && states->now_ns >= target->start_ns)
			states_begin_attached(states);
	}
	event_rules_apply(states, event);
}

/* All intervals end where the recording ended, one by one, as the caller asks for them. */
static void finish(struct states *states)
{
	const struct target_info *target = states->target;

	states->event = NULL;
	states->hold_ns = 0;
	if (target->attached && target->end_ns > states->now_ns)
		states->now_ns = target->end_ns;
	if (target->attached && !states->begun)
		states_begin_attached(states);
	if (states->quality->no_wakes) {
		/* None is missing: the recording has none. Nor is it needed if nobody was woken. */
		states->quality->no_wakes = states->quality->repaired_wakes > 0;
		states->quality->repaired_wakes = 0;
	}
}

/* Ends one thread, which is known no more. Returns whether there was one. */
static bool end_next(struct states *states)
{
	struct thread *thread = states->threads.first;

	if (!thread)
		return false;
	if (thread->target)
		states_move_on(states, thread, thread->state, STATE_NONE);
	thread_table_drop(&states->threads, thread);
	return true;
}

/* Nothing of the target was seen. */
static int refuse(const struct states *states, struct err *err)
{
	char *words;

	if (!states->is_chosen)
		return err_set(err, "the recording holds nothing of the target; name another "
				    "one with --comm");
	words = selection_words(&states->selection);
	err_set(err, "the recording holds nothing of what %s asks for; ask for others, or for none",
		words);
	free(words);
	return -1;
}

/* Applies the next event. Returns 1, 0 where all has been told already, or -1 with a sentence. */
static int step(struct timeline *timeline, struct err *err)
{
	struct event event;
	int rc;

	if (timeline->finished)
		return end_next(&timeline->states);
	rc = event_source_next(timeline->source, &event, err);
	if (rc < 0)
		return -1;
	if (rc) {
		check_cpu(&timeline->states, &event);
		apply(&timeline->states, &event);
		return 1;
	}
	timeline->finished = true;
	finish(&timeline->states);
	return timeline->states.target_threads ? 1 : refuse(&timeline->states, err);
}

int timeline_borrow(struct timeline *timeline, const struct change **change, struct err *err)
{
	while (!(*change = states_pop(&timeline->states))) {
		int rc = step(timeline, err);

		if (rc <= 0)
			return rc;
	}
	return 1;
}

int timeline_next(struct timeline *timeline, struct change *change, struct err *err)
{
	const struct change *borrowed;
	int rc = timeline_borrow(timeline, &borrowed, err);

	if (rc > 0)
		*change = *borrowed;
	return rc;
}

int timeline_next_finding(struct timeline *timeline, struct finding *finding, struct err *err)
{
	timeline->source->audited = timeline->states.audited = true;
	while (!states_pop_finding(&timeline->states, finding)) {
		int rc = step(timeline, err);

		if (rc <= 0)
			return rc;
		while (states_pop(&timeline->states))
			; /* nobody asked for it */
	}
	return 1;
}
