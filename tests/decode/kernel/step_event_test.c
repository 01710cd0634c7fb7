/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By way of texts and of whole recordings. */
#include "decode/kernel/step_event.h"

#include "base/err.h"
#include "decode/event/blocks.h"
#include "decode/event/event_source.h"
#include "decode/kernel/formats.h"
#include "decode/open_text.h"
#include "decode/step_bytes.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void lines_tell_what_tasks_do(void **state)
{
	static const struct {
		const char *text;
		int rc;
		enum task_step step;
		uint64_t task, parent;
		uint32_t index;
	} cases[] = {
		{"step=begin task=3 value=1 index=300", 1, TASK_BEGIN, 3, 1, 300},
		{"step=begin task=72057594037927935 value=0 index=4294967295", 1, TASK_BEGIN,
		 (UINT64_C(1) << 56) - 1, 0, UINT32_MAX},
		{"step=end task=3 value=0 index=0  ", 1, TASK_END, 3, 0, 0},
		{"step=spawn task=3 value=0 index=128", 1, TASK_SPAWN, 3, 0, 128},
		{"step=spawned task=3 value=0 index=0", 1, TASK_SPAWNED, 3, 0, 0},
		{"step=sync_of task=3 value=0 index=9", 1, TASK_SYNC_OF, 3, 0, 9},
		{"step=sync task=3 value=0 index=0", 1, TASK_SYNC, 3, 0, 0},
		{"step=sync task=3 value=0 index=1", 1, TASK_SYNC, 3, 0, 1},
		{"step=synced task=3 value=0 index=0", 1, TASK_SYNCED, 3, 0, 0},
		{"step=pause task=3 value=0 index=0", 1, TASK_PAUSE, 3, 0, 0},
		{"step=resume task=3 value=0 index=0", 1, TASK_RESUME, 3, 0, 0},
		{"step=barrier task=3 value=0 index=0", 1, TASK_BARRIER, 3, 0, 0},
		/* What does not belong to the step. */
		{"step=sync task=3 value=5 index=5", 1, TASK_SYNC, 3, 0, 0},
		{"step=spawn task=3 value=5 index=5", 1, TASK_SPAWN, 3, 0, 5},
		{"step=beg task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=0x63 task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step= task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0 index=4294967296", -1, 0, 0, 0, 0},
		{"step=begin task=18446744073709551616 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=-3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0 index=0 more", -1, 0, 0, 0, 0},
		{"step=begin", -1, 0, 0, 0, 0},
		{"", -1, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_STEP, 5);

		if (step_event_parse(&event, cases[i].text, NULL) != cases[i].rc)
			fail_msg("'%s': not %d", cases[i].text, cases[i].rc);
		if (cases[i].rc < 0)
			continue;
		assert_int_equal(event.step, cases[i].step);
		assert_int_equal(event.object, cases[i].task);
		assert_int_equal(event.object2, cases[i].parent);
		assert_int_equal((uint32_t)event.count, cases[i].index);
	}
}

static void what_is_counted_stands_behind_the_step(void **state)
{
#define NOT  TASK_UNCOUNTED
#define STEP "step=end task=3 value=0 index=0"
	static const struct {
		const char *text;
		int rc;
		uint64_t counted[TASK_COUNTED_MAX]; /* of a, b, c, d */
	} cases[] = {
		{STEP, 1, {NOT, NOT, NOT, NOT}},
		{STEP " a=17", 1, {17, NOT, NOT, NOT}},
		{STEP " b=0 a=18446744073709551614 ", 1, {UINT64_MAX - 1, 0, NOT, NOT}},
		{STEP " c=-1 d=4", 1, {NOT, NOT, NOT, 4}},
		{STEP " e=4", -1, {0}}, /* there are four already */
		{STEP " a=", -1, {0}},
		{STEP " a=-2", -1, {0}},
		{STEP " a=x", -1, {0}},
		{STEP " =4", -1, {0}},
		{STEP " a=4x", -1, {0}},
		{STEP " a=18446744073709551616", -1, {0}},
	};
	struct blocks blocks = {.count = 0};

	(void)state;
	for (int i = 0; i < TASK_COUNTED_MAX; i++)
		assert_int_equal(blocks_counter(&blocks, &"abcd"[i], 1), i);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_STEP, 5);

		if (step_event_parse(&event, cases[i].text, &blocks) != cases[i].rc)
			fail_msg("'%s': not %d", cases[i].text, cases[i].rc);
		if (cases[i].rc > 0)
			assert_memory_equal(event.counted, cases[i].counted, sizeof(event.counted));
	}
	blocks_release(&blocks);
}

static void counters_that_are_times_are_known(void **state)
{
	struct blocks blocks = {.count = 0};

	(void)state;
	assert_int_equal(blocks_counter(&blocks, "task-clock:u more", 12), 0);
	assert_int_equal(blocks_counter(&blocks, "page-faults", 11), 1);
	assert_int_equal(blocks_counter(&blocks, "task-clock:u", 12), 0);
	assert_string_equal(blocks.counters[0].name, "task-clock:u");
	assert_true(blocks.counters[0].in_ns);
	assert_false(blocks.counters[1].in_ns);
	blocks_release(&blocks);
}

/* --- Recordings ---------------------------------------------------------------------------- */

static const struct step_bytes steps[] = {
	{0, TASK_BEGIN, 3, 1, 300},
	{1, TASK_SPAWN, 3, 9, 128},
	{1, TASK_SYNC, UINT64_C(1) << 55, 9, 9},
	{7, TASK_END, 3, 0, 0}, /* a place without a name */
	{0, TASK_STEPS, 3, 0, 0},
	{0, 0, 3, 0, 0},
};

static void a_recording_has_them_beside_switches_or_alone(void **state)
{
	static const struct {
		const char *name;
		enum task_step step;
		uint64_t task, parent;
		int32_t index;
	} want[] = {
		{"fib fib.c:7", TASK_BEGIN, 3, 1, 300},
		{"fib fib.c:9", TASK_SPAWN, 3, 0, 128},
		{"fib fib.c:9", TASK_SYNC, UINT64_C(1) << 55, 0, 0},
		{"0x7", TASK_END, 3, 0, 0},
	};

	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct perfdata_bytes file = {.with_tasks = true, .no_sched = alone};
		struct bytes bytes;
		struct event_source *source;
		struct event event;
		struct err err = {""};
		char path[64];
		size_t count = 0;

		if (!alone)
			add_switch(&file, 1000, 0, 5, 1, 6);
		for (size_t i = 0; i < COUNT(steps); i++)
			add_step(&file, 1500 + i, 0, 6, &steps[i]);
		bytes = perfdata_join(&file);
		source = perfdata_open(&bytes, path, &err);
		if (!source)
			fail_msg("%s", err.text);
		while (event_source_next(source, &event, &err) > 0) {
			if (event.kind != EVENT_STEP)
				continue;
			assert_true(count < COUNT(want));
			assert_string_equal(source->blocks.items[event.block].name,
					    want[count].name);
			assert_int_equal(event.time_ns, 1500 + count);
			assert_int_equal(event.pid, 100);
			assert_int_equal(event.tid, 6);
			assert_int_equal(event.step, want[count].step);
			assert_int_equal(event.object, want[count].task);
			assert_int_equal(event.object2, want[count].parent);
			assert_int_equal(event.count, want[count].index);
			count++;
		}
		assert_int_equal(count, COUNT(want));
		assert_int_equal(source->quality.malformed, 2);
		event_source_free(source);
		free(bytes.at);
	}
}

static void an_event_that_lacks_a_field_is_passed_over(void **state)
{
	static const char *const names[] = {"site", "step", "task", "value", "index"};
	static const char whole[] = FORMAT_TASK("803", "{0, \"f\"}");

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct blocks blocks = {0};
		struct formats *formats = formats_new(&blocks);
		char text[sizeof(whole)], field[32];
		char *at;

		memcpy(text, whole, sizeof(whole));
		snprintf(field, sizeof(field), " %s;", names[i]);
		at = strstr(text, field);
		assert_non_null(at);
		at[1] = 'x';
		assert_int_equal(formats_add(formats, "pscal", text, sizeof(text) - 1), 0);
		assert_false(formats_have_blocks(formats));
		formats_free(formats);
		blocks_release(&blocks);
	}
}

static void too_short_a_payload_is_refused(void **state)
{
	static const char whole[] = FORMAT_TASK("803", "{0, \"f\"}");
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	struct event event = event_new(EVENT_SWITCH, 5);
	char payload[36] = "\x23\x03\0\0\7\0\0\0\0\0\0\0\1";
	const struct tracepoint *tracepoint;
	int type;

	(void)state;
	assert_int_equal(formats_add(formats, "pscal", whole, sizeof(whole) - 1), 0);
	tracepoint = formats_find(formats, payload, &type);
	assert_int_equal(type, 803);
	assert_int_equal(formats_decode(formats, tracepoint, &event, payload, sizeof(payload)), 1);
	for (size_t length = 2; length < sizeof(payload); length++) {
		char *copy = malloc(length); /* its end is watched */

		memcpy(copy, payload, length);
		assert_int_equal(formats_decode(formats, tracepoint, &event, copy, length), -1);
		free(copy);
	}
	formats_free(formats);
	blocks_release(&blocks);
}

/* --- Text ---------------------------------------------------------------------------------- */

static void a_text_has_them_between_switches_or_alone(void **state)
{
	static const char text[] =
		"work 51/52 [-01] 10.000001: pscal:task: site=fib a b.c:7 step=begin task=3 "
		"value=1 "
		"index=2\n"
		"work 51/52 [-01] 10.000002: foo:task: site=g step=end task=3 value=0 index=0\n"
		"work 51/52 [-01] 10.000003: pscal:task: site=h step=end\n"
		"work 51/52 [-01] 10.000004: pscal:task: site= step=end task=3 value=0 index=0\n"
		"work 51/52 [-01] 10.000005: pscal:task: site=x step=y step=end task=3 value=0 "
		"index=0\n";
	static const struct {
		uint64_t time_ns;
		enum task_step step;
		uint32_t block;
	} want[] = {{10000001000, TASK_BEGIN, 0}, {10000005000, TASK_END, 1}};
	struct err err = {""};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, EVENT_STEP);
		assert_int_equal(event.step, want[i].step);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.block, want[i].block);
		assert_int_equal(event.object, 3);
		assert_int_equal(event.tid, 52);
		assert_int_equal(event.pid, 51);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 2);
	assert_int_equal(source->blocks.count, 2);
	assert_string_equal(source->blocks.items[0].name, "fib a b.c:7");
	assert_string_equal(source->blocks.items[1].name, "x step=y");
	event_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_counted_stands_behind_the_step),
		cmocka_unit_test(counters_that_are_times_are_known),
		cmocka_unit_test(lines_tell_what_tasks_do),
		cmocka_unit_test(a_recording_has_them_beside_switches_or_alone),
		cmocka_unit_test(an_event_that_lacks_a_field_is_passed_over),
		cmocka_unit_test(too_short_a_payload_is_refused),
		cmocka_unit_test(a_text_has_them_between_switches_or_alone),
	};

	return RUN_TESTS(tests);
}
