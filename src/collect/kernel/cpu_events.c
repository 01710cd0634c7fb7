/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/cpu_events.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/permission.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
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

/* PERF_FORMAT_LOST of linux/perf_event.h, which is there since Linux 6.0. */
enum { FORMAT_LOST = 1 << 4 };

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
static void set_ring_bytes(struct cpu_events *events, size_t bytes)
{
	events->ring_bytes = bytes;
	for (size_t i = 0; i < events->event_count; i++) {
		events->events[i].attr.watermark = 1;
		events->events[i].attr.wakeup_watermark = (uint32_t)(bytes / 4);
	}
}

/*
 * The event that a ring is mapped for. Without CAP_IPC_LOCK the kernel may allow less memory than
 * wanted (kernel.perf_event_mlock_kb). Returns a descriptor, or -1 with errno.
 */
static int open_with_ring(struct cpu_events *events, int cpu, struct ring *ring)
{
	for (;;) {
		int fd = event_open(&events->events[0].attr, cpu);
		int code;

		if (fd < 0 || ring_map(ring, fd, events->ring_bytes) == 0)
			return fd;
		code = errno;
		close(fd);
		if (events->ring_bytes <= RING_BYTES_MIN) {
			errno = code == EPERM ? ENOMEM : code;
			return -1;
		}
		set_ring_bytes(events, events->ring_bytes / 2);
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

/* Opens one event on CPU number `at`, whose ring is there, unless that is its leader. */
static int open_event(struct cpu_events *events, size_t index, size_t at, struct err *err)
{
	struct cpu_event *event = &events->events[index];
	int leader = events->events[0].fds[at];

	if (index)
		event->fds[at] = open_in_ring_of(leader, &event->attr, events->cpus[at]);
	if (event->fds[at] < 0 || ioctl(event->fds[at], PERF_EVENT_IOC_ID, &event->ids[at]))
		return permission_perf_event(err, event->name);
	return 0;
}

static int open_cpu(struct cpu_events *events, int cpu, struct err *err)
{
	size_t at = events->cpu_count;
	int leader = open_with_ring(events, cpu, &events->rings[at]);

	if (leader < 0 && errno == ENODEV)
		return 0; /* it went offline just now */
	if (leader < 0)
		return permission_perf_event(err, events->events[0].name);
	events->cpus[at] = cpu;
	events->events[0].fds[at] = leader;
	events->cpu_count++; /* from here on cpu_events_release() closes what is open */
	for (size_t i = 0; i < events->event_count; i++)
		if (!events->events[i].apart && open_event(events, i, at, err))
			return -1;
	return 0;
}

/* Room for so many CPUs. */
static void reserve_cpus(struct cpu_events *events, size_t count)
{
	size_t had = events->cpu_capacity;

	if (count <= had)
		return;
	events->rings = xreallocarray(events->rings, count, sizeof(*events->rings));
	events->cpus = xreallocarray(events->cpus, count, sizeof(*events->cpus));
	memset(events->rings + had, 0, (count - had) * sizeof(*events->rings));
	for (size_t i = 0; i < events->event_count; i++) {
		struct cpu_event *event = &events->events[i];

		event->fds = xreallocarray(event->fds, count, sizeof(*event->fds));
		event->ids = xreallocarray(event->ids, count, sizeof(*event->ids));
		memset(event->fds + had, -1, (count - had) * sizeof(*event->fds));
	}
	events->cpu_capacity = count;
}

static bool kernel_tells_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.read_format = FORMAT_LOST,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int cpu_events_open(struct cpu_events *events, struct cpu_event *table, size_t count,
		    const struct cpu_list *cpus, struct err *err)
{
	*events = (struct cpu_events){.events = table, .event_count = count};
	for (size_t i = 0; i < count; i++) {
		table[i].fds = NULL;
		table[i].ids = NULL;
	}
	events->tells_lost = kernel_tells_lost();
	for (size_t i = 0; i < count; i++)
		if (events->tells_lost && !table[i].attr.read_format)
			table[i].attr.read_format = FORMAT_LOST;
	reserve_cpus(events, cpus->count);
	set_ring_bytes(events, wanted_ring_bytes(cpus->count));
	for (size_t i = 0; i < cpus->count; i++)
		if (open_cpu(events, cpus->cpus[i], err))
			return -1;
	return events->cpu_count ? 0 : err_set(err, "no CPU is online");
}

int cpu_events_add(struct cpu_events *events, int cpu, struct err *err)
{
	reserve_cpus(events, events->cpu_count + 1);
	return open_cpu(events, cpu, err);
}

int cpu_events_open_apart(struct cpu_events *events, size_t index, size_t at, struct err *err)
{
	return open_event(events, index, at, err);
}

void cpu_events_close_apart(struct cpu_events *events, size_t index, size_t at)
{
	int *fd = &events->events[index].fds[at];

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void cpu_events_release(struct cpu_events *events)
{
	for (size_t i = 0; i < events->cpu_count; i++)
		ring_unmap(&events->rings[i]);
	for (size_t i = 0; i < events->event_count; i++) {
		struct cpu_event *event = &events->events[i];

		for (size_t cpu = 0; cpu < events->cpu_count; cpu++)
			if (event->fds[cpu] >= 0)
				close(event->fds[cpu]);
		free(event->fds);
		free(event->ids);
	}
	free(events->rings);
	free(events->cpus);
	*events = (struct cpu_events){0};
}

int cpu_events_control_at(const struct cpu_events *events, size_t index, size_t at,
			  unsigned long request, const void *argument)
{
	int fd = events->events[index].fds[at];

	return fd < 0 ? 0 : ioctl(fd, request, argument);
}

int cpu_events_control(const struct cpu_events *events, size_t index, unsigned long request,
		       const void *argument)
{
	for (size_t i = 0; i < events->cpu_count; i++)
		if (cpu_events_control_at(events, index, i, request, argument))
			return -1;
	return 0;
}

/* What the kernel counted: the value, and what read_format asks for beside it. */
static void read_counts(uint64_t counts[2], const struct cpu_events *events, size_t index,
			size_t at)
{
	counts[0] = counts[1] = 0;
	if (read(events->events[index].fds[at], counts, 2 * sizeof(counts[0])) < 0)
		counts[0] = counts[1] = 0;
}

uint64_t cpu_events_hits(const struct cpu_events *events, size_t index)
{
	uint64_t sum = 0, counts[2];

	for (size_t i = 0; i < events->cpu_count; i++) {
		read_counts(counts, events, index, i);
		sum += counts[0];
	}
	return sum;
}

uint64_t cpu_events_lost(const struct cpu_events *events, size_t index, size_t at)
{
	uint64_t counts[2];

	if (events->events[index].attr.read_format != FORMAT_LOST)
		return 0;
	read_counts(counts, events, index, at);
	return counts[1];
}
