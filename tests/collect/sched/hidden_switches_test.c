/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/hidden_switches.h"

#include "support.h"

#include <string.h>

/*
 * The switches of one CPU as letters, each who got it from the one before: '-' is idle, and a
 * blank a break in what was seen. "A-A" is two switches.
 */
static enum hidden judge(const char *drawn)
{
	struct switch_pair pairs[32];
	size_t count = 0;

	for (size_t i = 1; i < strlen(drawn); i++) {
		const char *at = &drawn[i];

		if (at[-1] == ' ' || at[0] == ' ')
			continue;
		pairs[count++] =
			(struct switch_pair){at[-1] == '-' ? 0 : at[-1], at[0] == '-' ? 0 : at[0]};
	}
	return hidden_switches_judge(pairs, count);
}

static void what_the_switches_of_a_cpu_say(void **state)
{
	static const struct {
		const char *drawn;
		enum hidden says;
	} cases[] = {
		{"A-A-A-A", HIDDEN_NO},	   /* leaves for idle and is seen to come back */
		{"A- A- A-", HIDDEN_YES},  /* ... and is not */
		{"AB- A-BA", HIDDEN_YES},  /* once is enough */
		{"A- BA-", HIDDEN_YES},	   /* whoever came */
		{"-A", HIDDEN_NO},	   /* it was idle when it began */
		{"ABABA", HIDDEN_PERHAPS}, /* never idle */
		{"A-", HIDDEN_PERHAPS},	   /* not over yet */
		{"AH B-B", HIDDEN_NO},	   /* another thread may be hidden: it is not idle */
		{"AH BAB", HIDDEN_PERHAPS}, {"", HIDDEN_PERHAPS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge(cases[i].drawn) != cases[i].says)
			fail_msg("'%s' is not %d", cases[i].drawn, cases[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_switches_of_a_cpu_say),
	};

	return RUN_TESTS(tests);
}
