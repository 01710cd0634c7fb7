/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/assertion.h"

#include "base/err.h"
#include "cmd/options/cmd.h"
#include "report/report.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NC, WALL, SPEEDUP };

static const struct assertion_name names[] = {{"nc", .id = NC},
					      {"wall_s", .id = WALL},
					      {"speedup", .id = SPEEDUP, .takes_n = true},
					      {.name = NULL}};

static void an_expression_is_a_name_a_relation_and_a_number(void **state)
{
	static const struct {
		const char *text;
		int id;
		double n;
		enum assertion_side side;
		enum assertion_relation relation;
		double bound;
	} cases[] = {
		{"nc>=64", NC, 0, ASSERTION_WORSE_END, ASSERTION_AT_LEAST, 64},
		{" nc  <=\t1e-4 ", NC, 0, ASSERTION_WORSE_END, ASSERTION_AT_MOST, 1e-4},
		{"NC > -0.1", NC, 0, ASSERTION_WORSE_END, ASSERTION_ABOVE, -.1},
		{"nc.low>=18", NC, 0, ASSERTION_LOW, ASSERTION_AT_LEAST, 18},
		{"nc.best<50%", NC, 0, ASSERTION_BEST, ASSERTION_BELOW, .5},
		{"nc.high < 1e3", NC, 0, ASSERTION_HIGH, ASSERTION_BELOW, 1000},
		{"wall_s < 2.5", WALL, 0, ASSERTION_WORSE_END, ASSERTION_BELOW, 2.5},
		{"wall_s < 10ms", WALL, 0, ASSERTION_WORSE_END, ASSERTION_BELOW, .01},
		{"speedup(8)>3", SPEEDUP, 8, ASSERTION_WORSE_END, ASSERTION_ABOVE, 3},
		{"Speedup( 2.5 ).low > 1", SPEEDUP, 2.5, ASSERTION_LOW, ASSERTION_ABOVE, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct assertions assertions = {.names = names};
		const struct assertion *assertion;
		struct err err = {.text = ""};

		if (assertions_add(&assertions, cases[i].text, &err))
			fail_msg("%s", err.text);
		assertion = assertions.items;
		assert_string_equal(assertion->text, cases[i].text);
		assert_int_equal(assertion->name->id, cases[i].id);
		assert_int_equal(assertion->side, cases[i].side);
		assert_int_equal(assertion->relation, cases[i].relation);
		assert_close(assertion->n, cases[i].n, 1e-15);
		assert_close(assertion->bound, cases[i].bound, 1e-15);
		assertions_release(&assertions);
	}
}

static void assert_refused(const char *text, const char *said)
{
	struct assertions assertions = {.names = names};
	struct err err = {.text = ""};

	if (!assertions_add(&assertions, text, &err))
		fail_msg("'%s' is not refused", text);
	if (!strstr(err.text, said))
		fail_msg("'%s' in '%s'", said, err.text);
	assertions_release(&assertions);
}

static void other_texts_are_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"nc",
		"nc>=",
		"nc>=x",
		"nc=64",
		"nc==64",
		"nc>64>32",
		"nc>=64 x",
		"kappa>1",
		"speedup>1",
		"speedup()>1",
		"speedup(0)>1",
		"speedup(-1)>1",
		"speedup(1>1",
		"nc(4)>1",
		"speedup(1e999)>1",
		"nc.mid>1",
		"nc.>1",
		">1",
		"64<=nc",
		"nc<5%%",
		"nc<inf",
		"nc<nan",
		"nc<1e999",
		"nc!<1",
		"nc.low.high>1",
		"speedup(4)(5)>1",
		"n c>1",
		"nc<10ms",
		"wall_s<50%",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i], cases[i]);
	assert_refused("kappa>1", "must begin with one of nc, wall_s, speedup(N)");
}

static void a_word_without_end_is_refused(void **state)
{
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_refused(text, "");
	memset(text, '0', sizeof(text) - 1);
	memcpy(text, "nc>=", 4);
	assert_refused(text, "");
}

static const struct {
	const char *expression;
	struct assertion_value value;
	enum assertion_outcome outcome;
	const char *text;
} judged[] = {
	/* clang-format off */
	{"nc>=77", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_HOLDS, "holds: 96.5, at least 77.9 (95 %)"},
	{"nc>=78", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_NOT_SHOWN, "is not shown: 96.5, but perhaps only 77.9 (95 %)"},
	{"nc>=157", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_FAILS, "fails: 96.5, at most 156.7 (95 %)"},
	{"nc<157", {96.52, 77.86, 156.7, .9, NULL, NULL}, ASSERTION_HOLDS, "holds: 96.5, at most 156.7 (90 %)"},
	{"nc<150", {96.52, 77.86, 156.7, .9, NULL, NULL}, ASSERTION_NOT_SHOWN, "is not shown: 96.5, but perhaps 157 (90 %)"},
	{"nc<77", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_FAILS, "fails: 96.5, at least 77.9 (95 %)"},
	{"nc.best>90", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_HOLDS, "holds: 96.5"},
	{"nc.low<=80", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_HOLDS, "holds: 96.5, at least 77.9 (95 %)"},
	{"nc.high<=77", {96.52, 77.86, 156.7, .95, NULL, NULL}, ASSERTION_FAILS, "fails: 96.5, at most 157 (95 %)"},
	{"nc<=1e9", {46.9, 24.6, INFINITY, .95, NULL, NULL}, ASSERTION_NOT_SHOWN, "is not shown: 46.9, but perhaps unlimited (95 %)"},
	{"nc<5%", {.0551, .04, .164, .95, NULL, NULL}, ASSERTION_NOT_SHOWN, "is not shown: 5.51 %, but perhaps 16.4 % (95 %)"},
	{"nc>=7", {7, 7, 7, 0, NULL, NULL}, ASSERTION_HOLDS, "holds: 7"},
	{"nc>7", {7, 7, 7, 0, NULL, NULL}, ASSERTION_FAILS, "fails: 7"},
	{"nc<7", {7.0001, 7.0001, 7.0001, 0, NULL, NULL}, ASSERTION_FAILS, "fails: 7.0001"},
	{"nc>1", {NAN, NAN, NAN, .95, "there is no peak", NULL}, ASSERTION_UNKNOWN, "is not known: there is no peak"},
	{"nc>1", {3, NAN, NAN, .95, "no interval", NULL}, ASSERTION_UNKNOWN, "is not known: no interval"},
	{"nc<2", {3, 3, 3, 0, NULL, "lock in thread 7"}, ASSERTION_FAILS, "fails: 3, lock in thread 7"},
	{"nc.best>1", {3, NAN, NAN, .95, "no interval", NULL}, ASSERTION_HOLDS, "holds: 3"},
	/* clang-format on */
};

static void the_worse_end_of_the_interval_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(judged); i++) {
		struct assertions assertions = {.names = names};
		struct assertion_finding finding;
		struct err err;

		assert_int_equal(assertions_add(&assertions, judged[i].expression, &err), 0);
		finding = assertion_judge(assertions.items, &judged[i].value);
		assert_string_equal(finding.text, judged[i].text);
		assert_int_equal(finding.outcome, judged[i].outcome);
		free(finding.text);
		assertions_release(&assertions);
	}
}

static struct assertion_value value_of(const void *result, const struct assertion *assertion)
{
	const double *value = result;

	(void)assertion;
	return (struct assertion_value){*value, *value, *value, 0, NULL, NULL};
}

static void the_status_tells_the_first_that_failed(void **state)
{
	static const double seven = 7;
	struct assertions assertions = {.names = names};
	struct report *report;
	struct err err;

	(void)state;
	report = report_open(file_with("", 0), REPORT_CSV, &err);
	assert_non_null(report);
	assertions_add(&assertions, "nc>=7", &err);
	assertions_report(&assertions, report, "a.csv", value_of, &seven);
	assert_int_equal(assertions_status(&assertions, &err), STATUS_DONE);
	assertions_add(&assertions, "nc<7", &err);
	assertions_report(&assertions, report, "a.csv", value_of, &seven);
	assert_int_equal(assertions_status(&assertions, &err), STATUS_CONDITION);
	assert_string_equal(err.text, "a.csv: 'nc<7' fails: 7");
	assertions_report(&assertions, report, "b.csv", value_of, &seven);
	assert_int_equal(assertions_status(&assertions, &err), STATUS_CONDITION);
	assert_string_equal(err.text, "a.csv: 'nc<7' fails: 7 (and 1 more)");
	assert_int_equal(report_finish(report, 0, &err), 0);
	assertions_release(&assertions);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_expression_is_a_name_a_relation_and_a_number),
	cmocka_unit_test(other_texts_are_refused),
	cmocka_unit_test(a_word_without_end_is_refused),
	cmocka_unit_test(the_worse_end_of_the_interval_decides),
	cmocka_unit_test(the_status_tells_the_first_that_failed),
};

TEST_FILE(tests);
