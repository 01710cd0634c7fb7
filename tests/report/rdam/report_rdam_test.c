/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "report/rdam_viewed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_says(const struct rdam_view *view, const char *begins, const char *ends)
{
	struct rdam_verdict verdict = rdam_verdict_of(view->rdam, view->trace, view->costly_score);
	char *text = rdam_view_verdict(view, &verdict);
	size_t length = strlen(text), tail = strlen(ends);

	if (strncmp(text, begins, strlen(begins)) != 0 || length < tail ||
	    strcmp(text + length - tail, ends) != 0)
		fail_msg("'%s ... %s' is not the verdict: %s", begins, ends, text);
	free(text);
}

#define COSTS "A costs most: thread 100 lost "

/* Each row is a thread of the target beside another program; the first call is the fastest. */
static void the_text_tells_the_highest_cost_and_its_causes(void **state)
{
	static const struct {
		const char *states, *blocks, *begins, *ends;
		double min_score;
	} cases[] = {
		{" RRRRRR....wRRR", " A a A        a", COSTS,
		 ", 57 % of it blocked until another program woke it.", 0.2},
		{" RRRRRRwwwwwRRR", " A a A        a", COSTS "7.00 us in it (50 % of 14.0 us)",
		 ", 71 % of it in the run queue behind other programs.", 0.2},
		{" RRRRRRDDDDwRRR", " A a A        a", COSTS,
		 ", 57 % of it in uninterruptible sleep, mostly for a disk.", 0.2},
		{" RRRRRRRRRRRRRR", " A a A        a", COSTS,
		 "(50 % of 14.0 us), on a CPU: slower caches or memory, spinning, or more to do.",
		 0.2},
		{" RRRRRRRRRRRRRR", " A a A <    > a", COSTS, ", 71 % of it in page faults.", 0.2},
		{" RRRRRRTTTTwRRR", " A a A        a", COSTS,
		 ", 57 % of it stopped by a signal or a debugger.", 0.2},
		{" RRRRRR...wwRRR", " A a A        a", COSTS,
		 ", 43 % of it blocked until another program woke it, 29 % in the run queue.", 0.2},
		{" RRRRRR....wRRR", " A a A        a",
		 "No function loses 90 % or more of its thread's time to interference. The most: "
		 "A, where thread 100 lost 7.00 us in it",
		 "woke it.", 0.9},
		{" RRRRRRRRRRR....wRRR", " AB ba AB       ba",
		 "A { B } costs most: thread 100 lost 6.00 us in it (31.6 % of 19.0 us), 6.00 us "
		 "of that in B, 67 % of it blocked",
		 "woke it.", 0.2},
		{" RRRRRRRRRRRR", " A a A aA a", "Nothing is lost: every call is as fast", ".",
		 0.2},
		{" RRRRRRRRRRRR", " A a", "No function was called twice to its end", ".", 0.2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct drawn_blocks rows[] = {{cases[i].states, cases[i].blocks},
						    {NULL, NULL}};
		struct event_source *source = block_drawing(rows, false);
		struct viewed viewed;

		source->target.has_faults = true;
		view_source(&viewed, source, NULL, cases[i].min_score);
		assert_says(&viewed.view, cases[i].begins, cases[i].ends);
		view_release(&viewed);
	}
}

static void the_text_names_the_waker_of_a_blocked_thread(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRRR....wRRR", " A a A        a"},
						   {" RRRRRRRRRRRRRR", " A a A     0  a"},
						   {NULL, NULL}};
	struct viewed viewed;

	(void)state;
	view_source(&viewed, block_drawing(rows, false), NULL, 0.2);
	assert_says(&viewed.view, COSTS, ", 57 % of it blocked until thread 101 woke it.");
	view_release(&viewed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_text_tells_the_highest_cost_and_its_causes),
	cmocka_unit_test(the_text_names_the_waker_of_a_blocked_thread),
};

TEST_FILE(tests);
