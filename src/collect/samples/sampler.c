/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/sampler.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "code/mapped_files.h"
#include "collect/kernel/cpu_events.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/task_events.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/samples/fault_cost.h"
#include "collect/samples/sampler_options.h"
#include "collect/target/lineage.h"
#include "collect/target/task_origins.h"
#include "perfdata/perfdata.h"
#include "perfdata/perfdata_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* --- Kinds of events ----------------------------------------------------------------------- */

/*
 * One event samples, one carries mappings, and three are those of page faults. They are open on
 * every CPU, with records of all threads; or, where the user may not have that, on the threads that
 * are added and on those that they create, without the kernel's part. The clock is not there when
 * nothing is to be sampled. Of a page fault the first is raised before the kernel looks for the
 * memory, and one of the other two when that is there: so its length is known (do_user_addr_fault()
 * and mm_account_fault(); Linux 5.9, on x86 before).
 */
enum sampler_event {
	SAMPLER_MAPS,
	SAMPLER_CLOCK,
	SAMPLER_FAULT,
	SAMPLER_FAULT_MINOR,
	SAMPLER_FAULT_MAJOR,
	SAMPLER_EVENT_COUNT,
};

struct sampler_events {
	size_t count;
	enum sampler_event kinds[SAMPLER_EVENT_COUNT]; /* of those that are there, in their order */
	/* As the file has them, with the ids that their records are to be given. */
	struct perfdata_event described[SAMPLER_EVENT_COUNT];
	struct perf_event_attr attrs[SAMPLER_EVENT_COUNT];
	uint64_t ids[SAMPLER_EVENT_COUNT];

	bool by_task; /* what is open: */
	struct task_event task_table[SAMPLER_EVENT_COUNT];
	struct task_events tasks;
	struct task_origins origins;
	bool on[SAMPLER_EVENT_COUNT];
	struct cpu_event cpu_table[SAMPLER_EVENT_COUNT];
	struct cpu_events cpus;
	struct cpu_watch cpu_watch;

	struct ring *rings; /* of either, borrowed */
	const int *ring_fds;
	size_t ring_count;
};

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

/* --- Events that this machine and this user have -------------------------------------------- */

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

/* --- Opening events ------------------------------------------------------------------------- */

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

/* All are off. Returns 0, or -1 with a sentence; release them in both cases. */
static int events_open(struct sampler_events *events, const struct collector_options *options,
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

static void events_release(struct sampler_events *events)
{
	task_events_release(&events->tasks);
	task_origins_release(&events->origins);
	cpu_watch_release(&events->cpu_watch);
	cpu_events_release(&events->cpus);
	*events = (struct sampler_events){0};
}

/* --- Events while they are open ------------------------------------------------------------- */

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

/*
 * Watches thread `tid`, as others are; `held`: it does nothing until we let it. One that has ended
 * is no failure. Returns 0, or -1 with a sentence.
 */
static int events_add_thread(struct sampler_events *events, pid_t tid, bool held, struct err *err)
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

/* On or off, if it is there. Returns 0, or -1 with a sentence. */
static int events_switch(struct sampler_events *events, enum sampler_event event, bool on,
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

/* The id in the file of the event which has this one in the kernel, on ring number `at`. */
static uint64_t file_id(const struct sampler_events *events, size_t at, uint64_t id)
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

/*
 * Looks whether CPUs have come online, which get rings: these are others afterwards. Returns 0, or
 * -1 with a sentence.
 */
static int events_look(struct sampler_events *events, struct err *err)
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

/* The beginning of a sample. */
struct sample_start {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* Where a record comes from. */
struct source {
	uint64_t id, time_ns;
	pid_t tid;
};

static struct source source_of(const struct perf_event_header *record)
{
	struct sample_start sample;
	struct record_trailer trailer;

	if (record->type == PERF_RECORD_SAMPLE) {
		memcpy(&sample, record, sizeof(sample));
		return (struct source){sample.id, sample.time_ns, (pid_t)sample.tid};
	}
	memcpy(&trailer, (const uint8_t *)record + record->size - sizeof(trailer), sizeof(trailer));
	return (struct source){trailer.id, trailer.time_ns, (pid_t)trailer.tid};
}

/*
 * A thread that was created while others were added may be watched twice. Is this record, which
 * ring_next() gave, not such a second one?
 */
static bool events_take(struct sampler_events *events, const struct perf_event_header *record)
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

#define PROC "/proc"

struct sampler {
	struct collector base;
	struct sampler_events events;
	bool wide;
	struct lineage *lineage; /* borrowed */
	struct pid_set mapped;	 /* processes of which the maps have been read */
	struct proc_maps maps;	 /* from before the recording, until they are written */
	bool begun;		 /* they are */
	bool faults;		 /* are recorded ... */
	double outside_ns;	 /* ... and take so much beside what is on record; 0: not known */
	char *note;
};

static struct sampler *of(struct collector *collector)
{
	return (struct sampler *)collector;
}

/* --- The target ---------------------------------------------------------------------------- */

static void add_maps(struct sampler *sampler, pid_t pid)
{
	bool data = sampler->events.attrs[SAMPLER_MAPS].mmap_data;

	proc_maps_add(&sampler->maps, pid, data, PROC);
}

/* Everybody's maps are read once new ones are seen, so that none is missed between. */
static void add_all_maps(struct sampler *sampler)
{
	pid_t *pids;
	size_t count;

	proc_ids(&pids, &count, PROC);
	for (size_t i = 0; i < count; i++)
		add_maps(sampler, pids[i]);
	free(pids);
}

/* But for what is mapped: that is followed all the time. */
static int enable(struct collector *collector, bool on, struct err *err)
{
	struct sampler_events *events = &of(collector)->events;

	for (int event = SAMPLER_CLOCK; event < SAMPLER_EVENT_COUNT; event++)
		if (events_switch(events, (enum sampler_event)event, on, err))
			return -1;
	return 0;
}

static int start(struct collector *collector, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (events_switch(&sampler->events, SAMPLER_MAPS, true, err))
		return -1;
	if (sampler->wide)
		add_all_maps(sampler);
	return enable(collector, true, err);
}

/* What the command has mapped before its exec is not its code. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (events_add_thread(&sampler->events, child, true, err))
		return -1;
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (events_add_thread(&sampler->events, tid, false, err))
		return -1;
	if (!sampler->wide && pid_set_add(&sampler->mapped, pid))
		add_maps(sampler, pid);
	return 0;
}

static void stop(struct collector *collector)
{
	struct sampler *sampler = of(collector);
	struct err ignored;

	enable(collector, false, &ignored);
	events_switch(&sampler->events, SAMPLER_MAPS, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* The beginning of the record of a mapping. */
struct map_start {
	struct perf_event_header header;
	uint32_t pid, tid;
};

/* Births and ends are told by who watches the scheduler. */
static bool is_wanted(const struct sampler *sampler, const struct perf_event_header *record)
{
	bool all = sampler->events.by_task; /* there is nothing else, then */
	struct sample_start sample;
	struct map_start map;
	struct record_trailer end;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		memcpy(&sample, record, sizeof(sample));
		return all || lineage_has_thread(sampler->lineage, (pid_t)sample.pid,
						 (pid_t)sample.tid, sample.time_ns);
	case PERF_RECORD_MMAP2:
		memcpy(&map, record, sizeof(map));
		memcpy(&end, (const uint8_t *)record + record->size - sizeof(end), sizeof(end));
		return all || lineage_has_process(sampler->lineage, (pid_t)map.pid, end.time_ns);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return true;
	default:
		return false;
	}
}

/*
 * As it is, but for the event's id: it stands in the first word of a sample and in the last one of
 * all others; which is also that of what was lost, of all events of the ring.
 */
static void sampler_put(const struct sampler_events *events, struct recording *recording,
			size_t ring, const struct perf_event_header *record)
{
	bool sample = record->type == PERF_RECORD_SAMPLE;
	uint8_t *added = recording_add(recording, record->type, record->misc, record->size);
	uint8_t *place = added + (sample ? sizeof(*record) : record->size - sizeof(uint64_t));
	uint64_t id;

	memcpy(added, record, record->size);
	memcpy(&id, place, sizeof(id));
	id = file_id(events, ring, id);
	memcpy(place, &id, sizeof(id));
	if (record->type == PERF_RECORD_LOST)
		memcpy(added + sizeof(*record), &id, sizeof(id));
	recording_count(recording, added);
}

/* What there was before, at the first pass, when the file has its header. */
static void sampler_begin(struct sampler *sampler, struct recording *recording)
{
	if (sampler->events.count > SAMPLER_CLOCK && !sampler->events.by_task)
		proc_maps_add(&sampler->maps, PROC_MAP_KERNEL, false, PROC);
	for (size_t i = 0; i < sampler->maps.count; i++)
		record_mapped(recording, sampler->events.ids[SAMPLER_MAPS], &sampler->maps.maps[i]);
	proc_maps_release(&sampler->maps);
	sampler->begun = true;
}

static void mark(struct collector *collector)
{
	struct sampler_events *events = &of(collector)->events;

	for (size_t i = 0; i < events->ring_count; i++)
		ring_read(&events->rings[i]);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct sampler *sampler = of(collector);
	struct sampler_events *events = &sampler->events;
	const struct perf_event_header *record;

	if (events_look(events, err))
		return -1;
	if (!sampler->begun)
		sampler_begin(sampler, recording);
	for (size_t i = 0; i < events->ring_count; i++) {
		while ((record = ring_next(&events->rings[i])))
			if (events_take(events, record) && is_wanted(sampler, record))
				sampler_put(events, recording, i, record);
		ring_consume(&events->rings[i]);
	}
	return 0;
}

/* --- Page faults --------------------------------------------------------------------------- */

static void sampler_tell(const struct collector *collector, FILE *out)
{
	const struct sampler *sampler = (const struct sampler *)collector;

	if (sampler->faults)
		fprintf(out, "fault_outside_ns %.0f\n", sampler->outside_ns);
}

static void measure_faults(struct sampler *sampler)
{
	struct fault_cost cost;

	sampler->faults = true;
	if (fault_cost_measure(&cost))
		return;
	sampler->outside_ns = cost.outside_ns;
	sampler->note = xasprintf("page faults: to record one takes it %.0f ns", cost.added_ns);
	sampler->base.note = sampler->note;
}

/* --- Opening and the end ------------------------------------------------------------------- */

static void sampler_release(struct collector *collector)
{
	struct sampler *sampler = of(collector);

	events_release(&sampler->events);
	pid_set_release(&sampler->mapped);
	proc_maps_release(&sampler->maps);
	free(sampler->note);
	free(sampler);
}

static const struct collector_kind kind = {
	.name = "sampler",
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.mark = mark,
	.pass = pass,
	.stop = stop,
	.tell = sampler_tell,
	.free = sampler_release,
};

struct collector *sampler_open(const struct collector_options *options,
			       const struct sampler_options *sampling, struct err *err)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	struct sampler_events *events = &sampler->events;

	if (events_open(events, options, sampling, err)) {
		sampler_release(&sampler->base);
		return NULL;
	}
	sampler->base = (struct collector){
		.kind = &kind,
		.events = events->described,
		.event_count = events->count,
		.fds = events->ring_fds,
		.fd_count = events->ring_count,
	};
	sampler->wide = options->wide;
	sampler->lineage = options->lineage;
	if (sampling->faults)
		measure_faults(sampler);
	return &sampler->base;
}
