/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "report/rdam_viewed.h"

#include <unistd.h>

/* The script of a plot, as an output .gnuplot gets it. The caller frees it. */
static char *script_of(const struct rdam_view *view)
{
	char path[] = "/tmp/plot_rdam.XXXXXX.gnuplot", *text = NULL;
	size_t size = 0;
	struct err err = {.text = ""};
	FILE *file;

	close(mkstemps(path, (int)strlen(".gnuplot")));
	if (plot_rdam(view, path, &err))
		fail_msg("%s", err.text);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_true(getdelim(&text, &size, '\0', file) > 0);
	fclose(file);
	unlink(path);
	return text;
}

/* The script has these lines, in this order. */
static void assert_holds(const char *script, const char *lines)
{
	if (!strstr(script, lines))
		fail_msg("'%s' is not in: %.1500s", lines, script);
}

/* The script has these lost times by kind of cause. */
static void assert_lost(const char *script, const double want_us[RDAM_KINDS])
{
	static const char begin[] = "array lost[7] = [";
	const char *at = strstr(script, begin);
	char *end;

	assert_non_null(at);
	at += strlen(begin);
	for (size_t i = 0; i < RDAM_KINDS; i++) {
		assert_close(strtod(at, &end), want_us[i] * US, 1e-12);
		at = end + strspn(end, ", ");
	}
	assert_int_equal(*at, ']');
}

/* Two calls of 1 us and one of 17, which has a page fault of 7 us and sleeps for 7 more. */
static void durations_have_their_count_and_lost_time(void **state)
{
	static const struct drawn_blocks rows[] = {
		{" RRRRRRRRRRRRR.......RRR", " AaAaA <       > .    a"}, {NULL, NULL}};
	static const double want_us[RDAM_KINDS] = {
		[RDAM_KIND_BLOCKED] = 7, [RDAM_KIND_PAGE_FAULTS] = 7, [RDAM_KIND_ON_CPU] = 2};
	const struct rdam_options options = {.least = 2, .want_spread = true};
	struct event_source *source = block_drawing(rows, false);
	struct viewed viewed;
	char *script;

	(void)state;
	source->target.has_faults = true;
	view_source(&viewed, source, &options, 0);
	script = script_of(&viewed.view);
	assert_holds(script, "block = \"A\"\n");
	assert_holds(script, "summary = \"3 calls in thread 100: 16.0 us lost, a score of "
			     "69.6 %\"\n");
	assert_holds(script, "file = \"drawn.data\"\n");
	assert_holds(script, "least_s = 1e-06\nmost_s = 1.7e-05\n");
	assert_holds(script, "pooled = 0\n");
	assert_lost(script, want_us);
	free(script);
	view_release(&viewed);
}

/* Only threads of the drawn row, the highest score first; pooled threads are one. */
static void threads_have_their_scores_by_cause(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRRR....wRRR", " A a A        a"},
						   {" RRRRRRRRRRRRRR", " A a A    aB bB"},
						   {NULL, NULL}};
	struct viewed viewed;

	(void)state;
	for (int pooled = 0; pooled < 2; pooled++) {
		const struct rdam_options options = {.least = 2,
						     .want_spread = true,
						     .min = pooled ? RDAM_MIN_POOLED
								   : RDAM_MIN_THREAD};
		char *script;

		view_source(&viewed, block_drawing(rows, false), &options, 0);
		script = script_of(&viewed.view);
		if (pooled) {
			assert_holds(script, "\n1 0 35.71428571 ");
			assert_holds(script, "thread_count = 1\npooled = 1\n");
		} else {
			assert_holds(script, "\n1 100 50 ");
			assert_holds(script, "\n2 101 21.42857143 0 0 0 0 0 0 21.42857143\n");
			assert_holds(script, "thread_count = 2\npooled = 0\n");
		}
		free(script);
		view_release(&viewed);
	}
}

static void rows_without_a_spread_are_not_drawn(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRRR", " A a  "}, {NULL, NULL}};
	const struct rdam_options options = {.least = 2, .want_spread = true};
	struct viewed viewed;
	struct err err = {.text = ""};

	(void)state;
	view_source(&viewed, block_drawing(rows, false), &options, 0);
	assert_int_equal(plot_rdam(&viewed.view, "/tmp/never.gnuplot", &err), -1);
	assert_string_equal(
		err.text,
		"--plot: no function was called twice in a thread: there is nothing to draw");
	view_release(&viewed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(durations_have_their_count_and_lost_time),
	cmocka_unit_test(threads_have_their_scores_by_cause),
	cmocka_unit_test(rows_without_a_spread_are_not_drawn),
};

TEST_FILE(tests);
