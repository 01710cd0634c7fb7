/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/counters/counters_private.h"
#include "collect/kernel/perf_events.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/*
 * The events open on each thread. The first two count nothing. ANCHOR is not inherited: so the
 * events of a thread and its creator differ, and the kernel does not swap them. BIRTHS is always on
 * and shows which threads inherit.
 */
enum { ANCHOR, BIRTHS, COUNTERS };

/*
 * The time from the start of a thread, when it is visible and inherits, to the record of its birth.
 */
enum { BIRTH_NS = 1000000 };

struct counters {
	struct collector base;
	struct counter_choice choice;
	struct perf_event *table;
	size_t first; /* in the table: COUNTERS, or 0 if nothing is inherited */
	struct perf_events open;
	struct sample_layout layout; /* of their records */
	struct counter_ledger *ledger;
	struct perf_count *sums, *settled; /* by event: working memory */
	bool stopped, told;
};

static struct counters *of(struct collector *collector)
{
	return (struct counters *)collector;
}

/* --- Opening ------------------------------------------------------------------------------- */

static struct perf_event_attr attr_of(const struct perf_event_attr *event)
{
	struct perf_event_attr attr = *event;

	attr.size = sizeof(attr);
	attr.sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr.read_format = RECORD_READ_FORMAT;
	attr.sample_id_all = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

static void set_table(struct counters *counters, bool inherit)
{
	const struct perf_event_attr dummy = {.type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_DUMMY,
					      .exclude_kernel = 1,
					      .exclude_hv = 1};

	counters->first = inherit ? COUNTERS : 0;
	counters->table =
		xcalloc(counters->first + counters->choice.count, sizeof(*counters->table));
	for (size_t i = 0; i < counters->first; i++) {
		counters->table[i].name = "dummy";
		counters->table[i].attr = attr_of(&dummy);
		counters->table[i].attr.inherit = counters->table[i].attr.task = i == BIRTHS;
	}
	for (size_t i = 0; i < counters->choice.count; i++) {
		const struct chosen_counter *chosen = &counters->choice.counters[i];
		struct perf_event *event = &counters->table[counters->first + i];

		event->name = chosen->name;
		event->attr = attr_of(&chosen->attr);
		event->attr.inherit = event->attr.inherit_stat = inherit;
		event->in_group = chosen->in_group;
	}
}

/* --- Following the target ------------------------------------------------------------------ */

/* Switches counting. Births are always recorded. */
static int switch_on(struct counters *counters, bool on, struct err *err)
{
	for (size_t i = 0; i < counters->open.event_count; i++)
		if (perf_events_set(&counters->open, i, on || (counters->first && i == BIRTHS),
				    err))
			return -1;
	return 0;
}

static int counters_add(struct counters *counters, pid_t pid, pid_t tid, uint64_t unsure_ns,
			struct err *err)
{
	int rc = perf_events_add(&counters->open, tid, err);

	if (rc <= 0)
		return rc;
	counter_ledger_begin(counters->ledger, pid, tid, monotonic_ns() + unsure_ns);
	return 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	struct counters *counters = of(collector);

	if (counters_add(counters, child, child, 0, err))
		return -1;
	return switch_on(counters, true, err);
}

static int start(struct collector *collector, struct err *err)
{
	return switch_on(of(collector), true, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	return counters_add(of(collector), pid, tid, BIRTH_NS, err);
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	return switch_on(of(collector), on, err);
}

static void stop(struct collector *collector)
{
	struct counters *counters = of(collector);
	struct err ignored;

	for (size_t i = 0; i < counters->open.event_count; i++)
		perf_events_set(&counters->open, i, false, &ignored);
	counters->stopped = true;
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * Corrects the times of a count. An event that is bound to a CPU may be enabled elsewhere a moment
 * longer than it can run: up to 2 % do not mean that it took turns with other events. Software
 * always counts.
 */
static void settle_times(struct perf_count *count, const struct perf_event_attr *attr)
{
	bool software = attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;

	if (software || count->enabled_ns < count->running_ns + count->running_ns / 50)
		count->enabled_ns = count->running_ns;
}

static void write_counts(struct counters *counters, struct recording *recording,
			 const struct record_place *place, const struct perf_count *counts)
{
	for (size_t i = 0; i < counters->choice.count; i++) {
		counters->settled[i] = counts[i];
		settle_times(&counters->settled[i], &counters->choice.counters[i].attr);
	}
	counter_choice_write(&counters->choice, recording, place, counters->settled);
}

static void take_read(struct counters *counters, struct recording *recording,
		      const struct read_body *body, const struct sample *raised)
{
	struct record_place place = {.time_ns = raised->time_ns,
				     .pid = (pid_t)body->pid,
				     .tid = (pid_t)body->tid,
				     .cpu = (uint32_t)raised->cpu};
	const struct perf_count *counts;
	size_t family, index;

	if (!perf_events_find(&counters->open, raised->id, &family, &index) ||
	    index < counters->first)
		return;
	counts = counter_ledger_end(
		counters->ledger, family,
		&(struct counter_read){place.pid,
				       place.tid,
				       index - counters->first,
				       place.time_ns,
				       {body->value, body->enabled_ns, body->running_ns}});
	if (counts)
		write_counts(counters, recording, &place, counts);
}

static void take_fork(struct counters *counters, const struct task_body *body,
		      const struct sample *raised)
{
	size_t family, index;

	if (perf_events_find(&counters->open, raised->id, &family, &index))
		counter_ledger_birth(counters->ledger, family, (pid_t)body->pid, (pid_t)body->tid,
				     raised->time_ns);
}

static void counters_take(struct counters *counters, struct recording *recording,
			  const struct perf_event_header *record)
{
	struct sample raised;
	const void *body = record_body(&raised, record, &counters->layout);

	if (body && record->type == PERF_RECORD_LOST)
		counter_ledger_lost(counters->ledger);
	else if (body && record->type == PERF_RECORD_READ)
		take_read(counters, recording, body, &raised);
	else if (body && record->type == PERF_RECORD_FORK)
		take_fork(counters, body, &raised);
}

/* --- The end ------------------------------------------------------------------------------- */

static void write_rest(struct counters *counters, struct recording *recording, size_t family)
{
	struct record_place place = {.time_ns = monotonic_ns()};
	struct counter_rest rest;

	for (size_t i = 0; i < counters->choice.count; i++)
		counters->sums[i] = perf_events_count(&counters->open, family, counters->first + i);
	if (!counter_ledger_rest(&rest, counters->sums, counters->ledger, family))
		return;
	place.pid = rest.pid;
	place.tid = rest.tid;
	write_counts(counters, recording, &place, counters->sums);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct counters *counters = of(collector);
	struct perf_events *open = &counters->open;
	const struct perf_event_header *record;

	(void)err;
	for (size_t i = 0; open->rings && i < open->cpu_count; i++) {
		if (!ring_read(&open->rings[i]))
			continue;
		while ((record = ring_next(&open->rings[i])))
			counters_take(counters, recording, record);
		ring_consume(&open->rings[i]);
	}
	for (size_t i = 0; counters->stopped && !counters->told && i < open->thread_count; i++)
		write_rest(counters, recording, i);
	counters->told = counters->stopped;
	return 0;
}

static void counters_release(struct collector *collector)
{
	struct counters *counters = of(collector);

	perf_events_release(&counters->open);
	counter_choice_release(&counters->choice);
	counter_ledger_free(counters->ledger);
	free(counters->table);
	free(counters->sums);
	free(counters->settled);
	free(counters);
}

static const struct collector_kind kind = {
	.name = "counters",
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.stop = stop,
	.free = counters_release,
};

static int open_events(struct counters *counters, bool inherit, struct err *err)
{
	struct perf_events *open = &counters->open;
	size_t count = counters->first + counters->choice.count;

	sample_layout_init(&counters->layout, &counters->table[0].attr);
	counters->base.fd = &open->wake_fd;
	if (perf_events_open(open, counters->table, count,
			     inherit ? PERF_ON_THREADS : PERF_ON_THREADS_UNMAPPED, NULL, err))
		return -1;
	counters->ledger = counter_ledger_new(counters->choice.count,
					      open->cpu_count * counters->choice.count);
	return 0;
}

static struct collector *open_inherited(const struct collector_options *options,
					struct counter_choice *choice, struct err *err)
{
	struct counters *counters = xcalloc(1, sizeof(*counters));

	counters->base.kind = &kind;
	counters->choice = *choice;
	*choice = (struct counter_choice){0};
	set_table(counters, !options->lineage->alone);
	counters->sums = xcalloc(counters->choice.count, sizeof(*counters->sums));
	counters->settled = xcalloc(counters->choice.count, sizeof(*counters->settled));
	counters->base.events = counters->choice.events;
	counters->base.event_count = counters->choice.count;
	if (open_events(counters, !options->lineage->alone, err)) {
		counters_release(&counters->base);
		return NULL;
	}
	return &counters->base;
}

static struct collector *open_chosen(const struct collector_options *options,
				     struct counter_choice *choice, struct err *err)
{
	struct collector *collector = NULL;
	struct err ignored;

	if (counter_group_fit(choice->counters, choice->count) == COUNTER_FITS)
		collector = switch_counters_open(options, choice, &ignored);
	if (collector || !options->lineage->wide)
		return collector ? collector : open_inherited(options, choice, err);
	err_set(err, "these events cannot be counted in all threads of the machine; name a target, "
		     "or fewer events");
	return NULL;
}

struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, char **left_out, struct err *err)
{
	struct counter_choice choice;
	struct collector *collector = NULL;

	*left_out = NULL;
	if (!counter_choice_init(&choice, names, optional, options->tracefs, err)) {
		*left_out = choice.left_out;
		choice.left_out = NULL;
		collector = open_chosen(options, &choice, err);
	}
	counter_choice_release(&choice);
	return collector;
}
