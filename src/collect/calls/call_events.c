/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/call_events.h"

#include "base/err.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* --- Which they are ------------------------------------------------------------------------ */

int call_events_add(struct call_events *events, const char *group, const char *system,
		    const char *event, bool stack, struct err *err)
{
	const uint64_t slim = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	size_t at = events->count;
	struct perf_event_attr attr;
	char path[128];
	uint64_t type;

	assert(at < CALL_EVENTS_MAX);
	snprintf(path, sizeof(path), "%s/%s", group, event);
	snprintf(events->names[at], CALL_EVENT_NAME_SIZE, "%s:%s", system, event);
	if (tracefs_event_id(&type, events->root, path, err))
		return -1;
	attr = record_attr(PERF_TYPE_TRACEPOINT, type);
	attr.exclude_callchain_kernel = events->stacks;
	events->attrs[at] = attr;
	if (events->stacks && stack)
		events->attrs[at].sample_type |= RECORD_STACK_TYPE;
	attr.sample_type = slim | (events->stacks ? (uint64_t)PERF_SAMPLE_CALLCHAIN : 0);
	attr.exclude_callchain_user = events->stacks && !stack;
	events->ids[at] = events->first_id + at;
	events->described[at] =
		(struct perfdata_event){events->names[at], &events->attrs[at], &events->ids[at], 1};
	events->table[at] = (struct cpu_event){.name = events->names[at], .attr = attr};
	events->count++;
	return 0;
}

int call_events_open(struct call_events *events, const struct cpu_list *cpus, struct err *err)
{
	return cpu_events_open(&events->open, events->table, events->count, cpus, err);
}

void call_events_release(struct call_events *events)
{
	cpu_events_release(&events->open);
}

size_t call_events_find(const struct call_events *events, uint16_t type)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->attrs[i].config == type)
			return i;
	return CALL_EVENTS_MAX;
}

/* --- On and off ---------------------------------------------------------------------------- */

static int control(const struct call_events *events, size_t first, struct err *err)
{
	unsigned long request = events->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < events->count; i++)
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, i, at, request, NULL))
				return err_set(err, "%s: cannot be switched on or off: %m",
					       events->table[i].name);
	return 0;
}

int call_events_set(struct call_events *events, bool on, struct err *err)
{
	events->on = on;
	return control(events, 0, err);
}

static int filter(const struct call_events *events, size_t first, struct err *err)
{
	char text[THREAD_FILTER_TEXT_SIZE];

	if (thread_filter_passes_all(&events->filter))
		return 0;
	thread_filter_text(text, &events->filter, "common_pid", NULL);
	for (size_t i = 0; i < events->count; i++)
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, i, at, PERF_EVENT_IOC_SET_FILTER,
						  text))
				return err_set(err,
					       "%s: the kernel does not take the filter '%s': %m",
					       events->table[i].name, text);
	return 0;
}

int call_events_filter(struct call_events *events, const struct thread_filter *wanted,
		       struct err *err)
{
	events->filter = *wanted;
	return filter(events, 0, err);
}

int call_events_add_cpu(struct call_events *events, int cpu, struct err *err)
{
	size_t first = events->open.cpu_count;

	if (cpu_events_add(&events->open, cpu, err) || filter(events, first, err))
		return -1;
	return control(events, first, err);
}
