/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_line.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct timehist_columns plain, with_state = {.state = true};

static enum timehist_kind parse(const struct timehist_columns *columns, struct timehist_row *row,
				const char *line)
{
	struct timehist_columns copy = *columns;

	return timehist_line_parse(&copy, row, line);
}

/* --- Rows ---------------------------------------------------------------------------------- */

struct ran {
	const struct timehist_columns *columns;
	const char *line;
	int32_t tid, pid;
	const char *comm;
	enum thread_state state;
	int32_t next;
	const char *next_comm;
};

/* All of them: at 1151.458239 on CPU 3, after waits of 0.5 and 0.25 ms and a run of 1.234 ms. */
#define AT    "    1151.458239 [0003] "
#define SPANS "  0.500      0.250      1.234 "

static void assert_ran(const struct ran *want)
{
	struct timehist_row row;

	if (parse(want->columns, &row, want->line) != TIMEHIST_RAN)
		fail_msg("no row: '%s'", want->line);
	assert_int_equal(row.time_ns, 1151458239000);
	assert_int_equal(row.cpu, 3);
	if (row.run_ns != 1234000 || row.who.tid != want->tid || row.who.pid != want->pid ||
	    row.state != want->state || row.other.tid != want->next)
		fail_msg("%d/%d '%s', state %s, next %d: '%s'", row.who.tid, row.who.pid,
			 row.who.comm, thread_state_name(row.state), row.other.tid, want->line);
	assert_string_equal(row.who.comm, want->comm);
	assert_string_equal(row.other.comm, want->next_comm);
}

#define UNTOLD STATE_ACTIVE, -1, ""

static void a_row_tells_who_ran_and_for_how_long(void **state)
{
	static const struct timehist_columns visual = {.visual = 4}, prio = {.prio = true},
					     migration = {.migration = true, .state = true};
	static const struct ran cases[] = {
		{&plain, AT " a[12]      " SPANS, 12, 12, "a", UNTOLD},
		{&plain, AT " a[12/10]   " SPANS, 12, 10, "a", UNTOLD},
		{&plain, AT " a[12/-1]   " SPANS, 12, -1, "a", UNTOLD},
		{&plain, AT " <idle>     " SPANS, 0, -1, "", UNTOLD},
		{&plain, AT " swapper    " SPANS, 0, -1, "", UNTOLD},
		{&plain, AT " :12        " SPANS, 12, -1, "", UNTOLD},
		{&plain, AT " :12[12/10] " SPANS, 12, 10, "", UNTOLD},
		{&plain, AT " :-1[-1/10] " SPANS, -1, 10, "", UNTOLD},
		/* cut after 31 bytes */
		{&plain, AT " a b c d e f g-1[1234567/1234567 " SPANS, 1234567, 1234567,
		 "a b c d e f g-1", UNTOLD},
		/* -V, and the columns of later versions */
		{&visual, AT "  ss  a[12]" SPANS, 12, 12, "a", UNTOLD},
		{&visual, AT "      s[12]" SPANS, 12, 12, "s", UNTOLD},
		{&prio, AT " a[12]  120       " SPANS, 12, 12, "a", UNTOLD},
		{&prio, AT " a[12]  120->98   " SPANS, 12, 12, "a", UNTOLD},
		{&migration, AT " a[12]  " SPANS "  0.125    S ", 12, 12, "a", STATE_SLEEPING, -1,
		 ""},
		/* --state, and what follows: -n, -w, -g */
		{&with_state, AT " a[12]  " SPANS "    S ", 12, 12, "a", STATE_SLEEPING, -1, ""},
		{&with_state, AT " a[12]  " SPANS "    R", 12, 12, "a", STATE_RUNNABLE, -1, ""},
		{&with_state, AT " a[12]  " SPANS "    W", 12, 12, "a", STATE_RUNNABLE, -1, ""},
		{&with_state, AT " a[12]  " SPANS "    ? ", 12, 12, "a", STATE_UNKNOWN, -1, ""},
		{&with_state, AT " a[12]  " SPANS "    D  next: b[7]        ", 12, 12, "a",
		 STATE_DISK, 7, "b"},
		{&plain, AT " a[12]  " SPANS "next: swapper/1[0]             ", 12, 12, "a",
		 STATE_ACTIVE, 0, "swapper/1"},
		{&plain, AT " a[12]  " SPANS "                                ", 12, 12, "a",
		 UNTOLD},
		{&plain, AT " a[12]  " SPANS "next: b[7]                        x <- y[8] ", 12, 12,
		 "a", STATE_ACTIVE, 7, "b"},
		{&plain, AT " a[12]  " SPANS "__schedule <- schedule <- next: b[7]", 12, 12, "a",
		 UNTOLD},
		/* cut after 29 bytes */
		{&plain, AT " a[12]  " SPANS "next: fifteen letters[1234567", 12, 12, "a",
		 STATE_ACTIVE, 1234567, "fifteen letters"},
		/* ... or by something else: it may have been a longer number */
		{&plain, AT " a[12]  " SPANS "next: b[123", 12, 12, "a", UNTOLD},
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
		const struct ran want = {&plain, line, 12, 10, names[i], STATE_ACTIVE, 7, names[i]};

		assert_ran(&want);
		free(line);
	}
}

static void a_wake_tells_who_woke_whom(void **state)
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
		struct timehist_row row;

		if (parse(&with_state, &row, cases[i].line) != TIMEHIST_WOKE)
			fail_msg("no wake: '%s'", cases[i].line);
		assert_int_equal(row.time_ns, 1151458239000);
		assert_int_equal(row.cpu, 3);
		assert_int_equal(row.who.tid, cases[i].tid);
		assert_int_equal(row.who.pid, cases[i].pid);
		assert_int_equal(row.other.tid, cases[i].other);
		assert_int_equal(row.other.pid, cases[i].other_pid);
		assert_string_equal(row.who.comm, cases[i].comm);
		assert_string_equal(row.other.comm, cases[i].other_comm);
	}
}

static void lost_events_are_counted(void **state)
{
	struct timehist_row row;

	(void)state;
	assert_int_equal(parse(&plain, &row, "    1151.458239 lost 12 events on cpu 3"),
			 TIMEHIST_LOST);
	assert_int_equal(row.time_ns, 1151458239000);
	assert_int_equal(row.cpu, 3);
	assert_int_equal(row.lost, 12);
}

/* --- Other lines --------------------------------------------------------------------------- */

static void the_head_tells_which_columns_there_are(void **state)
{
	static const struct {
		const char *line;
		struct timehist_columns columns;
	} cases[] = {
		{"           time    cpu  task name                       wait time  sch delay   "
		 "run "
		 "time",
		 {.visual = 0}},
		{"           time    cpu  012  task name                       wait time  sch "
		 "delay   run time",
		 {.visual = 5}},
		{"           time    cpu  task name                       wait time  sch delay   "
		 "run "
		 "time  state",
		 {.state = true}},
		{"           time    cpu  task name                       prio      wait time  sch "
		 "delay   run time  pre-mig time  state",
		 {.prio = true, .migration = true, .state = true}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct timehist_columns columns = {.visual = 77};
		struct timehist_row row;

		assert_int_equal(timehist_line_parse(&columns, &row, cases[i].line), TIMEHIST_HEAD);
		assert_int_equal(columns.visual, cases[i].columns.visual);
		assert_int_equal(columns.prio, cases[i].columns.prio);
		assert_int_equal(columns.migration, cases[i].columns.migration);
		assert_int_equal(columns.state, cases[i].columns.state);
	}
}

static void what_is_no_row_is_told_apart(void **state)
{
	static const struct {
		const char *line;
		enum timehist_kind kind;
	} cases[] = {
		{"", TIMEHIST_OTHER},
		{"Samples do not have callchains.", TIMEHIST_OTHER},
		{"                        [tid/pid]        (msec)     (msec)     (msec)",
		 TIMEHIST_OTHER},
		{"--------------- ------  ---------------  ---------  ---------", TIMEHIST_OTHER},
		{"a 5 [003]  1151.458239: sched:sched_waking: comm=b", TIMEHIST_OTHER},
		{"1151.458239: sched:sched_waking: comm=b", TIMEHIST_OTHER},
		{AT " a[12]" WAKES, TIMEHIST_MALFORMED},
		{AT "  a[12]                                    migrated: b[7] cpu 0 => 1",
		 TIMEHIST_OTHER},
		{"Runtime summary", TIMEHIST_SUMMARY},
		{AT, TIMEHIST_MALFORMED},
		{AT " a[12]", TIMEHIST_MALFORMED},
		{AT " a[12] 0.000 0.000", TIMEHIST_MALFORMED},
		{AT " a[12] 0.000 0.000 0.00", TIMEHIST_MALFORMED},
		{AT " a     0.000 0.000 0.000", TIMEHIST_MALFORMED},
		{AT " a[x]  0.000 0.000 0.000", TIMEHIST_MALFORMED},
		{AT " a[12  0.000 0.000 0.000", TIMEHIST_MALFORMED},
		{AT " a[99999999999] 0.000 0.000 0.000", TIMEHIST_MALFORMED},
		{AT " a[12] 99999999999.000 0.000 0.000", TIMEHIST_MALFORMED},
		{"1151.458239 [-1] a[12] 0.000 0.000 0.000", TIMEHIST_MALFORMED},
		{"1151.458239 [3", TIMEHIST_MALFORMED},
		{"1151.458239 lost many", TIMEHIST_MALFORMED},
		{"99999999999.458239 [0003]  a[12] 0.000 0.000 0.000", TIMEHIST_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct timehist_row row = {.cpu = 77};

		if (parse(&with_state, &row, cases[i].line) != cases[i].kind)
			fail_msg("not as it should be: '%s'", cases[i].line);
		assert_int_equal(row.cpu, 77); /* untouched */
	}
}

static void a_row_cut_anywhere_is_no_other_row(void **state)
{
	static const char line[] = AT "  012  a[12/10]   " SPANS "    S  next: b[7]";
	static const struct timehist_columns columns = {.visual = 5, .state = true};

	(void)state;
	for (size_t cut = 0; cut < sizeof(line); cut++) {
		char *copy = xcalloc(cut + 1, 1); /* its end is watched */
		struct timehist_row row;

		memcpy(copy, line, cut);
		if (parse(&columns, &row, copy) == TIMEHIST_RAN) {
			assert_int_equal(row.who.tid, 12);
			assert_int_equal(row.run_ns, 1234000);
			assert_true(row.other.tid == -1 || row.other.tid == 7);
		}
		free(copy);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_row_tells_who_ran_and_for_how_long),
	cmocka_unit_test(a_name_may_be_anything),
	cmocka_unit_test(a_wake_tells_who_woke_whom),
	cmocka_unit_test(lost_events_are_counted),
	cmocka_unit_test(the_head_tells_which_columns_there_are),
	cmocka_unit_test(what_is_no_row_is_told_apart),
	cmocka_unit_test(a_row_cut_anywhere_is_no_other_row),
};

TEST_FILE(tests);
