/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that a process had mapped, read from the files that it came from, as long as they are
 * there and still the same.
 */
#ifndef PSCAL_STATS_SPIN_MAPPED_CODE_H
#define PSCAL_STATS_SPIN_MAPPED_CODE_H

#include "code/code_loop.h"
#include "code/instruction.h"
#include "decode/event/samples.h"

/* Files that are open, and what reads their instructions. Begins as zero. */
struct mapped_code {
	struct code_file *files;
	size_t count, capacity;
	struct instruction_reader *readers[INSTRUCTION_SETS]; /* NULL: not needed so far */
};

void mapped_code_release(struct mapped_code *files);

/* What was mapped around a place; borrowed. */
struct code_window {
	uint8_t bytes[2 * CODE_REACH + 16]; /* with an instruction that begins at its end */
	struct code code;
	struct instruction_reader *reader;
};

/*
 * Returns -1 where the code is not known: no file, one that is gone or (by its inode, where the
 * recording has that) another one by now, or for another kind of CPU.
 */
int mapped_code_read(struct code_window *window, struct mapped_code *files,
		     const struct mapped *mapped, uint64_t address);

#endif
