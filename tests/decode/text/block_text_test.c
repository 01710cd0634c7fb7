/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/block_text.h"

#include "base/err.h"
#include "decode/open_text.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void lines_tell_what_payloads_do(void **state)
{
	static const struct {
		const char *name, *fields;
		int rc;
		enum event_kind kind;
		const char *block;
		int32_t count;
		double arguments[BLOCK_ARGUMENTS];
	} cases[] = {
		{"enter", "block=main args=", 1, EVENT_ENTER, "main", 0, {0}},
		{"enter", "block=main args={}", 1, EVENT_ENTER, "main", 0, {0}},
		{"enter",
		 "block=main args=17 18446744073709551615",
		 1,
		 EVENT_ENTER,
		 "main",
		 2,
		 {17, -1}},
		{"enter",
		 "block=main args={0x11,0xffffffffffffffff}",
		 1,
		 EVENT_ENTER,
		 "main",
		 2,
		 {17, -1}},
		{"enter", "block=f args=1 2 3 4 5", 1, EVENT_ENTER, "f", 4, {1, 2, 3, 4}},
		{"leave", "block=f args=91", 1, EVENT_LEAVE, "f", 1, {91}},
		{"leave", "block=0x11 args=1 2", 1, EVENT_LEAVE, "0x11", 1, {1}},
		{"enter",
		 "block=std::f<int, A*>(char const*) args=3",
		 1,
		 EVENT_ENTER,
		 "std::f<int, A*>(char const*)",
		 1,
		 {3}},
		{"enter", "block=a args=b args=4", 1, EVENT_ENTER, "a args=b", 1, {4}},
		{"enter", "block=main", -1, 0, "", 0, {0}},
		{"enter", "block= args=1", -1, 0, "", 0, {0}},
		{"enter", "block=main args=x", -1, 0, "", 0, {0}},
		{"enter", "block=main args={1,", -1, 0, "", 0, {0}},
		{"enter", "block=main args=1  rest", -1, 0, "", 0, {0}},
		{"enter", "fd=3", 0, 0, "", 0, {0}},
		{"ent", "block=main args=1", 0, 0, "", 0, {0}},
		{"entered", "block=main args=1", 0, 0, "", 0, {0}},
		{"pscal_enter:work:", "(55d0c0de1139)", 1, EVENT_ENTER, "work", 0, {0}},
		{"pscal_enter:work:",
		 "(55d0c0de1139) arg1=0x11 arg2=-1",
		 1,
		 EVENT_ENTER,
		 "work",
		 2,
		 {17, -1}},
		{"pscal_enter:open:",
		 "(55d0c0de1139) arg1=\"/tmp\" arg2=5",
		 1,
		 EVENT_ENTER,
		 "open",
		 0,
		 {0}},
		{"pscal_leave:work:",
		 "(55d0c0de1180 <- 55d0c0de1139) ret=0x5b",
		 1,
		 EVENT_LEAVE,
		 "work",
		 1,
		 {91}},
		{"pscal_leave:work:",
		 "(55d0c0de1180 <- 55d0c0de1139)",
		 1,
		 EVENT_LEAVE,
		 "work",
		 0,
		 {0}},
		{"pscal_enter:work:", "arg1=5", -1, 0, "", 0, {0}},
		{"pscal_enter::", "(55d0c0de1139) arg1=5", -1, 0, "", 0, {0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_SWITCH, 5);
		struct blocks blocks = {0};

		if (block_text_parse(&event, &blocks, cases[i].name, strcspn(cases[i].name, ":"),
				     cases[i].fields) != cases[i].rc)
			fail_msg("%s %s: not %d", cases[i].name, cases[i].fields, cases[i].rc);
		if (cases[i].rc <= 0) {
			assert_int_equal(event.kind, EVENT_SWITCH);
			blocks_release(&blocks);
			continue;
		}
		assert_int_equal(event.kind, cases[i].kind);
		assert_string_equal(blocks.items[event.block].name, cases[i].block);
		assert_int_equal(event.count, cases[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], cases[i].arguments[k], 0);
		blocks_release(&blocks);
	}
}

static void a_text_has_them_between_switches_or_alone(void **state)
{
	static const char text[] =
		"work 51/52 [000] 10.000001: pscal:enter: block=f(int, char) args=7\n"
		"work 51/52 [000] 10.000002: foo:enter: block=g args=\n"
		"work 51/52 [000] 10.000003: pscal:enter: block=h\n"
		"work 51/52 [000] 10.000004: pscal_enter:main: (5500) arg1=0x1\n"
		"work 51/52 [000] 10.000005:          1 pscal:leave: block=f(int, char) args=8\n";
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
		uint32_t block;
	} want[] = {
		{10000001000, EVENT_ENTER, 0},
		{10000004000, EVENT_ENTER, 1},
		{10000005000, EVENT_LEAVE, 0},
	};
	struct err err = {""};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.block, want[i].block);
		assert_int_equal(event.tid, 52);
		assert_int_equal(event.pid, 51);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 1);
	assert_int_equal(source->blocks.count, 2);
	assert_string_equal(source->blocks.items[0].name, "f(int, char)");
	event_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_tell_what_payloads_do),
		cmocka_unit_test(a_text_has_them_between_switches_or_alone),
	};

	return RUN_TESTS(tests);
}
