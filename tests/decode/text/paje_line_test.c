/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "decode/open_text.h"

#include <stdio.h>

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

/* The descriptions of events at the begin of a text, each with a number. */
#define HEADS                                                                            \
	"%EventDef PajeDefineEntityValue 1\n%Alias string\n%Type string\n%Name string\n" \
	"%EndEventDef\n%EventDef PajeCreateContainer 2\n%Alias string\n%Name string\n"   \
	"%EndEventDef\n%EventDef PajeDestroyContainer 3\n%Time date\n%Name string\n"     \
	"%EndEventDef\n%EventDef PajeSetState 4\n%Time date\n%Type string\n"             \
	"%Container string\n%Value string\n%EndEventDef\n%EventDef PajePushState 5\n"    \
	"%Time date\n%Type string\n%Container string\n%Value string\n%EndEventDef\n"     \
	"%EventDef PajePopState 6\n%Time date\n%Type string\n%Container string\n"        \
	"%EndEventDef\n%EventDef PajeResetState 7\n%Time date\n%Type string\n"           \
	"%Container string\n%EndEventDef\n"

/*
 * A line, and its events: +1f enters f in thread 1, -1f leaves, !1 ends it. "bad": malformed;
 * "unknown": its event is not described.
 */
struct step {
	const char *text, *drawn;
};

static void draw(char *to, size_t size, const struct event *event, const struct blocks *blocks)
{
	char sign = event->kind == EVENT_ENTER ? '+' : event->kind == EVENT_LEAVE ? '-' : '!';
	size_t used = strlen(to);

	if (event->kind == EVENT_NOTE)
		snprintf(to + used, size - used, "%s",
			 event->note == QUALITY_MALFORMED ? "bad" : "unknown");
	else
		snprintf(to + used, size - used, "%c%d%s", sign, event->tid,
			 event->kind == EVENT_END ? "" : blocks->items[event->block].name);
}

/* The lines of a text after those of its begin. */
static void assert_steps(const char *begin, const struct step *steps, size_t count)
{
	char(*drawn)[256] = xcalloc(count, sizeof(*drawn));
	uint64_t before = 0;
	struct event_source *source;
	struct event event;
	struct err err;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fputs(begin, out);
	for (const char *at = begin; *at; at++)
		before += *at == '\n';
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s\n", steps[i].text);
	fclose(out);
	source = open_text(text, size);
	source->audited = true;
	while (event_source_next(source, &event, &err) > 0) {
		assert_in_range(event.place, before + 1, before + count);
		draw(drawn[event.place - before - 1], sizeof(*drawn), &event, &source->blocks);
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(drawn[i], steps[i].drawn) != 0)
			fail_msg("'%s', not '%s': %s", drawn[i], steps[i].drawn, steps[i].text);
	event_source_free(source);
	free(text);
	free(drawn);
}

/* Lines of such events are reported as undescribed events. */
static void an_event_that_the_format_does_not_know_is_unknown(void **state)
{
	static const struct step steps[] = {
		{"%EventDef PajeDestroyC1e308ontainer 8", ""},
		{"%Time date", ""},
		{"%Name string", ""},
		{"%EndEventDef", ""},
		{"%EventDef PajeNewEvent 9", ""},
		{"%Time date", ""},
		{"%EndEventDef", ""},
		{"4 0.5 S T1 f", "+1f"},
		{"8 0.75 T1", "unknown"},
		{"9 0.75", ""},
		{"3 1.5 T1", "-1f!1"},
	};

	(void)state;
	assert_steps(HEADS, steps, COUNT(steps));
}

static void lines_have_the_fields_that_the_head_lists(void **state)
{
	static const struct step steps[] = {
		{"# a comment", ""},
		{"", ""},
		{"%EventDef PajePushState 12", ""},
		{"%	Value string", ""},
		{"%	Time date", ""},
		{"%	Line int", ""},
		{"%	Container string", ""},
		{"%	EntityType string", ""},
		{"%EndEventDef", ""},
		{"% EventDef PajeSetVariable 13", ""},
		{"%EndEventDef", ""},
		{"12 \"read me\" 1.5 7 T1 \"\"", "+1read me"},
		{"12\tV 1.5 7 T1 \tST # more", "+2V"},
		{"12\tV 1.5 7 T1 \tST more", "bad"},
		{"%EventDef PajePush#State 16", "bad"},
		/* the first field is a name, and no field is an alias */
		{"%EventDef PajeDefineEntityValue 15", ""},
		{"%	Name string", ""},
		{"%	Type string", ""},
		{"%EndEventDef", ""},
		{"15 \"a name\" ST", ""},
		{"12 \"a name\" 2.5 7 T1 ST", "+2a name"},
		{"12 V 1.5 7 T1", "bad"},
		{"12 \"V 1.5 7 T1 ST", "bad"},
		{"13 whatever", ""},
		{"14 0.5", "unknown"},
		{"70000 0.5", "unknown"},
		{"12x V 1.5 7 T1 ST", "bad"},
		{"-1 V", "bad"},
		{"rubbish", "bad"},
	};

	(void)state;
	assert_steps("%EventDef PajeOther 0\n%EndEventDef\n", steps, COUNT(steps));
}

static void a_head_without_a_needed_field_is_reported(void **state)
{
	static const struct step steps[] = {
		{"%Time date", "bad"},
		{"%EndEventDef", "bad"},
		{"%EventDef PajePopState", "bad"},
		{"%EventDef PajePopState 65536", "bad"},
		{"%EventDef PajePopState 1 2", "bad"},
		{"%EventDef PajePopState 1", ""},
		{"1 0.5 S T", "unknown"},
		{"%Time date", ""},
		{"%EndEventDef", "bad"},
		{"1 0.5", ""},
	};

	(void)state;
	assert_steps("%EventDef PajeOther 0\n%EndEventDef\n", steps, COUNT(steps));
}

static void an_event_has_a_limited_number_of_fields(void **state)
{
	enum { FIELDS_MAX = 32 };
	struct step steps[FIELDS_MAX + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++)
		steps[i] = (struct step){"%Field int", i < FIELDS_MAX ? "" : "bad"};
	assert_steps("%EventDef PajePushState 1\n", steps, COUNT(steps));
}

static void the_layout_is_known_from_the_first_definition(void **state)
{
	static const struct first_lines cases[] = {
		{"%EventDef PajeDefineContainerType 0\n", true},
		{" % EventDef\tPajeSetState 12\n", true},
		{"# a comment\n\n%EventDef PajeSetState 12\n", true},
		{"%EventDef Other 1\n", false},
		{"%EventDef\n", false},
		{"%EndEventDef\n", false},
		{"# tracer: nop\n", false},
	};

	(void)state;
	assert_told_from_first_lines(paje_line_layout.is, cases, COUNT(cases));
}

static void states_are_entered_and_left(void **state)
{
	static const struct step steps[] = {
		{"1 a S read", ""},
		{"1 a R other", ""},
		{"2 T1 main", ""},
		{"5 1 S T1 a", "+1read"},
		{"5 2 S T1 b", "+1b"},
		{"5 3 S T2 a", "+2read"},
		{"6 4 S T1", "-1b"},
		{"5 5 S T1 b", "+1b"},
		{"4 6 S T1 c", "-1b-1read+1c"},
		{"5 7 R T1 a", "+3other"},
		{"5 8 S T1 a", "+1read"},
		{"7 9 S T1", "-1read-1c"},
		{"7 9 S T1", ""},
		{"4 10 S T1 a", "+1read"},
		{"3 11 T1", "-3other!3-1read!1"},
		{"3 11 T1", ""},
		{"5 12 S T1 a", "+4read"},
		{"3 13 nobody", "bad"},
		{"3 14 T1", "-4read!4"},
		/* a container and a type, or different ones with the same letters */
		{"5 15 xb a v", "+5v"},
		{"5 15 b ax v", "+6v"},
	};

	(void)state;
	assert_steps(HEADS, steps, COUNT(steps));
}

static void contradicting_lines_are_refused(void **state)
{
	static const struct step steps[] = {
		{"6 1 S T1", "bad"},	     {"5 x S T1 a", "bad"},	{"5 -1 S T1 a", "bad"},
		{"5 nan S T1 a", "bad"},     {"5 1e300 S T1 a", "bad"}, {"5 1 S T1 \"\"", "bad"},
		{"5 1.5e-05 S T1 a", "+1a"}, {"1 a S \"\"", "bad"},
	};

	(void)state;
	assert_steps(HEADS, steps, COUNT(steps));
}

static void events_have_the_time_and_the_name_of_the_container(void **state)
{
	static const char text[] = HEADS "2 T \"P#0 a long name\"\n5 1.5e-05 S T a\n";
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err;

	(void)state;
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.time_ns, 15000);
	assert_string_equal(event.comm, "P#0 a long name");
	assert_int_equal(event.pid, -1);
	assert_int_equal(event.count, 0);
	event_source_free(source);
}

static void stacks_have_a_limit(void **state)
{
	enum { DEPTH = 1 << 20 };
	size_t size, events = 0;
	struct event_source *source;
	struct event event;
	struct err err;
	char *text;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fputs(HEADS, out);
	for (size_t i = 0; i < DEPTH + 1; i++)
		fputs("5 1 S T a\n", out);
	fputs("6 1 S T\n5 1 S T a\n", out);
	fclose(out);
	source = open_text(text, size);
	while (event_source_next(source, &event, &err) > 0)
		events++;
	assert_int_equal(events, DEPTH + 2);
	assert_int_equal(source->quality.malformed, 1);
	event_source_free(source);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(states_are_events_with_their_lines),
	cmocka_unit_test(a_trace_without_states_is_refused),
	cmocka_unit_test(lines_have_the_fields_that_the_head_lists),
	cmocka_unit_test(an_event_that_the_format_does_not_know_is_unknown),
	cmocka_unit_test(a_head_without_a_needed_field_is_reported),
	cmocka_unit_test(an_event_has_a_limited_number_of_fields),
	cmocka_unit_test(the_layout_is_known_from_the_first_definition),
	cmocka_unit_test(states_are_entered_and_left),
	cmocka_unit_test(contradicting_lines_are_refused),
	cmocka_unit_test(events_have_the_time_and_the_name_of_the_container),
	cmocka_unit_test(stacks_have_a_limit),
};

TEST_FILE(tests);
