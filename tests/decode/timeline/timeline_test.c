/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};
static const struct selection everybody = {0};

static size_t count_rows(const char *const *rows)
{
	size_t count = 0;

	while (rows[count])
		count++;
	return count;
}

/* Draws the timeline of `source`, and frees it. */
static char *result_of(struct event_source *source, const struct selection *selection, size_t rows,
		       struct quality *quality)
{
	struct timeline *timeline = timeline_new(source, selection);
	char *drawing = drawing_of(timeline, rows);

	if (quality)
		*quality = source->quality;
	timeline_free(timeline);
	event_source_free(source);
	return drawing;
}

static void assert_drawing(const char *const *drawn, const char *const *expected,
			   struct quality *quality)
{
	char *want = drawing_join(expected);
	char *got = result_of(drawing_source(drawn), &tree, count_rows(expected), quality);

	assert_string_equal(got, want);
	free(want);
	free(got);
}

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void recorded_states_are_the_states_of_the_timeline(void **state)
{
	static const char *const cases[][4] = {
		{" RRRR"},     {" RRR....wwRR"},       {" RRRDDDDwRR"},
		{" RRTTTTRR"}, {" RRR", "  wwRR..RR"}, {" RwRwR..R", "  wR.R.RwRR", "   wwwwR"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_drawing(cases[i], cases[i], NULL);
}

static void a_preempted_thread_stays_active(void **state)
{
	(void)state;
	assert_drawing(ROWS(" RRwwwRR"), ROWS(" RRwwwRR"), NULL);
}

static void a_thread_is_runnable_from_its_fork_on(void **state)
{
	(void)state;
	assert_drawing(ROWS(" RRRRRR", "   wwRR"), ROWS(" RRRRRR", "   wwRR"), NULL);
}

static void a_hidden_switch_in_after_a_wake_is_active_since_the_wake(void **state)
{
	struct quality quality;

	(void)state;
	assert_drawing(ROWS(" RR...whhh..R"), ROWS(" RR...aaaa..R"), &quality);
	assert_int_equal(quality.missed_switch_ins, 1);
	assert_int_equal(quality.repaired_wakes, 0);
}

static void a_hidden_run_after_a_hidden_wake_is_unknown_back_to_the_last_evidence(void **state)
{
	struct quality quality;

	(void)state;
	assert_drawing(ROWS(" RR...HH...wR"), ROWS(" RR?????...wR"), &quality);
	assert_int_equal(quality.missed_switch_ins, 1);
}

static void a_wait_has_the_call_chain_in_which_it_began(void **state)
{
	struct event events[] = {
		{.time_ns = 1000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1100, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1200,
		 .kind = EVENT_SWITCH,
		 .tid = 100,
		 .state = STATE_SLEEPING,
		 .chain = 5},
		{.time_ns = 1300, .kind = EVENT_WAKE, .tid = 1, .other = 100, .cpu = 1},
		{.time_ns = 1400, .kind = EVENT_SWITCH, .other = 100},
		/* the chain of the call to the kernel, until it returns, if the switch has none */
		{.time_ns = 1500,
		 .kind = EVENT_CALL,
		 .tid = 100,
		 .call = SYNC_FUTEX_WAIT,
		 .chain = 6},
		{.time_ns = 1510, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1600, .kind = EVENT_WAKE, .tid = 1, .other = 100, .cpu = 1},
		{.time_ns = 1700, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1710, .kind = EVENT_RETURN, .tid = 100},
		{.time_ns = 1720,
		 .kind = EVENT_CALL,
		 .tid = 100,
		 .call = SYNC_MUTEX_LOCK,
		 .chain = 7},
		{.time_ns = 1800, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1900, .kind = EVENT_WAKE, .tid = 1, .other = 100, .cpu = 1},
		{.time_ns = 2000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 2100,
		 .kind = EVENT_SWITCH,
		 .tid = 100,
		 .state = STATE_SLEEPING,
		 .chain = 8},
		/* unknown after a pause */
		{.time_ns = 2200, .kind = EVENT_GAP, .cpu = -1},
		{.time_ns = 2300, .kind = EVENT_WAKE, .tid = 1, .other = 100, .cpu = 1},
		{.time_ns = 2400, .kind = EVENT_SWITCH, .other = 100},
	};
	static const uint32_t want[] = {5, 6, 0, 8};
	struct event_source *source = array_source(events, sizeof(events) / sizeof(events[0]));
	struct timeline *timeline = timeline_new(source, &tree);
	struct change change;
	size_t waits = 0;
	struct err err;

	(void)state;
	while (timeline_next(timeline, &change, &err) > 0) {
		bool wait = change.state == STATE_SLEEPING, woken = change.state == STATE_RUNNABLE;
		uint32_t chain = wait ? want[waits] : woken && waits ? want[waits - 1] : 0;

		if (woken && change.begin_ns == 2300)
			chain = 0;
		/* A woken thread still has the chain of its wait. */
		if (change.chain != chain)
			fail_msg("wait %zu has chain %u", waits, change.chain);
		waits += wait;
	}
	assert_int_equal(waits, 4);
	timeline_free(timeline);
	event_source_free(source);
}

static void a_switch_in_without_a_wake_is_repaired_and_counted(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1006000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 5), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "wRR...RR\n");
	assert_int_equal(quality.repaired_wakes, 1);
	free(got);
}

static void a_thread_woken_while_running_was_runnable_if_it_gets_a_cpu_without_a_wake(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1002000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1006000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 6), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "RRRwwwRR\n");
	assert_int_equal(quality.repaired_wakes, 0);
	free(got);
}

static void an_old_wake_does_not_make_a_sleeping_thread_runnable(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1006000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1007000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
	};
	char *got = result_of(array_source(events, 7), &tree, 1, NULL);

	(void)state;
	assert_string_equal(got, "RRR...wR\n");
	free(got);
}

static void a_thread_that_wakes_another_runs_where_it_does_so(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 3, .other = 100},
		{.time_ns = 1002000,
		 .kind = EVENT_SWITCH,
		 .cpu = 3,
		 .tid = 100,
		 .state = STATE_SLEEPING},
		{.time_ns = 1003000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1005000, .kind = EVENT_WAKE, .cpu = 4, .tid = 100, .other = 1},
		{.time_ns = 1007000,
		 .kind = EVENT_SWITCH,
		 .cpu = 4,
		 .tid = 100,
		 .state = STATE_NONE},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 6), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "RR.aaRR\n");
	assert_int_equal(quality.missed_switch_ins, 1);
	free(got);
}

static void a_thread_seen_on_a_cpu_has_taken_it_from_another(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 3, .other = 100},
		{.time_ns = 1002000, .kind = EVENT_WAKE, .cpu = 3, .tid = 50, .other = 51},
		{.time_ns = 1004000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1006000, .kind = EVENT_EXIT, .cpu = 2, .tid = 100},
		{.time_ns = 1007000,
		 .kind = EVENT_SWITCH,
		 .cpu = 2,
		 .tid = 100,
		 .state = STATE_NONE},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 6), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "????aaR\n");
	assert_int_equal(quality.missed_switch_outs, 1);
	free(got);
}

static void a_missed_switch_out_makes_the_run_unknown(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1004000, .kind = EVENT_SWITCH, .tid = 55, .other = 56},
		{.time_ns = 1006000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
		{.time_ns = 1007000, .kind = EVENT_SWITCH, .tid = 56, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 6), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "??????wR\n");
	assert_int_equal(quality.missed_switch_outs, 1);
	free(got);
}

static void before_its_first_evidence_a_thread_is_unknown(void **state)
{
	/* It existed before the trace; its first event is the switch-out. */
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
		{.time_ns = 1004000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1006000, .kind = EVENT_WAKE, .tid = 7, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	char *got = result_of(array_source(events, 4), &tree, 1, NULL);

	(void)state;
	assert_string_equal(got, "????..ww\n");
	free(got);
}

static void a_thread_first_met_when_woken_was_inactive_before(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
		{.time_ns = 1004000, .kind = EVENT_WAKE, .tid = 7, .other = 100},
		{.time_ns = 1006000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1008000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	char *got = result_of(array_source(events, 4), &tree, 1, NULL);

	(void)state;
	assert_string_equal(got, "iiiiwwRR\n");
	free(got);
}

static void lost_records_make_all_unknown_but_threads_on_other_cpus(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 0, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_FORK, .tid = 100, .other = 101},
		{.time_ns = 1002000, .kind = EVENT_SWITCH, .cpu = 1, .other = 101},
		{.time_ns = 1002000, .kind = EVENT_FORK, .tid = 100, .other = 102},
		{.time_ns = 1004000, .kind = EVENT_GAP, .cpu = 1},
		{.time_ns = 1006000,
		 .kind = EVENT_SWITCH,
		 .cpu = 1,
		 .tid = 101,
		 .other = 102,
		 .state = STATE_SLEEPING},
		{.time_ns = 1008000, .kind = EVENT_SWITCH, .cpu = 0, .tid = 100},
	};
	char *got = result_of(array_source(events, 8), &tree, 3, NULL);

	(void)state;
	assert_string_equal(got, "RRRRRRRR\n wRR??..\n  ww??RR\n");
	free(got);
}

/* Also of threads that losses on other CPUs have left running, again at each loss. */
static void lost_records_of_any_cpu_make_all_unknown(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 0, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_FORK, .tid = 100, .other = 101},
		{.time_ns = 1002000, .kind = EVENT_SWITCH, .cpu = 1, .other = 101},
		{.time_ns = 1003000, .kind = EVENT_GAP, .cpu = 2},
		{.time_ns = 1004000, .kind = EVENT_GAP, .cpu = -1},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .cpu = 0, .other = 100},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .cpu = 1, .other = 101},
		{.time_ns = 1006000, .kind = EVENT_GAP, .cpu = 2},
		{.time_ns = 1007000, .kind = EVENT_GAP, .cpu = -1},
		{.time_ns = 1009000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	char *got = result_of(array_source(events, 11), &tree, 2, NULL);

	(void)state;
	assert_string_equal(got, "RRRR?RR??\n wRR?RR??\n");
	free(got);
}

static void a_running_program_has_the_states_it_was_found_in(void **state)
{
	struct event events[] = {
		{.time_ns = 999000,
		 .kind = EVENT_STATE,
		 .pid = 100,
		 .tid = 100,
		 .state = STATE_SLEEPING},
		{.time_ns = 999500,
		 .kind = EVENT_STATE,
		 .pid = 100,
		 .tid = 101,
		 .state = STATE_ACTIVE},
		{.time_ns = 1003000,
		 .kind = EVENT_SWITCH,
		 .cpu = 1,
		 .pid = -1,
		 .tid = 101,
		 .other_pid = -1,
		 .state = STATE_DISK},
	};
	struct event_source *source = array_source(events, 3);
	char *got;

	(void)state;
	source->target.attached = true;
	source->target.roots = xcalloc(1, sizeof(int32_t));
	source->target.roots[0] = 100;
	source->target.root_count = 1;
	source->target.start_ns = 1000000;
	source->target.end_ns = 1005000;
	got = result_of(source, &everybody, 2, NULL);
	assert_string_equal(got, ".....\nRRRDD\n");
	free(got);
}

static void a_thread_found_ready_that_no_cpu_of_the_machine_ran_was_runnable(void **state)
{
	struct event events[] = {
		{.time_ns = 999000, .kind = EVENT_STATE, .tid = 100, .state = STATE_ACTIVE},
		{.time_ns = 1001000, .kind = EVENT_SWITCH, .tid = 7, .other = 8},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 8, .other = 7},
	};

	(void)state;
	for (unsigned cpus = 1; cpus <= 2; cpus++) {
		struct event_source *source = array_source(events, 3);
		char *got;

		source->target.attached = source->target.wide = true;
		source->target.online_count = cpus;
		source->target.start_ns = 1000000;
		source->target.end_ns = 1005000;
		got = result_of(source, &everybody, 1, NULL);
		assert_string_equal(got, cpus == 1 ? "wwwww\n" : "aaaaa\n");
		free(got);
	}
}

/* The thread is born at 0 us, waits for the recorder, and does its exec, or has a child, at 3
 * us. */
static void a_command_begins_with_its_exec(void **state)
{
	static const struct {
		enum event_kind last;
		int32_t launched;
		const char *states;
	} cases[] = {
		{EVENT_EXEC, 100, "   RR\n"},
		{EVENT_EXEC, 0, "R.wRR\n"},  /* an older recording has no exec */
		{EVENT_GAP, 100, "   ??\n"}, /* the exec may have been lost */
		/* No record is lost, so the exec was before the child, or before the end. */
		{EVENT_FORK, 100, "???RR\n"},
		{EVENT_WAKE, 100, "?????\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event events[] = {
			{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
			{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100},
			{.time_ns = 1001000,
			 .kind = EVENT_SWITCH,
			 .tid = 100,
			 .state = STATE_SLEEPING},
			{.time_ns = 1002000, .kind = EVENT_WAKE, .tid = 1, .other = 100},
			{.time_ns = 1003000, .kind = EVENT_SWITCH, .other = 100},
			{.time_ns = 1003000,
			 .kind = cases[i].last,
			 .pid = 100,
			 .tid = 100,
			 .other = 101},
			{.time_ns = 1005000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
		};
		struct event_source *source = array_source(events, 7);
		char *got;

		source->target.launched = cases[i].launched;
		got = result_of(source, &tree, 1, NULL);
		assert_string_equal(got, cases[i].states);
		free(got);
	}
}

static void a_reused_tid_is_another_thread(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1002000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
		{.time_ns = 1004000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1006000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_NONE},
	};
	struct event_source *source = array_source(events, 6);
	struct timeline *timeline = timeline_new(source, &tree);
	struct change change;
	struct err err;
	size_t last = 0;

	(void)state;
	while (timeline_next(timeline, &change, &err) > 0)
		last = change.thread;
	assert_int_equal(last, 1);
	timeline_free(timeline);
	event_source_free(source);
}

static void an_event_that_comes_too_late_happens_now_and_is_counted(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1004000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1002000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1006000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	struct quality quality;
	char *got = result_of(array_source(events, 4), &tree, 1, &quality);

	(void)state;
	assert_string_equal(got, "wwww..\n");
	assert_int_equal(quality.late, 1);
	free(got);
}

static void impossible_thread_numbers_are_counted_and_ignored(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1001000,
		 .kind = EVENT_SWITCH,
		 .cpu = INT32_MAX,
		 .tid = INT32_MAX,
		 .other = INT32_MIN},
		{.time_ns = 1002000, .kind = EVENT_WAKE, .tid = -2, .other = INT32_MAX},
		{.time_ns = 1003000, .kind = EVENT_FORK, .tid = INT32_MAX, .other = -5},
	};
	struct quality quality;

	(void)state;
	free(result_of(array_source(events, 4), &everybody, 1, &quality));
	assert_true(quality.malformed >= 4);
}

static void an_impossible_cpu_or_process_is_counted_once_and_unknown(void **state)
{
	static const struct {
		int32_t cpu, pid, other_pid;
		uint64_t malformed;
	} cases[] = {
		{0, 1, 1, 0},		{-1, -1, -1, 0}, {CPU_MAX - 1, 0, 4194303, 0},
		{CPU_MAX, 1, 1, 1},	{-2, 1, 1, 1},	 {-1818951680, 1, 1, 1},
		{0, -1227438236, 1, 1}, {0, 1, -5, 1},	 {0, 4194304, INT32_MIN, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event events[] = {
			{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
			{.time_ns = 1001000,
			 .kind = EVENT_SWITCH_OUT,
			 .state = STATE_SLEEPING,
			 .cpu = cases[i].cpu,
			 .pid = cases[i].pid,
			 .other_pid = cases[i].other_pid,
			 .tid = 100,
			 .other = -1},
		};
		struct quality quality;

		free(result_of(array_source(events, 2), &everybody, 1, &quality));
		assert_int_equal(quality.malformed, cases[i].malformed);
	}
}

static void threads_of_a_name_count_from_the_time_of_the_name(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000,
		 .kind = EVENT_FORK,
		 .tid = 1,
		 .other = 100,
		 .other_comm = "sh"},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100, .other_comm = "sh"},
		{.time_ns = 1003000,
		 .kind = EVENT_SWITCH,
		 .tid = 100,
		 .comm = "work",
		 .state = STATE_SLEEPING},
		{.time_ns = 1005000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	const struct selection work = {.comm = "work"};
	char *got = result_of(array_source(events, 4), &work, 1, NULL);

	(void)state;
	assert_string_equal(got, "   ..\n");
	free(got);
}

/* perf record without -a: only switches from threads of the target are recorded. */
static void missing_switches_of_a_whole_recording_are_one_flaw(void **state)
{
	static const struct {
		struct event last;
		const char *want;
		bool partial;
	} cases[] = {
		{{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 100, .other = 7}, "???\n", true},
		{{.time_ns = 1003000, .kind = EVENT_SWITCH_IN, .tid = 100}, "...\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event events[] = {{.time_ns = 1000000,
					  .kind = EVENT_SWITCH,
					  .tid = 100,
					  .other = 7,
					  .state = STATE_SLEEPING},
					 cases[i].last};
		struct event_source *source = array_source(events, 2);
		struct quality quality;
		char *got;

		source->target.tids = xcalloc(1, sizeof(int32_t));
		*source->target.tids = 100;
		source->target.tid_count = 1;
		source->quality.partial = source->quality.no_wakes = true;
		got = result_of(source, &everybody, 1, &quality);
		assert_string_equal(got, cases[i].want);
		assert_int_equal(quality.partial, cases[i].partial);
		assert_int_equal(quality.missed_switch_ins, 0);
		free(got);
	}
}

/* The hint to name another target depends on a target that was named. */
static void without_a_thread_the_error_names_the_selection(void **state)
{
	static const struct {
		struct selection asked;
		int32_t root; /* target of the recording; 0: none */
		uint64_t damaged_at;
		const char *said;
	} cases[] = {
		{{0}, 0, 0, "the recording shows no thread"},
		{{0}, 0, 77, "cut off or damaged at byte 77: the recording shows no thread"},
		{{0}, 100, 0, "nothing of the target; name another one with --comm"},
		{{.comm = "sh"}, 100, 0, "has no thread for --comm sh"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_source *source = array_source(NULL, 0);
		struct change change;
		struct err err = {.text = ""};
		struct timeline *timeline;

		source->quality.damaged_at = cases[i].damaged_at;
		if (cases[i].root) {
			source->target.roots = xcalloc(1, sizeof(int32_t));
			source->target.roots[source->target.root_count++] = cases[i].root;
		}
		timeline = timeline_new(source, &cases[i].asked);
		assert_int_equal(timeline_next(timeline, &change, &err), -1);
		if (!strstr(err.text, cases[i].said) ||
		    !!strstr(err.text, "damaged") != !!cases[i].damaged_at)
			fail_msg("said '%s', not '%s'", err.text, cases[i].said);
		timeline_free(timeline);
		event_source_free(source);
	}
}

static void a_new_thread_has_the_name_of_its_creator_while_that_runs(void **state)
{
	/* after PERF_RECORD_FORK, which has no name */
	static const struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .other = 100, .other_comm = "work"},
		{.time_ns = 1002000, .kind = EVENT_FORK, .tid = 100, .other = 101},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_SLEEPING},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .other = 101, .other_comm = "work"},
		{.time_ns = 1006000, .kind = EVENT_SWITCH, .tid = 101, .comm = "work"},
	};
	const struct selection work = {.comm = "work"};
	char *got = result_of(array_source(events, 5), &work, 2, NULL);

	(void)state;
	assert_string_equal(got, "RRR...\n  wwwR\n");
	free(got);
}

/* PERF_RECORD_FORK has no names. */
static void a_new_thread_has_the_name_of_its_creator(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000,
		 .kind = EVENT_FORK,
		 .tid = 1,
		 .other = 100,
		 .other_comm = "work"},
		{.time_ns = 1001000, .kind = EVENT_FORK, .tid = 100, .other = 101},
		{.time_ns = 1003000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
		{.kind = EVENT_TASK, .tid = 101, .comm = "other"},
		{.time_ns = 1005000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	const struct selection work = {.comm = "work"}, other = {.comm = "other"};
	char *got = result_of(array_source(events, 5), &work, 2, NULL);

	(void)state;
	assert_string_equal(got, "wwwww\n wwww\n");
	free(got);
	got = result_of(array_source(events, 5), &other, 2, NULL);
	assert_string_equal(got, "\n   ww\n");
	free(got);
}

static void a_thread_that_shows_up_in_another_process_is_another_thread(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
		{.time_ns = 1001000, .kind = EVENT_SWITCH, .cpu = 1, .other = 101},
		{.time_ns = 1003000,
		 .kind = EVENT_SWITCH,
		 .cpu = 1,
		 .pid = 100,
		 .tid = 101,
		 .state = STATE_SLEEPING},
		{.time_ns = 1006000,
		 .kind = EVENT_SWITCH,
		 .cpu = 1,
		 .pid = 200,
		 .tid = 101,
		 .state = STATE_SLEEPING},
		{.time_ns = 1007000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	struct event_source *source = array_source(events, 5);
	struct timeline *timeline = timeline_new(source, &everybody);
	struct change change;
	struct err err;
	size_t first = SIZE_MAX;

	(void)state;
	while (timeline_next(timeline, &change, &err) > 0) {
		if (change.tid != 101)
			continue;
		if (first == SIZE_MAX)
			first = change.thread;
		if (change.thread != first)
			assert_true(change.begin_ns >= 1006000 && change.pid == 200);
		/* the states of both threads are unknown then */
		if (change.end_ns > 1003000 && change.begin_ns < 1006000)
			assert_int_equal(change.state, STATE_UNKNOWN);
	}
	assert_int_equal(source->quality.reused_numbers, 1);
	timeline_free(timeline);
	event_source_free(source);
}

static void a_second_recording_continues_after_the_first(void **state)
{
	enum { STRAYS = 15 };
	struct event events[STRAYS + 6] = {
		{.time_ns = 9000000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 9000001000, .kind = EVENT_SWITCH, .cpu = 1, .other = 100},
		{.time_ns = 9000003000, .kind = EVENT_WAKE, .tid = 7, .other = 8},
	};
	struct quality quality;
	struct change change;
	struct err err;
	struct event_source *source;
	struct timeline *timeline;
	uint64_t unknown_ns = 0, running_ns = 0, last_ns = 0;

	(void)state;
	for (size_t i = 0; i < STRAYS; i++)
		events[3 + i] =
			(struct event){.time_ns = 5000, .kind = EVENT_WAKE, .tid = 7, .other = 8};
	events[STRAYS + 3] =
		(struct event){.time_ns = 5000, .kind = EVENT_WAKE, .cpu = 1, .tid = 7, .other = 8};
	events[STRAYS + 4] =
		(struct event){.time_ns = 7000, .kind = EVENT_SWITCH, .cpu = 1, .other = 100};
	events[STRAYS + 5] =
		(struct event){.time_ns = 8000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 100};
	source = array_source(events, STRAYS + 6);
	timeline = timeline_new(source, &tree);
	while (timeline_next(timeline, &change, &err) > 0) {
		uint64_t length_ns = change.end_ns - change.begin_ns;

		unknown_ns += change.state == STATE_UNKNOWN ? length_ns : 0;
		running_ns += change.state == STATE_RUNNING ? length_ns : 0;
		last_ns = change.end_ns;
	}
	quality = source->quality;
	timeline_free(timeline);
	event_source_free(source);
	assert_int_equal(quality.clock_back, STRAYS + 1);
	assert_int_equal(quality.late, 0);
	assert_int_equal(running_ns, 3000); /* two seconds in the first, one in the second */
	assert_int_equal(unknown_ns, 2000);
	assert_int_equal(last_ns - 9000000000, 6000);
}

/* So many events, the first at that time. */
struct run {
	uint64_t time_ns;
	unsigned count;
	int64_t step_ns;
	bool gap; /* lost records; otherwise a wake of another thread */
};

static void assert_time(uint64_t first_ns, const struct run *runs, size_t count, uint64_t late,
			uint64_t back, uint64_t end_ns)
{
	struct event events[64] = {
		{.time_ns = first_ns, .kind = EVENT_FORK, .tid = 1, .other = 100}};
	struct event_source *source;
	struct timeline *timeline;
	struct change change = {0};
	struct err err;
	size_t used = 1;

	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < runs[i].count; k++)
			events[used++] = (struct event){
				.time_ns = runs[i].time_ns + k * (uint64_t)runs[i].step_ns,
				.kind = runs[i].gap ? EVENT_GAP : EVENT_WAKE,
				.cpu = 1,
				.tid = 7,
				.other = 8};
	source = array_source(events, used);
	timeline = timeline_new(source, &tree);
	while (timeline_next(timeline, &change, &err) > 0)
		;
	assert_int_equal(source->quality.late, late);
	assert_int_equal(source->quality.clock_back, back);
	assert_true(change.end_ns == end_ns);
	timeline_free(timeline);
	event_source_free(source);
}

static void time_never_goes_back(void **state)
{
	enum { S = 1000000000, BACK = 100000000, STRAYS = 16 };
	static const struct {
		uint64_t first_ns;
		struct run runs[4];
		uint64_t late, back, end_ns;
	} cases[] = {
		{0, {{5, 2, 0, 0}, {7ULL * S, 1, 0, 0}}, 0, 0, 7ULL * S},
		/* a little older, or from before the recording */
		{7ULL * S, {{7ULL * S - 1, 1, 0, 0}}, 1, 0, 7ULL * S},
		{7ULL * S, {{7ULL * S - BACK, 1, 0, 0}}, 1, 0, 7ULL * S},
		{7ULL * S, {{7ULL * S - BACK - 1, 1, 0, 0}}, 0, 1, 7ULL * S},
		/* too few, interrupted, or too far from each other */
		{100ULL * S, {{S, STRAYS - 1, 1, 0}}, 0, STRAYS - 1, 100ULL * S},
		/* each as far from the one before as one clock allows, and farther */
		{100ULL * S,
		 {{50ULL * S, STRAYS, -BACK, 0}, {50ULL * S - 15ULL * BACK + 5, 1, 0, 0}},
		 0,
		 STRAYS,
		 100ULL * S + 5},
		{100ULL * S, {{50ULL * S, 2 * STRAYS, -BACK - 1, 0}}, 0, 2 * STRAYS, 100ULL * S},
		{100ULL * S,
		 {{0, STRAYS - 1, 0, 0}, {100ULL * S + 1, 1, 0, 0}, {0, STRAYS - 1, 0, 0}},
		 0,
		 2 * STRAYS - 2,
		 100ULL * S + 1},
		{100ULL * S, {{98ULL * S, 48, -2LL * S, 0}}, 0, 48, 100ULL * S},
		/* the clock was set back */
		{100ULL * S,
		 {{S, STRAYS, 1, 0}, {S + STRAYS + 4, 1, 0, 0}, {S + STRAYS + 3, 1, 0, 0}},
		 1,
		 STRAYS,
		 100ULL * S + 5},
		/* an event without a time of its own has the new one */
		{100ULL * S,
		 {{S, STRAYS, 1, 0}, {S + STRAYS + 8, 1, 0, 1}, {1, 1, 0, 1}},
		 0,
		 STRAYS,
		 100ULL * S + 9},
		/* times near the limit do not overflow */
		{UINT64_MAX,
		 {{1, STRAYS, 1, 0}, {30, 1, 0, 0}, {UINT64_MAX, 1, 0, 0}},
		 0,
		 STRAYS,
		 UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_time(cases[i].first_ns, cases[i].runs,
			    sizeof(cases[i].runs) / sizeof(cases[i].runs[0]), cases[i].late,
			    cases[i].back, cases[i].end_ns);
}

static void the_idle_thread_and_unknown_ones_are_no_threads(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 0, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 0, .other = 0},
		{.time_ns = 1001000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 0, .other = 100},
		{.time_ns = 1001500, .kind = EVENT_WAKE, .cpu = 2, .tid = 0, .other = 0},
		{.time_ns = 1002000, .kind = EVENT_WAKE, .cpu = 2, .tid = -1, .other = 100},
		{.time_ns = 1002000, .kind = EVENT_RAN, .cpu = 2, .tid = 0, .ran_ns = 500},
		{.time_ns = 1002500, .kind = EVENT_SWITCH_IN, .cpu = 2, .tid = 0},
		{.time_ns = 1002500, .kind = EVENT_SWITCH_OUT, .cpu = 2, .tid = -1},
		{.time_ns = 1003000, .kind = EVENT_EXIT, .cpu = 2, .tid = 0},
		{.time_ns = 1003000, .kind = EVENT_END, .cpu = 2, .tid = -1},
		{.time_ns = 1003500, .kind = EVENT_TASK, .cpu = 2, .tid = 0, .other_pid = -1},
		{.time_ns = 1004000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .other = 0},
	};
	struct quality quality;
	char *got = result_of(array_source(events, sizeof(events) / sizeof(events[0])), &everybody,
			      1, &quality);

	(void)state;
	assert_string_equal(got, "wRRR\n");
	assert_int_equal(quality.malformed, 0);
	free(got);
}

static void a_cpu_that_appears_late_is_counted(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 0, .other = 100},
		{.time_ns = 1002000,
		 .kind = EVENT_SWITCH,
		 .cpu = 0,
		 .tid = 100,
		 .state = STATE_RUNNABLE},
		{.time_ns = 1003000, .kind = EVENT_SWITCH, .cpu = 4000, .other = 100},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .cpu = 4000, .tid = 100},
	};
	struct event_source *source = array_source(events, 5);
	struct timeline *timeline = timeline_new(source, &tree);
	char *got = drawing_of(timeline, 1);

	(void)state;
	assert_string_equal(got, "RRwRR\n");
	assert_int_equal(timeline_cpus(timeline), 2);
	free(got);
	timeline_free(timeline);
	event_source_free(source);
}

static void an_audit_lists_each_case_with_its_place(void **state)
{
	struct event events[] = {
		{.time_ns = 1000000, .kind = EVENT_FORK, .tid = 1, .other = 100, .place = 10},
		{.time_ns = 1000000, .kind = EVENT_SWITCH, .cpu = 1, .other = 100, .place = 20},
		{.kind = EVENT_NOTE, .note = QUALITY_MALFORMED, .cpu = -1, .tid = -1, .place = 30},
		{.time_ns = 1001000, .kind = EVENT_GAP, .cpu = 1, .place = 40},
		{.time_ns = 1002000, .kind = EVENT_GAP, .cpu = -1, .note = QUALITY_PAUSED},
		{.time_ns = 1001500, .kind = EVENT_WAKE, .tid = 1, .other = 100, .place = 50},
		{.time_ns = 1004000, .kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .place = 60},
	};
	const struct finding wanted[] = {
		{.fact = QUALITY_MALFORMED, .time_ns = 1000000, .place = 30, .cpu = -1, .tid = -1},
		{.fact = QUALITY_LOST, .time_ns = 1001000, .place = 40, .cpu = 1},
		{.fact = QUALITY_PAUSED, .time_ns = 1002000, .cpu = -1},
		{.fact = QUALITY_LATE, .time_ns = 1002000, .place = 50, .cpu = -1, .tid = 1},
		{.fact = QUALITY_MISSED_SWITCH_INS,
		 .past = STATE_ACTIVE,
		 .since_ns = 1002000,
		 .time_ns = 1004000,
		 .place = 60,
		 .cpu = 1,
		 .tid = 100},
	};
	struct event_source *source = array_source(events, sizeof(events) / sizeof(events[0]));
	struct timeline *timeline = timeline_new(source, &tree);
	struct finding finding;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(timeline_next_finding(timeline, &finding, &err), 1);
		assert_memory_equal(&finding, &wanted[i], sizeof(finding));
	}
	assert_int_equal(timeline_next_finding(timeline, &finding, &err), 0);
	assert_true(source->audited);
	timeline_free(timeline);
	event_source_free(source);
}

/* --- Any input ----------------------------------------------------------------------------- */

enum { ANY_EVENTS = 3000, ANY_THREADS = 6 };

static uint32_t any(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

static struct event any_event(uint32_t *seed, uint64_t *time_ns)
{
	static const uint64_t strange[] = {0, 1, UINT64_MAX, 5000000000};
	struct event event = {.kind = (enum event_kind)any(seed, EVENT_NOTE)};

	*time_ns += any(seed, 50) ? any(seed, 3000) : any(seed, 30000000);
	event.time_ns = any(seed, 30) ? *time_ns : *time_ns - any(seed, 5000);
	if (!any(seed, 500))
		event.time_ns = strange[any(seed, 4)];
	event.state = (enum thread_state[]){STATE_RUNNABLE, STATE_SLEEPING, STATE_DISK, STATE_NONE,
					    STATE_INACTIVE}[any(seed, any(seed, 9) ? 3 : 5)];
	event.cpu = (int32_t)any(seed, 4) - 1;
	event.tid = (int32_t)any(seed, ANY_THREADS + 2) - 1;
	event.other = (int32_t)any(seed, ANY_THREADS + 2) - 1;
	if (event.kind == EVENT_FORK && event.tid == event.other)
		event.tid = 7;
	event.pid = any(seed, 9) ? -1 : (int32_t)any(seed, 3);
	event.other_pid = -1;
	event.ran_ns = any(seed, 9) ? any(seed, 4000) : strange[any(seed, 4)];
	event.place = 1;
	return event;
}

/* Changes end in the order of time, and those of a thread follow one another without a gap. */
static void assert_whole(struct event_source *source)
{
	uint64_t ends[ANY_EVENTS * 2] = {0}, last_ns = 0;
	struct timeline *timeline = timeline_new(source, &everybody);
	struct change change;
	struct err err;
	int rc;

	while ((rc = timeline_next(timeline, &change, &err)) > 0) {
		assert_true(change.begin_ns <= change.end_ns);
		assert_true(change.end_ns >= last_ns);
		assert_true(change.begin_ns >= timeline_begin_ns(timeline));
		assert_true(change.thread < ANY_EVENTS * 2);
		if (ends[change.thread])
			assert_true(change.begin_ns == ends[change.thread]);
		last_ns = ends[change.thread] = change.end_ns;
	}
	assert_int_equal(rc, 0);
	timeline_free(timeline);
	event_source_free(source);
}

static void intervals_of_a_thread_have_no_gap_for_any_input(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct event *events = xcalloc(ANY_EVENTS, sizeof(*events));
		uint64_t time_ns = 10000000000;
		uint32_t number = seed;

		for (size_t i = 0; i < ANY_EVENTS; i++)
			events[i] = any_event(&number, &time_ns);
		assert_whole(array_source(events, ANY_EVENTS));
		free(events);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(recorded_states_are_the_states_of_the_timeline),
	cmocka_unit_test(a_preempted_thread_stays_active),
	cmocka_unit_test(a_thread_is_runnable_from_its_fork_on),
	cmocka_unit_test(a_hidden_switch_in_after_a_wake_is_active_since_the_wake),
	cmocka_unit_test(a_hidden_run_after_a_hidden_wake_is_unknown_back_to_the_last_evidence),
	cmocka_unit_test(a_wait_has_the_call_chain_in_which_it_began),
	cmocka_unit_test(a_switch_in_without_a_wake_is_repaired_and_counted),
	cmocka_unit_test(a_thread_woken_while_running_was_runnable_if_it_gets_a_cpu_without_a_wake),
	cmocka_unit_test(an_old_wake_does_not_make_a_sleeping_thread_runnable),
	cmocka_unit_test(a_thread_that_wakes_another_runs_where_it_does_so),
	cmocka_unit_test(a_thread_seen_on_a_cpu_has_taken_it_from_another),
	cmocka_unit_test(a_missed_switch_out_makes_the_run_unknown),
	cmocka_unit_test(before_its_first_evidence_a_thread_is_unknown),
	cmocka_unit_test(a_thread_first_met_when_woken_was_inactive_before),
	cmocka_unit_test(lost_records_make_all_unknown_but_threads_on_other_cpus),
	cmocka_unit_test(lost_records_of_any_cpu_make_all_unknown),
	cmocka_unit_test(a_running_program_has_the_states_it_was_found_in),
	cmocka_unit_test(a_thread_found_ready_that_no_cpu_of_the_machine_ran_was_runnable),
	cmocka_unit_test(a_command_begins_with_its_exec),
	cmocka_unit_test(a_reused_tid_is_another_thread),
	cmocka_unit_test(an_event_that_comes_too_late_happens_now_and_is_counted),
	cmocka_unit_test(a_new_thread_has_the_name_of_its_creator_while_that_runs),
	cmocka_unit_test(missing_switches_of_a_whole_recording_are_one_flaw),
	cmocka_unit_test(a_new_thread_has_the_name_of_its_creator),
	cmocka_unit_test(without_a_thread_the_error_names_the_selection),
	cmocka_unit_test(a_thread_that_shows_up_in_another_process_is_another_thread),
	cmocka_unit_test(time_never_goes_back),
	cmocka_unit_test(a_second_recording_continues_after_the_first),
	cmocka_unit_test(the_idle_thread_and_unknown_ones_are_no_threads),
	cmocka_unit_test(a_cpu_that_appears_late_is_counted),
	cmocka_unit_test(an_audit_lists_each_case_with_its_place),
	cmocka_unit_test(intervals_of_a_thread_have_no_gap_for_any_input),
	cmocka_unit_test(impossible_thread_numbers_are_counted_and_ignored),
	cmocka_unit_test(an_impossible_cpu_or_process_is_counted_once_and_unknown),
	cmocka_unit_test(threads_of_a_name_count_from_the_time_of_the_name),
};

TEST_FILE(tests);
