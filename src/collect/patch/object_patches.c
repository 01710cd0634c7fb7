/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/object_patches.h"

#include "base/alloc.h"
#include "code/elf_functions.h"
#include "code/probe_place.h"
#include "collect/patch/entry_jumps.h"
#include "collect/patch/entry_patch.h"
#include "collect/patch/function_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of longer functions it is not known whether they jump to their entry. */
enum { FUNCTION_BYTES_MAX = 1 << 20, FUNCTION_ALIGN = 16 };

/* Code that is read at once. */
#define CODE_BYTES_MAX (UINT64_C(1) << 30)

struct object {
	const struct function_table *table;
	const struct listed_function *functions;
	size_t count;
	struct object_patch *made;
	struct unwind_table *unwind;
	int fd;
	uint64_t file_bytes;
};

/* --- One function -------------------------------------------------------------------------- */

/* What is behind a function up to where the next one may begin belongs to nobody. */
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

/* NULL, or why not. */
static const char *make_patch(struct plan_patch *patch, const struct object *object,
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
		return "has no size in its file, so that its end is not known";
	if (size > FUNCTION_BYTES_MAX)
		return "is too long to be looked through";
	why = unwind_table_trouble(object->unwind, function->address);
	if (why)
		return why;
	code = xcalloc(1, size + room);
	length = pread(object->fd, code, size + room, (off_t)function->offset);
	if (length < (ssize_t)size)
		why = "cannot be read from its file";
	else
		why = entry_patch_make(patch, code, size, (size_t)length - size, function->address);
	free(code);
	return why;
}

/* --- Jumps from elsewhere ------------------------------------------------------------------ */

static const char jumped_into[] = "is jumped into by another function";

/* Code at `address` of the file's offset `offset`. */
static void find_jumps(struct object *object, const uint8_t *code, uint64_t offset, uint64_t size,
		       uint64_t address)
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

static void look_at_code(void *context, uint64_t offset, uint64_t size, uint64_t address)
{
	struct object *object = context;
	uint8_t *code;
	ssize_t length;

	if (offset >= object->file_bytes)
		return;
	if (size > object->file_bytes - offset)
		size = object->file_bytes - offset;
	if (size > CODE_BYTES_MAX)
		size = CODE_BYTES_MAX;
	code = xcalloc(1, size + 1);
	length = pread(object->fd, code, size, (off_t)offset);
	if (length > 0)
		find_jumps(object, code, offset, (uint64_t)length, address);
	free(code);
}

/* --- All of them --------------------------------------------------------------------------- */

struct object_patch *object_patches_make(const struct function_table *table,
					 const struct listed_function *functions, size_t count,
					 const char *forbidden)
{
	struct object object = {.table = table, .functions = functions, .count = count};
	struct stat status;
	bool some = false;

	object.made = xcalloc(count + 1, sizeof(*object.made));
	object.unwind = unwind_table_open(table->path);
	object.fd = open(table->path, O_RDONLY | O_CLOEXEC);
	if (object.fd >= 0 && !fstat(object.fd, &status))
		object.file_bytes = (uint64_t)status.st_size;
	for (size_t i = 0; i < count; i++) {
		object.made[i].why =
			forbidden ? forbidden
				  : make_patch(&object.made[i].patch, &object, functions[i].is);
		some |= !object.made[i].why;
	}
	if (some)
		elf_functions_each_code(table->path, look_at_code, &object);
	if (object.fd >= 0)
		close(object.fd);
	unwind_table_close(object.unwind);
	return object.made;
}
