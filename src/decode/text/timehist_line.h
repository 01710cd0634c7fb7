/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of `perf sched timehist`:
 *
 *	TIME [CPU] [VISUAL] NAME[TID[/PID]] [PRIO] WAIT DELAY RUN [STATE] [next: NAME[TID]] [CALLS]
 *	TIME [CPU] [VISUAL] NAME[TID[/PID]]      awakened: NAME[TID[/PID]]
 *	TIME lost N events on cpu CPU
 *
 * Names may be anything; columns are found by the head line and by what no name is long enough to
 * imitate.
 */
#ifndef PSCAL_DECODE_TEXT_TIMEHIST_LINE_H
#define PSCAL_DECODE_TEXT_TIMEHIST_LINE_H

#include "decode/event/event.h"

/* Which columns there are, as the head line says. Zero: what perf prints without options. */
struct timehist_columns {
	size_t visual; /* width of -V */
	bool prio, migration, state;
};

enum timehist_kind {
	TIMEHIST_RAN,	    /* `who` leaves the CPU, after it has run for `run_ns` */
	TIMEHIST_WOKE,	    /* `who` wakes `other` */
	TIMEHIST_LOST,	    /* of `cpu`, `lost` events */
	TIMEHIST_HEAD,	    /* the head line: the columns have been set */
	TIMEHIST_SUMMARY,   /* from here on there are no rows any more */
	TIMEHIST_OTHER,	    /* nothing of these */
	TIMEHIST_MALFORMED, /* should be a row and cannot be read */
};

struct timehist_thread {
	int32_t tid, pid;     /* tid 0: idle; -1: not known */
	char comm[COMM_SIZE]; /* empty: not known */
};

struct timehist_row {
	uint64_t time_ns;
	int32_t cpu;
	struct timehist_thread who;
	struct timehist_thread other; /* is woken, or comes next; tid -1: not known */
	uint64_t run_ns;	      /* 0: not known */
	enum thread_state state;      /* after it ran; STATE_ACTIVE: not told */
	uint64_t lost;
};

/* `line` ends in a NUL. Fills in `row` when it is TIMEHIST_RAN, _WOKE or _LOST. */
enum timehist_kind timehist_line_parse(struct timehist_columns *columns, struct timehist_row *row,
				       const char *line);

#endif
