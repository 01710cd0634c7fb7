/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/block_format.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/blocks.h"
#include "decode/event/event_source.h"
#include "decode/kernel/formats.h"
#include "decode/payload_decode.h"
#include "decode/perfdata_bytes.h"
#include "decode/recording_bytes.h"
#include "decode/step_bytes.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Decodes by way of formats, which find the type of a payload, and of whole recordings. */

#define BYTES(text) (text), sizeof(text) - 1

#define NAMES "{0, \"main\"}, {1, \"std::map<int, A*>::operator[](int)\"}, {0x2, \"\\\"\\\\q\"}"
#define ARG(n, type, offset, size, sign) \
	"\tfield:" type " arg" #n ";\toffset:" offset ";\tsize:" size ";\tsigned:" sign ";\n"

struct payload {
	const char *system, *format, *bytes;
	size_t length;
	size_t needed; /* a payload of fewer bytes is refused */
	enum event_kind kind;
	const char *name;
	int32_t count;
	double arguments[BLOCK_ARGUMENTS];
};

static const struct payload payloads[] = {
	{"pscal",
	 FORMAT_BLOCK("enter", "801", NAMES),
	 BYTES("\x21\x03\0\0\x07\0\0\0\0\0\0\0\x10\0\0\0"),
	 16,
	 EVENT_ENTER,
	 "main",
	 0,
	 {0}},
	{"pscal",
	 FORMAT_BLOCK("enter", "801", NAMES),
	 BYTES("\x21\x03\0\0\x07\0\0\0\x01\0\0\0\x10\0\x10\0"
	       "\x11\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"),
	 32,
	 EVENT_ENTER,
	 "std::map<int, A*>::operator[](int)",
	 2,
	 {17, -1}},
	{"pscal",
	 FORMAT_BLOCK("enter", "801", NAMES), /* more than an event holds */
	 BYTES("\x21\x03\0\0\x07\0\0\0\x02\0\0\0\x10\0\x28\0"
	       "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0"),
	 56,
	 EVENT_ENTER,
	 "\"\\q",
	 4,
	 {1, 2, 3, 4}},
	{"pscal",
	 FORMAT_BLOCK("leave", "802", NAMES), /* 12 bytes are one and a half numbers */
	 BYTES("\x22\x03\0\0\x07\0\0\0\0\0\0\0\x10\0\x0c\0\x5b\0\0\0\0\0\0\0\1\1\1\1"),
	 28,
	 EVENT_LEAVE,
	 "main",
	 1,
	 {91}},
	{"pscal",
	 FORMAT_BLOCK("leave", "802", NAMES), /* this number has no name */
	 BYTES("\x22\x03\0\0\x07\0\0\0\xef\xbe\xad\xde\x10\0\0\0"),
	 16,
	 EVENT_LEAVE,
	 "0xdeadbeef",
	 0,
	 {0}},
	{"pscal",
	 FORMAT_BLOCK("enter", "801", "{0, \"main\"}, {1, \"torn"),
	 BYTES("\x21\x03\0\0\x07\0\0\0\x01\0\0\0\x10\0\0\0"),
	 16,
	 EVENT_ENTER,
	 "0x1",
	 0,
	 {0}},
	{"pscal_enter",
	 FORMAT_UPROBE("work", "1800", "", ""),
	 BYTES("\x08\x07\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0"),
	 8,
	 EVENT_ENTER,
	 "work",
	 0,
	 {0}},
	{"pscal_enter",
	 FORMAT_UPROBE("main", "1801", ARG(1, "u64", "16", "8", "0") ARG(2, "s32", "24", "4", "1"),
		       ""),
	 BYTES("\x09\x07\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"
	       "\xfd\xff\xff\xff"),
	 28,
	 EVENT_ENTER,
	 "main",
	 2,
	 {-2, -3}},
	{"pscal_enter", /* the second is a text, and the third would look like the second */
	 FORMAT_UPROBE("open", "1802",
		       ARG(1, "u64", "16", "8", "0") ARG(2, "__data_loc char[]", "24", "4", "0")
			       ARG(3, "u64", "28", "8", "0"),
		       ""),
	 BYTES("\x0a\x07\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0"),
	 28,
	 EVENT_ENTER,
	 "open",
	 1,
	 {5}},
	{"pscal_leave",
	 FORMAT_UPROBE("work", "1803", "\tfield:u64 ret;\toffset:16;\tsize:8;\tsigned:0;\n", ""),
	 BYTES("\x0b\x07\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0\x2a\0\0\0\0\0\0\0"),
	 24,
	 EVENT_LEAVE,
	 "work",
	 1,
	 {42}},
};

/* All of thread 7. */
static void assert_decoded(const struct payload *want)
{
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	struct event event = {.tid = 77};

	assert_int_equal(formats_add(formats, want->system, want->format, strlen(want->format)), 0);
	assert_true(formats_have_blocks(formats));
	if (payload_decode(formats, &event, want->bytes, want->length) != 1)
		fail_msg("not decoded: %.30s", want->format);
	assert_string_equal(blocks.items[event.block].name, want->name);
	if (event.kind != want->kind || event.tid != 7 || event.count != want->count)
		fail_msg("kind %d, tid %d, count %d: %s", (int)event.kind, event.tid, event.count,
			 want->name);
	for (int32_t i = 0; i < want->count; i++)
		assert_close(event.arguments[i], want->arguments[i], 0);
	assert_cut_payload_refused(formats, want->bytes, want->needed);
	formats_free(formats);
	blocks_release(&blocks);
}

static void blocks_have_the_names_and_arguments_of_their_formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(payloads); i++)
		assert_decoded(&payloads[i]);
}

static void an_event_with_another_name_or_system_is_no_block(void **state)
{
	static const struct {
		const char *system, *name;
		enum event_kind kind;
	} cases[] = {
		{"pscal", "enter", EVENT_ENTER},	{"pscal", "leave", EVENT_LEAVE},
		{"pscal", "entered", EVENT_NOTE},	{"pscal", "ente", EVENT_NOTE},
		{"sched", "enter", EVENT_NOTE},		{"pscal_enter", "leave", EVENT_ENTER},
		{"pscal_leave", "main", EVENT_LEAVE},	{"pscal_enter2", "main", EVENT_NOTE},
		{"probe_pscal_enter", "m", EVENT_NOTE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(
			block_format_kind(cases[i].system, cases[i].name, strlen(cases[i].name)),
			cases[i].kind);
}

static void an_event_without_its_block_is_ignored(void **state)
{
	static const char format[] =
		FORMAT_HEAD("enter", "801") "\tfield:u64 args;\toffset:8;\tsize:8"
					    ";\tsigned:0;\n\nprint fmt: \"\"\n";
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	struct event event = {.tid = 77};

	(void)state;
	assert_int_equal(formats_add(formats, "pscal", BYTES(format)), 0);
	assert_false(formats_have_blocks(formats));
	assert_int_equal(
		payload_decode(formats, &event, BYTES("\x21\x03\0\0\x07\0\0\0\0\0\0\0\0\0\0\0")),
		0);
	formats_free(formats);
}

/* More blocks would take gigabytes, and no recorder writes so many. */
static void numbers_may_have_any_size(void **state)
{
	static const char format[] = FORMAT_BLOCK(
		"enter", "801",
		"{0xffffffff, \"far\"}, {18446744073709551615, \"farther\"}, {1048576, \"just\"}, "
		"{99999999999999999999999, \"x\"}, {7, \"seven\"}");
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	struct event event = {.tid = 77};

	(void)state;
	assert_int_equal(formats_add(formats, "pscal", BYTES(format)), 0);
	assert_int_equal(payload_decode(formats, &event,
					BYTES("\x21\x03\0\0\x07\0\0\0\xff\xff\xff\xff\x10\0\0\0")),
			 1);
	assert_string_equal(blocks.items[event.block].name, "0xffffffff");
	formats_free(formats);
	blocks_release(&blocks);
}

/* A recording of all functions has so many. */
static void a_hundred_thousand_names_stay_different(void **state)
{
	enum { NUMBERS = 100000 };
	struct bytes format = {0};
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	static const char whole[] = FORMAT_BLOCK("leave", "802", "@");
	size_t begin = (size_t)(strchr(whole, '@') - whole);

	(void)state;
	put(&format, whole, begin);
	for (int i = 0; i < NUMBERS; i++) {
		char name[64];

		put(&format, name,
		    (size_t)snprintf(name, sizeof(name), "%s{%d, \"std::f<%d, int>(char)\"}",
				     i ? ", " : "", i, i));
	}
	put(&format, whole + begin + 1, sizeof(whole) - begin - 2);
	assert_int_equal(formats_add(formats, "pscal", format.at, format.count), 0);
	assert_int_equal(blocks.count, NUMBERS);
	for (uint32_t i = 0; i < NUMBERS; i += 997) {
		char payload[16] = "\x22\x03\0\0\x07", name[64];
		struct event event = {.tid = 77};

		memcpy(payload + 8, &i, sizeof(i));
		assert_int_equal(payload_decode(formats, &event, payload, sizeof(payload)), 1);
		snprintf(name, sizeof(name), "std::f<%u, int>(char)", i);
		assert_string_equal(blocks.items[event.block].name, name);
	}
	free(format.at);
	formats_free(formats);
	blocks_release(&blocks);
}

/* Reads all events; `name` gets the name of the last block. Returns the number of events. */
static size_t read_blocks(struct perfdata_bytes *file, struct event *events, size_t most,
			  char name[64])
{
	struct bytes bytes = perfdata_join(file);
	struct event event;
	struct err err = {.text = ""};
	char path[64];
	struct event_source *source = perfdata_open(&bytes, path, &err);
	size_t count = 0;

	if (!source)
		fail_msg("%s", err.text);
	while (event_source_next(source, &event, &err) > 0) {
		if (event.kind != EVENT_ENTER && event.kind != EVENT_LEAVE)
			continue;
		assert_true(count < most);
		events[count++] = event;
		snprintf(name, 64, "%s", source->blocks.items[event.block].name);
	}
	event_source_free(source);
	free(bytes.at);
	return count;
}

static void a_recording_has_blocks_beside_switches_or_alone(void **state)
{
	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct perfdata_bytes file = {.with_blocks = true, .no_sched = alone};
		struct event events[3];
		char name[64] = "";

		if (!alone)
			add_switch(&file, 1000, 0, 5, 1, 6);
		add_block(&file, 1500, 0, 6, false, 0, 17);
		add_block(&file, 1600, 0, 6, false, 1, 3);
		add_block(&file, 1700, 0, 6, true, 1, (uint64_t)-5);
		assert_int_equal(read_blocks(&file, events, 3, name), 3);
		assert_string_equal(name, "g<int, 2>");
		assert_int_equal(events[0].kind, EVENT_ENTER);
		assert_int_equal(events[0].block, 0);
		assert_int_equal(events[0].tid, 6);
		assert_int_equal(events[0].pid, 100);
		assert_close(events[0].arguments[0], 17, 0);
		assert_int_equal(events[2].kind, EVENT_LEAVE);
		assert_int_equal(events[2].time_ns, 1700);
		assert_close(events[2].arguments[0], -5, 0);
	}
}

static const struct step_bytes steps[] = {
	{0, TASK_BEGIN, 3, 1, 300},
	{1, TASK_SPAWN, 3, 9, 128},
	{1, TASK_SYNC, UINT64_C(1) << 55, 9, 9},
	{7, TASK_END, 3, 0, 0}, /* a site without a name */
	{0, TASK_STEPS, 3, 0, 0},
	{0, 0, 3, 0, 0},
};

static void a_recording_has_steps_beside_switches_or_alone(void **state)
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
		struct err err = {.text = ""};
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

static void a_step_that_lacks_a_field_is_ignored(void **state)
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

static void a_payload_of_a_step_that_is_too_short_is_refused(void **state)
{
	static const char whole[] = FORMAT_TASK("803", "{0, \"f\"}");
	struct blocks blocks = {0};
	struct formats *formats = formats_new(&blocks);
	struct event event = event_new(EVENT_SWITCH, 5);
	char payload[36] = "\x23\x03\0\0\7\0\0\0\0\0\0\0\1";
	const struct tracepoint *tracepoint;

	(void)state;
	assert_int_equal(formats_add(formats, "pscal", whole, sizeof(whole) - 1), 0);
	tracepoint = formats_find(formats, payload);
	assert_non_null(tracepoint);
	assert_int_equal(formats_decode(formats, tracepoint, &event, payload, sizeof(payload)), 1);
	for (size_t length = 2; length < sizeof(payload); length++) {
		char *copy = malloc(length); /* the sanitizer watches its end */

		memcpy(copy, payload, length);
		assert_int_equal(formats_decode(formats, tracepoint, &event, copy, length), -1);
		free(copy);
	}
	formats_free(formats);
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(blocks_have_the_names_and_arguments_of_their_formats),
	cmocka_unit_test(an_event_with_another_name_or_system_is_no_block),
	cmocka_unit_test(an_event_without_its_block_is_ignored),
	cmocka_unit_test(numbers_may_have_any_size),
	cmocka_unit_test(a_hundred_thousand_names_stay_different),
	cmocka_unit_test(a_recording_has_blocks_beside_switches_or_alone),
	cmocka_unit_test(a_recording_has_steps_beside_switches_or_alone),
	cmocka_unit_test(a_step_that_lacks_a_field_is_ignored),
	cmocka_unit_test(a_payload_of_a_step_that_is_too_short_is_refused),
};

TEST_FILE(tests);
