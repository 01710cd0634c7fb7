/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters.h"

#include "base/err.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* "a b+c d": the names; a plus joins counters that count together. */
static void draw(char *out, size_t size, const struct counter_choice *choice)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < choice->count; i++) {
		const struct chosen_counter *chosen = &choice->counters[i];
		const char *sign = chosen->in_group ? "+" : i ? " " : "";

		used += (size_t)snprintf(out + used, size - used, "%s%s", sign, chosen->name);
	}
}

/* Each user may count these software events of a thread in user mode. */
static void names_are_separated_by_commas_and_grouped_by_braces(void **state)
{
	static const char *const cases[][2] = {
		{"task-clock:u", "task-clock:u"},
		{"task-clock:u,faults:u", "task-clock:u faults:u"},
		{"{task-clock:u,faults:u}", "task-clock:u+faults:u"},
		{"{task-clock:u}", "task-clock:u"},
		{"cpu-clock:u,{task-clock:u,faults:u},minor-faults:u",
		 "cpu-clock:u task-clock:u+faults:u minor-faults:u"},
		{"{cpu-clock:u,faults:u},{task-clock:u,minor-faults:u}",
		 "cpu-clock:u+faults:u task-clock:u+minor-faults:u"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counter_choice choice;
		struct err err = {.text = ""};
		char drawn[256];

		if (counter_choice_init(&choice, cases[i][0], false, NULL, &err))
			fail_msg("%s", err.text);
		draw(drawn, sizeof(drawn), &choice);
		assert_string_equal(drawn, cases[i][1]);
		assert_null(choice.left_out);
		counter_choice_release(&choice);
	}
}

static void a_text_that_is_no_list_is_refused_with_the_place(void **state)
{
	static const char *const cases[][2] = {
		{"", "look at ''"},
		{",a", "look at ',a'"},
		{"a,", "look at ''"},
		{"a,,b", "look at ',b'"},
		{"{}", "look at '}'"},
		{"{a,}", "look at '}'"},
		{"{a", "look at ''"},
		{"{a,{b}}", "look at '{b}}'"},
		{"a}", "should stand before"},
		{"{a}b", "should stand before 'b'"},
		{"{a}:u", "should stand before ':u'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counter_choice choice;
		struct err err = {.text = ""};

		assert_int_equal(counter_choice_init(&choice, cases[i][0], false, NULL, &err), -1);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("'%s': %s", cases[i][0], err.text);
		counter_choice_release(&choice);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_separated_by_commas_and_grouped_by_braces),
	cmocka_unit_test(a_text_that_is_no_list_is_refused_with_the_place),
};

TEST_FILE(tests);
