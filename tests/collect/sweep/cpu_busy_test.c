/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/monotonic.h"
#include "collect/sweep/cpu_busy.h"

#include <unistd.h>

static void idle_and_waiting_are_not_busy(void **state)
{
	static const struct {
		const char *stat;
		double ticks; /* below 0: not known */
	} cases[] = {
		{"cpu  100 20 30 90000 5000 4 6 40 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 200},
		{"cpu  100 20 30 90000 5000 4 6 40\n", 200},
		{"cpu  100 20 30 90000\n", -1},
		{"intr 5\n", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double hz = cases[i].ticks > 0 ? (double)sysconf(_SC_CLK_TCK) : 1;
		char root[64];

		dir_make(root);
		assert_close(cpu_busy_s(root), -1, 0);
		dir_put(root, "proc/stat", cases[i].stat);
		assert_close(cpu_busy_s(root), cases[i].ticks / hz, 1e-12);
		dir_remove(root);
	}
}

static void others_are_what_we_were_not(void **state)
{
	static const struct {
		double busy_s, cpu_s, wall_s, others;
	} cases[] = {
		{3, 2, 1, 1},	{3, 2, 2, .5},	{1.98, 2, 1, 0},
		{3, 2, .1, -1}, {-1, 2, 1, -1}, {3, -1, 1, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_close(cpu_busy_others(cases[i].busy_s, cases[i].cpu_s, cases[i].wall_s),
			     cases[i].others, 1e-12);
}

/* Who computes for half a second makes the machine busy for as long, but for some ticks. */
static void what_is_computed_here_is_counted(void **state)
{
	double before = cpu_busy_s(""), cpu_s = (double)clock() / CLOCKS_PER_SEC;

	(void)state;
	while ((double)clock() / CLOCKS_PER_SEC < cpu_s + .5)
		;
	assert_true(cpu_busy_s("") - before > .4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_and_waiting_are_not_busy),
		cmocka_unit_test(others_are_what_we_were_not),
		cmocka_unit_test(what_is_computed_here_is_counted),
	};

	return RUN_TESTS(tests);
}
