/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/object_patches.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "code/probe_place.h"
#include "collect/patch/entry_patch.h"
#include "collect/patch/function_list.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Jumps into changed entries ------------------------------------------------------------ */

#if defined(__x86_64__)

#include <capstone/capstone.h>
#include <string.h>

struct search {
	struct changed_entry *entries;
	size_t count;
	const uint8_t *code;
	size_t size;
	uint64_t address;
	const uint64_t *starts;
	size_t start_count;
	csh handle;
	cs_insn *insn;
	uint64_t read_from, read_to; /* the instructions decoded in a row */
};

/* Returns the index of the first entry at `address` or behind it. */
static size_t find_entry(const struct search *search, uint64_t address)
{
	return find_first(i, 0, search->count, search->entries[i].address >= address);
}

/* Returns the entry with changed code at `target`; NULL: none, or its first instruction. */
static struct changed_entry *find_target(const struct search *search, uint64_t target)
{
	size_t behind = find_entry(search, target);
	struct changed_entry *entry = behind ? &search->entries[behind - 1] : NULL;

	return entry && target > entry->address && target - entry->address < entry->length ? entry
											   : NULL;
}

/* Returns the last place at or before `address` where a function begins. */
static uint64_t find_start(const struct search *search, uint64_t address)
{
	size_t behind = find_first(i, 0, search->start_count, search->starts[i] > address);

	return behind ? search->starts[behind - 1] : search->address;
}

/*
 * Returns whether `at` is inside of another instruction, if its function is decoded from the
 * beginning. The caller asks in ascending order, so that no function is decoded twice.
 */
static bool is_inside_another(struct search *search, uint64_t at)
{
	uint64_t begin = find_start(search, at), next = begin;
	const uint8_t *code;
	size_t left;

	if (search->read_from == begin && search->read_to >= begin && search->read_to <= at)
		next = search->read_to;
	code = search->code + (next - search->address);
	left = search->size - (size_t)(next - search->address);
	search->read_from = begin;
	while (next < at) {
		search->read_to = next;
		if (!cs_disasm_iter(search->handle, &code, &left, &next, search->insn))
			return false;
	}
	return next != at;
}

/* Returns the length of a jump or call at `code` (32 or 8 bits), and its distance; 0: none. */
static size_t read_jump(const uint8_t *code, size_t left, int32_t *distance)
{
	size_t opcode = left > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : 1;

	if (left > 1 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70 || (code[0] & 0xfc) == 0xe0)) {
		*distance = (int8_t)code[1];
		return 2;
	}
	if ((opcode == 1 && (code[0] & 0xfe) != 0xe8) || left < opcode + 4)
		return 0;
	memcpy(distance, code + opcode, 4);
	return opcode + 4;
}

static void find_entered(struct search *search)
{
	for (size_t i = 0; i < search->size; i++) {
		int32_t distance;
		size_t length = read_jump(search->code + i, search->size - i, &distance);
		struct changed_entry *entry;

		if (!length)
			continue;
		entry = find_target(search,
				    search->address + i + length + (uint64_t)(int64_t)distance);
		if (entry && !entry->jumped_into)
			entry->jumped_into = !is_inside_another(search, search->address + i);
	}
}

void entry_jumps_find(struct changed_entry *entries, size_t count, const uint8_t *code, size_t size,
		      uint64_t address, const uint64_t *starts, size_t start_count)
{
	struct search search = {.entries = entries,
				.count = count,
				.code = code,
				.size = size,
				.address = address,
				.starts = starts,
				.start_count = start_count};

	for (size_t i = 0; i < count; i++)
		entries[i].jumped_into = true; /* until that is known */
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &search.handle))
		return;
	search.insn = cs_malloc(search.handle);
	for (size_t i = 0; search.insn && i < count; i++)
		entries[i].jumped_into = false;
	if (search.insn) {
		find_entered(&search);
		cs_free(search.insn, 1);
	}
	cs_close(&search.handle);
}

#else

void entry_jumps_find(struct changed_entry *entries, size_t count, const uint8_t *code, size_t size,
		      uint64_t address, const uint64_t *starts, size_t start_count)
{
	(void)entries, (void)count, (void)code, (void)size, (void)address, (void)starts;
	(void)start_count;
}

#endif

/* The longest function whose jumps to its entry are searched. */
enum { FUNCTION_BYTES_MAX = 1 << 20, FUNCTION_ALIGN = 16 };

/* The most code that is read at once. */
#define CODE_BYTES_MAX (UINT64_C(1) << 30)

struct watched_object {
	const struct function_table *table;
	const struct listed_function *functions;
	size_t count;
	struct object_patch *made;
	struct entry_reader *reader;
	struct Dwarf_CFI_s *unwind;
	uint64_t file_bytes;
};

/* --- One function -------------------------------------------------------------------------- */

/* Returns the bytes between the end of a function and the next possible beginning. */
static size_t room_behind(const struct function_table *table, const struct code_function *function)
{
	uint64_t end = function->offset + function->size;
	size_t room = (size_t)(-end & (FUNCTION_ALIGN - 1));
	size_t next = function_table_behind(table, function->offset);

	if (!table->complete)
		return 0;
	if (next < table->count && table->items[next].offset < end + room)
		room = table->items[next].offset > end ? (size_t)(table->items[next].offset - end)
						       : 0;
	return room;
}

/* Makes the patch of a function. Returns NULL, or the reason against it. */
static const char *make_patch(struct plan_patch *patch, const struct watched_object *object,
			      const struct code_function *function)
{
	size_t room = room_behind(object->table, function);
	size_t size = function->size;
	const char *why = unwatchable_name(function->name);
	uint8_t *code;
	ssize_t length;

	if (why)
		return why;
	if (!size)
		return "has no size in its file: its end is unknown";
	if (size > FUNCTION_BYTES_MAX)
		return "is too long to examine";
	why = unwind_table_trouble(object->unwind, function->address);
	if (why)
		return why;
	code = xcalloc(1, size + room);
	length = pread(object->table->object.fd, code, size + room, (off_t)function->offset);
	if (length < (ssize_t)size)
		why = "cannot be read from its file";
	else
		why = entry_patch_make(patch, object->reader, code, size, (size_t)length - size,
				       function->address);
	free(code);
	return why;
}

/* --- Jumps from elsewhere ------------------------------------------------------------------ */

static const char jumped_into[] = "is the target of a jump in another function";

/* Searches code at `address`, at `offset` in the file. */
static void find_jumps(struct watched_object *object, const uint8_t *code, uint64_t offset,
		       uint64_t size, uint64_t address)
{
	const struct function_table *table = object->table;
	struct changed_entry *entries = xcalloc(object->count + 1, sizeof(*entries));
	size_t *numbers = xcalloc(object->count + 1, sizeof(*numbers));
	uint64_t *starts = xcalloc(table->count + 1, sizeof(*starts));
	size_t count = 0, start_count = 0;

	for (size_t i = 0; i < object->count; i++) {
		const struct plan_patch *patch = &object->made[i].patch;

		if (object->made[i].why || patch->address - address >= size)
			continue;
		numbers[count] = i;
		entries[count++] = (struct changed_entry){patch->address, patch->length, false};
	}
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].offset - offset < size)
			starts[start_count++] = table->items[i].offset - offset + address;
	entry_jumps_find(entries, count, code, size, address, starts, start_count);
	for (size_t i = 0; i < count; i++)
		if (entries[i].jumped_into)
			object->made[numbers[i]].why = jumped_into;
	free(entries);
	free(numbers);
	free(starts);
}

static void look_at_segment(void *context, const struct elf_segment *segment)
{
	struct watched_object *object = context;
	uint64_t offset = segment->offset, size = segment->size;
	uint8_t *code;
	ssize_t length;

	if (!segment->is_code || offset >= object->file_bytes)
		return;
	if (size > object->file_bytes - offset)
		size = object->file_bytes - offset;
	if (size > CODE_BYTES_MAX)
		size = CODE_BYTES_MAX;
	code = xcalloc(1, size + 1);
	length = pread(object->table->object.fd, code, size, (off_t)offset);
	if (length > 0)
		find_jumps(object, code, offset, (uint64_t)length, segment->address);
	free(code);
}

/* --- All functions -------------------------------------------------------------------------- */

struct object_patch *object_patches_make(const struct function_table *table,
					 const struct listed_function *functions, size_t count,
					 const char *forbidden)
{
	struct watched_object object = {.table = table, .functions = functions, .count = count};
	struct stat status;
	bool some = false;

	object.made = xcalloc(count + 1, sizeof(*object.made));
	object.reader = entry_reader_new();
	object.unwind = unwind_table_open(&table->object);
	if (!fstat(table->object.fd, &status))
		object.file_bytes = (uint64_t)status.st_size;
	for (size_t i = 0; i < count; i++) {
		object.made[i].why =
			forbidden ? forbidden
				  : make_patch(&object.made[i].patch, &object, functions[i].is);
		some |= !object.made[i].why;
	}
	if (some)
		object_each_segment(&table->object, look_at_segment, &object);
	unwind_table_close(object.unwind);
	entry_reader_free(object.reader);
	return object.made;
}
