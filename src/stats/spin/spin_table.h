/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The share of CPU time that threads spend busy-waiting, by samples of their code. With n
 * independent samples a share p has the standard error sqrt(p (1 - p) / n); a share of 0 is below 3
 * / n at 95 %.
 */
#ifndef PSCAL_STATS_SPIN_SPIN_TABLE_H
#define PSCAL_STATS_SPIN_SPIN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "code/instruction.h"
#include "decode/event/samples.h"

/* --- Threads ------------------------------------------------------------------------------- */

/* A thread of the target. */
struct counted_thread {
	int32_t tid, pid; /* pid -1: not known */
	uint64_t begin_ns;
};

struct thread_finder {
	const struct counted_thread *threads; /* borrowed */
	const struct counted_thread **by_tid; /* sorted by tid and begin */
	size_t count;
};

/* Finds threads by tid and time, as tids are used again. `threads` are in the target's order. */
void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count);
void thread_finder_release(struct thread_finder *finder);

/*
 * Returns the number of the last thread with this tid that began by then (0: at any time), or -1.
 */
ptrdiff_t thread_finder_find(const struct thread_finder *finder, int32_t tid, uint64_t time_ns);

/* --- Code ---------------------------------------------------------------------------------- */

/*
 * The code that a process had mapped, read from its files if these are unchanged. Holds the open
 * files and the readers of instructions. An empty one is all zero.
 */
struct mapped_code {
	struct code_file *files;
	size_t count, capacity;
	struct instruction_reader *readers[INSTRUCTION_SETS]; /* NULL: not needed so far */
};

void mapped_code_release(struct mapped_code *files);

/* The bytes that were mapped around an address; borrowed. */
struct code_window {
	uint8_t bytes[2 * CODE_REACH + 16]; /* room for an instruction that begins at the end */
	struct code code;
	struct instruction_reader *reader;
};

/*
 * Reads the code around an address. Returns -1 if it is not known: there is no file, or it is gone,
 * or (by its inode, if recorded) another one by now, or for another kind of CPU.
 */
int mapped_code_read(struct code_window *window, struct mapped_code *files,
		     const struct mapped *mapped, uint64_t address);

/*
 * Says if a thread at an address is busy-waiting: in a short loop that does nothing else. The
 * rules, for any loop of at most CODE_REACH bytes that leads back to the address:
 *
 *  - It calls nothing, and stores nothing. An atomic exchange that is tried again is no store if it
 *    always tries to write the same value. An exchange that writes a value computed from the old
 *    one, such as a counter plus one, makes progress each time.
 *  - A loop with an instruction for waiting (PAUSE; YIELD, ISB, WFE) waits, and may also store to
 *    the stack, and try to write any value.
 *  - In any other loop a branch out of it depends on a loaded value and on nothing that changes
 *    from round to round. The addresses of its loads do not change either, which tells waiting from
 *    searching. Only counters that end the loop are carried from round to round, which tells it
 *    from computing until another thread says stop.
 *
 * An address at an instruction for waiting, or right behind one, waits whatever the loop is. So
 * does one with a way back to itself, through such an instruction, on which nothing is called and
 * stored.
 *
 * So code that takes a lock without having to wait is in a wait loop, too, if it would try again
 * from there.
 */
enum code_use { CODE_UNKNOWN, CODE_WORKS, CODE_WAITS };

/* CODE_UNKNOWN: no instruction is at `address`. `code` should have CODE_REACH bytes around it. */
enum code_use wait_loop_find(struct instruction_reader *reader, const struct code *code,
			     uint64_t address);

/* --- Samples ------------------------------------------------------------------------------- */

/* A row of the samples, of a thread of the target. */
struct spin_row {
	size_t thread;
	const struct sampled *row; /* borrowed */
	enum code_use use;
};

/*
 * Returns all rows of the target, unordered; samples of other threads are ignored. `threads` are in
 * the order of their numbers. The caller frees the rows.
 */
struct spin_row *spin_rows(size_t *count, const struct samples *samples,
			   const struct counted_thread *threads, size_t thread_count);

struct spin_share {
	uint64_t samples; /* samples on a CPU, also in the kernel */
	uint64_t waiting; /* the number of these in a wait loop */
	uint64_t unknown; /* the number of these at code that cannot be read */
};

struct spin_table {
	struct spin_share *threads; /* in the order of the target's; NULL: nothing was sampled */
	struct spin_share all;
};

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count);
void spin_table_release(struct spin_table *table);

void spin_share_add(struct spin_share *share, const struct spin_row *row);

/* NAN if there are no samples. */
struct spin_estimate {
	double value, error; /* the share that waits, and its standard error */
	double unknown;
};

struct spin_estimate spin_share_estimate(const struct spin_share *share);

#endif
