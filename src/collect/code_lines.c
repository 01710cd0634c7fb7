/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/code_lines.h"

#include "base/alloc.h"
#include "base/regular_file.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct code_lines {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

struct code_lines *code_lines_open(const char *path)
{
	struct code_lines *lines = xcalloc(1, sizeof(*lines));
	struct stat status;

	elf_version(EV_CURRENT);
	lines->fd = regular_file_open(&status, path);
	/* Not mapped: whose file it is may cut it short meanwhile. */
	lines->elf = lines->fd < 0 ? NULL : elf_begin(lines->fd, ELF_C_READ, NULL);
	lines->dwarf = lines->elf ? dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
	if (lines->dwarf)
		return lines;
	code_lines_close(lines);
	return NULL;
}

void code_lines_close(struct code_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	elf_end(lines->elf);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines);
}

/* Not by .debug_aranges, which clang does not write. */
static bool find_unit(Dwarf_Die *unit, Dwarf *dwarf, uint64_t address)
{
	Dwarf_CU *at = NULL;

	while (dwarf_get_units(dwarf, at, &at, NULL, NULL, unit, NULL) == 0)
		if (dwarf_haspc(unit, address) > 0)
			return true;
	return false;
}

const char *code_lines_find(uint32_t *line, struct code_lines *lines, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Line *found = NULL;
	int number;

	if (lines && find_unit(&unit, lines->dwarf, address))
		found = dwarf_getsrc_die(&unit, address);
	if (!found || dwarf_lineno(found, &number) || number <= 0)
		return NULL;
	*line = (uint32_t)number;
	return dwarf_linesrc(found, NULL, NULL);
}
