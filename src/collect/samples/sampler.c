/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/sampler.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/parse.h"
#include "code/mapped_files.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/perf_events.h"
#include "collect/kernel/permission.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/ring.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/task_origins.h"
#include "perfdata/perfdata_write.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* --- Options ------------------------------------------------------------------------------- */

/*
 * The registers that an unwinder needs, as perf selects them: on x86 all except segments that may
 * not be sampled (ds, es, fs, gs).
 */
#if defined(__x86_64__)
#include <asm/perf_regs.h>
#define REGISTERS                                                            \
	(((UINT64_C(1) << PERF_REG_X86_64_MAX) - 1) &                        \
	 ~(UINT64_C(1) << PERF_REG_X86_DS | UINT64_C(1) << PERF_REG_X86_ES | \
	   UINT64_C(1) << PERF_REG_X86_FS | UINT64_C(1) << PERF_REG_X86_GS))
#elif defined(__aarch64__)
#include <asm/perf_regs.h>
#define REGISTERS ((UINT64_C(1) << (PERF_REG_ARM64_PC + 1)) - 1)
#else
#define REGISTERS UINT64_C(0)
#endif

/* Returns the highest frequency; UINT32_MAX: the kernel has no such limit. */
static uint64_t highest_frequency_hz(const char *proc)
{
	char path[256];
	uint64_t limit;

	snprintf(path, sizeof(path), "%s/sys/kernel/perf_event_max_sample_rate", proc);
	return proc_scan(path, "%" SCNu64, &limit) ? limit : UINT32_MAX;
}

int sampler_options_set_frequency(struct sampler_options *options, const char *text,
				  const char *proc, struct err *err)
{
	uint64_t limit = highest_frequency_hz(proc);
	uint64_t frequency_hz;

	if (parse_u64(&frequency_hz, text, UINT32_MAX) || !frequency_hz)
		return err_set(err, "-F %s: give a number of samples a second, say 997", text);
	if (frequency_hz > limit)
		return err_set(err,
			       "-F %s: the kernel takes at most %" PRIu64 " samples a second "
			       "(kernel.perf_event_max_sample_rate)",
			       text, limit);
	options->frequency_hz = frequency_hz;
	return 0;
}

static int set_dwarf(struct sampler_options *options, const char *size, struct err *err)
{
	uint64_t bytes = SAMPLER_STACK_BYTES;

	if (!REGISTERS)
		return err_set(err, "--call-graph dwarf: works only on x86_64 and aarch64; use "
				    "--call-graph fp");
	if (size && (parse_u64(&bytes, size, SAMPLER_STACK_BYTES_MAX) || !bytes || bytes % 8))
		return err_set(err,
			       "--call-graph dwarf,%s: the bytes of stack must be a multiple of 8, "
			       "from 8 to %d",
			       size, SAMPLER_STACK_BYTES_MAX);
	options->calls = SAMPLER_CALLS_DWARF;
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

int sampler_options_set_calls(struct sampler_options *options, const char *text, struct err *err)
{
	if (strcmp(text, "dwarf") == 0)
		return set_dwarf(options, NULL, err);
	if (strncmp(text, "dwarf,", 6) == 0)
		return set_dwarf(options, text + 6, err);
	if (strcmp(text, "fp") == 0)
		options->calls = SAMPLER_CALLS_FP;
	else if (strcmp(text, "none") == 0)
		options->calls = SAMPLER_CALLS_NONE;
	else
		return err_set(err, "--call-graph %s: take fp, dwarf, dwarf,SIZE or none", text);
	return 0;
}

void sampler_options_apply(const struct sampler_options *options, struct perf_event_attr *attr)
{
	attr->freq = 1;
	attr->sample_freq = options->frequency_hz;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	if (options->calls == SAMPLER_CALLS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->calls == SAMPLER_CALLS_FP)
		return;
	/* The user's calls are in the copy of the stack; the kernel's are not. */
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = REGISTERS;
	attr->sample_stack_user = options->stack_bytes;
}

/* --- The cost of page faults ---------------------------------------------------------------- */

/* The cost of recording a page fault: measured on memory of this process. */
struct fault_cost {
	double outside_ns; /* CPU time of a fault before its first record and behind its second */
	double added_ns;   /* ... and what recording adds to it, for both records */
};

/*
 * The size of a measurement. The records of a round, less than 64 bytes each, fit into the ring.
 * The median is that of undisturbed rounds.
 */
enum { ROUNDS = 21, PAGES = 128, RING_BYTES = 16384 };

/* The events on this thread; the ring belongs to the first. */
enum { FAULT, MINOR, EVENTS };

struct watched_faults {
	int fds[EVENTS];
	struct ring ring;
	struct sample_layout layout;
};

static int open_event(struct watched_faults *watched, uint64_t config)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, config);

	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr.exclude_kernel = attr.exclude_hv = 1;
	sample_layout_init(&watched->layout, &attr);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int watch_faults(struct watched_faults *watched)
{
	watched->fds[FAULT] = open_event(watched, PERF_COUNT_SW_PAGE_FAULTS);
	watched->fds[MINOR] = open_event(watched, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	if (watched->fds[FAULT] < 0 || watched->fds[MINOR] < 0 ||
	    ring_map(&watched->ring, watched->fds[FAULT], RING_BYTES))
		return -1;
	return ioctl(watched->fds[MINOR], PERF_EVENT_IOC_SET_OUTPUT, watched->fds[FAULT]);
}

static void unwatch_faults(struct watched_faults *watched)
{
	ring_unmap(&watched->ring);
	for (size_t i = 0; i < EVENTS; i++)
		if (watched->fds[i] >= 0)
			close(watched->fds[i]);
}

static int set_events(const struct watched_faults *watched, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(watched->fds[FAULT], request, 0) || ioctl(watched->fds[MINOR], request, 0) ? -1
												: 0;
}

/* Returns the CPU time of a fault for each page. */
static uint64_t touch_ns(char *memory, size_t page)
{
	uint64_t begin_ns;

	madvise(memory, PAGES * page, MADV_DONTNEED);
	begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(memory + i * page) = 1;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

/* Returns the summed times between the two records of all faults. *count: their number. */
static uint64_t lengths_ns(struct watched_faults *watched, uint64_t *count)
{
	const struct perf_event_header *record;
	struct sample sample;
	uint64_t sum_ns = 0, begin_ns = 0;

	*count = 0;
	if (!ring_read(&watched->ring))
		return 0;
	for (bool ends = false; (record = ring_next(&watched->ring)); ends = !ends) {
		if (record->type != PERF_RECORD_SAMPLE ||
		    record_parse(&sample, record, &watched->layout))
			continue;
		sum_ns += ends ? sample.time_ns - begin_ns : 0;
		begin_ns = sample.time_ns;
		*count += ends;
	}
	ring_consume(&watched->ring);
	return sum_ns;
}

static int measure_rounds(struct fault_cost *cost, struct watched_faults *watched, char *memory,
			  size_t page)
{
	double outside_ns[ROUNDS], added_ns[ROUNDS];

	touch_ns(memory, page); /* warm-up */
	for (int i = 0; i < ROUNDS; i++) {
		double bare_ns = (double)touch_ns(memory, page), all_ns;
		uint64_t within_ns, count;

		if (set_events(watched, true))
			return -1;
		all_ns = (double)touch_ns(memory, page);
		if (set_events(watched, false))
			return -1;
		within_ns = lengths_ns(watched, &count);
		if (count < PAGES)
			return -1;
		outside_ns[i] = (all_ns - (double)within_ns) / PAGES;
		added_ns[i] = (all_ns - bare_ns) / PAGES;
	}
	cost->outside_ns = gsl_stats_median(outside_ns, 1, ROUNDS);
	cost->added_ns = gsl_stats_median(added_ns, 1, ROUNDS);
	return cost->outside_ns > 0 && cost->added_ns > 0 ? 0 : -1;
}

/* Measures the cost. Returns 0, or -1 if that fails. Takes 10 ms. */
static int fault_cost_measure(struct fault_cost *cost)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct watched_faults watched = {.fds = {-1, -1}};
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	int rc;

	if (memory == MAP_FAILED)
		return -1;
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	rc = watch_faults(&watched) || measure_rounds(cost, &watched, memory, page) ? -1 : 0;
	unwatch_faults(&watched);
	munmap(memory, PAGES * page);
	return rc;
}

#define PROC "/proc"

/* --- Kinds of events ----------------------------------------------------------------------- */

/*
 * The events: one samples, one carries mappings, and three are those of page faults. They are open
 * on every CPU, with records of all threads; or, for a user without that right, on the added
 * threads and those that they create, without the kernel's part. The clock is missing if there are
 * no samples. SAMPLER_FAULT comes before the kernel looks for the memory, and one of the other two
 * when it is there: so the length of a fault is known (do_user_addr_fault() and mm_account_fault();
 * Linux 5.9, on x86 before).
 */
enum sampler_event {
	SAMPLER_MAPS,
	SAMPLER_CLOCK,
	SAMPLER_FAULT,
	SAMPLER_FAULT_MINOR,
	SAMPLER_FAULT_MAJOR,
	SAMPLER_EVENT_COUNT,
};

struct sampler {
	struct collector base;
	size_t count;
	/* The events in the file, with the ids of their records. */
	struct perfdata_event described[SAMPLER_EVENT_COUNT];
	struct perf_event_attr attrs[SAMPLER_EVENT_COUNT];
	uint64_t ids[SAMPLER_EVENT_COUNT];

	bool by_thread; /* how events are open: */
	struct perf_event table[SAMPLER_EVENT_COUNT];
	struct perf_events open;
	struct sample_layout layout; /* common to all records of these events */
	struct task_origins origins;

	struct lineage *lineage; /* borrowed */
	struct pid_set mapped;	 /* processes whose maps have been read */
	struct proc_maps maps;	 /* maps of before the recording, until written */
	uint64_t mapping_ns;	 /* time spent reading them */
	bool begun;		 /* they have been written */
	bool faults;		 /* faults are recorded ... */
	double outside_ns;	 /* ... with this time outside of the records; 0: not known */
	char *note;
};

/* The events that can sample, the best first. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} clocks[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};
enum { CLOCK_COUNT = sizeof(clocks) / sizeof(clocks[0]) };

/* Returns the attributes of a clock; the rest follows from the options. */
static struct perf_event_attr clock_attr(size_t clock)
{
	struct perf_event_attr attr = record_attr(clocks[clock].type, clocks[clock].config);

	if (attr.type == PERF_TYPE_HARDWARE)
		attr.exclude_guest = 1; /* the code of a guest has no names here */
	else
		attr.exclude_idle = 1; /* not all hardware supports that */
	return attr;
}

/* Returns the attributes of mappings; with `data` also of data, which has unwind tables. */
static struct perf_event_attr maps_attr(bool data)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr.mmap = attr.mmap2 = 1;
	attr.mmap_data = data;
	return attr;
}

/* Returns the attributes of a fault event; SAMPLER_FAULT also has the address. */
static struct perf_event_attr fault_attr(uint64_t config)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, config);

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr.sample_type |= PERF_SAMPLE_IP;
	if (config == PERF_COUNT_SW_PAGE_FAULTS)
		attr.sample_type |= PERF_SAMPLE_ADDR;
	return attr;
}

/* Limits an event to user mode, which an ordinary user may count in their own threads. */
static void limit_to_user(struct perf_event_attr *attr)
{
	attr->exclude_kernel = attr->exclude_hv = 1;
}

/* --- Events that this machine and this user have -------------------------------------------- */

static bool may_watch_cpus(const struct cpu_list *cpus)
{
	const struct perf_event_attr attr = maps_attr(false);
	int code = permission_try_event(&attr, -1, cpus->cpus[0]);

	return code != EACCES && code != EPERM;
}

/* Returns whether every CPU has the clock: some machines have two kinds of CPUs. */
static bool has_clock(const struct perf_event_attr *attr, const struct cpu_list *cpus)
{
	struct perf_event_attr tried = *attr;

	limit_to_user(&tried);
	for (size_t i = 0; i < cpus->count; i++)
		if (permission_try_event(&tried, 0, cpus->cpus[i]))
			return false;
	return true;
}

/* Finds a clock. The last one is not tried: its failure is an error. */
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

static void add_event(struct sampler *sampler, enum sampler_event kind, const char *name,
		      const struct perf_event_attr *attr)
{
	size_t at = sampler->count++;

	sampler->attrs[at] = *attr;
	if (sampler->by_thread) {
		limit_to_user(&sampler->attrs[at]);
		sampler->attrs[at].inherit = !sampler->lineage->alone;
	}
	sampler->ids[at] = RECORD_SAMPLER_ID + (uint64_t)kind;
	sampler->described[at] =
		(struct perfdata_event){name, &sampler->attrs[at], &sampler->ids[at], 1};
	sampler->table[at] = (struct perf_event){.name = name, .attr = sampler->attrs[at]};
}

static void add_faults(struct sampler *sampler)
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

		add_event(sampler, faults[i].kind, faults[i].name, &attr);
	}
}

/* Chooses the events; the kernel decides whether they may be opened for these CPUs. */
static void choose_events(struct sampler *sampler, const struct sampler_options *sampling,
			  const struct cpu_list *cpus)
{
	struct perf_event_attr attr = maps_attr(sampling->calls == SAMPLER_CALLS_DWARF);

	sampler->by_thread = !sampler->lineage->wide && !may_watch_cpus(cpus);
	if (sampler->by_thread)
		attr.task = attr.comm = attr.comm_exec = 1; /* whose events a thread inherits */
	add_event(sampler, SAMPLER_MAPS, "dummy", &attr);
	if (sampling->frequency_hz) {
		size_t clock = find_clock(cpus);

		attr = clock_attr(clock);
		sampler_options_apply(sampling, &attr);
		add_event(sampler, SAMPLER_CLOCK, clocks[clock].name, &attr);
	}
	if (sampling->faults)
		add_faults(sampler);
}

/* Opens the events, off. Returns 0, or -1 with an error; the caller releases them in both cases. */
static int events_open(struct sampler *sampler, const struct collector_options *options,
		       const struct sampler_options *sampling, struct err *err)
{
	struct cpu_list cpus;

	if (cpu_list_read(&cpus, options->online ? options->online : CPU_ONLINE_PATH, err))
		return -1;
	choose_events(sampler, sampling, &cpus);
	cpu_list_release(&cpus);
	sample_layout_init(&sampler->layout,
			   &(struct perf_event_attr){
				   .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						  PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						  PERF_SAMPLE_CPU,
				   .sample_id_all = 1,
			   });
	return perf_events_open(&sampler->open, sampler->table, sampler->count,
				sampler->by_thread ? PERF_ON_THREADS : PERF_ON_CPUS,
				options->online, err);
}

/* --- Events while they are open ------------------------------------------------------------- */

/*
 * Watches thread `tid` like the others; `held`: it is stopped until released. A thread that has
 * ended is no error. Returns 0, or -1 with an error.
 */
static int events_add_thread(struct sampler *sampler, pid_t tid, bool held, struct err *err)
{
	int rc = sampler->by_thread ? perf_events_add(&sampler->open, tid, err) : 0;

	if (rc > 0)
		task_origins_add(&sampler->origins, tid, monotonic_ns(), held);
	return rc < 0 ? -1 : 0;
}

/*
 * Returns whether a record from ring_next() is to be used. A thread that was created while others
 * were added may be watched twice, and have each record twice.
 */
static bool events_take(struct sampler *sampler, const struct perf_event_header *record)
{
	size_t origin, index;
	struct sample from;

	if (!sampler->by_thread ||
	    (record->type != PERF_RECORD_SAMPLE && record->type != PERF_RECORD_MMAP2 &&
	     record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_EXIT))
		return true;
	if (record_parse(&from, record, &sampler->layout) ||
	    !perf_events_find(&sampler->open, from.id, &origin, &index))
		return false; /* of a thread that has ended before it was opened on all CPUs */
	return task_origins_take(&sampler->origins, record, from.tid, origin, from.time_ns);
}

static struct sampler *of(struct collector *collector)
{
	return (struct sampler *)collector;
}

/* --- The target ---------------------------------------------------------------------------- */

/* The time for mappings of processes, which choose their number. */
static const uint64_t mapping_max_ns = 1000000000;

static void add_maps(struct sampler *sampler, pid_t pid)
{
	bool data = sampler->attrs[SAMPLER_MAPS].mmap_data;
	uint64_t since_ns = monotonic_ns();

	sampler->maps.until_ns = since_ns + mapping_max_ns - sampler->mapping_ns;
	proc_maps_add(&sampler->maps, pid, data, PROC);
	sampler->mapping_ns += monotonic_ns() - since_ns;
	if (sampler->mapping_ns > mapping_max_ns)
		sampler->mapping_ns = mapping_max_ns;
}

/*
 * Reads the maps of all processes, after new ones are recorded, so that none is missed in between.
 */
static void add_all_maps(struct sampler *sampler)
{
	pid_t *pids;
	size_t count;

	proc_ids(&pids, &count, PROC);
	for (size_t i = 0; i < count; i++)
		add_maps(sampler, pids[i]);
	free(pids);
}

/* Switches events, except mappings, which are always recorded. */
static int enable(struct collector *collector, bool on, struct err *err)
{
	struct sampler *sampler = of(collector);

	for (size_t i = SAMPLER_MAPS + 1; i < sampler->count; i++)
		if (perf_events_set(&sampler->open, i, on, err))
			return -1;
	return 0;
}

static int start(struct collector *collector, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (perf_events_set(&sampler->open, SAMPLER_MAPS, true, err))
		return -1;
	if (sampler->lineage->wide)
		add_all_maps(sampler);
	return enable(collector, true, err);
}

/* Follows the command. Its mappings before the exec are not its code. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (events_add_thread(sampler, child, true, err))
		return -1;
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (events_add_thread(sampler, tid, false, err))
		return -1;
	if (!sampler->lineage->wide && pid_set_add(&sampler->mapped, pid))
		add_maps(sampler, pid);
	return 0;
}

static void stop(struct collector *collector)
{
	struct sampler *sampler = of(collector);
	struct err ignored;

	enable(collector, false, &ignored);
	perf_events_set(&sampler->open, SAMPLER_MAPS, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Returns whether a record is needed. The scheduler's collector records births and ends. */
static bool is_wanted(const struct sampler *sampler, const struct perf_event_header *record)
{
	const struct sample_layout *layout = &sampler->layout;
	bool all = sampler->by_thread; /* no other threads are recorded then */
	const struct thread_body *map;
	struct sample from;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return all ||
		       (record_parse(&from, record, layout) == 0 &&
			lineage_has_thread(sampler->lineage, from.pid, from.tid, from.time_ns));
	case PERF_RECORD_MMAP2:
		map = record_body(&from, record, layout);
		return all || (map && lineage_has_process(sampler->lineage, (pid_t)map->pid,
							  from.time_ns));
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return true;
	default:
		return false;
	}
}

/* Returns the id in the file for an id in the kernel. */
static uint64_t file_id(const struct sampler *sampler, uint64_t id)
{
	size_t thread, index;

	return sampler->ids[perf_events_find(&sampler->open, id, &thread, &index) ? index : 0];
}

/*
 * Returns whether a page fault has another recorder's id: the kernel takes id and time once for the
 * events of all recorders, from the last opened one and by its clock (do_perf_sw_event() in
 * kernel/events/core.c, from 6.2 on).
 */
static bool is_mixed_up(const struct sampler *sampler, const struct perf_event_header *record)
{
	size_t thread, index;
	struct sample from;

	return record->type == PERF_RECORD_SAMPLE &&
	       record_parse(&from, record, &sampler->layout) == 0 &&
	       !perf_events_find(&sampler->open, from.id, &thread, &index);
}

/*
 * Records a record unchanged, except for the event's id: it is the first word of a sample and the
 * last word of all others. A record of losses, of all events of the ring, also has it in its body.
 */
static void sampler_put(const struct sampler *sampler, struct recording *recording,
			const struct perf_event_header *record)
{
	bool sample = record->type == PERF_RECORD_SAMPLE;
	uint8_t *added = recording_add(recording, record->type, record->misc, record->size);
	uint8_t *place = added + (sample ? sizeof(*record) : record->size - sizeof(uint64_t));
	uint64_t id;

	memcpy(added, record, record->size);
	memcpy(&id, place, sizeof(id));
	id = file_id(sampler, id);
	memcpy(place, &id, sizeof(id));
	if (record->type == PERF_RECORD_LOST)
		memcpy(added + sizeof(*record), &id, sizeof(id));
	recording_count(recording, added);
}

/* Writes the mappings so far at the first pass, when the file has its header. */
static void sampler_begin(struct sampler *sampler, struct recording *recording)
{
	if (sampler->count > SAMPLER_CLOCK && !sampler->by_thread)
		proc_maps_add(&sampler->maps, PROC_MAP_KERNEL, false, PROC);
	for (size_t i = 0; i < sampler->maps.count; i++)
		record_mapped(recording, sampler->ids[SAMPLER_MAPS], 0, &sampler->maps.maps[i]);
	sampler->base.cut_maps = sampler->maps.cut;
	proc_maps_release(&sampler->maps);
	sampler->begun = true;
}

static void mark(struct collector *collector)
{
	perf_events_mark(&of(collector)->open);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct sampler *sampler = of(collector);
	const struct perf_event_header *record;

	if (perf_events_look(&sampler->open, NULL, NULL, err))
		return -1;
	if (!sampler->begun)
		sampler_begin(sampler, recording);
	for (size_t i = 0; i < sampler->open.cpu_count; i++) {
		struct ring *ring = &sampler->open.rings[i];

		while ((record = ring_next(ring))) {
			if (!events_take(sampler, record) || !is_wanted(sampler, record))
				continue;
			if (is_mixed_up(sampler, record))
				sampler->base.mixed_faults++;
			else
				sampler_put(sampler, recording, record);
		}
		ring_consume(ring);
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
	sampler->note = xasprintf("page faults: recording one takes %.0f ns", cost.added_ns);
	sampler->base.note = sampler->note;
}

/* --- Opening and the end ------------------------------------------------------------------- */

static void sampler_release(struct collector *collector)
{
	struct sampler *sampler = of(collector);

	perf_events_release(&sampler->open);
	task_origins_release(&sampler->origins);
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

	sampler->lineage = options->lineage;
	if (events_open(sampler, options, sampling, err)) {
		sampler_release(&sampler->base);
		return NULL;
	}
	sampler->base = (struct collector){
		.kind = &kind,
		.events = sampler->described,
		.event_count = sampler->count,
		.fd = &sampler->open.wake_fd,
	};
	if (sampling->faults)
		measure_faults(sampler);
	return &sampler->base;
}
