/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_layout.h"

#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What reading a line gives, and what is in it. */
struct step {
	const char *text;
	int rc;
	enum paje_kind kind;
	const char *type, *value;
};

static void assert_steps(const struct step *steps, size_t count)
{
	struct paje_layouts layouts = {0};

	for (size_t i = 0; i < count; i++) {
		struct paje_line line;
		int rc = paje_layouts_parse(&layouts, &line, steps[i].text);

		if (rc != steps[i].rc)
			fail_msg("%d, not %d: %s", rc, steps[i].rc, steps[i].text);
		if (rc <= 0)
			continue;
		assert_int_equal(line.kind, steps[i].kind);
		assert_int_equal(line.fields[PAJE_TYPE].length, strlen(steps[i].type));
		assert_memory_equal(line.fields[PAJE_TYPE].at, steps[i].type,
				    strlen(steps[i].type));
		assert_int_equal(line.fields[PAJE_VALUE].length, strlen(steps[i].value));
		assert_memory_equal(line.fields[PAJE_VALUE].at, steps[i].value,
				    strlen(steps[i].value));
	}
	paje_layouts_release(&layouts);
}

static void lines_have_the_fields_that_the_head_lists(void **state)
{
	static const struct step steps[] = {
		{"# a comment", 0, 0, NULL, NULL},
		{"", 0, 0, NULL, NULL},
		{"%EventDef PajePushState 12", 0, 0, NULL, NULL},
		{"%	Value string", 0, 0, NULL, NULL},
		{"%	Time date", 0, 0, NULL, NULL},
		{"%	Line int", 0, 0, NULL, NULL},
		{"%	Container string", 0, 0, NULL, NULL},
		{"%	EntityType string", 0, 0, NULL, NULL},
		{"%EndEventDef", 0, 0, NULL, NULL},
		{"% EventDef PajeSetVariable 13", 0, 0, NULL, NULL},
		{"%EndEventDef", 0, 0, NULL, NULL},
		{"12 \"read me\" 1.5 7 T1 \"\"", 1, PAJE_PUSH, "", "read me"},
		{"12\tV 1.5 7 T1 \tST more", 1, PAJE_PUSH, "ST", "V"},
		{"12 V 1.5 7 T1", -1, 0, NULL, NULL},
		{"12 \"V 1.5 7 T1 ST", -1, 0, NULL, NULL},
		{"13 whatever", 0, 0, NULL, NULL},
		{"14 0.5", -2, 0, NULL, NULL},
		{"70000 0.5", -2, 0, NULL, NULL},
		{"12x V 1.5 7 T1 ST", -1, 0, NULL, NULL},
		{"-1 V", -1, 0, NULL, NULL},
		{"rubbish", -1, 0, NULL, NULL},
	};

	(void)state;
	assert_steps(steps, COUNT(steps));
}

static void a_head_that_lacks_something_is_said_to(void **state)
{
	static const struct step steps[] = {
		{"%Time date", -1, 0, NULL, NULL},
		{"%EndEventDef", -1, 0, NULL, NULL},
		{"%EventDef PajePopState", -1, 0, NULL, NULL},
		{"%EventDef PajePopState 65536", -1, 0, NULL, NULL},
		{"%EventDef PajePopState 1 2", -1, 0, NULL, NULL},
		{"%EventDef PajePopState 1", 0, 0, NULL, NULL},
		{"1 0.5 S T", -2, 0, NULL, NULL},
		{"%Time date", 0, 0, NULL, NULL},
		{"%EndEventDef", -1, 0, NULL, NULL},
		{"1 0.5", 0, 0, NULL, NULL},
	};
	struct paje_layouts layouts = {0};
	struct paje_line line;

	(void)state;
	assert_steps(steps, COUNT(steps));
	paje_layouts_parse(&layouts, &line, "%EventDef PajePushState 1");
	for (size_t i = 0; i < PAJE_WORDS; i++)
		assert_int_equal(paje_layouts_parse(&layouts, &line, "%Field int"), 0);
	assert_int_equal(paje_layouts_parse(&layouts, &line, "%Field int"), -1);
	paje_layouts_release(&layouts);
}

static void a_trace_is_told_from_its_first_definition(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{"%EventDef PajeDefineContainerType 0", true},
		{" % EventDef\tPajeSetState 12", true},
		{"%EventDef Other 1", false},
		{"%EventDef", false},
		{"%EndEventDef", false},
		{"# tracer: nop", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(paje_layouts_is_head(cases[i].text), cases[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_the_fields_that_the_head_lists),
		cmocka_unit_test(a_head_that_lacks_something_is_said_to),
		cmocka_unit_test(a_trace_is_told_from_its_first_definition),
	};

	return RUN_TESTS(tests);
}
