/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/symbol_finder.h"

#include "base/alloc.h"
#include "base/io/files.h"
#include "base/sorted.h"
#include "code/elf_functions.h"
#include "decode/event/samples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
	uint64_t begin, size; /* in the file; size 0: not known */
	char *name;
	bool separate; /* as in struct symbol */
};

struct symbol_file {
	const struct mapped *mapped; /* as it was first met */
	struct function *functions;  /* sorted; none of a file that cannot be used */
	size_t count, capacity;
	int fd;		 /* -1: it cannot be used */
	bool separately; /* what is read now is its separate file */
};

/* Those beyond count as unknown; a process has some dozens. */
enum { FILES_MAX = 512 };

void symbol_finder_init(struct symbol_finder *finder, const struct samples *samples)
{
	*finder = (struct symbol_finder){.root = samples->root};
	map_finder_init(&finder->maps, samples);
}

void symbol_finder_release(struct symbol_finder *finder)
{
	for (size_t i = 0; i < finder->count; i++) {
		struct symbol_file *file = &finder->files[i];

		for (size_t j = 0; j < file->count; j++)
			free(file->functions[j].name);
		free(file->functions);
		if (file->fd >= 0)
			close(file->fd);
	}
	free(finder->files);
	map_finder_release(&finder->maps);
	*finder = (struct symbol_finder){.count = 0};
}

/* --- Files --------------------------------------------------------------------------------- */

/* Versions of symbols, as of pthread_create@@GLIBC_2.34, are not what people call them. */
static void add_function(void *context, const struct elf_function *function)
{
	struct symbol_file *file = context;
	size_t length = strcspn(function->name, "@");

	if (!length)
		return;
	array_reserve(&file->functions, &file->capacity, file->count + 1);
	file->functions[file->count++] = (struct function){
		.begin = function->offset,
		.size = function->size,
		.name = xasprintf("%.*s", (int)length, function->name),
		.separate = file->separately,
	};
}

static int compare_begins(const void *a, const void *b)
{
	const struct function *one = a, *other = b;

	return compare_values(one->begin, other->begin);
}

static int by_place(const void *a, const void *b)
{
	const struct function *one = a, *other = b;
	size_t strange = elf_functions_strangeness(one->name);
	size_t other_strange = elf_functions_strangeness(other->name);

	return compare_begins(a, b)
		       ?: !one->size - !other->size
		       ?: one->separate - other->separate
		       ?: compare_values(strange, other_strange)
		       ?: strcmp(one->name, other->name);
}

/* One for each place. */
static void sort(struct symbol_file *file)
{
	size_t all = file->count;

	sort_items(file->functions, all, by_place);
	file->count = drop_twins(file->functions, all, sizeof(*file->functions), compare_begins);
	for (size_t i = file->count; i < all; i++)
		free(file->functions[i].name);
}

static bool is_unchanged(const struct mapped *mapped, const struct stat *status)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t size;

	if (mapped->inode && mapped->inode != status->st_ino)
		return false;
	if (!mapped->build_id_size)
		return true;
	size = elf_functions_build_id(id, mapped->path);
	return size == mapped->build_id_size && !memcmp(id, mapped->build_id, size);
}

static void read_functions(struct symbol_file *file, const char *root)
{
	const char *path = file->mapped->path;
	char *debug = elf_functions_has_symbols(path) ? NULL : debug_file_find(path, root);

	elf_functions_each(path, add_function, file);
	file->separately = true;
	if (debug)
		elf_functions_each_separate(path, debug, add_function, file);
	free(debug);
	sort(file);
}

static void read_file(struct symbol_file *file, const char *root)
{
	struct stat status;

	file->fd = regular_file_open(&status, file->mapped->path);
	if (file->fd < 0)
		return;
	if (!is_unchanged(file->mapped, &status)) {
		close(file->fd);
		file->fd = -1;
		return;
	}
	read_functions(file, root);
}

static bool is_of(const struct symbol_file *file, const struct mapped *mapped)
{
	const struct mapped *other = file->mapped;

	return mapped->inode == other->inode && mapped->build_id_size == other->build_id_size &&
	       !memcmp(mapped->build_id, other->build_id, mapped->build_id_size) &&
	       !strcmp(mapped->path, other->path);
}

/* NULL: there are too many. */
static const struct symbol_file *find_file(struct symbol_finder *finder,
					   const struct mapped *mapped)
{
	struct symbol_file *file;

	for (size_t i = 0; i < finder->count; i++)
		if (is_of(&finder->files[i], mapped))
			return &finder->files[i];
	if (finder->count == FILES_MAX)
		return NULL;
	array_reserve(&finder->files, &finder->capacity, finder->count + 1);
	file = &finder->files[finder->count++];
	*file = (struct symbol_file){.mapped = mapped, .fd = -1};
	read_file(file, finder->root);
	return file;
}

const struct mapped *symbol_finder_file(const struct symbol_finder *finder, size_t number)
{
	return finder->files[number].mapped;
}

/* --- Functions ----------------------------------------------------------------------------- */

/* One whose size is not known ends where the next one begins. */
static const struct function *find_function(const struct symbol_file *file, uint64_t offset)
{
	const struct function *found;
	size_t behind = find_first(i, 0, file ? file->count : 0, file->functions[i].begin > offset);

	if (!behind)
		return NULL;
	found = &file->functions[behind - 1];
	return !found->size || offset - found->begin < found->size ? found : NULL;
}

/* In the memory of a process to in the file. */
static uint64_t offset_of(const struct mapped *mapped, uint64_t ip)
{
	return ip - mapped->begin + mapped->offset;
}

static const struct mapped *find_mapped(const struct symbol_finder *finder, int32_t pid,
					uint64_t ip, uint64_t time_ns)
{
	const struct mapped *mapped = map_finder_find(&finder->maps, pid, ip, time_ns);

	return mapped && mapped->path ? mapped : NULL;
}

bool symbol_finder_find(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			uint64_t ip, uint64_t time_ns)
{
	const struct mapped *mapped = find_mapped(finder, pid, ip, time_ns);
	const struct function *function;
	const struct symbol_file *file;

	if (!mapped)
		return false;
	file = find_file(finder, mapped);
	*symbol = (struct symbol){.path = mapped->path,
				  .offset = offset_of(mapped, ip),
				  .readable = file && file->fd >= 0};
	function = find_function(file, symbol->offset);
	if (function) {
		symbol->function = function->name;
		symbol->begin = function->begin;
		symbol->separate = function->separate;
		symbol->offset -= function->begin;
	}
	return true;
}

/* --- Calls --------------------------------------------------------------------------------- */

/*
 * The call that ends with `code`, CALL_BYTES_MAX bytes, of which `ip` is the end; *target: where it
 * leads.
 */
#if defined(__x86_64__)
enum { CALL_BYTES_MAX = 7 };

/*
 * CALL is E8 with the distance, or FF /2 with a register or memory, which takes 2 to 7 bytes (Intel
 * SDM, volume 2A). What ends the instruction before may look like one that is shorter.
 */
static enum call_found find_target(uint64_t *target, const uint8_t code[CALL_BYTES_MAX],
				   uint64_t ip)
{
	int32_t distance;

	memcpy(&distance, code + CALL_BYTES_MAX - sizeof(distance), sizeof(distance));
	*target = ip + (uint64_t)(int64_t)distance;
	if (code[CALL_BYTES_MAX - 5] == 0xe8)
		return CALL_KNOWN;
	for (size_t i = 0; i + 1 < CALL_BYTES_MAX; i++)
		if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2)
			return CALL_UNKNOWN;
	return CALL_NONE;
}
#elif defined(__aarch64__)
enum { CALL_BYTES_MAX = 4 };

/* BL with the distance in words, or BLR with a register (Arm ARM, C6.2). */
static enum call_found find_target(uint64_t *target, const uint8_t code[CALL_BYTES_MAX],
				   uint64_t ip)
{
	uint32_t insn;

	memcpy(&insn, code, sizeof(insn));
	*target = ip - CALL_BYTES_MAX + (uint64_t)((int64_t)((uint64_t)insn << 38) >> 36);
	if (insn >> 26 == 0x25)
		return CALL_KNOWN;
	return (insn & 0xfffffc1f) == 0xd63f0000 ? CALL_UNKNOWN : CALL_NONE;
}
#else
enum { CALL_BYTES_MAX = 1 };

static enum call_found find_target(uint64_t *target, const uint8_t code[CALL_BYTES_MAX],
				   uint64_t ip)
{
	(void)target, (void)code, (void)ip;
	return CALL_UNKNOWN;
}
#endif

enum call_found symbol_finder_call(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
				   uint64_t return_ip, uint64_t time_ns)
{
	uint64_t ip = return_ip - CALL_BYTES_MAX, target;
	const struct mapped *mapped = find_mapped(finder, pid, ip, time_ns);
	const struct symbol_file *file = mapped ? find_file(finder, mapped) : NULL;
	uint8_t code[CALL_BYTES_MAX];
	enum call_found found;

	if (!file || file->fd < 0 ||
	    pread(file->fd, code, sizeof(code), (off_t)offset_of(mapped, ip)) != sizeof(code))
		return CALL_UNKNOWN;
	found = find_target(&target, code, return_ip);
	if (found == CALL_KNOWN && (!symbol_finder_find(symbol, finder, pid, target, time_ns) ||
				    !symbol->function || symbol->offset))
		return CALL_UNKNOWN;
	return found;
}
