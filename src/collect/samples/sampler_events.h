/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The perf events of the sampler: one that samples, one that carries what is mapped, and those of
 * page faults. They are open on every CPU, where their records are of everybody;
 * or, where the user may not have that, on the threads that are added and on what these create,
 * without the kernel's part.
 */
#ifndef PSCAL_COLLECT_SAMPLES_SAMPLER_EVENTS_H
#define PSCAL_COLLECT_SAMPLES_SAMPLER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/cpu_events.h"
#include "collect/kernel/cpu_watch.h"
#include "collect/kernel/task_events.h"
#include "collect/samples/sampler_options.h"
#include "collect/target/task_origins.h"
#include "perfdata/perfdata_write.h"

struct collector_options;
struct err;

/*
 * What they are. The clock is not there when nothing is to be sampled. Of a page fault the first is
 * raised before the kernel looks for the memory, and one of the others when that is there: so it is
 * known how long it took (do_user_addr_fault() and mm_account_fault(); Linux 5.9, on x86 before).
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

/* All are off. Returns 0, or -1 with a sentence; release them in both cases. */
int sampler_events_open(struct sampler_events *events, const struct collector_options *options,
			const struct sampler_options *sampling, struct err *err);
void sampler_events_release(struct sampler_events *events);

/*
 * Watches thread `tid`, as others are; `held`: it does nothing until we let it. One that has ended
 * is no failure. Returns 0, or -1 with a sentence.
 */
int sampler_events_add(struct sampler_events *events, pid_t tid, bool held, struct err *err);

/* On or off, if it is there. Returns 0, or -1 with a sentence. */
int sampler_events_switch(struct sampler_events *events, enum sampler_event event, bool on,
			  struct err *err);

/*
 * Looks whether CPUs have come online, which get rings: these are others afterwards. Returns 0, or
 * -1 with a sentence.
 */
int sampler_events_look(struct sampler_events *events, struct err *err);

/* The id in the file of the event which has this one in the kernel, on ring number `at`. */
uint64_t sampler_events_id(const struct sampler_events *events, size_t at, uint64_t id);

/*
 * A thread that was created while others were added may be watched twice. Is this record, which
 * ring_next() gave, not such a second one?
 */
bool sampler_events_takes(struct sampler_events *events, const struct perf_event_header *record);

#endif
