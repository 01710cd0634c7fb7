/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/function_table.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "code/elf_functions.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of all but the dynamic symbols that is a part of the name: after "@@" if it is the usual one. */
static char *version_of(const struct elf_function *function, size_t length)
{
	const char *version = function->name + length;

	if (function->old_version)
		return xstrdup(function->old_version);
	return *version && version[1] && version[1] != '@' ? xstrdup(version + 1) : NULL;
}

static void add(void *context, const struct elf_function *function)
{
	struct function_table *table = context;
	size_t length = strcspn(function->name, "@");

	if (!length)
		return;
	array_reserve(&table->items, &table->capacity, table->count + 1);
	table->items[table->count++] = (struct code_function){
		.name = xasprintf("%.*s", (int)length, function->name),
		.old_version = version_of(function, length),
		.offset = function->offset,
		.size = function->size,
		.address = function->address,
	};
}

static void add_indirect(void *context, const struct elf_function *function)
{
	struct function_table *table = context;
	size_t length = strcspn(function->name, "@");

	for (size_t i = 0; i < table->indirect_count; i++)
		if (strncmp(table->indirect[i], function->name, length) == 0 &&
		    !table->indirect[i][length])
			return;
	array_reserve(&table->indirect, &table->indirect_capacity, table->indirect_count + 1);
	table->indirect[table->indirect_count++] = xasprintf("%.*s", (int)length, function->name);
}

static void release(struct code_function *function)
{
	free(function->name);
	free(function->old_version);
}

static int by_offset(const void *a, const void *b)
{
	const struct code_function *one = a, *other = b;
	size_t strange = elf_functions_strangeness(one->name);
	size_t other_strange = elf_functions_strangeness(other->name);

	if (one->offset != other->offset)
		return one->offset < other->offset ? -1 : 1;
	if (strange != other_strange)
		return strange < other_strange ? -1 : 1;
	if (!one->old_version != !other->old_version)
		return one->old_version ? 1 : -1;
	return strcmp(one->name, other->name);
}

/* The same symbol may be in both tables of a file. */
static void drop_twins(struct function_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct code_function *last = kept ? &table->items[kept - 1] : NULL;

		if (last && last->offset == table->items[i].offset &&
		    strcmp(last->name, table->items[i].name) == 0)
			release(&table->items[i]);
		else
			table->items[kept++] = table->items[i];
	}
	table->count = kept;
}

int function_table_read(struct function_table *table, const char *path)
{
	struct stat file;

	*table = (struct function_table){.path = realpath(path, NULL)};
	if (!table->path) /* what a process has mapped may have no other path any more */
		table->path = xstrdup(path);
	if (stat(table->path, &file)) {
		function_table_release(table);
		return -1;
	}
	table->device = file.st_dev;
	table->inode = file.st_ino;
	table->mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	table->complete = elf_functions_has_symbols(table->path);
	elf_functions_each(table->path, add, table);
	elf_functions_each_indirect(table->path, add_indirect, table);
	if (table->count)
		qsort(table->items, table->count, sizeof(*table->items), by_offset);
	drop_twins(table);
	return 0;
}

void function_table_release(struct function_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		release(&table->items[i]);
	for (size_t i = 0; i < table->indirect_count; i++)
		free(table->indirect[i]);
	free(table->indirect);
	free(table->items);
	free(table->path);
	*table = (struct function_table){0};
}

char *code_function_label(const struct code_function *function)
{
	char *name = demangle_or_copy(function->name), *whole;

	if (!function->old_version)
		return name;
	whole = xasprintf("%s@%s", name, function->old_version);
	free(name);
	return whole;
}

bool code_function_matches(const struct code_function *function, const char *glob)
{
	char *name;
	bool matches;

	if (fnmatch(glob, function->name, 0) == 0)
		return true;
	name = demangle(function->name);
	if (!name)
		return false;
	matches = fnmatch(glob, name, 0) == 0;
	name[demangled_length(name)] = '\0';
	matches |= fnmatch(glob, name, 0) == 0;
	free(name);
	return matches;
}

size_t function_table_behind(const struct function_table *table, uint64_t offset)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->items[middle].offset > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct code_function *function_table_at(const struct function_table *table, uint64_t offset)
{
	size_t at = function_table_behind(table, offset);
	const struct code_function *function;

	if (!at)
		return NULL;
	function = &table->items[at - 1];
	while (function > table->items && function[-1].offset == function->offset)
		function--;
	return offset == function->offset || offset - function->offset < function->size ? function
											: NULL;
}
