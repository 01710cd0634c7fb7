/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/elf_file.h"

#include "support.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

/* What is added to all addresses of the program, which is the first object. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

static void code_stands_in_the_file_where_it_is_said_to(void **state)
{
	uint64_t base, address, offset, back;
	unsigned char there[16];
	struct elf_file file;

	(void)state;
	dl_iterate_phdr(take_base, &base);
	address = (uint64_t)(uintptr_t)code_stands_in_the_file_where_it_is_said_to - base;
	assert_true(elf_file_open(&file, SELF));
	assert_true(elf_file_offset(&offset, &file, address));
	assert_int_equal(pread(file.fd, there, sizeof(there), (off_t)offset), sizeof(there));
	assert_memory_equal(there, (const void *)(uintptr_t)(base + address), sizeof(there));
	assert_true(elf_file_address(&back, &file, offset));
	assert_int_equal(back, address);
	elf_file_close(&file);
}

static void what_is_no_code_stands_nowhere(void **state)
{
	static const uint64_t places[] = {UINT64_MAX, INT64_MAX, UINT64_C(1) << 40};
	struct elf_file file;
	uint64_t found, data;

	(void)state;
	dl_iterate_phdr(take_base, &data);
	data = (uint64_t)(uintptr_t)&places - data;
	assert_true(elf_file_open(&file, SELF));
	assert_false(elf_file_offset(&found, &file, data));
	assert_false(elf_file_address(&found, &file, 0));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		assert_false(elf_file_offset(&found, &file, places[i]));
		assert_false(elf_file_address(&found, &file, places[i]));
	}
	elf_file_close(&file);
}

static void sections_have_names(void **state)
{
	struct elf_file file;

	(void)state;
	assert_true(elf_file_open(&file, SELF));
	assert_non_null(elf_file_section(&file, ".text"));
	assert_null(elf_file_section(&file, ".tex"));
	assert_null(elf_file_section(&file, ".text2"));
	elf_file_close(&file);
}

static void what_is_no_program_is_not_open(void **state)
{
	static const char *const paths[] = {"/",	   "/is/nowhere",     "/dev/null",
					    "GNUmakefile", "/proc/self/maps", "."};
	struct elf_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_false(elf_file_open(&file, paths[i]));
		assert_null(file.elf);
		elf_file_close(&file);
	}
	assert_false(elf_file_open(&file, file_with("\177ELF and no more", 15)));
}

/* This program, as if it had so many segments. */
static void a_file_with_more_segments_than_programs_have_is_not_open(void **state)
{
	static const struct {
		uint16_t segments;
		bool is_open;
	} cases[] = {{12, true}, {1024, true}, {1025, false}, {20000, false}, {PN_XNUM, false}};
	static unsigned char bytes[4 << 20];
	FILE *self = fopen(SELF, "re");
	size_t length;

	(void)state;
	assert_non_null(self);
	length = fread(bytes, 1, sizeof(bytes), self);
	fclose(self);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_file file;
		const char *path;

		memcpy(bytes + offsetof(Elf64_Ehdr, e_phnum), &cases[i].segments,
		       sizeof(cases[i].segments));
		path = file_with(bytes, length);
		if (elf_file_open(&file, path) != cases[i].is_open)
			fail_msg("%d segments", cases[i].segments);
		elf_file_close(&file);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(code_stands_in_the_file_where_it_is_said_to),
	cmocka_unit_test(what_is_no_code_stands_nowhere),
	cmocka_unit_test(sections_have_names),
	cmocka_unit_test(what_is_no_program_is_not_open),
	cmocka_unit_test(a_file_with_more_segments_than_programs_have_is_not_open),
};

TEST_FILE(tests);
