/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "decode/event/samples.h"
#include "stats/own_code.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- Keys ---------------------------------------------------------------------------------- */

struct named {
	const char *function, *object, *file;
	uint32_t line;
};

/* The caller frees it. */
static char *key_of(const struct named *named, enum stretch_by by, const char *program)
{
	const struct stretch_region block = {
		.function = (char *)(uintptr_t)named->function,
		.object = (char *)(uintptr_t)named->object,
		.file = (char *)(uintptr_t)named->file,
		.line = named->line,
		.level = -1,
	};

	return stretch_region_key(&block, by, program);
}

static void blocks_are_the_same_by_the_names_of_their_function_and_file(void **state)
{
	static const struct {
		struct named one, other;
		enum stretch_by by;
		bool same;
	} cases[] = {
		{{"f", "a", "x.c", 1}, {"f", "a", "y.c", 2}, STRETCH_BY_FUNCTION, true},
		{{"f", "a", "x.c", 1}, {"g", "a", "x.c", 1}, STRETCH_BY_FUNCTION, false},
		{{"f", "a", "x.c", 1}, {"f", "a", "x.c", 2}, STRETCH_BY_LINE, false},
		{{"f", "a", "/old/x.c", 1}, {"f", "a", "/new/x.c", 1}, STRETCH_BY_LINE, true},
		{{"f", "libz.so.1", NULL, 0}, {"f", "libz.so.1.2", NULL, 0}, STRETCH_BY_PATH, true},
		{{"f", "libz.so.1", NULL, 0}, {"f", "liba.so.1", NULL, 0}, STRETCH_BY_PATH, false},
		{{NULL, "a", NULL, 0}, {NULL, "a", NULL, 0}, STRETCH_BY_FUNCTION, true},
		{{NULL, NULL, NULL, 0}, {NULL, "a", NULL, 0}, STRETCH_BY_FUNCTION, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *one = key_of(&cases[i].one, cases[i].by, "program");
		char *other = key_of(&cases[i].other, cases[i].by, "program");

		if (!strcmp(one, other) != cases[i].same)
			fail_msg("case %zu: %s, %s", i, one, other);
		free(one);
		free(other);
	}
}

static void a_program_may_have_another_name(void **state)
{
	const struct named serial = {"f", "fib-serial", NULL, 0}, tasks = {"f", "fib", NULL, 0};
	char *one = key_of(&serial, STRETCH_BY_FUNCTION, "fib-serial");
	char *other = key_of(&tasks, STRETCH_BY_FUNCTION, "fib");
	char *library = key_of(&tasks, STRETCH_BY_FUNCTION, "other");

	(void)state;
	assert_string_equal(one, other);
	assert_string_not_equal(one, library);
	free(one);
	free(other);
	free(library);
}

/* --- Places -------------------------------------------------------------------------------- */

__attribute__((noinline)) static int own_work(volatile int *number)
{
	return *number += 1;
}

/* The name that GCC gives to a part of a function. */
int own_part(volatile int *number) __asm__("own_work.part.7");
__attribute__((noinline)) int own_part(volatile int *number)
{
	return *number += 2;
}

static struct sampled at(uint64_t ip, uint32_t mode)
{
	return (struct sampled){.pid = OWN_PID,
				.tid = OWN_PID,
				.ip = ip,
				.time_ns = 1,
				.count = 1,
				.mode = mode & 1};
}

static void threads_are_at_work_or_wait(void **state)
{
	struct samples own = {0};
	struct chains chains = {0};
	struct stretch_places places;
	volatile int number = 0;
	uint64_t work = (uint64_t)(uintptr_t)own_work, part = (uint64_t)(uintptr_t)own_part;
	const struct sampled in_work = at(work, SAMPLED_USER), in_part = at(part, SAMPLED_USER);
	const struct sampled for_work = at(work + 1, SAMPLED_KERNEL), alone = at(0, SAMPLED_KERNEL);
	const struct sampled nowhere = at(1, SAMPLED_USER);
	uint32_t block, kernel;

	(void)state;
	assert_int_equal(own_work(&number) + own_part(&number), 4);
	own_code_map(&own);
	stretch_places_init(&places, &own, &chains, STRETCH_BY_FUNCTION);
	block = stretch_places_find(&places, &(struct spin_row){0, &in_work, CODE_WORKS});
	assert_string_equal(places.blocks[block].function, "own_work");
	assert_true(strstr(places.blocks[block].file, "stretch_places_test.c"));
	assert_int_equal(stretch_places_find(&places, &(struct spin_row){0, &in_part, CODE_WORKS}),
			 block);
	assert_int_equal(stretch_places_find(&places, &(struct spin_row){0, &for_work, CODE_WORKS}),
			 block);
	assert_int_equal(stretch_places_find(&places, &(struct spin_row){0, &in_work, CODE_WAITS}),
			 STRETCH_WAITING);
	kernel = stretch_places_find(&places, &(struct spin_row){0, &alone, CODE_WORKS});
	assert_null(places.blocks[kernel].function);
	assert_string_equal(places.blocks[kernel].object, "[kernel]");
	kernel = stretch_places_find(&places, &(struct spin_row){0, &nowhere, CODE_UNKNOWN});
	assert_null(places.blocks[kernel].object);
	stretch_places_release(&places);
	samples_release(&own);
}

#if defined(__x86_64__)

/* The place after the read of the clock. */
extern const char own_after_clock[];
__asm__(".text\n.type own_clock, @function\nown_clock: nop\nnop\nnop\nnop\nrdtsc\n"
	".globl own_after_clock\nown_after_clock: nop\nret\n.size own_clock, .-own_clock\n");

/* This program as the library of OpenMP: its own work is overhead, except the read of the clock. */
static void a_runtime_that_reads_the_clock_waits(void **state)
{
	struct samples own = {0};
	struct chains chains = {0};
	struct stretch_places places;
	uint64_t after = (uint64_t)(uintptr_t)own_after_clock;
	const struct sampled in_loop = at(after, SAMPLED_USER),
			     before = at(after - 2, SAMPLED_USER);
	char directory[] = "/tmp/stretch_places_test.XXXXXX";
	char *library = xasprintf("%s/libomp.so.5", mkdtemp(directory));
	char *self = realpath("/proc/self/exe", NULL);

	(void)state;
	assert_int_equal(symlink(self, library), 0);
	own_code_map(&own);
	for (size_t i = 0; i < own.map_count; i++)
		if (strcmp(own.maps[i].path, self) == 0) {
			free(own.maps[i].path);
			own.maps[i].path = xstrdup(library);
		}
	stretch_places_init(&places, &own, &chains, STRETCH_BY_FUNCTION);
	assert_int_equal(stretch_places_find(&places, &(struct spin_row){0, &in_loop, CODE_WORKS}),
			 STRETCH_WAITING);
	assert_int_equal(stretch_places_find(&places, &(struct spin_row){0, &before, CODE_WORKS}),
			 STRETCH_OVERHEAD);
	stretch_places_release(&places);
	samples_release(&own);
	unlink(library);
	rmdir(directory);
	free(library);
	free(self);
}

#else

static void a_runtime_that_reads_the_clock_waits(void **state)
{
	(void)state;
	skip();
}

#endif

/* Lines of the new file are not those of the old one. */
static void a_file_that_has_changed_since_has_no_lines(void **state)
{
	struct samples own = {0};
	struct chains chains = {0};
	struct stretch_places places;
	const struct sampled in_work = at((uint64_t)(uintptr_t)own_work, SAMPLED_USER);
	uint32_t block;

	(void)state;
	own_code_map(&own);
	for (size_t i = 0; i < own.map_count; i++)
		own.maps[i].inode = 1;
	stretch_places_init(&places, &own, &chains, STRETCH_BY_LINE);
	block = stretch_places_find(&places, &(struct spin_row){0, &in_work, CODE_WORKS});
	assert_null(places.blocks[block].function);
	assert_null(places.blocks[block].file);
	stretch_places_release(&places);
	samples_release(&own);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(blocks_are_the_same_by_the_names_of_their_function_and_file),
	cmocka_unit_test(a_program_may_have_another_name),
	cmocka_unit_test(threads_are_at_work_or_wait),
	cmocka_unit_test(a_runtime_that_reads_the_clock_waits),
	cmocka_unit_test(a_file_that_has_changed_since_has_no_lines),
};

TEST_FILE(tests);
