/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of text, and what threads 100 and 101 do, drawn with one column for each microsecond. */
#include "decode/text/timehist_rows.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/quality.h"
#include "decode/text/timehist_line.h"
#include "decode/text/timehist_source.h"
#include "drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define STATES	 "time cpu task name wait time sch delay run time state\n"
#define AT(us)	 "0.0010" #us " "
#define IDLE(us) AT(us) "[0001] <idle> 0.000 0.000 0.000 "
#define WAKES	 "                                     awakened: "

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
		 AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 AT(05) "[0001] b[7]" WAKES "a[100]\n"
		 AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* -n --state: a wake is as long ago as the delay says */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]\n"
		 AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]\n"
		 AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]\n"
		 IDLE(12) "I next: b[7]\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* --state */
		{STATES
		 IDLE(00) "I\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004 S\n"
		 AT(06) "[0001] b[7] 0.000 0.000 0.002 R\n"
		 AT(09) "[0001] a[100] 0.002 0.001 0.003 D\n"
		 AT(12) "[0001] b[7] 0.003 0.001 0.003 S\n",
		 {"RRRR.wRRRDDD"},
		 {0}},
		/* without options */
		{""
		 IDLE(00) "\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 AT(06) "[0001] b[7] 0.000 0.000 0.002\n"
		 AT(09) "[0001] a[100] 0.002 0.001 0.003\n"
		 AT(12) "[0001] b[7] 0.003 0.001 0.003\n",
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
		 AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 AT(06) "[0001] b[7] 0.000 0.000 0.002\n"
		 AT(09) "[0001] a[100] 0.002 0.002 0.003\n",
		 {"RRRRwwRRR"},
		 {0}},
		/* it has slept first */
		{""
		 IDLE(00) "\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 AT(09) "[0001] a[100] 0.003 0.002 0.002\n",
		 {"RRRRiwwRR"},
		 {0}},
		/* preempted, as perf 6.1 prints it, or woken just before */
		{""
		 IDLE(00) "\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 AT(09) "[0001] a[100] 0.003 0.000 0.002\n",
		 {"RRRR???RR"},
		 {0}},
		/* a wake is in the text */
		{""
		 IDLE(00) "\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.004\n"
		 AT(05) "[0001] b[7]" WAKES "a[100]\n"
		 AT(07) "[0001] b[7] 0.000 0.000 0.003\n"
		 AT(09) "[0001] a[100] 0.003 0.000 0.002\n",
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
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 R\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRww"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR.."},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 D\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRDD"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 T\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RRTT"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 ?\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR??"},
		 {0}},
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 X\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n",
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
		 AT(02) "[0001] b[7] 0.000 0.000 0.000 S\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 AT(09) "[0001] a[100] 0.000 0.000 0.005 S\n"
		 AT(12) "[0001] b[7] 0.003 0.000 0.003 S\n",
		 {"  ???????..."},
		 {.missed_switch_ins = 1}},
		/* ... but it is active since its wake */
		{STATES
		 AT(02) "[0001] b[7] 0.000 0.000 0.000 S\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] <idle>" WAKES "a[100]\n"
		 AT(09) "[0001] a[100] 0.000 0.000 0.005 S\n"
		 AT(12) "[0001] b[7] 0.003 0.000 0.003 S\n",
		 {"  ??..aaa..."},
		 {.missed_switch_ins = 1}},
		/* the CPU has not shown its idle task, and the thread did not wait */
		{STATES
		 AT(02) "[0001] a[100] 0.000 0.000 0.000 S\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  ???????"},
		 {.missed_switch_ins = 1}},
		/* ... but if it did it is believed */
		{STATES
		 AT(02) "[0001] a[100] 0.000 0.000 0.000 S\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(09) "[0001] a[100] 0.002 0.001 0.005 S\n",
		 {"  .wRRRRR"},
		 {0}},
		/* ... and if it was preempted there */
		{STATES
		 AT(02) "[0001] a[100] 0.000 0.000 0.000 R\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  wwRRRRR"},
		 {0}},
		/* ... but not elsewhere */
		{STATES
		 AT(02) "[0002] a[100] 0.000 0.000 0.000 R\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(09) "[0001] a[100] 0.002 0.000 0.005 S\n",
		 {"  aaaaaaa"},
		 {.missed_switch_ins = 1}},
		/* -n: another got the CPU */
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 S next: swapper/1[0]\n"
		 AT(09) "[0001] a[100] 0.000 0.000 0.007 S next: swapper/1[0]\n",
		 {"RR???????"},
		 {.missed_switch_ins = 1}},
		{STATES
		 IDLE(00) "I next: a[100]\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 S next: b[7]\n"
		 AT(05) "[0001] b[7] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 AT(09) "[0001] a[100] 0.003 0.002 0.004 S next: swapper/1[0]\n",
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
		 AT(04) "[0001] b[7] 0.000 0.000 0.004 S\n"
		 AT(06) "[0001] a[100] 0.000 0.001 0.005 S\n"
		 AT(08) "[0001] b[7] 0.002 0.001 0.002 S\n",
		 {"??????.."},
		 {0}},
		/* it was on another one */
		{STATES
		 IDLE(00) "I\n"
		 AT(03) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 AT(04) "[0002] b[7] 0.000 0.000 0.004 S\n"
		 AT(06) "[0002] a[100] 0.000 0.000 0.005 S\n"
		 AT(08) "[0001] b[7] 0.001 0.001 0.003 S\n",
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
		 AT(03) "[0001] b[7] 0.000 0.000 0.003 S\n"
		 AT(06) "[0001] a[100] 0.000 0.000 0.002 S\n",
		 {"???RRR"},
		 {0}},
		/* rows have been left out */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] a[100] 0.000 0.000 0.002 S\n",
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
		 AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.003 X next: a[100]\n"
		 AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* of whatever process, as perf has one for all that have ended */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 R next: x[101]\n"
		 AT(03) "[0001] :-1[-1/77] 0.500 0.400 0.001 X next: a[100]\n"
		 AT(06) "[0001] a[100] 0.000 0.000 0.003 S next: swapper/1[0]\n"
		 IDLE(08) "I next: b[7]\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* -w */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] x[101/100]" WAKES "b[7]\n"
		 AT(03) "[0001] :-1[-1/100] 0.500 0.400 0.003 X\n"
		 AT(06) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"???RRR..", "RRR"},
		 {0}},
		/* ... without -w not since when it waited */
		{STATES IDLE(00) "I next: x[101]\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S next: b[7]\n"
		 AT(05) "[0001] b[7] 0.000 0.000 0.003 R next: x[101]\n"
		 AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.001 X next: b[7]\n",
		 {"", "RR???R"},
		 {0}},
		/* ... where the next row still tells why one has left */
		{"" IDLE(00) "next: a[100]\n"
		 AT(01) "[0001] a[100]" WAKES "x[101/100]\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 next: x[101]\n"
		 AT(04) "[0001] :-1[-1/100] 0.500 0.400 0.002 next: a[100]\n"
		 AT(06) "[0001] a[100] 0.002 0.002 0.002 next: swapper/1[0]\n",
		 {"RRwwRR", "iwRR"},
		 {0}},
		/* ... which it gets once more, if it was preempted while it died */
		{STATES
		 IDLE(00) "I next: x[101]\n"
		 AT(02) "[0001] :-1[-1/100] 0.500 0.400 0.002 W next: b[7]\n"
		 AT(05) "[0001] b[7] 0.000 0.000 0.003 S next: x[101]\n"
		 AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.001 Z next: a[100]\n"
		 AT(07) "[0001] a[100] 0.000 0.000 0.001 S next: swapper/1[0]\n",
		 {"??????R", "RRwwwR"},
		 {0}},
		/* or not known, and then what its process does neither */
		{""
		 IDLE(00) "\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002\n"
		 AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.003\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... unless it is seen later */
		{""
		 IDLE(00) "\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002\n"
		 AT(06) "[0001] :-1[-1/100] 0.500 0.400 0.003\n"
		 AT(08) "[0001] x[101/100] 0.003 0.002 0.002\n",
		 {"", "RRiiwwRR"},
		 {.malformed = 1}},
		/* ... of whatever process that is said to be: perf has one for all */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... but it is not one that has not been woken */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR......"},
		 {.malformed = 1}},
		/* ... as it has here, */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 AT(03) "[0001] b[7]" WAKES "x[101/100]\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR.?????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... or need not be. */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] x[101/100] 0.000 0.000 0.002 R\n"
		 AT(03) "[0001] b[7]" WAKES "c[8]\n"
		 AT(04) "[0001] b[7] 0.000 0.000 0.002 S\n"
		 AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.002 Z\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"", "RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* The first of a process may end so, */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 R\n"
		 AT(06) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.002 S\n",
		 {"RR??????"},
		 {.malformed = 1, .missed_switch_ins = 1}},
		/* ... but after all others. */
		{STATES
		 IDLE(00) "I\n"
		 AT(02) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 AT(05) "[0001] :-1[-1/77] 0.500 0.400 0.003 Z\n"
		 AT(07) "[0001] x[101/100] 0.000 0.000 0.002 S\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.001 S\n",
		 {"RR......", "?????RR."},
		 {.malformed = 1}},
	};
	/* clang-format on */

	(void)state;
	ASSERT_ALL_DRAWN(cases);
}

static enum timehist_kind take(struct timehist_rows *rows, const char *line, uint64_t place)
{
	static struct timehist_columns columns = {.state = true};
	struct timehist_row row;
	enum timehist_kind kind = timehist_line_parse(&columns, &row, line);

	if (kind == TIMEHIST_RAN)
		timehist_rows_ran(rows, &row, place);
	else if (kind == TIMEHIST_WOKE)
		timehist_rows_woke(rows, &row, place);
	return kind;
}

static void rows_that_tell_all_are_not_kept(void **state)
{
	static const char *const lines[] = {
		AT(00) "[0001] <idle> 0.000 0.000 0.000 I next: a[100]",
		AT(04) "[0001] a[100] 0.000 0.000 0.004 S next: b[7]",
		AT(05) "[0001] b[7]" WAKES "a[100]",
		AT(06) "[0001] b[7] 0.000 0.000 0.002 R next: a[100]",
		AT(09) "[0001] a[100] 0.002 0.001 0.003 D next: swapper/1[0]",
	};
	static const size_t counts[] = {0, 0, 0, 4, 1}; /* events that are given out then */
	struct quality quality = {.events = 0};
	struct timehist_rows *rows = timehist_rows_new(&quality);
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		size_t count = 0;

		assert_true(take(rows, lines[i], i) < TIMEHIST_LOST);
		while (timehist_rows_pop(rows, &event))
			count++;
		assert_int_equal(count, counts[i]);
	}
	assert_true(timehist_rows_finish(rows));
	assert_false(timehist_rows_pop(rows, &event));
	timehist_rows_free(rows);
}

static void lost_events_leave_a_gap(void **state)
{
	/* clang-format off */
	static const struct drawn cases[] = {
		{STATES
		 IDLE(00) "I\n"
		 AT(03) "[0001] a[100] 0.000 0.000 0.003 S\n"
		 AT(05) "lost 12 events on cpu 1\n"
		 AT(08) "[0001] b[7] 0.000 0.000 0.003 S\n",
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
		 AT(02) "[99999999] a[100] 0.000 0.000 0.002 S\n"
		 AT(04) "[0001] a[100] 0.000 0.000 0.002 S\n"
		 AT(05) "[0001] a[99999999] 0.000 0.000 0.001 S\n"
		 AT(06) "[0001] b[7]" WAKES "a[99999999]\n"
		 AT(07) "[0001] b[7] 0.000 0.000 0.002 S\n",
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
