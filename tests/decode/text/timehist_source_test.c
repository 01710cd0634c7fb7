/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/quality.h"
#include "decode/open_text.h"
#include "drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HEAD "           time    cpu  task name    wait time  sch delay   run time\n"
#define AT   "    1151.458239 [0003]  "

static void it_is_told_from_its_first_lines(void **state)
{
	static const struct first_lines cases[] = {
		{HEAD, true},
		{"Samples do not have callchains.\n" HEAD, true},
		{"\nRuntime summary\n", true},
		/* what grep leaves */
		{AT "a[12]   0.000   0.000   0.000\n", true},
		{AT "a[12]                                  awakened: b[7]\n", true},
		/* not a whole line */
		{AT "a[12]   0.000   0.000   0.000", false},
		{"   a  5 [003]  1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"# tracer: nop\n", false},
		{"\n", false},
		{"", false},
	};

	(void)state;
	assert_told_from_first_lines(timehist_source_is, cases, COUNT(cases));
}

static void what_lacks_times_is_refused(void **state)
{
	static const char *const texts[] = {
		HEAD,
		"\nRuntime summary\n" AT "a[12]   0.000   0.000   0.001\n", /* -s */
		HEAD AT "a[12]   0.000   0.000   0.000\n" AT		    /* -I */
			"<idle>  0.000   0.000   5.000\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_text_refused(texts[i], strlen(texts[i]),
				    "without the times that threads ran; print it with");
}

static void events_come_in_the_order_of_time_and_from_rows_alone(void **state)
{
	static const char text[] = HEAD "   1.000005 [0000]  <idle>  0.000   0.000   0.000\n"
					"   1.000009 [0000]  a[12]   0.000   0.000   0.004\n"
					"   1.000011 [0001]  b[7]    0.000   0.000\n"
					"   1.000012 [0001]  b[7]    0.000   0.000   \0.002\n"
					"   1.000013 [0000]  b[7]    0.000   0.001   0.004\n"
					"   1.000014 [0000]  c[8]    0.000   0.001   0.001\n"
					"Runtime summary\n"
					"   1.000015 [0000]  a[12]   0.000   0.001   0.001\n";
	static const struct text_event want[] = {
		{EVENT_SWITCH_IN, 1000005000, 2, QUALITY_EVENTS},
		{EVENT_WAKE, 1000008000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000009000, 3, QUALITY_EVENTS},
		{EVENT_SWITCH_IN, 1000009000, 3, QUALITY_EVENTS},
		{EVENT_WAKE, 1000012000, 7, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000013000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH_IN, 1000013000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000014000, 7, QUALITY_EVENTS},
	};
	struct event_source *source =
		assert_text_events(text, sizeof(text) - 1, want, COUNT(want), false);

	(void)state;
	assert_int_equal(source->quality.malformed, 2);
	event_source_free(source);
}

/* Rows of text, and what threads 100 and 101 do, drawn with one column for each microsecond. */

#define STATES	    "time cpu task name wait time sch delay run time state\n"
#define ROWS_AT(us) "0.0010" #us " "
#define IDLE(us)    ROWS_AT(us) "[0001] <idle> 0.000 0.000 0.000 "
#define WAKES	    "                                     awakened: "

struct drawn {
	const char *text;
	const char *rows[3];
	struct quality quality; /* but for the number of events */
};

static void assert_drawn(const struct drawn *want)
{
	static const int32_t root[] = {DRAWING_TID};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	struct err err = {""};
	struct input *input = input_open(file_with(want->text, strlen(want->text)), &err);
	struct event_source *source = timehist_source_new(input);
	struct timeline *timeline = timeline_new(source, &tree);
	char *got = drawing_of(timeline, want->rows[1] ? 2 : 1);
	char *wanted = drawing_join(want->rows);

	if (strcmp(got, wanted) != 0)
		fail_msg("drawn:\n%swanted:\n%sof:\n%s", got, wanted, want->text);
	source->quality.events = 0;
	if (memcmp(&source->quality, &want->quality, sizeof(want->quality)) != 0)
		fail_msg("missed switch-ins %d, outs %d, repaired wakes %d, malformed %d, lost %d, "
			 "late %d of:\n%s",
			 (int)source->quality.missed_switch_ins,
			 (int)source->quality.missed_switch_outs,
			 (int)source->quality.repaired_wakes, (int)source->quality.malformed,
			 (int)source->quality.lost, (int)source->quality.late, want->text);
	free(got);
	free(wanted);
	timeline_free(timeline);
	event_source_free(source);
}

#define ASSERT_ALL_DRAWN(cases)                                       \
	for (size_t i = 0; i < sizeof(cases) / sizeof(*(cases)); i++) \
	assert_drawn(&(cases)[i])

static void a_row_tells_what_its_thread_has_done(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* -w -n --state */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7]" WAKES "a[100]\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* -n --state: a wake is as long ago as the delay says */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* --state */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003 D\n"
		 ROWS_AT(12) "[0001] b[7] 0.003 0.001 0.003 S\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* without options */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003\n"
		 ROWS_AT(12) "[0001] b[7] 0.003 0.001 0.003\n",
		 {"RRRRiwRRRiii"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void without_state_the_next_row_tells_why_a_thread_left(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* it has waited for a CPU ever since: preempted */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.002 0.003\n",
		 {"RRRRwwRRR"},
		 {0}},
		/* it has slept first */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 ROWS_AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 ROWS_AT(09) "[0001] a[100] 0.003 0.002 0.002\n",
		 {"RRRRiwwRR"},
		 {0}},
		/* preempted, as perf 6.1 prints it, or woken just before */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 ROWS_AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 ROWS_AT(09) "[0001] a[100] 0.003 0.000 0.002\n",
		 {"RRRR???RR"},
		 {0}},
		/* a wake is in the text */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 ROWS_AT(05) "[0001] b[7]" WAKES "a[100]\n"
		 ROWS_AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 ROWS_AT(09) "[0001] a[100] 0.003 0.000 0.002\n",
		 {"RRRRiwwRR"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void with_state_it_is_in_the_row(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 R\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRww"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR.."},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 D\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRDD"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 T\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRTT"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 ?\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR??"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 X\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void a_run_that_perf_may_have_invented_is_unknown(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* nobody gets a CPU from himself */
		{STATES
		 ROWS_AT(02) "[0001] b[7] 0.000 0.000 0.000 S\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(09) "[0001] a[100] 0.000 0.000 0.005 S\n"
		 ROWS_AT(12) "[0001] b[7] 0.003 0.000 0.003 S\n",
		 {"  ???????..."},
		 {.missed_switch_ins = 1}},
		/* ... but it is active since its wake */
		{STATES
		 ROWS_AT(02) "[0001] b[7] 0.000 0.000 0.000 S\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] <idle>" WAKES "a[100]\n"
		 ROWS_AT(09) "[0001] a[100] 0.000 0.000 0.005 S\n"
		 ROWS_AT(12) "[0001] b[7] 0.003 0.000 0.003 S\n",
		 {"  ??..aaa..."},
		 {.missed_switch_ins = 1}},
		/* the CPU has not shown its idle task, and the thread did not wait */
		{STATES
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.000 S\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  ???????"},
		 {.missed_switch_ins = 1}},
		/* ... but if it did it is believed */
		{STATES
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.000 S\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.005 S\n",
		 {"  .wRRRRR"},
		 {0}},
		/* ... and if it was preempted there */
		{STATES
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.000 R\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  wwRRRRR"},
		 {0}},
		/* ... but not elsewhere */
		{STATES
		 ROWS_AT(02) "[0002] a[100] 0.000 0.000 0.000 R\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  aaaaaaa"},
		 {.missed_switch_ins = 1}},
		/* -n: another got the CPU */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 S next: swapper/1[0]\n"
		 ROWS_AT(09) "[0001] a[100] 0.000 0.000 0.007 S next: swapper/1[0]\n",
		 {"RR???????"},
		 {.missed_switch_ins = 1}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 S next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 ROWS_AT(09) "[0001] a[100] 0.003 0.002 0.004 S next: swapper/1[0]\n",
		 {"RR???????"},
		 {.missed_switch_ins = 1}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void there_are_never_two_threads_at_a_time_on_a_cpu(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* the row before ends after its beginning */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.004 S\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.001 0.005 S\n"
		 ROWS_AT(08) "[0001] b[7] 0.002 0.001 0.002 S\n",
		 {"??????.."},
		 {0}},
		/* it was on another one */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(03) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 ROWS_AT(04) "[0002] b[7] 0.000 0.000 0.004 S\n"
		 ROWS_AT(06) "[0002] a[100] 0.000 0.000 0.005 S\n"
		 ROWS_AT(08) "[0001] b[7] 0.001 0.001 0.003 S\n",
		 {"RRR???.."},
		 {.missed_switch_ins = 1}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void a_run_begins_when_the_one_before_ends(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* three microseconds, cut to two */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(03) "[0001] b[7] 0.000 0.000 0.003 S\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.002 S\n",
		 {"???RRR"},
		 {0}},
		/* rows have been left out */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.002 S\n",
		 {"????RR"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void who_has_ended_is_who_got_the_cpu(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		/* -n */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.003 X next: a[100]\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* of whatever process, as perf has one for all that have ended */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 R next: x[101]\n"
		 ROWS_AT(03) "[0001] :-1[-1/77] 0.500 0.400 0.001 X next: a[100]\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* -w */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] x[101/100]" WAKES "b[7]\n"
		 ROWS_AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.003 X\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* ... without -w not since when it waited */
		{STATES IDLE(00) "I next: x[101]\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7] 0.000 0.000 0.003 R next: x[101]\n"
		 ROWS_AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.001 X next: b[7]\n",
		 {"", "RR???R"},
		 {0}},
		/* ... where the next row still tells why one has left */
		{"" IDLE(00) "next: a[100]\n"
		 ROWS_AT(01) "[0001] a[100]" WAKES "x[101/100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 next: x[101]\n"
		 ROWS_AT(04) "[0001] :-1[-1/100] 0.500 0.400 0.002 next: a[100]\n"
		 ROWS_AT(06) "[0001] a[100] 0.002 0.002 0.002 next: swapper/1[0]\n",
		 {"RRwwRR", "iwRR"},
		 {0}},
		/* ... which it gets once more, if it was preempted while it died */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(02) "[0001] :-1[-1/100] 0.500 0.400 0.002 W next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7] 0.000 0.000 0.003 S next: x[101]\n"
		 ROWS_AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.001 Z next: a[100]\n"
		 ROWS_AT(07) "[0001] a[100] 0.000 0.000 0.001 S next: swapper/1[0]\n",
		 {"??????R", "RRwwwR"},
		 {0}},
		/* or not known, and then what its process does neither */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002\n"
		 ROWS_AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.003\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... unless it is seen later */
		{""
		 IDLE(00) "\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002\n"
		 ROWS_AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.003\n"
		 ROWS_AT(08) "[0001] x[101/100] 0.003 0.002 0.002\n",
		 {"", "RRiiwwRR"},
		 {.malformed = 1}},
		/* ... of whatever process that is said to be: perf has one for all */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... but it is not one that has not been woken */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR......"},
		 {.malformed = 1}},
		/* ... as it has here, */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "x[101/100]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR.?????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... or need not be. */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 R\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 ROWS_AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* The first of a process may end so, */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 R\n"
		 ROWS_AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... but after all others. */
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(05) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 ROWS_AT(07) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.001 S\n",
		 {"RR......", "?????RR."},
		 {.malformed = 1}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

/* Else the last row would come before others. */
static void rows_that_tell_all_are_not_kept(void **state)
{
	static const char text[] =
		STATES IDLE(00) "I next: a[100]\n" ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S "
							       "next: b[7]\n" ROWS_AT(
								       05) "[0001] b[7]" WAKES
									   "a[100]\n" ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n" ROWS_AT(
										   09) "[0001] "
										       "a[100] "
										       "0.002 "
										       "0.001 "
										       "0.003 D "
										       "next: "
										       "swapper/"
										       "1[0]"
										       "\n" ROWS_AT(07) "[0002] c[8] 0.000 0.000 0.003 S next: swapper/2[0]\n";
	struct err err = {""};
	struct event_source *source =
		timehist_source_new(input_open(file_with(text, sizeof(text) - 1), &err));
	struct event event;

	(void)state;
	for (uint64_t place = 2; place <= 7; place++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.place, place);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	event_source_free(source);
}

static void lost_events_leave_a_gap(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(03) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 ROWS_AT(05) "lost 12 events on cpu 1\n"
		 ROWS_AT(08) "[0001] b[7] 0.000 0.000 0.003 S\n",
		 {"RRR..???"},
		 {.lost = 12}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void rows_that_make_no_sense_are_malformed(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I\n"
		 ROWS_AT(02) "[99999999] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 ROWS_AT(05) "[0001] a[99999999] 0.000 0.000 0.001 S\n"
		 ROWS_AT(06) "[0001] b[7]" WAKES "a[99999999]\n"
		 ROWS_AT(07) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"  RR..."},
		 {.malformed = 3}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_told_from_its_first_lines),
		cmocka_unit_test(what_lacks_times_is_refused),
		cmocka_unit_test(events_come_in_the_order_of_time_and_from_rows_alone),
		cmocka_unit_test(a_row_tells_what_its_thread_has_done),
		cmocka_unit_test(without_state_the_next_row_tells_why_a_thread_left),
		cmocka_unit_test(with_state_it_is_in_the_row),
		cmocka_unit_test(a_run_that_perf_may_have_invented_is_unknown),
		cmocka_unit_test(there_are_never_two_threads_at_a_time_on_a_cpu),
		cmocka_unit_test(a_run_begins_when_the_one_before_ends),
		cmocka_unit_test(who_has_ended_is_who_got_the_cpu),
		cmocka_unit_test(rows_that_tell_all_are_not_kept),
		cmocka_unit_test(lost_events_leave_a_gap),
		cmocka_unit_test(rows_that_make_no_sense_are_malformed),
	};

	return RUN_TESTS(tests);
}
