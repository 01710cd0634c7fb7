/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/cpu_watch.h"

#include "base/err.h"
#include "collect/collect_dir.h"

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
	cmocka_unit_test(a_cpu_that_comes_is_told_once),
	cmocka_unit_test(a_cpu_that_goes_and_comes_back_is_new),
	cmocka_unit_test(it_looks_once_a_second),
	cmocka_unit_test(a_list_that_cannot_be_read_has_nothing_new),
};

TEST_FILE(tests);
