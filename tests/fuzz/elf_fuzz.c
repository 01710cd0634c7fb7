/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a program: finds its functions and their entries, and plans probes. A planned
 * probe is in code of the file, and names the bytes there; the size of the file limits time and
 * memory.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "code/function_table.h"
#include "code/object.h"
#include "code/probe_place.h"
#include "code/source_lines.h"
#include "collect/patch/object_patches.h"
#include "decode/event/samples.h"
#include "seeds/elf_seed.h"
#include "stats/spin/symbol_finder.h"

#include <elf.h>
#include <unistd.h>

enum { PLACES = 64, LISTED_MAX = 256 };

/*
 * libelf 0.188 leaks some hundred bytes for some damaged files. Unit tests check that pscal closes
 * all that it opens.
 */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\n";
}

/* The bytes of the file. */
struct image {
	const uint8_t *bytes;
	size_t length;
	char *path;
};

/* --- Plans --------------------------------------------------------------------------------- */

/* True if an executable segment has these bytes at that address, by the file's own headers.
 */
static bool holds(const struct image *image, uint64_t address, const uint8_t *bytes, size_t length)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	memcpy(&head, image->bytes, sizeof(head));
	for (size_t i = 0; i < head.e_phnum; i++) {
		uint64_t at = head.e_phoff + i * sizeof(part), offset;

		if (at > image->length || image->length - at < sizeof(part))
			return false;
		memcpy(&part, image->bytes + at, sizeof(part));
		offset = address - part.p_vaddr + part.p_offset;
		if (part.p_type == PT_LOAD && part.p_flags & PF_X && address >= part.p_vaddr &&
		    address - part.p_vaddr < part.p_filesz &&
		    length <= part.p_filesz - (address - part.p_vaddr) && offset < image->length &&
		    image->length - offset >= length &&
		    memcmp(image->bytes + offset, bytes, length) == 0)
			return true;
	}
	return false;
}

static int check_patch(const struct image *image, const struct plan_patch *patch, struct err *err)
{
	if (patch->length < 5 || patch->length > PLAN_MOVED_MAX ||
	    patch->moved_length > PLAN_MOVED_MAX || patch->fixup_count > PLAN_FIXUPS_MAX ||
	    patch->address - patch->block > 4)
		return err_set(err, "%d bytes become %d, %d of them fixed", patch->length,
			       patch->moved_length, patch->fixup_count);
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (patch->fixups[i].at + 4 > patch->fixups[i].end ||
		    patch->fixups[i].end > patch->moved_length)
			return err_set(err, "byte %d up to %d of %d are fixed", patch->fixups[i].at,
				       patch->fixups[i].end, patch->moved_length);
	if (!holds(image, patch->address, patch->before, patch->length))
		return err_set(err, "%#jx is planned, and is no code", (uintmax_t)patch->address);
	return 0;
}

static int check_plan(const struct image *image, struct err *err)
{
	struct function_table table;
	struct listed_function listed[LISTED_MAX];
	struct object_patch *made;
	size_t count = 0;
	int rc = 0;

	if (function_table_read(&table, image->path))
		return 0;
	for (size_t i = 0; i < table.count && count < LISTED_MAX; i++)
		if (!i || table.items[i].offset != table.items[i - 1].offset)
			listed[count++] = (struct listed_function){0, &table.items[i]};
	made = object_patches_make(&table, listed, count, NULL);
	for (size_t i = 0; !rc && i < count; i++)
		if (!made[i].why)
			rc = check_patch(image, &made[i].patch, err);
	free(made);
	function_table_release(&table);
	return rc;
}

/* --- Functions ----------------------------------------------------------------------------- */

struct places {
	struct object object;
	size_t left;
};

static void find_place(void *context, const struct elf_function *function)
{
	struct places *places = context;
	size_t step = places->left / PLACES + 1;
	struct probe_place place;

	if (!places->left)
		return;
	places->left -= step < places->left ? step : places->left;
	place = probe_place_in(&places->object, function->offset, function->size, 2, true);
	if (place.offset - function->offset > function->size)
		abort();
}

static void count_name(void *context, const struct elf_function *function)
{
	*(size_t *)context += strlen(function->name);
}

static void find_functions(const struct image *image)
{
	struct places places = {.left = image->length};
	const struct object *object = &places.object;
	struct object debug;
	size_t names = 0;
	uint8_t id[ELF_BUILD_ID_MAX];

	object_open(&places.object, image->path);
	object_each_function(object, object, STT_FUNC, find_place, &places);
	object_each_function(object, object, STT_FUNC, count_name, &names);
	if (names > 16 * image->length)
		abort();
	object_open_debug(&debug, object, NULL);
	object_close(&debug);
	object_may_throw(object);
	free(object_loader(object));
	if (object_build_id(id, object) > sizeof(id))
		abort();
	object_close(&places.object);
}

/* Code that a recording has mapped. */
static void find_symbols(const struct image *image)
{
	struct samples samples = {0};
	struct mapped map = {.pid = 1, .begin = ELF_SEED_ADDRESS};
	struct symbol_finder finder;
	struct symbol symbol;

	map.end = map.begin + image->length;
	map.path = xstrdup(image->path);
	array_reserve(&samples.maps, &samples.map_capacity, 1);
	samples.maps[samples.map_count++] = map;
	symbol_finder_init(&finder, &samples);
	for (size_t i = 0; i < PLACES; i++) {
		uint64_t ip = map.begin + i * image->length / PLACES;

		if (symbol_finder_find(&symbol, &finder, 1, ip, 1) && symbol.function)
			if (!*symbol.function || symbol.offset > image->length)
				abort();
		symbol_finder_call(&symbol, &finder, 1, ip + 5, 1);
	}
	symbol_finder_release(&finder);
	samples_release(&samples);
}

/*
 * For damaged line tables libdw 0.188 reads beyond the end of names (dwarf_getsrclines()), a fault
 * that pscal survives: lines are then plausible or unknown.
 */
static void find_lines(const struct image *image)
{
	struct source_lines lines = {0};
	struct source_line line;

	for (size_t i = 0; i < PLACES; i++)
		source_lines_expect(&lines, image->path, i * image->length / PLACES);
	for (size_t i = 0; i < PLACES; i++)
		if (source_lines_find(&line, &lines, image->path, i * image->length / PLACES) &&
		    (!*line.file || !line.line))
			abort();
	for (size_t i = 0; i < PLACES; i++) {
		char *part = source_lines_part(&lines, image->path, ELF_SEED_ADDRESS, i);

		if (part && *part && !strchr(".[+", *part))
			abort();
		free(part);
	}
	free(source_lines_trouble(&lines));
	source_lines_release(&lines);
}

/* --- Unwinding ----------------------------------------------------------------------------- */

static void unwind_all(const struct image *image)
{
	struct Dwarf_CFI_s *table;
	struct object object;

	object_open(&object, image->path);
	table = unwind_table_open(&object);
	for (size_t i = 0; i < PLACES; i++)
		unwind_table_trouble(table, ELF_SEED_ADDRESS + i * image->length / PLACES);
	unwind_table_close(table);
	object_close(&object);
}

/* --- One input ----------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed)
{
	return fuzz_mutate_numbers(bytes, length, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct image image = {bytes, length, NULL};
	struct err err = {.text = ""};
	FILE *file;

	if (length < sizeof(Elf64_Ehdr))
		return 0;
	image.path = xasprintf("/dev/shm/pscal-fuzz-%d.elf", (int)getpid());
	file = fopen(image.path, "we");
	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
		abort();
	find_functions(&image);
	find_symbols(&image);
	find_lines(&image);
	unwind_all(&image);
	fuzz_check(check_plan(&image, &err), &err);
	unlink(image.path);
	free(image.path);
	return 0;
}
