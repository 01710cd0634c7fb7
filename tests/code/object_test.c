/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/object.h"

#include "random.h"
#include "seeds/elf_seed.h"
#include "support.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

/* The load address of the program, which is the first object. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

/* The offset of the function at the address. */
static void take_offset(void *context, const struct elf_function *function)
{
	struct elf_function *wanted = context;

	if (function->address == wanted->address)
		wanted->offset = function->offset;
}

static void functions_are_at_the_offsets_of_the_symbol_table(void **state)
{
	struct elf_function mark = {.offset = 0};
	struct object object;
	unsigned char there[16];
	uint64_t base, back;

	(void)state;
	dl_iterate_phdr(take_base, &base);
	mark.address = (uint64_t)(uintptr_t)functions_are_at_the_offsets_of_the_symbol_table - base;
	assert_true(object_open(&object, SELF));
	object_each_function(&object, &object, STT_FUNC, take_offset, &mark);
	assert_true(mark.offset != 0);
	assert_int_equal(pread(object.fd, there, sizeof(there), (off_t)mark.offset), sizeof(there));
	assert_memory_equal(there, (const void *)(uintptr_t)(base + mark.address), sizeof(there));
	assert_true(object_address(&back, &object, mark.offset));
	assert_int_equal(back, mark.address);
	object_close(&object);
}

static void an_address_without_code_has_no_offset(void **state)
{
	static const uint64_t places[] = {UINT64_MAX, INT64_MAX, UINT64_C(1) << 40};
	struct object object;
	uint64_t found;

	(void)state;
	assert_true(object_open(&object, SELF));
	assert_false(object_address(&found, &object, 0));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		assert_false(object_address(&found, &object, places[i]));
	object_close(&object);
}

static void sections_have_names(void **state)
{
	struct object object;

	(void)state;
	assert_true(object_open(&object, SELF));
	assert_non_null(object_section(&object, ".text"));
	assert_null(object_section(&object, ".tex"));
	assert_null(object_section(&object, ".text2"));
	object_close(&object);
}

static void a_file_that_is_no_program_is_not_opened(void **state)
{
	static const char *const paths[] = {"/",	   "/is/nowhere",     "/dev/null",
					    "GNUmakefile", "/proc/self/maps", "."};
	struct object object;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_false(object_open(&object, paths[i]));
		assert_null(object.elf);
		object_close(&object);
	}
	assert_false(object_open(&object, file_with("\177ELF and no more", 15)));
}

/* This program, with another count of segments. */
static void a_file_with_too_many_segments_is_not_opened(void **state)
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
		struct object object;
		const char *path;

		memcpy(bytes + offsetof(Elf64_Ehdr, e_phnum), &cases[i].segments,
		       sizeof(cases[i].segments));
		path = file_with(bytes, length);
		if (object_open(&object, path) != cases[i].is_open)
			fail_msg("%d segments", cases[i].segments);
		object_close(&object);
	}
}

static void count_function(void *context, const struct elf_function *function)
{
	(void)function;
	++*(size_t *)context;
}

static void an_object_that_is_not_open_is_empty(void **state)
{
	struct object object, debug;
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t functions = 0;

	(void)state;
	assert_false(object_open(&object, "/etc/passwd"));
	object_each_function(&object, &object, STT_FUNC, count_function, &functions);
	assert_int_equal(functions, 0);
	assert_null(object_loader(&object));
	assert_int_equal(object_build_id(id, &object), 0);
	assert_false(object_may_throw(&object));
	assert_false(object_has_symbols(&object));
	assert_false(object_open_debug(&debug, &object, NULL));
}

static void a_program_names_its_loader(void **state)
{
	struct object object;
	char *loader;

	(void)state;
	object_open(&object, SELF);
	loader = object_loader(&object);
	assert_non_null(loader);
	assert_int_equal(access(loader, R_OK), 0);
	free(loader);
	object_close(&object);
}

static unsigned char *own_bytes(size_t *length)
{
	FILE *file = fopen(SELF, "re");
	struct stat status;
	unsigned char *bytes;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*length = (size_t)status.st_size;
	bytes = malloc(*length);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	fclose(file);
	return bytes;
}

/* The linker puts the id behind the head of a note: 4, 20, 3 and "GNU". */
static void a_program_has_the_id_that_its_linker_gave_it(void **state)
{
	static const char head[] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU";
	unsigned char *bytes, *note, id[ELF_BUILD_ID_MAX];
	struct object object;
	size_t length;

	(void)state;
	object_open(&object, SELF);
	bytes = own_bytes(&length);
	note = memmem(bytes, length, head, sizeof(head));
	assert_non_null(note);
	assert_int_equal(object_build_id(id, &object), 20);
	assert_memory_equal(id, note + sizeof(head), 20);
	free(bytes);
	object_close(&object);
}

struct judged {
	int libraries, unwinders;
};

static bool may_throw(const char *path)
{
	struct object object;
	bool may = object_open(&object, path) && object_may_throw(&object);

	object_close(&object);
	return may;
}

static int judge(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *name = strrchr(info->dlpi_name, '/');
	struct judged *judged = context;

	(void)size;
	if (!name || !strstr(name, ".so"))
		return 0;
	if (strncmp(name, "/libc.so", 8) == 0 || strncmp(name, "/libm.so", 8) == 0 ||
	    strncmp(name, "/libcmocka", 10) == 0) {
		judged->libraries++;
		assert_false(may_throw(info->dlpi_name));
	}
	if (strncmp(name, "/libstdc++", 10) == 0 || strncmp(name, "/libicu", 7) == 0) {
		judged->unwinders++;
		assert_true(may_throw(info->dlpi_name));
	}
	return 0;
}

/* The C library has landing pads, too. */
static void exceptions_pass_only_through_libraries_that_need_an_unwinder(void **state)
{
	struct judged judged = {0};

	(void)state;
	dl_iterate_phdr(judge, &judged);
	assert_in_range(judged.libraries, 2, 3);
	if (!judged.unwinders) /* only AddressSanitizer of gcc links such a library */
		skip();
}

static void add_length(void *context, const struct elf_function *function)
{
	*(size_t *)context += strlen(function->name);
}

/* A random word in the headers of the file, of its segments or of its sections. */
static off_t choose_place(struct random *random, const Elf64_Ehdr *header)
{
	size_t begin = sizeof(*header) + header->e_phnum * sizeof(Elf64_Phdr);
	size_t end = header->e_shnum * sizeof(Elf64_Shdr);
	size_t place = random_below(random, begin + end) & ~(size_t)7;

	return (off_t)(place < begin ? place : header->e_shoff + place - begin);
}

/* A process of another user can map such a file; that user may have made it. */
static void reading_a_damaged_file_ends_without_a_fault(void **state)
{
	static const uint64_t wrong[] = {0, 1, 0x7fffffff, UINT64_C(1) << 40, UINT64_MAX};
	struct random random = {11};
	size_t length, names = 0, ids = 0;
	uint8_t id[ELF_BUILD_ID_MAX];
	unsigned char *bytes = own_bytes(&length);
	const char *path = file_with(bytes, length);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct object object;

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 200; i++) {
		off_t place = choose_place(&random, (const Elf64_Ehdr *)(const void *)bytes);

		assert_int_equal(pwrite(fd, &wrong[random_below(&random, 5)], 8, place), 8);
		object_open(&object, path);
		object_each_function(&object, &object, STT_FUNC, add_length, &names);
		free(object_loader(&object));
		object_may_throw(&object);
		ids += object_build_id(id, &object);
		object_close(&object);
		assert_int_equal(pwrite(fd, bytes + place, 8, place), 8);
	}
	assert_true(names > 0);
	assert_true(ids > 0);
	close(fd);
	free(bytes);
}

/* All symbols share a thousand names of 64 KiB; a file of 100 KiB may have 1.6 MiB of names. */
static void overlapping_names_have_a_limit_by_the_size_of_the_file(void **state)
{
	enum { SYMBOLS = 1000, NAME = 1 << 16 };
	struct bytes file = elf_seed_make();
	const Elf64_Sym symbol = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				  .st_shndx = 1,
				  .st_value = ELF_SEED_ADDRESS + ELF_SEED_TEXT};
	Elf64_Ehdr head;
	Elf64_Shdr *section;
	struct object object;
	size_t names = 0;

	(void)state;
	memcpy(&head, file.at, sizeof(head));
	section = (Elf64_Shdr *)(void *)(file.at + head.e_shoff);
	section[2].sh_offset = file.count;
	section[2].sh_size = SYMBOLS * sizeof(symbol);
	section[3].sh_offset = file.count + SYMBOLS * sizeof(symbol);
	section[3].sh_size = NAME;
	for (size_t i = 0; i < SYMBOLS; i++)
		put(&file, &symbol, sizeof(symbol));
	for (size_t i = 1; i < NAME; i++)
		put(&file, "n", 1);
	put(&file, "", 1);
	assert_true(object_open(&object, file_with(file.at, file.count)));
	object_each_function(&object, &object, STT_FUNC, add_length, &names);
	object_close(&object);
	assert_in_range(names, NAME, 16 * file.count);
	free(file.at);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_are_at_the_offsets_of_the_symbol_table),
	cmocka_unit_test(an_address_without_code_has_no_offset),
	cmocka_unit_test(sections_have_names),
	cmocka_unit_test(a_file_that_is_no_program_is_not_opened),
	cmocka_unit_test(a_file_with_too_many_segments_is_not_opened),
	cmocka_unit_test(an_object_that_is_not_open_is_empty),
	cmocka_unit_test(a_program_names_its_loader),
	cmocka_unit_test(a_program_has_the_id_that_its_linker_gave_it),
	cmocka_unit_test(exceptions_pass_only_through_libraries_that_need_an_unwinder),
	cmocka_unit_test(reading_a_damaged_file_ends_without_a_fault),
	cmocka_unit_test(overlapping_names_have_a_limit_by_the_size_of_the_file),
};

TEST_FILE(tests);
