/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/selection.h"

#include "decode/event/event_source.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int32_t pids[] = {100, 200};
static const int32_t tids[] = {7, 150};

static const struct selection everybody = {0};
static const struct selection processes = {.pids = pids, .pid_count = 2};
static const struct selection threads = {.tids = tids, .tid_count = 2};
static const struct selection named = {.comm = "work"};
static const struct selection mixed = {
	.pids = pids, .pid_count = 2, .tids = tids, .tid_count = 2, .comm = "work"};
static const struct selection alone = {.pids = pids, .pid_count = 2, .pids_alone = true};
static const struct selection followed = {.tids = tids, .tid_count = 2, .tids_followed = true};
static const struct selection machine = {.except = 300};

static const struct {
	const struct selection *selection;
	struct candidate candidate; /* tid, pid, comm, in_tree */
	bool holds;
} cases[] = {
	/* No selection: all but the idle threads and the recorder. */
	{&everybody, {5, 5, "sh", false}, true},
	{&everybody, {5, -1, "", false}, true},
	{&everybody, {5, 5, "perf", false}, false},
	{&everybody, {5, 5, "perf-exec", false}, false},
	{&everybody, {5, 5, "perfect", false}, true},
	{&everybody, {0, 0, "swapper/0", false}, false},
	{&everybody, {-1, -1, "", false}, false},
	/* Processes, with their threads and descendants. */
	{&processes, {100, 100, "a", false}, true},
	{&processes, {101, 100, "a", false}, true},
	{&processes, {201, 200, "a", false}, true},
	{&processes, {300, 300, "a", false}, false},
	{&processes, {300, 300, "a", true}, true},
	{&processes, {100, -1, "", false}, true},
	{&processes, {101, -1, "", false}, false},
	{&processes, {200, 300, "a", false}, false},
	{&processes, {100, 100, "perf", false}, true},
	{&processes, {0, 100, "swapper/0", true}, false},
	/* Single threads. */
	{&threads, {7, 7, "a", false}, true},
	{&threads, {150, 100, "a", false}, true},
	{&threads, {8, 7, "a", false}, false},
	{&threads, {8, 7, "a", true}, false},
	/* Names. */
	{&named, {5, 5, "work", false}, true},
	{&named, {5, 5, "worker", false}, false},
	{&named, {5, 5, "", false}, false},
	{&named, {5, 5, "sh", true}, false},
	{&named, {0, 0, "work", false}, false},
	/* Processes without their descendants, threads with those that they create. */
	{&alone, {101, 100, "a", false}, true},
	{&alone, {101, 100, "a", true}, true},
	{&alone, {300, 300, "a", true}, false},
	{&followed, {7, 7, "a", false}, true},
	{&followed, {8, 7, "a", false}, false},
	{&followed, {8, 7, "a", true}, true},
	/* The whole machine but the recorder. */
	{&machine, {5, 5, "perf", false}, true},
	{&machine, {301, 300, "a", false}, false},
	{&machine, {300, -1, "a", false}, false},
	{&machine, {0, 0, "swapper/0", false}, false},
	/* Any of the requested threads. */
	{&mixed, {7, 7, "a", false}, true},
	{&mixed, {101, 100, "a", false}, true},
	{&mixed, {9, 9, "work", false}, true},
	{&mixed, {9, 9, "a", true}, true},
	{&mixed, {9, 9, "a", false}, false},
};

static void a_thread_is_in_the_target_if_any_request_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (selection_holds(cases[i].selection, &cases[i].candidate) != cases[i].holds)
			fail_msg("case %zu: tid %d, pid %d, '%s'", i, cases[i].candidate.tid,
				 cases[i].candidate.pid, cases[i].candidate.comm);
}

static void a_selection_of_nothing_is_empty(void **state)
{
	(void)state;
	assert_true(selection_is_empty(&everybody));
	assert_false(selection_is_empty(&processes));
	assert_false(selection_is_empty(&threads));
	assert_false(selection_is_empty(&named));
}

static void a_selection_is_named_by_its_options(void **state)
{
	const int32_t ids[] = {7, 8};
	const struct {
		struct selection selection;
		const char *words;
	} asked[] = {
		{{.pids = ids, .pid_count = 2}, "--pid 7,8"},
		{{.tids = ids, .tid_count = 1}, "--tid 7"},
		{{.comm = "sh"}, "--comm sh"},
		{{.pids = ids, .pid_count = 1, .tids = ids, .tid_count = 1}, "--pid 7 and --tid 7"},
		{{.tids = ids, .tid_count = 1, .comm = "sh"}, "--tid 7 and --comm sh"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(asked); i++) {
		char *words = selection_words(&asked[i].selection);

		assert_string_equal(words, asked[i].words);
		free(words);
	}
}

static void the_input_tells_the_recorded_target(void **state)
{
	int32_t ids[] = {7, 8};
	const struct {
		struct target_info target;
		bool described, follows;
		struct candidate in, out;
	} recorded[] = {
		{{.roots = ids, .root_count = 2},
		 true,
		 true,
		 {9, 9, "a", true},
		 {9, 9, "a", false}},
		{{.roots = ids, .root_count = 2, .alone = true},
		 true,
		 false,
		 {9, 7, "a", true},
		 {9, 9, "a", true}},
		{{.tids = ids, .tid_count = 2}, true, true, {9, 7, "a", true}, {9, 7, "a", false}},
		{{.tids = ids, .tid_count = 2, .alone = true},
		 true,
		 false,
		 {8, 6, "a", false},
		 {9, 7, "a", true}},
		{{.comm = "work"}, false, false, {9, 9, "work", false}, {9, 9, "a", true}},
		{{.wide = true, .self = 7},
		 false,
		 false,
		 {9, 9, "perf", false},
		 {9, 7, "a", false}},
		{{.wide = false}, false, false, {9, 9, "a", false}, {9, 7, "perf", false}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(recorded); i++) {
		struct selection selection;

		assert_int_equal(selection_as_recorded(&selection, &recorded[i].target),
				 recorded[i].described);
		assert_int_equal(selection_follows(&selection), recorded[i].follows);
		if (!selection_holds(&selection, &recorded[i].in) ||
		    selection_holds(&selection, &recorded[i].out))
			fail_msg("target %zu", i);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_is_in_the_target_if_any_request_matches),
	cmocka_unit_test(a_selection_of_nothing_is_empty),
	cmocka_unit_test(a_selection_is_named_by_its_options),
	cmocka_unit_test(the_input_tells_the_recorded_target),
};

TEST_FILE(tests);
