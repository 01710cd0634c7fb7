/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a program below the directory of --symfs, and as its separate file of symbols;
 * as mapped code of a recording; and as the command whose functions are watched, from inside and
 * from outside. elf_fuzz tries the readers of a single file.
 *
 * An input begins with the size of the program; the rest is the separate file, or the program again
 * if there is no rest.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "code/mapped_files.h"
#include "code/object.h"
#include "collect/calls/calls_private.h"
#include "collect/patch/probe_plan.h"
#include "decode/event/samples.h"
#include "seeds/elf_seed.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 64 };

#define PROGRAM "/usr/bin/program"

/* See elf_fuzz.c. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\n";
}

struct symfs {
	char *root, *program, *apart; /* apart NULL: the program has no id */
	size_t length;
};

/* --- Files --------------------------------------------------------------------------------- */

static void write_file(const char *path, const uint8_t *bytes, size_t length)
{
	FILE *file = fopen(path, "we");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
		abort();
}

static void make_directories(const char *path)
{
	char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

/* The first place in which pscal looks for the separate file. */
static char *path_by_id(const struct symfs *symfs)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	char hex[2 * ELF_BUILD_ID_MAX + 1] = "";
	struct object object;
	size_t size;

	object_open(&object, symfs->program);
	size = object_build_id(id, &object);
	object_close(&object);
	for (size_t i = 1; i < size; i++)
		sprintf(hex + 2 * (i - 1), "%02x", id[i]);
	return size > 1 ? xasprintf("%s/usr/lib/debug/.build-id/%02x/%s.debug", symfs->root, id[0],
				    hex)
			: NULL;
}

static void open_symfs(struct symfs *symfs, const uint8_t *bytes, size_t length)
{
	uint32_t first = 0;

	memcpy(&first, bytes, sizeof(first));
	bytes += sizeof(first);
	length -= sizeof(first);
	symfs->root = xasprintf("/dev/shm/pscal-symfs-%d", (int)getpid());
	symfs->program = xasprintf("%s" PROGRAM, symfs->root);
	make_directories(symfs->program);
	symfs->length = first < length ? first : length;
	write_file(symfs->program, bytes, symfs->length);
	symfs->apart = path_by_id(symfs);
	if (!symfs->apart)
		return;
	make_directories(symfs->apart);
	if (symfs->length < length)
		write_file(symfs->apart, bytes + symfs->length, length - symfs->length);
	else
		write_file(symfs->apart, bytes, length);
}

/* Removes the file, and its directories up to `root` if they are empty then. */
static void remove_file(char *path, const char *root)
{
	int rc = unlink(path);

	while (!rc && strlen(path) > strlen(root)) {
		*strrchr(path, '/') = '\0';
		rc = rmdir(path);
	}
}

static void close_symfs(struct symfs *symfs)
{
	if (symfs->apart)
		remove_file(symfs->apart, symfs->root);
	remove_file(symfs->program, symfs->root);
	free(symfs->apart);
	free(symfs->program);
	free(symfs->root);
}

/* --- Symbols and code ---------------------------------------------------------------------- */

static void count_name(void *context, const struct elf_function *function)
{
	*(size_t *)context += strlen(function->name);
}

static void find_apart(const struct symfs *symfs)
{
	struct object object, apart;
	size_t names = 0;

	object_open(&object, symfs->program);
	if (object_open_debug(&apart, &object, symfs->root)) {
		if (strncmp(apart.path, symfs->root, strlen(symfs->root)) != 0)
			abort();
		object_each_function(&object, &apart, STT_FUNC, count_name, &names);
	}
	object_close(&apart);
	object_close(&object);
}

static struct samples map_program(const struct symfs *symfs, const char *path)
{
	struct samples samples = {.map_count = 0};
	struct mapped map = {.pid = 1, .begin = ELF_SEED_ADDRESS, .path = xstrdup(path)};

	map.end = map.begin + symfs->length + PLACES;
	array_reserve(&samples.maps, &samples.map_capacity, 1);
	samples.maps[samples.map_count++] = map;
	return samples;
}

static uint64_t place(const struct symfs *symfs, size_t i)
{
	return ELF_SEED_ADDRESS + i * symfs->length / PLACES;
}

static void find_symbols(const struct symfs *symfs)
{
	struct samples samples = map_program(symfs, PROGRAM);
	struct symbol_finder finder;
	struct symbol symbol;

	samples_set_root(&samples, symfs->root);
	symbol_finder_init(&finder, &samples);
	for (size_t i = 0; i < PLACES; i++)
		if (symbol_finder_find(&symbol, &finder, 1, place(symfs, i), 1) &&
		    symbol.function && !*symbol.function)
			abort();
	symbol_finder_release(&finder);
	samples_release(&samples);
}

static void read_code(const struct symfs *symfs)
{
	struct samples samples = map_program(symfs, symfs->program);
	struct mapped_code files = {.count = 0};
	struct code_window window;

	for (size_t i = 0; i < PLACES; i++) {
		uint64_t at = place(symfs, i);

		if (mapped_code_read(&window, &files, &samples.maps[0], at) == 0)
			wait_loop_find(window.reader, &window.code, at);
	}
	mapped_code_release(&files);
	samples_release(&samples);
}

/* --- Commands ------------------------------------------------------------------------------ */

/* No fuzzer runs a program that an input names: a loader, or the interpreter of a script. */
static bool names_another(const char *program)
{
	char *interpreter = command_file_interpreter(program), *loader;
	struct object object;
	bool names;

	object_open(&object, program);
	loader = object_loader(&object);
	object_close(&object);
	names = loader || interpreter;
	free(loader);
	free(interpreter);
	return names;
}

static int check_plan(const struct probe_plan *plan, struct err *err)
{
	const struct plan_header *header = &plan->header;

	for (uint32_t i = 0; i < header->patch_count; i++) {
		const struct plan_patch *patch = &plan->patches[i];

		if (patch->name >= header->text_bytes || patch->length > PLAN_MOVED_MAX ||
		    patch->moved_length > PLAN_MOVED_MAX || patch->length < 5)
			return err_set(err, "patch %u of %u is none", i, header->patch_count);
	}
	return 0;
}

static void watch_functions(const struct symfs *symfs)
{
	static const char *const patterns[] = {"*", NULL};
	const struct probe_options options = {.patterns = patterns, .every = 1, .arguments = 4};
	const struct uprobe_target target = {.command = symfs->program};
	struct uprobe_functions functions = {.risk_exceptions = false};
	struct probe_plan plan = {.objects = NULL};
	char *spec = xasprintf("%s:*", symfs->program);
	struct err err = {.text = ""};

	if (!names_another(symfs->program)) {
		if (probe_plan_make(&plan, &options, symfs->program, &err) == 0)
			fuzz_check(check_plan(&plan, &err), &err);
		probe_plan_release(&plan);
	}
	uprobe_functions_add(&functions, spec, &target, 2, "/proc", &err);
	uprobe_functions_release(&functions);
	free(spec);
}

/* --- One input ----------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed)
{
	return fuzz_mutate_numbers(bytes, length, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct symfs symfs;

	if (length < sizeof(uint32_t) + sizeof(Elf64_Ehdr))
		return 0;
	open_symfs(&symfs, bytes, length);
	chmod(symfs.program, 0700);
	find_apart(&symfs);
	find_symbols(&symfs);
	read_code(&symfs);
	watch_functions(&symfs);
	close_symfs(&symfs);
	return 0;
}
