/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/sched_private.h"

#include "base/alloc.h"
#include "collect/kernel/perf_events.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* --- Samples ------------------------------------------------------------------------------- */

/* The first fields of every tracepoint: see events/header_event in tracefs. */
struct common_fields {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
};

struct sched_sample {
	struct sample parts;
	struct common_fields common;
};

void sched_layout_init(struct sched_layout *layout, bool stacks)
{
	const struct perf_event_attr tracepoint = {.sample_type = stacks ? SCHED_STACK_TYPE
									 : SCHED_TRACEPOINT_TYPE,
						   .sample_id_all = 1};
	const struct perf_event_attr other = {.sample_type = SCHED_OTHER_TYPE, .sample_id_all = 1};

	sample_layout_init(&layout->tracepoint, &tracepoint);
	sample_layout_init(&layout->other, &other);
}

/* Parses a record. Returns 0, or -1 if fields are missing. */
static int parse_sample(struct sched_sample *sample, const struct perf_event_header *record,
			const struct sched_layout *layout)
{
	if (record_parse(&sample->parts, record, &layout->tracepoint) ||
	    sample->parts.raw_length < sizeof(sample->common))
		return -1;
	memcpy(&sample->common, sample->parts.raw, sizeof(sample->common));
	return 0;
}

static int number_at(int32_t *number, const struct sched_sample *sample, size_t offset)
{
	if (sample->parts.raw_length < offset + sizeof(*number))
		return -1;
	memcpy(number, (const uint8_t *)sample->parts.raw + offset, sizeof(*number));
	return 0;
}

static int pair_of(struct switch_pair *pair, const struct sched_sample *sample,
		   const struct sched_layout *layout)
{
	int32_t next;

	if (number_at(&next, sample, layout->next_pid_offset))
		return -1;
	*pair = (struct switch_pair){sample->common.pid, next};
	return 0;
}

/* Parses a sample of sched_switch. Returns -1 for any other record. */
static int sched_switch_pair(struct switch_pair *pair, const struct perf_event_header *record,
			     const struct sched_layout *layout)
{
	struct sched_sample sample;

	if (record->type != PERF_RECORD_SAMPLE || parse_sample(&sample, record, layout))
		return -1;
	return pair_of(pair, &sample, layout);
}

/* Notes a switch. A thread that leaves a CPU that was last seen idle got it unseen. */
static void note_switch(const struct sched_records *records, struct sched_ring *ring,
			const struct sched_sample *sample)
{
	struct switch_pair pair;

	if (pair_of(&pair, sample, &records->layout))
		return;
	if (pair.from == 0) {
		ring->hides = HIDDEN_NO;
	} else if (ring->switches && ring->shown.to == 0 &&
		   thread_filter_passes(&records->filter, pair.from)) {
		ring->hides = HIDDEN_YES;
		ring->hidden++;
	}
	ring->shown = pair;
	ring->switches++;
}

/* Returns whether a thread of the target does something, or is affected. */
static bool is_of_target(const struct sched_records *records, const struct sched_sample *sample,
			 const struct sched_tracepoint *tracepoint)
{
	int32_t whom;

	if (lineage_has_thread(records->lineage, 0, sample->common.pid, sample->parts.time_ns))
		return true;
	return tracepoint->whom && !number_at(&whom, sample, tracepoint->whom) &&
	       lineage_has_thread(records->lineage, 0, whom, sample->parts.time_ns);
}

/* Returns the name of the thread that leaves its CPU, in the payload; NULL: not known. */
static const char *comm_at(const struct sched_sample *sample, size_t offset)
{
	if (!offset || sample->parts.raw_length < offset + RECORD_COMM_SIZE)
		return NULL;
	return (const char *)sample->parts.raw + offset;
}

/* TASK_REPORT and TASK_REPORT_IDLE of linux/sched.h. A thread in none of these was preempted. */
enum { REPORTED = 0xff };

static void complete_sides(struct sched_records *records, struct recording *recording,
			   const struct sched_sample *sample, const struct record_place *place)
{
	struct record_place of_others = *place;
	struct switch_pair pair;
	int32_t state = REPORTED;

	if (pair_of(&pair, sample, &records->layout))
		return;
	if (records->layout.state_offset)
		number_at(&state, sample, records->layout.state_offset);
	of_others.id = records->other_id;
	record_both_sides(
		recording, &of_others, !(state & REPORTED),
		&(struct thread_body){(uint32_t)lineage_process_of(records->lineage, pair.to),
				      (uint32_t)pair.to},
		records->lineage);
}

static void complete_sample(struct sched_records *records, struct recording *recording,
			    struct sched_ring *ring, uint32_t cpu,
			    const struct perf_event_header *record)
{
	const struct sched_tracepoint *tracepoint;
	struct record_place place;
	struct record_stack stack = {.depth = 0};
	struct sched_sample sample;
	bool ours;
	size_t i = 0;

	if (parse_sample(&sample, record, &records->layout))
		return;
	while (i < records->tracepoint_count && records->tracepoints[i].type != sample.common.type)
		i++;
	if (i == records->tracepoint_count)
		return;
	records->tracepoints[i].received++;
	tracepoint = &records->tracepoints[i];
	ring->last_ns = sample.parts.time_ns;
	ours = (i == 0 && !tracepoint->stack) || is_of_target(records, &sample, tracepoint);
	if (i == 0)
		note_switch(records, ring, &sample);
	else if (!ours)
		return;
	if (tracepoint->stack && ours)
		stack = (struct record_stack){.ips = sample.parts.chain,
					      .depth = sample.parts.chain_length};
	place = (struct record_place){
		.id = tracepoint->id,
		.time_ns = sample.parts.time_ns,
		.pid = lineage_process_of(records->lineage, sample.common.pid),
		.tid = sample.common.pid,
		.cpu = cpu,
		.comm = i ? NULL : comm_at(&sample, records->layout.comm_offset),
	};
	record_sample(recording, &place, tracepoint->stack ? &stack : NULL, sample.parts.raw,
		      sample.parts.raw_length);
	if (tracepoint->stack)
		complete_sides(records, recording, &sample, &place);
}

/* --- Other records ------------------------------------------------------------------------- */

/* Completes a record of losses. Its event may be a tracepoint, whose trailer has only the time. */
static void complete_lost(struct sched_records *records, struct recording *recording,
			  struct sched_ring *ring, uint32_t cpu,
			  const struct perf_event_header *record)
{
	struct sample parts;
	const struct lost_body *body = record_body(&parts, record, &records->layout.tracepoint);
	struct record_place place = {.id = records->tracepoints[0].id, .cpu = cpu};

	if (!body)
		return;
	place.time_ns = parts.time_ns;
	ring->shown = (struct switch_pair){-1, -1};
	ring->lost += body->lost;
	records->lost += body->lost;
	record_lost(recording, &place, body->lost);
}

static void complete_task(struct sched_records *records, struct recording *recording,
			  const struct perf_event_header *record, const struct task_body *body,
			  const struct record_place *place)
{
	if (lineage_has_thread(records->lineage, (pid_t)body->pid, (pid_t)body->tid, body->time_ns))
		record_task(recording, record->type, place, body);
}

/*
 * Completes a PERF_RECORD_SWITCH_CPU_WIDE. It comes after the sched_switch of the same switch and
 * then adds nothing to it. The kernel cannot filter it.
 */
static void complete_switch(struct sched_records *records, struct recording *recording,
			    struct sched_ring *ring, const struct perf_event_header *record,
			    const struct thread_body *body, const struct record_place *place)
{
	bool out = record->misc & PERF_RECORD_MISC_SWITCH_OUT;
	pid_t tid = (pid_t)body->tid;
	bool unseen = !out && tid > 0 && tid == ring->shown.to; /* it left its CPU */

	ring->records++;
	if ((place->tid <= 0 && !unseen) || place->tid == (out ? ring->shown.from : ring->shown.to))
		return; /* idle, or a thread that has no number any more; or a known switch */
	ring->shown = (struct switch_pair){-1, -1};
	if (!thread_filter_passes(&records->filter, place->tid) &&
	    !thread_filter_passes(&records->filter, tid))
		return;
	ring->hidden++;
	if (!out && tid == 0)
		ring->hides = HIDDEN_YES;
	if (unseen && lineage_has_thread(records->lineage, 0, tid, place->time_ns))
		pid_set_add(&records->unseen, tid);
	record_switch(recording, record->misc, place, body);
	if (!out && records->tracepoints[0].stack) /* hotspot does not read the other kind */
		record_switch(recording, record->misc, place, NULL);
}

static void complete_other(struct sched_records *records, struct recording *recording,
			   struct sched_ring *ring, uint32_t cpu,
			   const struct perf_event_header *record)
{
	struct sample parts;
	const void *body = record_body(&parts, record, &records->layout.other);
	struct record_place place = {.id = records->other_id, .cpu = cpu};

	if (!body)
		return;
	place.time_ns = parts.time_ns;
	place.pid = parts.pid;
	place.tid = parts.tid;
	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE)
		complete_switch(records, recording, ring, record, body, &place);
	else if (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)
		complete_task(records, recording, record, body, &place);
	else if (record->type == PERF_RECORD_COMM &&
		 lineage_has_thread(records->lineage, place.pid, place.tid, place.time_ns))
		record_comm(recording, &place, ((const struct comm_body *)body)->comm,
			    record->misc & PERF_RECORD_MISC_COMM_EXEC);
}

/* --- Learning ahead ------------------------------------------------------------------------ */

/* EXIT_DEAD and EXIT_ZOMBIE of linux/sched.h, as sched_switch prints them: X and Z. */
enum { ENDED = 0x10 | 0x20 };

static void learn_end(struct sched_records *records, const struct perf_event_header *record)
{
	struct sched_sample sample;
	int32_t state;

	if (records->layout.state_offset && !parse_sample(&sample, record, &records->layout) &&
	    sample.common.type == records->tracepoints[0].type &&
	    !number_at(&state, &sample, records->layout.state_offset) && state & ENDED)
		lineage_end(records->lineage, sample.common.pid, sample.parts.time_ns);
}

static void learn_exec(struct sched_records *records, const struct perf_event_header *record)
{
	struct sample parts;

	if (record->misc & PERF_RECORD_MISC_COMM_EXEC &&
	    record_body(&parts, record, &records->layout.other))
		lineage_exec(records->lineage, parts.pid, parts.time_ns);
}

static void learn_birth(struct sched_records *records, const struct perf_event_header *record)
{
	struct sample parts;
	const struct task_body *body = record_body(&parts, record, &records->layout.other);

	if (body)
		lineage_birth(records->lineage, &(struct lineage_birth){
							.time_ns = body->time_ns,
							.pid = (pid_t)body->pid,
							.tid = (pid_t)body->tid,
							.parent_pid = (pid_t)body->parent_pid,
							.parent_tid = (pid_t)body->parent_tid,
						});
}

void sched_records_learn(struct sched_records *records, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		learn_end(records, record);
	else if (record->type == PERF_RECORD_COMM)
		learn_exec(records, record);
	else if (record->type == PERF_RECORD_FORK)
		learn_birth(records, record);
	else if (record->type == PERF_RECORD_LOST)
		records->lineage->lossy = true;
}

/* --- All records --------------------------------------------------------------------------- */

static struct sched_ring *ring_of(struct sched_records *records, size_t number)
{
	array_reserve(&records->rings, &records->ring_capacity, number + 1);
	return &records->rings[number];
}

void sched_records_complete(struct sched_records *records, struct recording *recording,
			    size_t number, uint32_t cpu, const struct perf_event_header *record)
{
	struct sched_ring *ring = ring_of(records, number);

	if (record->type == PERF_RECORD_SAMPLE)
		complete_sample(records, recording, ring, cpu, record);
	else if (record->type == PERF_RECORD_LOST)
		complete_lost(records, recording, ring, cpu, record);
	else
		complete_other(records, recording, ring, cpu, record);
}

const struct sched_ring *sched_ring(struct sched_records *records, size_t number)
{
	return ring_of(records, number);
}

void sched_records_release(struct sched_records *records)
{
	free(records->rings);
	pid_set_release(&records->unseen);
}

/* --- Hidden switches ------------------------------------------------------------------------ */

enum {
	SLEEPS = 3,
	SLEEP_NS = 100000,
	TRIES = 3,    /* for a CPU with other threads */
	AT_ONCE = 64, /* threads */
	PAIRS_MAX = 256,
};

enum hidden hidden_switches_judge(const struct switch_pair *pairs, size_t count)
{
	enum hidden result = HIDDEN_PERHAPS;

	for (size_t i = 0; i < count; i++) {
		if (i && pairs[i - 1].to == 0 && pairs[i].from != 0)
			return HIDDEN_YES;
		if (pairs[i].from == 0)
			result = HIDDEN_NO;
	}
	return result;
}

static int pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPU_LIST_MAX);
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX);
	int rc = -1;

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)cpu, size, set);
		rc = sched_setaffinity(0, size, set);
	}
	CPU_FREE(set);
	return rc;
}

struct sleeper {
	int cpu;
	pid_t tid;
};

static void *sleep_there(void *context)
{
	const struct timespec interval = {.tv_nsec = SLEEP_NS};
	struct sleeper *sleeper = context;

	sleeper->tid = gettid();
	if (pin(sleeper->cpu))
		return NULL; /* this user may not run there */
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&interval, NULL);
	return NULL;
}

/*
 * Starts a thread on each of at most AT_ONCE CPUs and waits for all of them. Their last switches
 * may come after the recording has begun, so the lineage learns that they are the recorder's.
 */
static void sleep_on(struct sleeper *sleepers, size_t count, struct lineage *lineage)
{
	struct lineage_birth birth = {.pid = getpid(), .parent_pid = getpid()};
	pthread_t threads[AT_ONCE];
	pthread_attr_t attr;
	size_t started = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN + 16384);
	while (started < count &&
	       pthread_create(&threads[started], &attr, sleep_there, &sleepers[started]) == 0)
		started++;
	while (started) {
		pthread_join(threads[--started], NULL);
		birth.tid = sleepers[started].tid;
		lineage_birth(lineage, &birth);
	}
	pthread_attr_destroy(&attr);
}

/* Judges a CPU by its ring, which is emptied. */
static enum hidden judge_ring(struct ring *ring, const struct sched_layout *layout)
{
	struct switch_pair pairs[PAIRS_MAX];
	const struct perf_event_header *record;
	size_t count = 0;

	if (!ring_read(ring))
		return HIDDEN_PERHAPS;
	while ((record = ring_next(ring)))
		if (count < PAIRS_MAX && sched_switch_pair(&pairs[count], record, layout) == 0)
			count++;
	ring_consume(ring);
	return hidden_switches_judge(pairs, count);
}

/* Tries CPUs [first, end) that are not known once. */
static void try_cpus(enum hidden *found, struct perf_events *events, size_t first, size_t end,
		     const struct sched_layout *layout, struct lineage *lineage)
{
	struct sleeper sleepers[AT_ONCE];
	size_t count = 0;

	for (size_t at = first; at < end; at++) {
		if (found[at - first] != HIDDEN_PERHAPS)
			continue;
		sleepers[count++].cpu = events->cpus[at];
		ioctl(perf_events_fd(events, 0, at), PERF_EVENT_IOC_ENABLE, 0);
	}
	if (!count)
		return;
	sleep_on(sleepers, count, lineage);
	for (size_t at = first; at < end; at++) {
		if (found[at - first] != HIDDEN_PERHAPS)
			continue;
		ioctl(perf_events_fd(events, 0, at), PERF_EVENT_IOC_DISABLE, 0);
		ioctl(perf_events_fd(events, 0, at), PERF_EVENT_IOC_RESET, 0);
		found[at - first] = judge_ring(&events->rings[at], layout);
	}
}

void hidden_switches_find(enum hidden *found, struct perf_events *events, size_t first,
			  const struct sched_records *records)
{
	for (size_t at = first; at < events->cpu_count; at += AT_ONCE) {
		size_t end = at + AT_ONCE < events->cpu_count ? at + AT_ONCE : events->cpu_count;
		enum hidden *part = found + (at - first);

		for (int i = 0; i < TRIES; i++)
			try_cpus(part, events, at, end, &records->layout, records->lineage);
	}
}
