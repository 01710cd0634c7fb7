/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/source_lines.h"

#include "base/alloc.h"
#include "collect/debug_file.h"
#include "collect/elf_file.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* What a unit of the source was made into; it may have several. */
struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Off unit; /* of its entry */
};

struct source_file {
	char *path;
	struct elf_file elf, debug;
	Dwarf *dwarf; /* NULL: it has no lines */
	struct unit_range *ranges;
	size_t count, capacity;
};

/* A process has some dozens of files; one that is damaged is not to be looked through for ever. */
enum { FILES_MAX = 512, RANGES_MAX = 1 << 22 };

static void release_file(struct source_file *file)
{
	if (file->dwarf)
		dwarf_end(file->dwarf);
	elf_file_close(&file->elf);
	elf_file_close(&file->debug);
	free(file->ranges);
	free(file->path);
}

void source_lines_release(struct source_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		release_file(&lines->files[i]);
	free(lines->files);
	*lines = (struct source_lines){0};
}

/* --- Units --------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct unit_range *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

static void add_unit(struct source_file *file, Dwarf_Die *unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (file->count < RANGES_MAX && (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0) {
		array_reserve(&file->ranges, &file->capacity, file->count + 1);
		file->ranges[file->count++] =
			(struct unit_range){begin, end, dwarf_dieoffset(unit)};
	}
}

/* There are tables of that, but not every compiler writes them (.debug_aranges). */
static void add_units(struct source_file *file)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(file->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(file->dwarf, at + header, &unit))
			add_unit(file, &unit);
		at = next;
	}
	if (file->count)
		qsort(file->ranges, file->count, sizeof(*file->ranges), by_begin);
}

/* --- Files --------------------------------------------------------------------------------- */

static bool has_lines(const struct elf_file *file)
{
	return file->elf && elf_file_section(file, ".debug_line");
}

static void open_file(struct source_file *file, const char *root)
{
	char *debug;

	elf_file_open(&file->elf, file->path);
	if (has_lines(&file->elf)) {
		file->dwarf = dwarf_begin_elf(file->elf.elf, DWARF_C_READ, NULL);
	} else if (file->elf.elf && (debug = debug_file_find(file->path, root))) {
		elf_file_open(&file->debug, debug);
		if (has_lines(&file->debug))
			file->dwarf = dwarf_begin_elf(file->debug.elf, DWARF_C_READ, NULL);
		free(debug);
	}
	if (file->dwarf)
		add_units(file);
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
	*file = (struct source_file){.path = xstrdup(path)};
	open_file(file, lines->root);
	return file;
}

/* --- Lines --------------------------------------------------------------------------------- */

static bool find_unit(Dwarf_Die *unit, const struct source_file *file, Dwarf_Addr address)
{
	size_t low = 0, high = file->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < file->ranges[low - 1].end &&
	       dwarf_offdie(file->dwarf, file->ranges[low - 1].unit, unit);
}

bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset)
{
	const struct source_file *file = find_file(lines, path);
	Dwarf_Addr address;
	Dwarf_Die unit;
	Dwarf_Line *row;
	int number;

	if (!file || !file->dwarf || !elf_file_address(&address, &file->elf, offset) ||
	    !find_unit(&unit, file, address))
		return false;
	row = dwarf_getsrc_die(&unit, address);
	/* Code that is of no line has number 0 (DWARF 5, 6.2.2). */
	if (!row || dwarf_lineno(row, &number) || number <= 0)
		return false;
	*line = (struct source_line){dwarf_linesrc(row, NULL, NULL), (uint32_t)number};
	return line->file;
}
