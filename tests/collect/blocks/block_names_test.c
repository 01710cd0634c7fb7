/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_names.h"

#include "code/mapped_files.h"
#include "collect/blocks/block_spool.h"
#include "collect/collect_dir.h"
#include "collect/patch/probe_plan.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
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

/* Names, and a process with a program. */
struct fixture {
	struct probe_plan plan;
	struct block_names names;
	struct spool_process of;
	struct block_process *process;
	const char *more; /* notes that have not been read yet; NULL: none */
};

/* Reads lines, each of which begins with the letter of its kind. */
static void take_notes(struct fixture *f, const char *notes)
{
	char *copy = strdup(notes), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			block_names_note(&f->names, f->process, (enum spool_note) * line, line + 1);
	free(copy);
}

static void read_notes(void *context, struct spool_process *process)
{
	struct fixture *f = context;
	const char *more = f->more;

	assert_ptr_equal(process, &f->of);
	f->more = NULL;
	if (more)
		take_notes(f, more);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){.of = {.pid = 77, .uid = geteuid(), .gid = getegid()}};
	f->names = (struct block_names){
		.read_notes = read_notes, .context = f, .plan = &f->plan, .proc = "/no/such/proc"};
	f->process = block_process_new(&f->of);
}

static void end(struct fixture *f)
{
	block_process_free(&f->names, f->process);
	block_names_release(&f->names);
}

static void take_maps(struct fixture *f, const char *maps)
{
	char *copy = strdup(maps), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		block_names_note(&f->names, f->process, SPOOL_NOTE_MAP, line);
	free(copy);
}

static void blocks_have_names_of_functions_and_names_by_processes(void **state)
{
	struct fixture f;
	struct spool_process of = {.pid = 78};
	struct block_process *other = block_process_new(&of);
	char name[] = "16384 insert";

	(void)state;
	begin(&f);
	take_maps(&f, read_maps());
	f.more = "n4096 insert\nn8192 remove\n";
	assert_int_equal(block_names_number(&f.names, f.process, 8192), 1);
	assert_int_equal(block_names_number(&f.names, f.process, 4096), 0);
	assert_int_equal(block_names_number(&f.names, f.process, mark_address()), 2);
	assert_string_equal(f.names.items[0], "insert");
	assert_string_equal(f.names.items[2], "block_names_test_mark");
	/* Names arrive while the process runs; another process has other names. */
	f.more = "n12288 comes later\n";
	assert_int_equal(block_names_number(&f.names, f.process, 12288), 3);
	assert_string_equal(f.names.items[3], "comes later");
	f.names.read_notes = NULL;
	block_names_note(&f.names, other, SPOOL_NOTE_NAME, name);
	assert_int_equal(block_names_number(&f.names, other, 16384), 0);
	assert_int_equal(block_names_number(&f.names, other, 4096), 4);
	assert_string_equal(f.names.items[4], "0x1000");
	block_process_free(&f.names, other);
	end(&f);
}

/* Other programs may keep the recorder from its CPU for longer than the time for a look at the
 * end. */
static void a_recorder_without_a_cpu_still_looks_at_the_end(void **state)
{
	enum { WAIT_US = 700000 };
	struct fixture f;

	(void)state;
	begin(&f);
	take_maps(&f, read_maps());
	block_names_hurry(&f.names);
	usleep(WAIT_US);
	block_names_number(&f.names, f.process, mark_address());
	assert_string_equal(f.names.items[0], "block_names_test_mark");
	end(&f);
}

/* A process reuses memory, and so addresses of blocks. */
static void the_last_name_counts(void **state)
{
	struct fixture f;
	uint32_t number;

	(void)state;
	begin(&f);
	take_maps(&f, "7f0000000000-7f0000002000 r-xp 00001000 08:01 9 /no/such/libone.so.1\n"
		      "7f0000000000-7f0000001000 r-xp 00000000 08:01 9 /no/such/libtwo.so.1\n");
	take_notes(&f, "n4096 one\nn4096 two\n");
	number = block_names_number(&f.names, f.process, 0x7f0000000010);
	assert_string_equal(f.names.items[number], "libtwo.so.1+0x10");
	number = block_names_number(&f.names, f.process, 4096);
	assert_string_equal(f.names.items[number], "two");
	assert_true(block_process_maps(f.process, "/no/such/libone.so.1"));
	assert_false(block_process_maps(f.process, "/no/such/libsix.so.1"));
	end(&f);
}

static void an_address_without_a_name_is_a_place_in_a_file(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	take_maps(&f, "7f0000000000-7f0000002000 r-xp 00001000 08:01 9 /no/such/libnone.so.1\n");
	block_names_number(&f.names, f.process, 0x7f0000000010);
	assert_string_equal(f.names.items[0], "libnone.so.1+0x1010");
	end(&f);
}

/* A process must not learn through its recorder the content of a file that it may not read. */
static void a_file_is_read_as_the_user_of_the_process(void **state)
{
	enum { NOBODY = 65534 };
	struct fixture f;

	(void)state;
	if (geteuid() != 0)
		skip();
	for (int readable = 0; readable <= 1; readable++) {
		char root[64], self[1024] = "", path[1100], copy[4000], line[1300];
		bool named = false;

		dir_make(root);
		assert_int_equal(chmod(root, 0755), 0);
		assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
		snprintf(path, sizeof(path), "%s/program", root);
		snprintf(copy, sizeof(copy), "cp '%s' %s && chmod %s %s", self, path,
			 readable ? "755" : "700", path);
		assert_int_equal(system(copy), 0);
		begin(&f);
		f.of.uid = f.of.gid = NOBODY;
		snprintf(line, sizeof(line), "400000-2400000 r-xp 00000000 08:01 9 %s", path);
		take_maps(&f, line);
		for (uint64_t at = 0x400000; at < 0x2400000 && !named; at += 1024) {
			uint32_t number = block_names_number(&f.names, f.process, at);

			named = strncmp(f.names.items[number], "program+0", 9) != 0;
		}
		assert_int_equal(named, readable);
		assert_int_equal(geteuid(), 0);
		end(&f);
		dir_remove(root);
	}
}

/* The maps of this process, with another file in place of its own, whose code looks changed. */
static void put_changed_maps(const char *root, const char *self, const char *path)
{
	char *copy = strdup(read_maps()), *rest = copy, *line, *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while ((line = strsep(&rest, "\n"))) {
		char *name = strstr(line, self);
		struct proc_map_lines lines = {.last = {.path = NULL}};
		struct proc_map map;

		if (!name)
			fprintf(out, "%s\n", line);
		else if (strstr(line, " r-xp ") && proc_map_next(&map, &lines, line) == 0)
			fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp 0 00:00 0 \n", map.start,
				map.end);
		else
			fprintf(out, "%.*s%s\n", (int)(name - line), line, path);
		proc_map_lines_release(&lines);
	}
	fclose(out);
	dir_put(root, "77/maps", text);
	free(text);
	free(copy);
}

/* The same for files that the kernel lists as mapped; the recorder reads them if their code was
 * changed. */
static void mapped_files_are_read_as_the_user_of_the_process(void **state)
{
	enum { NOBODY = 65534 };

	(void)state;
	if (geteuid() != 0)
		skip();
	for (int readable = 0; readable <= 1; readable++) {
		char root[64], self[1024] = "", path[80], command[1500];
		struct fixture f;
		uint32_t number;

		dir_make(root);
		assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
		snprintf(path, sizeof(path), "%s/program", root);
		put_changed_maps(root, self, path);
		snprintf(command, sizeof(command), "cp '%s' %s && chmod -R 755 %s && chmod %s %s",
			 self, path, root, readable ? "755" : "700", path);
		assert_int_equal(system(command), 0);
		begin(&f);
		f.names.proc = root;
		f.of.uid = f.of.gid = NOBODY;
		number = block_names_number(&f.names, f.process, mark_address());
		if (readable)
			assert_string_equal(f.names.items[number], "block_names_test_mark");
		else
			assert_memory_equal(f.names.items[number], "anon+0x", 7);
		assert_int_equal(geteuid(), 0);
		end(&f);
		dir_remove(root);
	}
}

/* The kernel lets the recorder read a mapped file, with any rights to the file itself. */
static void mapped_files_of_a_process_of_another_user_are_found(void **state)
{
	enum { NOBODY = 65534 };
	char self[1024] = "", done;
	struct fixture f;
	int ends[2];

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	begin(&f);
	assert_int_equal(pipe(ends), 0);
	f.of.pid = fork();
	if (f.of.pid == 0) {
		if (setgid(NOBODY) || setuid(NOBODY) || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &done, 1), 1);
	f.names.proc = "/proc";
	f.of.uid = f.of.gid = NOBODY;
	block_names_number(&f.names, f.process, mark_address());
	assert_true(block_process_maps(f.process, self));
	kill(f.of.pid, SIGKILL);
	waitpid(f.of.pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	end(&f);
}

static void names_without_end_are_not_kept(void **state)
{
	struct fixture f;
	char text[1000];
	uint32_t number;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text), "%u %u%0900d", 4096 + i, i, 0);
		block_names_note(&f.names, f.process, SPOOL_NOTE_NAME, text);
	}
	assert_true(f.names.bytes < (size_t)33 << 20);
	number = block_names_number(&f.names, f.process, 4096 + 99999);
	assert_string_equal(f.names.items[number], "[more names than are kept]");
	end(&f);
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
	uint64_t place = (uintptr_t)block_names_test_line | BLOCK_NAMES_PLACE;
	struct fixture f;
	int line;

	(void)state;
	begin(&f);
	take_maps(&f, read_maps());
	take_notes(&f, "n4096 fib fib.c:12\n");
	assert_int_equal(block_names_number(&f.names, f.process, 4096 | BLOCK_NAMES_PLACE), 0);
	assert_string_equal(f.names.items[0], "fib fib.c:12");
	/* An address that is entered as a function is another block. */
	assert_int_equal(block_names_number(&f.names, f.process, (uintptr_t)block_names_test_line),
			 1);
	assert_string_equal(f.names.items[1], "block_names_test_line");
	assert_int_equal(block_names_number(&f.names, f.process, place), 2);
	assert_memory_equal(f.names.items[2], "block_names_test_line ", 22);
	assert_non_null(strstr(f.names.items[2], "block_names_test.c:"));
	assert_int_equal(sscanf(strrchr(f.names.items[2], ':'), ":%d", &line), 1);
	assert_in_range(line, FIRST_LINE + 1, FIRST_LINE + LINES);
	/* Two places in the same line are one block. */
	assert_int_equal(block_names_number(&f.names, f.process, place + 1), 2);
	end(&f);
}

/* The maps of this process, with another file in place of one. */
static void take_maps_with(struct fixture *f, const char *path, const char *other)
{
	const char *maps = read_maps(), *found;
	char *changed = NULL;
	size_t size;
	FILE *out = open_memstream(&changed, &size);

	for (; (found = strstr(maps, path)); maps = found + strlen(path))
		fprintf(out, "%.*s%s", (int)(found - maps), maps, other);
	fputs(maps, out);
	fclose(out);
	take_maps(f, changed);
	free(changed);
}

/* A program after `strip -g`. */
static void without_lines_a_place_is_an_offset_in_its_function(void **state)
{
	uint64_t place = (uintptr_t)block_names_test_line | BLOCK_NAMES_PLACE;
	char self[1024] = "", root[64], command[1200];
	struct fixture f;

	(void)state;
	dir_make(root);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(command, sizeof(command), "strip -g -o %s/program '%s'", root, self);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/program", root);
	begin(&f);
	take_maps_with(&f, self, command);
	block_names_number(&f.names, f.process, place + 1);
	assert_string_equal(f.names.items[0], "block_names_test_line+0x1");
	block_names_number(&f.names, f.process, 4096 | BLOCK_NAMES_PLACE);
	assert_string_equal(f.names.items[1], "0x1000");
	end(&f);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(blocks_have_names_of_functions_and_names_by_processes),
	cmocka_unit_test(a_recorder_without_a_cpu_still_looks_at_the_end),
	cmocka_unit_test(a_file_is_read_as_the_user_of_the_process),
	cmocka_unit_test(mapped_files_are_read_as_the_user_of_the_process),
	cmocka_unit_test(mapped_files_of_a_process_of_another_user_are_found),
	cmocka_unit_test(names_without_end_are_not_kept),
	cmocka_unit_test(the_last_name_counts),
	cmocka_unit_test(an_address_without_a_name_is_a_place_in_a_file),
	cmocka_unit_test(a_place_that_the_process_has_not_named_is_a_line_of_the_source),
	cmocka_unit_test(without_lines_a_place_is_an_offset_in_its_function),
};

TEST_FILE(tests);
