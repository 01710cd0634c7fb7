/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/cpu_list.h"

#include <stdlib.h>
#include <string.h>

static void lists_are_read_with_holes_and_written_back(void **state)
{
	static const struct {
		const char *text, *again;
		size_t count;
	} cases[] = {
		{"0\n", "0", 1},       {"0-3\n", "0-3", 4},	    {"0-3,8", "0-3,8", 5},
		{"0,2,4", "0,2,4", 3}, {"0,1,2,5-6", "0-2,5-6", 5}, {"8191", "8191", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_mask mask = {{0}};
		struct cpu_list list;
		struct err err;
		char *text;

		assert_int_equal(cpu_list_parse(&list, cases[i].text, &err), 0);
		assert_int_equal(list.count, cases[i].count);
		for (size_t c = 0; c < list.count; c++)
			mask.has[list.cpus[c]] = true;
		text = cpu_mask_format(&mask);
		assert_string_equal(text, cases[i].again);
		free(text);
		cpu_list_release(&list);
	}
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const cases[] = {"", "\n", "0-", "a", "3-1", "8192", "0 1", "-1"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_list list;
		struct err err = {""};

		assert_int_equal(cpu_list_parse(&list, cases[i], &err), -1);
		assert_true(strlen(err.text) > 0);
	}
}

static void a_file_is_named_in_the_sentence(void **state)
{
	struct cpu_list list;
	struct err err = {""};
	const char *path = file_with("nonsense\n", 9);

	(void)state;
	assert_int_equal(cpu_list_read(&list, path, &err), -1);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(cpu_list_read(&list, "/no/such/file", &err), -1);
	assert_non_null(strstr(err.text, "/no/such/file"));
}

static void an_empty_set_is_an_empty_text(void **state)
{
	const struct cpu_mask none = {{0}};
	char *text = cpu_mask_format(&none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void the_affinity_of_this_thread_is_not_empty(void **state)
{
	struct cpu_mask mask = {{0}};
	char *text;

	(void)state;
	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	text = cpu_mask_format(&mask);
	assert_true(strlen(text) > 0);
	free(text);
}

/* --- CPUs that come online ----------------------------------------------------------------- */

static const uint64_t second_ns = 1000000000;

/* The list of CPUs that are online: what is in it changes from look to look. */
struct fixture {
	char root[64], path[80];
	struct cpu_watch watch;
	uint64_t now_ns;
};

static void begin(struct fixture *fixture, const char *online)
{
	struct err err;

	dir_make(fixture->root);
	dir_put(fixture->root, "online", online);
	snprintf(fixture->path, sizeof(fixture->path), "%s/online", fixture->root);
	fixture->now_ns = 77;
	assert_int_equal(cpu_watch_begin(&fixture->watch, fixture->path, 77, &err), 0);
}

static void end(struct fixture *fixture)
{
	cpu_watch_release(&fixture->watch);
	dir_remove(fixture->root);
}

/* How many CPUs are new `later_ns` after the look before, and the first of them. */
static size_t look(struct fixture *fixture, uint64_t later_ns, int *first)
{
	struct cpu_list fresh;
	size_t count;

	fixture->now_ns += later_ns;
	cpu_watch_look(&fixture->watch, fixture->now_ns, &fresh);
	count = fresh.count;
	*first = count ? fresh.cpus[0] : -1;
	cpu_list_release(&fresh);
	return count;
}

static void a_cpu_that_comes_is_told_once(void **state)
{
	struct fixture fixture;
	int cpu;

	(void)state;
	begin(&fixture, "0-1\n");
	dir_put(fixture.root, "online", "0-1,5\n");
	assert_int_equal(look(&fixture, second_ns, &cpu), 1);
	assert_int_equal(cpu, 5);
	assert_int_equal(look(&fixture, second_ns, &cpu), 0);
	end(&fixture);
}

static void a_cpu_that_goes_and_comes_back_is_new(void **state)
{
	struct fixture fixture;
	int cpu;

	(void)state;
	begin(&fixture, "0-3\n");
	dir_put(fixture.root, "online", "0,2-3\n");
	assert_int_equal(look(&fixture, second_ns, &cpu), 0);
	dir_put(fixture.root, "online", "0-3\n");
	assert_int_equal(look(&fixture, second_ns, &cpu), 1);
	assert_int_equal(cpu, 1);
	end(&fixture);
}

static void it_looks_once_a_second(void **state)
{
	struct fixture fixture;
	int cpu;

	(void)state;
	begin(&fixture, "0\n");
	dir_put(fixture.root, "online", "0-1\n");
	assert_int_equal(look(&fixture, second_ns - 1, &cpu), 0);
	assert_int_equal(look(&fixture, 1, &cpu), 1);
	end(&fixture);
}

static void a_list_that_cannot_be_read_has_nothing_new(void **state)
{
	struct fixture fixture;
	int cpu;

	(void)state;
	begin(&fixture, "0\n");
	dir_put(fixture.root, "online", "what?\n");
	assert_int_equal(look(&fixture, second_ns, &cpu), 0);
	dir_put(fixture.root, "online", "0-1\n");
	assert_int_equal(look(&fixture, second_ns, &cpu), 1);
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lists_are_read_with_holes_and_written_back),
	cmocka_unit_test(what_is_no_list_is_refused),
	cmocka_unit_test(a_file_is_named_in_the_sentence),
	cmocka_unit_test(an_empty_set_is_an_empty_text),
	cmocka_unit_test(the_affinity_of_this_thread_is_not_empty),
	cmocka_unit_test(a_cpu_that_comes_is_told_once),
	cmocka_unit_test(a_cpu_that_goes_and_comes_back_is_new),
	cmocka_unit_test(it_looks_once_a_second),
	cmocka_unit_test(a_list_that_cannot_be_read_has_nothing_new),
};

TEST_FILE(tests);
