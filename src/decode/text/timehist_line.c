/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of `perf sched timehist -w -n --state`. A row shows that a thread leaves its CPU, its
 * state then, and the thread that gets the CPU; or that a thread wakes another. Each row is given
 * out as it comes.
 *
 * Without -n the beginnings of runs are missing, without --state the reasons of their ends: such a
 * text is refused. Without -w there are no wakes, as in a recording that has none (no_wakes).
 *
 * perf forgets threads that have ended, and gives all of them the process of the first one
 * (`:-1[-1/PID]`). Such a row is of the thread that got the CPU in the row before, or that has
 * woken others there since; else it counts as malformed.
 */
#include "base/alloc.h"
#include "base/map.h"
#include "decode/event/event.h"
#include "decode/text/line_layout.h"
#include "decode/text/scan.h"

#include <stdlib.h>
#include <string.h>

/* --- A line -------------------------------------------------------------------------------- */

/*
 * One line of `perf sched timehist`:
 *
 *	TIME [CPU] [VISUAL] NAME[TID[/PID]] [PRIO] WAIT DELAY RUN [STATE] [next: NAME[TID]] [CALLS]
 *	TIME [CPU] [VISUAL] NAME[TID[/PID]]      awakened: NAME[TID[/PID]]
 *	TIME lost N events on cpu CPU
 *
 * Names may have any contents: the head line, and text longer than a name, show where columns are.
 */

/* The columns in the head line. All zero: those without options. */
struct timehist_columns {
	size_t visual; /* width of -V */
	bool prio, migration, state;
};

enum timehist_kind {
	TIMEHIST_RAN,	    /* `actor` leaves the CPU, after a run of `run_ns` */
	TIMEHIST_WOKE,	    /* `actor` wakes `other` */
	TIMEHIST_LOST,	    /* `lost` events of `cpu` are missing */
	TIMEHIST_HEAD,	    /* the head line: the columns are known */
	TIMEHIST_SUMMARY,   /* there are no rows from here on */
	TIMEHIST_OTHER,	    /* any other line */
	TIMEHIST_MALFORMED, /* a row that cannot be read */
};

struct timehist_thread {
	int32_t tid, pid;     /* tid 0: idle; -1: not known */
	char comm[COMM_SIZE]; /* empty: not known */
};

struct timehist_row {
	uint64_t time_ns;
	int32_t cpu;
	struct timehist_thread actor;
	struct timehist_thread other; /* the woken thread, or the next one; tid -1: not known */
	uint64_t run_ns;	      /* 0: not known */
	enum thread_state state;      /* the state after the run; STATE_ACTIVE: not known */
	uint64_t lost;
};

/* Reads milliseconds with three digits, and a blank or the end. */
static const char *read_span(uint64_t *span_ns, const char *at)
{
	uint64_t billionths;
	size_t digits;

	at = scan_decimal(scan_blanks(at), &billionths, &digits);
	if (!at || digits != 3 || (*at && !scan_is_blank(*at)))
		return NULL;
	*span_ns = billionths / 1000;
	return at;
}

/* --- Threads ------------------------------------------------------------------------------- */

/* The bytes that perf has for a thread, and for `next: ` with one; longer text is cut. */
enum { THREAD_MAX = 31, NEXT_MAX = 29 };

/* Reads `[TID]` or `[TID/PID]` up to `end`. */
static bool read_ids(struct timehist_thread *thread, const char *at, const char *end, bool cut)
{
	at = scan_number(at + 1, &thread->tid);
	if (!at)
		return false;
	thread->pid = thread->tid;
	if (*at == '/')
		at = scan_number(at + 1, &thread->pid);
	return at && (cut ? at == end : *at == ']' && at + 1 == end);
}

/*
 * Reads NAME[TID/PID], cut after `max` bytes. The idle task, and threads whose process perf does
 * not know, have no brackets. A name may have some: the last ones count.
 */
static bool read_thread(struct timehist_thread *thread, const char *begin, const char *end,
			size_t max)
{
	const char *bracket;
	bool cut;

	end = bracket = scan_back_blanks(end, begin);
	if ((size_t)(end - begin) > max)
		return false;
	cut = (size_t)(end - begin) == max && end[-1] != ']';
	*thread = (struct timehist_thread){.tid = -1, .pid = -1};
	while (bracket > begin && bracket[-1] != '[')
		bracket--;
	if (bracket > begin && read_ids(thread, bracket - 1, end, cut)) {
		if (*begin != ':' || strtol(begin + 1, NULL, 10) != thread->tid)
			event_set_comm(thread->comm, begin, (size_t)(bracket - 1 - begin));
		return true;
	}
	*thread = (struct timehist_thread){.tid = -1, .pid = -1};
	if (*begin == ':')
		return scan_number(begin + 1, &thread->tid) == end;
	thread->tid = 0;
	return (end - begin == 6 && scan_word(begin, "<idle>")) ||
	       (end - begin >= 7 && scan_word(begin, "swapper"));
}

/* Reads `next: NAME[TID]`. */
static void read_next(struct timehist_thread *next, const char *at)
{
	const size_t max = NEXT_MAX - strlen("next: ");
	const char *begin = scan_word(scan_blanks(at), "next: ");

	if (!begin || !read_thread(next, begin, begin + strnlen(begin, max), max))
		*next = (struct timehist_thread){.tid = -1};
	next->pid = -1; /* the process is not shown */
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Finds the first place with three spans, which are longer than a name. */
static const char *find_spans(struct timehist_row *row, const char *at, const char **rest)
{
	uint64_t wait_ns, delay_ns;

	for (; *at; at++) {
		const char *end;

		if (!scan_is_blank(*at) || !isdigit((unsigned char)at[1]))
			continue;
		end = read_span(&wait_ns, at);
		end = end ? read_span(&delay_ns, end) : NULL;
		*rest = end ? read_span(&row->run_ns, end) : NULL;
		if (*rest)
			return at;
	}
	return NULL;
}

/*
 * Reads a state. A thread preempted in the kernel is R+ since Linux 4.14. perf 6.1 prints that bit
 * with its older meaning: W, waking, which is no state of a thread that leaves a CPU.
 */
static enum thread_state read_state(const char *letter)
{
	return *letter == 'W' ? STATE_RUNNABLE : thread_state_of_letters(letter);
}

static enum timehist_kind read_ran(const struct timehist_columns *columns, struct timehist_row *row,
				   const char *name)
{
	const char *rest, *end = find_spans(row, name, &rest);
	uint64_t migration_ns;

	if (!end)
		return TIMEHIST_MALFORMED;
	if (columns->prio) {
		end = scan_back_blanks(end, name);
		while (end > name && !scan_is_blank(end[-1]))
			end--;
	}
	if (!read_thread(&row->actor, name, end, THREAD_MAX))
		return TIMEHIST_MALFORMED;
	row->state = STATE_ACTIVE;
	if (columns->migration)
		rest = read_span(&migration_ns, rest);
	if (rest && columns->state) {
		rest = scan_blanks(rest);
		if (*rest && (!rest[1] || scan_is_blank(rest[1])))
			row->state = read_state(rest++);
	}
	row->other = (struct timehist_thread){.tid = -1, .pid = -1};
	if (rest)
		read_next(&row->other, rest);
	return TIMEHIST_RAN;
}

/* Returns the text behind `word` in a row without spans, or NULL. */
static const char *find_word(const char *name, const char *word, const char **end)
{
	/* The blanks in place of three spans, longer than a name. */
	static const char room[] = "                          ";
	const char *at = strstr(name, room);

	if (!at)
		return NULL;
	*end = at;
	return scan_word(scan_blanks(at), word);
}

static enum timehist_kind read_row(const struct timehist_columns *columns, struct timehist_row *row,
				   const char *at)
{
	const char *end, *name, *woken;

	at = scan_number(at + 1, &row->cpu);
	if (!at || row->cpu < 0 || at[0] != ']' || at[1] != ' ')
		return TIMEHIST_MALFORMED;
	name = at + 2;
	if (strnlen(name, columns->visual + 1) <= columns->visual)
		return TIMEHIST_MALFORMED;
	if (find_word(name + columns->visual, "migrated: ", &end))
		return TIMEHIST_OTHER;
	name = scan_blanks(name + columns->visual);
	woken = find_word(name, "awakened: ", &end);
	if (!woken)
		return read_ran(columns, row, name);
	if (!read_thread(&row->actor, name, end, THREAD_MAX) ||
	    !read_thread(&row->other, woken, woken + strlen(woken), THREAD_MAX))
		return TIMEHIST_MALFORMED;
	return TIMEHIST_WOKE;
}

static enum timehist_kind read_lost(struct timehist_row *row, const char *at)
{
	char *end;

	row->lost = strtoull(at, &end, 10);
	at = end > at ? scan_word(end, " events on cpu ") : NULL;
	return at && scan_number(at, &row->cpu) ? TIMEHIST_LOST : TIMEHIST_MALFORMED;
}

/* Reads `time cpu 0123 task name prio wait time sch delay run time pre-mig time state`. */
static bool is_head(struct timehist_columns *columns, const char *line)
{
	enum { VISUAL_AT = 24 }; /* the place of the name without -V */
	const char *at = scan_word(scan_blanks(line), "time ");
	const char *name = at ? strstr(at, "task name") : NULL;

	if (!name || !scan_word(scan_blanks(at), "cpu ") || !strstr(name, "sch delay"))
		return false;
	*columns = (struct timehist_columns){
		.visual = name - line > VISUAL_AT ? (size_t)(name - line) - VISUAL_AT : 0,
		.prio = strstr(name, " prio ") != NULL,
		.migration = strstr(name, "pre-mig time") != NULL,
		.state = strstr(name, " state") != NULL,
	};
	return true;
}

/* Returns true if the line ends as a row does: its time or its CPU is damaged. */
static bool is_rest_of_row(const char *line)
{
	return strstr(line, " awakened: ") || strstr(line, " next: ");
}

/* Parses a line; sets `row` for TIMEHIST_RAN, _WOKE and _LOST. */
static enum timehist_kind timehist_line_parse(struct timehist_columns *columns,
					      struct timehist_row *row, const char *line)
{
	const char *at = scan_blanks(line);
	struct timehist_row found = {.cpu = -1};
	enum timehist_kind kind;
	size_t digits;

	if (is_head(columns, line))
		return TIMEHIST_HEAD;
	if (scan_word(at, "Runtime summary") || scan_word(at, "Idle stats:"))
		return TIMEHIST_SUMMARY;
	at = scan_decimal(at, &found.time_ns, &digits);
	if (!at || digits != 6 || *at != ' ')
		return is_rest_of_row(line) ? TIMEHIST_MALFORMED : TIMEHIST_OTHER;
	at = scan_blanks(at);
	if (*at == '[')
		kind = read_row(columns, &found, at);
	else if (scan_word(at, "lost "))
		kind = read_lost(&found, at + strlen("lost "));
	else
		return is_rest_of_row(line) ? TIMEHIST_MALFORMED : TIMEHIST_OTHER;
	if (kind < TIMEHIST_HEAD)
		*row = found;
	return kind;
}

/* --- Threads and CPUs ---------------------------------------------------------------------- */

/* A thread that a row has shown. */
struct timehist_known {
	int32_t pid; /* -1: not known, or ended */
	struct timehist_known *next;
};

struct timehist_cpu {
	struct timehist_thread next; /* got the CPU in the last row; tid -1: not known */
	int32_t waker;		     /* has woken others there since; -1: none */
};

/* The state of the reading of one text. */
struct timehist {
	struct timehist_columns columns;
	struct sparse by_tid;
	struct timehist_known *threads;
	struct timehist_cpu *cpus;
	size_t cpu_count;
	bool whole;   /* a row has shown the state of its thread and the next one */
	bool inexact; /* no row has so far */
	bool runs;    /* there is a thread with a known run */
};

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

/* Returns the thread, new if need be, or NULL for impossible numbers. */
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

/* Returns the process of the thread, or -1 if it is not known. */
static int32_t timehist_pid(const struct timehist *timehist, int32_t tid)
{
	const struct timehist_known *known =
		tid > 0 ? sparse_get(&timehist->by_tid, (uint32_t)tid) : NULL;

	return known ? known->pid : -1;
}

/* --- Events -------------------------------------------------------------------------------- */

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

static struct event row_event(enum event_kind kind, const struct timehist_row *row)
{
	struct event event = event_new(kind, row->time_ns);

	event.cpu = row->cpu;
	return event;
}

/* Identifies a thread that perf has forgotten: it has ended, unless it was preempted at its end. */
static void identify(const struct timehist *timehist, struct timehist_row *row,
		     const struct timehist_cpu *cpu)
{
	if (cpu->next.tid > 0) {
		row->actor.tid = cpu->next.tid;
		memcpy(row->actor.comm, cpu->next.comm, sizeof(row->actor.comm));
	} else if (cpu->next.tid < 0) {
		row->actor.tid = cpu->waker;
	}
	/* the row may have that of another thread */
	if (timehist_pid(timehist, row->actor.tid) >= 0)
		row->actor.pid = timehist_pid(timehist, row->actor.tid);
	if (row->state != STATE_RUNNABLE)
		row->state = STATE_NONE;
}

static void make_switch(struct event *event, const struct timehist_row *row)
{
	*event = row_event(EVENT_SWITCH, row);
	set_actor(event, &row->actor);
	event->state = row->state == STATE_ACTIVE ? STATE_INACTIVE : row->state;
	event->other = 0;
	if (row->other.tid >= 0)
		set_other(event, &row->other);
}

/* Handles the run of a thread, or of the idle task, which only shows the next thread. */
static enum line_kind take_ran(struct timehist *timehist, struct event *event,
			       struct timehist_row row)
{
	struct timehist_cpu *cpu = timehist_cpu(timehist, row.cpu);
	enum line_kind kind = LINE_EVENT;
	struct timehist_known *known;

	if (!cpu)
		return LINE_MALFORMED;
	timehist->whole |= row.state != STATE_ACTIVE && row.other.tid >= 0;
	timehist->inexact = row.actor.tid && !timehist->whole;
	if (timehist->inexact)
		return LINE_END;
	row.other.pid = timehist_pid(timehist, row.other.tid);
	if (row.actor.tid < 0)
		identify(timehist, &row, cpu);
	known = timehist_meet(timehist, &row.actor);
	if (row.actor.tid && !known) {
		kind = LINE_MALFORMED;
		row.other.tid = -1;
	} else if (!row.actor.tid && row.other.tid <= 0) {
		kind = LINE_OTHER;
	} else {
		make_switch(event, &row);
	}
	if (known)
		timehist->runs |= row.run_ns > 0;
	if (known && row.state == STATE_NONE)
		known->pid = -1;
	cpu->next = row.other;
	cpu->waker = -1;
	return kind;
}

static enum line_kind take_woke(struct timehist *timehist, struct event *event,
				const struct timehist_row *row)
{
	struct timehist_cpu *cpu = timehist_cpu(timehist, row->cpu);

	if (!cpu || !timehist_meet(timehist, &row->other))
		return LINE_MALFORMED;
	timehist_meet(timehist, &row->actor);
	cpu->waker = row->actor.tid;
	*event = row_event(EVENT_WAKE, row);
	set_actor(event, &row->actor);
	set_other(event, &row->other);
	return LINE_EVENT;
}

static enum line_kind timehist_parse(struct line_reading *reading, struct event *event,
				     const char *line, size_t length)
{
	struct timehist *timehist = reading->state;
	struct timehist_row row;

	(void)length;
	switch (timehist_line_parse(&timehist->columns, &row, line)) {
	case TIMEHIST_RAN:
		return take_ran(timehist, event, row);
	case TIMEHIST_WOKE:
		return take_woke(timehist, event, &row);
	case TIMEHIST_LOST:
		*event = row_event(EVENT_GAP, &row);
		reading->quality->lost += row.lost;
		return LINE_EVENT;
	case TIMEHIST_MALFORMED:
		return LINE_MALFORMED;
	case TIMEHIST_SUMMARY:
		return LINE_END;
	default:
		return LINE_OTHER;
	}
}

/* --- The text ------------------------------------------------------------------------------ */

static bool timehist_told(const struct line_reading *reading)
{
	const struct timehist *timehist = reading->state;

	return timehist->runs && !timehist->inexact;
}

#define PRINT "print it with 'perf sched timehist -w -n --state'"

static const char *timehist_complaint(const struct line_reading *reading)
{
	const struct timehist *timehist = reading->state;

	if (timehist->inexact)
		return "is text of perf sched timehist without the state of a thread that leaves "
		       "its "
		       "CPU, or without the next one; " PRINT;
	return "is text of perf sched timehist without the times that threads ran; " PRINT
	       ", without -s and -I";
}

static void timehist_release(struct line_reading *reading)
{
	struct timehist *timehist = reading->state;

	for (struct timehist_known *thread = timehist->threads, *next; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
	sparse_release(&timehist->by_tid);
	free(timehist->cpus);
}

static bool timehist_is(const char *bytes, size_t length)
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

const struct line_layout timehist_line_layout = {
	.in_order = true,
	.state_bytes = sizeof(struct timehist),
	.has_wakes = true,
	.is = timehist_is,
	.parse = timehist_parse,
	.told = timehist_told,
	.complaint = timehist_complaint,
	.release = timehist_release,
};
