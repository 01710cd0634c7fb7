/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/collector.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether an event samples running threads, which perf report and hotspot show first. */
static bool is_sampling(const struct perfdata_event *event)
{
	return event->attr->type != PERF_TYPE_TRACEPOINT && event->attr->freq &&
	       event->attr->sample_type & PERF_SAMPLE_IP;
}

/*
 * Adds an event. Readers open on the first event of a recording, so events that sample come first.
 */
static void add_event(struct collector_set *set, const struct perfdata_event *event)
{
	size_t at = set->event_count;

	if (is_sampling(event))
		at = set->sampling_count++;
	memmove(set->events + at + 1, set->events + at,
		(set->event_count - at) * sizeof(*set->events));
	set->events[at] = *event;
	set->event_count++;
}

void collector_set_add(struct collector_set *set, struct collector *collector)
{
	size_t count = set->event_count + collector->event_count;

	assert(set->count < COLLECTOR_SET_MAX);
	set->items[set->count++] = collector;
	set->events = xreallocarray(set->events, count, sizeof(*set->events));
	for (size_t i = 0; i < collector->event_count; i++)
		add_event(set, &collector->events[i]);
}

void collector_set_release(struct collector_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		set->items[i]->kind->free(set->items[i]);
	free(set->events);
	*set = (struct collector_set){.count = 0};
}

/* Calls a function of each collector that has it, with these arguments after the collector. */
#define CALL_EACH(set, function, ...)                                                        \
	do {                                                                                 \
		for (size_t i = 0; i < (set)->count; i++) {                                  \
			struct collector *each = (set)->items[i];                            \
                                                                                             \
			if (each->kind->function && each->kind->function(each, __VA_ARGS__)) \
				return -1;                                                   \
		}                                                                            \
		return 0;                                                                    \
	} while (0)

int collector_set_expect(struct collector_set *set, struct err *err)
{
	CALL_EACH(set, expect, err);
}

int collector_set_follow(struct collector_set *set, pid_t child, struct err *err)
{
	CALL_EACH(set, follow, child, err);
}

int collector_set_start(struct collector_set *set, struct err *err)
{
	CALL_EACH(set, start, err);
}

int collector_set_adopt(struct collector_set *set, pid_t pid, pid_t tid, struct err *err)
{
	int again = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct collector *each = set->items[i];
		int rc = each->kind->adopt ? each->kind->adopt(each, pid, tid, err) : 0;

		if (rc < 0)
			return -1;
		again |= rc;
	}
	return again;
}

int collector_set_enable(struct collector_set *set, bool on, struct err *err)
{
	CALL_EACH(set, enable, on, err);
}

int collector_set_pass(struct collector_set *set, struct recording *recording, struct err *err)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i]->kind->mark)
			set->items[i]->kind->mark(set->items[i]);
	CALL_EACH(set, pass, recording, err);
}

void collector_set_stop(struct collector_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i]->kind->stop)
			set->items[i]->kind->stop(set->items[i]);
}

const char *collector_set_format(const struct collector_set *set, const char *event)
{
	const char *text = NULL;

	for (size_t i = 0; i < set->count && !text; i++)
		if (set->items[i]->kind->format)
			text = set->items[i]->kind->format(set->items[i], event);
	return text;
}

void collector_set_tell(const struct collector_set *set, FILE *out)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i]->kind->tell)
			set->items[i]->kind->tell(set->items[i], out);
}
