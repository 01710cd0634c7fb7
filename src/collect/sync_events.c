/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sync_events.h"

#include "base/err.h"
#include "collect/perfdata.h"
#include "collect/record.h"
#include "collect/tracefs.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* The sampler has the first ones. */
#define FIRST_ID (PERFDATA_ASIDE_ID + 64)

static const struct {
	const char *name;
	bool stack; /* it tells where a thread waits, or lets others go on */
} tracepoints[SYNC_TRACEPOINTS] = {
	{"syscalls:sys_enter_futex", true},	      {"syscalls:sys_exit_futex", false},
	{"syscalls:sys_enter_nanosleep", true},	      {"syscalls:sys_exit_nanosleep", false},
	{"syscalls:sys_enter_clock_nanosleep", true}, {"syscalls:sys_exit_clock_nanosleep", false},
	{"syscalls:sys_enter_sched_yield", true},     {"syscalls:sys_exit_sched_yield", false},
};

/* --- Which they are ------------------------------------------------------------------------ */

/* What is in `path` of tracefs is in the file as `name`. */
static int add(struct sync_events *events, const char *root, const char *path, const char *name,
	       bool stack, struct err *err)
{
	const uint64_t slim = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	size_t at = events->count;
	struct perf_event_attr attr;
	uint64_t type;

	if (tracefs_event_id(&type, root, path, err))
		return -1;
	attr = record_attr(PERF_TYPE_TRACEPOINT, type);
	attr.exclude_callchain_kernel = events->stacks;
	events->attrs[at] = attr;
	if (events->stacks && stack)
		events->attrs[at].sample_type |= RECORD_STACK_TYPE;
	attr.sample_type = slim | (events->stacks ? (uint64_t)PERF_SAMPLE_CALLCHAIN : 0);
	attr.exclude_callchain_user = events->stacks && !stack;
	events->ids[at] = FIRST_ID + at;
	events->described[at] =
		(struct perfdata_event){name, &events->attrs[at], &events->ids[at], 1};
	events->table[at] = (struct cpu_event){.name = name, .attr = attr};
	events->count++;
	return 0;
}

static int add_tracepoints(struct sync_events *events, const char *root, struct err *err)
{
	for (size_t i = 0; i < SYNC_TRACEPOINTS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s", tracepoints[i].name);
		*strchr(path, ':') = '/';
		if (add(events, root, path, tracepoints[i].name, tracepoints[i].stack, err))
			return err_wrap(err, "--sync needs a kernel with CONFIG_FTRACE_SYSCALLS");
	}
	return 0;
}

static int add_probes(struct sync_events *events, const char *root,
		      const struct sync_probes *probes, struct err *err)
{
	for (size_t i = 0; probes && i < SYNC_PROBES; i++) {
		char path[96];

		if (!probes->has[i])
			continue;
		snprintf(path, sizeof(path), "%s/%s", probes->group, sync_probe_name(i));
		snprintf(events->names[i], sizeof(events->names[i]), "%s:%s", SYNC_PROBES_SYSTEM,
			 sync_probe_name(i));
		if (add(events, root, path, events->names[i], true, err))
			return -1;
	}
	return 0;
}

int sync_events_open(struct sync_events *events, const char *root, const struct sync_probes *probes,
		     bool stacks, const struct cpu_list *cpus, struct err *err)
{
	*events = (struct sync_events){.stacks = stacks};
	if (add_tracepoints(events, root, err) || add_probes(events, root, probes, err))
		return -1;
	return cpu_events_open(&events->open, events->table, events->count, cpus, err);
}

void sync_events_release(struct sync_events *events)
{
	cpu_events_release(&events->open);
}

size_t sync_events_find(const struct sync_events *events, uint16_t type)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->attrs[i].config == type)
			return i;
	return SYNC_EVENTS_MAX;
}

/* --- On and off ---------------------------------------------------------------------------- */

static int control(const struct sync_events *events, size_t first, struct err *err)
{
	unsigned long request = events->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < events->count; i++)
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, i, at, request, NULL))
				return err_set(err, "%s: cannot be switched on or off: %m",
					       events->table[i].name);
	return 0;
}

int sync_events_set(struct sync_events *events, bool on, struct err *err)
{
	events->on = on;
	return control(events, 0, err);
}

static int filter(const struct sync_events *events, size_t first, struct err *err)
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

int sync_events_filter(struct sync_events *events, const struct thread_filter *wanted,
		       struct err *err)
{
	events->filter = *wanted;
	return filter(events, 0, err);
}

int sync_events_add_cpu(struct sync_events *events, int cpu, struct err *err)
{
	size_t first = events->open.cpu_count;

	if (cpu_events_add(&events->open, cpu, err) || filter(events, first, err))
		return -1;
	return control(events, first, err);
}
