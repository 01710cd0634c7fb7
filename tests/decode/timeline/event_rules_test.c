/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Rules for records with less content than a sched_switch; timeline_test.c tests the rest. */

static void a_switch_record_adds_nothing_to_its_sched_switch(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> < w> x", " i o  i o"}, "wRR..wRR", {0}, false},
		/* also if the record comes a little later */
		{{"f> < w> x", "  i o  io"}, "wRR..wRR", {0}, false},
		/* and if the thread has been woken in between */
		{{"f> <w > x", " i  o i"}, "wRR.wwRR", {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void a_hidden_switch_in_is_known_from_its_switch_record(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> <n   x", "      i"}, "wRR...RR", {.repaired_wakes = 1}, false},
		{{"f> < w  x", "      i"}, "wRR..wRR", {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void the_next_thread_of_a_cpu_tells_the_end_of_the_run_before(void **state)
{
	static const struct drawn_steps cases[] = {
		/* woken next: it slept; otherwise it slept or was preempted */
		{{"f>    w> x", "   j"}, "wRRiiiwRR", {.unmarked_switch_outs = 1}, false},
		{{"f>   > x", "   j"}, "wRR??RR", {.unmarked_switch_outs = 1}, false},
		{{"f>    w> x", "   J"}, "wRRiiiwRR", {.unmarked_switch_outs = 1}, false},
		/* found asleep at the end, or not */
		{{"f>    s n", "   j"}, "wRR.....", {.unmarked_switch_outs = 1}, false},
		{{"f>    r n", "   j"}, "wRR???aa", {.unmarked_switch_outs = 1}, false},
		/* an earlier record tells that it left */
		{{"f> <  w> x", "   j"}, "wRR...wRR", {0}, false},
		{{"f> <2 y", "    j"}, "wRR.RR", {.repaired_wakes = 1}, false},
		/* it was about to end */
		{{"f>E", "    j  n"}, "wRRR", {0}, false},
		/* a damaged record: no thread comes after itself */
		{{"nr  l  n", "     I"}, "?wwwwRR", {0}, false},
		/* records were lost in between */
		{{"f>   w> x", "   jg"}, "wRR??wRR", {.unmarked_switch_outs = 1}, false},
		{{"f>    w> x", "   jg"}, "wRR???wRR", {.unmarked_switch_outs = 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void a_thread_found_ready_runs_or_has_a_later_switch_in(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"nr   > x", ""}, "?wwwwRR", {0}, false},
		{{"nr   < n", ""}, "?RRRR..", {0}, false},
		{{"nr   W x", ""}, "?RRRRRR", {0}, false},
		{{"nr   j n", ""}, "?RRRR??", {.unmarked_switch_outs = 1}, false},
		/* another thread has had the CPU meanwhile */
		{{"nr 5 < n", ""}, "?aaaa..", {0}, false},
		{{"nr   n", ""}, "?aaaa", {0}, false},
		/* records were lost */
		{{"nr g > x", ""}, "?aa??RR", {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void a_late_switch_record_of_another_cpu_does_not_stop_a_thread(void **state)
{
	static const struct drawn_steps drawn = {{"f> <w2  y", "      o"}, "wRR.wRRR", {0}, false};

	(void)state;
	drawing_assert_steps(&drawn);
}

static void switch_records_alone_tell_which_thread_runs(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f       e", " i pi pi"}, "wRRwRRwR", {0}, true},
		/* the last record comes after its end */
		{{"f       e", " i oi   o"}, "wRRiRRRR", {.no_wakes = true}, true},
		/* it existed before: only the past is unknown */
		{{"nk      e", "   o i"}, "???iiRRR", {.no_wakes = true}, true},
		/* an old kernel: it sleeps or is preempted */
		{{"f       e", " i O iO"},
		 "wRR??R??",
		 {.unmarked_switch_outs = 2, .no_wakes = false},
		 true},
		{{"f    w  e", " i O  iO"}, "wRRiiwR?", {.unmarked_switch_outs = 2}, false},
		{{"f>  <  n", " i  O"}, "wRRR...", {0}, false},
		/* a record is missing */
		{{"f       e", " i o  oi"},
		 "wRR???iR",
		 {.missed_switch_ins = 1, .no_wakes = true},
		 true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

/* If no event tells which thread has a CPU, states are unknown. */
static void a_thread_that_is_sampled_exists(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"  S  S e"}, "  ?????", {0}, false},
		{{"f S    e", "g"}, "???????", {0}, false},
		{{"n  S  n"}, "??????", {0}, false},
		{{"n  S S n", "   e"}, "???", {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void missing_wakes_of_a_whole_recording_are_not_repaired_one_by_one(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f       e", " i o i"}, "wRRiiRRR", {.no_wakes = true}, true},
		{{"f       e", " i o i"}, "wRRiiRRR", {.repaired_wakes = 1}, false},
		/* no thread slept, so no wake is missing */
		{{"f       e", " i p i"}, "wRRwwRRR", {0}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

/* A thread that ends has no number; the one known to run there may be it. */
static void a_thread_without_a_number_is_unknown(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f>  u  x", ""}, "wRRRRRR", {0}, false},
		{{"f> <u  n", ""}, "wRR....", {0}, false},
		{{"f> v  x", ""}, "w?????", {.malformed = 1, .missed_switch_outs = 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void a_pause_is_unknown_up_to_new_evidence(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> g n< n", ""}, "wRR???..", {0}, false},
		{{"f> g s wn", ""}, "wRR??..w", {0}, false},
		/* woken before the pause, not after it */
		{{"f>wg s >n", ""}, "wRR??..R", {.repaired_wakes = 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

/* The intervals of a timeline of the events, one a line. */
static void assert_intervals(const struct event *events, size_t count,
			     const struct selection *selection, const char *want)
{
	struct event_source *source = array_source(events, count);
	struct timeline *timeline = timeline_new(source, selection);
	struct change change;
	struct err err;
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	while (timeline_next(timeline, &change, &err) > 0)
		if (change.end_ns > change.begin_ns)
			fprintf(out, "%d %s %d-%d\n", change.tid, thread_state_name(change.state),
				(int)change.begin_ns, (int)change.end_ns);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	timeline_free(timeline);
	event_source_free(source);
}

/* Thread 101 of process 100 does an exec on CPU 2, after the event `how`. */
static void assert_exec(const struct event *how, const char *want)
{
	static const int32_t root[] = {100};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	const struct event events[] = {
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 100, .other_pid = 100},
		{2000, EVENT_SWITCH, .cpu = 1, .tid = 1, .state = STATE_SLEEPING, .other = 100},
		{3000, EVENT_FORK, .cpu = 1, .pid = 100, .tid = 100, .other = 101,
		 .other_pid = 100},
		*how,
		{5000, EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_NONE},
		{6000, EVENT_EXEC, .cpu = 2, .pid = 100, .tid = 100, .comm = "new"},
		{8000, EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_NONE},
	};

	assert_intervals(events, COUNT(events), &tree, want);
}

static void a_thread_continues_after_an_exec_as_the_first_of_its_process(void **state)
{
	const struct event seen = {4000, EVENT_SWITCH, .cpu = 2, .other = 101};
	const struct event hidden = {4000, EVENT_TASK, .cpu = -1, .tid = 101, .pid = 100};

	(void)state;
	assert_exec(&seen, "100 runnable 1000-2000\n"
			   "101 runnable 3000-4000\n"
			   "100 running 2000-5000\n"
			   "101 running 4000-6000\n"
			   "100 running 6000-8000\n");
	assert_exec(&hidden, "100 runnable 1000-2000\n"
			     "100 running 2000-5000\n"
			     "101 active 3000-6000\n"
			     "100 running 6000-8000\n");
}

static void the_thread_that_did_an_exec_has_created_the_first_of_its_process(void **state)
{
	static const struct event events[] = {
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 100, .other_pid = 100},
		{2000, EVENT_SWITCH, .cpu = 1, .other = 100},
		{3000, EVENT_FORK, .cpu = 1, .pid = 100, .tid = 100, .other = 101,
		 .other_pid = 100},
		{3000, EVENT_FORK, .cpu = 1, .pid = 100, .tid = 100, .other = 102,
		 .other_pid = 100},
		{4000, EVENT_SWITCH, .cpu = 2, .other = 102},
		{4000, EVENT_SWITCH, .cpu = 3, .other = 101},
		{6000, EVENT_EXEC, .cpu = 2, .pid = 100, .tid = 100, .comm = "new"},
		{8000, EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_NONE},
	};
	static const int32_t root[] = {100};
	struct event_source *source = array_source(events, COUNT(events));
	struct timeline *timeline =
		timeline_new(source, &(struct selection){.pids = root, .pid_count = 1});
	uint32_t number = BY_NO_THREAD, by = BY_NO_THREAD;
	struct change change;
	struct err err;

	(void)state;
	while (timeline_next(timeline, &change, &err) > 0) {
		if (change.tid == 102)
			number = (uint32_t)change.thread;
		if (change.tid == 100 && change.begin_ns == 6000 && change.state == STATE_NONE)
			by = change.by;
	}
	assert_int_not_equal(number, BY_NO_THREAD);
	assert_int_equal(by, number);
	timeline_free(timeline);
	event_source_free(source);
}

/* Recorders that learn its new name at its next switch write it before that switch. */
static void a_wait_in_an_exec_is_of_the_first_thread_of_the_process(void **state)
{
	static const int32_t root[] = {100};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	static const struct event renamed = {4000,	 EVENT_TASK, .cpu = 2,
					     .pid = 100, .tid = 100, .comm = "new"};
	struct event events[] = {
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 100, .other_pid = 100},
		{2000, EVENT_SWITCH, .cpu = 1, .tid = 1, .state = STATE_SLEEPING, .other = 100},
		{2500, EVENT_FORK, .cpu = 1, .pid = 100, .tid = 100, .other = 101,
		 .other_pid = 100},
		{2500, EVENT_SWITCH, .cpu = 2, .other = 101},
		{3000, EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_NONE},
		{0}, /* a new name, or no event */
		{4000, EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_DISK},
		{5000, EVENT_WAKE, .cpu = 2, .tid = 0, .other = 100},
		{6000, EVENT_SWITCH, .cpu = 2, .tid = 0, .other = 100},
		{7000, EVENT_EXEC, .cpu = 2, .pid = 100, .tid = 100, .comm = "new"},
		{8000, EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_NONE},
	};

	(void)state;
	for (int round = 0; round < 2; round++) {
		events[5] = round ? renamed : event_note(QUALITY_MALFORMED, 0);
		events[5].time_ns = 4000;
		assert_intervals(events, COUNT(events), &tree,
				 "100 runnable 1000-2000\n"
				 "100 running 2000-3000\n"
				 "101 running 2500-4000\n"
				 "100 disk 4000-5000\n"
				 "100 runnable 5000-6000\n"
				 "100 running 6000-8000\n");
	}
}

static void a_thread_that_exits_may_leave_its_cpu_after_the_exec_that_ended_it(void **state)
{
	static const int32_t root[] = {100};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	static const struct event events[] = {
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 100, .other_pid = 100},
		{2000, EVENT_SWITCH, .cpu = 1, .tid = 1, .state = STATE_SLEEPING, .other = 100},
		{2500, EVENT_FORK, .cpu = 1, .pid = 100, .tid = 100, .other = 101,
		 .other_pid = 100},
		{3000, EVENT_SWITCH, .cpu = 2, .other = 101},
		{4000, EVENT_EXIT, .cpu = 2, .pid = 100, .tid = 101},
		{4500, EVENT_SWITCH, .cpu = 2, .tid = 101, .state = STATE_RUNNABLE},
		{5000, EVENT_EXEC, .cpu = 1, .pid = 100, .tid = 100, .comm = "new"},
		{6000, EVENT_SWITCH, .cpu = 2, .other = 101},
		{7000, EVENT_SWITCH, .cpu = 2, .tid = 101, .state = STATE_NONE},
		{8000, EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_NONE},
	};

	(void)state;
	assert_intervals(events, COUNT(events), &tree,
			 "100 runnable 1000-2000\n"
			 "101 runnable 2500-3000\n"
			 "101 running 3000-4500\n"
			 "101 runnable 4500-6000\n"
			 "101 running 6000-7000\n"
			 "100 running 2000-8000\n");
}

static void a_wake_with_several_records_counts_once(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> < ww> x", ""}, "wRR..wwRR", {0}, false}, /* sched_waking, sched_wakeup */
		{{"f> < w> x", "     w"}, "wRR..wRR", {0}, false},
		{{"f> < w>w x", ""}, "wRR..wRRR", {0}, false}, /* while it runs already */
		{{"fww> x", ""}, "wwwRR", {0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void an_event_with_two_records_happens_once(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> < w> x", "f> < w> x"}, "wRR..wRR", {.repeated = 4}, false},
		{{"fi o i  e", " i o"}, "wRRiiRRR", {.repeated = 1, .no_wakes = true}, true},
		{{"f>  =  x", ""}, "wRRRRRR", {0}, false}, /* from the thread to itself */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void an_ending_thread_has_ended_when_another_one_has_its_cpu(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f>  E   5  n", ""}, "w???????", {.missed_switch_outs = 1}, false},
		{{"f>  E x 5  n", ""}, "wRRRRR", {0}, false},
		{{"f>  E    e n", ""}, "wRRRRRRRR", {0}, false}, /* no sched_switch follows */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void after_an_exit_record_a_thread_ends_at_its_last_switch(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f>  l x n", ""}, "wRRRRR", {0}, false},
		{{"f>  lh >x n", ""}, "wRRRRwwR", {0}, false},
		/* or unseen: if another thread has the CPU, or records are lost */
		{{"f>  l 5 n", ""}, "w?????", {.missed_switch_outs = 1}, false},
		{{"f>  l g n", ""}, "wRRRRR", {0}, false},
		{{"f> g  l 5 n", ""}, "wRR?????", {.missed_switch_outs = 1}, false},
		/* no proof that the thread runs, if switches are complete */
		{{"f  l x n", ""}, "aaaaa", {.missed_switch_ins = 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void a_thread_without_switches_because_of_a_filter_is_unknown(void **state)
{
	static const char *const cases[][2] = {
		{"f   l  5 n", "???????\n"},
		{"f   l   n", "????????\n"},
		{"f       n", "????????\n"},
		{"f  >  x n", "wwwRRR\n"},
		{"f  e  n", "???\n"},
		{"f  >  e h > x n", "wwwRRR\n"}, /* events after its end that a filter has kept */
	};
	static const int32_t tid = DRAWING_TID;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const rows[2] = {cases[i][0]};
		struct event_source *source = drawing_steps(rows);
		struct timeline *timeline;
		char *got;

		source->target.filtered = true;
		timeline = timeline_new(source, &(struct selection){.tids = &tid, .tid_count = 1});
		got = drawing_of(timeline, 1);
		assert_string_equal(got, cases[i][1]);
		free(got);
		timeline_free(timeline);
		event_source_free(source);
	}
}

static void a_thread_that_has_ended_does_not_come_back(void **state)
{
	static const struct drawn_steps cases[] = {
		/* preempted after PERF_RECORD_EXIT */
		{{"f    e   n", " i    pio"}, "wRRRR", {0}, true},
		/* another thread gets its number */
		{{"f    e  f  e", " i    pi i"}, "wRRRR   wRR", {0}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

static void the_thread_on_the_cpu_of_an_exec_has_left_it_unseen(void **state)
{
	static const struct event events[] = {
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 100, .other_pid = 100},
		{1000, EVENT_FORK, .cpu = 1, .tid = 1, .other = 101, .other_pid = 100},
		{2000, EVENT_SWITCH, .cpu = 2, .other = 300},
		{4000, EVENT_EXEC, .cpu = 2, .pid = 100, .tid = 100},
		{5000, EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_NONE, .other = 300},
	};
	static const int32_t tids[] = {100, 300};

	(void)state;
	assert_intervals(events, COUNT(events), &(struct selection){.tids = tids, .tid_count = 2},
			 "300 unknown 1000-2000\n"
			 "100 runnable 1000-4000\n"
			 "300 unknown 2000-4000\n"
			 "100 running 4000-5000\n"
			 "300 unknown 4000-5000\n");
}

static void a_dead_thread_without_a_number_is_the_one_that_its_switch_tells(void **state)
{
	/* 100 is preempted after its exit, and has no number when it gets the CPU once more */
	static const struct event events[] = {
		{1000, EVENT_SWITCH, .cpu = 0, .tid = 300, .other = 100},
		{2000, EVENT_LAST, .cpu = 0, .tid = 100},
		{3000, EVENT_SWITCH, .cpu = 0, .tid = 100, .state = STATE_RUNNABLE, .other = 300},
		{4000, EVENT_SWITCH, .cpu = 0, .tid = 300, .state = STATE_SLEEPING, .other = 100},
		{4100, EVENT_SWITCH_IN, .cpu = 0, .tid = -1, .other = 300},
		{5000, EVENT_SWITCH, .cpu = 0, .tid = 100, .state = STATE_NONE, .other = 300},
	};
	static const int32_t tid[] = {100};

	(void)state;
	assert_intervals(events, COUNT(events), &(struct selection){.tids = tid, .tid_count = 1},
			 "100 running 1000-3000\n"
			 "100 runnable 3000-4000\n"
			 "100 running 4000-5000\n");
}

static void a_run_with_other_threads_on_the_cpu_is_unknown(void **state)
{
	/* 100 got some CPU, and leaves CPU 0 at the end; 300 had that CPU meanwhile, or not */
	static const struct event alone[] = {
		{1000, EVENT_SWITCH_IN, .cpu = -1, .tid = 100},
		{5000, EVENT_SWITCH, .cpu = 0, .tid = 100, .state = STATE_SLEEPING},
	};
	static const struct event shared[] = {
		{1000, EVENT_SWITCH_IN, .cpu = -1, .tid = 100},
		{2000, EVENT_SWITCH, .cpu = 0, .other = 300},
		{3000, EVENT_SWITCH, .cpu = 0, .tid = 300, .state = STATE_SLEEPING},
		{5000, EVENT_SWITCH, .cpu = 0, .tid = 100, .state = STATE_SLEEPING},
	};
	/* 300 is known to have been there only up to its end */
	static const struct event overlapping[] = {
		{500, EVENT_SWITCH_IN, .cpu = 0, .tid = 300},
		{1000, EVENT_SWITCH_IN, .cpu = -1, .tid = 100},
		{2000, EVENT_SWITCH_OUT, .cpu = 0, .tid = 300, .state = STATE_INACTIVE},
		{5000, EVENT_SWITCH_OUT, .cpu = 0, .tid = 100, .state = STATE_INACTIVE},
	};
	static const int32_t tid[] = {100};
	static const struct selection selection = {.tids = tid, .tid_count = 1};

	(void)state;
	assert_intervals(overlapping, COUNT(overlapping), &selection,
			 "100 unknown 500-1000\n"
			 "100 unknown 1000-5000\n");
	assert_intervals(alone, COUNT(alone), &selection, "100 running 1000-5000\n");
	assert_intervals(shared, COUNT(shared), &selection, "100 unknown 1000-5000\n");
}

static void facts_about_a_cpu_before_a_gap_still_hold(void **state)
{
	/* the run of 100 seems to begin before 300 has left */
	static const struct event events[] = {
		{1000, EVENT_SWITCH, .cpu = 0, .other = 300},
		{2000, EVENT_RAN, .cpu = 0, .tid = 300, .ran_ns = 1000},
		{3000, EVENT_GAP, .cpu = -1},
		{4000, EVENT_RAN, .cpu = 0, .tid = 100, .ran_ns = 3500},
		{5000, EVENT_SWITCH, .cpu = 0, .tid = 100, .state = STATE_SLEEPING},
	};
	static const int32_t tids[] = {100, 300};

	(void)state;
	assert_intervals(events, COUNT(events), &(struct selection){.tids = tids, .tid_count = 2},
			 "300 running 1000-3000\n"
			 "100 unknown 1000-3000\n"
			 "100 running 3000-5000\n"
			 "300 unknown 3000-5000\n");
}

static void a_birth_under_the_number_of_a_living_thread_ends_that_one(void **state)
{
	static const struct drawn_steps cases[] = {
		/* a second record within 1 ms of its first run, by the clock of another CPU */
		{{"f>  f> x", ""}, "w????RR", {.missed_switch_outs = 1}, false},
		{{"f> < f> x", ""}, "wRR??wRR", {.reused_numbers = 1}, false},
		{{"ff> x", ""}, "wwRR", {0}, false}, /* sched_wakeup_new after the fork */
		{{"f> x f> x", ""}, "wRR  wRR", {0}, false},
		/* the birth of the second one is missing */
		{{"f> x > x", ""}, "wRR  RR", {.reused_numbers = 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		drawing_assert_steps(&cases[i]);
}

/* sched_stat_runtime of runs that began unseen; timeline_test.c tests runs with a switch-in. */

static void assert_all(const struct drawn_steps *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		drawing_assert_steps(&cases[i]);
}

#define ASSERT_ALL(cases) assert_all((cases), sizeof(cases) / sizeof((cases)[0]))

static void a_run_without_a_switch_in_begins_with_its_run_time(void **state)
{
	static const struct drawn_steps cases[] = {
		/* a record when it leaves, and at a tick before */
		{{"f> < w   b<", ""}, "wRR..wwRRR", {.witnessed_switch_ins = 1}, false},
		{{"f> < w  b  c<", ""}, "wRR..wRRRRRR", {.witnessed_switch_ins = 1}, false},
		/* it runs on when the recording ends */
		{{"f> < w   b n", ""}, "wRR..wwRRRR", {.witnessed_switch_ins = 1}, false},
		/* another CPU wrote the record, so the place of the run is known later */
		{{"f> < w  B  c<", ""}, "wRR..wRRRRRR", {.witnessed_switch_ins = 1}, false},
		/* new, or preempted, without a switch-in */
		{{"f    b<", ""}, "wwwRRR", {.witnessed_switch_ins = 1}, false},
		{{"f> h   b<", ""}, "wRRwwRRR", {.witnessed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void without_a_wake_a_thread_slept_only_if_its_cpu_was_idle(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> <     b<", ""},
		 "wRR....RRR",
		 {.witnessed_switch_ins = 1, .repaired_wakes = 1},
		 false},
		{{"f> <  5  b<", ""}, "wRR????RRR", {.witnessed_switch_ins = 1}, false},
		/* woken while it still ran, on a CPU that was busy or idle */
		{{"f>w<     b<", ""}, "wRRwwwwRRR", {.witnessed_switch_ins = 1}, false},
		/* the CPU is unknown */
		{{"f> <     B<", ""}, "wRR????RRR", {.witnessed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void a_run_time_must_agree_with_known_states(void **state)
{
	static const struct drawn_steps cases[] = {
		/* it had left the CPU by then: the record is ignored */
		{{"f> < w   Z<", ""}, "wRR..aaaaa", {.missed_switch_ins = 1}, false},
		{{"f>  hb  >  <", ""}, "wRRRwwwwRRR", {0}, false},
		/* it had not been woken by then */
		{{"f> < w  d<", ""}, "wRR..RRRR", {.witnessed_switch_ins = 1}, false},
		/* another thread had the CPU then */
		{{"f> < w50  d<", ""}, "wRR..aaRRRR", {.witnessed_switch_ins = 1}, false},
		/* it runs already */
		{{"f>  b  Z  <", ""}, "wRRRRRRRRR", {0}, false},
		/* a record of a run elsewhere, from before it got its CPU and after that */
		{{"f2b y", ""}, "wRRR", {0}, false},
		{{"f2    b<", ""},
		 "w???RRR",
		 {.witnessed_switch_ins = 1, .missed_switch_outs = 1},
		 false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void a_run_time_completes_a_run_that_was_found_before(void **state)
{
	static const struct drawn_steps cases[] = {
		/* by the thread that it woke; the first record tells that there are such records */
		{{"f>a<    W c<", ""},
		 "wRR....RRRR",
		 {.witnessed_switch_ins = 1, .repaired_wakes = 1},
		 false},
		{{"f>a< w  W c<", ""}, "wRR..wwRRRR", {.witnessed_switch_ins = 1}, false},
		/* counted from a moment before the last record of the thread that had the CPU */
		{{"f>a< w5W d<", ""}, "wRR..aRRRR", {.witnessed_switch_ins = 1}, false},
		/* no record, or a shorter one */
		{{"f>a<    W  <", ""}, "wRR?????RRR", {.missed_switch_ins = 1}, false},
		{{"f>a<    W  a<", ""}, "wRR?????RRRR", {.missed_switch_ins = 1}, false},
		/* or an impossible one */
		{{"f>a<    W Z<", ""}, "wRR?????RRR", {.missed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void a_run_time_is_evidence_of_an_earlier_thread(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"n    c n", ""}, "??RRRRR", {0}, false},
		{{"n    c <n", ""}, "??RRRRR.", {0}, false},
		/* no run continues over lost records and pauses */
		{{"f>  g    c<", ""}, "wRRR??RRRR", {0}, false},
		{{"f>  g  d <", ""}, "wRRRRRRRR", {0}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_switch_record_adds_nothing_to_its_sched_switch),
	cmocka_unit_test(a_hidden_switch_in_is_known_from_its_switch_record),
	cmocka_unit_test(the_next_thread_of_a_cpu_tells_the_end_of_the_run_before),
	cmocka_unit_test(a_thread_found_ready_runs_or_has_a_later_switch_in),
	cmocka_unit_test(a_late_switch_record_of_another_cpu_does_not_stop_a_thread),
	cmocka_unit_test(switch_records_alone_tell_which_thread_runs),
	cmocka_unit_test(a_thread_that_is_sampled_exists),
	cmocka_unit_test(missing_wakes_of_a_whole_recording_are_not_repaired_one_by_one),
	cmocka_unit_test(a_thread_without_a_number_is_unknown),
	cmocka_unit_test(a_pause_is_unknown_up_to_new_evidence),
	cmocka_unit_test(a_wake_with_several_records_counts_once),
	cmocka_unit_test(an_event_with_two_records_happens_once),
	cmocka_unit_test(an_ending_thread_has_ended_when_another_one_has_its_cpu),
	cmocka_unit_test(after_an_exit_record_a_thread_ends_at_its_last_switch),
	cmocka_unit_test(a_thread_without_switches_because_of_a_filter_is_unknown),
	cmocka_unit_test(a_thread_that_has_ended_does_not_come_back),
	cmocka_unit_test(the_thread_on_the_cpu_of_an_exec_has_left_it_unseen),
	cmocka_unit_test(a_dead_thread_without_a_number_is_the_one_that_its_switch_tells),
	cmocka_unit_test(a_run_with_other_threads_on_the_cpu_is_unknown),
	cmocka_unit_test(facts_about_a_cpu_before_a_gap_still_hold),
	cmocka_unit_test(a_birth_under_the_number_of_a_living_thread_ends_that_one),
	cmocka_unit_test(a_thread_continues_after_an_exec_as_the_first_of_its_process),
	cmocka_unit_test(the_thread_that_did_an_exec_has_created_the_first_of_its_process),
	cmocka_unit_test(a_wait_in_an_exec_is_of_the_first_thread_of_the_process),
	cmocka_unit_test(a_thread_that_exits_may_leave_its_cpu_after_the_exec_that_ended_it),
	cmocka_unit_test(a_run_without_a_switch_in_begins_with_its_run_time),
	cmocka_unit_test(without_a_wake_a_thread_slept_only_if_its_cpu_was_idle),
	cmocka_unit_test(a_run_time_must_agree_with_known_states),
	cmocka_unit_test(a_run_time_completes_a_run_that_was_found_before),
	cmocka_unit_test(a_run_time_is_evidence_of_an_earlier_thread),
};

TEST_FILE(tests);
