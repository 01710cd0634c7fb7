/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/enter_leave_source.h"

#include "decode/open_text.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD	     "#timestamp #ThreadId #Event\n"

/* The example of the thesis. */
static void a_trace_says_what_threads_enter_and_leave(void **state)
{
	static const char text[] =
		HEAD "0.00175s   1       Enter function Foo(arg1=17)\n"
		     "0.20573s   1       Enter function Bar(n=42.23)\n"
		     "0.21248s   2       Enter function Baz(a=21, b=40)\n"
		     "0.31054s   2       Leave function Baz(a=21, b=40) return value=91\n";
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
		int32_t tid;
		const char *name;
		int32_t count;
		double arguments[2];
	} want[] = {
		{1750000, EVENT_ENTER, 1, "Foo", 1, {17}},
		{205730000, EVENT_ENTER, 1, "Bar", 1, {42.23}},
		{212480000, EVENT_ENTER, 2, "Baz", 2, {21, 40}},
		{310540000, EVENT_LEAVE, 2, "Baz", 1, {91}},
	};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.tid, want[i].tid);
		assert_int_equal(event.place, i + 2);
		assert_string_equal(source->blocks.items[event.block].name, want[i].name);
		assert_int_equal(event.count, want[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], want[i].arguments[k], 1e-15);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_string_equal(blocks_argument(&source->blocks, 0, 0), "arg1");
	assert_string_equal(blocks_argument(&source->blocks, 2, 1), "b");
	event_source_free(source);
}

/* x is the first that is met, then z, then y. */
static void arguments_keep_their_places(void **state)
{
	static const char text[] = HEAD "1s 1 Enter function f(t=\"a, b\", x=1, z=2)\n"
					"2s 1 Enter function f(z=3, x=4)\n"
					"3s 1 Enter function f(z=5, y=6)\n"
					"4s 1 Enter function f(x=7, z=nan, y=8)\n"
					"5s 1 Enter function f(x=1, y=2, z=3, u=4, v=5, w=6)\n";
	static const struct {
		int32_t count;
		double arguments[BLOCK_ARGUMENTS];
	} want[] = {{2, {1, 2}}, {2, {4, 3}}, {0, {0}}, {1, {7}}, {4, {1, 3, 2, 4}}};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.count, want[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], want[i].arguments[k], 0);
	}
	event_source_free(source);
}

static void what_cannot_be_read_is_counted_and_told(void **state)
{
	static const char text[] = HEAD "1s 1 Enter function f(a=1)\n"
					"rubbish\n"
					"# a comment\n"
					"2s 1 Leave function \0 f(a=1)\n"
					"3s 1 Leave function f(a=1)\n";
	static const struct text_event want[] = {
		{EVENT_ENTER, 1000000000, 2, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 3, QUALITY_MALFORMED},
		{EVENT_NOTE, 0, 5, QUALITY_MALFORMED},
		{EVENT_LEAVE, 3000000000, 6, QUALITY_EVENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source =
			assert_text_events(text, sizeof(text) - 1, want, COUNT(want), audited);

		assert_int_equal(source->quality.malformed, 2);
		event_source_free(source);
	}
}

static void a_text_of_nothing_else_is_refused(void **state)
{
	static const char text[] = HEAD "# nothing\nrubbish\n";

	(void)state;
	assert_text_refused(text, sizeof(text) - 1,
			    "holds no line that says what a thread enters or leaves");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_says_what_threads_enter_and_leave),
		cmocka_unit_test(arguments_keep_their_places),
		cmocka_unit_test(what_cannot_be_read_is_counted_and_told),
		cmocka_unit_test(a_text_of_nothing_else_is_refused),
	};

	return RUN_TESTS(tests);
}
