/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places for a probe that fires once for each call of a function: does a function begin at an
 * address, and at which of its instructions is the probe cheapest? Of most instructions
 * the kernel runs a copy, step by step, after a trap; some it does itself, which takes a tenth of
 * the time (arch/x86/kernel/uprobes.c: nop, push of a register, and jumps and calls to a place that
 * the instruction names).
 */
#ifndef PSCAL_CODE_PROBE_PLACE_H
#define PSCAL_CODE_PROBE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

struct probe_place {
	uint64_t offset; /* bytes from the function's beginning, or in the file */
	bool is_cheap;	 /* the kernel runs what stands there without stepping */
};

/*
 * From the function's beginning. `code` is its `size` bytes; its first `arguments` arguments still
 * are in their registers at that place and, for a probe that is to see its return, with `returns`
 * the stack pointer is as the caller left it. Offset 0, the beginning itself, where nothing better
 * is certain: up to the place there is one way only, and nothing in the function leads back to it.
 */
struct probe_place probe_place_find(const uint8_t *code, size_t size, unsigned arguments,
				    bool returns);

/* The same of the function at `offset` of this file, from the beginning of the file. */
struct probe_place probe_place_in(const struct object *object, uint64_t offset, uint64_t size,
				  unsigned arguments, bool returns);

/*
 * The unwind table of a file (.eh_frame) says where functions begin: that tells functions, which
 * are called and find a return address on the stack, from code that only looks like one.
 */
struct Dwarf_CFI_s;

/* NULL: the file has none, or cannot be read. To be closed before the object. */
struct Dwarf_CFI_s *unwind_table_open(const struct object *object);
void unwind_table_close(struct Dwarf_CFI_s *table);

/*
 * NULL if what is at the virtual address `address` is called as a function, as far as `table`
 * knows, which may be NULL; else words after the name of the function, which live for ever.
 */
const char *unwind_table_trouble(struct Dwarf_CFI_s *table, uint64_t address);

#endif
