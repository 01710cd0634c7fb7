/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The quality of the data, which travels with them. Readers and the timeline count into it, every
 * report shows the flaws, and `pscal timeline --audit` lists the cases one by one.
 *
 * A new fact is a member of struct quality, a line in the enum and one in the table of quality.c,
 * which says how it is reported.
 */
#ifndef PSCAL_DECODE_EVENT_QUALITY_H
#define PSCAL_DECODE_EVENT_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quality {
	uint64_t events;	     /* scheduling events read */
	uint64_t lost;		     /* records that the kernel dropped for lack of room */
	uint64_t late;		     /* events older than those already used */
	uint64_t malformed;	     /* records or lines that no reader understood */
	uint64_t fragments;	     /* pieces of lines, broken by a newline in a name */
	uint64_t unknown_events;     /* records of events that the input does not describe */
	uint64_t missed_wakes;	     /* wakeups that the kernel counted but did not record */
	uint64_t repaired_wakes;     /* a sleeping thread got a CPU without a recorded wakeup */
	uint64_t missed_switch_ins;  /* a thread left a CPU without a record that it got the CPU */
	uint64_t missed_switch_outs; /* another thread left the CPU of a running thread */
	uint64_t paused_ns;	     /* time not recorded, as the user asked */
	bool no_wakes;	/* wakeups were not recorded; at the end: and some are needed */
	bool wrapped;	/* thread ids wrapped around: threads may be missing */
	bool truncated; /* the input ends before it should */
	uint64_t witnessed_switch_ins; /* sched_stat_runtime showed a missing switch-in */
	uint64_t clock_back;	       /* events left out as they are far too old */
	uint64_t repeated;	       /* switches that are recorded twice */
	/* thread ids used again, with an end or a birth missing in between */
	uint64_t reused_numbers;
	uint64_t dropped_samples;  /* samples of places, dropped for lack of room */
	uint64_t sampled_events;   /* events of tracepoints of which only some are recorded */
	uint64_t nameless_samples; /* samples of threads without a number */
	/* switch-outs that do not say whether the thread was preempted */
	uint64_t unmarked_switch_outs;
	uint64_t second_clock;	  /* samples of a clock other than the first one */
	uint64_t strange_numbers; /* events of unknown threads, with numbers of a namespace */
	bool partial;	  /* switches to some threads were left out; at the end: and are missed */
	bool calls_ended; /* calls were recorded only at the beginning, as they cost too much */
	uint64_t damaged_at; /* not a fact: the bytes before the first damage or gap, or 0 */
};

/* The facts, in the order in which they are reported: new ones go to the end. */
enum quality_fact {
	QUALITY_EVENTS,
	QUALITY_LOST,
	QUALITY_LATE,
	QUALITY_MALFORMED,
	QUALITY_FRAGMENTS,
	QUALITY_UNKNOWN_EVENTS,
	QUALITY_REPAIRED_WAKES,
	QUALITY_MISSED_WAKES,
	QUALITY_MISSED_SWITCH_INS,
	QUALITY_MISSED_SWITCH_OUTS,
	QUALITY_NO_WAKES,
	QUALITY_PAUSED,
	QUALITY_WRAPPED,
	QUALITY_TRUNCATED,
	QUALITY_WITNESSED_SWITCH_INS,
	QUALITY_CLOCK_BACK,
	QUALITY_REPEATED,
	QUALITY_REUSED_NUMBERS,
	QUALITY_DROPPED_SAMPLES,
	QUALITY_SAMPLED_EVENTS,
	QUALITY_NAMELESS_SAMPLES,
	QUALITY_SECOND_CLOCK,
	QUALITY_UNMARKED_SWITCH_OUTS,
	QUALITY_PARTIAL,
	QUALITY_STRANGE_NUMBERS,
	QUALITY_CALLS_ENDED,
	QUALITY_FACTS,
} __attribute__((packed));

struct quality_words {
	const char *key; /* the name in CSV, as "late", with the unit if any */
	/* "event came late", printed after "1"; NULL: `meaning` is the whole sentence */
	const char *one;
	const char *several; /* "events came late", printed after other numbers */
	const char *meaning; /* the end of the sentence; NULL: not a flaw */
	const char *action;  /* the consequence of one case, in a few words; or NULL */
};

const struct quality_words *quality_words(enum quality_fact fact);

/* The kind of a fact. The audit lists only counts one by one. */
enum quality_kind { QUALITY_COUNT, QUALITY_TIME, QUALITY_FLAG };
enum quality_kind quality_kind(enum quality_fact fact);

/* Returns a count, nanoseconds, or 0 and 1. */
uint64_t quality_value(const struct quality *quality, enum quality_fact fact);

/* Returns true if the fact changes a result: its meaning, or more than the printed digits. */
bool quality_matters(const struct quality *quality, enum quality_fact fact);

/* Adds one to a fact that is a count. */
void quality_count(struct quality *quality, enum quality_fact fact);

#endif
