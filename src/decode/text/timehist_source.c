/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/quality.h"
#include "decode/text/scan.h"
#include "decode/text/timehist_line.h"
#include "decode/timeline/thread_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- What rows mean ------------------------------------------------------------------------ */

/*
 * What the rows of `perf sched timehist` mean, as events.
 *
 * A row is about the past: who leaves a CPU now has run for so long, waited for it since, and slept
 * before. What that means for the moment when a thread has left is in its next row, which may come
 * any time later. So all events are kept until the last row is known: about 100 bytes for each, up
 * to three times as much as the text. With -w -n --state rows tell it all by themselves, and events
 * are given out as they come.
 *
 * What a row tells:
 *  - With -n, who gets the CPU. Without, the run began when the row says so, unless that may be
 *    perf's invention: it takes a run to begin at the last switch that it saw on the CPU, and where
 *    a kernel hides switches out of the idle task from it, that is any earlier one. A CPU with rows
 *    of the idle task does not hide them; on others a run is believed of a thread that has waited
 *    for the CPU, woken or preempted. Where the beginning is not known, the timeline counts that
 *    (missed_switch_ins).
 *  - With -w, wakes. Without, one so long before the run as the delay says.
 *  - With --state, the state after it. Without, a thread is inactive; but runnable where its next
 *    row says that it has waited for a CPU ever since, and unknown where that row does not tell how
 *    long it has.
 *
 * perf does not know threads that have ended any more, and gives all of them the process of the
 * first one (`:-1[-1/PID]`). It is who got the CPU by -n, or who woke others there by -w; else its
 * row is counted as malformed, and what the threads of that process do after the last that is known
 * of them is unknown. So is without -w how long one has slept before it ran for the last time.
 *
 * Times are cut to microseconds; a run begins when the row before it on the CPU ends.
 */

enum { ROUNDING_NS = 1000 };

/* What an event needs to be true, which only the rest of the text may tell. */
enum claim {
	CLAIM_CERTAIN,
	CLAIM_IF_IDLE_SEEN, /* a CPU that shows its switches out of idle */
	CLAIM_IF_NO_WAKES,  /* a text that has no wakes of its own */
};

struct claimed {
	struct event event;
	enum claim claim;
};

/* What is known of a thread, or of who last had its number. */
struct history {
	int32_t tid, pid;
	bool ran;	   /* there has been a row: */
	uint64_t left_ns;  /* ... it left its CPU */
	size_t leaving;	   /* ... by this event */
	bool woken;	   /* after that, by a wake in the text */
	bool ended;	   /* and has not been seen since */
	uint64_t known_ns; /* up to where there is evidence of it */
	uint64_t alive_ns; /* of the first thread of a process: the same of any of its threads */
	struct history *next;
};

struct cpu_history {
	bool any;	  /* there has been a row: */
	uint64_t left_ns; /* ... when this thread left it */
	int32_t tid;
	uint64_t place;
	size_t leaving;		     /* ... by this event, if `next` is a thread */
	struct timehist_thread next; /* ... to this one; tid -1: not told */
	int32_t waker;		     /* who has woken others there since; -1: nobody */
	bool idle_seen;		     /* the idle task has left it */
};

struct timehist_rows {
	struct quality *quality;
	struct claimed *events;
	size_t count, capacity, given;
	bool due;	   /* events may be given out ... */
	bool whole;	   /* ... as they come: rows tell all by themselves */
	bool wakes;	   /* there are some in the text */
	bool runs;	   /* there is a thread of which is told how long it ran */
	uint64_t death_ns; /* when a thread ended last of which is not known which it is */
	struct sparse by_tid;
	struct history *threads;
	struct cpu_history *cpus;
	size_t cpu_count;
};

static struct cpu_history *cpu_of(struct timehist_rows *rows, int32_t cpu)
{
	size_t old = rows->cpu_count;

	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	array_reserve(&rows->cpus, &rows->cpu_count, (size_t)cpu + 1);
	for (size_t i = old; i < rows->cpu_count; i++)
		rows->cpus[i] = (struct cpu_history){.next.tid = -1, .waker = -1};
	return &rows->cpus[cpu];
}

static struct history *history_of(struct timehist_rows *rows, int32_t tid)
{
	struct history *history = sparse_get(&rows->by_tid, (uint32_t)tid);

	if (history)
		return history;
	history = xcalloc(1, sizeof(*history));
	history->tid = tid;
	history->pid = -1;
	history->next = rows->threads;
	rows->threads = history;
	sparse_set(&rows->by_tid, (uint32_t)tid, history);
	return history;
}

/* The same, of a thread that was there at this time; NULL when it cannot be one. */
static struct history *rows_meet(struct timehist_rows *rows, const struct timehist_thread *who,
				 uint64_t time_ns)
{
	struct history *history;

	if (!thread_table_takes(who->tid))
		return NULL;
	history = history_of(rows, who->tid);
	if (who->pid >= 0)
		history->pid = who->pid;
	history->known_ns = time_ns;
	history->ended = false;
	return history;
}

/* -1: not known */
static int32_t pid_of(const struct timehist_rows *rows, int32_t tid)
{
	const struct history *history = tid > 0 ? sparse_get(&rows->by_tid, (uint32_t)tid) : NULL;

	return history && !history->ended ? history->pid : -1;
}

static struct event *rows_add(struct timehist_rows *rows, enum event_kind kind, uint64_t time_ns,
			      uint64_t place, enum claim claim)
{
	struct claimed *claimed;

	array_reserve(&rows->events, &rows->capacity, rows->count + 1);
	claimed = &rows->events[rows->count++];
	*claimed = (struct claimed){event_new(kind, time_ns), claim};
	claimed->event.place = place;
	return &claimed->event;
}

static void set_actor(struct event *event, const struct timehist_thread *who)
{
	event->tid = who->tid;
	event->pid = who->pid;
	memcpy(event->comm, who->comm, sizeof(event->comm));
}

static void set_other(struct event *event, const struct timehist_thread *other)
{
	event->other = other->tid;
	event->other_pid = other->pid;
	memcpy(event->other_comm, other->comm, sizeof(event->other_comm));
}

/* --- Rows of threads that ran -------------------------------------------------------------- */

/*
 * Who ends, if perf does not know it any more: how long it waited is not of this one. It has ended,
 * unless it was preempted on its last way.
 */
static void rows_identify(struct timehist_rows *rows, struct timehist_row *row,
			  const struct cpu_history *cpu)
{
	const struct history *thread;

	if (cpu->next.tid > 0) {
		row->who.tid = cpu->next.tid;
		memcpy(row->who.comm, cpu->next.comm, sizeof(row->who.comm));
	} else if (cpu->next.tid < 0) {
		row->who.tid = cpu->waker;
	}
	if (pid_of(rows, row->who.tid) >= 0) /* the row may have that of another one */
		row->who.pid = pid_of(rows, row->who.tid);
	row->wait_ns = row->delay_ns = 0;
	if (row->state != STATE_RUNNABLE)
		row->state = STATE_NONE;
	thread = row->who.tid > 0 ? sparse_get(&rows->by_tid, (uint32_t)row->who.tid) : NULL;
	if (rows->whole || !thread || !thread->ran || thread->woken)
		return;
	if (rows->events[thread->leaving].event.state != STATE_RUNNABLE)
		rows->events[thread->leaving].event.state = STATE_UNKNOWN;
}

/*
 * When a run began; false when that is not known. perf takes it to begin with the switch before on
 * its CPU, which is wrong if that one brought another thread, or this one was elsewhere then.
 */
static bool find_begin(uint64_t *begin_ns, const struct timehist_row *row,
		       const struct cpu_history *cpu, const struct history *thread)
{
	if (!row->run_ns && !row->delay_ns && !row->wait_ns)
		return false; /* the first row of its CPU */
	if (row->run_ns > row->time_ns)
		return false;
	*begin_ns = row->time_ns - row->run_ns;
	if (thread->ran && *begin_ns + ROUNDING_NS < thread->left_ns)
		return false;
	if (!cpu->any)
		return true;
	if (*begin_ns > cpu->left_ns + ROUNDING_NS)
		return true; /* the rows between have been left out */
	if (*begin_ns < cpu->left_ns || cpu->tid == row->who.tid)
		return false;
	*begin_ns = cpu->left_ns;
	return cpu->next.tid < 0 || cpu->next.tid == row->who.tid;
}

/* What the thread has done since its last row, without --state and -w. */
static void explain_leaving(struct event *leaving, const struct timehist_row *row)
{
	if (row->delay_ns >= row->wait_ns)
		leaving->state = STATE_RUNNABLE;
	else if (!row->delay_ns)
		leaving->state = STATE_UNKNOWN;
}

/* The wake that this run began with, where the text has no others. */
static void add_wake(struct timehist_rows *rows, const struct timehist_row *row,
		     const struct history *thread, uint64_t begin_ns, uint64_t place)
{
	uint64_t time_ns = begin_ns - row->delay_ns;

	if (!row->delay_ns || row->delay_ns > begin_ns)
		return;
	if (thread->ran && rows->events[thread->leaving].event.state == STATE_RUNNABLE)
		return;
	if (thread->ran && time_ns < thread->left_ns)
		time_ns = thread->left_ns;
	set_other(rows_add(rows, EVENT_WAKE, time_ns, place, CLAIM_IF_NO_WAKES), &row->who);
}

/* It has waited for the very CPU that it got, so that one did not become idle. */
static bool was_preempted(const struct timehist_rows *rows, const struct timehist_row *row,
			  const struct history *thread)
{
	const struct event *leaving;

	if (!thread->ran)
		return false;
	leaving = &rows->events[thread->leaving].event;
	return leaving->state == STATE_RUNNABLE && leaving->cpu == row->cpu;
}

/* The thread gets the CPU, unless the row before has said that. */
static void add_run(struct timehist_rows *rows, const struct timehist_row *row,
		    const struct cpu_history *cpu, const struct history *thread, uint64_t begin_ns,
		    uint64_t place)
{
	bool follows = cpu->any && begin_ns == cpu->left_ns;
	bool waited = row->delay_ns || was_preempted(rows, row, thread);
	enum claim claim = waited ? CLAIM_CERTAIN : CLAIM_IF_IDLE_SEEN;
	struct event *run;

	if (follows && cpu->next.tid > 0)
		rows->events[cpu->leaving].event.other_pid = row->who.pid; /* not told there */
	if (follows && cpu->next.tid >= 0)
		return;
	run = rows_add(rows, EVENT_SWITCH_IN, begin_ns, follows ? cpu->place : place, claim);
	set_actor(run, &row->who);
	run->cpu = row->cpu;
}

static void add_leaving(struct timehist_rows *rows, const struct timehist_row *row, uint64_t place)
{
	struct event *leaving = rows_add(rows, EVENT_SWITCH, row->time_ns, place, CLAIM_CERTAIN);

	set_actor(leaving, &row->who);
	leaving->cpu = row->cpu;
	leaving->state = row->state == STATE_ACTIVE ? STATE_INACTIVE : row->state;
	if (row->other.tid >= 0)
		set_other(leaving, &row->other);
	else
		leaving->other = 0; /* or who is said to get the CPU at the same time */
}

/* Returns false when it cannot be said whose row it is. */
static bool rows_take_thread(struct timehist_rows *rows, const struct timehist_row *row,
			     const struct cpu_history *cpu, uint64_t place)
{
	struct history *thread = rows_meet(rows, &row->who, row->time_ns);
	uint64_t begin_ns;

	if (!thread) {
		rows->quality->malformed++;
		if (row->who.tid < 0)
			rows->death_ns = row->time_ns;
		return false;
	}
	rows->runs |= row->run_ns > 0;
	if (!rows->whole && find_begin(&begin_ns, row, cpu, thread)) {
		if (thread->ran && !thread->woken && row->state == STATE_ACTIVE)
			explain_leaving(&rows->events[thread->leaving].event, row);
		add_wake(rows, row, thread, begin_ns, place);
		add_run(rows, row, cpu, thread, begin_ns, place);
	}
	thread->leaving = rows->count;
	add_leaving(rows, row, place);
	thread->ended = row->state == STATE_NONE;
	thread->ran = !thread->ended;
	thread->left_ns = row->time_ns;
	thread->woken = false;
	return true;
}

/* --- All rows so far ----------------------------------------------------------------------- */

/* Of events that no line tells: they come after all others of their time. */
#define NO_LINE UINT64_MAX

/* Notes of each process up to where there is evidence of it. */
static void rows_note_processes(struct timehist_rows *rows)
{
	for (const struct history *thread = rows->threads; thread; thread = thread->next) {
		struct history *process =
			thread->pid > 0 ? sparse_get(&rows->by_tid, (uint32_t)thread->pid) : NULL;

		if (process && process->alive_ns < thread->known_ns)
			process->alive_ns = thread->known_ns;
	}
}

/*
 * Is this thread perhaps the one that ended last, or one of those before, of which is not known
 * which they are? It is not if there is evidence of it after that, or if it fell asleep and wakes
 * are told but none of it. The first thread of a process stays until all others have ended. Which
 * process perf gives such a row does not matter: it has the one of the first for all of them.
 */
static bool may_have_ended(const struct timehist_rows *rows, const struct history *thread)
{
	enum thread_state left;

	if (thread->ended || rows->death_ns < thread->known_ns || rows->death_ns < thread->alive_ns)
		return false;
	if (!rows->wakes || !thread->ran || thread->woken)
		return true;
	left = rows->events[thread->leaving].event.state;
	return left == STATE_RUNNABLE || left == STATE_INACTIVE || left == STATE_UNKNOWN;
}

static void rows_lose_track(struct timehist_rows *rows)
{
	rows_note_processes(rows);
	for (const struct history *thread = rows->threads; thread; thread = thread->next) {
		struct event *event;

		if (!may_have_ended(rows, thread))
			continue;
		event = rows_add(rows, EVENT_SWITCH, thread->known_ns, NO_LINE, CLAIM_CERTAIN);
		event->tid = thread->tid;
		event->other = 0;
		event->state = STATE_UNKNOWN;
	}
}

static bool claim_holds(const struct timehist_rows *rows, const struct claimed *claimed)
{
	switch (claimed->claim) {
	case CLAIM_IF_IDLE_SEEN:
		return rows->cpus[claimed->event.cpu].idle_seen;
	case CLAIM_IF_NO_WAKES:
		return !rows->wakes;
	case CLAIM_CERTAIN:
		break;
	}
	return true;
}

/* Who gets a CPU comes after who leaves it, in the same line of the text. */
static int compare_claimed(const void *one, const void *other)
{
	const struct event *a = &((const struct claimed *)one)->event;
	const struct event *b = &((const struct claimed *)other)->event;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a->kind == EVENT_SWITCH_IN) - (b->kind == EVENT_SWITCH_IN);
}

/* From now on events may be given out, in the order of time. */
static void rows_release_all(struct timehist_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (claim_holds(rows, &rows->events[i]))
			rows->events[kept++] = rows->events[i];
	rows->count = kept;
	if (kept)
		qsort(rows->events, kept, sizeof(*rows->events), compare_claimed);
	for (size_t i = 0; i < kept; i++)
		if (rows->events[i].event.place == NO_LINE)
			rows->events[i].event.place = 0;
	rows->due = true;
}

/* --- Each row ------------------------------------------------------------------------------ */

/* One more row, in line `place` of the text. TIMEHIST_RAN, _WOKE and _LOST. */
static void timehist_rows_ran(struct timehist_rows *rows, const struct timehist_row *row,
			      uint64_t place)
{
	struct cpu_history *cpu = cpu_of(rows, row->cpu);
	struct timehist_row meant = *row;

	if (!cpu) {
		rows->quality->malformed++;
		return;
	}
	meant.other.pid = pid_of(rows, meant.other.tid);
	if (meant.who.tid < 0)
		rows_identify(rows, &meant, cpu);
	if (meant.who.tid && !rows_take_thread(rows, &meant, cpu, place))
		meant.other.tid = -1;
	else if (!meant.who.tid && meant.other.tid > 0)
		add_leaving(rows, &meant, place);
	cpu->idle_seen |= !meant.who.tid;
	cpu->any = true;
	cpu->left_ns = meant.time_ns;
	cpu->tid = meant.who.tid;
	cpu->place = place;
	cpu->leaving = rows->count - 1;
	cpu->next = meant.other;
	cpu->waker = -1;
	if (!rows->whole && rows->wakes && meant.other.tid >= 0 && row->state != STATE_ACTIVE) {
		rows_release_all(rows);
		rows->whole = true;
	}
}

static void timehist_rows_woke(struct timehist_rows *rows, const struct timehist_row *row,
			       uint64_t place)
{
	struct cpu_history *cpu = cpu_of(rows, row->cpu);
	struct history *woken = rows_meet(rows, &row->other, row->time_ns);
	struct event *wake;

	if (!cpu || !woken) {
		rows->quality->malformed++;
		return;
	}
	woken->woken = true;
	rows_meet(rows, &row->who, row->time_ns);
	cpu->waker = row->who.tid;
	rows->wakes = true;
	wake = rows_add(rows, EVENT_WAKE, row->time_ns, place, CLAIM_CERTAIN);
	wake->cpu = row->cpu;
	set_actor(wake, &row->who);
	set_other(wake, &row->other);
}

static void timehist_rows_lost(struct timehist_rows *rows, const struct timehist_row *row,
			       uint64_t place)
{
	rows_add(rows, EVENT_GAP, row->time_ns, place, CLAIM_CERTAIN)->cpu = row->cpu;
	rows->quality->lost += row->lost;
}

/* There are no more. Returns false when they tell of no thread for how long it ran. */
static bool timehist_rows_finish(struct timehist_rows *rows)
{
	if (!rows->whole) {
		rows_lose_track(rows);
		rows_release_all(rows);
	}
	return rows->runs;
}

/* The next event in the order of time, if it is known that there is none before it. */
static bool timehist_rows_pop(struct timehist_rows *rows, struct event *event)
{
	if (!rows->due || rows->given == rows->count)
		return false;
	*event = rows->events[rows->given++].event;
	if (rows->given == rows->count)
		rows->given = rows->count = 0;
	return true;
}

/* `quality` is borrowed. */
static struct timehist_rows *timehist_rows_new(struct quality *quality)
{
	struct timehist_rows *rows = xcalloc(1, sizeof(*rows));

	rows->quality = quality;
	return rows;
}

static void timehist_rows_free(struct timehist_rows *rows)
{
	if (!rows)
		return;
	for (struct history *thread = rows->threads, *next; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
	sparse_release(&rows->by_tid);
	free(rows->cpus);
	free(rows->events);
	free(rows);
}

/* --- The text ------------------------------------------------------------------------------ */

struct timehist {
	struct event_source source;
	struct input *input;
	struct timehist_columns columns;
	struct timehist_rows *rows;
	uint64_t lines;
	uint64_t untold; /* what the last line has added to the malformed ones, for an audit */
	bool finished;
};

static struct timehist *timehist_of(struct event_source *source)
{
	return (struct timehist *)source;
}

/* Returns false where the rows end. */
static bool timehist_take(struct timehist *timehist, const char *line)
{
	struct timehist_row row;

	switch (timehist_line_parse(&timehist->columns, &row, line)) {
	case TIMEHIST_RAN:
		timehist_rows_ran(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_WOKE:
		timehist_rows_woke(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_LOST:
		timehist_rows_lost(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_MALFORMED:
		timehist->source.quality.malformed++;
		break;
	case TIMEHIST_SUMMARY:
		return false;
	case TIMEHIST_HEAD:
	case TIMEHIST_OTHER:
		break;
	}
	return true;
}

/* The end of the input, or of its rows. */
static int timehist_finish(struct timehist *timehist, struct err *err)
{
	const char *failure = input_error(timehist->input);

	if (failure)
		return err_set(err, "%s", failure);
	timehist->finished = true;
	if (timehist_rows_finish(timehist->rows))
		return 0;
	return err_set(err,
		       "%s: is text of perf sched timehist without the times that threads ran; "
		       "print it with 'perf sched timehist -w -n --state', without -s and -I",
		       input_name(timehist->input));
}

/* Returns false at the end. */
static bool timehist_read(struct timehist *timehist)
{
	size_t length;
	const char *line = input_line(timehist->input, &length);

	if (!line)
		return false;
	timehist->lines++;
	if (strlen(line) == length)
		return timehist_take(timehist, line);
	timehist->source.quality.malformed++;
	return true;
}

/* The same; what is passed over is noted. */
static bool timehist_read_noting(struct timehist *timehist)
{
	uint64_t malformed = timehist->source.quality.malformed;
	bool more = timehist_read(timehist);

	if (timehist->source.audited)
		timehist->untold += timehist->source.quality.malformed - malformed;
	return more;
}

static bool timehist_tell(struct timehist *timehist, struct event *event)
{
	if (!timehist->untold)
		return false;
	timehist->untold--;
	*event = event_note(QUALITY_MALFORMED, timehist->lines);
	return true;
}

static int timehist_next(struct event_source *base, struct event *event, struct err *err)
{
	struct timehist *timehist = timehist_of(base);

	while (!timehist_tell(timehist, event) && !timehist_rows_pop(timehist->rows, event)) {
		if (timehist->finished)
			return 0;
		if (!timehist_read_noting(timehist) && timehist_finish(timehist, err))
			return -1;
	}
	return 1;
}

static void timehist_release(struct event_source *base)
{
	struct timehist *timehist = timehist_of(base);

	timehist_rows_free(timehist->rows);
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
	timehist->source.free = timehist_release;
	timehist->input = input;
	timehist->rows = timehist_rows_new(&timehist->source.quality);
	return &timehist->source;
}
