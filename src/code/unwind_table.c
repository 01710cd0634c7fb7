/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/unwind_table.h"

#include "base/alloc.h"
#include "code/elf_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct unwind_table {
	struct elf_file file;
	Dwarf_CFI *frames;
};

/* Of x86-64, as its ABI numbers registers. */
enum { STACK_POINTER = 7, RETURN_BYTES = 8 };

struct unwind_table *unwind_table_open(const char *path)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));

	if (elf_file_open(&table->file, path))
		table->frames = dwarf_getcfi_elf(table->file.elf);
	if (table->frames)
		return table;
	unwind_table_close(table);
	return NULL;
}

void unwind_table_close(struct unwind_table *table)
{
	if (!table)
		return;
	if (table->frames)
		dwarf_cfi_end(table->frames);
	elf_file_close(&table->file);
	free(table);
}

/* The caller's stack begins right behind the return address: nothing of it is there so far. */
static bool has_just_been_called(Dwarf_Frame *frame)
{
	Dwarf_Op *words;
	size_t count;

	return dwarf_frame_cfa(frame, &words, &count) == 0 && count == 1 &&
	       words[0].atom == DW_OP_bregx && words[0].number == STACK_POINTER &&
	       words[0].number2 == RETURN_BYTES;
}

const char *unwind_table_trouble(struct unwind_table *table, uint64_t address)
{
	const char *why = NULL;
	Dwarf_Addr begin, end;
	Dwarf_Frame *frame;
	bool for_signals;

	if (!table)
		return NULL;
	if (dwarf_cfi_addrframe(table->frames, address, &frame))
		return "is not in the unwind table, so that nobody knows what it does with the "
		       "stack";
	if (dwarf_frame_info(frame, &begin, &end, &for_signals) < 0 || for_signals)
		why = "is called by nobody: a signal handler returns there";
	else if (begin != address)
		why = "is the middle of a function to the unwind table";
	else if (!has_just_been_called(frame))
		why = "is a part of a function, to which that jumps";
	free(frame);
	return why;
}
