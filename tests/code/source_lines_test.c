/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/source_lines.h"

#include "base/alloc.h"
#include "seeds/elf_seed.h"
#include "seeds/stripped.h"
#include "support.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

/* A function begins at its first line, or in optimised code at its first statement. */
enum { LINE = __LINE__ + 1 };
__attribute__((noinline)) static int twice(volatile int *number)
{
	*number *= 2;
	return *number;
}

/* Turns an address in memory into an offset in the file; the first object is the program itself. */
static int take_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *at = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && *at >= begin && *at < begin + segment->p_filesz) {
			*at += segment->p_offset - begin;
			return 1;
		}
	}
	fail_msg("%jx is not in the program", (uintmax_t)*at);
	return -1;
}

static void code_has_the_line_that_it_was_made_from(void **state)
{
	struct source_lines lines = {0};
	volatile int number = 1;
	uint64_t offset = (uint64_t)(uintptr_t)twice;
	struct source_line line;

	(void)state;
	assert_int_equal(twice(&number), 2);
	dl_iterate_phdr(take_offset, &offset);
	assert_true(source_lines_find(&line, &lines, SELF, offset));
	assert_true(strstr(line.file, "source_lines_test.c"));
	assert_in_range(line.line, LINE, LINE + 2);
	for (uint64_t i = 0; i < 8; i++)
		if (source_lines_find(&line, &lines, SELF, offset + i))
			assert_in_range(line.line, LINE, LINE + 5);
	assert_int_equal(lines.count, 1);
	source_lines_release(&lines);
}

static void lines_are_found_in_a_separate_file(void **state)
{
	static const char *const places[] = {NULL, "bin/program.debug"};
	uint64_t offset = (uint64_t)(uintptr_t)twice;

	(void)state;
	dl_iterate_phdr(take_offset, &offset);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stripped stripped;
		struct source_lines lines = {.root = stripped.root};
		struct source_line line;

		stripped_make(&stripped, places[i]);
		assert_true(source_lines_find(&line, &lines, stripped.program, offset));
		assert_true(strstr(line.file, "source_lines_test.c"));
		assert_in_range(line.line, LINE, LINE + 2);
		source_lines_release(&lines);
		assert_int_equal(remove(stripped.debug), 0);
		assert_false(source_lines_find(&line, &lines, stripped.program, offset));
		source_lines_release(&lines);
		stripped_remove(&stripped);
	}
}

static void an_address_without_code_has_no_line(void **state)
{
	static const uint64_t offsets[] = {0, UINT64_MAX, UINT64_C(1) << 63};
	struct source_lines lines = {0};
	struct source_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		assert_false(source_lines_find(&line, &lines, SELF, offsets[i]));
	source_lines_release(&lines);
}

static void a_file_that_is_no_program_has_no_lines(void **state)
{
	static const char *const paths[] = {"/",	   "/is/nowhere",     "/dev/null",
					    "GNUmakefile", "/proc/self/maps", "."};
	struct source_lines lines = {0};
	struct source_line line;
	char *text = strdup(file_with("\177ELF and no more", 15));

	(void)state;
	assert_false(source_lines_find(&line, &lines, text, 4));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_false(source_lines_find(&line, &lines, paths[i], 4));
	source_lines_release(&lines);
	free(text);
}

static pid_t only_child(void)
{
	char path[64], more[8];
	int pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d %1s", &pid, more), 1);
	fclose(file);
	return pid;
}

/* Kills the reader, as a fault of libdw in a damaged file does. */
static void kill_reader(void)
{
	pid_t pid = only_child();
	siginfo_t info;

	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void a_file_that_crashes_its_reader_loses_only_its_own_lines(void **state)
{
	struct bytes bytes = elf_seed_make();
	char *seed = strdup(file_with(bytes.at, bytes.count)), *trouble;
	uint64_t own = (uint64_t)(uintptr_t)twice;
	struct source_lines lines = {0};
	struct source_line line;

	(void)state;
	dl_iterate_phdr(take_offset, &own);
	assert_true(source_lines_find(&line, &lines, seed, ELF_SEED_TEXT));
	assert_int_equal(line.line, 2);
	assert_null(source_lines_trouble(&lines));
	for (uint64_t at = 0; at < bytes.count; at++)
		source_lines_expect(&lines, seed, at);
	kill_reader();
	for (int i = 0; i < 2; i++) {
		assert_false(source_lines_find(&line, &lines, seed, 16));
		assert_true(source_lines_find(&line, &lines, SELF, own));
		assert_in_range(line.line, LINE, LINE + 2);
		trouble = source_lines_trouble(&lines);
		assert_non_null(trouble);
		assert_memory_equal(trouble, "lines of ", 9);
		assert_memory_equal(trouble + 9, seed, strlen(seed));
		assert_non_null(strstr(trouble, " are unknown: its debug information is damaged "));
		free(trouble);
	}
	source_lines_release(&lines);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	free(bytes.at);
	free(seed);
}

/* The reader is dead after the first answer, so all other answers must have come with it. */
static void expected_lines_come_with_the_first_answer(void **state)
{
	struct bytes bytes = elf_seed_make();
	char *seed = strdup(file_with(bytes.at, bytes.count));
	struct source_lines lines = {0};
	struct source_line line;

	(void)state;
	for (uint32_t at = 0; at < 5 * ELF_SEED_FUNCTION; at++)
		source_lines_expect(&lines, seed, ELF_SEED_TEXT + at);
	assert_true(source_lines_find(&line, &lines, seed, ELF_SEED_TEXT));
	kill_reader();
	for (uint32_t at = 0; at < 5 * ELF_SEED_FUNCTION; at++) {
		assert_true(source_lines_find(&line, &lines, seed, ELF_SEED_TEXT + at));
		assert_int_equal(line.line, at / ELF_SEED_FUNCTION + 2);
		assert_string_equal(strrchr(line.file, 'w'), "work.c");
	}
	assert_null(source_lines_trouble(&lines));
	source_lines_release(&lines);
	free(bytes.at);
	free(seed);
}

/* There are more addresses than one request holds. */
static void more_addresses_are_expected_than_one_request_holds(void **state)
{
	struct bytes bytes = elf_seed_make();
	char *seed = strdup(file_with(bytes.at, bytes.count));
	struct source_lines lines = {0};
	struct source_line line;
	uint32_t found = 0;

	(void)state;
	for (uint64_t at = 0; at < bytes.count; at++)
		source_lines_expect(&lines, seed, at);
	for (uint64_t at = 0; at < bytes.count; at++)
		found += source_lines_find(&line, &lines, seed, at);
	assert_int_equal(found, 5 * ELF_SEED_FUNCTION);
	assert_null(source_lines_trouble(&lines));
	source_lines_release(&lines);
	free(bytes.at);
	free(seed);
}

/* --- Parts of variables -------------------------------------------------------------------- */

struct queue {
	int items[5];
	pthread_mutex_t mutex;
	const volatile struct {
		union {
			uint64_t word;
			char bytes[8];
		};
		short last;
	} state;
};
typedef struct queue queues[3];

static struct pool {
	pthread_cond_t ready;
	queues queues[2];
	struct queue *first;
} pool;
static char names[4][3][2];
static int number;
static volatile pthread_mutex_t locks[7];

static uint64_t base_of_program(void)
{
	struct link_map *map = _r_debug.r_map;

	return map->l_addr;
}

static void a_variable_has_the_parts_of_its_source(void **state)
{
	static pthread_mutex_t own;
	const struct {
		const volatile void *variable, *at;
		const char *part; /* NULL: the offset is in no part */
	} cases[] = {
		{&pool, &pool.ready, ".ready"},
		{&pool, (char *)&pool.ready + 40, ".ready"},
		{&pool, (char *)&pool.ready + 44, ".ready"},
		{&pool, (char *)&pool.queues[1][2].mutex + 4, ".queues[1][2].mutex+0x4"},
		{&pool, &pool.queues[1][2].mutex, ".queues[1][2].mutex"},
		{&pool, &pool.queues[0][1].items[4], ".queues[0][1].items[4]"},
		{&pool, &pool.queues[1][0].state.word, ".queues[1][0].state.word"},
		{&pool, &pool.queues[1][0].state.last, ".queues[1][0].state.last"},
		{&pool, &pool.first, ".first"},
		{&pool, &pool + 1, NULL},
		{&names, &names[3][1][1], "[3][1][1]"},
		{&names, &names[0][0][0], "[0][0][0]"},
		{&number, &number, ""},
		{&number, (char *)&number + 1, "+0x1"},
		{&locks, &locks[0], "[0]"},
		{&locks, &locks[6], "[6]"},
		{&locks, &locks[7], NULL},
		{&own, &own, ""},
		{&locks[1], &locks[1], NULL},
		{NULL, NULL, NULL},
		{state, state, NULL},
	};
	struct source_lines lines = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t variable = (uint64_t)(uintptr_t)cases[i].variable;
		uint64_t offset = (uint64_t)(uintptr_t)cases[i].at - variable;
		char *part = source_lines_part(&lines, SELF, variable - base_of_program(), offset);

		if (strcmp(part ?: "none", cases[i].part ?: "none") != 0)
			fail_msg("case %zu is %s, not %s", i, part, cases[i].part);
		free(part);
	}
	assert_null(source_lines_part(&lines, SELF, (uint64_t)(uintptr_t)&number, UINT64_MAX));
	assert_null(source_lines_part(&lines, "/is/nowhere", 0, 0));
	assert_null(source_lines_trouble(&lines));
	source_lines_release(&lines);
}

static void parts_are_read_as_compilers_of_another_version_write_them(void **state)
{
	struct bytes bytes = elf_seed_make();
	char *seed = strdup(file_with(bytes.at, bytes.count));
	struct source_lines lines = {0};

	(void)state;
	for (size_t i = 0; i < 24; i += 8) {
		char *part = source_lines_part(&lines, seed, ELF_SEED_ADDRESS, i + 4);
		char *expected = xasprintf("[%zu].lock", i / 8);

		assert_string_equal(part, expected);
		free(expected);
		free(part);
	}
	assert_null(source_lines_part(&lines, seed, ELF_SEED_ADDRESS, 24));
	source_lines_release(&lines);
	free(bytes.at);
	free(seed);
}

static void parts_and_lines_of_a_file_come_from_one_reader(void **state)
{
	struct source_lines lines = {0};
	uint64_t offset = (uint64_t)(uintptr_t)twice;
	uint64_t variable = (uint64_t)(uintptr_t)&pool - base_of_program();
	struct source_line line;
	char *part = source_lines_part(&lines, SELF, variable, 0);

	(void)state;
	dl_iterate_phdr(take_offset, &offset);
	assert_string_equal(part, ".ready");
	only_child();
	assert_true(source_lines_find(&line, &lines, SELF, offset));
	kill_reader();
	assert_null(source_lines_part(&lines, SELF, variable, 0));
	assert_true(source_lines_find(&line, &lines, SELF, offset));
	free(part);
	part = source_lines_trouble(&lines);
	assert_non_null(strstr(part, " are unknown: its debug information is damaged "));
	free(part);
	source_lines_release(&lines);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_variable_has_the_parts_of_its_source),
	cmocka_unit_test(parts_are_read_as_compilers_of_another_version_write_them),
	cmocka_unit_test(parts_and_lines_of_a_file_come_from_one_reader),
	cmocka_unit_test(code_has_the_line_that_it_was_made_from),
	cmocka_unit_test(lines_are_found_in_a_separate_file),
	cmocka_unit_test(an_address_without_code_has_no_line),
	cmocka_unit_test(a_file_that_is_no_program_has_no_lines),
	cmocka_unit_test(a_file_that_crashes_its_reader_loses_only_its_own_lines),
	cmocka_unit_test(expected_lines_come_with_the_first_answer),
	cmocka_unit_test(more_addresses_are_expected_than_one_request_holds),
};

TEST_FILE(tests);
