/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of which line of the source an instruction is, as the debug information of its file has it. */
#ifndef PSCAL_COLLECT_CODE_LINES_H
#define PSCAL_COLLECT_CODE_LINES_H

#include <stdint.h>

struct code_lines;

/* NULL: the file has no debug information of its own, or cannot be read. */
struct code_lines *code_lines_open(const char *path);
void code_lines_close(struct code_lines *lines);

/*
 * The source file of what is at the virtual address `address`, valid as long as `lines`, and its
 * line, from 1 on; NULL: it is not known. `lines` may be NULL.
 */
const char *code_lines_find(uint32_t *line, struct code_lines *lines, uint64_t address);

#endif
