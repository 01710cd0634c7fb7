/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/block_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "stats/profile/block_spans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static int check_step(const struct event *event, const struct blocks *blocks, struct err *err)
{
	if (event->block >= blocks->count)
		return err_set(err, "there is no place %" PRIu32, event->block);
	if (event->step == TASK_NO_STEP || event->step >= TASK_STEPS)
		return err_set(err, "there is no step %d", (int)event->step);
	if (event->object2 && event->step != TASK_BEGIN)
		return err_set(err, "a step has a parent that does not begin a task");
	return 0;
}

int block_check_event(const struct event *event, const struct blocks *blocks, struct err *err)
{
	int32_t most = event->kind == EVENT_LEAVE ? 1 : BLOCK_ARGUMENTS;

	if (event->kind == EVENT_STEP)
		return check_step(event, blocks, err);
	if (event->kind != EVENT_ENTER && event->kind != EVENT_LEAVE)
		return 0;
	if (event->block >= blocks->count)
		return err_set(err, "there is no block %" PRIu32, event->block);
	if (event->count < 0 || event->count > most)
		return err_set(err, "an event has %" PRId32 " arguments", event->count);
	for (int32_t i = 0; i < event->count; i++)
		if (!isfinite(event->arguments[i]))
			return err_set(err, "an argument is not finite");
	return 0;
}

/* The last span of a thread. */
struct last {
	bool any;
	uint64_t enter_ns, leave_ns;
	uint32_t depth;
};

static int check_span(const struct block_span *span, struct last *last, struct err *err)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < SPAN_STATES; i++)
		sum_ns += span->state_ns[i];
	if (span->leave_ns < span->enter_ns)
		return err_set(err, "a call ends before it begins, at %" PRIu64, span->enter_ns);
	if (sum_ns != span->leave_ns - span->enter_ns)
		return err_set(err, "the states of a call at %" PRIu64 " do not add up to it",
			       span->enter_ns);
	if (last->any && span->leave_ns < last->leave_ns)
		return err_set(err, "a call at %" PRIu64 " ends before the last one",
			       span->enter_ns);
	if (last->any && span->depth < last->depth && span->enter_ns > last->enter_ns)
		return err_set(err, "a call at %" PRIu64 " is not around the last one",
			       span->enter_ns);
	*last = (struct last){true, span->enter_ns, span->leave_ns, span->depth};
	return 0;
}

/* A span has two events, except for the ends that it lacks. */
static int check_counts(const struct block_spans_counts *counts, struct err *err)
{
	uint64_t told = 2 * counts->spans - counts->open - counts->unwound + counts->stray;

	if (counts->deep || told == counts->events)
		return 0;
	return err_set(err, "%" PRIu64 " events make %" PRIu64 " calls", counts->events,
		       counts->spans);
}

int block_check_spans(struct event_source *source, struct err *err)
{
	const struct selection everybody = {.pids = NULL};
	struct timeline *timeline = timeline_new(source, &everybody);
	struct block_spans *spans = block_spans_new(timeline);
	struct last *last = NULL;
	size_t capacity = 0;
	struct block_span span = {0};
	struct err why;
	int rc = 0, more = 0;

	while (!rc && (more = block_spans_next(spans, &span, &why)) > 0) {
		array_reserve(&last, &capacity, span.thread + 1);
		rc = check_span(&span, &last[span.thread], err);
	}
	if (!rc && !more)
		rc = check_counts(block_spans_counts(spans), err);
	free(last);
	block_spans_free(spans);
	timeline_free(timeline);
	return rc;
}
