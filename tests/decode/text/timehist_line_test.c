/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The columns before the rows of a text. */
#define BEFORE	  "           time    cpu  "
#define COLUMNS	  "  wait time  sch delay   run time"
#define PLAIN	  BEFORE "task name                     " COLUMNS
#define STATES	  PLAIN "  state"
#define VISUAL	  BEFORE "0123task name                 " COLUMNS
#define PRIO	  BEFORE "task name                       prio    " COLUMNS
#define MIGRATION PLAIN "  pre-mig time  state"

/*
 * Parses `line` below `head`, in a text with an earlier complete row: a missing column of one row
 * is not missing in all.
 */
static enum line_kind parse_counting(const char *head, struct event *event, const char *line,
				     struct quality *quality)
{
	const char *const before[] = {
		STATES, "1.000000 [0004]  z[99]  0.000  0.000  1.000  S next: y[98]", head};
	struct line_reading reading = {.state = xcalloc(1, timehist_line_layout.state_bytes),
				       .quality = quality};
	struct event ignored;
	enum line_kind kind;

	for (size_t i = 0; i < COUNT(before); i++)
		timehist_line_layout.parse(&reading, &ignored, before[i], strlen(before[i]));
	kind = timehist_line_layout.parse(&reading, event, line, strlen(line));
	timehist_line_layout.release(&reading);
	free(reading.state);
	return kind;
}

static enum line_kind parse(const char *head, struct event *event, const char *line)
{
	struct quality quality = {0};

	return parse_counting(head, event, line, &quality);
}

/* --- Rows ---------------------------------------------------------------------------------- */

struct ran {
	const char *head, *line;
	int32_t tid, pid;
	const char *comm;
	enum thread_state state;
	int32_t next;
	const char *next_comm;
};

/* All columns: at 1151.458239 on CPU 3, after waits of 0.5 and 0.25 ms and a run of 1.234 ms. */
#define AT    "    1151.458239 [0003] "
#define SPANS "  0.500      0.250      1.234 "

static void assert_ran(const struct ran *want)
{
	struct event event;

	if (parse(want->head, &event, want->line) != LINE_EVENT || event.kind != EVENT_SWITCH)
		fail_msg("no switch: '%s'", want->line);
	assert_int_equal(event.time_ns, 1151458239000);
	assert_int_equal(event.cpu, 3);
	if (event.tid != want->tid || event.pid != want->pid || event.state != want->state ||
	    event.other != want->next)
		fail_msg("%d/%d '%s', state %s, next %d: '%s'", event.tid, event.pid, event.comm,
			 thread_state_name(event.state), event.other, want->line);
	assert_string_equal(event.comm, want->comm);
	assert_string_equal(event.other_comm, want->next_comm);
}

/* The state, and the next thread: without either it is a wait, and the idle thread. */
#define UNTOLD STATE_INACTIVE, 0, ""

static void a_row_tells_the_thread_that_ran_and_the_time(void **state)
{
	static const struct ran cases[] = {
		{PLAIN, AT " a[12]      " SPANS, 12, 12, "a", UNTOLD},
		{PLAIN, AT " a[12/10]   " SPANS, 12, 10, "a", UNTOLD},
		{PLAIN, AT " a[12/-1]   " SPANS, 12, -1, "a", UNTOLD},
		{PLAIN, AT " <idle>     " SPANS "next: b[7]", 0, -1, "", STATE_INACTIVE, 7, "b"},
		{PLAIN, AT " swapper    " SPANS "next: b[7]", 0, -1, "", STATE_INACTIVE, 7, "b"},
		{PLAIN, AT " :12        " SPANS, 12, -1, "", UNTOLD},
		{PLAIN, AT " :12[12/10] " SPANS, 12, 10, "", UNTOLD},
		/* cut after 31 bytes */
		{PLAIN, AT " a b c d e f g-1[1234567/1234567 " SPANS, 1234567, 1234567,
		 "a b c d e f g-1", UNTOLD},
		/* -V, and the columns of later versions */
		{VISUAL, AT "  ss  a[12]" SPANS, 12, 12, "a", UNTOLD},
		{VISUAL, AT "      s[12]" SPANS, 12, 12, "s", UNTOLD},
		{PRIO, AT " a[12]  120       " SPANS, 12, 12, "a", UNTOLD},
		{PRIO, AT " a[12]  120->98   " SPANS, 12, 12, "a", UNTOLD},
		{MIGRATION, AT " a[12]  " SPANS "  0.125    S ", 12, 12, "a", STATE_SLEEPING, 0,
		 ""},
		/* --state, and the columns after it: -n, -w, -g */
		{STATES, AT " a[12]  " SPANS "    S ", 12, 12, "a", STATE_SLEEPING, 0, ""},
		{STATES, AT " a[12]  " SPANS "    R", 12, 12, "a", STATE_RUNNABLE, 0, ""},
		{STATES, AT " a[12]  " SPANS "    W", 12, 12, "a", STATE_RUNNABLE, 0, ""},
		{STATES, AT " a[12]  " SPANS "    ? ", 12, 12, "a", STATE_UNKNOWN, 0, ""},
		{STATES, AT " a[12]  " SPANS "    D  next: b[7]        ", 12, 12, "a", STATE_DISK,
		 7, "b"},
		{PLAIN, AT " a[12]  " SPANS "next: swapper/1[0]             ", 12, 12, "a",
		 STATE_INACTIVE, 0, "swapper/1"},
		{PLAIN, AT " a[12]  " SPANS "                                ", 12, 12, "a",
		 UNTOLD},
		{PLAIN, AT " a[12]  " SPANS "next: b[7]                        x <- y[8] ", 12, 12,
		 "a", STATE_INACTIVE, 7, "b"},
		{PLAIN, AT " a[12]  " SPANS "__schedule <- schedule <- next: b[7]", 12, 12, "a",
		 UNTOLD},
		/* cut after 29 bytes */
		{PLAIN, AT " a[12]  " SPANS "next: fifteen letters[1234567", 12, 12, "a",
		 STATE_INACTIVE, 1234567, "fifteen letters"},
		/* ... or elsewhere: it may have been a longer number */
		{PLAIN, AT " a[12]  " SPANS "next: b[123", 12, 12, "a", UNTOLD},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_ran(&cases[i]);
}

static void a_name_may_be_anything(void **state)
{
	static const char *const names[] = {
		"a b c",
		"a[1]",
		"[1/2] x",
		"1.000 2.000 3.",
		"0.000",
		"next: ",
		"]",
		"s",
		"awakened: b[7]",
		"<idle>",
		"swapper",
		"\xc3\xa4",
		"kworker/0:2-vir",
		"migrated: b[7]",
		"a[1] 0.000 1.1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char *line = xasprintf(AT " %s[12/10]   " SPANS "next: %s[7]", names[i], names[i]);
		const struct ran want = {PLAIN,	   line,	   12, 10,
					 names[i], STATE_INACTIVE, 7,  names[i]};

		assert_ran(&want);
		free(line);
	}
}

static void a_wake_tells_the_waker_and_the_woken_thread(void **state)
{
	static const struct {
		const char *line;
		int32_t tid, pid, other, other_pid;
		const char *comm, *other_comm;
	} cases[] = {
#define WAKES "                                     awakened: "
		{AT " a[12/10]" WAKES "b[7]", 12, 10, 7, 7, "a", "b"},
		{AT " a[12]" WAKES "b[7/6] ", 12, 12, 7, 6, "a", "b"},
		{AT " swapper" WAKES "b c[7]", 0, -1, 7, 7, "", "b c"},
		{AT " :-1[-1/10]" WAKES ":7", -1, 10, 7, -1, "", ""},
		{AT " awakened: [3]" WAKES "b[7]", 3, 3, 7, 7, "awakened: ", "b"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		if (parse(STATES, &event, cases[i].line) != LINE_EVENT || event.kind != EVENT_WAKE)
			fail_msg("no wake: '%s'", cases[i].line);
		assert_int_equal(event.time_ns, 1151458239000);
		assert_int_equal(event.cpu, 3);
		assert_int_equal(event.tid, cases[i].tid);
		assert_int_equal(event.pid, cases[i].pid);
		assert_int_equal(event.other, cases[i].other);
		assert_int_equal(event.other_pid, cases[i].other_pid);
		assert_string_equal(event.comm, cases[i].comm);
		assert_string_equal(event.other_comm, cases[i].other_comm);
	}
}

static void lost_events_are_counted(void **state)
{
	struct quality quality = {0};
	struct event event;

	(void)state;
	assert_int_equal(
		parse_counting(PLAIN, &event, "    1151.458239 lost 12 events on cpu 3", &quality),
		LINE_EVENT);
	assert_int_equal(event.kind, EVENT_GAP);
	assert_int_equal(event.time_ns, 1151458239000);
	assert_int_equal(event.cpu, 3);
	assert_int_equal(quality.lost, 12);
}

/* --- Other lines --------------------------------------------------------------------------- */

static void other_lines_are_no_rows(void **state)
{
	static const struct {
		const char *line;
		enum line_kind kind;
	} cases[] = {
		{"", LINE_OTHER},
		{"Samples do not have callchains.", LINE_OTHER},
		{"                        [tid/pid]        (msec)     (msec)     (msec)",
		 LINE_OTHER},
		{"--------------- ------  ---------------  ---------  ---------", LINE_OTHER},
		{"a 5 [003]  1151.458239: sched:sched_waking: comm=b", LINE_OTHER},
		{"1151.458239: sched:sched_waking: comm=b", LINE_OTHER},
		{AT " a[12]" WAKES, LINE_MALFORMED},
		{AT "  a[12]                                    migrated: b[7] cpu 0 => 1",
		 LINE_OTHER},
		{"Runtime summary", LINE_END},
		{AT, LINE_MALFORMED},
		{AT " a[12]", LINE_MALFORMED},
		{AT " a[12] 0.000 0.000", LINE_MALFORMED},
		{AT " a[12] 0.000 0.000 0.00", LINE_MALFORMED},
		{AT " a     0.000 0.000 0.000", LINE_MALFORMED},
		{AT " a[x]  0.000 0.000 0.000", LINE_MALFORMED},
		{AT " a[12  0.000 0.000 0.000", LINE_MALFORMED},
		{AT " a[99999999999] 0.000 0.000 0.000", LINE_MALFORMED},
		{AT " a[12] 99999999999.000 0.000 0.000", LINE_MALFORMED},
		{"1151.458239 [-1] a[12] 0.000 0.000 0.000", LINE_MALFORMED},
		{"1151.458239 [3", LINE_MALFORMED},
		{"1151.458239 lost many", LINE_MALFORMED},
		{"99999999999.458239 [0003]  a[12] 0.000 0.000 0.000", LINE_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = {.cpu = 77};

		if (parse(STATES, &event, cases[i].line) != cases[i].kind)
			fail_msg("not as it should be: '%s'", cases[i].line);
		assert_int_equal(event.cpu, 77); /* unchanged */
	}
}

static void a_row_cut_anywhere_is_no_other_row(void **state)
{
	static const char line[] = AT "  012  a[12/10]   " SPANS "    S  next: b[7]";

	(void)state;
	for (size_t cut = 0; cut < sizeof(line); cut++) {
		char *copy = xcalloc(cut + 1, 1); /* the sanitizer watches its end */
		struct event event;

		memcpy(copy, line, cut);
		if (parse(BEFORE "012  task name                " COLUMNS "  state", &event,
			  copy) == LINE_EVENT) {
			assert_int_equal(event.tid, 12);
			assert_true(event.other == 0 || event.other == 7);
		}
		free(copy);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_row_tells_the_thread_that_ran_and_the_time),
	cmocka_unit_test(a_name_may_be_anything),
	cmocka_unit_test(a_wake_tells_the_waker_and_the_woken_thread),
	cmocka_unit_test(lost_events_are_counted),
	cmocka_unit_test(other_lines_are_no_rows),
	cmocka_unit_test(a_row_cut_anywhere_is_no_other_row),
};

TEST_FILE(tests);
