/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_record.h"

#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct record {
	const char *text;
	enum event_kind kind;
	enum thread_state state;
	int32_t pid, tid, other_pid, other;
	const char *comm;
	uint64_t lost;
};

/* Behind the head of thread 5 of process 4. */
static enum line_kind parse(struct event *event, uint64_t *lost, uint64_t time_ns, const char *text,
			    struct script_told told)
{
	*event = (struct event){.time_ns = time_ns,
				.cpu = 3,
				.pid = 4,
				.tid = 5,
				.other_pid = -1,
				.other = -1,
				.comm = "head"};
	return script_record_parse(event, lost, text, &told);
}

static void assert_records(const struct record *cases, size_t count, uint64_t time_ns,
			   struct script_told told)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *want = &cases[i];
		struct event event;
		uint64_t lost;

		if (parse(&event, &lost, time_ns, want->text, told) != LINE_EVENT)
			fail_msg("no event: '%s'", want->text);
		if (event.kind != want->kind || event.state != want->state ||
		    event.pid != want->pid || event.tid != want->tid ||
		    event.other_pid != want->other_pid || event.other != want->other ||
		    event.cpu != 3 || lost != want->lost)
			fail_msg("kind %d, state %s, %d/%d, other %d/%d, lost %d: '%s'",
				 (int)event.kind, thread_state_name(event.state), event.pid,
				 event.tid, event.other_pid, event.other, (int)lost, want->text);
		assert_string_equal(event.comm, want->comm);
	}
}

static void each_record_tells_what_it_says(void **state)
{
	static const struct record cases[] = {
		{"PERF_RECORD_SWITCH IN           ", EVENT_SWITCH_IN, STATE_NONE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH OUT          ", EVENT_SWITCH_OUT, STATE_INACTIVE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH OUT preempt  ", EVENT_SWITCH_OUT, STATE_RUNNABLE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0    ",
		 EVENT_SWITCH_IN, STATE_NONE, 4, 5, -1, -1, "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid: 18948/7 ",
		 EVENT_SWITCH_OUT, STATE_INACTIVE, 4, 5, -1, -1, "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 18948/7 ",
		 EVENT_SWITCH_OUT, STATE_RUNNABLE, 4, 5, -1, -1, "head", 0},
		{"PERF_RECORD_COMM: a:8/9", EVENT_TASK, STATE_NONE, 8, 9, -1, -1, "a", 0},
		{"PERF_RECORD_COMM: a: 1/2:8/9", EVENT_TASK, STATE_NONE, 8, 9, -1, -1, "a: 1/2", 0},
		{"PERF_RECORD_COMM exec: a:8/8", EVENT_EXEC, STATE_NONE, 8, 8, -1, -1, "a", 0},
		{"PERF_RECORD_FORK(8:9):(6:7)", EVENT_FORK, STATE_NONE, 6, 7, 8, 9, "", 0},
		{"PERF_RECORD_EXIT(8:9):(6:7)", EVENT_END, STATE_NONE, 8, 9, -1, -1, "", 0},
		{"PERF_RECORD_LOST lost 17", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head", 17},
		{"PERF_RECORD_LOST_SAMPLES lost 18", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head",
		 18},
		{"PERF_RECORD_LOST_SAMPLES", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head", 1},
	};

	(void)state;
	assert_records(cases, COUNT(cases), 1000, (struct script_told){.births = false});
}

static void what_perf_found_or_a_tracepoint_tells_only_says_who_is_who(void **state)
{
	static const struct record found[] = {
		{"PERF_RECORD_FORK(8:9):(6:7)", EVENT_TASK, STATE_NONE, 8, 9, 6, 7, "", 0},
		{"PERF_RECORD_COMM exec: a:8/8", EVENT_TASK, STATE_NONE, 8, 8, -1, -1, "a", 0},
	};
	struct event event;
	uint64_t lost;

	(void)state;
	assert_records(found, 2, 0, (struct script_told){.births = false});
	assert_records(found, 1, 1000, (struct script_told){.births = true});
	assert_int_equal(parse(&event, &lost, 0, "PERF_RECORD_EXIT(8:9):(6:7)",
			       (struct script_told){.ends = false}),
			 LINE_OTHER);
	assert_int_equal(parse(&event, &lost, 1000, "PERF_RECORD_EXIT(8:9):(6:7)",
			       (struct script_told){.ends = true}),
			 LINE_OTHER);
}

static void what_says_nothing_is_told_from_what_cannot_be_read(void **state)
{
	static const struct {
		const char *text;
		enum line_kind kind;
	} cases[] = {
		{"PERF_RECORD_MMAP 0/-1: [0xf0(0x1) @ 0xf0]: x [kernel]", LINE_OTHER},
		{"PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 7", LINE_OTHER},
		{"PERF_RECORD_SWITCHES IN", LINE_OTHER},
		{"PERF_RECORD_", LINE_OTHER},
		{"PERF_RECORD_SWITCH", LINE_MALFORMED},
		{"PERF_RECORD_SWITCH SIDEWAYS", LINE_MALFORMED},
		{"PERF_RECORD_SWITCH_CPU_WIDE ", LINE_MALFORMED},
		{"PERF_RECORD_COMM: a", LINE_MALFORMED},
		{"PERF_RECORD_COMM: a:8", LINE_MALFORMED},
		{"PERF_RECORD_FORK(8:9):(6:", LINE_MALFORMED},
		{"PERF_RECORD_EXIT(8:9)", LINE_MALFORMED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;
		uint64_t lost;

		if (parse(&event, &lost, 1000, cases[i].text,
			  (struct script_told){.births = false}) != cases[i].kind)
			fail_msg("not as it should be: '%s'", cases[i].text);
	}
}

static void a_switch_of_a_thread_without_a_number_is_passed_over(void **state)
{
	const struct script_told told = {.births = false};
	struct event event = {.tid = -1};
	uint64_t lost;

	(void)state;
	assert_int_equal(script_record_parse(&event, &lost, "PERF_RECORD_SWITCH OUT", &told),
			 LINE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_record_tells_what_it_says),
		cmocka_unit_test(what_perf_found_or_a_tracepoint_tells_only_says_who_is_who),
		cmocka_unit_test(what_says_nothing_is_told_from_what_cannot_be_read),
		cmocka_unit_test(a_switch_of_a_thread_without_a_number_is_passed_over),
	};

	return RUN_TESTS(tests);
}
