/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/elf_functions.h"

#include "random.h"
#include "seeds/elf_seed.h"
#include "support.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wanted {
	const char *name;
	uint64_t offset;
	int times;
};

static void note(void *context, const struct elf_function *function)
{
	struct wanted *wanted = context;

	if (strcmp(function->name, wanted->name) != 0)
		return;
	wanted->offset = function->offset;
	wanted->times++;
}

/* Looked for by its bytes. */
__attribute__((noinline)) int elf_functions_test_mark(int number);
int elf_functions_test_mark(int number)
{
	return number * 7919 + 104729;
}

static void a_function_stands_in_the_file_where_it_is_said_to(void **state)
{
	struct wanted wanted = {.name = "elf_functions_test_mark"};
	unsigned char here[16], there[16];
	int (*mark)(int) = elf_functions_test_mark;
	const void *at;
	FILE *file;

	(void)state;
	elf_functions_each("/proc/self/exe", note, &wanted);
	assert_true(wanted.times >= 1);
	memcpy(&at, &mark, sizeof(at));
	memcpy(here, at, sizeof(here));
	file = fopen("/proc/self/exe", "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)wanted.offset, SEEK_SET), 0);
	assert_int_equal(fread(there, sizeof(there), 1, file), 1);
	fclose(file);
	assert_memory_equal(here, there, sizeof(here));
}

static void what_is_no_program_has_no_functions(void **state)
{
	struct wanted wanted = {.name = "main"};

	(void)state;
	elf_functions_each("/etc/passwd", note, &wanted);
	elf_functions_each("/no/such/file", note, &wanted);
	elf_functions_each("/", note, &wanted);
	elf_functions_each("/dev/null", note, &wanted);
	assert_int_equal(wanted.times, 0);
	assert_null(elf_functions_loader("/etc/passwd"));
}

static void a_program_names_its_loader(void **state)
{
	char *loader = elf_functions_loader("/proc/self/exe");

	(void)state;
	assert_non_null(loader);
	assert_int_equal(access(loader, R_OK), 0);
	free(loader);
}

static unsigned char *own_bytes(size_t *length)
{
	FILE *file = fopen("/proc/self/exe", "re");
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

/* The linker puts it behind a note's head of 4, 20, 3 and "GNU". */
static void a_program_has_the_id_that_its_linker_gave_it(void **state)
{
	static const char head[] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU";
	unsigned char *bytes, *note, id[ELF_BUILD_ID_MAX];
	size_t length;

	(void)state;
	bytes = own_bytes(&length);
	note = memmem(bytes, length, head, sizeof(head));
	assert_non_null(note);
	assert_int_equal(elf_functions_build_id(id, "/proc/self/exe"), 20);
	assert_memory_equal(id, note + sizeof(head), 20);
	free(bytes);
	assert_int_equal(elf_functions_build_id(id, "/etc/passwd"), 0);
}

struct judged {
	int libraries, unwinders;
};

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
		assert_false(elf_functions_may_throw(info->dlpi_name));
	}
	if (strncmp(name, "/libstdc++", 10) == 0 || strncmp(name, "/libicu", 7) == 0) {
		judged->unwinders++;
		assert_true(elf_functions_may_throw(info->dlpi_name));
	}
	return 0;
}

/* The C library has landing pads, too. */
static void exceptions_pass_through_what_needs_who_finds_their_way(void **state)
{
	struct judged judged = {0};

	(void)state;
	dl_iterate_phdr(judge, &judged);
	assert_in_range(judged.libraries, 2, 3);
	assert_false(elf_functions_may_throw("/etc/passwd"));
	if (!judged.unwinders) /* AddressSanitizer of gcc needs one */
		skip();
}

static void add_length(void *context, const struct elf_function *function)
{
	*(size_t *)context += strlen(function->name);
}

/* Of a word in the headers of the file, its segments or its sections. */
static off_t choose_place(struct random *random, const Elf64_Ehdr *header)
{
	size_t begin = sizeof(*header) + header->e_phnum * sizeof(Elf64_Phdr);
	size_t end = header->e_shnum * sizeof(Elf64_Shdr);
	size_t place = random_below(random, begin + end) & ~(size_t)7;

	return (off_t)(place < begin ? place : header->e_shoff + place - begin);
}

/* It is what somebody's process has mapped, who may have made it so. */
static void a_damaged_file_is_looked_through_to_an_end(void **state)
{
	static const uint64_t wrong[] = {0, 1, 0x7fffffff, UINT64_C(1) << 40, UINT64_MAX};
	struct random random = {11};
	size_t length, names = 0, ids = 0;
	uint8_t id[ELF_BUILD_ID_MAX];
	unsigned char *bytes = own_bytes(&length);
	const char *path = file_with(bytes, length);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 200; i++) {
		off_t place = choose_place(&random, (const Elf64_Ehdr *)(const void *)bytes);

		assert_int_equal(pwrite(fd, &wrong[random_below(&random, 5)], 8, place), 8);
		elf_functions_each(path, add_length, &names);
		free(elf_functions_loader(path));
		elf_functions_may_throw(path);
		ids += elf_functions_build_id(id, path);
		assert_int_equal(pwrite(fd, bytes + place, 8, place), 8);
	}
	assert_true(names > 0);
	assert_true(ids > 0);
	close(fd);
	free(bytes);
}

/* Each has all of them: a thousand names of 64 KiB, of which a file of 100 KiB may have 1.6 MiB. */
static void names_that_overlap_take_no_more_than_the_file_gives_reason_for(void **state)
{
	enum { SYMBOLS = 1000, NAME = 1 << 16 };
	struct bytes file = elf_seed_make();
	const Elf64_Sym symbol = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				  .st_shndx = 1,
				  .st_value = ELF_SEED_ADDRESS + ELF_SEED_TEXT};
	Elf64_Ehdr head;
	Elf64_Shdr *section;
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
	elf_functions_each(file_with(file.at, file.count), add_length, &names);
	assert_in_range(names, NAME, 16 * file.count);
	free(file.at);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_function_stands_in_the_file_where_it_is_said_to),
	cmocka_unit_test(what_is_no_program_has_no_functions),
	cmocka_unit_test(a_program_names_its_loader),
	cmocka_unit_test(a_program_has_the_id_that_its_linker_gave_it),
	cmocka_unit_test(exceptions_pass_through_what_needs_who_finds_their_way),
	cmocka_unit_test(a_damaged_file_is_looked_through_to_an_end),
	cmocka_unit_test(names_that_overlap_take_no_more_than_the_file_gives_reason_for),
};

TEST_FILE(tests);
