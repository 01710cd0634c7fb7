/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of the source of places in programs and libraries, and the parts of their variables.
 * Each file is read in a process of its own (base/io/guarded.h), because a damaged file may break
 * its reader: only the lines of that file are unknown then.
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

/* Files that have been read. Begins as zero, except for `root` and `until_ns`. */
struct source_lines {
	const char *root;  /* the directory that all paths are below, NULL: any; borrowed */
	uint64_t until_ns; /* the end of the wait for an answer (base/monotonic.h); 0: no limit */
	struct source_file *files;
	size_t count, capacity;
};

void source_lines_release(struct source_lines *lines);

/*
 * Finds the source of the machine code at `offset` of the file at `path`; of inlined functions the
 * line in the innermost one. False: it is not recorded. The caller checks that the file has not
 * been replaced, and has no other threads.
 */
bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset);

/* Announces a question. Answers are faster if questions are announced before, in their order. */
void source_lines_expect(struct source_lines *lines, const char *path, uint64_t offset);

/*
 * Returns the part of the variable at `variable`, an address of the file, that is `offset` bytes
 * behind its beginning: "[3].lock", ".queues[2].mutex"; "" if the variable has no parts. The caller
 * frees it. "+0x8" at its end is a place within a part that is not described further. NULL: no
 * variable is known there. Types of libraries (pthread_mutex_t) have no parts; a condition
 * (pthread_cond_t) is one place, whichever of its words is meant.
 */
char *source_lines_part(struct source_lines *lines, const char *path, uint64_t variable,
			uint64_t offset);

/* Returns a sentence on the files that could not be read; NULL: none. The caller frees it. */
char *source_lines_trouble(const struct source_lines *lines);

#endif
