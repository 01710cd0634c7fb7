/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/sampler_events.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/cpu_list.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "perfdata/perfdata.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What can sample, the better one first. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} clocks[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};
enum { CLOCK_COUNT = sizeof(clocks) / sizeof(clocks[0]) };

/* What is asked of a clock that is there; the rest follows from what the user wants. */
static struct perf_event_attr clock_attr(size_t clock)
{
	struct perf_event_attr attr = record_attr(clocks[clock].type, clocks[clock].config);

	if (attr.type == PERF_TYPE_HARDWARE)
		attr.exclude_guest = 1; /* the code of a guest has no names here */
	else
		attr.exclude_idle = 1; /* not all hardware knows that */
	return attr;
}

/* With `data` also of what is mapped and no code: how to unwind a stack stands there. */
static struct perf_event_attr maps_attr(bool data)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr.mmap = attr.mmap2 = 1;
	attr.mmap_data = data;
	return attr;
}

/* `config` of a software event; the first tells where, too. */
static struct perf_event_attr fault_attr(uint64_t config)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, config);

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr.sample_type |= PERF_SAMPLE_IP;
	if (config == PERF_COUNT_SW_PAGE_FAULTS)
		attr.sample_type |= PERF_SAMPLE_ADDR;
	return attr;
}

/* What an ordinary user may see, and only of a thread. */
static void limit_to_user(struct perf_event_attr *attr)
{
	attr->exclude_kernel = attr->exclude_hv = 1;
}

/* --- What this machine and this user have -------------------------------------------------- */

/* Returns 0, or errno. */
static int try_event(const struct perf_event_attr *wanted, pid_t tid, int cpu)
{
	struct perf_event_attr attr = *wanted;
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool may_watch_cpus(const struct cpu_list *cpus)
{
	const struct perf_event_attr attr = maps_attr(false);
	int code = try_event(&attr, -1, cpus->cpus[0]);

	return code != EACCES && code != EPERM;
}

/* Every CPU must have it: there are machines with two kinds of them. */
static bool has_clock(const struct perf_event_attr *attr, const struct cpu_list *cpus)
{
	struct perf_event_attr tried = *attr;

	limit_to_user(&tried);
	for (size_t i = 0; i < cpus->count; i++)
		if (try_event(&tried, 0, cpus->cpus[i]))
			return false;
	return true;
}

/* The last one is taken untried: if it fails, that is explained. */
static size_t find_clock(const struct cpu_list *cpus)
{
	for (size_t clock = 0; clock + 1 < CLOCK_COUNT; clock++) {
		const struct perf_event_attr attr = clock_attr(clock);

		if (has_clock(&attr, cpus))
			return clock;
	}
	return CLOCK_COUNT - 1;
}

/* --- Opening ------------------------------------------------------------------------------- */

static void add_event(struct sampler_events *events, enum sampler_event kind, const char *name,
		      const struct perf_event_attr *attr, bool inherit)
{
	size_t at = events->count++;

	events->kinds[at] = kind;
	events->attrs[at] = *attr;
	if (events->by_task) {
		limit_to_user(&events->attrs[at]);
		events->attrs[at].inherit = inherit;
	}
	events->ids[at] = PERFDATA_ASIDE_ID + (uint64_t)kind;
	events->described[at] =
		(struct perfdata_event){name, &events->attrs[at], &events->ids[at], 1};
	events->cpu_table[at] = (struct cpu_event){.name = name, .attr = events->attrs[at]};
	events->task_table[at] = (struct task_event){.name = name, .attr = events->attrs[at]};
}

static void add_faults(struct sampler_events *events, bool inherit)
{
	static const struct {
		enum sampler_event kind;
		uint64_t config;
		const char *name;
	} faults[] = {
		{SAMPLER_FAULT, PERF_COUNT_SW_PAGE_FAULTS, "page-faults"},
		{SAMPLER_FAULT_MINOR, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults"},
		{SAMPLER_FAULT_MAJOR, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct perf_event_attr attr = fault_attr(faults[i].config);

		add_event(events, faults[i].kind, faults[i].name, &attr, inherit);
	}
}

static int open_by_task(struct sampler_events *events, const struct cpu_list *cpus, struct err *err)
{
	if (task_events_open(&events->tasks, events->task_table, events->count, cpus, err))
		return -1;
	events->rings = events->tasks.rings;
	events->ring_fds = events->tasks.ring_fds;
	events->ring_count = events->tasks.cpu_count;
	return 0;
}

static void borrow_rings(struct sampler_events *events)
{
	events->rings = events->cpus.rings;
	events->ring_fds = events->cpu_table[0].fds;
	events->ring_count = events->cpus.cpu_count;
}

static int open_by_cpu(struct sampler_events *events, const struct cpu_list *cpus, struct err *err)
{
	if (cpu_events_open(&events->cpus, events->cpu_table, events->count, cpus, err))
		return -1;
	borrow_rings(events);
	return 0;
}

int sampler_events_open(struct sampler_events *events, const struct collector_options *options,
			const struct sampler_options *sampling, struct err *err)
{
	struct perf_event_attr attr = maps_attr(sampling->calls == SAMPLER_CALLS_DWARF);
	const struct cpu_list *cpus = &events->cpu_watch.online;

	*events = (struct sampler_events){0};
	if (cpu_watch_begin(&events->cpu_watch, CPU_WATCH_PATH, monotonic_ns(), err))
		return -1;
	events->by_task = !options->wide && !may_watch_cpus(cpus);
	if (events->by_task)
		attr.task = attr.comm = attr.comm_exec = 1; /* whose events a thread inherits */
	add_event(events, SAMPLER_MAPS, "dummy", &attr, !options->alone);
	if (sampling->frequency_hz) {
		size_t clock = find_clock(cpus);

		attr = clock_attr(clock);
		sampler_options_apply(sampling, &attr);
		add_event(events, SAMPLER_CLOCK, clocks[clock].name, &attr, !options->alone);
	}
	if (sampling->faults)
		add_faults(events, !options->alone);
	return events->by_task ? open_by_task(events, cpus, err) : open_by_cpu(events, cpus, err);
}

void sampler_events_release(struct sampler_events *events)
{
	task_events_release(&events->tasks);
	task_origins_release(&events->origins);
	cpu_watch_release(&events->cpu_watch);
	cpu_events_release(&events->cpus);
	*events = (struct sampler_events){0};
}

/* --- While it runs ------------------------------------------------------------------------- */

/* On thread number `first` and those after it. Returns 0, or -1 with errno. */
static int switch_tasks(const struct sampler_events *events, size_t first, size_t index)
{
	const struct task_events *tasks = &events->tasks;
	size_t fds_each = tasks->cpu_count * tasks->event_count;
	unsigned long request = events->on[index] ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = first * fds_each; i < tasks->thread_count * fds_each; i++)
		if (i % tasks->event_count == index && ioctl(tasks->fds[i], request, 0))
			return -1;
	return 0;
}

static int explain_switch(const struct sampler_events *events, size_t index, struct err *err)
{
	return err_set(err, "%s: cannot be switched %s: %m", events->described[index].name,
		       events->on[index] ? "on" : "off");
}

int sampler_events_add(struct sampler_events *events, pid_t tid, bool held, struct err *err)
{
	size_t number = events->tasks.thread_count;
	int rc = events->by_task ? task_events_add(&events->tasks, tid, err) : 0;

	if (rc <= 0)
		return rc;
	task_origins_add(&events->origins, tid, monotonic_ns(), held);
	for (size_t i = 0; i < events->count; i++)
		if (events->on[i] && switch_tasks(events, number, i))
			return explain_switch(events, i, err);
	return 0;
}

int sampler_events_switch(struct sampler_events *events, enum sampler_event event, bool on,
			  struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	size_t i = 0;
	int rc;

	while (i < events->count && events->kinds[i] != event)
		i++;
	if (i == events->count)
		return 0;
	events->on[i] = on;
	if (events->by_task)
		rc = switch_tasks(events, 0, i);
	else
		rc = cpu_events_control(&events->cpus, i, request, NULL);
	return rc ? explain_switch(events, i, err) : 0;
}

uint64_t sampler_events_id(const struct sampler_events *events, size_t at, uint64_t id)
{
	size_t i = 0;

	if (events->by_task)
		return events->ids[task_events_index(&events->tasks, id)];
	while (i < events->count && events->cpu_table[i].ids[at] != id)
		i++;
	return events->ids[i < events->count ? i : 0];
}

static int add_cpu(struct sampler_events *events, int cpu, struct err *err)
{
	size_t at = events->cpus.cpu_count;

	if (cpu_events_add(&events->cpus, cpu, err))
		return -1;
	borrow_rings(events);
	for (size_t i = 0; i < events->count && at < events->ring_count; i++)
		if (events->on[i] &&
		    cpu_events_control_at(&events->cpus, i, at, PERF_EVENT_IOC_ENABLE, NULL))
			return explain_switch(events, i, err);
	return 0;
}

int sampler_events_look(struct sampler_events *events, struct err *err)
{
	struct cpu_list fresh;
	int rc = 0;

	if (events->by_task)
		return 0;
	cpu_watch_look(&events->cpu_watch, monotonic_ns(), &fresh);
	for (size_t i = 0; !rc && i < fresh.count; i++)
		rc = add_cpu(events, fresh.cpus[i], err);
	cpu_list_release(&fresh);
	return rc;
}

/* Where a record comes from. */
struct source {
	uint64_t id, time_ns;
	pid_t tid;
};

static struct source source_of(const struct perf_event_header *record)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time_ns;
	} sample; /* begins so */
	struct {
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t cpu, reserved;
		uint64_t id;
	} trailer; /* ends so */

	if (record->type == PERF_RECORD_SAMPLE) {
		memcpy(&sample, record, sizeof(sample));
		return (struct source){sample.id, sample.time_ns, (pid_t)sample.tid};
	}
	memcpy(&trailer, (const uint8_t *)record + record->size - sizeof(trailer), sizeof(trailer));
	return (struct source){trailer.id, trailer.time_ns, (pid_t)trailer.tid};
}

bool sampler_events_takes(struct sampler_events *events, const struct perf_event_header *record)
{
	struct task_origins *origins = &events->origins;
	struct source source;
	ptrdiff_t origin;

	if (!events->by_task ||
	    (record->type != PERF_RECORD_SAMPLE && record->type != PERF_RECORD_MMAP2 &&
	     record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_EXIT))
		return true;
	source = source_of(record);
	origin = task_events_origin(&events->tasks, source.id);
	if (origin < 0)
		return false; /* of a thread that could not be opened on all CPUs: it has ended */
	if (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC)
		task_origins_exec(origins, source.tid, (size_t)origin);
	if (!task_origins_takes(origins, source.tid, (size_t)origin, source.time_ns))
		return false;
	if (record->type == PERF_RECORD_EXIT)
		task_origins_end(origins, source.tid);
	return true;
}
