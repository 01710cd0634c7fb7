/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/task_events.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/permission.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What an unlimited user gets; see cpu_events.c for what is enough. */
enum { RING_BYTES_MAX = 2 << 20 };

static int event_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* --- Rings --------------------------------------------------------------------------------- */

/*
 * A ring belongs to an event that does nothing, on the recorder itself: that one lasts, while the
 * event of a thread that has ended would be readable for ever. Returns 0, or -1 with errno.
 */
static int open_ring(struct task_events *events, size_t at, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(bytes / 4),
		.use_clockid = events->table[0].attr.use_clockid,
		.clockid = events->table[0].attr.clockid,
	};

	events->ring_fds[at] = event_open(&attr, 0, events->cpus[at], -1);
	return events->ring_fds[at] < 0 ? -1
					: ring_map(&events->rings[at], events->ring_fds[at], bytes);
}

static void close_rings(struct task_events *events)
{
	for (size_t i = 0; events->rings && i < events->cpu_count; i++) {
		ring_unmap(&events->rings[i]);
		if (events->ring_fds[i] >= 0)
			close(events->ring_fds[i]);
		events->ring_fds[i] = -1;
	}
}

/* Returns 0, or -1 with errno: EPERM and EINVAL mean that less memory may do. */
static int open_rings_of(struct task_events *events, size_t bytes)
{
	events->ring_bytes = bytes;
	for (size_t i = 0; i < events->cpu_count; i++)
		if (open_ring(events, i, bytes))
			return -1;
	return 0;
}

static int open_rings(struct task_events *events, struct err *err)
{
	size_t least = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t bytes = RING_BYTES_MAX; open_rings_of(events, bytes); bytes /= 2) {
		int code = errno;
		bool opened = events->ring_fds[0] >= 0; /* so events are allowed, memory is not */

		close_rings(events);
		errno = opened && code == EPERM ? ENOMEM : code;
		if (bytes <= least || errno != ENOMEM)
			return permission_task_event(err, events->table[0].name,
						     &events->table[0].attr, 0);
	}
	return 0;
}

int task_events_open(struct task_events *events, const struct task_event *table, size_t count,
		     const struct cpu_list *cpus, struct err *err)
{
	size_t cpu_count = cpus ? cpus->count : 1;

	*events = (struct task_events){
		.table = table,
		.event_count = count,
		.cpu_count = cpu_count,
		.cpus = xcalloc(cpu_count, sizeof(*events->cpus)),
	};
	if (!cpus) {
		events->cpus[0] = -1;
		return 0;
	}
	memcpy(events->cpus, cpus->cpus, cpu_count * sizeof(*events->cpus));
	events->rings = xcalloc(cpu_count, sizeof(*events->rings));
	events->ring_fds = xcalloc(cpu_count, sizeof(*events->ring_fds));
	memset(events->ring_fds, -1, cpu_count * sizeof(*events->ring_fds));
	return open_rings(events, err);
}

/* --- Threads ------------------------------------------------------------------------------- */

static size_t per_thread(const struct task_events *events)
{
	return events->cpu_count * events->event_count;
}

static void close_fds(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void task_events_release(struct task_events *events)
{
	close_fds(events->fds, events->thread_count * per_thread(events));
	close_rings(events);
	free(events->fds);
	free(events->ids);
	free(events->tids);
	free(events->rings);
	free(events->ring_fds);
	free(events->cpus);
	*events = (struct task_events){0};
}

/*
 * The events of one CPU go to `fds` and `ids`. `leader` follows from the order of the table: the
 * members of a group come after it. Returns 0, or -1 with errno and the event that failed in *at.
 */
static int open_cpu(const struct task_events *events, pid_t tid, size_t cpu, int *fds,
		    uint64_t *ids, size_t *at)
{
	int leader = -1;

	for (*at = 0; *at < events->event_count; ++*at) {
		const struct task_event *event = &events->table[*at];
		struct perf_event_attr attr = event->attr;
		int fd;

		attr.disabled = !event->in_group && !events->on; /* members follow their leader */
		fd = event_open(&attr, tid, events->cpus[cpu], event->in_group ? leader : -1);
		if (fd < 0)
			return -1;
		fds[*at] = fd;
		if (!event->in_group)
			leader = fd;
		if (events->rings && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, events->ring_fds[cpu]))
			return -1;
		if (ioctl(fd, PERF_EVENT_IOC_ID, &ids[*at]))
			return -1;
	}
	return 0;
}

/* errno tells why event `at` of the table could not be opened on thread `tid`. */
static int explain_failure(const struct task_events *events, pid_t tid, size_t at, struct err *err)
{
	struct rlimit limit = {0};
	size_t threads = events->thread_count + 1;

	if (errno != EMFILE)
		return permission_task_event(err, events->table[at].name, &events->table[at].attr,
					     tid);
	getrlimit(RLIMIT_NOFILE, &limit);
	return err_set(err,
		       "%zu threads x %zu CPUs x %zu events need %zu open files, but only %llu "
		       "are allowed: raise the limit with 'ulimit -n' (as root beyond 'ulimit "
		       "-Hn') or in limits.conf, or record fewer threads",
		       threads, events->cpu_count, events->event_count,
		       threads * per_thread(events), (unsigned long long)limit.rlim_cur);
}

int task_events_add(struct task_events *events, pid_t tid, struct err *err)
{
	size_t first = events->thread_count * per_thread(events), at = 0;
	int rc = 0;

	array_reserve(&events->fds, &events->fd_capacity, first + per_thread(events));
	array_reserve(&events->ids, &events->id_capacity, first + per_thread(events));
	array_reserve(&events->tids, &events->thread_capacity, events->thread_count + 1);
	memset(events->fds + first, -1, per_thread(events) * sizeof(*events->fds));
	for (size_t cpu = 0; !rc && cpu < events->cpu_count; cpu++) {
		size_t offset = first + cpu * events->event_count;

		rc = open_cpu(events, tid, cpu, events->fds + offset, events->ids + offset, &at);
	}
	if (!rc) {
		events->tids[events->thread_count++] = tid;
		return 1;
	}
	rc = errno == ESRCH ? 0 : explain_failure(events, tid, at, err);
	close_fds(events->fds + first, per_thread(events));
	return rc;
}

int task_events_switch(struct task_events *events, bool on, struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	events->on = on;
	for (size_t i = 0; i < events->thread_count * per_thread(events); i++) {
		const struct task_event *event = &events->table[i % events->event_count];

		if (!event->in_group && ioctl(events->fds[i], request, 0))
			return err_set(err, "%s: cannot be switched %s: %m", event->name,
				       on ? "on" : "off");
	}
	return 0;
}

/* Where `id` stands, or the number of all. */
static size_t find_id(const struct task_events *events, uint64_t id)
{
	size_t low = 0, high = events->thread_count * per_thread(events), end = high;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && events->ids[low] == id ? low : end;
}

ptrdiff_t task_events_origin(const struct task_events *events, uint64_t id)
{
	size_t at = find_id(events, id);

	return at < events->thread_count * per_thread(events) ? (ptrdiff_t)(at / per_thread(events))
							      : -1;
}

size_t task_events_index(const struct task_events *events, uint64_t id)
{
	return find_id(events, id) % events->event_count;
}

/* --- Counts -------------------------------------------------------------------------------- */

/* The values of one descriptor in the order of the bits of read_format. */
static int read_one(struct task_count *count, int fd, uint64_t format)
{
	uint64_t values[5] = {0}; /* value, enabled, running, id, lost */
	size_t at = 1;

	if (read(fd, values, sizeof(values)) < (ssize_t)sizeof(values[0]))
		return -1;
	*count = (struct task_count){.value = values[0]};
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		count->enabled_ns = values[at++];
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		count->running_ns = values[at];
	return 0;
}

/* An event that is bound to a CPU is enabled wherever its thread runs: all say the same of that. */
int task_events_count(struct task_count *count, const struct task_events *events, size_t thread,
		      size_t index)
{
	*count = (struct task_count){0};
	for (size_t cpu = 0; cpu < events->cpu_count; cpu++) {
		size_t at = (thread * events->cpu_count + cpu) * events->event_count + index;
		struct task_count one;

		if (read_one(&one, events->fds[at], events->table[index].attr.read_format))
			return -1;
		count->value += one.value;
		count->running_ns += one.running_ns;
		if (one.enabled_ns > count->enabled_ns)
			count->enabled_ns = one.enabled_ns;
	}
	return 0;
}
