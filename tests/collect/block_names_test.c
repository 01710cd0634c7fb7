/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_names.h"

#include "collect/collect_dir.h"
#include "collect/probe_plan.h"

#include <unistd.h>

__attribute__((noinline)) long block_names_test_mark(long number);
long block_names_test_mark(long number)
{
	return number * 7919 + 104729;
}

static uint64_t mark_address(void)
{
	long (*function)(long) = block_names_test_mark;
	uint64_t address;

	memcpy(&address, &function, sizeof(address));
	return address;
}

/* The maps of this process. */
static char *read_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	static char text[1 << 20];

	assert_non_null(maps);
	text[fread(text, 1, sizeof(text) - 1, maps)] = '\0';
	fclose(maps);
	return text;
}

/* A spool with these, as process 77 while it runs program 5. */
static void put_maps(const char *root)
{
	dir_put(root, "maps-77-5", read_maps());
}

static void blocks_have_the_names_of_functions_and_what_processes_call_them(void **state)
{
	struct probe_plan plan = {.texts = NULL};
	struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
	struct block_process *process, *other;
	char root[64];

	(void)state;
	dir_make(root);
	names.spool = root;
	put_maps(root);
	dir_put(root, "names-77-5", "4096 insert\n8192 remove\n12288 not wh");
	process = block_names_process(&names, 77, 5);
	other = block_names_process(&names, 78, 5);
	assert_int_equal(block_names_number(&names, process, 8192), 1);
	assert_int_equal(block_names_number(&names, process, 4096), 0);
	assert_int_equal(block_names_number(&names, process, mark_address()), 2);
	assert_string_equal(names.items[0], "insert");
	assert_string_equal(names.items[2], "block_names_test_mark");
	/* Names come while the process goes on; another process has others. */
	dir_put(root, "names-77-5", "4096 insert\n8192 remove\n12288 not whole before\n");
	assert_int_equal(block_names_number(&names, process, 12288), 3);
	assert_string_equal(names.items[3], "not whole before");
	dir_put(root, "names-77-5-later", "20480 after that\n");
	assert_int_equal(block_names_number(&names, process, 20480), 4);
	dir_put(root, "names-78-5", "16384 insert\n");
	assert_int_equal(block_names_number(&names, other, 16384), 0);
	assert_int_equal(block_names_number(&names, other, 4096), 5);
	assert_string_equal(names.items[4], "after that");
	assert_string_equal(names.items[5], "0x1000");
	block_names_give_back(&names, process);
	block_names_give_back(&names, other);
	block_names_release(&names);
	dir_remove(root);
}

static void a_process_is_the_same_for_all_of_its_threads(void **state)
{
	struct block_names names = {.spool = "/no/such/spool", .proc = "/no/such/proc"};
	struct block_process *process = block_names_process(&names, 1, 2);

	(void)state;
	assert_ptr_equal(block_names_process(&names, 1, 2), process);
	assert_ptr_not_equal(block_names_process(&names, 1, 3), process);
	block_names_give_back(&names, process);
	assert_ptr_equal(block_names_process(&names, 1, 2), process);
	block_names_release(&names);
}

/* Where the line of the function's code ends, in maps. */
static char *end_of_its_line(char *maps)
{
	for (char *line = maps; line && *line; line = strchr(line, '\n') + 1) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && mark_address() >= start &&
		    mark_address() < end)
			return strchr(line, '\n');
	}
	return NULL;
}

/* One thread of the process writes them while another one goes on. */
static void maps_are_read_by_whole_lines(void **state)
{
	for (size_t missing = 0; missing < 4; missing++) {
		struct probe_plan plan = {.texts = NULL};
		struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
		struct block_process *process;
		char root[64], *maps = read_maps(), *end = end_of_its_line(maps);

		(void)state;
		assert_non_null(end);
		end[-(ptrdiff_t)missing] = '\0';
		dir_make(root);
		names.spool = root;
		dir_put(root, "maps-77-5", maps);
		process = block_names_process(&names, 77, 5);
		put_maps(root);
		block_names_number(&names, process, mark_address());
		assert_string_equal(names.items[0], "block_names_test_mark");
		block_names_give_back(&names, process);
		block_names_release(&names);
		dir_remove(root);
	}
}

/* Memory is used again, and so are addresses of blocks. */
static void what_was_said_last_counts(void **state)
{
	struct probe_plan plan = {.texts = NULL};
	struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
	struct block_process *process;
	char root[64];
	uint32_t number;

	(void)state;
	dir_make(root);
	names.spool = root;
	dir_put(root, "maps-77-5",
		"7f0000000000-7f0000002000 r-xp 00001000 08:01 9 /no/such/libone.so.1\n"
		"7f0000000000-7f0000001000 r-xp 00000000 08:01 9 /no/such/libtwo.so.1\n");
	dir_put(root, "names-77-5", "4096 one\n4096 two\n");
	process = block_names_process(&names, 77, 5);
	number = block_names_number(&names, process, 0x7f0000000010);
	assert_string_equal(names.items[number], "libtwo.so.1+0x10");
	number = block_names_number(&names, process, 4096);
	assert_string_equal(names.items[number], "two");
	block_names_release(&names);
	dir_remove(root);
}

static void an_address_without_a_name_is_a_place_in_a_file(void **state)
{
	struct probe_plan plan = {.texts = NULL};
	struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
	char root[64];

	(void)state;
	dir_make(root);
	names.spool = root;
	dir_put(root, "maps-77-5",
		"7f0000000000-7f0000002000 r-xp 00001000 08:01 9 /no/such/libnone.so.1\n");
	block_names_number(&names, block_names_process(&names, 77, 5), 0x7f0000000010);
	assert_string_equal(names.items[0], "libnone.so.1+0x1010");
	block_names_release(&names);
	dir_remove(root);
}

/* --- Places -------------------------------------------------------------------------------- */

enum { FIRST_LINE = __LINE__, LINES = 6 };
__attribute__((noinline)) int block_names_test_line(int number);
int block_names_test_line(int number)
{
	return number * 7919 + 3;
}

static void a_place_that_the_process_has_not_named_is_a_line_of_the_source(void **state)
{
	struct probe_plan plan = {.texts = NULL};
	struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
	struct block_process *process;
	uint64_t place = (uintptr_t)block_names_test_line | BLOCK_NAMES_PLACE;
	char root[64];
	int line;

	(void)state;
	dir_make(root);
	names.spool = root;
	put_maps(root);
	dir_put(root, "names-77-5", "4096 fib fib.c:12\n");
	process = block_names_process(&names, 77, 5);
	assert_int_equal(block_names_number(&names, process, 4096 | BLOCK_NAMES_PLACE), 0);
	assert_string_equal(names.items[0], "fib fib.c:12");
	/* The function that is entered there is another thing. */
	assert_int_equal(block_names_number(&names, process, (uintptr_t)block_names_test_line), 1);
	assert_string_equal(names.items[1], "block_names_test_line");
	assert_int_equal(block_names_number(&names, process, place), 2);
	assert_memory_equal(names.items[2], "block_names_test_line ", 22);
	assert_non_null(strstr(names.items[2], "block_names_test.c:"));
	assert_int_equal(sscanf(strrchr(names.items[2], ':'), ":%d", &line), 1);
	assert_in_range(line, FIRST_LINE + 1, FIRST_LINE + LINES);
	/* Two places of the same line are one. */
	assert_int_equal(block_names_number(&names, process, place + 1), 2);
	block_names_release(&names);
	dir_remove(root);
}

/* The maps of this process, as if another file were in the place of one. */
static void put_maps_with(const char *root, const char *path, const char *other)
{
	const char *maps = read_maps(), *found;
	char *changed = NULL;
	size_t size;
	FILE *out = open_memstream(&changed, &size);

	for (; (found = strstr(maps, path)); maps = found + strlen(path))
		fprintf(out, "%.*s%s", (int)(found - maps), maps, other);
	fputs(maps, out);
	fclose(out);
	dir_put(root, "maps-77-5", changed);
	free(changed);
}

/* The program as `strip -g` leaves it. */
static void without_lines_a_place_is_so_far_in_its_function(void **state)
{
	struct probe_plan plan = {.texts = NULL};
	struct block_names names = {.plan = &plan, .proc = "/no/such/proc"};
	struct block_process *process;
	uint64_t place = (uintptr_t)block_names_test_line | BLOCK_NAMES_PLACE;
	char self[1024] = "", root[64], command[1200];

	(void)state;
	dir_make(root);
	names.spool = root;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(command, sizeof(command), "strip -g -o %s/program '%s'", root, self);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/program", root);
	put_maps_with(root, self, command);
	process = block_names_process(&names, 77, 5);
	block_names_number(&names, process, place + 1);
	assert_string_equal(names.items[0], "block_names_test_line+0x1");
	block_names_number(&names, process, 4096 | BLOCK_NAMES_PLACE);
	assert_string_equal(names.items[1], "0x1000");
	block_names_release(&names);
	dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_have_the_names_of_functions_and_what_processes_call_them),
		cmocka_unit_test(a_process_is_the_same_for_all_of_its_threads),
		cmocka_unit_test(maps_are_read_by_whole_lines),
		cmocka_unit_test(what_was_said_last_counts),
		cmocka_unit_test(an_address_without_a_name_is_a_place_in_a_file),
		cmocka_unit_test(a_place_that_the_process_has_not_named_is_a_line_of_the_source),
		cmocka_unit_test(without_lines_a_place_is_so_far_in_its_function),
	};

	return RUN_TESTS(tests);
}
