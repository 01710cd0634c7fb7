/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in programs and libraries to lines of their source, by the DWARF line tables of the file
 * or of the separate one with its debug information (debug_file.h).
 */
#ifndef PSCAL_COLLECT_SOURCE_LINES_H
#define PSCAL_COLLECT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_line {
	const char *file; /* borrowed until the release */
	uint32_t line;
};

/* Files that have been read. Begins as zero, but for what is borrowed. */
struct source_lines {
	const char *root; /* the directory that all paths are below, NULL: any; borrowed */
	struct source_file *files;
	size_t count, capacity;
};

void source_lines_release(struct source_lines *lines);

/*
 * What the machine code at `offset` of the file at `path` was made from: where functions were
 * inlined the line in the innermost one. False: that is not on record. Whether the file is still the
 * one that is meant is not looked at.
 */
bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset);

#endif
