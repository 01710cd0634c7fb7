/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/paje_source.h"

#include "decode/open_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD                                                                                 \
	"# made by hand\n\n%EventDef PajePushState 1\n%Time date\n%Type string\n%Container " \
	"string\n"                                                                           \
	"%Value string\n%EndEventDef\n%EventDef PajePopState 2\n%Time date\n%Type string\n"  \
	"%Container string\n%EndEventDef\n"

static void states_are_events_with_their_lines(void **state)
{
	static const char text[] = HEAD "1 0.5 S T work\n"
					"3 0.5 S\n"
					"2 0.6 S U\n"
					"2 0.75 S T\n";
	static const struct {
		enum event_kind kind;
		uint64_t time_ns, place;
		enum quality_fact note;
	} want[] = {
		{EVENT_ENTER, 500000000, 14, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 15, QUALITY_UNKNOWN_EVENTS},
		{EVENT_NOTE, 0, 16, QUALITY_MALFORMED},
		{EVENT_LEAVE, 750000000, 17, QUALITY_EVENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source = open_text(text, sizeof(text) - 1);
		struct event event;
		struct err err;

		source->audited = audited;
		for (size_t i = 0; i < COUNT(want); i++) {
			if (!audited && want[i].kind == EVENT_NOTE)
				continue;
			assert_int_equal(event_source_next(source, &event, &err), 1);
			assert_int_equal(event.kind, want[i].kind);
			assert_int_equal(event.time_ns, want[i].time_ns);
			assert_int_equal(event.place, want[i].place);
			assert_int_equal(event.note, want[i].note);
		}
		assert_int_equal(event_source_next(source, &event, &err), 0);
		assert_int_equal(source->quality.malformed, 1);
		assert_int_equal(source->quality.unknown_events, 1);
		assert_string_equal(source->blocks.items[0].name, "work");
		event_source_free(source);
	}
}

static void a_trace_without_states_is_refused(void **state)
{
	static const char text[] = HEAD "# nothing\n";
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err = {""};

	(void)state;
	assert_int_equal(event_source_next(source, &event, &err), -1);
	assert_non_null(strstr(err.text, "is a trace of Paje without states of containers"));
	event_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_events_with_their_lines),
		cmocka_unit_test(a_trace_without_states_is_refused),
	};

	return RUN_TESTS(tests);
}
