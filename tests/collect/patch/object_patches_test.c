/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/object_patches.h"

#include "seeds/elf_seed.h"
#include "support.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

/*
 * Functions of this program: a target of a jump, and the jumping one; one that padding follows, and
 * one whose padding is the begin of another function.
 */
#define FUNCTION(name, code)                                                                    \
	".globl object_test_" name "\n.type object_test_" name ", @function\nobject_test_" name \
	": .cfi_startproc\n" code "\n.cfi_endproc\n.size object_test_" name                     \
	", .-object_test_" name "\n"

/* One line for each function. */
/* clang-format off */
__asm__(".text\n.balign 16\n"
	FUNCTION("entered", "mov %rdi, %rax\nmov %eax, %ecx\nret")
	FUNCTION("enters", "mov %rdi, %rax\nadd %rdx, %rax\njmp object_test_entered + 3")
	FUNCTION("alone", "mov %rdi, %rax\nmov %eax, %ecx\nret")
	".balign 16\n"
	FUNCTION("padded", "mov %edi, %eax\nret")
	"nop\nnop\nnop\nnop\nnop\n.balign 16\n"
	FUNCTION("crowded", "mov %edi, %eax\nret")
	FUNCTION("of_nops", "nop\nnop\nnop\nnop\nnop\nret")
	".balign 16\n");
/* clang-format on */

static struct function_table own;

static const struct code_function *find(const char *name)
{
	for (size_t i = 0; i < own.count; i++)
		if (strcmp(own.items[i].name, name) == 0)
			return &own.items[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static void each_is_patched_or_left_alone(void **state)
{
	static const struct {
		const char *name, *why;
	} cases[] = {
		{"object_test_entered", "is the target of a jump in another function"},
		{"object_test_enters", NULL},
		{"object_test_alone", NULL},
		{"object_test_padded", NULL},
		{"object_test_crowded", "is too short for a jump"},
		{"object_test_of_nops", NULL},
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	struct listed_function listed[COUNT];
	struct object_patch *made;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		listed[i] = (struct listed_function){0, find(cases[i].name)};
	made = object_patches_make(&own, listed, COUNT, NULL);
	for (size_t i = 0; i < COUNT; i++)
		if (!cases[i].why != !made[i].why ||
		    (cases[i].why && strcmp(cases[i].why, made[i].why) != 0))
			fail_msg("%s: %s", cases[i].name, made[i].why ? made[i].why : "patched");
	free(made);
}

/* In a stripped file the begin of the next function is unknown. */
static void without_symbols_nothing_is_padding(void **state)
{
	const struct listed_function listed = {0, find("object_test_padded")};
	struct function_table table = own;
	struct object_patch *made;

	(void)state;
	table.complete = false;
	made = object_patches_make(&table, &listed, 1, NULL);
	assert_string_equal(made->why, "is too short for a jump");
	free(made);
}

static void a_forbidden_name_forbids_all_names_of_the_function(void **state)
{
	const struct listed_function listed = {0, find("object_test_alone")};
	struct object_patch *made = object_patches_make(&own, &listed, 1, "is not ours");

	(void)state;
	assert_string_equal(made->why, "is not ours");
	free(made);
}

/* A part that claims to be longer than its file ends with the file. */
static void a_file_that_claims_more_than_it_has_is_read_to_its_end(void **state)
{
	static const char *const why[] = {"is the target of a jump in another function", NULL, NULL,
					  "begins with a call that could not be unwound"};
	enum { COUNT = sizeof(why) / sizeof(why[0]) };
	const uint64_t claimed[] = {0, UINT64_C(1) << 40};

	(void)state;
	for (size_t i = 0; i < sizeof(claimed) / sizeof(claimed[0]); i++) {
		struct bytes file = elf_seed_make();
		struct listed_function listed[COUNT];
		struct function_table table;
		struct object_patch *made;
		Elf64_Phdr *part = (Elf64_Phdr *)(void *)(file.at + sizeof(Elf64_Ehdr));

		part->p_filesz += claimed[i];
		assert_int_equal(function_table_read(&table, file_with(file.at, file.count)), 0);
		assert_int_equal(table.count, COUNT);
		for (size_t j = 0; j < COUNT; j++)
			listed[j] = (struct listed_function){0, &table.items[j]};
		made = object_patches_make(&table, listed, COUNT, NULL);
		for (size_t j = 0; j < COUNT; j++)
			if (!why[j] != !made[j].why || (why[j] && strcmp(why[j], made[j].why) != 0))
				fail_msg("%s: %s", table.items[j].name,
					 made[j].why ? made[j].why : "patched");
		free(made);
		function_table_release(&table);
		free(file.at);
	}
}

static int read_own(void **state)
{
	(void)state;
	return function_table_read(&own, "/proc/self/exe");
}

static int release_own(void **state)
{
	(void)state;
	function_table_release(&own);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_is_patched_or_left_alone),
	cmocka_unit_test(without_symbols_nothing_is_padding),
	cmocka_unit_test(a_forbidden_name_forbids_all_names_of_the_function),
	cmocka_unit_test(a_file_that_claims_more_than_it_has_is_read_to_its_end),
};

TEST_FILE_WITH(tests, read_own, release_own);

#else

NO_TESTS;

#endif
