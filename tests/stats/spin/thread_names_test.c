/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/thread_names.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "stats/own_code.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The symbols of libstdc++ for threads that begin with a lambda in main, and with a function. */
#define VTABLE(type) "_ZTVNSt6thread11_State_implINS_8_InvokerISt5tupleIJ" type "EEEEEE"
__attribute__((used)) static void *of_lambda[4] __asm__(VTABLE("Z4mainEUlvE_"));
__attribute__((used)) static void *of_function[4] __asm__(VTABLE("PFvvE"));
__attribute__((used)) static void *of_member[4] __asm__(VTABLE("M4PoolFvvEPS3_"));
static int data[16];

static struct event_source source;

static int set_up(void **state)
{
	(void)state;
	source = (struct event_source){.audited = false};
	own_code_map(&source.samples);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	samples_release(&source.samples);
	chains_release(&source.starts);
	return 0;
}

static uint32_t start(int32_t pid, uint64_t routine, const void *vtable, uint64_t callee)
{
	const uint64_t frames[] = {
		routine, vtable ? own_code_address(vtable) + 16 : 0, 5, callee, 0, 0, 0};

	return chains_add(&source.starts, pid, 1, frames, sizeof(frames) / sizeof(frames[0]));
}

static void a_thread_is_named_by_the_function_that_it_begins_with(void **state)
{
	const uint64_t outer = own_code_function(own_outer), library = own_code_libc();
	const struct {
		int32_t pid;
		uint64_t routine;
		const void *vtable;
		uint64_t callee;
		const char *function; /* NULL: none */
	} cases[] = {
		{OWN_PID, outer, NULL, 0, "own_outer"},
		{OWN_PID, outer, of_lambda, 0, "own_outer"},
		/* An address that is not exactly the begin of a function. */
		{OWN_PID, outer + 1, NULL, 0, NULL},
		{OWN_PID, own_code_address(&data), NULL, 0, NULL},
		{OWN_PID, 0, NULL, 0, NULL},
		{OWN_PID, UINT64_MAX, NULL, 0, NULL},
		{OWN_PID + 1, outer, NULL, 0, NULL},
		/* A function of a library: its argument is the function of the program. */
		{OWN_PID, library, NULL, 0, NULL},
		{OWN_PID, library, NULL, outer, NULL},
		{OWN_PID, library, &data, outer, NULL},
		{OWN_PID, library, of_lambda, outer, "main::{lambda()#1}"},
		{OWN_PID, library, of_function, outer, "own_outer"},
		{OWN_PID, library, of_function, outer + 1, NULL},
		{OWN_PID, library, of_member, outer, "own_outer"},
	};
	struct thread_names *names;

	(void)state;
	names = thread_names_new(&source);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t number =
			start(cases[i].pid, cases[i].routine, cases[i].vtable, cases[i].callee);
		const char *function = thread_names_function(names, number);

		if (!number && !cases[i].function)
			continue;
		if (strcmp(function ?: "none", cases[i].function ?: "none") != 0)
			fail_msg("case %zu: %s", i, function);
	}
	assert_null(thread_names_function(names, 0));
	assert_null(thread_names_function(names, 1000));
	thread_names_free(names);
}

struct named {
	uint32_t start;
	struct thread_name name;
};

static void a_function_distinguishes_threads_with_equal_names(void **state)
{
	const uint32_t outer = start(OWN_PID, own_code_function(own_outer), NULL, 0);
	const uint32_t middle = start(OWN_PID, own_code_function(own_middle), NULL, 0);
	const uint32_t other = start(OWN_PID, own_code_function(own_outer), NULL, 7);
	const struct {
		const char *comm, *want;
		uint32_t start;
	} cases[] = {
		{"main", "main", 0},	  {"main", "main own_outer", outer},
		{"pool", "pool", middle}, {"main", "main own_middle", middle},
		{"pool", "pool", middle}, {"io", "io", outer},
		{"same", "same", outer},  {"same", "same", other},
		{"", "own_outer", outer}, {"", "", 0},
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	struct named threads[COUNT] = {{0}};

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		event_set_comm(threads[i].name.bytes, cases[i].comm, strlen(cases[i].comm));
		threads[i].start = cases[i].start;
	}
	thread_names_complete(threads, COUNT, THREAD_NAME_PLACE(struct named), &source);
	for (size_t i = 0; i < COUNT; i++) {
		assert_string_equal(thread_name_text(&threads[i].name), cases[i].want);
		assert_string_equal(thread_name_comm(&threads[i].name), cases[i].comm);
	}
	for (size_t i = 0; i < COUNT; i++)
		thread_name_release(&threads[i].name);
	thread_names_complete(NULL, 0, THREAD_NAME_PLACE(struct named), &source);
}

static void names_with_different_numbers_at_their_ends_are_a_group(void **state)
{
	static const struct {
		const char *comm, *label, *want;
	} cases[] = {
		{"GC Thread#0", NULL, "GC Thread#*"},
		{"main", NULL, "main"},
		{"GC Thread#1", NULL, "GC Thread#*"},
		{"app", NULL, "app"},
		{"app7", NULL, "app*"},
		{"app10", NULL, "app*"},
		{"lone3", NULL, "lone3"},
		{"lone3", NULL, "lone3"},
		{"17", NULL, "17"},
		{"18", NULL, "18"},
		{"1a2", NULL, "1a*"},
		{"1a3", NULL, "1a*"},
		{"", NULL, ""},
		{"p0", "p0 stage1", "p0 stage1"},
		{"p0", "p0 stage2", "p0 stage2"},
		{"fifteen-letter1", NULL, "fifteen-letter*"},
		{"GC Thread#1", NULL, "GC Thread#*"},
		{"fifteen-letter2", NULL, "fifteen-letter*"},
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	struct named threads[COUNT] = {{0}};
	struct thread_name *names;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		event_set_comm(threads[i].name.bytes, cases[i].comm, strlen(cases[i].comm));
		thread_name_label(&threads[i].name, cases[i].label ?: cases[i].comm);
	}
	names = thread_names_groups(threads, COUNT, THREAD_NAME_PLACE(struct named));
	for (size_t i = 0; i < COUNT; i++) {
		assert_string_equal(thread_name_text(&names[i]), cases[i].want);
		assert_string_equal(thread_name_comm(&names[i]), cases[i].comm);
		assert_string_equal(thread_name_text(&threads[i].name),
				    cases[i].label ?: cases[i].comm);
		thread_name_release(&threads[i].name);
		thread_name_release(&names[i]);
	}
	free(names);
	free(thread_names_groups(NULL, 0, THREAD_NAME_PLACE(struct named)));
}

/* Replaces all maps of this program by a copy of its file, and adds more. */
static void remap(const char *from, const char *to)
{
	struct samples *samples = &source.samples;
	size_t count = samples->map_count;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(samples->maps[i].path, from) != 0)
			continue;
		free(samples->maps[i].path);
		samples->maps[i].path = xstrdup(to);
	}
}

static void map_more(void)
{
	struct samples *samples = &source.samples;

	for (size_t i = samples->map_count; i > 0; i--) {
		array_reserve(&samples->maps, &samples->map_capacity, samples->map_count + 1);
		samples->maps[samples->map_count++] = (struct mapped){
			.pid = OWN_PID + 5, .begin = 0x1000 * i, .end = 0x1000 * i + 1};
	}
}

static void a_file_is_read_once_in_spite_of_new_mappings(void **state)
{
	const uint32_t outer = start(OWN_PID, own_code_function(own_outer), NULL, 0);
	const uint32_t middle = start(OWN_PID, own_code_function(own_middle), NULL, 0);
	char copy[] = "/tmp/pscal-test-XXXXXX", self[256] = "", command[512];
	int fd = mkstemp(copy);
	struct thread_names *names;

	(void)state;
	assert_true(fd >= 0 && readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	close(fd);
	snprintf(command, sizeof(command), "cp '%s' %s", self, copy);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	remap(self, copy);
	names = thread_names_new(&source);
	assert_string_equal(thread_names_function(names, outer), "own_outer");
	unlink(copy);
	map_more();
	assert_string_equal(thread_names_function(names, middle), "own_middle");
	thread_names_free(names);
}

static void a_thread_has_a_name_of_the_kernel_and_one_to_show(void **state)
{
	static const char *const labels[] = {"main", "main loop", "fifteen letters",
					     "a name with a function behind it", "main"};
	struct thread_name name = {{0}}, copy;

	(void)state;
	assert_string_equal(thread_name_text(&name), "");
	/* Any bytes may follow the NUL. */
	thread_name_take(&name, "main\0xxxxxxxxxxx");
	assert_string_equal(thread_name_text(&name), "main");
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		thread_name_label(&name, labels[i]);
		thread_name_label(&name, thread_name_text(&name));
		thread_name_copy(&copy, &name);
		assert_string_equal(thread_name_text(&name), labels[i]);
		assert_string_equal(thread_name_comm(&name), "main");
		thread_name_release(&name);
		assert_string_equal(thread_name_text(&copy), labels[i]);
		assert_string_equal(thread_name_comm(&copy), "main");
		name = copy;
	}
	thread_name_release(&name);
	assert_string_equal(thread_name_comm(&name), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_has_a_name_of_the_kernel_and_one_to_show),
	cmocka_unit_test_setup_teardown(a_file_is_read_once_in_spite_of_new_mappings, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(a_thread_is_named_by_the_function_that_it_begins_with,
					set_up, tear_down),
	cmocka_unit_test_setup_teardown(a_function_distinguishes_threads_with_equal_names, set_up,
					tear_down),
	cmocka_unit_test(names_with_different_numbers_at_their_ends_are_a_group),
};

TEST_FILE(tests);
