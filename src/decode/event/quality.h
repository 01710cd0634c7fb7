/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The quality of the data. It travels with them: readers and the timeline count into it, every
 * report shows it when it is not clean, and `pscal timeline --audit` lists the cases one by one.
 *
 * A new fact is a member of struct quality, a line in the enum and one in the table of quality.c:
 * what is reported of it, and how, follows from there.
 */
#ifndef PSCAL_DECODE_EVENT_QUALITY_H
#define PSCAL_DECODE_EVENT_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quality {
	uint64_t events;	     /* scheduling events read */
	uint64_t lost;		     /* records that the kernel says it had no room for */
	uint64_t late;		     /* events older than what had been used already */
	uint64_t malformed;	     /* records or lines that could not be understood */
	uint64_t fragments;	     /* pieces of lines that a newline in a name has broken */
	uint64_t unknown_events;     /* records of events that the input does not describe */
	uint64_t missed_wakes;	     /* wakes that the kernel counted but did not record */
	uint64_t repaired_wakes;     /* a sleeping thread got a CPU with no wake on record */
	uint64_t missed_switch_ins;  /* a thread left a CPU with no record of its getting it */
	uint64_t missed_switch_outs; /* another thread left the CPU of a running one */
	uint64_t paused_ns;	     /* not recorded, as the user asked */
	bool no_wakes;		     /* wakes were not recorded; at the end: and some are needed */
	bool wrapped;		     /* thread ids wrapped around: threads may be missing */
	bool truncated;		     /* the input ends before it should */
	uint64_t witnessed_switch_ins; /* sched_stat_runtime showed a missing switch-in */
	uint64_t clock_back;	       /* events passed over that are far older */
	uint64_t repeated;	       /* switches that are on record twice */
	uint64_t reused_numbers;       /* by threads, with an end or a birth missing in between */
	uint64_t dropped_samples;      /* of where threads were: there was no room for them */
	uint64_t sampled_events;       /* of tracepoints of which not all are on record */
	uint64_t nameless_samples;     /* of threads without a number */
	uint64_t unmarked_switch_outs; /* of a thread that was preempted, or not */
	uint64_t second_clock;	       /* samples of another clock than the first one */
	uint64_t strange_numbers;      /* events with numbers of a namespace, of no known thread */
	bool partial;	  /* switches to some threads were left out; at the end: and are missed */
	bool calls_ended; /* calls were recorded at the beginning only, as they took too much */
	uint64_t damaged_at; /* no fact: bytes before what is damaged first, or missing; or 0 */
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
	const char *key;     /* "late", with the unit if it has one */
	const char *one;     /* "event came late", behind "1"; NULL: the meaning says it all */
	const char *several; /* "events came late", behind another number */
	const char *meaning; /* ... and the end of the sentence; NULL: not a flaw */
	const char *action;  /* the consequence of one case, in few words */
};

const struct quality_words *quality_words(enum quality_fact fact);

/* The kind of fact. Only counts are told one by one. */
enum quality_kind { QUALITY_COUNT, QUALITY_TIME, QUALITY_FLAG };
enum quality_kind quality_kind(enum quality_fact fact);

/* A count, nanoseconds, or 0 and 1. */
uint64_t quality_value(const struct quality *quality, enum quality_fact fact);

/*
 * Does it change the meaning of a result: all of it, or a number by more than the digits that are
 * printed of it?
 */
bool quality_matters(const struct quality *quality, enum quality_fact fact);

/* One more; of a count. */
void quality_count(struct quality *quality, enum quality_fact fact);

#endif
