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
#define FLAG(member, ...)  FACT(QUALITY_FLAG, member, #member, __VA_ARGS__)

static const struct {
	enum quality_kind kind;
	size_t offset;
	struct quality_words words;
} facts[QUALITY_FACTS] = {
	[QUALITY_EVENTS] = COUNT(events, "events", NULL, NULL),
	[QUALITY_LOST] = COUNT(lost, "records lost",
			       "The recorder could not keep up; what the threads that they may "
			       "concern did then is unknown.",
			       "the threads that it may concern are unknown from here"),
	[QUALITY_LATE] = COUNT(late, "late events",
			       "They are older than what came before them, and are taken as having "
			       "happened when they were read.",
			       "taken as happening now"),
	[QUALITY_MALFORMED] = COUNT(malformed, "not understood",
				    "So many records or lines were passed over.", "passed over"),
	[QUALITY_FRAGMENTS] =
		COUNT(fragments, "fragments",
		      "So many pieces of lines that a newline in the name of a thread has broken; "
		      "they were joined where that gave an event again.",
		      "joined, if that gave an event again"),
	[QUALITY_UNKNOWN_EVENTS] = COUNT(unknown_events, "unknown events",
					 "So many records belong to events that the file does not "
					 "describe, and were passed over.",
					 "passed over"),
	[QUALITY_REPAIRED_WAKES] = COUNT(repaired_wakes, "repaired wakes",
					 "So often a sleeping thread got a CPU with no wake on "
					 "record; it is taken to have slept up to then.",
					 "taken to have slept up to here"),
	[QUALITY_MISSED_WAKES] =
		COUNT(missed_wakes, "missed wakes",
		      "The kernel counted them but did not record them: a thread that slept may "
		      "have been runnable for a moment before it ran.",
		      NULL),
	[QUALITY_MISSED_SWITCH_INS] =
		COUNT(missed_switch_ins, "missed switch-ins",
		      "So often a thread left a CPU with no record of its getting it, as with "
		      "kernels that hide switches out of the idle task: it was active if its wake "
		      "is on record, else what it did is unknown.",
		      "not known when it got the CPU"),
	[QUALITY_MISSED_SWITCH_OUTS] = COUNT(missed_switch_outs, "missed switch-outs",
					     "So often a running thread's CPU was given away with "
					     "no record of its leaving; what it did is unknown.",
					     "unknown since it got the CPU"),
	[QUALITY_NO_WAKES] =
		FLAG(no_wakes, NULL,
		     "no wakes are on record. A thread that was woken counts as blocked until it "
		     "got a CPU, so the number of active threads is a lower bound.",
		     NULL),
	[QUALITY_PAUSED] =
		FACT(QUALITY_TIME, paused_ns, "paused_s", "not recorded at the user's request",
		     "What the threads did then is unknown.", "all threads are unknown from here"),
	[QUALITY_WRAPPED] = FLAG(wrapped, NULL,
				 "thread numbers began anew while it was recorded. Threads born "
				 "after that may be missing.",
				 NULL),
	[QUALITY_TRUNCATED] = FLAG(truncated, NULL, "the input ends before it should.", NULL),
	[QUALITY_WITNESSED_SWITCH_INS] =
		COUNT(witnessed_switch_ins, "witnessed switch-ins",
		      "So often a thread ran with no record of its getting the CPU, and "
		      "sched_stat_runtime told since when; before that it was runnable if its wake "
		      "is on record, and else asleep if the CPU was idle, or unknown.",
		      "running since the time that sched_stat_runtime gives"),
	[QUALITY_CLOCK_BACK] =
		COUNT(clock_back, "events from before",
		      "They are more than a tenth of a second older than what came before them, "
		      "and were passed over; where many follow one another the clock was set back, "
		      "and from there on all threads are unknown until they are met again.",
		      "passed over"),
	[QUALITY_REPEATED] = COUNT(repeated, "repeated switches",
				   "They are on record twice, or lead from a thread to itself, and "
				   "count once or not at all.",
				   "passed over"),
	[QUALITY_REUSED_NUMBERS] = COUNT(reused_numbers, "numbers used again",
					 "So often a thread had the number of one whose end is not "
					 "on record: what that one did last is unknown.",
					 "the old thread ends here, unknown since its last change"),
	[QUALITY_DROPPED_SAMPLES] = COUNT(dropped_samples, "samples passed over",
					  "There are more of running threads than are kept: the "
					  "shares that threads spin are those of the beginning.",
					  NULL),
	[QUALITY_SAMPLED_EVENTS] = COUNT(sampled_events, "sampled events",
					 "They are tracepoints recorded with -F, or with -c above "
					 "1, so that others are missing; they were passed over.",
					 "passed over"),
	[QUALITY_NAMELESS_SAMPLES] =
		COUNT(nameless_samples, "samples of no thread",
		      "Their threads had ended, or are outside of the PID namespace of the "
		      "recorder; they were passed over.",
		      NULL),
	[QUALITY_SECOND_CLOCK] =
		COUNT(second_clock, "samples of a second clock",
		      "Samples of the first clock in the recording count, and no others.", NULL),
	[QUALITY_UNMARKED_SWITCH_OUTS] = COUNT(
		unmarked_switch_outs, "unmarked switch-outs",
		"Switch records of kernels before 4.17 do not tell whether a thread was preempted: "
		"from then on it is unknown what it did, up to its next switch-in or wake.",
		"unknown from here"),
	[QUALITY_PARTIAL] = FLAG(partial, NULL,
				 "perf record was run without -a, or with --filter, -C, -G or "
				 "--exclude-perf, which leaves switches out: it is often not known "
				 "when a thread got its CPU. "
				 "Record with -a, or with 'pscal record'.",
				 NULL),
	[QUALITY_STRANGE_NUMBERS] =
		COUNT(strange_numbers, "events of unknown threads",
		      "The recording was made in a PID namespace; these are births, names and "
		      "ends of threads of which no switch tells the number outside of it, and were "
		      "passed over.",
		      "passed over"),
};

const struct quality_words *quality_words(enum quality_fact fact)
{
	return &facts[fact].words;
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
