/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_source.h"

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
	static const struct text_event want[] = {
		{EVENT_ENTER, 500000000, 14, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 15, QUALITY_UNKNOWN_EVENTS},
		{EVENT_NOTE, 0, 16, QUALITY_MALFORMED},
		{EVENT_LEAVE, 750000000, 17, QUALITY_EVENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source =
			assert_text_events(text, sizeof(text) - 1, want, COUNT(want), audited);

		assert_int_equal(source->quality.malformed, 1);
		assert_int_equal(source->quality.unknown_events, 1);
		assert_string_equal(source->blocks.items[0].name, "work");
		event_source_free(source);
	}
}

static void a_trace_without_states_is_refused(void **state)
{
	static const char text[] = HEAD "# nothing\n";

	(void)state;
	assert_text_refused(text, sizeof(text) - 1,
			    "is a trace of Paje without states of containers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_events_with_their_lines),
		cmocka_unit_test(a_trace_without_states_is_refused),
	};

	return RUN_TESTS(tests);
}
