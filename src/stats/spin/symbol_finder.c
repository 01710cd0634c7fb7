/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/symbol_finder.h"

#include "base/alloc.h"
#include "base/io/files.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sorted.h"
#include "code/function_table.h"
#include "code/source_lines.h"
#include "decode/event/samples.h"
#include "stats/spin/chain_functions.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
	uint64_t begin, size; /* the place in the file; size 0: not known */
	char *name;
	bool separate; /* see struct symbol */
};

/* Functions, or variables with addresses in place of offsets; sorted by place. */
struct symbol_table {
	struct function *items;
	size_t count, capacity;
	bool separately; /* now the separate debug file is read */
};

/*
 * The memory of a file, from its first segment to its last, relative to the mapping of its code;
 * numbers wrap around.
 */
struct span {
	uint64_t code;	      /* the offset of the code in the file */
	uint64_t begin, size; /* size 0: not known */
	uint64_t base;	      /* the number to add to all addresses of the file */
	bool is_based;	      /* `base` is known */
};

struct symbol_file {
	struct mapped mapped;	       /* when it was first met; its path is borrowed */
	struct symbol_table functions; /* empty if the file cannot be used */
	struct symbol_table variables; /* the same; read at the first search for one */
	bool is_library;	       /* see struct symbol */
	bool has_variables;
	struct span span;
	int fd; /* -1: not usable */
};

/* Files beyond these count as unknown; a process has some dozens. */
enum { FILES_MAX = 512 };

void symbol_finder_init(struct symbol_finder *finder, const struct samples *samples)
{
	*finder = (struct symbol_finder){.root = samples->root};
	map_finder_init(&finder->maps, samples);
}

static void release_table(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->items[i].name);
	free(table->items);
}

void symbol_finder_release(struct symbol_finder *finder)
{
	for (size_t i = 0; i < finder->count; i++) {
		struct symbol_file *file = &finder->files[i];

		release_table(&file->functions);
		release_table(&file->variables);
		if (file->fd >= 0)
			close(file->fd);
	}
	free(finder->files);
	map_finder_release(&finder->maps);
	*finder = (struct symbol_finder){.count = 0};
}

static bool is_library(const char *path)
{
	static const char *const names[] = {"libc.so",	"libc-",    "libpthread",
					    "ld-linux", "ld-musl-", "libstdc++.so"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(basename(path), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* --- Files --------------------------------------------------------------------------------- */

/* Leaves out the versions of symbols, as of pthread_create@@GLIBC_2.34. */
static void add_symbol(void *context, const struct elf_function *function)
{
	struct symbol_table *table = context;
	size_t length = strcspn(function->name, "@");

	if (!length)
		return;
	array_reserve(&table->items, &table->capacity, table->count + 1);
	table->items[table->count++] = (struct function){
		.begin = function->offset,
		.size = function->size,
		.name = xasprintf("%.*s", (int)length, function->name),
		.separate = table->separately,
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
	size_t strange = function_strangeness(one->name);
	size_t other_strange = function_strangeness(other->name);

	return compare_begins(a, b)
		       ?: !one->size - !other->size
		       ?: one->separate - other->separate
		       ?: compare_values(strange, other_strange)
		       ?: strcmp(one->name, other->name);
}

/* Sorts the table, and keeps one symbol for each place. */
static void sort_table(struct symbol_table *table)
{
	size_t all = table->count;

	sort_items(table->items, all, by_place);
	table->count = drop_twins(table->items, all, sizeof(*table->items), compare_begins);
	for (size_t i = table->count; i < all; i++)
		free(table->items[i].name);
}

static bool is_unchanged(const struct mapped *mapped, const struct object *object,
			 const struct stat *status)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t size;

	if (mapped->inode && mapped->inode != status->st_ino)
		return false;
	if (!mapped->build_id_size)
		return true;
	size = object_build_id(id, object);
	return size == mapped->build_id_size && !memcmp(id, mapped->build_id, size);
}

static void read_table(struct symbol_table *table, const struct object *object, int type,
		       const char *root)
{
	struct object debug;

	object_each_function(object, object, type, add_symbol, table);
	table->separately = true;
	if (!object_has_symbols(object) && object_open_debug(&debug, object, root)) {
		object_each_function(object, &debug, type, add_symbol, table);
		object_close(&debug);
	}
	sort_table(table);
}

static void find_base(void *context, const struct elf_segment *segment)
{
	struct span *span = context;
	uint64_t page = segment->offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);

	if (segment->is_code && span->code >= page &&
	    (span->code < segment->offset || span->code - segment->offset < segment->size)) {
		span->base = segment->offset - span->code - segment->address;
		span->is_based = true;
	}
}

static void widen(void *context, const struct elf_segment *segment)
{
	struct span *span = context;
	uint64_t begin = span->base + segment->address, end = begin + segment->address_size;

	if (!span->size)
		span->begin = begin;
	/* Segments stand in the order of their addresses. */
	if (end - span->begin > span->size && begin - span->begin <= end - span->begin)
		span->size = end - span->begin;
}

static void find_span(struct span *span, const struct object *object, uint64_t code)
{
	*span = (struct span){.code = code};
	object_each_segment(object, find_base, span);
	if (span->is_based)
		object_each_segment(object, widen, span);
}

static void read_file(struct symbol_file *file, const char *root)
{
	struct object object;
	struct stat status;

	file->fd = regular_file_open(&status, file->mapped.path);
	if (file->fd < 0)
		return;
	object_open(&object, file->mapped.path);
	if (is_unchanged(&file->mapped, &object, &status)) {
		read_table(&file->functions, &object, STT_FUNC, root);
		find_span(&file->span, &object, file->mapped.offset);
	} else {
		close(file->fd);
		file->fd = -1;
	}
	object_close(&object);
}

static bool is_of(const struct symbol_file *file, const struct mapped *mapped)
{
	const struct mapped *other = &file->mapped;

	return mapped->inode == other->inode && mapped->build_id_size == other->build_id_size &&
	       !memcmp(mapped->build_id, other->build_id, mapped->build_id_size) &&
	       !strcmp(mapped->path, other->path);
}

/* Returns the file, or NULL if there are too many. */
static struct symbol_file *find_file(struct symbol_finder *finder, const struct mapped *mapped)
{
	struct symbol_file *file;

	for (size_t i = 0; i < finder->count; i++)
		if (is_of(&finder->files[i], mapped))
			return &finder->files[i];
	if (finder->count == FILES_MAX)
		return NULL;
	array_reserve(&finder->files, &finder->capacity, finder->count + 1);
	file = &finder->files[finder->count++];
	*file = (struct symbol_file){
		.mapped = *mapped, .is_library = is_library(mapped->path), .fd = -1};
	read_file(file, finder->root);
	return file;
}

const struct mapped *symbol_finder_file(const struct symbol_finder *finder, size_t number)
{
	return &finder->files[number].mapped;
}

/* --- Functions ----------------------------------------------------------------------------- */

/* Returns the symbol at an offset. A symbol of unknown size ends where the next one begins. */
static const struct function *find_symbol(const struct symbol_table *table, uint64_t at)
{
	const struct function *found;
	size_t behind = find_first(i, 0, table->count, table->items[i].begin > at);

	if (!behind)
		return NULL;
	found = &table->items[behind - 1];
	return !found->size || at - found->begin < found->size ? found : NULL;
}

/* Turns an address in the memory of a process into an offset in the file. */
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

static void set_symbol(struct symbol *symbol, const struct function *function)
{
	symbol->function = function->name;
	symbol->begin = function->begin;
	symbol->size = function->size;
	symbol->separate = function->separate;
	symbol->offset -= function->begin;
}

#define VDSO "[vdso]"

bool symbol_finder_find(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			uint64_t ip, uint64_t time_ns)
{
	const struct mapped *mapped = map_finder_find(&finder->maps, pid, ip, time_ns);
	const struct function *function;
	const struct symbol_file *file;

	if (mapped && mapped->is_vdso) {
		*symbol = (struct symbol){.path = VDSO,
					  .function = VDSO,
					  .offset = ip - mapped->begin,
					  .size = mapped->end - mapped->begin,
					  .of_library = true};
		return true;
	}
	if (!mapped || !mapped->path)
		return false;
	file = find_file(finder, mapped);
	*symbol = (struct symbol){.path = mapped->path,
				  .offset = offset_of(mapped, ip),
				  .of_library = file && file->is_library,
				  .readable = file && file->fd >= 0};
	function = file ? find_symbol(&file->functions, symbol->offset) : NULL;
	if (function)
		set_symbol(symbol, function);
	return true;
}

/* --- Variables ----------------------------------------------------------------------------- */

/* A file has its code in few mappings, and few files lie between code and data of another. */
enum { MAPPINGS_BELOW = 16 };

static void read_variables(struct symbol_file *file, const char *root)
{
	struct object object;

	file->has_variables = true;
	if (object_open(&object, file->mapped.path))
		read_table(&file->variables, &object, STT_OBJECT, root);
	object_close(&object);
}

/* Finds a variable of a file, if mapped as when first met: other parts of its code do not help. */
static bool find_variable(struct symbol *symbol, struct symbol_finder *finder,
			  const struct mapped *mapped, uint64_t address)
{
	struct symbol_file *file = find_file(finder, mapped);
	const struct function *variable;
	uint64_t distance = address - mapped->begin;

	if (!file || file->fd < 0 || mapped->offset != file->span.code ||
	    distance - file->span.begin >= file->span.size)
		return false;
	if (!file->has_variables)
		read_variables(file, finder->root);
	*symbol = (struct symbol){
		.path = mapped->path, .offset = distance - file->span.base, .readable = true};
	variable = find_symbol(&file->variables, symbol->offset);
	if (variable)
		set_symbol(symbol, variable);
	return variable != NULL;
}

bool symbol_finder_variable(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			    uint64_t address, uint64_t time_ns)
{
	const struct mapped *below[MAPPINGS_BELOW];
	size_t count =
		map_finder_below(below, MAPPINGS_BELOW, &finder->maps, pid, address, time_ns);

	for (size_t i = 0; i < count; i++)
		if (find_variable(symbol, finder, below[i], address))
			return true;
	return false;
}

/* --- Calls --------------------------------------------------------------------------------- */

/* Finds the call in the last bytes of `code`, CALL_BYTES_MAX up to `ip`; *target: the function. */
#if defined(__x86_64__)
enum { CALL_BYTES_MAX = 7 };

/*
 * CALL is E8 with the distance, or FF /2 with a register or memory, which takes 2 to 7 bytes (Intel
 * SDM, volume 2A). The end of the instruction before may look like a shorter CALL.
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

/* --- Names of call chains ------------------------------------------------------------------ */

struct chain_names {
	const struct chains *chains;
	struct symbol_finder finder;
	struct source_lines sources; /* the debug information for the names of variables */
	uint32_t *of_chain; /* [chain]: the number of its name, plus one; 0: not searched for yet */
	struct chain_name *items;
	size_t count, capacity;
	struct map numbers; /* the numbers of names, by text */
};

struct chain_names *chain_names_new(const struct chains *chains, const struct samples *samples)
{
	struct chain_names *names = xcalloc(1, sizeof(*names));

	names->chains = chains;
	names->of_chain = xcalloc(chains->count + 1, sizeof(*names->of_chain));
	symbol_finder_init(&names->finder, samples);
	names->sources.root = samples->root;
	return names;
}

static void free_name(struct chain_name *name)
{
	for (size_t i = 0; i < name->count; i++)
		free(name->functions[i]);
	free(name->text);
}

void chain_names_free(struct chain_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		free_name(&names->items[i]);
	symbol_finder_release(&names->finder);
	source_lines_release(&names->sources);
	free(names->of_chain);
	free(names->items);
	map_release(&names->numbers);
	free(names);
}

/* Adds a function to the name. One that calls itself counts once. */
static bool add_to_name(void *context, const struct symbol *symbol)
{
	struct chain_name *name = context;
	char *text;

	if (symbol->of_library)
		return true;
	text = symbol->function
		       ? demangle_or_copy(symbol->function)
		       : xasprintf("%s+0x%" PRIx64, basename(symbol->path), symbol->offset);
	if (name->count && strcmp(name->functions[name->count - 1], text) == 0)
		free(text);
	else
		name->functions[name->count++] = text;
	return name->count < CHAIN_NAME_FUNCTIONS;
}

static char *join(const struct chain_name *name)
{
	char *text = xstrdup(name->count ? name->functions[0] : "");

	for (size_t i = 1; i < name->count; i++) {
		char *longer = xasprintf("%s < %s", text, name->functions[i]);

		free(text);
		text = longer;
	}
	return text;
}

/* Takes ownership of the contents of `name`. */
static uint32_t intern(struct chain_names *names, struct chain_name *name)
{
	uint32_t number = map_add(&names->numbers, name->text, strlen(name->text));

	if (number < names->count) {
		free_name(name);
		return number + 1;
	}
	array_reserve(&names->items, &names->capacity, names->count + 1);
	names->items[names->count++] = *name;
	return number + 1;
}

static uint32_t look_for(struct chain_names *names, uint32_t chain)
{
	const struct chain frames = chains_get(names->chains, chain);
	struct chain_name name = {.count = 0};

	chain_functions(&names->finder, &frames, add_to_name, &name);
	if (!name.count)
		return 0;
	name.text = join(&name);
	return intern(names, &name);
}

uint32_t chain_names_find(struct chain_names *names, uint32_t chain)
{
	if (!chain || chain > names->chains->count)
		return 0;
	if (!names->of_chain[chain])
		names->of_chain[chain] = look_for(names, chain) + 1;
	return names->of_chain[chain] - 1;
}

const struct chain_name *chain_names_get(const struct chain_names *names, uint32_t number)
{
	return &names->items[number - 1];
}

size_t chain_names_count(const struct chain_names *names)
{
	return names->count;
}

/* --- Names of objects ---------------------------------------------------------------------- */

/*
 * Returns true on the first stack of a process. The kernel puts it into the last 16 GB of the
 * process's memory, and nothing else but what asks for that place (arch/x86/mm/mmap.c,
 * stack_maxrandom_size). `ends` are those of x86_64 and of aarch64; a stack has 1 GB at most.
 */
static bool is_on_first_stack(uint64_t address)
{
	const uint64_t reach = UINT64_C(17) << 30;
	const uint64_t ends[] = {UINT64_C(1) << 47, UINT64_C(1) << 48};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (address < ends[i] && ends[i] - address <= reach)
			return true;
	return false;
}

/*
 * Returns the kind of memory, or NULL if it is neither heap nor stack. The heap follows the
 * program; later parts of it are below the libraries, as are the stacks of threads.
 */
static const char *heap_of(const struct symbol_finder *finder, int32_t pid, uint64_t address,
			   uint64_t time_ns)
{
	const uint64_t near = UINT64_C(1) << 38;
	const struct mapped *below[2];

	if (map_finder_below(below, 2, &finder->maps, pid, address, time_ns) != 1 ||
	    address < below[0]->end)
		return NULL;
	return address - below[0]->end < near ? "the heap" : "heap or stack";
}

/* Returns the thread of the stack; 0: no stack, or several at different times. */
static int32_t find_stack(const struct symbol_finder *finder, int32_t pid, uint64_t address,
			  uint64_t time_ns)
{
	const struct mapped *stack = map_finder_find(&finder->maps, pid, address, time_ns);
	const struct mapped *before =
		stack && stack->stack_of && stack->time_ns
			? map_finder_find(&finder->maps, pid, address, stack->time_ns - 1)
			: NULL;

	return stack && (!before || !before->stack_of) ? stack->stack_of : 0;
}

/*
 * The size of pthread_cond_t, and the offsets of the two words at which threads wait, __g_signals:
 * in the GNU C library from 2.25 on, and from 2.41 on, which has no __g_refs before them.
 */
enum { CONDITION_SIZE = 48, CONDITION_WORDS = 0x28, CONDITION_WORDS_2_41 = 0x20 };

/*
 * Returns true if a variable at which threads wait as at a condition is one. By debug information
 * the other word has the same name; without, the size must be right.
 */
static bool is_condition(struct source_lines *sources, const struct symbol *symbol,
			 const char *part)
{
	uint64_t words = symbol->offset & ~(uint64_t)sizeof(uint32_t);
	uint64_t beside = symbol->offset ^ sizeof(uint32_t);
	char *other;
	bool same;

	if (!part)
		return symbol->size == CONDITION_SIZE &&
		       (words == CONDITION_WORDS || words == CONDITION_WORDS_2_41);
	other = source_lines_part(sources, symbol->path, symbol->begin, beside);
	same = other && strcmp(part, other) == 0;
	free(other);
	return same;
}

static struct object_name name_variable(struct source_lines *sources, const struct symbol *symbol,
					const struct memory_object *object)
{
	char *part = source_lines_part(sources, symbol->path, symbol->begin, symbol->offset);
	char *name = demangle_or_copy(symbol->function);
	struct object_name variable = {.is_variable = true};

	variable.is_condition = object->waits_as_condition && is_condition(sources, symbol, part);
	if (!part && symbol->offset && !variable.is_condition)
		part = xasprintf("+0x%" PRIx64, symbol->offset);
	variable.text = xasprintf("%s%s", name, part ?: "");
	free(name);
	free(part);
	return variable;
}

struct object_name chain_names_object(struct chain_names *names, const struct memory_object *object,
				      uint64_t time_ns)
{
	struct symbol_finder *finder = &names->finder;
	int32_t pid = object->pid;
	uint64_t address = object->address;
	struct object_name name = {.stack_of = find_stack(finder, pid, address, time_ns)};
	struct symbol symbol;
	const char *heap;

	if (name.stack_of)
		return name;
	if (symbol_finder_variable(&symbol, finder, pid, address, time_ns))
		return name_variable(&names->sources, &symbol, object);
	if (is_on_first_stack(address))
		heap = "the stack of main";
	else
		heap = heap_of(finder, pid, address, time_ns);
	if (heap)
		name.text = xasprintf("%s on %s", object->kind, heap);
	return name;
}
