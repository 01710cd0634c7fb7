/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/line_table.h"

#include "base/alloc.h"
#include "code/debug_file.h"
#include "code/elf_file.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

/* What a unit of the source was made into; it may have several. */
struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Off unit; /* of its entry */
};

struct line_table {
	struct elf_file elf, debug;
	Dwarf *dwarf;
	struct unit_range *ranges;
	size_t count, capacity;
};

/* A file that is damaged is not to be looked through for ever. */
enum { RANGES_MAX = 1 << 22 };

void line_table_close(struct line_table *table)
{
	if (!table)
		return;
	dwarf_end(table->dwarf);
	elf_file_close(&table->elf);
	elf_file_close(&table->debug);
	free(table->ranges);
	free(table);
}

/* --- Units --------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct unit_range *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

static void add_unit(struct line_table *table, Dwarf_Die *unit)
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

/* There are tables of that, but not every compiler writes them (.debug_aranges). */
static void add_units(struct line_table *table)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(table->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(table->dwarf, at + header, &unit))
			add_unit(table, &unit);
		at = next;
	}
	if (table->count)
		qsort(table->ranges, table->count, sizeof(*table->ranges), by_begin);
}

static bool find_unit(Dwarf_Die *unit, const struct line_table *table, Dwarf_Addr address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < table->ranges[low - 1].end &&
	       dwarf_offdie(table->dwarf, table->ranges[low - 1].unit, unit);
}

/* --- The table ----------------------------------------------------------------------------- */

static Dwarf *begin_dwarf(const struct elf_file *file)
{
	return elf_file_section(file, ".debug_line")
		       ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL)
		       : NULL;
}

static void open_debug(struct line_table *table, const char *path, const char *root)
{
	char *debug = debug_file_find(path, root);

	if (debug && elf_file_open(&table->debug, debug))
		table->dwarf = begin_dwarf(&table->debug);
	free(debug);
}

struct line_table *line_table_open(const char *path, const char *root)
{
	struct line_table *table = xcalloc(1, sizeof(*table));

	if (elf_file_open(&table->elf, path)) {
		table->dwarf = begin_dwarf(&table->elf);
		if (!table->dwarf)
			open_debug(table, path, root);
	}
	if (!table->dwarf) {
		line_table_close(table);
		return NULL;
	}
	add_units(table);
	return table;
}

uint32_t line_table_find(const char **source, const struct line_table *table, uint64_t offset)
{
	const char *name;
	Dwarf_Addr address;
	Dwarf_Die unit;
	Dwarf_Line *row;
	int number;

	if (!elf_file_address(&address, &table->elf, offset) || !find_unit(&unit, table, address))
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
