/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/map.h"
#include "decode/text/scan.h"
#include "decode/text/timehist_line.h"

#include <stdlib.h>
#include <string.h>

/* A thread of which a row has told. */
struct timehist_known {
	int32_t pid; /* -1: not known, or it has ended */
	struct timehist_known *next;
};

struct timehist_cpu {
	struct timehist_thread next; /* got it in the last row; tid -1: not told */
	int32_t waker;		     /* has woken others there since; -1: no thread has */
};

struct timehist {
	struct event_source source;
	struct input *input;
	struct timehist_columns columns;
	uint64_t lines;
	struct sparse by_tid;
	struct timehist_known *threads;
	struct timehist_cpu *cpus;
	size_t cpu_count;
	bool whole; /* a row has told the state of its thread and the next one */
	bool wakes; /* there are some in the text */
	bool runs;  /* there is a thread of which is told how long it ran */
	bool finished;
};

/* What a line gives. */
enum timehist_outcome {
	OUTCOME_NOTHING,
	OUTCOME_EVENT,
	OUTCOME_MALFORMED,
	OUTCOME_INEXACT, /* it lacks what no other row tells */
	OUTCOME_END,	 /* of the rows */
};

static struct timehist *timehist_of(struct event_source *source)
{
	return (struct timehist *)source;
}

/* --- What is known ------------------------------------------------------------------------- */

static struct timehist_cpu *timehist_cpu(struct timehist *timehist, int32_t cpu)
{
	size_t old = timehist->cpu_count;

	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	array_reserve(&timehist->cpus, &timehist->cpu_count, (size_t)cpu + 1);
	for (size_t i = old; i < timehist->cpu_count; i++)
		timehist->cpus[i] = (struct timehist_cpu){.next.tid = -1, .waker = -1};
	return &timehist->cpus[cpu];
}

/* The thread is there; NULL when it cannot be one. */
static struct timehist_known *timehist_meet(struct timehist *timehist,
					    const struct timehist_thread *thread)
{
	struct timehist_known *known;

	if (thread->tid <= 0 || thread->tid >= SPARSE_MAX)
		return NULL;
	known = sparse_get(&timehist->by_tid, (uint32_t)thread->tid);
	if (!known) {
		known = xcalloc(1, sizeof(*known));
		known->pid = -1;
		known->next = timehist->threads;
		timehist->threads = known;
		sparse_set(&timehist->by_tid, (uint32_t)thread->tid, known);
	}
	if (thread->pid >= 0)
		known->pid = thread->pid;
	return known;
}

/* -1: not known */
static int32_t timehist_pid(const struct timehist *timehist, int32_t tid)
{
	const struct timehist_known *known =
		tid > 0 ? sparse_get(&timehist->by_tid, (uint32_t)tid) : NULL;

	return known ? known->pid : -1;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static void set_actor(struct event *event, const struct timehist_thread *thread)
{
	event->tid = thread->tid;
	event->pid = thread->pid;
	memcpy(event->comm, thread->comm, sizeof(event->comm));
}

static void set_other(struct event *event, const struct timehist_thread *other)
{
	event->other = other->tid;
	event->other_pid = other->pid;
	memcpy(event->other_comm, other->comm, sizeof(event->other_comm));
}

static struct event timehist_event(const struct timehist *timehist, enum event_kind kind,
				   const struct timehist_row *row)
{
	struct event event = event_new(kind, row->time_ns);

	event.cpu = row->cpu;
	event.place = timehist->lines;
	return event;
}

/* A thread that perf does not know any more has ended, unless it was preempted on its last way. */
static void identify(const struct timehist *timehist, struct timehist_row *row,
		     const struct timehist_cpu *cpu)
{
	if (cpu->next.tid > 0) {
		row->who.tid = cpu->next.tid;
		memcpy(row->who.comm, cpu->next.comm, sizeof(row->who.comm));
	} else if (cpu->next.tid < 0) {
		row->who.tid = cpu->waker;
	}
	if (timehist_pid(timehist, row->who.tid) >= 0) /* the row may have that of another one */
		row->who.pid = timehist_pid(timehist, row->who.tid);
	if (row->state != STATE_RUNNABLE)
		row->state = STATE_NONE;
}

static void make_switch(const struct timehist *timehist, struct event *event,
			const struct timehist_row *row)
{
	*event = timehist_event(timehist, EVENT_SWITCH, row);
	set_actor(event, &row->who);
	event->state = row->state == STATE_ACTIVE ? STATE_INACTIVE : row->state;
	event->other = 0;
	if (row->other.tid >= 0)
		set_other(event, &row->other);
}

/* Of a thread, or of the idle task, which only tells of the next one. */
static enum timehist_outcome take_ran(struct timehist *timehist, struct event *event,
				      struct timehist_row row)
{
	struct timehist_cpu *cpu = timehist_cpu(timehist, row.cpu);
	enum timehist_outcome outcome = OUTCOME_EVENT;
	struct timehist_known *known;

	if (!cpu)
		return OUTCOME_MALFORMED;
	timehist->whole |= row.state != STATE_ACTIVE && row.other.tid >= 0;
	if (row.who.tid && !timehist->whole)
		return OUTCOME_INEXACT;
	row.other.pid = timehist_pid(timehist, row.other.tid);
	if (row.who.tid < 0)
		identify(timehist, &row, cpu);
	known = timehist_meet(timehist, &row.who);
	if (row.who.tid && !known) {
		outcome = OUTCOME_MALFORMED;
		row.other.tid = -1;
	} else if (!row.who.tid && row.other.tid <= 0) {
		outcome = OUTCOME_NOTHING;
	} else {
		make_switch(timehist, event, &row);
	}
	if (known)
		timehist->runs |= row.run_ns > 0;
	if (known && row.state == STATE_NONE)
		known->pid = -1;
	cpu->next = row.other;
	cpu->waker = -1;
	return outcome;
}

static enum timehist_outcome take_woke(struct timehist *timehist, struct event *event,
				       const struct timehist_row *row)
{
	struct timehist_cpu *cpu = timehist_cpu(timehist, row->cpu);

	if (!cpu || !timehist_meet(timehist, &row->other))
		return OUTCOME_MALFORMED;
	timehist_meet(timehist, &row->who);
	cpu->waker = row->who.tid;
	timehist->wakes = true;
	*event = timehist_event(timehist, EVENT_WAKE, row);
	set_actor(event, &row->who);
	set_other(event, &row->other);
	return OUTCOME_EVENT;
}

static enum timehist_outcome take_line(struct timehist *timehist, struct event *event,
				       const char *line)
{
	struct timehist_row row;

	switch (timehist_line_parse(&timehist->columns, &row, line)) {
	case TIMEHIST_RAN:
		return take_ran(timehist, event, row);
	case TIMEHIST_WOKE:
		return take_woke(timehist, event, &row);
	case TIMEHIST_LOST:
		*event = timehist_event(timehist, EVENT_GAP, &row);
		timehist->source.quality.lost += row.lost;
		return OUTCOME_EVENT;
	case TIMEHIST_MALFORMED:
		return OUTCOME_MALFORMED;
	case TIMEHIST_SUMMARY:
		return OUTCOME_END;
	default:
		return OUTCOME_NOTHING;
	}
}

/* --- The text ------------------------------------------------------------------------------ */

static enum timehist_outcome read_line(struct timehist *timehist, struct event *event)
{
	size_t length;
	const char *line = timehist->finished ? NULL : input_line(timehist->input, &length);

	if (!line)
		return OUTCOME_END;
	timehist->lines++;
	return strlen(line) == length ? take_line(timehist, event, line) : OUTCOME_MALFORMED;
}

#define PRINT "print it with 'perf sched timehist -w -n --state'"

/* The end of the input, or of its rows. */
static int timehist_finish(struct timehist *timehist, struct err *err)
{
	const char *failure = timehist->input->error;

	if (failure)
		return err_set(err, "%s", failure);
	timehist->finished = true;
	timehist->source.quality.no_wakes = !timehist->wakes;
	if (timehist->runs)
		return 0;
	return err_set(
		err,
		"%s: is text of perf sched timehist without the times that threads ran; " PRINT
		", without -s and -I",
		timehist->input->name);
}

static int timehist_next(struct event_source *base, struct event *event, struct err *err)
{
	struct timehist *timehist = timehist_of(base);

	for (;;) {
		switch (read_line(timehist, event)) {
		case OUTCOME_EVENT:
			return 1;
		case OUTCOME_NOTHING:
			break;
		case OUTCOME_MALFORMED:
			base->quality.malformed++;
			if (!base->audited)
				break;
			*event = event_note(QUALITY_MALFORMED, timehist->lines);
			return 1;
		case OUTCOME_INEXACT:
			return err_set(
				err,
				"%s: is text of perf sched timehist without the state of a "
				"thread that leaves its CPU, or without the next one; " PRINT,
				timehist->input->name);
		case OUTCOME_END:
			return timehist_finish(timehist, err);
		}
	}
}

static void timehist_free(struct event_source *base)
{
	struct timehist *timehist = timehist_of(base);

	for (struct timehist_known *thread = timehist->threads, *next; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
	sparse_release(&timehist->by_tid);
	free(timehist->cpus);
	input_close(timehist->input);
	free(timehist);
}

bool timehist_source_is(const char *bytes, size_t length)
{
	struct scan_lines lines = {.at = bytes, .left = length};

	while (scan_lines_next(&lines)) {
		struct timehist_columns columns = {0};
		struct timehist_row row;

		if (timehist_line_parse(&columns, &row, lines.line) < TIMEHIST_OTHER)
			return true;
	}
	return false;
}

struct event_source *timehist_source_new(struct input *input)
{
	struct timehist *timehist = xcalloc(1, sizeof(*timehist));

	timehist->source.next = timehist_next;
	timehist->source.free = timehist_free;
	timehist->input = input;
	return &timehist->source;
}
