/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/quality.h"

#include <assert.h>

#define FACT(kind, member, ...)                         \
	{                                               \
		kind, offsetof(struct quality, member), \
		{                                       \
			__VA_ARGS__                     \
		}                                       \
	}
#define COUNT(member, ...) FACT(QUALITY_COUNT, member, #member, __VA_ARGS__)
#define FLAG(member, ...)  FACT(QUALITY_FLAG, member, #member, NULL, NULL, __VA_ARGS__)

static const struct {
	enum quality_kind kind;
	size_t offset;
	struct quality_words words;
} facts[QUALITY_FACTS] = {
	[QUALITY_EVENTS] = COUNT(events, "event", "events", NULL, NULL),
	[QUALITY_LOST] =
		COUNT(lost, "record was lost", "records were lost",
		      ": the recorder could not keep up. Thread states are unknown meanwhile.",
		      "threads it may concern are unknown from here"),
	[QUALITY_LATE] = COUNT(late, "event came late", "events came late",
			       ". Each counts from the time at which it was read.",
			       "taken as happening now"),
	[QUALITY_MALFORMED] =
		COUNT(malformed, "record or line was not understood",
		      "records or lines were not understood", " and left out.", "passed over"),
	[QUALITY_FRAGMENTS] = COUNT(
		fragments, "piece of a line was broken off by a newline in the name of a thread",
		"pieces of lines were broken off by newlines in names of threads",
		". They were joined if that made an event.", "joined if that made an event"),
	[QUALITY_UNKNOWN_EVENTS] =
		COUNT(unknown_events, "record was left out", "records were left out",
		      ": the file does not describe their events.", "passed over"),
	[QUALITY_REPAIRED_WAKES] = COUNT(repaired_wakes, "wakeup is missing", "wakeups are missing",
					 "; the thread counts as blocked until it got a CPU.",
					 "taken to have slept up to here"),
	[QUALITY_MISSED_WAKES] =
		COUNT(missed_wakes, "wakeup was not recorded, though the kernel counted it",
		      "wakeups were not recorded, though the kernel counted them",
		      ". A blocked thread may have been ready a moment earlier.", NULL),
	[QUALITY_MISSED_SWITCH_INS] = COUNT(missed_switch_ins, "switch-in event is missing",
					    "switch-in events are missing",
					    " (some hypervisors hide them). The state before each "
					    "is unknown, or known only as ready.",
					    "unknown when it got the CPU"),
	[QUALITY_MISSED_SWITCH_OUTS] = COUNT(
		missed_switch_outs, "switch-out event is missing", "switch-out events are missing",
		". The state of the thread is unknown since it got the CPU.",
		"unknown since it got the CPU"),
	[QUALITY_NO_WAKES] = FLAG(no_wakes,
				  "Wakeups were not recorded: a thread counts as blocked until it "
				  "gets a CPU. Numbers of ready threads are lower bounds.",
				  NULL),
	[QUALITY_PAUSED] =
		FACT(QUALITY_TIME, paused_ns, "paused_s", NULL,
		     "of the run were not recorded, as requested",
		     ". Thread states are unknown meanwhile.", "all threads are unknown from here"),
	[QUALITY_WRAPPED] = FLAG(wrapped,
				 "Thread ids wrapped around during the recording: threads that "
				 "were created later may be missing.",
				 NULL),
	[QUALITY_TRUNCATED] = FLAG(truncated, "The input is cut off at its end.", NULL),
	[QUALITY_WITNESSED_SWITCH_INS] =
		COUNT(witnessed_switch_ins, "switch-in event is missing, and sched_stat_runtime",
		      "switch-in events are missing, and sched_stat_runtime",
		      " tells when the thread got the CPU.",
		      "running since the time that sched_stat_runtime gives"),
	[QUALITY_CLOCK_BACK] =
		COUNT(clock_back, "event was left out", "events were left out",
		      ": more than 0.1 s older than the event before. Many in a row mean that the "
		      "clock was set back: threads are then unknown until their next event.",
		      "passed over"),
	[QUALITY_REPEATED] =
		COUNT(repeated, "switch was recorded twice", "switches were recorded twice",
		      ", or from a thread to itself. It counts once or not at all.", "passed over"),
	[QUALITY_REUSED_NUMBERS] =
		COUNT(reused_numbers, "thread has the id of an earlier one",
		      "threads have the id of an earlier one",
		      ": its end or the next start is missing. The state in between is unknown.",
		      "another thread from here on"),
	[QUALITY_DROPPED_SAMPLES] =
		COUNT(dropped_samples, "sample was left out", "samples were left out",
		      ": there are too many to keep. Busy-waiting is that of the beginning.", NULL),
	[QUALITY_SAMPLED_EVENTS] = COUNT(
		sampled_events, "event was left out", "events were left out",
		": they are samples only (perf record -F, or -c above 1), and others are missing.",
		"passed over"),
	[QUALITY_NAMELESS_SAMPLES] = COUNT(
		nameless_samples, "sample was left out", "samples were left out",
		": their thread is unknown, as it had ended or is in another PID namespace.", NULL),
	[QUALITY_SECOND_CLOCK] = COUNT(second_clock, "sample was left out", "samples were left out",
				       ": a second clock took them, and one is enough.", NULL),
	[QUALITY_UNMARKED_SWITCH_OUTS] =
		COUNT(unmarked_switch_outs, "switch-out event does", "switch-out events do",
		      " not tell whether the thread was preempted (kernels before 4.17, some "
		      "hypervisors). It counts as blocked if a wakeup is next, else it is unknown.",
		      "blocked up to the next wakeup, else unknown from here"),
	[QUALITY_PARTIAL] =
		FLAG(partial,
		     "perf record was run without -a, or with --filter, -C, -G or --exclude-perf, "
		     "which leaves switches out: the time at which a thread got its CPU is often "
		     "unknown. Record with -a, or with 'pscal record'.",
		     NULL),
	[QUALITY_STRANGE_NUMBERS] =
		COUNT(strange_numbers, "event was left out", "events were left out",
		      ": they are starts, names and ends of threads in a PID namespace, and no "
		      "switch shows their ids outside it.",
		      "passed over"),
	[QUALITY_CALLS_ENDED] = FLAG(
		calls_ended,
		"Futex calls were recorded only at the beginning, as that took too much CPU time: "
		"later locks and waits are not recognised. --sync=futex records all of them.",
		NULL),
};

const struct quality_words *quality_words(enum quality_fact fact)
{
	return &facts[fact].words;
}

/* The effect of a count or a flag on the numbers that are computed from the events. */
enum effect {
	EFFECT_PART, /* as many numbers are wrong as the flaw's share of the events */
	EFFECT_ALL,  /* all numbers may be wrong, however rare the flaw is */
	/* no number is wrong: the flaw was repaired, wanted or harmless, or its time is unknown */
	EFFECT_NONE,
};

static const enum effect effects[QUALITY_FACTS] = {
	[QUALITY_EVENTS] = EFFECT_NONE,
	[QUALITY_LOST] = EFFECT_ALL,
	[QUALITY_FRAGMENTS] = EFFECT_NONE,
	[QUALITY_MISSED_SWITCH_INS] = EFFECT_NONE,
	[QUALITY_MISSED_SWITCH_OUTS] = EFFECT_NONE,
	[QUALITY_NO_WAKES] = EFFECT_ALL,
	[QUALITY_PAUSED] = EFFECT_NONE,
	[QUALITY_WRAPPED] = EFFECT_ALL,
	[QUALITY_TRUNCATED] = EFFECT_ALL,
	[QUALITY_WITNESSED_SWITCH_INS] = EFFECT_NONE,
	[QUALITY_REPEATED] = EFFECT_NONE,
	[QUALITY_REUSED_NUMBERS] = EFFECT_NONE,
	[QUALITY_SECOND_CLOCK] = EFFECT_NONE,
	[QUALITY_PARTIAL] = EFFECT_ALL,
	[QUALITY_CALLS_ENDED] = EFFECT_ALL,
};

/* The share of flaws that changes a number with three printed digits: one in a hundred. */
enum { EVENTS_PER_FLAW = 100 };

bool quality_matters(const struct quality *quality, enum quality_fact fact)
{
	uint64_t value = quality_value(quality, fact);

	switch (effects[fact]) {
	case EFFECT_ALL:
		return value > 0;
	case EFFECT_PART:
		return value > quality->events / EVENTS_PER_FLAW;
	default:
		return false;
	}
}

enum quality_kind quality_kind(enum quality_fact fact)
{
	return facts[fact].kind;
}

uint64_t quality_value(const struct quality *quality, enum quality_fact fact)
{
	const char *value = (const char *)quality + facts[fact].offset;

	if (facts[fact].kind == QUALITY_FLAG)
		return *(const bool *)value;
	return *(const uint64_t *)(const void *)value;
}

void quality_count(struct quality *quality, enum quality_fact fact)
{
	assert(facts[fact].kind == QUALITY_COUNT);
	++*(uint64_t *)(void *)((char *)quality + facts[fact].offset);
}
