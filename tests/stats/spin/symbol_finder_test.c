/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/symbol_finder.h"

#include "code/object.h"
#include "seeds/stripped.h"
#include "stats/own_code.h"
#include "support.h"

#include <stdlib.h>
#include <sys/stat.h>

static struct samples own;

static int map_own_code(void **state)
{
	(void)state;
	own_code_map(&own);
	return own.map_count ? 0 : -1;
}

static int unmap_own_code(void **state)
{
	(void)state;
	samples_release(&own);
	return 0;
}

static struct mapped *map_of(uint64_t ip)
{
	for (size_t i = 0; i < own.map_count; i++)
		if (ip >= own.maps[i].begin && ip < own.maps[i].end)
			return &own.maps[i];
	fail_msg("%jx is not mapped", (uintmax_t)ip);
	return NULL;
}

/* The function at `ip`; "": none. The caller frees it. */
static char *function_at(uint64_t ip, uint64_t *offset)
{
	struct symbol_finder finder;
	struct symbol symbol;
	char *text;

	symbol_finder_init(&finder, &own);
	assert_true(symbol_finder_find(&symbol, &finder, OWN_PID, ip, 1));
	assert_string_equal(symbol.path, map_of(ip)->path);
	*offset = symbol.offset;
	text = xstrdup(symbol.function ? symbol.function : "");
	symbol_finder_release(&finder);
	return text;
}

static void assert_function(uint64_t ip, const char *want)
{
	uint64_t offset;
	char *found = function_at(ip, &offset);

	assert_string_equal(found, want);
	free(found);
	if (!*want)
		assert_int_equal(offset, ip - map_of(ip)->begin + map_of(ip)->offset);
}

static void a_place_is_in_the_function_around_it(void **state)
{
	const struct own_returns returns = own_code_returns();
	int (*function)(struct own_returns *) = own_outer;
	uint64_t begin, offset;
	char *name;

	(void)state;
	memcpy(&begin, &function, sizeof(begin));
	assert_function(begin, "own_outer");
	assert_function(returns.innermost - 1, "own_middle");
	assert_function(returns.middle - 1, "own_outer");
	assert_function(own_code_libc(), "gnu_get_libc_version");
	name = function_at(begin + 2, &offset);
	assert_int_equal(offset, 2);
	free(name);
}

static void an_unmapped_address_is_not_found(void **state)
{
	struct symbol_finder finder;
	struct symbol symbol;
	uint64_t ip = own_code_returns().middle;

	(void)state;
	symbol_finder_init(&finder, &own);
	assert_false(symbol_finder_find(&symbol, &finder, OWN_PID, 1, 1));
	assert_false(symbol_finder_find(&symbol, &finder, OWN_PID, UINT64_MAX, 1));
	assert_false(symbol_finder_find(&symbol, &finder, OWN_PID + 1, ip, 1));
	symbol_finder_release(&finder);
}

static void the_vdso_is_one_function_of_the_library(void **state)
{
	struct mapped vdso = {.pid = OWN_PID, .begin = 0x7000, .end = 0x9000, .is_vdso = true};
	struct samples samples = {.maps = &vdso, .map_count = 1};
	struct symbol_finder finder;
	struct symbol symbol;

	(void)state;
	symbol_finder_init(&finder, &samples);
	assert_true(symbol_finder_find(&symbol, &finder, OWN_PID, 0x8fff, 1));
	assert_string_equal(symbol.path, "[vdso]");
	assert_string_equal(symbol.function, "[vdso]");
	assert_int_equal(symbol.offset, 0x1fff);
	assert_true(symbol.of_library);
	assert_false(symbol.readable);
	assert_int_equal(symbol_finder_call(&symbol, &finder, OWN_PID, 0x8fff, 1), CALL_UNKNOWN);
	assert_false(symbol_finder_find(&symbol, &finder, OWN_PID, 0x9000, 1));
	assert_int_equal(finder.count, 0);
	symbol_finder_release(&finder);
}

static void a_replaced_file_gives_no_names(void **state)
{
	uint64_t ip = own_code_returns().innermost - 1;
	struct mapped *map = map_of(ip);
	struct object object;
	struct stat status;

	(void)state;
	assert_int_equal(stat(map->path, &status), 0);
	map->inode = status.st_ino;
	assert_function(ip, "own_middle");
	map->inode++;
	assert_function(ip, "");
	map->inode = 0;
	object_open(&object, map->path);
	map->build_id_size = (uint8_t)object_build_id(map->build_id, &object);
	object_close(&object);
	assert_int_not_equal(map->build_id_size, 0);
	assert_function(ip, "own_middle");
	map->build_id[3] ^= 1;
	assert_function(ip, "");
	map->build_id_size = 0;
}

static void missing_files_and_files_that_are_no_programs_give_no_names(void **state)
{
	static const char *const paths[] = {"/nowhere/at/all", "/etc/passwd", "/dev/zero", "/"};
	uint64_t ip = own_code_returns().innermost - 1;
	struct mapped *map = map_of(ip);
	char *path = map->path;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		map->path = (char *)(uintptr_t)paths[i];
		assert_function(ip, "");
	}
	map->path = path;
}

/* The functions of the test are static, so the stripped program has no names of them. */
static void names_are_found_in_a_separate_file(void **state)
{
	uint64_t ip = own_code_returns().innermost - 1;
	struct mapped *map = map_of(ip);
	struct stripped stripped;
	struct symbol_finder finder;
	struct symbol symbol;
	char *path = map->path;

	(void)state;
	stripped_make(&stripped, NULL);
	map->path = stripped.program;
	own.root = stripped.root;
	assert_function(ip, "own_middle");
	symbol_finder_init(&finder, &own);
	assert_true(symbol_finder_find(&symbol, &finder, OWN_PID, ip, 1));
	assert_true(symbol.separate);
	assert_int_equal(symbol_finder_call(&symbol, &finder, OWN_PID, ip + 1, 1), CALL_KNOWN);
	assert_string_equal(symbol.function, "own_innermost");
	symbol_finder_release(&finder);
	assert_int_equal(remove(stripped.debug), 0);
	assert_function(ip, "");
	map->path = path;
	own.root = NULL;
	symbol_finder_init(&finder, &own);
	assert_true(symbol_finder_find(&symbol, &finder, OWN_PID, ip, 1));
	assert_false(symbol.separate);
	symbol_finder_release(&finder);
	stripped_remove(&stripped);
}

static struct {
	int before[4], lock;
} own_table;

static void a_variable_is_found_by_its_address_in_programs_and_libraries(void **state)
{
	static const struct {
		const void *at;
		const char *name; /* NULL: no name */
		uint64_t offset;
	} cases[] = {
		{&own_table, "own_table", 0},
		{&own_table.lock, "own_table", 16},
		{&own, "own", 0},
		{(const char *)&own + sizeof(own) - 1, "own", sizeof(own) - 1},
		{NULL, NULL, 0},
		{(const void *)UINTPTR_MAX, NULL, 0},
	};
	struct symbol_finder finder;
	struct symbol symbol;
	int on_stack = 0;
	void *heap = xcalloc(1, 1);

	(void)state;
	symbol_finder_init(&finder, &own);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(symbol_finder_variable(&symbol, &finder, OWN_PID,
							(uint64_t)(uintptr_t)cases[i].at, 1),
				 cases[i].name != NULL);
		if (!cases[i].name)
			continue;
		assert_string_equal(symbol.function, cases[i].name);
		assert_int_equal(symbol.offset, cases[i].offset);
	}
	assert_true(
		symbol_finder_variable(&symbol, &finder, OWN_PID, (uint64_t)(uintptr_t)stdout, 1));
	assert_string_equal(symbol.function, "_IO_2_1_stdout_");
	assert_false(symbol_finder_variable(&symbol, &finder, OWN_PID,
					    (uint64_t)(uintptr_t)&on_stack, 1));
	assert_false(
		symbol_finder_variable(&symbol, &finder, OWN_PID, (uint64_t)(uintptr_t)heap, 1));
	assert_false(symbol_finder_variable(&symbol, &finder, OWN_PID + 1,
					    (uint64_t)(uintptr_t)&own_table, 1));
	free(heap);
	symbol_finder_release(&finder);
}

static void memory_is_described_by_its_mapping(void **state)
{
	static char program[] = "/nowhere/program", library[] = "/nowhere/library.so";
	struct mapped maps[] = {
		{.pid = 1, .begin = 0x401000, .end = 0x402000, .path = program},
		{.pid = 1, .begin = 0x7f0000001000, .end = 0x7f0000002000, .path = library},
		{.pid = 1,
		 .time_ns = 1,
		 .begin = 0x7effff001000,
		 .end = 0x7effff002000,
		 .stack_of = 7},
		{.pid = 1,
		 .time_ns = 1,
		 .begin = 0x7efffe000000,
		 .end = 0x7efffe002000,
		 .stack_of = 8},
		{.pid = 1,
		 .time_ns = 2,
		 .begin = 0x7efffe000000,
		 .end = 0x7efffe002000,
		 .stack_of = 9},
	};
	const struct samples samples = {.maps = maps, .map_count = 5};
	const struct {
		uint64_t address;
		const char *name; /* NULL: unknown */
		int32_t stack_of;
	} cases[] = {
		{0x1000, NULL, 0},
		{0x401800, NULL, 0},
		{0x500000, "lock on the heap", 0},
		{0x7effffffffff, "lock on heap or stack", 0},
		{0x7effff001000, NULL, 7},
		{0x7effff001fff, NULL, 7},
		{0x7effff002000, "lock on heap or stack", 0},
		{0x7efffe000000, "lock on heap or stack", 0}, /* of two threads */
		{0x7f0000003000, NULL, 0},
		{0x7ffe12345678, "lock on the stack of main", 0},
		{0xffffdf63bc20, "lock on the stack of main", 0},
		{UINT64_MAX, NULL, 0},
	};
	struct chains chains = {0};
	struct chain_names *names = chain_names_new(&chains, &samples);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct memory_object object = {1, cases[i].address, "lock", false};
		struct object_name name = chain_names_object(names, &object, 3);

		assert_int_equal(name.stack_of, cases[i].stack_of);
		assert_false(name.is_variable);
		if (strcmp(name.text ?: "nothing", cases[i].name ?: "nothing") != 0)
			fail_msg("case %zu: %s", i, name.text);
		free(name.text);
	}
	chain_names_free(names);
}

static void a_call_names_its_function_unless_by_a_pointer(void **state)
{
	const struct own_returns returns = own_code_returns();
	const struct {
		uint64_t ip;
		enum call_found found;
		const char *function;
	} cases[] = {
		{returns.innermost, CALL_KNOWN, "own_innermost"},
		{returns.middle, CALL_KNOWN, "own_middle"},
		{returns.outer, CALL_KNOWN, "own_outer"},
		{own_code_pointer_return(), CALL_UNKNOWN, NULL},
		{returns.middle + 1, CALL_NONE, NULL},
		{1, CALL_UNKNOWN, NULL},
	};
	struct symbol_finder finder;
	struct symbol symbol;

	(void)state;
	symbol_finder_init(&finder, &own);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (symbol_finder_call(&symbol, &finder, OWN_PID, cases[i].ip, 1) != cases[i].found)
			fail_msg("call %zu", i);
		if (cases[i].function)
			assert_string_equal(symbol.function, cases[i].function);
	}
	symbol_finder_release(&finder);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_place_is_in_the_function_around_it),
	cmocka_unit_test(an_unmapped_address_is_not_found),
	cmocka_unit_test(the_vdso_is_one_function_of_the_library),
	cmocka_unit_test(a_replaced_file_gives_no_names),
	cmocka_unit_test(missing_files_and_files_that_are_no_programs_give_no_names),
	cmocka_unit_test(names_are_found_in_a_separate_file),
	cmocka_unit_test(a_variable_is_found_by_its_address_in_programs_and_libraries),
	cmocka_unit_test(memory_is_described_by_its_mapping),
	cmocka_unit_test(a_call_names_its_function_unless_by_a_pointer),
};

TEST_FILE_WITH(tests, map_own_code, unmap_own_code);
