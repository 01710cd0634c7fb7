/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/alloc.h"
#include "code/object.h"
#include "code/source_lines.h"
#include "random.h"
#include "seeds/stripped.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_found(const struct stripped *stripped, bool want)
{
	struct object object, debug;
	bool found;

	object_open(&object, stripped->program);
	found = object_open_debug(&debug, &object, stripped->root);
	if (want && !found)
		fail_msg("%s is not found", stripped->debug);
	if (found && !want)
		fail_msg("%s is found", debug.path);
	if (found)
		assert_string_equal(debug.path, stripped->debug);
	object_close(&debug);
	object_close(&object);
}

static void a_separate_file_is_found_by_its_build_id_or_its_name(void **state)
{
	static const struct {
		const char *at; /* NULL: in the place of its build id */
		bool found;
	} cases[] = {
		{NULL, true},
		{"bin/program.debug", true},
		{"bin/.debug/program.debug", true},
		{"usr/lib/debug/bin/program.debug", true},
		{"usr/lib/debug/program.debug", false},
		{"program.debug", false},
		{".debug/program.debug", false},
		{"bin/other/program.debug", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stripped stripped;

		stripped_make(&stripped, cases[i].at);
		assert_found(&stripped, cases[i].found);
		stripped_remove(&stripped);
	}
}

/* Changes the byte at `at`; if negative, adds one at the end. */
static void change_byte(const char *path, long at)
{
	FILE *file = fopen(path, at < 0 ? "ae" : "r+e");
	int byte = 0;

	assert_non_null(file);
	if (at >= 0) {
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		byte = fgetc(file);
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
	}
	assert_true(fputc(byte ^ 1, file) != EOF);
	assert_int_equal(fclose(file), 0);
}

/* The last place of the bytes in the file: the earlier one belongs to the program itself. */
static long place_in_file(const char *path, const void *bytes, size_t size)
{
	static unsigned char text[1 << 26];
	FILE *file = fopen(path, "re");
	size_t length;
	long at = -1;

	assert_non_null(file);
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	for (size_t i = 0; i + size <= length; i++)
		if (memcmp(text + i, bytes, size) == 0)
			at = (long)i;
	assert_true(at >= 0);
	return at;
}

static void a_file_with_another_build_id_or_checksum_is_not_taken(void **state)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	struct stripped stripped;
	struct object object;
	size_t size;

	(void)state;
	stripped_make(&stripped, NULL);
	object_open(&object, stripped.program);
	size = object_build_id(id, &object);
	object_close(&object);
	change_byte(stripped.debug, -1);
	assert_found(&stripped, true);
	change_byte(stripped.debug, place_in_file(stripped.debug, id, size) + 5);
	assert_found(&stripped, false);
	stripped_remove(&stripped);
	stripped_make(&stripped, "bin/program.debug");
	change_byte(stripped.debug, -1);
	assert_found(&stripped, false);
	stripped_remove(&stripped);
}

static void rename_link(const char *program, const char *name)
{
	FILE *file = fopen(program, "r+e");

	assert_non_null(file);
	assert_int_equal(fseek(file, place_in_file(program, "program.debug", 14), SEEK_SET), 0);
	assert_int_equal(fwrite(name, strlen(name) + 1, 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static void a_name_leads_into_no_other_directory(void **state)
{
	static const struct {
		const char *at, *name;
		bool found;
	} cases[] = {
		{"bin/x", "x", true},	   {"bin/x", "./x", false},
		{"bin/d/x", "d/x", false}, {"usr/lib/debug/bin/x", "", false},
		{"bin/x", "y", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stripped stripped;

		stripped_make(&stripped, cases[i].at);
		rename_link(stripped.program, cases[i].name);
		assert_found(&stripped, cases[i].found);
		stripped_remove(&stripped);
	}
}

static void a_file_is_not_its_own_separate_one(void **state)
{
	struct stripped stripped;
	char *other;

	(void)state;
	stripped_make(&stripped, NULL);
	assert_int_equal(remove(stripped.debug), 0);
	other = xasprintf("%s.debug", stripped.program);
	assert_int_equal(link(stripped.program, other), 0);
	assert_found(&stripped, false);
	free(other);
	stripped_remove(&stripped);
}

static void add_length(void *context, const struct elf_function *function)
{
	*(size_t *)context += strlen(function->name);
}

/* Reads everything from both files; either may be damaged. */
static size_t look_at(const struct stripped *stripped)
{
	struct object object, debug, found;
	struct source_lines lines = {.root = stripped->root};
	struct source_line line;
	size_t names = 0;

	object_open(&object, stripped->program);
	if (object_open(&debug, stripped->debug))
		object_each_function(&object, &debug, STT_FUNC, add_length, &names);
	object_open_debug(&found, &object, stripped->root);
	object_close(&found);
	object_close(&debug);
	object_close(&object);
	for (uint64_t offset = 1 << 12; offset < 1 << 18; offset += 1 << 12)
		source_lines_find(&line, &lines, stripped->program, offset);
	source_lines_release(&lines);
	return names;
}

/* Changes words in the headers of the file, of its segments and of its sections, one at a time. */
static size_t damage_and_look(const char *path, const struct stripped *stripped)
{
	static const uint64_t wrong[] = {0, 1, 0x7fffffff, UINT64_C(1) << 40, UINT64_MAX};
	struct random random = {7};
	int fd = open(path, O_RDWR | O_CLOEXEC);
	size_t names = 0, begin, end;
	Elf64_Ehdr header;

	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	begin = sizeof(header) + header.e_phnum * sizeof(Elf64_Phdr);
	end = header.e_shnum * sizeof(Elf64_Shdr);
	for (int i = is_nightly() ? 200 : 40; i; i--) {
		size_t at = random_below(&random, begin + end) & ~(size_t)7;
		off_t place = (off_t)(at < begin ? at : header.e_shoff + at - begin);
		uint64_t word;

		assert_int_equal(pread(fd, &word, 8, place), 8);
		assert_int_equal(pwrite(fd, &wrong[random_below(&random, 5)], 8, place), 8);
		names += look_at(stripped);
		assert_int_equal(pwrite(fd, &word, 8, place), 8);
	}
	close(fd);
	return names;
}

/* A process of another user can map such files; that user may have made both. */
static void reading_damaged_files_ends_without_a_fault(void **state)
{
	static const char *const places[] = {NULL, "bin/program.debug"};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stripped stripped;

		stripped_make(&stripped, places[i]);
		assert_true(damage_and_look(stripped.program, &stripped) > 0);
		assert_true(damage_and_look(stripped.debug, &stripped) > 0);
		stripped_remove(&stripped);
	}
}

static void without_a_file_nothing_is_found(void **state)
{
	static const char *const paths[] = {
		"/", "/is/nowhere",   "/dev/null", "program.c", "/proc/self/maps",
		"",  "/proc/self/exe"};
	static const char *const roots[] = {NULL, "", "/", "/is/nowhere", "/is/nowhere/at/all"};
	struct object object, debug;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		object_open(&object, paths[i]);
		for (size_t j = 0; j < sizeof(roots) / sizeof(roots[0]); j++)
			assert_false(object_open_debug(&debug, &object, roots[j]));
		object_close(&object);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_separate_file_is_found_by_its_build_id_or_its_name),
	cmocka_unit_test(a_file_with_another_build_id_or_checksum_is_not_taken),
	cmocka_unit_test(a_name_leads_into_no_other_directory),
	cmocka_unit_test(a_file_is_not_its_own_separate_one),
	cmocka_unit_test(reading_damaged_files_ends_without_a_fault),
	cmocka_unit_test(without_a_file_nothing_is_found),
};

TEST_FILE(tests);
