/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/perf_events.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/permission.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The sizes of rings. 2 MiB per CPU hold a storm of context switches in which 512 KiB lose records,
 * as long as writing to the file keeps up. With few CPUs, more memory bridges a file that does not:
 * 8 MiB are 0.2 s of 350 000 events a second. The threads of one user have fewer records, and the
 * user may have little memory.
 */
enum {
	RINGS_BYTES = 64 << 20, /* of all CPUs together, within the bounds below */
	RING_BYTES_MAX = 8 << 20,
	RING_BYTES_DEFAULT = 2 << 20,
	RING_BYTES_MIN_ON_CPUS = 64 << 10,
};

/*
 * The time between two looks for CPUs that have come online: the kernel builds that list each time.
 */
enum { LOOK_NS = 1000000000 };

/* PERF_FORMAT_LOST of linux/perf_event.h, since Linux 6.0. */
enum { FORMAT_LOST = 1 << 4 };

static int event_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* --- Rings --------------------------------------------------------------------------------- */

/*
 * Opens a ring. It belongs to an event that does nothing, on the recorder itself, and so lasts: the
 * event of an ended thread would be readable forever. Returns 0, or -1 with errno.
 */
static int open_ring(struct perf_events *events, size_t at)
{
	struct epoll_event wanted = {.events = EPOLLIN};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(events->ring_bytes / 4),
		.use_clockid = events->table[0].attr.use_clockid,
		.clockid = events->table[0].attr.clockid,
	};
	int fd = event_open(&attr, 0, events->cpus[at], -1);

	events->ring_fds[at] = fd;
	if (fd < 0 || ring_map(&events->rings[at], fd, events->ring_bytes))
		return -1;
	return epoll_ctl(events->wake_fd, EPOLL_CTL_ADD, fd, &wanted);
}

static void close_rings(struct perf_events *events, size_t first)
{
	for (size_t at = first; events->rings && at < events->cpu_count; at++) {
		ring_unmap(&events->rings[at]);
		if (events->ring_fds[at] >= 0)
			close(events->ring_fds[at]);
		events->ring_fds[at] = -1;
	}
}

static size_t least_ring_bytes(const struct perf_events *events)
{
	return events->scope == PERF_ON_CPUS ? RING_BYTES_MIN_ON_CPUS
					     : (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Opens the rings of the CPUs from number `first` on, all of one size. Returns 0, or -1 with errno.
 */
static int open_rings(struct perf_events *events, size_t first)
{
	size_t at = first;

	while (at < events->cpu_count) {
		bool no_memory;

		if (open_ring(events, at) == 0) {
			at++;
			continue;
		}
		no_memory = events->ring_fds[at] >= 0 && (errno == EPERM || errno == ENOMEM);
		if (no_memory)
			errno = ENOMEM;
		if (!no_memory || events->ring_bytes <= least_ring_bytes(events))
			return -1;
		close_rings(events, first);
		events->ring_bytes /= 2;
		at = first;
	}
	return 0;
}

static size_t wanted_ring_bytes(size_t cpu_count)
{
	size_t bytes = RING_BYTES_MAX;

	while (bytes > RING_BYTES_DEFAULT && bytes * cpu_count > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

void perf_events_mark(struct perf_events *events)
{
	for (size_t at = 0; events->rings && at < events->cpu_count; at++)
		ring_read(&events->rings[at]);
}

/* --- Places -------------------------------------------------------------------------------- */

static size_t place_count(const struct perf_events *events)
{
	return events->thread_count * events->cpu_count;
}

static int *fd_at(const struct perf_events *events, size_t place, size_t index)
{
	return &events->fds[place * events->event_count + index];
}

int perf_events_fd(const struct perf_events *events, size_t index, size_t at)
{
	return *fd_at(events, at, index);
}

/* Returns 0, or -1 with errno. */
static int open_event(struct perf_events *events, size_t place, size_t index, int leader)
{
	const struct perf_event *event = &events->table[index];
	struct perf_event_attr attr = event->attr;
	size_t cpu = place % events->cpu_count;
	int *fd = fd_at(events, place, index);

	/* Members follow their leader. On a CPU the filter is set before the event is on. */
	attr.disabled = !event->in_group && (events->scope == PERF_ON_CPUS || !event->on);
	*fd = event_open(&attr, events->tids[place / events->cpu_count], events->cpus[cpu], leader);
	if (*fd < 0 ||
	    (events->rings && ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, events->ring_fds[cpu])))
		return -1;
	return ioctl(*fd, PERF_EVENT_IOC_ID, &events->ids[place * events->event_count + index]);
}

/* Returns 0, or -1 with errno and the number of the event that failed in *index. */
static int open_place(struct perf_events *events, size_t place, size_t *index)
{
	int leader = -1;

	for (*index = 0; *index < events->event_count; ++*index) {
		const struct perf_event *event = &events->table[*index];

		if (event->apart)
			continue;
		if (open_event(events, place, *index, event->in_group ? leader : -1))
			return -1;
		if (!event->in_group)
			leader = *fd_at(events, place, *index);
	}
	return 0;
}

static void close_place(struct perf_events *events, size_t place)
{
	for (size_t index = 0; index < events->event_count; index++) {
		int *fd = fd_at(events, place, index);

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

/* Makes room in places up to number `end`; those from `first` on are new. */
static void reserve_places(struct perf_events *events, size_t first, size_t end)
{
	size_t count = events->event_count;

	array_reserve(&events->fds, &events->fd_capacity, end * count);
	array_reserve(&events->ids, &events->id_capacity, end * count);
	memset(events->fds + first * count, -1, (end - first) * count * sizeof(*events->fds));
}

/* Explains by errno why event `index` could not be opened on thread `tid`. Returns -1. */
static int explain_failure(const struct perf_events *events, pid_t tid, size_t index,
			   struct err *err)
{
	const struct perf_event *event = &events->table[index];
	size_t threads = events->thread_count;
	struct rlimit limit = {0};

	if (events->scope == PERF_ON_CPUS)
		return permission_perf_event(err, event->name);
	if (errno != EMFILE || !threads)
		return permission_task_event(err, event->name, &event->attr, tid);
	getrlimit(RLIMIT_NOFILE, &limit);
	return err_set(err,
		       "%zu threads x %zu CPUs x %zu events need %zu open files, but only %llu "
		       "are allowed: raise the limit with 'ulimit -n' (as root beyond 'ulimit "
		       "-Hn') or in limits.conf, or record fewer threads",
		       threads, events->cpu_count, events->event_count,
		       place_count(events) * events->event_count,
		       (unsigned long long)limit.rlim_cur);
}

/* --- Threads ------------------------------------------------------------------------------- */

static void add_tid(struct perf_events *events, pid_t tid)
{
	array_reserve(&events->tids, &events->thread_capacity, events->thread_count + 1);
	events->tids[events->thread_count++] = tid;
}

int perf_events_add(struct perf_events *events, pid_t tid, struct err *err)
{
	size_t first = place_count(events), index = 0;
	int rc = 0;

	add_tid(events, tid);
	reserve_places(events, first, place_count(events));
	for (size_t place = first; !rc && place < place_count(events); place++)
		rc = open_place(events, place, &index);
	if (!rc)
		return 1;
	rc = errno == ESRCH ? 0 : explain_failure(events, tid, index, err);
	for (size_t place = first; place < place_count(events); place++)
		close_place(events, place);
	events->thread_count--;
	return rc;
}

/* --- CPUs ---------------------------------------------------------------------------------- */

static void add_cpu(struct perf_events *events, int cpu)
{
	size_t count = events->cpu_count + 1;

	array_reserve(&events->cpus, &events->cpu_capacity, count);
	array_reserve(&events->rings, &events->ring_capacity, count);
	array_reserve(&events->ring_fds, &events->ring_fd_capacity, count);
	events->cpus[count - 1] = cpu;
	events->ring_fds[count - 1] = -1;
	events->cpu_count = count;
}

/* Marks a CPU that has gone offline: no events, an empty ring, and ids that keep the order. */
static void leave_cpu(struct perf_events *events, size_t at)
{
	uint64_t *ids = events->ids + at * events->event_count;

	close_place(events, at);
	for (size_t index = 0; index < events->event_count; index++)
		ids[index] = at ? ids[-1] : 0;
}

/* Opens the events on the CPUs from number `first` on, which have places. */
static int open_cpus(struct perf_events *events, size_t first, struct err *err)
{
	for (size_t at = first; at < events->cpu_count; at++) {
		size_t index;

		if (open_place(events, at, &index) == 0)
			continue;
		if (errno != ENODEV)
			return explain_failure(events, -1, index, err);
		leave_cpu(events, at);
	}
	return 0;
}

static bool cpu_list_has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

/* Adds the CPUs that have come online since the last look; none if the list cannot be read. */
static void add_fresh_cpus(struct perf_events *events)
{
	struct cpu_list online;
	struct err ignored;

	events->next_look_ns = monotonic_ns() + LOOK_NS;
	if (cpu_list_read(&online, events->online_path, &ignored))
		return;
	for (size_t i = 0; i < online.count; i++)
		if (!cpu_list_has(&events->online, online.cpus[i]))
			add_cpu(events, online.cpus[i]);
	cpu_list_release(&events->online);
	events->online = online;
}

/* --- On and off ---------------------------------------------------------------------------- */

/* Sets the state of an event in the places from number `first` on. */
static int apply_state(struct perf_events *events, size_t index, size_t first, struct err *err)
{
	const struct perf_event *event = &events->table[index];
	unsigned long request = event->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t place = first; !event->in_group && place < place_count(events); place++) {
		int fd = *fd_at(events, place, index);

		if (fd >= 0 && ioctl(fd, request, 0))
			return err_set(err, "%s: cannot be switched %s: %m", event->name,
				       event->on ? "on" : "off");
	}
	return 0;
}

static int apply_filter(struct perf_events *events, size_t index, size_t first, struct err *err)
{
	const struct perf_event *event = &events->table[index];

	for (size_t place = first; event->filter && place < place_count(events); place++) {
		int fd = *fd_at(events, place, index);

		if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
			return err_set(err, "%s: the kernel does not take the filter '%s': %m",
				       event->name, event->filter);
	}
	return 0;
}

int perf_events_set(struct perf_events *events, size_t index, bool on, struct err *err)
{
	events->table[index].on = on;
	return apply_state(events, index, 0, err);
}

int perf_events_filter(struct perf_events *events, size_t index, const char *filter,
		       struct err *err)
{
	free(events->table[index].filter);
	events->table[index].filter = xstrdup(filter);
	return apply_filter(events, index, 0, err);
}

int perf_events_set_apart(struct perf_events *events, size_t index, size_t at, bool is_open,
			  struct err *err)
{
	int *fd = fd_at(events, at, index);

	if (*fd >= 0 && !is_open) {
		close(*fd);
		*fd = -1;
	}
	if (*fd >= 0 || !is_open)
		return 0;
	if (open_event(events, at, index, -1))
		return errno == ENODEV ? 0 : explain_failure(events, -1, index, err);
	return apply_state(events, index, at, err);
}

int perf_events_look(struct perf_events *events,
		     int (*prepare)(void *context, size_t first, struct err *err), void *context,
		     struct err *err)
{
	size_t first = events->cpu_count;
	int rc;

	if (events->scope != PERF_ON_CPUS || monotonic_ns() < events->next_look_ns)
		return 0;
	add_fresh_cpus(events);
	/*
	 * This happens even if rings cannot be opened, as perf_events_release() closes all places.
	 */
	reserve_places(events, first, events->cpu_count);
	if (open_rings(events, first))
		return explain_failure(events, -1, 0, err);
	rc = open_cpus(events, first, err);
	if (!rc && prepare && events->cpu_count > first)
		rc = prepare(context, first, err);
	for (size_t i = 0; !rc && i < events->event_count; i++)
		rc = apply_filter(events, i, first, err) || apply_state(events, i, first, err) ? -1
											       : 0;
	return rc;
}

/* --- Opening and closing ------------------------------------------------------------------- */

static bool kernel_tells_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.read_format = FORMAT_LOST,
		.exclude_kernel = 1,
	};

	return permission_try_event(&attr, 0, -1) == 0;
}

static void ask_for_losses(struct perf_events *events)
{
	bool told = kernel_tells_lost();

	for (size_t i = 0; told && i < events->event_count; i++)
		if (!events->table[i].attr.read_format)
			events->table[i].attr.read_format = FORMAT_LOST;
}

static int open_rings_of_online(struct perf_events *events, struct err *err)
{
	if (cpu_list_read(&events->online, events->online_path, err))
		return -1;
	events->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (events->wake_fd < 0)
		return err_set(err, "perf events cannot be waited for: %m");
	for (size_t i = 0; i < events->online.count; i++)
		add_cpu(events, events->online.cpus[i]);
	events->next_look_ns = monotonic_ns() + LOOK_NS;
	events->ring_bytes = wanted_ring_bytes(events->cpu_count);
	return open_rings(events, 0) ? explain_failure(events, 0, 0, err) : 0;
}

int perf_events_open(struct perf_events *events, struct perf_event *table, size_t count,
		     enum perf_scope scope, const char *online_path, struct err *err)
{
	*events = (struct perf_events){
		.table = table,
		.event_count = count,
		.scope = scope,
		.wake_fd = -1,
		.online_path = online_path ? online_path : CPU_ONLINE_PATH,
	};
	if (scope == PERF_ON_THREADS_UNMAPPED) {
		array_reserve(&events->cpus, &events->cpu_capacity, 1);
		events->cpus[events->cpu_count++] = -1;
		return 0;
	}
	if (open_rings_of_online(events, err))
		return -1;
	if (scope == PERF_ON_THREADS)
		return 0;
	ask_for_losses(events);
	add_tid(events, -1);
	reserve_places(events, 0, events->cpu_count);
	return open_cpus(events, 0, err);
}

void perf_events_release(struct perf_events *events)
{
	if (!events->table)
		return;
	for (size_t place = 0; events->fds && place < place_count(events); place++)
		close_place(events, place);
	close_rings(events, 0);
	if (events->wake_fd >= 0)
		close(events->wake_fd);
	for (size_t i = 0; i < events->event_count; i++)
		free(events->table[i].filter);
	cpu_list_release(&events->online);
	free(events->fds);
	free(events->ids);
	free(events->tids);
	free(events->rings);
	free(events->ring_fds);
	free(events->cpus);
	*events = (struct perf_events){0};
}

/* --- Ids and counts ------------------------------------------------------------------------ */

bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *thread, size_t *index)
{
	size_t low = 0, high = place_count(events) * events->event_count, end = high;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	*thread = low / events->event_count / events->cpu_count;
	*index = low % events->event_count;
	return low < end && events->ids[low] == id;
}

struct numbers {
	struct perf_count count;
	uint64_t lost;
};

/* Reads the numbers of a descriptor, in the order of the bits of read_format; 0: not open. */
static struct numbers read_numbers(int fd, uint64_t format)
{
	uint64_t values[5] = {0}; /* value, enabled, running, id, lost */
	struct numbers numbers = {.lost = 0};
	size_t at = 1;

	if (fd < 0 || read(fd, values, sizeof(values)) < (ssize_t)sizeof(values[0]))
		return numbers;
	numbers.count.value = values[0];
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		numbers.count.enabled_ns = values[at++];
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		numbers.count.running_ns = values[at++];
	if (format == FORMAT_LOST)
		numbers.lost = values[at];
	return numbers;
}

struct perf_count perf_events_count(const struct perf_events *events, size_t thread, size_t index)
{
	uint64_t format = events->table[index].attr.read_format;
	struct perf_count sum = {0};

	for (size_t cpu = 0; cpu < events->cpu_count; cpu++) {
		int fd = *fd_at(events, thread * events->cpu_count + cpu, index);
		struct perf_count one = read_numbers(fd, format).count;

		sum.value += one.value;
		sum.running_ns += one.running_ns;
		if (one.enabled_ns > sum.enabled_ns)
			sum.enabled_ns = one.enabled_ns;
	}
	return sum;
}

uint64_t perf_events_lost(const struct perf_events *events, size_t at)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < events->event_count; i++)
		lost += read_numbers(*fd_at(events, at, i), events->table[i].attr.read_format).lost;
	return lost;
}
