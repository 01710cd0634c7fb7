/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/yields.h"

#include "decode/event/samples.h"
#include "replay/program/spin.h"
#include "steps.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

/* What becomes of programs that yield. */
static const struct {
	const char *before, *after;
	uint64_t calls, runs, waiting_ns;
} cases[] = {
	{"a: 9us", "a: 9us", 0, 0, 0},
	{"a: 9us yield() 1us yield() 9us", "a: 9us yield() 1us yield() 9us", 2, 0, 0},
	{"a: 9us yield() 1us yield() 2us yield() 9us", "a: 9us external(3us@s) 9us", 3, 1, 3000},
	/* as long between them as it may be, and longer */
	{"a: yield() 20us yield() 20us yield()", "a: external(40us@s)", 3, 1, 40000},
	{"a: yield() 20us yield() 20001ns yield()", "a: yield() 20us yield() 20001ns yield()", 3, 0,
	 0},
	{"a: yield() 1us yield() 1us yield() 1ms yield() 1us yield() 1us yield() 1us yield()",
	 "a: external(2us@s) 1ms external(3us@s)", 7, 2, 5000},
	/* what is done between two calls ends a run */
	{"a: yield() 1us yield() 1us sleep(1us) yield() 1us yield()",
	 "a: yield() 1us yield() 1us sleep(1us) yield() 1us yield()", 4, 0, 0},
	{"a: yield() 1us yield() lock(m) yield()", "a: yield() 1us yield() lock(m) yield()", 3, 0,
	 0},
	/* a thread that never ran between them has spent no time */
	{"a: 5us yield() yield() yield() 1us", "a: 5us yield() yield() yield() 1us", 3, 0, 0},
	/* each thread has its own */
	{"a: fork(b) yield() 1us yield()\nb: yield() 1us yield() 1us yield() 4us",
	 "a: fork(b) yield() 1us yield()\nb: external(2us@s) 4us", 5, 1, 2000},
};

static void assert_same_text(const struct program *got, const char *text)
{
	struct program want;
	char *got_text = steps_text(got), *want_text;

	steps_read(&want, text);
	want_text = steps_text(&want);
	assert_string_equal(got_text, want_text);
	free(got_text);
	free(want_text);
	program_release(&want);
}

static void three_calls_in_a_row_are_a_wait(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct yielded yielded;

		steps_read(&program, cases[i].before);
		yields_measure(&yielded, &program);
		assert_int_equal(yielded.calls, cases[i].calls);
		assert_int_equal(yielded.runs, cases[i].runs);
		assert_int_equal(yielded.waiting_ns, cases[i].waiting_ns);
		assert_int_equal(yielded.run_ns, program_work_ns(&program));
		assert_int_equal(yields_to_waits(&program,
						 cases[i].runs
							 ? program_add_site(&program, SITE_EXTERNAL)
							 : PROGRAM_NONE),
				 cases[i].waiting_ns);
		assert_same_text(&program, cases[i].after);
		program_release(&program);
	}
}

/* Samples may have told of some of the time between two calls before. */
static void what_is_a_wait_already_counts_between_calls_as_it_did(void **state)
{
	static const struct {
		const char *before, *after;
		uint64_t moved_ns;
	} those[] = {
		{"a: yield() 1us external(19us@s) yield() 1us yield()", "a: external(21us@s)",
		 2000},
		{"a: yield() 1us external(20us@s) yield() 1us yield()",
		 "a: yield() 1us external(20us@s) yield() 1us yield()", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(those) / sizeof(*those); i++) {
		struct program program;

		steps_read(&program, those[i].before);
		assert_int_equal(yields_to_waits(&program, 0), those[i].moved_ns);
		assert_same_text(&program, those[i].after);
		program_release(&program);
	}
}

static void the_share_is_known_where_calls_are_on_record(void **state)
{
	struct yielded yielded = {.run_ns = 200};

	(void)state;
	assert_true(isnan(yielded_share(&yielded)));
	yielded.calls = 3;
	assert_float_equal(yielded_share(&yielded), 0, 0);
	yielded.waiting_ns = 50;
	assert_close(yielded_share(&yielded), .25, 1e-12);
	assert_float_equal(yielded_share(&(struct yielded){.calls = 3}), 0, 0);
}

/* What samples have shown to be a wait between two calls is a part of theirs, and moved once. */
static void a_run_takes_in_what_samples_tell_of_it(void **state)
{
	struct program program;

	(void)state;
	steps_read(&program, "a: 9us yield() 1us external(5us@s) yield() 2us yield() "
			     "external(7us@s) 1us");
	assert_int_equal(yields_to_waits(&program, 0), 3000);
	assert_same_text(&program, "a: 9us external(8us@s) external(7us@s) 1us");
	program_release(&program);

	steps_read(&program, "a: yield() 1us external(5us@s) yield() 2us yield()");
	assert_int_equal(yields_to_waits(&program, program_add_site(&program, SITE_EXTERNAL)), 0);
	program_release(&program);
}

/* ... as spinning that samples show, and also without any of them. */
static void yielding_is_a_kind_of_spinning(void **state)
{
	const struct samples none = {0};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 96us yield() 1us yield() 2us yield() 1us");
	spin_measure(&program, &none, &spun);
	assert_close(yielded_share(&spun.yielded), .03, 1e-12);
	assert_int_equal(program_work_ns(&program), 100000);
	spin_to_waits(&program, &none, &spun);
	assert_close(yielded_share(&spun.yielded), .03, 1e-12);
	assert_int_equal(spun.moved_ns, 3000);
	assert_int_equal(program_work_ns(&program), 97000);
	assert_string_equal(program.sites[0].name, "spinning");
	program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_calls_in_a_row_are_a_wait),
		cmocka_unit_test(what_is_a_wait_already_counts_between_calls_as_it_did),
		cmocka_unit_test(the_share_is_known_where_calls_are_on_record),
		cmocka_unit_test(a_run_takes_in_what_samples_tell_of_it),
		cmocka_unit_test(yielding_is_a_kind_of_spinning),
	};

	return RUN_TESTS(tests);
}
