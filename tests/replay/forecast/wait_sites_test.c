/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/why.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Sites 0 to 4, in the order of their first use; no thread waits at the last one. */
static const char text[] =
	"main: lock(m) 1ms unlock(m) barrier(x:2) sleep(2ms@nap) lock(m) unlock(m)\n"
	"b: take(q:1) barrier(x:2) give(p) 1ms\n";

static void read_program(struct program *program)
{
	static const char *const names[] = {"lock 0x7f10", "barrier of 2 threads", "sleep",
					    "barrier of 2 threads", "queue 0x7f20"};

	steps_read(program, text);
	assert_int_equal(program->site_count, 5);
	for (size_t i = 0; i < program->site_count; i++) {
		free(program->sites[i].name);
		program->sites[i].name = xstrdup(names[i]);
	}
}

static void steps_that_may_wait_are_counted_by_site(void **state)
{
	static const uint64_t want[] = {2, 2, 1, 1, 0};
	struct program program;
	uint64_t *visits;

	(void)state;
	read_program(&program);
	visits = wait_sites_visits(&program);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(visits[i], want[i]);
	free(visits);
	program_release(&program);
}

static void a_site_is_found_by_name_or_number(void **state)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: none */
		const char *sentence;
	} cases[] = {
		{"lock 0x7f10", 0, NULL},
		{"0", 0, NULL},
		{"4", 4, NULL},
		{"5", -1,
		 "there is no wait site '5' (near: 2 (sleep), 0 (lock 0x7f10), "
		 "1 (barrier of 2 threads)); --what-if list lists them"},
		{"slep", -1,
		 "there is no wait site 'slep' (near: 2 (sleep), 0 (lock 0x7f10), "
		 "1 (barrier of 2 threads)); --what-if list lists them"},
		{"0x7f1", 0, NULL},
		{"lock", 0, NULL},
		{"slee", 2, NULL},
		{"0x7f", -1,
		 "2 wait sites are named '0x7f': give the number of one: 0 (lock 0x7f10), "
		 "4 (queue 0x7f20)"},
		{"", -1, NULL},
		{"-1", -1, NULL},
		{"barrier of 2 threads", -1,
		 "2 wait sites are named 'barrier of 2 threads': give the number of one: "
		 "1 (barrier of 2 threads), 3 (barrier of 2 threads)"},
	};
	struct program program;

	(void)state;
	read_program(&program);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t site = PROGRAM_NONE;
		struct err err;
		int rc = wait_sites_find(&site, &program, cases[i].text, &err);

		assert_int_equal(rc, cases[i].want < 0 ? -1 : 0);
		if (!rc)
			assert_int_equal(site, cases[i].want);
		if (cases[i].sentence)
			assert_string_equal(err.text, cases[i].sentence);
	}
	program_release(&program);
}

static void a_program_that_never_waits_has_no_sites(void **state)
{
	struct program program;
	struct err err;
	uint32_t site;

	(void)state;
	steps_read(&program, "a: 1ms\n");
	assert_int_equal(wait_sites_find(&site, &program, "0", &err), -1);
	assert_string_equal(err.text, "there is no wait site '0': no thread waits anywhere");
	program_release(&program);
}

static void sites_that_are_not_named_keep_their_cost(void **state)
{
	static const struct wait_cost asked[] = {{2, .25}, {0, 0}, {99, 0}};
	static const double want[] = {0, 1, .25, 1, 1};
	struct program program;
	double *costs;

	(void)state;
	read_program(&program);
	costs = wait_sites_costs(&program, asked, 3);
	for (size_t i = 0; i < 5; i++)
		assert_true(costs[i] == want[i]);
	free(costs);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(steps_that_may_wait_are_counted_by_site),
	cmocka_unit_test(a_site_is_found_by_name_or_number),
	cmocka_unit_test(a_program_that_never_waits_has_no_sites),
	cmocka_unit_test(sites_that_are_not_named_keep_their_cost),
};

TEST_FILE(tests);
