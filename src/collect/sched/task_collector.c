/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/sched_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/perf_events.h"
#include "collect/kernel/proc_stat.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"
#include "collect/target/task_origins.h"

#include <stdlib.h>
#include <string.h>

#define PROC "/proc"

/* The time after which a thread that is possibly not watched is examined. */
enum { DOUBT_MS = 20 };

/* A record read before the recording began; the kernel's record follows. */
struct kept {
	uint32_t size; /* of both */
	uint32_t cpu;
};

struct task_collector {
	struct collector base;
	struct perf_event event; /* for perf_event_open() */
	struct perf_events open;
	struct sample_layout layout; /* of its records */
	struct perf_event_attr attr; /* for the file */
	uint64_t id;
	struct perfdata_event described;
	struct task_origins origins;
	uint8_t *kept;
	size_t kept_size, kept_capacity;
	struct lineage *lineage; /* borrowed */
	bool off;		 /* switches are not recorded */
	char note[160];
};

static struct task_collector *of(struct collector *collector)
{
	return (struct task_collector *)collector;
}

/* --- Records ------------------------------------------------------------------------------- */

static void learn_birth(struct task_collector *task, const struct sample *raised, size_t origin,
			const struct task_body *body)
{
	const struct lineage_birth birth = {
		.time_ns = raised->time_ns,
		.pid = (pid_t)body->pid,
		.tid = (pid_t)body->tid,
		.parent_pid = raised->pid,
		.parent_tid = raised->tid,
		.ours = !task->lineage->alone,
	};

	if (!task->lineage->alone)
		task_origins_birth(&task->origins, raised->tid, origin, raised->time_ns, birth.pid,
				   birth.tid);
	lineage_birth(task->lineage, &birth);
}

/* Learns from a record which threads are watched. Returns whether it belongs into the recording. */
static bool learn(struct task_collector *task, const struct perf_event_header *record,
		  const struct sample *raised, const void *body)
{
	size_t origin, index;

	if (record->type == PERF_RECORD_LOST)
		return true;
	if (!perf_events_find(&task->open, raised->id, &origin, &index))
		return false; /* of a thread that has ended before it was opened on all CPUs */
	if (!task_origins_take(&task->origins, record, raised->tid, origin, raised->time_ns))
		return false;
	if (record->type == PERF_RECORD_FORK) {
		learn_birth(task, raised, origin, body);
		return !task->lineage->alone;
	}
	return record->type != PERF_RECORD_SWITCH || !task->off;
}

/* Records a name. A thread may name another one. */
static void put_comm(struct recording *recording, const struct perf_event_header *record,
		     const struct comm_body *body, const struct record_place *raised)
{
	struct record_place place = *raised;

	place.pid = (pid_t)body->pid;
	place.tid = (pid_t)body->tid;
	record_comm(recording, &place, body->comm, record->misc & PERF_RECORD_MISC_COMM_EXEC);
}

/* Completes a record to the common layout of the file. */
static void put_record(const struct task_collector *task, struct recording *recording,
		       const struct perf_event_header *record, const struct sample *raised,
		       const void *body, uint32_t cpu)
{
	const struct record_place place = {.id = task->id,
					   .time_ns = raised->time_ns,
					   .pid = raised->pid,
					   .tid = raised->tid,
					   .cpu = cpu};

	if (record->type == PERF_RECORD_SWITCH)
		record_switch(recording, record->misc, &place, NULL);
	else if (record->type == PERF_RECORD_COMM)
		put_comm(recording, record, body, &place);
	else if (record->type == PERF_RECORD_LOST)
		record_lost(recording, &place, ((const struct lost_body *)body)->lost);
	else if (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)
		record_task(recording, record->type, &place, body);
}

static void keep(struct task_collector *task, const struct perf_event_header *record, uint32_t cpu)
{
	const struct kept kept = {(uint32_t)sizeof(kept) + record->size, cpu};
	uint8_t *to;

	array_reserve(&task->kept, &task->kept_capacity, task->kept_size + kept.size);
	to = task->kept + task->kept_size;
	memcpy(to, &kept, sizeof(kept));
	memcpy(to + sizeof(kept), record, record->size);
	task->kept_size += kept.size;
}

static void put_kept(struct task_collector *task, struct recording *recording)
{
	struct kept kept;

	for (size_t at = 0; at < task->kept_size; at += kept.size) {
		const void *record = task->kept + at + sizeof(kept), *body;
		struct sample raised;

		memcpy(&kept, task->kept + at, sizeof(kept));
		body = record_body(&raised, record, &task->layout);
		put_record(task, recording, record, &raised, body, kept.cpu);
	}
	task->kept_size = 0;
}

/* Empties the rings, into the recording or, if NULL, into `kept`. */
static void drain(struct task_collector *task, struct recording *recording)
{
	const struct perf_event_header *record;

	perf_events_mark(&task->open);
	for (size_t i = 0; i < task->open.cpu_count; i++) {
		struct ring *ring = &task->open.rings[i];
		uint32_t cpu = (uint32_t)task->open.cpus[i];

		while ((record = ring_next(ring))) {
			struct sample raised;
			const void *body = record_body(&raised, record, &task->layout);

			if (!body || !learn(task, record, &raised, body))
				continue;
			if (recording)
				put_record(task, recording, record, &raised, body, cpu);
			else
				keep(task, record, cpu);
		}
		ring_consume(ring);
	}
}

/* --- Following the target ------------------------------------------------------------------ */

/* A thread in /proc: the number of times it has got a CPU, and then its state. */
struct looks {
	unsigned long long times;
	char state; /* 0: it is gone */
};

static struct looks look_at(pid_t pid, pid_t tid)
{
	struct looks looks = {.times = 0};
	struct proc_stat stat;
	bool counted;
	char path[64];

	snprintf(path, sizeof(path), PROC "/%d/task/%d/schedstat", (int)pid, (int)tid);
	counted = proc_scan(path, "%*u %*u %llu", &looks.times);
	if (proc_stat_of(&stat, PROC, pid, tid))
		return looks;
	looks.state = stat.state;
	return counted ? looks : (struct looks){1, 'R'}; /* this kernel does not count */
}

/*
 * Returns whether a thread was asleep when its state was read, and has not got a CPU since before
 * that. State D does not count: a thread may be in it while it creates another.
 */
static bool stayed_asleep(struct looks before, struct looks after)
{
	return (before.state == 'S' || before.state == 'T' || before.state == 't') &&
	       before.times == after.times;
}

/* Opens the event on a thread. Returns 1, 0 if it has ended, or -1 with an error. */
static int watch(struct task_collector *task, pid_t pid, pid_t tid, struct err *err)
{
	struct looks before = look_at(pid, tid);
	int rc = perf_events_add(&task->open, tid, err);
	uint64_t now_ns = monotonic_ns();

	if (rc > 0)
		task_origins_add(&task->origins, tid, now_ns,
				 stayed_asleep(before, look_at(pid, tid)));
	return rc;
}

/* Follows the command, which waits and creates nothing. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct task_collector *task = of(collector);
	int rc = perf_events_add(&task->open, child, err);

	if (rc > 0)
		task_origins_add(&task->origins, child, monotonic_ns(), true);
	return rc < 0 ? -1 : 0;
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct task_collector *task = of(collector);

	drain(task, NULL);
	if (task_origins_of(&task->origins, tid) == TASK_IS_WATCHED)
		return 0;
	return watch(task, pid, tid, err);
}

/* The context of the search for threads that are not watched, with the recording of their names. */
struct late {
	struct task_collector *task;
	struct recording *recording;
};

/*
 * Adopts a late thread. If it has no records, its past is missing, which readers see as any other
 * loss. It may have ended, or be out of reach after an exec.
 */
static int adopt_late(void *context, pid_t pid, pid_t tid, struct err *err)
{
	const struct late *late = context;
	struct task_collector *task = late->task;
	struct record_place place = {.id = task->id, .time_ns = monotonic_ns(), .pid = pid, tid};
	enum task_knowledge knowledge;
	struct proc_stat stat;

	drain(task, late->recording);
	knowledge = task_origins_of(&task->origins, tid);
	if (knowledge == TASK_IS_WATCHED)
		return 0;
	watch(task, pid, tid, err);
	lineage_give_thread(task->lineage, pid, tid, place.time_ns);
	if (knowledge != TASK_HAS_TOLD)
		record_lost(late->recording, &place, 1);
	if (knowledge == TASK_IS_UNKNOWN && !proc_stat_of(&stat, PROC, pid, tid))
		record_existing(late->recording, task->id, pid, tid, stat.parent, stat.comm);
	return 0;
}

/* Adopts a thread in doubt; a process with all that it has created, which may have no records. */
static void find_late(struct late *late, const struct task_doubt *doubt)
{
	const struct target_watch look = {adopt_late, late};
	const struct target_spec process = {.pids = &doubt->pid, .pid_count = 1};
	struct target found;
	struct err ignored;
	size_t before;

	adopt_late(late, doubt->pid, doubt->tid, &ignored);
	if (doubt->tid != doubt->pid)
		return;
	do {
		before = late->task->open.thread_count;
		target_scan(&found, &process, PROC, &look, &ignored);
		target_release(&found);
	} while (late->task->open.thread_count > before);
}

/* Returns whether a thread has not run yet, so that nothing is missing. */
static bool is_unborn(const struct task_doubt *doubt)
{
	struct looks looks = look_at(doubt->pid, doubt->tid);

	return looks.state && !looks.times;
}

/* Examines the threads that are possibly not watched. */
static void settle(struct task_collector *task, struct recording *recording)
{
	struct late late = {task, recording};
	size_t count = task_origins_round(&task->origins);

	for (size_t i = 0; i < count; i++) {
		const struct task_doubt doubt = task->origins.doubts[i]; /* the array may move */

		if (!doubt.tid || is_unborn(&doubt))
			continue;
		find_late(&late, &doubt);
		task_origins_settle(&task->origins, doubt.tid);
	}
	task->base.pass_ms = task->origins.doubt_count ? DOUBT_MS : 0;
}

/* Drops switches from now on, or keeps them. The kernel records both, so that births are seen. */
static int enable(struct collector *collector, bool on, struct err *err)
{
	struct task_collector *task = of(collector);

	(void)err;
	drain(task, NULL);
	task->off = !on;
	return 0;
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct task_collector *task = of(collector);

	(void)err;
	put_kept(task, recording);
	drain(task, recording);
	lineage_settle(task->lineage, UINT64_MAX);
	settle(task, recording);
	return 0;
}

static void stop(struct collector *collector)
{
	struct err ignored;

	perf_events_set(&of(collector)->open, 0, false, &ignored);
}

/* --- Opening and closing -------------------------------------------------------------------- */

static void task_release(struct collector *collector)
{
	struct task_collector *task = of(collector);

	perf_events_release(&task->open);
	task_origins_release(&task->origins);
	free(task->kept);
	free(task);
}

static const struct collector_kind kind = {
	.name = "task",
	.follow = follow,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.stop = stop,
	.free = task_release,
};

static void describe(struct task_collector *task, const struct collector_options *options)
{
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.context_switch = attr.comm = attr.comm_exec = attr.task = 1;
	attr.exclude_kernel = attr.exclude_hv = 1; /* otherwise it needs a right */
	attr.inherit = !options->lineage->alone;
	task->lineage = options->lineage;
	task->attr = attr;
	task->id = RECORD_SCHED_ID;
	task->described = (struct perfdata_event){"dummy", &task->attr, &task->id, 1};
	task->event = (struct perf_event){.name = "dummy", .attr = attr};
	task->event.attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	task->event.attr.read_format = 0;
	sample_layout_init(&task->layout, &task->event.attr);
}

static int open_events(struct task_collector *task, const char *online, struct err *err)
{
	if (perf_events_open(&task->open, &task->event, 1, PERF_ON_THREADS, online, err))
		return -1;
	task->base.fd = &task->open.wake_fd;
	snprintf(task->note, sizeof(task->note),
		 "the kernel keeps %zu KiB of records for each CPU, as kernel.perf_event_mlock_kb "
		 "and 'ulimit -l' allow",
		 task->open.ring_bytes >> 10);
	task->base.note = task->note;
	return perf_events_set(&task->open, 0, true, err);
}

struct collector *task_collector_open(const struct collector_options *options, struct err *err)
{
	struct task_collector *task;

	if (options->lineage->wide || options->stacks) {
		err_set(err,
			"%s cannot be recorded without tracepoints, for which a right is missing: "
			"run as root",
			options->lineage->wide ? "all threads of the machine"
					       : "where threads block");
		return NULL;
	}
	task = xcalloc(1, sizeof(*task));
	task->base = (struct collector){
		.kind = &kind, .events = &task->described, .event_count = 1, .reduced = true};
	describe(task, options);
	if (open_events(task, options->online, err)) {
		task_release(&task->base);
		return NULL;
	}
	return &task->base;
}
