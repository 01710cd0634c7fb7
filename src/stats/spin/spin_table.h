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

/*
 * Threads by the number that a recording says and the time: numbers come again. `threads` are in
 * the order of the target.
 */
void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count);
void thread_finder_release(struct thread_finder *finder);

/*
 * The number of the last thread with this tid that had begun then, 0: of the last one; -1: none.
 */
ptrdiff_t thread_finder_find(const struct thread_finder *finder, int32_t tid, uint64_t time_ns);

/* --- Code ---------------------------------------------------------------------------------- */

/*
 * The code that a process had mapped, read from the files that it came from, as long as they are
 * there and still the same: files that are open, and what reads their instructions. Begins as zero.
 */
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
 * Decides if a thread at a place in the code is busy-waiting: in a short loop that does nothing
 * else. The rules, for any loop of at most CODE_REACH bytes that leads back to the place:
 *
 *  - It calls nothing, and stores nothing. Atomic exchanges that are tried again are no stores, if
 *    they always try to write the same: one that writes what it makes of what it has read, as in
 *    adding to a counter, gets somewhere each time.
 *  - It says itself that it waits (PAUSE; YIELD, ISB, WFE): that is enough, and then it may also
 *    keep variables on the stack, and try to write anything.
 *  - Else a branch out of it depends on what it has loaded and on nothing that changes from round
 *    to round; whatever it loads is at an address that does not change either, by which waiting
 *    differs from searching; and nothing is carried from round to round but counters that end it,
 *    by which it differs from computing until another thread says stop.
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

/* --- Samples ------------------------------------------------------------------------------- */

/* A row of the samples that is of a thread of the target. */
struct spin_row {
	size_t thread;
	const struct sampled *row; /* borrowed */
	enum code_use use;
};

/*
 * All of them, in no order. `threads` are in the order of their numbers; samples of others are
 * passed over. The caller frees what it returns.
 */
struct spin_row *spin_rows(size_t *count, const struct samples *samples,
			   const struct counted_thread *threads, size_t thread_count);

struct spin_share {
	uint64_t samples; /* on a CPU, also in the kernel; below: of them */
	uint64_t waiting; /* in a wait loop */
	uint64_t unknown; /* at code that cannot be read */
};

struct spin_table {
	struct spin_share *threads; /* in the order of the target's; NULL: nothing was sampled */
	struct spin_share all;
};

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count);
void spin_table_release(struct spin_table *table);

void spin_share_add(struct spin_share *share, const struct spin_row *row);

/* NAN where there are no samples. */
struct spin_estimate {
	double value, error; /* of the share that waits */
	double unknown;
};

struct spin_estimate spin_share_estimate(const struct spin_share *share);

#endif
