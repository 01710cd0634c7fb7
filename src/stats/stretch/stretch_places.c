/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/samples.h"
#include "stats/spin/symbol_finder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Code by its names --------------------------------------------------------------------- */

/* The beginnings of names: of files without directories, of functions without underscores. */
static const char *const runtimes[] = {"libgomp.so",   "libgomp-",    "libomp.so",
				       "libomp-",      "libiomp5.",   "libtbb",
				       "libopencilk.", "libcilkrts.", "libpscal-"};

static const char *const libraries[] = {"libc.so",  "libc-",   "libpthread", "ld-linux",
					"ld-musl-", "libm.so", "libm-"};

static const char *const threads[] = {
	"pthread_",    "lll_",
	"futex_",      "sem_",
	"new_sem_",    "nptl_",
	"cnd_",	       "mtx_",
	"thrd_",       "sched_yield",
	"clone",       "start_thread",
	"ZNSt6thread", "ZNSt18condition_variable",
};

static const char *const waits[] = {"kmp_wait_"};

static bool begins_with(const char *text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

enum code_part runtime_code_part(const char *path, const char *function)
{
	const char *file = basename(path);
	const char *name = function ? function + strspn(function, "_") : "";

	if (begins_with(name, waits, COUNT(waits)))
		return CODE_OF_WAITING;
	if (begins_with(file, runtimes, COUNT(runtimes)))
		return CODE_OF_RUNTIME;
	if (begins_with(file, libraries, COUNT(libraries)))
		return begins_with(name, threads, COUNT(threads)) ? CODE_OF_RUNTIME
								  : CODE_OF_LIBRARY;
	return begins_with(name, threads + COUNT(threads) - 2, 2) ? CODE_OF_RUNTIME
								  : CODE_OF_PROGRAM;
}

/* --- Files --------------------------------------------------------------------------------- */

/* As in struct mapped. */
struct stretch_file {
	char *path;
	uint64_t inode;
	uint8_t build_id[20];
	size_t build_id_size;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct stretch_file *)a)->path,
		      ((const struct stretch_file *)b)->path);
}

void stretch_files_init(struct stretch_files *files, const struct symbol_finder *finder)
{
	files->items = xcalloc(finder->count + 1, sizeof(*files->items));
	files->count = finder->count;
	for (size_t i = 0; i < finder->count; i++) {
		const struct mapped *mapped = symbol_finder_file(finder, i);
		struct stretch_file *file = &files->items[i];

		file->path = xstrdup(mapped->path);
		file->inode = mapped->inode;
		file->build_id_size = mapped->build_id_size;
		memcpy(file->build_id, mapped->build_id, mapped->build_id_size);
	}
	sort_items(files->items, files->count, by_path);
}

void stretch_files_release(struct stretch_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct stretch_files){0};
}

static bool is_changed(const struct stretch_file *one, const struct stretch_file *other)
{
	if (one->build_id_size && other->build_id_size)
		return one->build_id_size != other->build_id_size ||
		       memcmp(one->build_id, other->build_id, one->build_id_size) != 0;
	return one->inode && other->inode && one->inode != other->inode;
}

size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other)
{
	size_t changed = 0;

	*path = NULL;
	for (size_t i = 0; i < one->count; i++) {
		const struct stretch_file *file = &one->items[i];
		const struct stretch_file *same =
			other->count
				? bsearch(file, other->items, other->count, sizeof(*file), by_path)
				: NULL;

		if (!same || !is_changed(file, same))
			continue;
		if (!*path || (strstr(*path, ".so") && !strstr(file->path, ".so")))
			*path = file->path;
		changed++;
	}
	return changed;
}

/* --- Places -------------------------------------------------------------------------------- */

#define KERNEL "[kernel]"

void stretch_places_init(struct stretch_places *places, const struct samples *samples,
			 const struct chains *chains, enum stretch_by by)
{
	*places = (struct stretch_places){
		.by = by, .chains = chains, .lines = {.root = samples->root}};
	symbol_finder_init(&places->symbols, samples);
	if (by == STRETCH_BY_PATH)
		places->names = chain_names_new(chains, samples);
}

void stretch_region_release(struct stretch_region *block)
{
	free(block->function);
	free(block->object);
	free(block->file);
	free(block->path);
	*block = (struct stretch_region){0};
}

/* --- Keys ---------------------------------------------------------------------------------- */

void stretch_places_release(struct stretch_places *places)
{
	map_release(&places->numbers);
	for (size_t i = 0; i < places->count; i++)
		stretch_region_release(&places->blocks[i]);
	free(places->blocks);
	symbol_finder_release(&places->symbols);
	source_lines_release(&places->lines);
	mapped_code_release(&places->code);
	chain_names_free(places->names);
	*places = (struct stretch_places){.count = 0};
}

/* libz.so.1 and libz.so.1.2.13 are the same. */
static int unversioned_length(const char *object)
{
	const char *end = strstr(object, ".so");

	return (int)(end && end > object ? (size_t)(end - object) : strlen(object));
}

char *stretch_region_key(const struct stretch_region *block, enum stretch_by by,
			 const char *program)
{
	const char *object = block->object ? block->object : "";
	const char *function = block->function ? block->function : "";
	bool own = program && strcmp(object, program) == 0;
	bool lined = (by == STRETCH_BY_LINE || by == STRETCH_BY_SEGMENT) && block->file;

	return xasprintf("%.*s\n%s\n%s:%u-%u\n%d\n%s", own ? 0 : unversioned_length(object), object,
			 function, lined ? basename(block->file) : "", lined ? block->line : 0,
			 lined ? block->line2 : 0, (int)block->level,
			 block->path ? block->path : "");
}

uint32_t stretch_region_number(struct map *numbers, const struct stretch_region *block,
			       enum stretch_by by)
{
	char *key = stretch_region_key(block, by, NULL);
	uint32_t number = map_add(numbers, key, strlen(key));

	free(key);
	return number;
}

/* Takes ownership of the contents of `block`. */
static uint32_t intern(struct stretch_places *places, struct stretch_region *block)
{
	uint32_t number = stretch_region_number(&places->numbers, block, places->by);

	if (number < places->count) {
		stretch_region_release(block);
		return number;
	}
	array_reserve(&places->blocks, &places->capacity, places->count + 1);
	places->blocks[places->count++] = *block;
	return number;
}

/* --- Regions -------------------------------------------------------------------------------- */

/* Returns the function: names of clones have a '.' behind it. */
static char *function_of(const char *name)
{
	return *name ? xasprintf("%.*s", (int)(1 + strcspn(name + 1, ".")), name) : NULL;
}

/* Returns true if there is code that may have a line, and its offset in the file. */
static bool find_code(uint64_t *offset, const struct stretch_places *places,
		      const struct symbol *symbol)
{
	*offset = places->by == STRETCH_BY_LINE ? symbol->begin + symbol->offset : symbol->begin;
	return symbol->readable && (symbol->function || places->by == STRETCH_BY_LINE);
}

static void set_line(struct stretch_region *block, struct stretch_places *places,
		     const struct symbol *symbol)
{
	struct source_line line;
	uint64_t offset;

	if (!find_code(&offset, places, symbol) ||
	    !source_lines_find(&line, &places->lines, symbol->path, offset))
		return;
	block->file = xstrdup(line.file);
	block->line = line.line;
}

static uint32_t block_at(struct stretch_places *places, const struct symbol *symbol,
			 const struct sampled *row)
{
	uint32_t path = places->names ? chain_names_find(places->names, row->chain) : 0;
	struct stretch_region block = {.object = xstrdup(basename(symbol->path)), .level = -1};

	if (path)
		block.function = xstrdup(chain_names_get(places->names, path)->text);
	else if (symbol->function)
		block.function = function_of(symbol->function);
	set_line(&block, places, symbol);
	return intern(places, &block);
}

static uint32_t nameless(struct stretch_places *places, const char *object)
{
	struct stretch_region block = {.object = object ? xstrdup(object) : NULL, .level = -1};

	return intern(places, &block);
}

uint32_t stretch_places_kernel(const struct stretch_places *places)
{
	uint32_t i = 0;

	while (i < places->count && (places->blocks[i].function || !places->blocks[i].object ||
				     strcmp(places->blocks[i].object, KERNEL) != 0))
		i++;
	return i;
}

/* Returns the part of the function that called the library. */
static enum code_part part_of_caller(struct stretch_places *places, const struct sampled *row)
{
	struct chain chain = chains_get(places->chains, row->chain);
	struct symbol symbol;

	if (chain.count < 2 || !symbol_finder_find(&symbol, &places->symbols, row->pid,
						   chain.frames[1] - 1, row->time_ns))
		return CODE_OF_PROGRAM;
	return runtime_code_part(symbol.path, symbol.function);
}

/*
 * Returns true if RDTSC (0F 31) is right before the sample: runtimes read the time stamp counter in
 * loops that wait, as libomp does in each round of a loop that is too long for wait_loop_find().
 */
static bool reads_clock(struct stretch_places *places, const struct sampled *row)
{
	enum { NEAR = 6 }; /* bytes */
	const struct mapped *mapped =
		map_finder_find(&places->symbols.maps, row->pid, row->ip, row->time_ns);
	struct code_window window;
	size_t at;

	if (row->mode == SAMPLED_KERNEL ||
	    mapped_code_read(&window, &places->code, mapped, row->ip))
		return false;
	at = (size_t)(row->ip - window.code.address);
	for (size_t i = at > NEAR ? at - NEAR : 0; i + 2 <= at && i + 2 <= window.code.length; i++)
		if (window.bytes[i] == 0x0f && window.bytes[i + 1] == 0x31)
			return true;
	return false;
}

void stretch_places_expect(struct stretch_places *places, const struct spin_row *spin_row)
{
	const struct sampled *row = spin_row->row;
	struct symbol symbol;
	uint64_t offset;

	if (spin_row->use != CODE_WAITS && row->ip &&
	    symbol_finder_find(&symbol, &places->symbols, row->pid, row->ip, row->time_ns) &&
	    runtime_code_part(symbol.path, symbol.function) == CODE_OF_PROGRAM &&
	    find_code(&offset, places, &symbol))
		source_lines_expect(&places->lines, symbol.path, offset);
}

uint32_t stretch_places_find(struct stretch_places *places, const struct spin_row *spin_row)
{
	const struct sampled *row = spin_row->row;
	struct symbol symbol;
	enum code_part part;

	if (spin_row->use == CODE_WAITS)
		return STRETCH_WAITING;
	if (row->mode == SAMPLED_KERNEL && !row->ip)
		return nameless(places, KERNEL);
	if (!symbol_finder_find(&symbol, &places->symbols, row->pid, row->ip, row->time_ns))
		return nameless(places, NULL);
	part = runtime_code_part(symbol.path, symbol.function);
	if (part == CODE_OF_LIBRARY)
		part = part_of_caller(places, row);
	if (part == CODE_OF_RUNTIME)
		return reads_clock(places, row) ? STRETCH_WAITING : STRETCH_OVERHEAD;
	return part == CODE_OF_WAITING ? STRETCH_WAITING : block_at(places, &symbol, row);
}
