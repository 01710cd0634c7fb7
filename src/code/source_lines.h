/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in programs and libraries to lines of their source, and to parts of variables. Each file is read in a process of its
 * own (base/io/guarded.h), because a damaged file may break its reader: the lines of that file are
 * unknown then, and those of all other files are known.
 */
#ifndef PSCAL_CODE_SOURCE_LINES_H
#define PSCAL_CODE_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_line {
	const char *file; /* borrowed until the release */
	uint32_t line;
};

/* Files that have been read. Begins as zero, but for what is borrowed. */
struct source_lines {
	const char *root;  /* the directory that all paths are below, NULL: any; borrowed */
	uint64_t until_ns; /* the end of the wait for an answer (base/monotonic.h); 0: none */
	struct source_file *files;
	size_t count, capacity;
};

void source_lines_release(struct source_lines *lines);

/*
 * The source of the machine code at `offset` of the file at `path`: where functions were
 * inlined the line in the innermost one. False: that is not on record. Whether the file is still
 * the one that is meant is not looked at. There are no other threads.
 */
bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset);

/* The questions to come: if they are told before, in the same order, answers come faster. */
void source_lines_expect(struct source_lines *lines, const char *path, uint64_t offset);

/*
 * The part of the variable at `variable`, an address as the file has it, that is `offset` bytes
 * behind its beginning: "[3].lock", ".queues[2].mutex", "" where the variable has no parts; to be
 * freed. "+0x8" at its end is the place in a part of which no more is on record. NULL: no
 * variable is on record there. What belongs to libraries (pthread_mutex_t) has no parts; a condition
 * (pthread_cond_t) is one place, whichever of its words is meant.
 */
char *source_lines_part(struct source_lines *lines, const char *path, uint64_t variable,
			uint64_t offset);

/* A sentence on the files that could not be read, to be freed; NULL: all could. */
char *source_lines_trouble(const struct source_lines *lines);

#endif
