/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tracepoints.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/permission.h"
#include "collect/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * 2 MiB a CPU holds a storm of context switches in which 512 KiB lose records, as long as the file
 * takes what is written to it. Where there are few CPUs, memory buys time for a file that does not:
 * 8 MiB are 0.2 s of 350 000 events a second.
 */
enum {
	RINGS_BYTES = 64 << 20, /* of all CPUs together, within these bounds */
	RING_BYTES_MAX = 8 << 20,
	RING_BYTES_DEFAULT = 2 << 20,
	RING_BYTES_MIN = 64 << 10,
};

const char *const tracepoint_names[TRACEPOINT_COUNT] = {
	[TRACEPOINT_SWITCH] = "sched:sched_switch",
	[TRACEPOINT_WAKING] = "sched:sched_waking",
	[TRACEPOINT_WAKEUP_NEW] = "sched:sched_wakeup_new",
	[TRACEPOINT_FORK] = "sched:sched_process_fork",
	[TRACEPOINT_EXIT] = "sched:sched_process_exit",
	[TRACEPOINT_TASK] = "dummy",
};

static enum tracepoints_part part_of(enum tracepoint_kind kind)
{
	return kind >= TRACEPOINT_FORK ? TRACEPOINTS_LIFE : TRACEPOINTS_SCHED;
}

/* The sample type is the same for all, so that a reader finds the event of any record alike. */
static struct perf_event_attr common_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int set_attr(struct perf_event_attr *attr, enum tracepoint_kind kind, const char *root,
		    struct err *err)
{
	char event[64];
	uint64_t id;

	*attr = common_attr();
	if (kind == TRACEPOINT_TASK) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		attr->comm = attr->comm_exec = attr->task = 1;
		return 0;
	}
	snprintf(event, sizeof(event), "%s", tracepoint_names[kind]);
	*strchr(event, ':') = '/';
	if (tracefs_event_id(&id, root, event, err))
		return -1;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = id;
	return 0;
}

static int event_open(struct perf_event_attr *attr, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t wanted_ring_bytes(size_t cpu_count)
{
	size_t bytes = RING_BYTES_MAX;

	while (bytes > RING_BYTES_DEFAULT && bytes * cpu_count > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* The reader is woken when a ring is a quarter full. */
static void set_ring_bytes(struct tracepoints *points, size_t bytes)
{
	points->ring_bytes = bytes;
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++)
		points->events[kind].attr.wakeup_watermark = (uint32_t)(bytes / 4);
}

/*
 * The event that a ring is mapped for. Without CAP_IPC_LOCK the kernel may allow less memory than
 * wanted (kernel.perf_event_mlock_kb). Returns a descriptor, or -1 with errno.
 */
static int open_with_ring(struct tracepoints *points, int cpu, struct ring *ring)
{
	for (;;) {
		int fd = event_open(&points->events[0].attr, cpu);
		int code;

		if (fd < 0 || ring_map(ring, fd, points->ring_bytes) == 0)
			return fd;
		code = errno;
		close(fd);
		if (points->ring_bytes <= RING_BYTES_MIN) {
			errno = code == EPERM ? ENOMEM : code;
			return -1;
		}
		set_ring_bytes(points, points->ring_bytes / 2);
	}
}

static int open_in_ring_of(int leader, struct perf_event_attr *attr, int cpu)
{
	int fd = event_open(attr, cpu);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, leader)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* All events of `cpu`, as number points->cpu_count. */
static int open_cpu(struct tracepoints *points, int cpu, struct err *err)
{
	size_t at = points->cpu_count;
	int leader = open_with_ring(points, cpu, &points->rings[at]);

	if (leader < 0 && errno == ENODEV)
		return 0; /* it went offline just now */
	if (leader < 0)
		return permission_perf_event(err, tracepoint_names[0]);
	points->cpu_count++; /* from here on tracepoints_release() closes what is open */
	points->events[0].fds[at] = leader;
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++) {
		struct tracepoint *event = &points->events[kind];

		if (kind > 0)
			event->fds[at] = open_in_ring_of(leader, &event->attr, cpu);
		if (event->fds[at] < 0 || ioctl(event->fds[at], PERF_EVENT_IOC_ID, &event->ids[at]))
			return permission_perf_event(err, tracepoint_names[kind]);
	}
	return 0;
}

int tracepoints_open(struct tracepoints *points, const char *root, const struct cpu_list *cpus,
		     struct err *err)
{
	*points = (struct tracepoints){.rings = xcalloc(cpus->count, sizeof(*points->rings))};
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++) {
		struct tracepoint *event = &points->events[kind];

		event->fds = xcalloc(cpus->count, sizeof(*event->fds));
		event->ids = xcalloc(cpus->count, sizeof(*event->ids));
		memset(event->fds, -1, cpus->count * sizeof(*event->fds));
		if (set_attr(&event->attr, (enum tracepoint_kind)kind, root, err))
			return -1;
	}
	set_ring_bytes(points, wanted_ring_bytes(cpus->count));
	for (size_t i = 0; i < cpus->count; i++)
		if (open_cpu(points, cpus->cpus[i], err))
			return -1;
	return points->cpu_count ? 0 : err_set(err, "no CPU is online");
}

void tracepoints_release(struct tracepoints *points)
{
	for (size_t i = 0; i < points->cpu_count; i++)
		ring_unmap(&points->rings[i]);
	free(points->rings);
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++) {
		struct tracepoint *event = &points->events[kind];

		for (size_t i = 0; i < points->cpu_count; i++)
			if (event->fds[i] >= 0)
				close(event->fds[i]);
		free(event->fds);
		free(event->ids);
	}
	*points = (struct tracepoints){0};
}

/* The same request for the event on every CPU. */
static int control(const struct tracepoints *points, int kind, unsigned long request,
		   const void *argument)
{
	for (size_t i = 0; i < points->cpu_count; i++)
		if (ioctl(points->events[kind].fds[i], request, argument))
			return -1;
	return 0;
}

int tracepoints_filter(const struct tracepoints *points, pid_t first, struct err *err)
{
	for (int kind = 0; kind < TRACEPOINT_FORK; kind++) {
		char filter[64];

		snprintf(filter, sizeof(filter),
			 kind == TRACEPOINT_SWITCH ? "prev_pid>=%1$d||next_pid>=%1$d" : "pid>=%1$d",
			 (int)first);
		if (control(points, kind, PERF_EVENT_IOC_SET_FILTER, filter))
			return err_set(err, "%s: the kernel does not take the filter '%s': %m",
				       tracepoint_names[kind], filter);
	}
	return 0;
}

int tracepoints_enable(const struct tracepoints *points, enum tracepoints_part part,
		       struct err *err)
{
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++) {
		if (!(part & part_of((enum tracepoint_kind)kind)))
			continue;
		if (control(points, kind, PERF_EVENT_IOC_ENABLE, NULL))
			return err_set(err, "%s: cannot be enabled: %m", tracepoint_names[kind]);
	}
	return 0;
}

void tracepoints_disable(const struct tracepoints *points)
{
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++)
		control(points, kind, PERF_EVENT_IOC_DISABLE, NULL);
}

uint64_t tracepoints_hits(const struct tracepoints *points, enum tracepoint_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < points->cpu_count; i++) {
		struct {
			uint64_t value, id;
		} count;

		if (read(points->events[kind].fds[i], &count, sizeof(count)) == sizeof(count))
			sum += count.value;
	}
	return sum;
}
