/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/quality.h"
#include "decode/open_text.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PLAIN "           time    cpu  task name    wait time  sch delay   run time\n"
#define HEAD  "           time    cpu  task name    wait time  sch delay   run time  state\n"
#define AT    "    1151.458239 [0003]  "

static void the_layout_is_known_from_the_first_lines(void **state)
{
	static const struct first_lines cases[] = {
		{HEAD, true},
		{"Samples do not have callchains.\n" HEAD, true},
		{"\nRuntime summary\n", true},
		/* lines that grep leaves */
		{AT "a[12]   0.000   0.000   0.000\n", true},
		{AT "a[12]                                  awakened: b[7]\n", true},
		/* not a complete line */
		{AT "a[12]   0.000   0.000   0.000", false},
		{"   a  5 [003]  1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"1151.458239: sched:sched_switch: prev_comm=a\n", false},
		{"# tracer: nop\n", false},
		{"\n", false},
		{"", false},
	};

	(void)state;
	assert_told_from_first_lines(timehist_line_layout.is, cases, COUNT(cases));
}

static void a_text_without_times_is_refused(void **state)
{
	static const char *const texts[] = {
		HEAD, "\nRuntime summary\n" AT "a[12]   0.000   0.000   0.001\n", /* -s */
		HEAD AT "<idle>  0.000   0.000   5.000\n",			  /* -I */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_text_refused(texts[i], strlen(texts[i]),
				    "without the times that threads ran; print it with");
}

static void a_text_without_all_columns_is_refused(void **state)
{
	static const char *const texts[] = {
		HEAD AT "a[12]   0.000   0.000   0.001 S\n",	       /* --state */
		PLAIN AT "a[12]   0.000   0.000   0.001 next: b[7]\n", /* -n */
		PLAIN AT "a[12]   0.000   0.000   0.001\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_text_refused(texts[i], strlen(texts[i]),
				    "without the state of a thread that leaves its CPU, or without "
				    "the next one");
}

static void events_come_with_their_lines(void **state)
{
	static const char text[] =
		HEAD "   1.000005 [0000]  <idle>  0.000   0.000   0.000 I next: a[12]\n"
		     "   1.000009 [0000]  a[12]   0.000   0.000   0.004 S next: b[7]\n"
		     "   1.000011 [0001]  b[7]    0.000   0.000\n"
		     "   1.000012 [0001]  b[7]    0.000   0.000   \0.002\n"
		     "   1.000013 [0000]  b[7]                                    awakened: c[8]\n"
		     "   1.000013 [0000]  b[7]    0.000   0.001   0.004 S next: c[8]\n"
		     "   lost 5 events\n"
		     "   1.000014 [0000]  c[8]    0.000   0.001   0.001 R next: swapper/0[0]\n"
		     "Runtime summary\n"
		     "   1.000015 [0000]  a[12]   0.000   0.001   0.001 S next: c[8]\n";
	static const struct text_event want[] = {
		{EVENT_SWITCH, 1000005000, 2, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000009000, 3, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 4, QUALITY_MALFORMED},
		{EVENT_NOTE, 0, 5, QUALITY_MALFORMED},
		{EVENT_WAKE, 1000013000, 6, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000013000, 7, QUALITY_EVENTS},
		{EVENT_SWITCH, 1000014000, 9, QUALITY_EVENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source =
			assert_text_events(text, sizeof(text) - 1, want, COUNT(want), audited);

		assert_int_equal(source->quality.malformed, 2);
		event_source_free(source);
	}
}

/* Rows of text, and states of threads 100 and 101, drawn with one column for each microsecond. */

#define STATES	    "time cpu task name wait time sch delay run time state\n"
#define ROWS_AT(us) "0.0010" #us " "
#define IDLE(us)    ROWS_AT(us) "[0001] <idle> 0.000 0.000 0.000 "
#define WAKES	    "                                     awakened: "

struct drawn {
	const char *text;
	const char *rows[3];
	struct quality quality; /* except for the number of events */
};

static void assert_drawn(const struct drawn *want)
{
	static const int32_t root[] = {DRAWING_TID};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	struct event_source *source = open_text(want->text, strlen(want->text));
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

static void a_row_tells_the_states_of_its_thread(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7]" WAKES "a[100]\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* -n --state: no wakes */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 ROWS_AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 ROWS_AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR..RRRDDD"},
		 {.no_wakes = true}},
		/* states before the first row of a CPU are unknown */
		{STATES
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.000 S next: swapper/1[0]\n"
		 ROWS_AT(05) "[0001] <idle>" WAKES "a[100]\n"
		 IDLE(06) "I next: a[100]\n"
		 ROWS_AT(08) "[0001] a[100] 0.003 0.001 0.002 S next: swapper/1[0]\n",
		 {"  ...wRR"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void the_state_is_in_the_row(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 R next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RRww"},
		 {0}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 S next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RR.."},
		 {0}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 D next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RRDD"},
		 {0}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 T next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RRTT"},
		 {0}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 ? next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RR??"},
		 {0}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[0001] a[100] 0.000 0.000 0.002 X next: b[7]\n"
		 ROWS_AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 ROWS_AT(04) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RR"},
		 {0}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void an_ended_thread_in_a_row_is_the_one_that_got_the_cpu(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.003 X next: a[100]\n"
		 ROWS_AT(04) "[0001] a[100]" WAKES "b[7]\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "???"},
		 {0}},
		/* of any process, as perf has one for all ended threads */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(01) "[0001] x[101/100]" WAKES "b[7]\n"
		 ROWS_AT(02) "[0001] x[101/100] 0.000 0.000 0.002 R next: x[101]\n"
		 ROWS_AT(03) "[0001] :-1[-1/77] 0.500 0.400 0.001 X next: a[100]\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "?RR"},
		 {0}},
		/* or that has woken threads there, before its first row */
		{STATES
		 ROWS_AT(02) "[0001] x[101/100]" WAKES "b[7]\n"
		 ROWS_AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.000 X next: a[100]\n"
		 ROWS_AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"  ?RRR..", "  R"},
		 {0}},
		/* ... which it gets again, if it was preempted while it ended */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 ROWS_AT(01) "[0001] x[101/100]" WAKES "b[7]\n"
		 ROWS_AT(02) "[0001] :-1[-1/100] 0.500 0.400 0.002 W next: b[7]\n"
		 ROWS_AT(05) "[0001] b[7] 0.000 0.000 0.003 S next: x[101]\n"
		 ROWS_AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.001 Z next: a[100]\n"
		 ROWS_AT(07) "[0001] a[100] 0.000 0.000 0.001 S next: swapper/1[0]\n",
		 {"??????R", "?RwwwR"},
		 {0}},
		/* or unknown */
		{STATES
		 ROWS_AT(02) "[0001] :-1[-1/77] 0.500 0.400 0.000 X next: a[100]\n"
		 ROWS_AT(03) "[0001] a[100]" WAKES "b[7]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.002 S next: swapper/1[0]\n"
		 IDLE(06) "I next: b[7]\n",
		 {"   R.."},
		 {.malformed = 1}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

/* Otherwise the last row would come before other ones. */
static void complete_rows_are_not_kept(void **state)
{
	static const char text[] = STATES IDLE(00) "I next: a[100]\n" ROWS_AT(
		04) "[0001] a[100] 0.000 0.000 0.004 S "
		    "next: b[7]\n" ROWS_AT(05) "[0001] b[7]" WAKES "a[100]\n" ROWS_AT(
			    06) "[0001] b[7] 0.000 0.000 0.002 R next: "
				"a[100]\n" ROWS_AT(09) "[0001] "
						       "a[100] "
						       "0.002 "
						       "0.001 "
						       "0.003 D "
						       "next: "
						       "swapper/"
						       "1[0]"
						       "\n" ROWS_AT(07) "[0002] c[8] 0.000 "
									"0.000 0.003 S "
									"next: "
									"swapper/2[0]\n";
	struct err err = {.text = ""};
	struct event_source *source = open_text(text, sizeof(text) - 1);
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
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(01) "[0001] a[100]" WAKES "b[7]\n"
		 ROWS_AT(03) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 ROWS_AT(05) "lost 12 events on cpu 1\n"
		 IDLE(08) "I next: b[7]\n",
		 {"RRR..???"},
		 {.lost = 12}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static void contradicting_rows_are_malformed(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 ROWS_AT(02) "[99999999] a[100] 0.000 0.000 0.002 S next: b[7]\n"
		 ROWS_AT(03) "[0001] a[100]" WAKES "b[7]\n"
		 ROWS_AT(04) "[0001] a[100] 0.000 0.000 0.002 S next: swapper/1[0]\n"
		 ROWS_AT(05) "[0001] a[99999999] 0.000 0.000 0.001 S next: b[7]\n"
		 ROWS_AT(06) "[0001] b[7]" WAKES "a[99999999]\n"
		 ROWS_AT(07) "[0001] b[7] 0.000 0.000 0.002 S next: swapper/1[0]\n",
		 {"RRRR..."},
		 {.malformed = 3}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_layout_is_known_from_the_first_lines),
	cmocka_unit_test(a_text_without_times_is_refused),
	cmocka_unit_test(a_text_without_all_columns_is_refused),
	cmocka_unit_test(events_come_with_their_lines),
	cmocka_unit_test(a_row_tells_the_states_of_its_thread),
	cmocka_unit_test(the_state_is_in_the_row),
	cmocka_unit_test(an_ended_thread_in_a_row_is_the_one_that_got_the_cpu),
	cmocka_unit_test(complete_rows_are_not_kept),
	cmocka_unit_test(lost_events_leave_a_gap),
	cmocka_unit_test(contradicting_rows_are_malformed),
};

TEST_FILE(tests);
