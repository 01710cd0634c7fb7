/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_timeline.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "report/report.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reading the text gives the same events again, for all names and numbers. */
static void reading_the_text_gives_the_same_events(void **state)
{
	static const struct {
		const char *name, *again; /* NULL: the same */
		enum event_kind kind;
		int32_t count;
		double arguments[BLOCK_ARGUMENTS];
	} cases[] = {
		{"main", NULL, EVENT_ENTER, 2, {1, 140737488346104}},
		{"f(int, char)", NULL, EVENT_ENTER, 0, {0}},
		{"f(int, char)", NULL, EVENT_LEAVE, 1, {-0.1}},
		{"std::map<int, g(A*)>::operator()(int)", NULL, EVENT_ENTER, 1, {1e300}},
		{"operator\"\" _x(unsigned long long)", NULL, EVENT_ENTER, 4, {0, -1, 0.5, 1e-9}},
		{"(anonymous namespace)::f()", NULL, EVENT_LEAVE, 0, {0}},
		{"f(a=1)", NULL, EVENT_LEAVE, 1, {4294967295}},
		{"two\nlines", "two\xef\xbf\xbdlines", EVENT_ENTER, 1, {3}},
		{"odd\")\"", NULL, EVENT_LEAVE, 1, {12345.678901234567}},
	};
	char path[] = "/tmp/report_timeline.XXXXXX";
	struct blocks blocks = {0};
	struct err err = {.text = ""};
	struct report *report;
	struct event_source *source;
	struct event event;

	(void)state;
	close(mkstemp(path));
	report = report_open(path, REPORT_TEXT, &err);
	report_enter_leave_begin(report);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mark mark = {.event = &event, .time_ns = 7000000000 + i};

		event = event_new(cases[i].kind, mark.time_ns);
		event.tid = (int32_t)i + 1;
		event.count = cases[i].count;
		memcpy(event.arguments, cases[i].arguments, sizeof(event.arguments));
		event.block =
			(uint32_t)blocks_number(&blocks, cases[i].name, strlen(cases[i].name));
		report_enter_leave_event(report, &mark, &blocks, 5000000000);
	}
	assert_int_equal(report_finish(report, 0, &err), 0);
	source = trace_input_read(input_open(path, INPUT_OF_ANYONE, &err), &err);
	unlink(path);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *want = cases[i].again ? cases[i].again : cases[i].name;

		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_string_equal(source->blocks.items[event.block].name, want);
		assert_int_equal(event.kind, cases[i].kind);
		assert_int_equal(event.tid, i + 1);
		assert_int_equal(event.time_ns, 2000000000 + i);
		assert_int_equal(event.count, cases[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], cases[i].arguments[k], 0);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	event_source_free(source);
	blocks_release(&blocks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reading_the_text_gives_the_same_events),
};

TEST_FILE(tests);
