/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_line.h"

#include "decode/text/scan.h"

#include <stdlib.h>

/* `DIGITS.DIGITS`, with this many behind the dot; returns what follows. */
static const char *read_decimal(uint64_t *whole, uint64_t *fraction, const char *at, size_t digits)
{
	enum { WHOLE_MAX = 10 };
	size_t length = strspn(at, "0123456789");

	if (!length || length > WHOLE_MAX || at[length] != '.' ||
	    strspn(at + length + 1, "0123456789") != digits)
		return NULL;
	*whole = strtoull(at, NULL, 10);
	*fraction = strtoull(at + length + 1, NULL, 10);
	return at + length + 1 + digits;
}

/* Milliseconds with three digits, and a blank or the end. */
static const char *read_span(uint64_t *span_ns, const char *at)
{
	uint64_t ms, us;

	at = read_decimal(&ms, &us, scan_blanks(at), 3);
	if (!at || (*at && !scan_is_blank(*at)))
		return NULL;
	*span_ns = ms * 1000000 + us * 1000;
	return at;
}

/* --- Threads ------------------------------------------------------------------------------- */

/* How many bytes perf has for a thread, and for `next: ` with one: then the last bracket is cut. */
enum { THREAD_MAX = 31, NEXT_MAX = 29 };

/* `[TID]` or `[TID/PID]` up to `end`. */
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
 * NAME[TID/PID], cut after `max` bytes. The idle task, and who perf knows no process of, have no
 * brackets. A name may have some: the last ones count.
 */
static bool read_thread(struct timehist_thread *thread, const char *begin, const char *end,
			size_t max)
{
	const char *bracket;
	bool cut;

	end = bracket = scan_back_blanks(end, begin);
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

/* `next: NAME[TID]` */
static void read_next(struct timehist_thread *next, const char *at)
{
	const size_t max = NEXT_MAX - strlen("next: ");
	const char *begin = scan_word(scan_blanks(at), "next: ");

	if (!begin || !read_thread(next, begin, begin + strnlen(begin, max), max))
		*next = (struct timehist_thread){.tid = -1};
	next->pid = -1; /* only the thread is told */
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* The first place where three spans stand: a name has no room for so much. */
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
 * A thread that is preempted within the kernel is R+ since Linux 4.14. perf 6.1 prints that bit as
 * what it was before: W, waking, which no thread is that leaves a CPU.
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
	if (!read_thread(&row->who, name, end, THREAD_MAX))
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

/* What follows the name of a row that has no spans, or NULL. */
static const char *find_word(const char *name, const char *word, const char **end)
{
	/* There is room for three spans, which a name does not have. */
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
	if (!read_thread(&row->who, name, end, THREAD_MAX) ||
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

/* `time cpu 0123 task name prio wait time sch delay run time pre-mig time state` */
static bool is_head(struct timehist_columns *columns, const char *line)
{
	enum { VISUAL_AT = 24 }; /* where the name stands without -V */
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

enum timehist_kind timehist_line_parse(struct timehist_columns *columns, struct timehist_row *row,
				       const char *line)
{
	const char *at = scan_blanks(line);
	struct timehist_row found = {.cpu = -1};
	enum timehist_kind kind;
	uint64_t seconds, us;

	if (is_head(columns, line))
		return TIMEHIST_HEAD;
	if (scan_word(at, "Runtime summary") || scan_word(at, "Idle stats:"))
		return TIMEHIST_SUMMARY;
	at = read_decimal(&seconds, &us, at, 6);
	if (!at || *at != ' ')
		return TIMEHIST_OTHER;
	found.time_ns = seconds * 1000000000 + us * 1000;
	at = scan_blanks(at);
	if (*at == '[')
		kind = read_row(columns, &found, at);
	else if (scan_word(at, "lost "))
		kind = read_lost(&found, at + strlen("lost "));
	else
		return TIMEHIST_OTHER;
	if (kind < TIMEHIST_HEAD)
		*row = found;
	return kind;
}
