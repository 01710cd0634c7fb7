/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/what_if.h"
#include "report/report.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static uint64_t level_ns[] = {0, 1000000000};
static const struct level_times levels = {
	.wall_ns = level_ns, .max_active = 1, .total_ns = 1000000000};

/* The text of a forecast; the caller frees it. */
static char *printed(const struct forecast *forecast)
{
	const char *path = file_with("", 0);
	struct err err;
	struct report *report = report_open(path, REPORT_TEXT, &err);
	char *text = xcalloc(MOST, 1);
	FILE *file;

	assert_non_null(report);
	report_forecast(report, forecast, NULL, " a.data");
	assert_int_equal(report_finish(report, 0, &err), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_in_range(fread(text, 1, MOST, file), 1, MOST - 1);
	fclose(file);
	return text;
}

static struct forecast_row row_of(uint64_t cores, double wall_s, double one_s)
{
	return (struct forecast_row){.cores = cores,
				     .wall_s = wall_s,
				     .speedup = one_s / wall_s,
				     .efficiency = one_s / wall_s / (double)cores,
				     .lo_s = NAN,
				     .hi_s = NAN,
				     .recorded_s = NAN,
				     .runs = SIZE_MAX};
}

static void the_verdict_tells_up_to_which_number_cores_help(void **state)
{
	static const struct {
		double wall_s[3]; /* on 1, 2 and 4 cores; 0: not forecast */
		size_t best;
		double limit_s;
		bool beyond;
		double busy_share;
		const char *says;
	} cases[] = {
		{{1, .6, .6},
		 1,
		 .6,
		 false,
		 1,
		 "job gains up to 2 cores and no further: 0.600 s, 1.7x"},
		{{1, .6, .6},
		 1,
		 NAN,
		 false,
		 1,
		 "job gains up to 2 cores: 0.600 s, 1.7x faster than on one.\n"},
		{{1, .6, .4}, 2, .3, true, 1, "job gains up to 4 cores and beyond: 0.400 s, 2.5x"},
		{{1, 1, 1},
		 0,
		 1,
		 false,
		 1,
		 "job gains nothing from more cores: 1.00 s on 1 and on 4."},
		{{1}, 0, 1, false, 1, "job takes 1.00 s on 1 core."},
		{{1, 1, 1}, 0, 1, false, 0, "No CPU was used: cores do not matter."},
		{{1, 1, 1}, 0, 1, false, .004, "A CPU was used for 0.4 % of the wall time: cores"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_row rows[3];
		struct forecast forecast = {.levels = &levels,
					    .rows = rows,
					    .name = "job",
					    .busy_share = cases[i].busy_share,
					    .others_share = NAN};
		char *text;

		for (size_t j = 0; j < 3 && cases[i].wall_s[j] > 0; j++)
			rows[forecast.row_count++] =
				row_of(1U << j, cases[i].wall_s[j], cases[i].wall_s[0]);
		forecast.request =
			(struct forecast_request){.measured_cores = 8, .count = forecast.row_count};
		forecast.gain = (struct forecast_gain){.fewest = rows,
						       .most = &rows[forecast.row_count - 1],
						       .best = &rows[cases[i].best],
						       .limit_s = cases[i].limit_s,
						       .beyond = cases[i].beyond};
		text = printed(&forecast);
		if (!strstr(text, cases[i].says))
			fail_msg("'%s' is not in: %s", cases[i].says, text);
		free(text);
	}
}

static void unknown_savings_are_not_called_small(void **state)
{
	struct site site = {.name = (char[]){"lock"}, .kind = SITE_LOCK};
	struct program program = {.sites = &site, .site_count = 1};
	struct why_saving saving = {.sites = 1, .pid = -1, .visits = 2, .wall_s = NAN};
	struct why_point point = {.cores = 2, .wall_s = 1, .free_s = NAN, .savings = &saving};
	struct why why = {
		.program = &program, .points = &point, .count = 1, .tried = 1, .unlimited_s = 1};
	struct forecast_row row = row_of(2, 1, 1);
	struct forecast forecast = {.levels = &levels,
				    .rows = &row,
				    .row_count = 1,
				    .busy_share = 1,
				    .others_share = NAN,
				    .program = &program,
				    .gain = {&row, &row, &row, 1, false, false},
				    .why = &why};
	char *text;

	(void)state;
	text = printed(&forecast);
	if (!strstr(text, "The cost of the waits is unknown."))
		fail_msg("not said in: %s", text);
	free(text);
}

/* Joins wrapped lines of a sentence. */
static void unwrap(char *text)
{
	char *to = text;

	for (const char *c = text; *c;) {
		bool goes_on = strncmp(c, "\n  ", 3) == 0, ends = *c == '\n';

		*to++ = ends ? ' ' : *c;
		c += goes_on ? 3 : 1;
	}
	*to = '\0';
}

/* The text of a what-if with that change, with sentences in one line; the caller frees it. */
static char *what_if_text(struct forecast_changed *changed)
{
	struct forecast_what_if what_if = {
		.text = (char[]){"f=50%"}, .changes = changed, .change_count = 1};
	struct forecast_row row = row_of(2, 1, 1);
	struct forecast forecast = {.request = {.count = 1, .change_count = 1},
				    .levels = &levels,
				    .rows = &row,
				    .row_count = 1,
				    .busy_share = 1,
				    .others_share = NAN,
				    .gain = {&row, &row, &row, 1, false, false},
				    .what_ifs = &what_if,
				    .what_if_count = 1};
	char *text;

	row.unchanged_s = 2;
	row.what_if = what_if.text;
	text = printed(&forecast);
	unwrap(text);
	return text;
}

static void what_ifs_that_are_not_sure_have_a_warning(void **state)
{
	static const struct {
		double share;
		uint64_t samples, hold_ns;
		const char *says; /* NULL: no warning */
	} cases[] = {
		{5. / 6, 5, 0, "83.3 % of the CPU time, by 5 samples only: +- 15.2 %."},
		{1, 20, 0, "100.0 % of the CPU time, by 20 samples only: +- 0.0 %."},
		{.008, 6, 0, "0.8 % of the CPU time, by 6 samples only: +- 0.3 %."},
		{.5, 100, 0, NULL},
		{.5, 100, 24000, NULL},
		{.5, 100, 12600, "'f' runs under a lock held for 12.6 us: waits for it cost about"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_changed changed = {.name = "f",
						   .site = PROGRAM_NONE,
						   .share = .5,
						   .samples = cases[i].samples,
						   .cpu_share = cases[i].share,
						   .hold_ns = cases[i].hold_ns};
		char *text = what_if_text(&changed);

		if (cases[i].says ? !strstr(text, cases[i].says) : !!strstr(text, "! "))
			fail_msg("not as it should be: %s", text);
		free(text);
	}
}

static void lock_calls_whose_replay_misses_the_run_have_a_warning(void **state)
{
	static const struct {
		bool unused;
		double locks_s;
		const char *says;
	} cases[] = {
		{false, NAN,
		 "! Doubtful. Threads wait for locks whose hold times are not recorded (52 % of "
		 "the wall time)."},
		{true, .712,
		 "! Doubtful. The replay of the recorded lock calls takes 712 ms, the run took 921 "
		 "ms. Record it again on an idle machine."},
		{true, NAN,
		 "! Doubtful. The replay of the recorded lock calls does not end: threads wait for "
		 "each other. Record it again on an idle machine."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_row row = row_of(2, 1, 1);
		struct forecast forecast = {
			.levels = &levels,
			.rows = &row,
			.row_count = 1,
			.busy_share = 1,
			.others_share = NAN,
			.gain = {&row, &row, &row, 1, false, false},
			.replay = {.recorded_s = .921},
			.judged = true,
			.validity = {.findings = {[VALIDITY_LOCKS] = {VALIDITY_FAILS, .52},
						  [VALIDITY_CONTENTION] = {VALIDITY_FAILS, .6}},
				     .locks_unused = cases[i].unused,
				     .locks_s = cases[i].locks_s}};
		char *text;

		forecast.doubt = validity_failure(&forecast.validity, VALIDITY_LOCKS);
		text = printed(&forecast);
		unwrap(text);
		if (!strstr(text, cases[i].says))
			fail_msg("'%s' is not in: %s", cases[i].says, text);
		assert_null(strstr(strstr(text, "Doubtful") + 1, "Doubtful"));
		free(text);
	}
}

static void a_server_is_recognised_by_the_requests_that_it_answered(void **state)
{
	static const struct {
		size_t requests, uses; /* of sockets */
		const char *says, *next;
	} cases[] = {
		{20, 40,
		 "! A server's wall time depends on its clients, which sent 20 requests: 'pscal "
		 "model' "
		 "forecasts its throughput and response times.",
		 "next: pscal model a.data"},
		{19, 38, NULL, "next: pscal forecast --why a.data"}, /* few requests */
		{0, 40, NULL, "next: pscal forecast --why a.data"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_row row = row_of(1, 1, 1);
		struct program program = {.thread_count = 1, .socket_use_count = cases[i].uses};
		struct forecast forecast = {.levels = &levels,
					    .rows = &row,
					    .row_count = 1,
					    .busy_share = 1,
					    .others_share = NAN,
					    .gain = {&row, &row, &row, 1, false, false},
					    .program = &program,
					    .judged = true,
					    .requests = cases[i].requests};
		char *text = printed(&forecast);

		unwrap(text);
		if (!strstr(text, "A server") != !cases[i].says ||
		    (cases[i].says && !strstr(text, cases[i].says)) || !strstr(text, cases[i].next))
			fail_msg("not as it should be: %s", text);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_server_is_recognised_by_the_requests_that_it_answered),
	cmocka_unit_test(lock_calls_whose_replay_misses_the_run_have_a_warning),
	cmocka_unit_test(what_ifs_that_are_not_sure_have_a_warning),
	cmocka_unit_test(unknown_savings_are_not_called_small),
	cmocka_unit_test(the_verdict_tells_up_to_which_number_cores_help),
};

TEST_FILE(tests);
