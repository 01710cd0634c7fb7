/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_groups.h"

#include "base/err.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* "a b1 c1": names and the number of their group, if they have one */
static void draw(char *out, size_t size, const struct counter_groups *groups)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < groups->count; i++) {
		const struct counter_item *item = &groups->items[i];

		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", item->name);
		if (item->group)
			used += (size_t)snprintf(out + used, size - used, "%u", item->group);
	}
}

static void names_are_parted_by_commas_and_grouped_by_braces(void **state)
{
	static const char *const cases[][2] = {
		{"a", "a"},
		{"a,b", "a b"},
		{"{a,b}", "a1 b1"},
		{"{a}", "a1"},
		{"a,{b,c},d", "a b1 c1 d"},
		{"{a,b},{c,d}", "a1 b1 c2 d2"},
		{"skl::X:Y:u=1,cycles:u", "skl::X:Y:u=1 cycles:u"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counter_groups groups;
		struct err err = {""};
		char drawn[256];

		if (counter_groups_parse(&groups, cases[i][0], &err))
			fail_msg("%s", err.text);
		draw(drawn, sizeof(drawn), &groups);
		assert_string_equal(drawn, cases[i][1]);
		counter_groups_release(&groups);
	}
}

static void what_is_no_list_is_refused_with_the_place(void **state)
{
	static const char *const cases[][2] = {
		{"", "see at ''"},
		{",a", "see at ',a'"},
		{"a,", "see at ''"},
		{"a,,b", "see at ',b'"},
		{"{}", "see at '}'"},
		{"{a,}", "see at '}'"},
		{"{a", "see at ''"},
		{"{a,{b}}", "see at '{b}}'"},
		{"a}", "should stand before"},
		{"{a}b", "should stand before 'b'"},
		{"{a}:u", "should stand before ':u'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counter_groups groups;
		struct err err = {""};

		assert_int_equal(counter_groups_parse(&groups, cases[i][0], &err), -1);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("'%s': %s", cases[i][0], err.text);
		counter_groups_release(&groups);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_parted_by_commas_and_grouped_by_braces),
		cmocka_unit_test(what_is_no_list_is_refused_with_the_place),
	};

	return RUN_TESTS(tests);
}
