/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline.h"

#include "base/alloc.h"
#include "base/err.h"
#include "drawing.h"
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

/* What the timeline makes of `source`; the source is freed. */
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

static void what_is_recorded_is_what_is_told(void **state)
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

static void a_thread_woken_while_it_still_runs_was_runnable_if_it_gets_a_cpu_unwoken(void **state)
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

static void who_is_seen_to_run_on_a_cpu_has_taken_it_from_another(void **state)
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
	/* It was there before the trace; the switch-out is the first that is seen of it. */
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

static void lost_records_make_unknown_all_but_who_ran_elsewhere(void **state)
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
	assert_string_equal(got, ".....\naaaDD\n");
	free(got);
}

static void a_tid_that_is_used_again_is_another_thread(void **state)
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

static void impossible_thread_numbers_are_counted_and_passed_over(void **state)
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

static void threads_of_a_name_count_from_when_they_have_it(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_recorded_is_what_is_told),
		cmocka_unit_test(a_preempted_thread_stays_active),
		cmocka_unit_test(a_thread_is_runnable_from_its_fork_on),
		cmocka_unit_test(a_hidden_switch_in_after_a_wake_is_active_since_the_wake),
		cmocka_unit_test(
			a_hidden_run_after_a_hidden_wake_is_unknown_back_to_the_last_evidence),
		cmocka_unit_test(a_switch_in_without_a_wake_is_repaired_and_counted),
		cmocka_unit_test(
			a_thread_woken_while_it_still_runs_was_runnable_if_it_gets_a_cpu_unwoken),
		cmocka_unit_test(an_old_wake_does_not_make_a_sleeping_thread_runnable),
		cmocka_unit_test(a_thread_that_wakes_another_runs_where_it_does_so),
		cmocka_unit_test(who_is_seen_to_run_on_a_cpu_has_taken_it_from_another),
		cmocka_unit_test(a_missed_switch_out_makes_the_run_unknown),
		cmocka_unit_test(before_its_first_evidence_a_thread_is_unknown),
		cmocka_unit_test(a_thread_first_met_when_woken_was_inactive_before),
		cmocka_unit_test(lost_records_make_unknown_all_but_who_ran_elsewhere),
		cmocka_unit_test(a_running_program_has_the_states_it_was_found_in),
		cmocka_unit_test(a_tid_that_is_used_again_is_another_thread),
		cmocka_unit_test(an_event_that_comes_too_late_happens_now_and_is_counted),
		cmocka_unit_test(impossible_thread_numbers_are_counted_and_passed_over),
		cmocka_unit_test(threads_of_a_name_count_from_when_they_have_it),
	};

	return RUN_TESTS(tests);
}
