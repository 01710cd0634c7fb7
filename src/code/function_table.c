/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/function_table.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/sorted.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the old version; in names it is behind "@", while "@@" stands for the usual one. */
static char *version_of(const struct elf_function *function, size_t length)
{
	const char *version = function->name + length;

	if (function->old_version)
		return xstrdup(function->old_version);
	return *version && version[1] && version[1] != '@' ? xstrdup(version + 1) : NULL;
}

static void add_function(void *context, const struct elf_function *function)
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

static void release_function(struct code_function *function)
{
	free(function->name);
	free(function->old_version);
}

size_t function_strangeness(const char *name)
{
	return strspn(name, "_") * 256 + strlen(name);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct code_function *one = a, *other = b;

	return compare_values(one->offset, other->offset);
}

static int by_offset(const void *a, const void *b)
{
	const struct code_function *one = a, *other = b;
	size_t strange = function_strangeness(one->name);
	size_t other_strange = function_strangeness(other->name);

	return compare_offsets(a, b)
		       ?: compare_values(strange, other_strange)
		       ?: !!one->old_version - !!other->old_version
		       ?: strcmp(one->name, other->name);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct code_function *one = a, *other = b;

	return compare_offsets(a, b) ?: strcmp(one->name, other->name);
}

/* Sorts the functions and drops duplicates, as both tables of a file may have the same symbol. */
static void sort_functions(struct function_table *table)
{
	size_t all = table->count;

	sort_items(table->items, all, by_offset);
	table->count = drop_twins(table->items, all, sizeof(*table->items), compare_symbols);
	for (size_t i = table->count; i < all; i++)
		release_function(&table->items[i]);
}

int function_table_read(struct function_table *table, const char *path)
{
	struct stat file;

	*table = (struct function_table){.path = realpath(path, NULL)};
	if (!table->path) /* a mapped file may have no other path any more */
		table->path = xstrdup(path);
	if (stat(table->path, &file)) {
		function_table_release(table);
		return -1;
	}
	table->device = file.st_dev;
	table->inode = file.st_ino;
	table->mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	object_open(&table->object, table->path);
	table->complete = object_has_symbols(&table->object);
	object_each_function(&table->object, &table->object, STT_FUNC, add_function, table);
	object_each_function(&table->object, &table->object, STT_GNU_IFUNC, add_indirect, table);
	sort_functions(table);
	return 0;
}

void function_table_release(struct function_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		release_function(&table->items[i]);
	for (size_t i = 0; i < table->indirect_count; i++)
		free(table->indirect[i]);
	free(table->indirect);
	free(table->items);
	free(table->path);
	object_close(&table->object);
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
	return find_first(i, 0, table->count, table->items[i].offset > offset);
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

/* Returns the characters of a glob that are no wildcards. The caller frees them. */
static char *letters_of(const char *glob)
{
	char *letters = xstrdup(glob), *to = letters;

	for (; *glob; glob++)
		if (!strchr("*?[]", *glob))
			*to++ = *glob;
	*to = '\0';
	return letters;
}

int function_table_refuse(const struct function_table *table, const char *option, const char *glob,
			  struct err *err)
{
	char *letters = letters_of(glob), *question;
	struct nearest nearest;

	nearest_init(&nearest, letters);
	for (size_t i = 0; i < table->count; i++)
		nearest_try(&nearest, table->items[i].name);
	question = nearest_question(&nearest);
	err_set(err, "%s: none of the %zu functions of %s is called '%s'%s%s%s", option,
		table->count, table->path, glob,
		table->complete ? "" : ", but it is stripped: only those it exports have names",
		question ? "; " : "", question ? question : "");
	free(question);
	free(letters);
	return -1;
}
