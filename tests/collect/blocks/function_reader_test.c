/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/function_reader.h"

#include "base/monotonic.h"
#include "support.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct user_file own(const char *path)
{
	return (struct user_file){path, geteuid(), getegid()};
}

static void functions_of_a_file_are_asked_for_by_name(void **state)
{
	static const struct {
		const char *path, *glob;
		bool has;
	} cases[] = {
		{"/proc/self/exe", "main", true}, {"/proc/self/exe", "ma*n", true},
		{"/proc/self/exe", "", false},	  {"/proc/self/exe", "no_such_function", false},
		{"/no/such/file", "main", false}, {"/etc/passwd", "main", false},
	};
	struct function_reader reader = {.why = NULL};
	struct user_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file = own(cases[i].path);
		if (function_reader_has(&reader, &file, cases[i].glob, UINT64_MAX) != cases[i].has)
			fail_msg("case %zu", i);
	}
	assert_null(reader.why);
	function_reader_release(&reader);
}

/* A file that has only a header, and symbols that are zero. */
static const char *huge_program(void)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_shoff = sizeof(head),
			   .e_ehsize = sizeof(head),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 2};
	Elf64_Shdr sections[2] = {{0},
				  {.sh_type = SHT_SYMTAB,
				   .sh_offset = 4096,
				   .sh_size = UINT64_C(600) << 20,
				   .sh_entsize = sizeof(Elf64_Sym)}};
	char bytes[sizeof(head) + sizeof(sections)];
	const char *path;

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), sections, sizeof(sections));
	path = file_with(bytes, sizeof(bytes));
	assert_int_equal(truncate(path, (off_t)1 << 30), 0);
	return path;
}

static void functions_that_are_not_found_in_time_are_unknown_with_a_sentence(void **state)
{
	struct function_reader reader = {.why = NULL};
	struct user_file file = own(huge_program());
	uint64_t inside;

	(void)state;
	assert_null(function_reader_label(&inside, &reader, &file, 64, 1));
	assert_null(reader.why); /* no reader was started */
	assert_null(function_reader_label(&inside, &reader, &file, 64, monotonic_ns() + 1000000));
	assert_non_null(reader.why);
	assert_non_null(strstr(reader.why, "gave no answer in time"));
	/* The next file starts a process again. */
	file = own("/proc/self/exe");
	assert_true(function_reader_has(&reader, &file, "main", UINT64_MAX));
	function_reader_release(&reader);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_of_a_file_are_asked_for_by_name),
	cmocka_unit_test(functions_that_are_not_found_in_time_are_unknown_with_a_sentence),
};

TEST_FILE(tests);
