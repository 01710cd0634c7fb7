/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Broken lines in the layout of perf script, whose lines have names at three places. */
#include "decode/text/text_source.h"

#include "base/alloc.h"
#include "decode/open_text.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	struct quality quality;
	char *events; /* "TIME COMM -> COMM;" of each */
};

static void read_text(struct reader *reader, const char *text)
{
	struct event_source *source = open_text(text, strlen(text));
	struct event event;
	struct err err;
	size_t size;
	FILE *out = open_memstream(&reader->events, &size);

	while (event_source_next(source, &event, &err) > 0)
		fprintf(out, "%d.%d %s -> %s;", (int)(event.time_ns / 1000000000),
			(int)(event.time_ns / 100000000 % 10), event.comm, event.other_comm);
	fclose(out);
	reader->quality = source->quality;
	event_source_free(source);
}

static void release(struct reader *reader)
{
	free(reader->events);
}

#define GOOD(time)                                                                              \
	"               g       7 [000]     " time ": sched:sched_waking: comm=x pid=8 prio=1 " \
	"target_cpu=000\n"
#define SWITCH(head, prev, next)                                           \
	head "       5 [000]     2.5: sched:sched_switch: prev_comm=" prev \
	     " prev_pid=5 prev_prio=1 prev_state=S ==> next_comm=" next    \
	     " next_pid=6 next_prio=1\n"

static void pieces_that_make_a_line_are_joined_and_no_other_line_is_lost(void **state)
{
	static const struct {
		const char *text, *events;
		unsigned fragments, malformed;
	} cases[] = {
		{SWITCH("               a", "a", "b"), "2.5 a -> b;", 0, 0},
		/* in one name, in both, in the head, too */
		{SWITCH("               a", "a", "b\nc"), "2.5 a -> b\nc;", 2, 0},
		{SWITCH("               a", "a\nc", "b"), "2.5 a\nc -> b;", 2, 0},
		{SWITCH("             a\nc", "a\nc", "\n\nb\n"), "2.5 a\nc -> \n\nb\n;", 6, 0},
		{SWITCH("a\nc", "a\nc", "b"), "2.5 a\nc -> b;", 3, 0},
		{SWITCH("               a", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "b"),
		 "2.5 \n\n\n\n\n\n\n\n\n\n\n\n\n\n\n -> b;", 16, 0},
		/* a piece that looks like a comment, a call chain, a head */
		{SWITCH("               a", "a\n#b", "b"), "2.5 a\n#b -> b;", 2, 0},
		{SWITCH("               a", "a\n\tff b", "b"), "2.5 a\n\tff b -> b;", 2, 0},
		{SWITCH("               a", "a\n1 1.5: ", "b"), "2.5 a\n1 1.5:  -> b;", 2, 0},
		/* in an event without content: the pieces are only counted */
		{"   a 5 [0] 1.5: sched:sched_migrate_task: comm=a\nb pid=5 prio=1 orig_cpu=0\n",
		 "", 1, 0},
		/* a line that is no piece, or lacks its other half */
		{"nonsense\n", "", 1, 0},
		{"a line that says nothing at all\n", "", 0, 1},
		{"   a 5 [0] 1.5: sched:sched_waking: comm=a\n", "", 0, 1},
		{"b pid=5 prio=1 target_cpu=0\n", "", 1, 0},
		{"   a 5 [0] 1.5: sched:sched_waking: comm=a\n"
		 "   a 5 [0] 1.6: sched:sched_waking: comm=a\nb pid=6 prio=1 target_cpu=0\n",
		 "1.6 a -> a\nb;", 2, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = xasprintf("%s%s%s", GOOD("1.0"), cases[i].text, GOOD("3.0"));
		char *want = xasprintf("1.0 g -> x;%s3.0 g -> x;", cases[i].events);
		struct reader reader;

		read_text(&reader, text);
		assert_string_equal(reader.events, want);
		if (reader.quality.fragments != cases[i].fragments ||
		    reader.quality.malformed != cases[i].malformed)
			fail_msg("%d fragments, %d malformed: %s", (int)reader.quality.fragments,
				 (int)reader.quality.malformed, cases[i].text);
		release(&reader);
		free(text);
		free(want);
	}
}

static void a_joined_line_takes_its_time_once(void **state)
{
	struct reader reader;

	(void)state;
	/* time differences: 0, 2.5, 0.3, 0.1 */
	read_text(&reader,
		  GOOD("0.0") SWITCH("           a\nb", "a\nb", "c") GOOD("0.3") GOOD("0.1"));
	assert_string_equal(reader.events, "0.0 g -> x;2.5 a\nb -> c;2.8 g -> x;2.9 g -> x;");
	release(&reader);
}

#define FORK(parent, child)                                                                     \
	"           :9       9 [000]     1.5: sched:sched_process_fork: comm=" parent " pid=9 " \
	"child_comm=" child " child_pid=12\n"

static void the_command_that_pscal_started_is_the_target(void **state)
{
	static const struct {
		const char *text;
		int32_t root; /* 0: no known target */
	} cases[] = {
		{FORK("pscal", "pscal") GOOD("2.0"), 12},
		{"# ========\n# captured on: a day\n" FORK("pscal", "pscal") GOOD("2.0"), 12},
		{FORK("sh", "sh") GOOD("2.0"), 0},
		{GOOD("1.0") FORK("pscal", "pscal"), 0},
		{FORK("pscal", "pscal child_pid=99999999999"), 0},
		{FORK("pscal", "pscal"), 12},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event_source *source = open_text(cases[i].text, strlen(cases[i].text));

		assert_int_equal(source->target.root_count, cases[i].root ? 1 : 0);
		if (cases[i].root)
			assert_int_equal(source->target.roots[0], cases[i].root);
		event_source_free(source);
	}
}

static void lost_records_are_counted_once(void **state)
{
	struct reader reader;

	(void)state;
	read_text(&reader, GOOD("1.0") "             a\nb       5 [000]     2.5: "
				       "PERF_RECORD_LOST lost 17\n");
	assert_int_equal(reader.quality.lost, 17);
	assert_string_equal(reader.events, "1.0 g -> x;2.5 a\nb -> ;");
	release(&reader);
}

#define RECORD(cpu, record) "g       7 [" cpu "]     1.500000: PERF_RECORD_" record "\n"
#define WAKE(time, name)                                                                \
	"g       7 [000]     " time ": sched:sched_waking: comm=" name " pid=8 prio=1 " \
	"target_cpu=000"

/* A line that hides another event costs one count; text that only looks like an event, too. */
static void events_lost_with_a_damaged_line_are_counted(void **state)
{
	static const struct {
		const char *text;
		unsigned malformed;
		bool truncated;
	} cases[] = {
		{WAKE("1.000001", "x") "\n", 0, false},
		{WAKE("1.000001", "x"), 0, true}, /* or CPU 0001 */
		{"# of another kind " WAKE("1.000001", "x") "\n", 1, false},
		{"g       7 [000]     1.000001: sched:sched_pro" WAKE("1.000001", "x") "\n", 1,
		 false},

		{WAKE("1.000001", "x") WAKE("1.000002", "x") "\n", 1, false},
		{WAKE("1.000001", "x") " " RECORD("000", "SWITCH OUT"), 1, false},
		{WAKE("1.000001", "1.000002: aaaa:") "\n", 0, false},
		{RECORD("000", "SWITCH IN"), 0, false},
		{"# the end", 0, false},
		{RECORD("0>0", "SWITCH IN"), 1, false},
		{RECORD("000", "SWITCH_CPU_W 1 IDE IN"), 1, false},
		{RECORD("000", "MMAP 1/1: [0x5(0x1)]"), 0, false},
		{"\t ffffffff81 schedule ([ker", 0, true},
		{"\t ffffffff81 schedule ([kernel])\n", 0, false},
		{"g       7 [000]     1.0: sched:sched_sw", 0, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = xasprintf("%s%s", GOOD("1.000000"), cases[i].text);
		struct reader reader;

		read_text(&reader, text);
		if (reader.quality.malformed != cases[i].malformed ||
		    reader.quality.truncated != cases[i].truncated)
			fail_msg("%d malformed, truncated %d: %s", (int)reader.quality.malformed,
				 reader.quality.truncated, cases[i].text);
		release(&reader);
		free(text);
	}
}

static void empty_lines_outside_of_names_are_damage(void **state)
{
	static const struct {
		size_t count;
		unsigned malformed;
	} cases[] = {{1, 0}, {45, 0}, {46, 1}, {10078, 1}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text =
			xasprintf("%s%*s%s", GOOD("1.0"), (int)cases[i].count, "", GOOD("2.0"));
		struct reader reader;

		memset(text + strlen(GOOD("1.0")), '\n', cases[i].count);
		read_text(&reader, text);
		assert_int_equal(reader.quality.malformed, cases[i].malformed);
		release(&reader);
		free(text);
	}
}

enum { TIMES_MAX = 4 };

static void a_time_ahead_of_its_neighbours_is_damaged(void **state)
{
	static const struct {
		const char *times[TIMES_MAX], *want;
		unsigned malformed;
	} cases[] = {
		{{"1.0", "1.1", "1.2"}, "1.0 1.1 1.2 ", 0},
		{{"1.0", "1001.1", "1.2", "1.3"}, "1.0 1.2 1.3 ", 1},
		{{"1.0", "1.4", "1.1", "1.2"}, "1.0 1.1 1.2 ", 1},
		{{"1.0", "5.0", "4.9", "5.1"}, "1.0 5.0 4.9 5.1 ", 0}, /* after a pause */
		{{"1.0", "5.0", "5.0", "5.1"}, "1.0 5.0 5.0 5.1 ", 0},
		{{"1.0", "1.1", "9.0"}, "1.0 1.1 9.0 ", 0},	       /* no neighbour tells */
		{{"1.0", "5.0", "0.5", "5.1"}, "1.0 5.0 0.5 5.1 ", 0}, /* the other one is wrong */
		{{"9.0", "1.0", "1.1"}, "9.0 1.0 1.1 ", 0},
		{{"1.0", "9.0", "8.0", "1.1"}, "1.0 1.1 ", 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[1024] = "", got[256] = "";
		struct event_source *source;
		struct event event;
		struct err err;

		for (size_t j = 0; j < TIMES_MAX && cases[i].times[j]; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), GOOD("%s"),
				 cases[i].times[j]);
		source = open_text(text, strlen(text));
		while (event_source_next(source, &event, &err) > 0)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.1f ",
				 (double)event.time_ns / 1e9);
		assert_string_equal(got, cases[i].want);
		assert_int_equal(source->quality.malformed, cases[i].malformed);
		event_source_free(source);
	}
}

static void an_audit_lists_ignored_lines_with_their_places(void **state)
{
	static const char text[] =
		GOOD("1.0") "nonsense\n" GOOD("2.0") "a line that says nothing at all\n" GOOD(
			"3.0") "b pid=5 prio=1 target_cpu=0\n" GOOD("4.0") "nonsense\n";
	static const struct text_event want[] = {
		{EVENT_WAKE, 1000000000, 1, QUALITY_EVENTS},
		{EVENT_WAKE, 2000000000, 3, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 2, QUALITY_FRAGMENTS},
		{EVENT_NOTE, 0, 4, QUALITY_MALFORMED},
		{EVENT_WAKE, 3000000000, 5, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 6, QUALITY_FRAGMENTS},
		{EVENT_WAKE, 4000000000, 7, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 8, QUALITY_FRAGMENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source =
			assert_text_events(text, sizeof(text) - 1, want, COUNT(want), audited);

		assert_int_equal(source->quality.fragments, 3);
		assert_int_equal(source->quality.malformed, 1);
		event_source_free(source);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(events_lost_with_a_damaged_line_are_counted),
	cmocka_unit_test(empty_lines_outside_of_names_are_damage),
	cmocka_unit_test(a_time_ahead_of_its_neighbours_is_damaged),
	cmocka_unit_test(an_audit_lists_ignored_lines_with_their_places),
	cmocka_unit_test(pieces_that_make_a_line_are_joined_and_no_other_line_is_lost),
	cmocka_unit_test(a_joined_line_takes_its_time_once),
	cmocka_unit_test(the_command_that_pscal_started_is_the_target),
	cmocka_unit_test(lost_records_are_counted_once),
};

TEST_FILE(tests);
