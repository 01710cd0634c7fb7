/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/sched_events.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/payload.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/sched/hidden_switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct {
	const char *name;
	bool birth;	       /* on from before the target is born up to the end, paused or not */
	const char *fields[2]; /* whose thread is to pass the filter, if it is filtered */
	const char *whom;      /* the thread that something is done to */
} kinds[SCHED_EVENTS] = {
	[SCHED_SWITCH] = {"sched:sched_switch", false, {"prev_pid", "next_pid"}, NULL},
	[SCHED_WAKING] = {"sched:sched_waking", false, {"pid"}, "pid"},
	[SCHED_WAKEUP_NEW] = {"sched:sched_wakeup_new", false, {"pid"}, "pid"},
	[SCHED_FORK] = {"sched:sched_process_fork", true, {NULL}, "child_pid"},
	[SCHED_EXIT] = {"sched:sched_process_exit", true, {NULL}, NULL},
	[SCHED_TASK] = {"dummy", true, {NULL}, NULL},
	[SCHED_HIDDEN] = {"dummy", false, {NULL}, NULL},
};

/* --- On and off ---------------------------------------------------------------------------- */

/* Makes the kernel's events what the struct says, on CPUs from number `first` on. */
static int control(const struct sched_events *events, size_t first, struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++) {
		bool on = kinds[kind].birth ? events->births_on : events->switches_on;
		unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, kind, at, request, NULL))
				return err_set(err, "%s: cannot be switched on or off: %m",
					       kinds[kind].name);
	}
	return 0;
}

int sched_events_set(struct sched_events *events, bool births, bool switches, struct err *err)
{
	events->births_on = births;
	events->switches_on = switches;
	return control(events, 0, err);
}

static int filter(const struct sched_events *events, size_t first, struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++) {
		const char *const *fields = kinds[kind].fields;
		char text[THREAD_FILTER_TEXT_SIZE];

		if (!fields[0] || thread_filter_passes_all(&events->filter))
			continue;
		thread_filter_text(text, &events->filter, fields[0], fields[1]);
		for (size_t at = first; at < events->open.cpu_count; at++)
			if (cpu_events_control_at(&events->open, kind, at,
						  PERF_EVENT_IOC_SET_FILTER, text))
				return err_set(err,
					       "%s: the kernel does not take the filter '%s': %m",
					       kinds[kind].name, text);
	}
	return 0;
}

int sched_events_filter(struct sched_events *events, const struct thread_filter *wanted,
			struct err *err)
{
	events->filter = *wanted;
	return filter(events, 0, err);
}

/* --- Which they are ------------------------------------------------------------------------ */

static int find_whom(size_t *offset, const char *tracefs, const char *event, const char *field,
		     struct err *err)
{
	const char *const names[] = {field, NULL};
	struct payload_format format;

	if (!field)
		return 0;
	if (payload_format_read(&format, tracefs, event, names, err))
		return -1;
	if (format.fields[0].size != sizeof(int32_t))
		return err_set(err, "%s: has no field %s of 4 bytes", event, field);
	*offset = format.fields[0].offset;
	return 0;
}

static int set_tracepoint(struct sched_events *events, struct slim_records *slim,
			  enum sched_event kind, const struct collector_options *options,
			  struct err *err)
{
	bool stack = options->stacks && kind == SCHED_SWITCH;
	struct perf_event_attr *attr = &events->table[kind].attr;
	uint64_t type;
	char path[64];

	snprintf(path, sizeof(path), "%s", kinds[kind].name);
	*strchr(path, ':') = '/';
	if (tracefs_event_id(&type, options->tracefs, path, err) ||
	    find_whom(&slim->tracepoints[kind].whom, options->tracefs, path, kinds[kind].whom, err))
		return -1;
	*attr = record_attr(PERF_TYPE_TRACEPOINT, type);
	attr->exclude_callchain_kernel = options->stacks;
	events->attrs[kind] = *attr;
	if (stack)
		events->attrs[kind].sample_type |= RECORD_STACK_TYPE;
	attr->sample_type = options->stacks ? SLIM_STACK_TYPE : SLIM_TRACEPOINT_TYPE;
	attr->exclude_callchain_user = options->stacks && !stack;
	slim->tracepoints[kind].type = type;
	slim->tracepoints[kind].id = events->ids[kind];
	slim->tracepoints[kind].stack = stack;
	return 0;
}

static void set_others(struct sched_events *events)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	events->attrs[SCHED_TASK] = attr;
	attr.sample_type = SLIM_OTHER_TYPE;
	events->table[SCHED_HIDDEN].attr = events->table[SCHED_TASK].attr = attr;
	for (enum sched_event kind = SCHED_TASK; kind <= SCHED_HIDDEN; kind++) {
		struct perf_event_attr *asked = &events->table[kind].attr;

		asked->comm = asked->comm_exec = asked->task = kind == SCHED_TASK;
		asked->context_switch = kind == SCHED_HIDDEN;
	}
	attr = events->table[SCHED_TASK].attr;
	events->attrs[SCHED_TASK].comm = attr.comm;
	events->attrs[SCHED_TASK].comm_exec = attr.comm_exec;
	events->attrs[SCHED_TASK].task = attr.task;
	events->table[SCHED_HIDDEN].apart = true;
}

static int find_fields(struct slim_layout *layout, const char *tracefs, struct err *err)
{
	static const char *const names[] = {"next_pid", "prev_state", NULL};
	struct payload_format format;

	if (payload_format_read(&format, tracefs, "sched/sched_switch", names, err))
		return -1;
	if (format.fields[0].size != sizeof(int32_t))
		return err_set(err, "sched_switch: has no field next_pid of 4 bytes");
	layout->next_pid_offset = format.fields[0].offset;
	layout->state_offset = format.fields[1].offset; /* where its lower bytes are */
	return 0;
}

static int set_all(struct sched_events *events, struct slim_records *slim,
		   const struct collector_options *options, struct err *err)
{
	for (enum sched_event kind = 0; kind < SCHED_DESCRIBED; kind++) {
		events->ids[kind] = RECORD_OWN_ID + (uint64_t)kind;
		events->described[kind] = (struct perfdata_event){
			kinds[kind].name, &events->attrs[kind], &events->ids[kind], 1};
	}
	slim->layout.stacks = options->stacks;
	slim->tracepoint_count = SCHED_TRACEPOINTS;
	slim->other_id = events->ids[SCHED_TASK];
	if (find_fields(&slim->layout, options->tracefs, err))
		return -1;
	for (enum sched_event kind = 0; kind < SCHED_TRACEPOINTS; kind++)
		if (set_tracepoint(events, slim, kind, options, err))
			return -1;
	set_others(events);
	for (enum sched_event kind = 0; kind < SCHED_EVENTS; kind++) {
		events->table[kind].name = kinds[kind].name;
		events->table[kind].attr.read_format = 0;
	}
	return 0;
}

/* --- Where they are open ------------------------------------------------------------------- */

static int wait_for_rings(const struct sched_events *events, size_t first, struct err *err)
{
	for (size_t at = first; at < events->open.cpu_count; at++) {
		struct epoll_event wanted = {.events = EPOLLIN};

		if (epoll_ctl(events->epoll, EPOLL_CTL_ADD, events->table[0].fds[at], &wanted))
			return err_set(err, "perf events cannot be waited for: %m");
	}
	return 0;
}

int sched_events_open(struct sched_events *events, struct slim_records *slim,
		      const struct collector_options *options, const struct cpu_list *cpus,
		      struct err *err)
{
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (events->epoll < 0)
		return err_set(err, "perf events cannot be waited for: %m");
	if (set_all(events, slim, options, err) ||
	    cpu_events_open(&events->open, events->table, SCHED_EVENTS, cpus, err))
		return -1;
	return wait_for_rings(events, 0, err);
}

int sched_events_settle(struct sched_events *events, size_t at, enum hidden hides, bool spared,
			struct err *err)
{
	bool wanted = hides != HIDDEN_NO && !spared;
	bool is_open = events->table[SCHED_HIDDEN].fds[at] >= 0;
	int cpu = events->open.cpus[at];

	events->hiding.has[cpu] = hides == HIDDEN_YES;
	events->doubtful.has[cpu] = hides == HIDDEN_PERHAPS;
	if (is_open && !wanted)
		cpu_events_close_apart(&events->open, SCHED_HIDDEN, at);
	if (is_open || !wanted)
		return 0;
	events->attrs[SCHED_TASK].context_switch = 1;
	if (cpu_events_open_apart(&events->open, SCHED_HIDDEN, at, err))
		return -1;
	return control(events, at, err);
}

int sched_events_find_hidden(struct sched_events *events, const struct slim_layout *layout,
			     size_t first, const struct cpu_mask *mask, struct err *err)
{
	size_t count = events->open.cpu_count - first;
	enum hidden *found = xcalloc(count, sizeof(*found));
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		if (mask && !mask->has[events->open.cpus[first + i]])
			found[i] = HIDDEN_NO;
	hidden_switches_find(found, &events->open, first, layout);
	for (size_t i = 0; !rc && i < count; i++)
		rc = sched_events_settle(events, first + i, found[i], false, err);
	free(found);
	return rc;
}

int sched_events_add_cpu(struct sched_events *events, const struct slim_layout *layout, int cpu,
			 struct err *err)
{
	size_t first = events->open.cpu_count;

	if (cpu_events_add(&events->open, cpu, err) || wait_for_rings(events, first, err) ||
	    sched_events_find_hidden(events, layout, first, NULL, err) ||
	    filter(events, first, err))
		return -1;
	return control(events, first, err);
}

void sched_events_release(struct sched_events *events)
{
	cpu_events_release(&events->open);
	if (events->epoll >= 0)
		close(events->epoll);
}
