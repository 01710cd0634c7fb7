/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/source_lines.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/guarded.h"
#include "base/map.h"
#include "base/sorted.h"
#include "code/object.h"

#include <elfutils/libdw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- The line table of a file -------------------------------------------------------------- */

/*
 * The lines of the source come from the DWARF line tables of a file, or from those of the separate
 * file with its debug information (object_open_debug()). libdw reads the tables and believes them:
 * damaged ones may crash it. So only the process that answers for a file reads them.
 */

/* The code that a unit of the source was made into; a unit may have several such ranges. */
struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Off unit; /* of its entry */
};

struct line_table {
	struct object object, debug;
	Dwarf *dwarf;
	struct unit_range *ranges;
	size_t count, capacity;
};

/* A file that is damaged is not to be looked through for ever. */
enum { RANGES_MAX = 1 << 22 };

static void line_table_close(struct line_table *table)
{
	if (!table)
		return;
	dwarf_end(table->dwarf);
	object_close(&table->object);
	object_close(&table->debug);
	free(table->ranges);
	free(table);
}

static int units_by_begin(const void *a, const void *b)
{
	const struct unit_range *one = a, *other = b;

	return compare_values(one->begin, other->begin);
}

static void add_unit_ranges(struct line_table *table, Dwarf_Die *unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (table->count < RANGES_MAX &&
	       (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0) {
		array_reserve(&table->ranges, &table->capacity, table->count + 1);
		table->ranges[table->count++] =
			(struct unit_range){begin, end, dwarf_dieoffset(unit)};
	}
}

/* Not every compiler writes the table of these ranges (.debug_aranges). */
static void add_units(struct line_table *table)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(table->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(table->dwarf, at + header, &unit))
			add_unit_ranges(table, &unit);
		at = next;
	}
	sort_items(table->ranges, table->count, units_by_begin);
}

static bool find_unit(Dwarf_Die *unit, const struct line_table *table, Dwarf_Addr address)
{
	size_t behind = find_first(i, 0, table->count, table->ranges[i].begin > address);

	return behind && address < table->ranges[behind - 1].end &&
	       dwarf_offdie(table->dwarf, table->ranges[behind - 1].unit, unit);
}

static Dwarf *begin_dwarf(const struct object *object)
{
	return object_section(object, ".debug_line")
		       ? dwarf_begin_elf(object->elf, DWARF_C_READ, NULL)
		       : NULL;
}

/* NULL: there is no table. `root` is the directory that all paths are below, NULL: any. */
static struct line_table *line_table_open(const char *path, const char *root)
{
	struct line_table *table = xcalloc(1, sizeof(*table));

	object_open(&table->object, path);
	table->dwarf = begin_dwarf(&table->object);
	if (!table->dwarf && object_open_debug(&table->debug, &table->object, root))
		table->dwarf = begin_dwarf(&table->debug);
	if (!table->dwarf) {
		line_table_close(table);
		return NULL;
	}
	add_units(table);
	return table;
}

/*
 * The line of the code at `offset` of the file, 0: none. *source is the file that it is in, borrowed
 * until the table is closed, and left alone where there is none.
 */
static uint32_t line_table_find(const char **source, const struct line_table *table,
				uint64_t offset)
{
	const char *name;
	Dwarf_Addr address;
	Dwarf_Die unit;
	Dwarf_Line *row;
	int number;

	if (!object_address(&address, &table->object, offset) || !find_unit(&unit, table, address))
		return 0;
	row = dwarf_getsrc_die(&unit, address);
	/* Code that is of no line has number 0 (DWARF 5, 6.2.2). */
	if (!row || dwarf_lineno(row, &number) || number <= 0)
		return 0;
	name = dwarf_linesrc(row, NULL, NULL);
	if (!name || !*name)
		return 0;
	*source = name;
	return (uint32_t)number;
}

/* --- Files and their answers --------------------------------------------------------------- */

struct source_file {
	char *path;
	char *why; /* it cannot be read; NULL: it can */
	struct guarded reader;
	struct map offsets; /* that it has answered, and what, by their numbers: */
	struct known_line *known;
	size_t known_capacity;
	uint64_t *expected; /* offsets that will be asked for, and how many of them have been */
	size_t expected_count, capacity, asked;
	/* In that process only: */
	const char *root; /* borrowed */
	bool opened;
	struct line_table *table;
};

/* What an offset has; it is asked for once. */
struct known_line {
	uint32_t line; /* 0: none */
	char *source;
};

/* A question is so many offsets at most: to each other process there and back takes its time. */
enum { AT_ONCE = 256, NAMES_BYTES = GUARDED_MESSAGE_MAX - 2 * (AT_ONCE + 1) * sizeof(uint32_t) };

/* The answer to the first `count` of them; its size tells where the names end. */
struct line_answer {
	uint32_t has_lines, count;
	struct {
		uint32_t line, name; /* 0: none; where in `names` that of its source begins */
	} lines[AT_ONCE];
	char names[NAMES_BYTES];
};

_Static_assert(sizeof(struct line_answer) <= GUARDED_MESSAGE_MAX, "an answer is one message");

/* A process has some dozens of files. */
enum { FILES_MAX = 512 };

/* The largest programs take some seconds. */
enum { CPU_S = 30, WAIT_S = 60 };

static void release_file(struct source_file *file)
{
	guarded_end(&file->reader);
	for (size_t i = 0; i < file->offsets.count; i++)
		free(file->known[i].source);
	free(file->known);
	map_release(&file->offsets);
	free(file->expected);
	free(file->why);
	free(file->path);
}

void source_lines_release(struct source_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		release_file(&lines->files[i]);
	free(lines->files);
	*lines = (struct source_lines){0};
}

/* --- The process that reads a file --------------------------------------------------------- */

/*
 * Returns where the names end, which is where they ended if there is no room for this one. The first
 * of all is "", the second is cut off instead.
 */
static size_t add_name(struct line_answer *answer, size_t used, const char *name)
{
	size_t room = sizeof(answer->names) - used, size = strlen(name) + 1;

	if (size > room && used > 1)
		return used;
	snprintf(answer->names + used, room, "%s", name);
	return used + (size < room ? size : room);
}

static size_t answer_offsets(struct line_answer *answer, const struct line_table *table,
			     const uint64_t *offsets, size_t count)
{
	const char *name = "", *last = "";
	size_t used = add_name(answer, 0, last), begin = 0;

	for (answer->count = 0; answer->count < count; answer->count++) {
		uint32_t line = table ? line_table_find(&name, table, offsets[answer->count]) : 0;

		if (name != last) {
			size_t end = add_name(answer, used, name);

			if (end == used)
				break;
			begin = used;
			used = end;
			last = name;
		}
		answer->lines[answer->count].line = line;
		answer->lines[answer->count].name = (uint32_t)begin;
	}
	return offsetof(struct line_answer, names) + used;
}

static size_t answer_question(void *context, void *answer, const void *question, size_t size)
{
	struct source_file *file = context;
	uint64_t offsets[AT_ONCE];

	memcpy(offsets, question, size);
	if (!file->opened)
		file->table = line_table_open(file->path, file->root);
	file->opened = true;
	((struct line_answer *)answer)->has_lines = file->table != NULL;
	return answer_offsets(answer, file->table, offsets, size / sizeof(*offsets));
}

/* --- What it has answered ------------------------------------------------------------------ */

/* NULL: it is not known. */
static const struct known_line *find_known(const struct source_file *file, uint64_t offset)
{
	uint32_t number = map_find_u64(&file->offsets, offset);

	return number == MAP_NONE ? NULL : &file->known[number];
}

static void add_known(struct source_file *file, uint64_t offset, uint32_t line, const char *source)
{
	size_t count = file->offsets.count;

	if (map_add_u64(&file->offsets, offset) < count)
		return;
	array_reserve(&file->known, &file->known_capacity, count + 1);
	file->known[count] = (struct known_line){line, xstrdup(source)};
}

static bool makes_sense(const struct line_answer *answer, size_t size, size_t asked)
{
	size_t names = offsetof(struct line_answer, names);

	if (size <= names || size > sizeof(*answer) || answer->names[size - names - 1] ||
	    answer->has_lines > 1 || !answer->count || answer->count > asked)
		return false;
	for (size_t i = 0; i < answer->count; i++)
		if (answer->lines[i].line > INT32_MAX || answer->lines[i].name >= size - names)
			return false;
	return true;
}

/* Returns how many are not to be asked for again. */
static size_t ask_for(struct source_file *file, const uint64_t *offsets, size_t count)
{
	struct err err = {.text = "answers what makes no sense"};
	struct line_answer answer;
	ssize_t size = guarded_ask(&answer, sizeof(answer), &file->reader, offsets,
				   count * sizeof(*offsets), &err);

	if (size < 0 || !makes_sense(&answer, (size_t)size, count)) {
		file->why = xasprintf("its debug information is damaged or too large: what reads "
				      "it %s",
				      err.text);
		guarded_end(&file->reader);
		return count;
	}
	for (size_t i = 0; i < answer.count; i++)
		add_known(file, offsets[i], answer.lines[i].line,
			  answer.names + answer.lines[i].name);
	if (!answer.has_lines)
		guarded_end(&file->reader);
	return answer.count;
}

/* With those that will be asked for next, as far as can be told. */
static void ask_about(struct source_file *file, uint64_t offset)
{
	uint64_t offsets[AT_ONCE] = {offset};
	size_t count = 1;

	while (count < AT_ONCE && file->asked < file->expected_count)
		offsets[count++] = file->expected[file->asked++];
	file->asked -= count - ask_for(file, offsets, count);
}

/* --- Files --------------------------------------------------------------------------------- */

static uint64_t half_of_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void start_reader(struct source_file *file)
{
	const struct guarded_work work = {answer_question, file, CPU_S, WAIT_S, half_of_memory()};
	struct err err;

	if (guarded_start(&file->reader, &work, &err))
		file->why = xstrdup(err.text);
}

/* NULL: there are too many. */
static struct source_file *find_file(struct source_lines *lines, const char *path)
{
	struct source_file *file;

	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->files[i].path, path) == 0)
			return &lines->files[i];
	if (lines->count == FILES_MAX)
		return NULL;
	array_reserve(&lines->files, &lines->capacity, lines->count + 1);
	file = &lines->files[lines->count++];
	*file = (struct source_file){.path = xstrdup(path), .root = lines->root};
	start_reader(file);
	return file;
}

void source_lines_expect(struct source_lines *lines, const char *path, uint64_t offset)
{
	struct source_file *file = find_file(lines, path);
	size_t count = file ? file->expected_count : 0;

	if (!file || !file->reader.pid || (count && file->expected[count - 1] == offset))
		return;
	array_reserve(&file->expected, &file->capacity, count + 1);
	file->expected[file->expected_count++] = offset;
}

bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset)
{
	struct source_file *file = find_file(lines, path);
	const struct known_line *known = file ? find_known(file, offset) : NULL;

	if (file && !known && file->reader.pid) {
		file->reader.until_ns = lines->until_ns;
		ask_about(file, offset);
		known = find_known(file, offset);
	}
	if (!known || !known->line)
		return false;
	*line = (struct source_line){known->source, known->line};
	return true;
}

char *source_lines_trouble(const struct source_lines *lines)
{
	const struct source_file *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct source_file *file = &lines->files[i];

		if (file->why && first)
			more++;
		else if (file->why)
			first = file;
	}
	if (!first)
		return NULL;
	if (!more)
		return xasprintf("lines of %s are unknown: %s", first->path, first->why);
	return xasprintf("lines of %s and of %zu more file%s are unknown: %s", first->path, more,
			 more == 1 ? "" : "s", first->why);
}
