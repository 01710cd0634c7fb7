/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places for a probe that fires once for each call of a function: whether a function begins at
 * an address, and at which of its instructions a probe is cheapest. After a trap, the kernel
 * single-steps a copy of most instructions; some it emulates, in a tenth of the time
 * (arch/x86/kernel/uprobes.c: nop, push of a register, and jumps and calls to a fixed target).
 */
#ifndef PSCAL_CODE_PROBE_PLACE_H
#define PSCAL_CODE_PROBE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

struct probe_place {
	uint64_t offset; /* bytes from the beginning of the function or the file */
	bool is_cheap;	 /* the kernel emulates the instruction there */
};

/*
 * Finds the place from the function's beginning. `code` is its `size` bytes. At the place, its
 * first `arguments` arguments are still in their registers, and with `returns`, for a probe on the
 * return, the stack pointer is as the caller left it. Offset 0, the beginning, if no better place
 * is certain: only one path leads to the place, and nothing in the function jumps back to it.
 */
struct probe_place probe_place_find(const uint8_t *code, size_t size, unsigned arguments,
				    bool returns);

/* Finds the place from the beginning of the file, for the function at `offset` of this file. */
struct probe_place probe_place_in(const struct object *object, uint64_t offset, uint64_t size,
				  unsigned arguments, bool returns);

/*
 * The unwind table of a file (.eh_frame) has the beginnings of functions: it distinguishes
 * functions, which are called and find a return address on the stack, from code that only looks
 * like one.
 */
struct Dwarf_CFI_s;

/* Opens the unwind table; NULL: none. The caller closes it before the object. */
struct Dwarf_CFI_s *unwind_table_open(const struct object *object);
void unwind_table_close(struct Dwarf_CFI_s *table);

/*
 * Returns NULL if the code at the virtual address `address` is called as a function, as far as
 * `table` shows, which may be NULL. Otherwise a constant text that continues the name of the
 * function.
 */
const char *unwind_table_trouble(struct Dwarf_CFI_s *table, uint64_t address);

#endif
