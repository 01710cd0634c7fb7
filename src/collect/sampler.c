/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sampler.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/collector.h"
#include "collect/fault_cost.h"
#include "collect/lineage.h"
#include "collect/proc_maps.h"
#include "collect/proc_stat.h"
#include "collect/record.h"
#include "collect/recording.h"
#include "collect/sampler_events.h"

#include <stdlib.h>
#include <string.h>

#define PROC "/proc"

struct sampler {
	struct collector base;
	struct sampler_events events;
	uint64_t *heads; /* of the rings: how far they are read in this pass */
	size_t head_capacity;
	bool wide;
	struct lineage lineage;
	struct proc_maps maps; /* from before the recording, until they are written */
	bool begun;	       /* they are */
	bool faults;	       /* are recorded ... */
	double outside_ns;     /* ... and take so much beside what is on record; 0: not known */
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
		if (sampler_events_switch(events, (enum sampler_event)event, on, err))
			return -1;
	return 0;
}

static int start(struct collector *collector, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (sampler_events_switch(&sampler->events, SAMPLER_MAPS, true, err))
		return -1;
	if (sampler->wide)
		add_all_maps(sampler);
	return enable(collector, true, err);
}

/* What the command has mapped before its exec is not its code. */
static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct sampler *sampler = of(collector);

	lineage_add(&sampler->lineage, child, child, monotonic_ns());
	if (sampler_events_add(&sampler->events, child, true, err))
		return -1;
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct sampler *sampler = of(collector);
	bool is_new = lineage_add(&sampler->lineage, pid, tid, monotonic_ns());

	if (sampler_events_add(&sampler->events, tid, false, err))
		return -1;
	if (is_new && !sampler->wide)
		add_maps(sampler, pid);
	return 0;
}

static void stop(struct collector *collector)
{
	struct sampler *sampler = of(collector);
	struct err ignored;

	enable(collector, false, &ignored);
	sampler_events_switch(&sampler->events, SAMPLER_MAPS, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* How samples and the two kinds of records that are looked into begin. */
struct sample_start {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
};

struct birth_start {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct map_start {
	struct perf_event_header header;
	uint32_t pid, tid;
};

/*
 * A birth may be lost here, where all that happens on the machine shares the rings, and be known of
 * who watches the scheduler.
 */
static bool is_of_target(const struct lineage *lineage, const struct tally *tally,
			 const struct sample_start *sample)
{
	return lineage_has_thread(lineage, (pid_t)sample->tid) ||
	       pid_set_has(&tally->processes.living, (pid_t)sample->pid) ||
	       pid_set_has(&tally->tids.living, (pid_t)sample->tid);
}

/* Births and ends are told by who watches the scheduler. */
static bool is_wanted(const struct lineage *lineage, const struct tally *tally,
		      const struct perf_event_header *record)
{
	struct sample_start sample;
	struct map_start map;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		memcpy(&sample, record, sizeof(sample));
		return is_of_target(lineage, tally, &sample);
	case PERF_RECORD_MMAP2:
		memcpy(&map, record, sizeof(map));
		return lineage_has_process(lineage, (pid_t)map.pid);
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
static void put(const struct sampler_events *events, struct recording *recording, size_t ring,
		const struct perf_event_header *record)
{
	bool sample = record->type == PERF_RECORD_SAMPLE;
	uint8_t *added = recording_add(recording, record->type, record->misc, record->size);
	uint8_t *place = added + (sample ? sizeof(*record) : record->size - sizeof(uint64_t));
	uint64_t id;

	memcpy(added, record, record->size);
	memcpy(&id, place, sizeof(id));
	id = sampler_events_id(events, ring, id);
	memcpy(place, &id, sizeof(id));
	if (record->type == PERF_RECORD_LOST)
		memcpy(added + sizeof(*record), &id, sizeof(id));
	recording_count(recording, added);
}

static void look_at_births(struct lineage *lineage, struct ring *ring)
{
	const struct perf_event_header *record;
	struct birth_start birth;

	while ((record = ring_next(ring))) {
		if (record->type != PERF_RECORD_FORK)
			continue;
		memcpy(&birth, record, sizeof(birth));
		lineage_birth(lineage, &(struct lineage_birth){
					       .time_ns = birth.time_ns,
					       .pid = (pid_t)birth.pid,
					       .tid = (pid_t)birth.tid,
					       .parent_tid = (pid_t)birth.parent_tid,
				       });
	}
}

/* What there was before, at the first pass, when the file has its header. */
static void begin(struct sampler *sampler, struct recording *recording)
{
	if (sampler->events.count > SAMPLER_CLOCK && !sampler->events.by_task)
		proc_maps_add_kernel(&sampler->maps, PROC);
	for (size_t i = 0; i < sampler->maps.count; i++)
		record_mapped(recording, sampler->events.ids[SAMPLER_MAPS], &sampler->maps.maps[i]);
	proc_maps_release(&sampler->maps);
	sampler->begun = true;
}

/*
 * A thread may be born on one CPU and sampled on another. So the rings are read twice: what lay in
 * them the first time is recorded, and of whatever lies in them the second time the births count.
 */
static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct sampler *sampler = of(collector);
	const struct perf_event_header *record;
	struct ring *rings;
	size_t count;

	if (sampler_events_look(&sampler->events, err))
		return -1;
	rings = sampler->events.rings;
	count = sampler->events.ring_count;
	array_reserve(&sampler->heads, &sampler->head_capacity, count);
	if (!sampler->begun)
		begin(sampler, recording);
	for (size_t i = 0; i < count; i++) {
		ring_read(&rings[i]);
		sampler->heads[i] = rings[i].head;
	}
	for (size_t i = 0; i < count; i++) {
		ring_read(&rings[i]);
		look_at_births(&sampler->lineage, &rings[i]);
	}
	lineage_settle(&sampler->lineage);
	for (size_t i = 0; i < count; i++) {
		ring_rewind(&rings[i], sampler->heads[i]);
		while ((record = ring_next(&rings[i])))
			if (sampler_events_takes(&sampler->events, record) &&
			    is_wanted(&sampler->lineage, &recording->tally, record))
				put(&sampler->events, recording, i, record);
		ring_consume(&rings[i]);
	}
	return 0;
}

/* --- Page faults --------------------------------------------------------------------------- */

static void tell(const struct collector *collector, FILE *out)
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

static void release(struct collector *collector)
{
	struct sampler *sampler = of(collector);

	sampler_events_release(&sampler->events);
	lineage_release(&sampler->lineage);
	proc_maps_release(&sampler->maps);
	free(sampler->heads);
	free(sampler->note);
	free(sampler);
}

static const struct collector_kind kind = {
	.name = "sampler",
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.stop = stop,
	.tell = tell,
	.free = release,
};

struct collector *sampler_open(const struct collector_options *options,
			       const struct sampler_options *sampling, struct err *err)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	struct sampler_events *events = &sampler->events;

	if (sampler_events_open(events, options, sampling, err)) {
		release(&sampler->base);
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
	sampler->lineage.wide = options->wide || events->by_task; /* then there is nobody else */
	sampler->lineage.alone = options->alone;
	if (sampling->faults)
		measure_faults(sampler);
	return &sampler->base;
}
