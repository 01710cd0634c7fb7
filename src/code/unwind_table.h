/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the unwind table of a file (.eh_frame) says of where functions begin: that tells functions,
 * which are called and find a return address on the stack, from what only looks like one.
 */
#ifndef PSCAL_CODE_UNWIND_TABLE_H
#define PSCAL_CODE_UNWIND_TABLE_H

#include <stdint.h>

struct unwind_table;

/* NULL: the file has none, or cannot be read. */
struct unwind_table *unwind_table_open(const char *path);
void unwind_table_close(struct unwind_table *table);

/*
 * NULL if what is at the virtual address `address` is called as a function, as far as `table`
 * knows, which may be NULL; else words that follow "left alone, as it", which live for ever.
 */
const char *unwind_table_trouble(struct unwind_table *table, uint64_t address);

#endif
