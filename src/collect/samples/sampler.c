/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/sampler.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "code/proc_maps.h"
#include "collect/kernel/proc_stat.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/samples/fault_cost.h"
#include "collect/samples/sampler_events.h"
#include "collect/target/lineage.h"

#include <stdlib.h>
#include <string.h>

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

	if (sampler_events_add(&sampler->events, child, true, err))
		return -1;
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct sampler *sampler = of(collector);

	if (sampler_events_add(&sampler->events, tid, false, err))
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
	sampler_events_switch(&sampler->events, SAMPLER_MAPS, false, &ignored);
}

/* --- Records ------------------------------------------------------------------------------- */

/* How samples and records of what is mapped begin, and how the latter end. */
struct sample_start {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
};

struct map_start {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct map_end {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* Births and ends are told by who watches the scheduler. */
static bool is_wanted(const struct sampler *sampler, const struct perf_event_header *record)
{
	bool all = sampler->events.by_task; /* there is nothing else, then */
	struct sample_start sample;
	struct map_start map;
	struct map_end end;

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

	if (sampler_events_look(events, err))
		return -1;
	if (!sampler->begun)
		begin(sampler, recording);
	for (size_t i = 0; i < events->ring_count; i++) {
		while ((record = ring_next(&events->rings[i])))
			if (sampler_events_takes(events, record) && is_wanted(sampler, record))
				put(events, recording, i, record);
		ring_consume(&events->rings[i]);
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
	sampler->lineage = options->lineage;
	if (sampling->faults)
		measure_faults(sampler);
	return &sampler->base;
}
