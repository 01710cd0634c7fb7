/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which line of the source the code of a file was made from, by its DWARF line tables or those of
 * the separate file with its debug information (debug_file.h).
 *
 * libdw reads them, and believes them: damaged ones may crash it. So that is done where it does not
 * matter, by source_lines.h.
 */
#ifndef PSCAL_CODE_LINE_TABLE_H
#define PSCAL_CODE_LINE_TABLE_H

#include <stdint.h>

/* NULL: there are none. `root` is the directory that all paths are below, NULL: any. */
struct line_table *line_table_open(const char *path, const char *root);
void line_table_close(struct line_table *table);

/*
 * The line of the code at `offset` of the file, 0: none. *source is the file that it is in, borrowed
 * until the table is closed, and left alone where there is none.
 */
uint32_t line_table_find(const char **source, const struct line_table *table, uint64_t offset);

#endif
