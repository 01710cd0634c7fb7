/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that a process had mapped, read from the files that it came from, as long as they are
 * there and still the same; and the loops in it by which a thread waits.
 */
#ifndef PSCAL_STATS_SPIN_MAPPED_CODE_H
#define PSCAL_STATS_SPIN_MAPPED_CODE_H

#include "code/instruction.h"
#include "decode/event/samples.h"

/* Files that are open, and what reads their instructions. Begins as zero. */
struct mapped_code {
	struct code_file *files;
	size_t count, capacity;
	struct instruction_reader *readers[INSTRUCTION_SETS]; /* NULL: not needed so far */
};

void mapped_code_release(struct mapped_code *files);

/* The bytes that were mapped around a place; borrowed. */
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

/*
 * Whether a thread that is at a place in the code waits there by looking again and again: at a
 * short loop that does nothing but that. The rules, for any loop of at most CODE_REACH bytes that
 * leads back to the place:
 *
 *  - It calls nothing, and stores nothing. Atomic exchanges that are tried again are no stores, if
 *    they always try to write the same: one that writes what it makes of what it has read, as in
 *    adding to a counter, gets somewhere each time.
 *  - It says itself that it waits (PAUSE; YIELD, ISB, WFE): that is enough, and then it may also
 *    keep variables on the stack, and try to write anything.
 *  - Else a branch out of it depends on what it has loaded and on nothing that changes from round
 *    to round; whatever it loads is at an address that does not change either, by which waiting
 *    differs from searching; and nothing is carried from round to round but counters that end it,
 *    by which it differs from computing until somebody says stop.
 *
 * A place at an instruction by which code says that it waits, or right behind one, is one of
 * waiting whatever the loop is, and so is one on a way back to itself by such an instruction on
 * which nothing is called and stored.
 *
 * So a place that takes a lock without having to wait is in a wait loop as well, if it would try
 * again from there.
 */
enum code_use { CODE_UNKNOWN, CODE_WORKS, CODE_WAITS };

/* CODE_UNKNOWN: there is no instruction at `address`. `code` should reach CODE_REACH around it. */
enum code_use wait_loop_find(struct instruction_reader *reader, const struct code *code,
			     uint64_t address);

#endif
