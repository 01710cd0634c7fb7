/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "decode/kernel/formats.h"
#include "decode/kernel/order.h"
#include "decode/kernel/perfdata_source_private.h"
#include "perfdata/sample.h"

#include <stdlib.h>
#include <string.h>

/* A record of the kernel with its id fields. */
struct reading {
	const struct perfdata_record *record;
	const struct sample_layout *layout;
	struct sample sample;
};

static int read_i32(const struct reading *reading, size_t offset, int32_t *value)
{
	if (offset + sizeof(*value) > reading->record->length)
		return -1;
	memcpy(value, reading->record->body + offset, sizeof(*value));
	return 0;
}

/*
 * Sets the members one by one. A whole struct would be built elsewhere first: to read in one piece
 * what was just written in small ones stalls a CPU.
 */
static inline void event_begin(struct event *event, const struct sample *sample,
			       enum event_kind kind, uint64_t place)
{
	event->time_ns = sample->time_ns;
	event->place = place;
	event->kind = kind;
	event->state = STATE_NONE;
	event->numbers = NUMBERS_OF_NAMESPACE;
	event->note = QUALITY_EVENTS;
	event->interrupt = false;
	event->call = SYNC_NONE;
	event->step = TASK_NO_STEP;
	event->cpu = sample->cpu;
	event->pid = sample->pid;
	event->tid = sample->tid;
	event->other_pid = -1;
	event->other = -1;
	event->count = 0;
	event->chain = 0;
	event->block = 0;
	memset(event->comm, 0, sizeof(event->comm));
	memset(event->other_comm, 0, sizeof(event->other_comm));
	event->ran_ns = 0;
	event->object2 = 0;
}

static struct event event_of(const struct reading *reading, enum event_kind kind)
{
	struct event event;

	event_begin(&event, &reading->sample, kind, reading->record->place);
	return event;
}

/* Returns true for a sample from a buffer without scheduling events. */
static inline bool is_aside(const struct sample *sample)
{
	return sample->id >= PERFDATA_ASIDE_ID;
}

static __attribute__((cold, noinline)) void note_first_time(struct perfdata_source *source,
							    int32_t cpu, uint64_t time_ns)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return;
	array_reserve(&source->last_ns, &source->cpu_capacity, (size_t)cpu + 1);
	source->last_ns[cpu] = time_ns;
}

/* Notes the last time in the buffer of a CPU: records lost later were lost after this time. */
static inline void note_buffer_time(struct perfdata_source *source, const struct sample *sample)
{
	if (is_aside(sample) || source->timeless == TIMELESS_ONLY)
		return;
	if ((uint32_t)sample->cpu < source->cpu_capacity)
		source->last_ns[sample->cpu] = sample->time_ns;
	else
		note_first_time(source, sample->cpu, sample->time_ns);
}

/* Notes the time of a sample. Returns -1 if it is damaged. */
static inline int note_sample_time(struct perfdata_source *source, const struct sample *sample)
{
	if (sample->time_ns - source->span.first_ns > source->span.length_ns &&
	    source->span.trust) {
		source->span.trust--;
		return -1;
	}
	note_buffer_time(source, sample);
	return 0;
}

/* --- Overwritten rings --------------------------------------------------------------------- */

/*
 * A ring of records. Its size shows if it was full and lost its beginning: all rings have the same
 * power of two in pages, and a full one lacks less than a record. Far smaller rings are not full.
 */
enum { PAGE_BYTES = 4096 };

struct overwritten_ring {
	uint64_t begin_ns; /* the time of the oldest record */
	uint64_t bytes;
	uint32_t record_max; /* the size of the largest record */
};

static void note_overwritten(struct perfdata_source *source, const struct sample *sample,
			     uint32_t bytes)
{
	struct overwritten_ring *ring;

	if (sample->cpu < 0 || sample->cpu >= CPU_MAX)
		return;
	array_reserve(&source->rings, &source->ring_capacity, (size_t)sample->cpu + 1);
	if ((size_t)sample->cpu >= source->ring_count)
		source->ring_count = (size_t)sample->cpu + 1;
	ring = &source->rings[sample->cpu];
	if (!ring->bytes || sample->time_ns < ring->begin_ns)
		ring->begin_ns = sample->time_ns;
	if (bytes > ring->record_max)
		ring->record_max = bytes;
	ring->bytes += bytes;
}

/* Returns the smallest size that all rings may have. */
static uint64_t ring_size(const struct perfdata_source *source)
{
	uint64_t size = PAGE_BYTES;

	for (size_t i = 0; i < source->ring_count; i++)
		while (size < source->rings[i].bytes)
			size *= 2;
	return size;
}

/* perf leaves out the oldest record of a ring even if that record is whole. */
uint64_t perfdata_events_forgotten(const struct perfdata_source *source)
{
	uint64_t size = ring_size(source), until_ns = 0;

	for (size_t i = 0; i < source->ring_count; i++) {
		const struct overwritten_ring *ring = &source->rings[i];
		bool is_full = ring->bytes && size - ring->bytes <= ring->record_max;

		if (is_full && ring->begin_ns > until_ns)
			until_ns = ring->begin_ns;
	}
	return until_ns;
}

/* --- Samples ------------------------------------------------------------------------------- */

/*
 * Handles a payload and a header with different threads: two numbers of one thread, or a thread
 * that has no number in the namespace any more. EVENT_RAN may be raised on another CPU than that of
 * the thread. If nearly all threads have one number, the payload is damaged.
 */
static __attribute__((noinline)) int
read_two_numbers(struct perfdata_source *source, const struct sample *sample, struct event *event)
{
	struct namespaces *namespaces = &source->namespaces;

	if (event->kind != EVENT_RAN && sample->tid > 0 && namespaces_are_one(namespaces))
		return -1;
	if (event->kind != EVENT_RAN) {
		namespaces_learn(namespaces, sample->tid, event->tid);
		if (source->narrow)
			perfdata_target_learn(&source->target, sample->tid, event->tid);
	}
	if (event->kind == EVENT_SWITCH && sample->tid >= 0)
		namespaces->foreign++;
	if (event->kind == EVENT_RAN && namespaces_find(namespaces, sample->tid) != event->tid)
		event->pid = event->cpu = -1;
	else if (!namespaces_matter(namespaces))
		event->pid = -1;
	return 0;
}

/*
 * Decodes a payload into the event's place in the order. `made` is the event, or NULL if the
 * payload has none. Returns -1 if the payload is damaged.
 */
static inline int read_payload(struct perfdata_source *source, const struct sample_layout *layout,
			       const struct sample *sample, uint64_t place, struct event **made)
{
	const struct tracepoint *tracepoint;
	struct event *event;
	int rc;

	*made = NULL;
	if (sample->raw_length < FORMATS_TYPE_SIZE)
		return 0;
	tracepoint = formats_find(source->formats, sample->raw);
	/* A payload of unknown type in an event of known type is damaged. */
	if (!tracepoint)
		return formats_know(source->formats, layout->attr.config) ? -1 : 0;
	event = order_room(source->order, sample->cpu);
	event_begin(event, sample, EVENT_SWITCH, place);
	rc = formats_decode(source->formats, tracepoint, event, sample->raw, sample->raw_length);
	event->numbers = NUMBERS_OF_PAYLOAD;
	if (rc > 0 && event->tid != sample->tid)
		rc = read_two_numbers(source, sample, event) ? -1 : rc;
	else if (rc > 0 && event->kind == EVENT_SWITCH && event->tid)
		source->namespaces.own++;
	if (rc > 0)
		*made = event;
	return rc < 0 ? -1 : 0;
}

/* Ignores a payload of a sampled tracepoint, which says nothing of events between the samples. */
static int skip_payload(struct perfdata_source *source, const struct sample *sample, uint64_t place)
{
	if (sample->raw_length >= FORMATS_TYPE_SIZE && formats_find(source->formats, sample->raw))
		perfdata_source_pass_over(source, QUALITY_SAMPLED_EVENTS, place);
	return 0;
}

/* Adds the call chain of the thread that raised the event, also if the header has container ids. */
static uint32_t add_chain(struct perfdata_source *source, const struct sample *sample,
			  const struct event *event)
{
	uint64_t frames[CHAIN_FRAMES_MAX];
	size_t count = sample_user_chain(frames, CHAIN_FRAMES_MAX - 2, sample);

	if (count && source->base.samples.timed && event->kind == EVENT_CALL &&
	    !sync_call_is_system(event->call))
		samples_note_probe(&source->base.samples, sample->pid, frames[0]);
	count = chain_add_start(frames, count, source->base.samples.routines, sample);
	return chains_add(&source->base.chains, sample->pid, sample->time_ns, frames, count);
}

/* Reads a page fault. The kernel raises the first event at its beginning, another at its end. */
static void read_fault(struct perfdata_source *source, const struct sample_layout *layout,
		       const struct sample *sample, uint64_t place)
{
	struct event *event;

	if (layout->attr.config != PERF_COUNT_SW_PAGE_FAULTS &&
	    layout->attr.config != PERF_COUNT_SW_PAGE_FAULTS_MIN &&
	    layout->attr.config != PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		return;
	event = order_room(source->order, sample->cpu);
	event_begin(event, sample,
		    layout->attr.config == PERF_COUNT_SW_PAGE_FAULTS ? EVENT_FAULT
								     : EVENT_FAULT_END,
		    place);
	order_take(source->order, event);
}

/* Pushes an EVENT_SAMPLED for the thread, in a recording of samples alone. */
static void push_sampled(struct perfdata_source *source, const struct sample *sample,
			 uint64_t place)
{
	struct event *event;

	if (!source->base.samples.alone || sample->tid <= 0)
		return;
	event = order_room(source->order, sample->cpu);
	event_begin(event, sample, EVENT_SAMPLED, place);
	order_take(source->order, event);
}

/* Adds a sample of a place; one of a thread whose host number is not known is dropped. */
static void read_place(struct perfdata_source *source, const struct sample_layout *layout,
		       const struct sample *sample, const struct perfdata_record *record)
{
	struct sample joined = *sample;
	enum quality_fact why;

	if (namespaces_matter(&source->namespaces))
		joined.tid = namespaces_find(&source->namespaces, sample->tid);
	why = samples_add(&source->base.samples, &layout->attr, &joined, record->header.misc,
			  record->body);
	if (why != QUALITY_EVENTS)
		quality_count(&source->base.quality, why);
}

/* Keeps the function with which a thread began; 0: a new thread with an unknown function. */
static void keep_routine(struct perfdata_source *source, int32_t tid, uint64_t routine)
{
	if (tid > 0 && tid < SPARSE_MAX &&
	    (routine || sparse_get(&source->routines, (uint32_t)tid)))
		sparse_set(&source->routines, (uint32_t)tid, (void *)(uintptr_t)routine);
	source->base.samples.routines = &source->routines;
}

/* Reads the start of a thread, see PERFDATA_START_WORDS. */
static void read_start(struct perfdata_source *source, const struct sample *sample, uint64_t place)
{
	uint64_t frames[1 + PERFDATA_START_WORDS] = {0};
	size_t length = PERFDATA_START_WORDS * sizeof(*frames);
	struct event event;

	if (!sample_user_chain(frames, 1, sample))
		return;
	if (sample->raw_length < length)
		length = sample->raw_length;
	if (length)
		memcpy(&frames[1], sample->raw, length);
	event_begin(&event, sample, EVENT_TASK, place);
	event.chain = chains_add(&source->base.starts, sample->pid, sample->time_ns, frames,
				 1 + PERFDATA_START_WORDS);
	order_push(source->order, &event);
	keep_routine(source, sample->tid, frames[0]);
}

/* Reads the parts of a sample other than a tracepoint's payload. */
static void read_aside(struct perfdata_source *source, const struct sample_layout *layout,
		       const struct sample *sample, const struct perfdata_record *record)
{
	if (layout->attr.write_backward)
		note_overwritten(source, sample, record->header.size);
	if (layout->attr.type != PERF_TYPE_TRACEPOINT)
		read_place(source, layout, sample, record);
	push_sampled(source, sample, record->place);
	if (layout->attr.type == PERF_TYPE_SOFTWARE && layout->attr.config == PERF_COUNT_SW_DUMMY)
		read_start(source, sample, record->place);
	if (layout->attr.type == PERF_TYPE_SOFTWARE && source->base.wants_faults)
		read_fault(source, layout, sample, record->place);
}

static __attribute__((noinline)) int read_sample(struct perfdata_source *source,
						 const struct sample_layout *layout,
						 const struct perfdata_record *record)
{
	struct event *event = NULL;
	struct sample sample;

	if (sample_parse(&sample, layout, record->body, record->length) ||
	    note_sample_time(source, &sample))
		return -1;
	read_aside(source, layout, &sample, record);
	if (layout->tells == SAMPLE_TELLS_SOME)
		return skip_payload(source, &sample, record->place);
	if (layout->tells == SAMPLE_TELLS_ALL &&
	    read_payload(source, layout, &sample, record->place, &event))
		return -1;
	if (!event)
		return 0;
	if (sample.chain_length && source->base.chains.wanted)
		event->chain = add_chain(source, &sample, event);
	order_take(source->order, event);
	return 0;
}

/* Reads a sample of a tracepoint without other parts, as nearly all are. */
static inline int read_usual_sample(struct perfdata_source *source,
				    const struct sample_layout *layout,
				    const struct perfdata_record *record)
{
	struct event *event;
	struct sample sample;

	if (sample_parse_usual(&sample, layout, record->body, record->length) ||
	    note_sample_time(source, &sample) ||
	    read_payload(source, layout, &sample, record->place, &event))
		return -1;
	if (event)
		order_take(source->order, event);
	return 0;
}

/* --- Other records ------------------------------------------------------------------------- */

/* Returns true if a COMM or FORK record counts: those of older threads have no time. */
static bool is_taken(const struct perfdata_source *source, const struct reading *reading)
{
	switch (source->timeless) {
	case TIMELESS_ONLY:
		return !reading->sample.time_ns;
	case TIMELESS_NONE:
		return reading->sample.time_ns;
	default:
		return true;
	}
}

/* PERF_RECORD_COMM: u32 pid, tid; char comm[]. */
static int read_comm(struct perfdata_source *source, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;
	bool exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC && reading->sample.time_ns;
	struct event event = event_of(reading, exec ? EVENT_EXEC : EVENT_TASK);

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 4, &event.tid))
		return -1;
	event_set_comm(event.comm, record->body + 8, record->length - 8);
	if (exec)
		keep_routine(source, event.tid, 0);
	if (is_taken(source, reading))
		order_push(source->order, &event);
	return 0;
}

/*
 * Returns true if the time in the record agrees with that in its trailer. The kernel reads them one
 * after the other, but a virtual machine may lose its CPU in between.
 */
static bool times_agree(const struct reading *reading)
{
	enum { APART_NS = 1000000000 };
	uint64_t time_ns, behind_ns = reading->sample.time_ns;

	memcpy(&time_ns, reading->record->body + 16, sizeof(time_ns));
	return !time_ns || !behind_ns || time_ns - behind_ns + APART_NS <= 2 * APART_NS;
}

/*
 * PERF_RECORD_FORK: u32 pid, ppid, tid, ptid; u64 time. The kernel writes it a moment before
 * sched_process_fork, which says when the thread becomes runnable; in recordings that have
 * sched_process_fork it only shows the process. Time 0: the thread existed before.
 */
static int read_fork(struct perfdata_source *source, const struct reading *reading)
{
	struct event event = event_of(reading, EVENT_TASK);
	int32_t pid, parent;

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 4, &event.other_pid) ||
	    read_i32(reading, 8, &event.tid) || read_i32(reading, 12, &event.other) ||
	    !times_agree(reading))
		return -1;
	pid = event.pid;
	parent = event.other_pid;
	if (event.time_ns && source->births)
		event = event_birth(&event);
	keep_routine(source, event.tid, 0);
	samples_fork(&source->base.samples, pid, parent, reading->sample.time_ns);
	if (is_taken(source, reading))
		order_push(source->order, &event);
	return 0;
}

/*
 * PERF_RECORD_EXIT: the same fields. The thread still runs, and may be preempted, up to its last
 * switch. An event of the thread itself misses that switch, and a filter may leave it out. The rest
 * takes some microseconds of CPU time (do_exit() of kernel/exit.c).
 */
static int read_exit(struct perfdata_source *source, const struct reading *reading)
{
	bool goes_on = source->switches && !source->narrow && !source->command.chosen;
	struct event event = event_of(reading, goes_on ? EVENT_LAST : EVENT_END);

	if (read_i32(reading, 0, &event.pid) || read_i32(reading, 8, &event.tid) ||
	    !times_agree(reading))
		return -1;
	/* the sample of this thread */
	push_sampled(source, &reading->sample, reading->record->place);
	if (event.time_ns)
		order_push(source->order, &event);
	return 0;
}

static int read_switch(struct perfdata_source *source, const struct reading *reading)
{
	uint16_t misc = reading->record->header.misc;
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct event event = event_of(reading, out ? EVENT_SWITCH_OUT : EVENT_SWITCH_IN);

	source->unmarked &= !preempted; /* a kernel with a backport of the mark */
	event.state = preempted			? STATE_RUNNABLE
		      : out && source->unmarked ? STATE_UNKNOWN
						: STATE_INACTIVE;
	if (!out && reading->record->header.type == PERF_RECORD_SWITCH_CPU_WIDE &&
	    (read_i32(reading, 0, &event.other_pid) || read_i32(reading, 4, &event.other)))
		return -1;
	if ((event.tid >= 0 || event.other > 0) && event.time_ns)
		order_push(source->order, &event);
	return 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Returns the number of lost records that no earlier record reported. At the end perf sums up the
 * losses of each event, in records without a time: only later losses are new in them.
 */
static uint64_t not_told(struct perfdata_source *source, bool sum, uint64_t lost)
{
	uint64_t before = max_u64(source->lost, source->lost_sum);

	*(sum ? &source->lost_sum : &source->lost) += lost;
	return max_u64(source->lost, source->lost_sum) - before;
}

/* Pushes a gap at the last record of the CPU's buffer. */
static void push_gap(struct perfdata_source *source, struct event event, int32_t cpu)
{
	event.cpu = cpu;
	if (cpu >= 0 && (size_t)cpu < source->cpu_capacity)
		event.time_ns = source->last_ns[cpu];
	order_push(source->order, &event);
}

/* PERF_RECORD_LOST: u64 id, lost. PERF_RECORD_LOST_SAMPLES: u64 lost. */
static int read_lost(struct perfdata_source *source, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;
	size_t offset = record->header.type == PERF_RECORD_LOST ? 8 : 0;
	bool sum = record->header.type == PERF_RECORD_LOST_SAMPLES && !reading->sample.time_ns;
	struct event event = event_of(reading, EVENT_GAP);
	uint64_t lost;

	if (offset + sizeof(lost) > record->length)
		return -1;
	if (is_aside(&reading->sample))
		return 0;
	memcpy(&lost, record->body + offset, sizeof(lost));
	lost = not_told(source, sum, lost);
	source->base.quality.lost += lost;
	if (!sum)
		push_gap(source, event, event.cpu);
	else if (lost && !source->lost_anywhere)
		for (size_t cpu = 0; cpu < source->cpu_capacity; cpu++)
			if (source->last_ns[cpu])
				push_gap(source, event, (int32_t)cpu);
	source->lost_anywhere |= sum && lost;
	return 0;
}

static int read_map(struct perfdata_source *source, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;

	return samples_map(&source->base.samples, record->header.type, record->header.misc,
			   reading->sample.time_ns, record->body, record->length);
}

static int read_count(struct perfdata_source *source, const struct reading *reading)
{
	const struct perfdata_record *record = reading->record;

	return counts_add(&source->base.counts, &reading->layout->attr, &reading->sample,
			  record->body, record->length);
}

/* The records that are used; others are ignored. */
static const struct {
	uint32_t type;
	size_t bytes; /* the least number of bytes before the trailer */
	int (*read)(struct perfdata_source *source, const struct reading *reading);
} readers[] = {
	{PERF_RECORD_COMM, 8, read_comm},
	{PERF_RECORD_FORK, 24, read_fork},
	{PERF_RECORD_EXIT, 24, read_exit},
	{PERF_RECORD_SWITCH, 0, read_switch},
	{PERF_RECORD_SWITCH_CPU_WIDE, 8, read_switch},
	{PERF_RECORD_LOST, 16, read_lost},
	{PERF_RECORD_LOST_SAMPLES, 8, read_lost},
	{PERF_RECORD_READ, 8, read_count},
	{PERF_RECORD_MMAP, 32, read_map},
	{PERF_RECORD_MMAP2, 64, read_map},
};

static __attribute__((noinline)) int read_other(struct perfdata_source *source,
						const struct sample_layout *layout,
						const struct perfdata_record *record)
{
	struct reading reading = {.record = record, .layout = layout};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].type != record->header.type)
			continue;
		if (record->length < readers[i].bytes + layout->trailer.size ||
		    sample_parse_trailer(&reading.sample, layout, record->body, record->length))
			return -1;
		if (readers[i].read(source, &reading))
			return -1;
		if (reading.sample.time_ns)
			note_buffer_time(source, &reading.sample);
	}
	return 0;
}

static inline int read_any(struct perfdata_source *source, const struct perfdata_record *record)
{
	bool is_sample = record->header.type == PERF_RECORD_SAMPLE;
	const struct sample_layout *layout = record_owners_find(
		&source->owners, &source->file, is_sample, record->body, record->length);

	if (is_sample && layout && layout->is_usual)
		return read_usual_sample(source, layout, record);
	if (layout)
		return is_sample ? read_sample(source, layout, record)
				 : read_other(source, layout, record);
	/* No attr describes the event: its records cannot be read. */
	perfdata_source_pass_over(source, QUALITY_UNKNOWN_EVENTS, record->place);
	return 0;
}

void perfdata_events_read(struct perfdata_source *source, const struct perfdata_record *record)
{
	record_owners_update(&source->owners, &source->file);
	if (!source->file.attr_count || read_any(source, record))
		perfdata_source_pass_over(source, QUALITY_MALFORMED, record->place);
}

void perfdata_events_release(struct perfdata_source *source)
{
	sparse_release(&source->routines);
	record_owners_release(&source->owners);
	namespaces_release(&source->namespaces);
	free(source->rings);
	free(source->last_ns);
}
