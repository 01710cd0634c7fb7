/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_request.h"

#include "base/err.h"
#include "cmd/options/cmd.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parses `pscal fit --OPTION TEXT file.csv`. Returns the status of the parser; the caller releases
 * the request. */
static int parse(struct fit_request *request, const char *option, const char *text, struct err *err)
{
	const char *argv[] = {"pscal fit", option, text, "file.csv", NULL};

	return fit_request_parse(request, 4, argv, err);
}

static void is_refused(const char *option, const char *text, const char *said)
{
	struct fit_request request;
	struct err err = {.text = ""};

	if (parse(&request, option, text, &err) != STATUS_USAGE)
		fail_msg("%s '%s' is not refused", option, text);
	if (!strstr(err.text, said))
		fail_msg("%s '%s': '%s' in '%s'", option, text, said, err.text);
	fit_request_release(&request);
}

static void a_change_sets_scales_or_moves_parameters(void **state)
{
	static const struct {
		const char *text;
		struct usl_change change;
	} cases[] = {
		{"alpha=x0.5,beta=0", {.alpha = {USL_SCALE, .5}, .beta = {USL_SET, 0}}},
		{"beta=x2", {.beta = {USL_SCALE, 2}}},
		{"gamma=+10,alpha=-0.01", {.alpha = {USL_ADD, -.01}, .gamma = {USL_ADD, 10}}},
		{"alpha=1e-3", {.alpha = {USL_SET, 1e-3}}},
		{"beta=x0", {.beta = {USL_SCALE, 0}}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct usl_step *want[] = {&cases[i].change.alpha, &cases[i].change.beta,
						 &cases[i].change.gamma};
		struct fit_request request;
		const struct usl_step *got[COUNT(want)];
		struct err err = {.text = ""};

		if (parse(&request, "--what-if", cases[i].text, &err) != -1)
			fail_msg("%s", err.text);
		got[0] = &request.wish.changes->alpha;
		got[1] = &request.wish.changes->beta;
		got[2] = &request.wish.changes->gamma;
		for (size_t k = 0; k < COUNT(got); k++) {
			assert_int_equal(got[k]->how, want[k]->how);
			assert_close(got[k]->by, want[k]->by, 1e-15);
		}
		fit_request_release(&request);
	}
}

static void a_text_that_is_no_change_is_refused(void **state)
{
	static const char *const cases[] = {
		"",	      "alpha",	   "alpha=",   "alpha=x",	  "alpha=x-1",
		"alpha=0.5x", "kappa=1",   "alpha=1,", "alpha=1,alpha=2", "alpha=--1",
		"alpha=inf",  "alpha=50%", "=1",       "alpha=1 ",	  "alpha=xx2",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		is_refused("--what-if", cases[i], "--what-if: ");
}

static void all_options_say_why_they_refuse_a_text(void **state)
{
	static const char *const cases[][3] = {
		{"--columns", "1", "two columns"},
		{"--columns", "1,,2", "two columns"},
		{"--columns", "1,time:", "names no column"},
		{"--work", "0", "must be above 0"},
		{"--weights", "steady", "needs --from-log"},
		{"--weights", "sd:", "COLUMN or sd:COLUMN"},
		{"--gamma", "second", "'fitted', or 'first'"},
		{"--robust=l1", "--compare", "tukey and huber"},
		{"--level", "1", "below 1"},
		{"--level", "0", "above 0"},
		{"--bootstrap", "38", "at least 39 refits"},
		{"--bootstrap", "1000001", "up to 1000000"},
		{"--bootstrap", "99,x", "the seed is a whole number"},
		{"--at", "1,0", "above 0"},
		{"--find", "throughput=0", "not a throughput above 0"},
		{"--find", "latency=0ms", "not a time above 0"},
		{"--find", "efficiency=101%", "not a share above 0 and up to 1"},
		{"--find", "speed=1", "is not throughput=X"},
		{"--suggest=0", "--compare", "from 1 to 1000000"},
		{"--from-log=end", "--compare", "'both' ends"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		is_refused(cases[i][0], cases[i][1], cases[i][2]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_change_sets_scales_or_moves_parameters),
	cmocka_unit_test(a_text_that_is_no_change_is_refused),
	cmocka_unit_test(all_options_say_why_they_refuse_a_text),
};

TEST_FILE(tests);
