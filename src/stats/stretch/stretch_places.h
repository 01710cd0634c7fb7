/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What threads were at where they were sampled: at work in a block of code, in the runtime, or
 * waiting in a loop. In the kernel that is what it was entered from, and in the C library what has
 * called it if that is a runtime.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_PLACES_H
#define PSCAL_STATS_STRETCH_STRETCH_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/source_lines.h"
#include "stats/spin/mapped_code.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"

struct chain_names;
struct chains;
struct samples;

/* What a block of code is: by samples, and from BLOCK on by the tasks of a recording. */
enum stretch_by {
	STRETCH_BY_FUNCTION,
	STRETCH_BY_LINE,
	STRETCH_BY_PATH,
	STRETCH_BY_BLOCK,   /* from one step of a task to the next */
	STRETCH_BY_TASK,    /* the function that the step is in */
	STRETCH_BY_LEVEL,   /* how deep the task is in the tree */
	STRETCH_BY_SUBTREE, /* below which task of a certain level it is */
	STRETCH_BYS
};

static inline bool stretch_by_tasks(enum stretch_by by)
{
	return by >= STRETCH_BY_BLOCK;
}

/*
 * What compilers make of one function counts as that: "work" is also work._omp_fn.0 and
 * work.constprop.1.
 */
struct stretch_block {
	char *function; /* or a path, "inner < outer"; NULL: not known */
	char *object;	/* the file that it is in, without its directory; "[kernel]"; NULL: none */
	char *file;	/* of the source; NULL: not known */
	uint32_t line;	/* in that; 0. By function and path: where the function begins */
	/* Of tasks: */
	uint32_t line2; /* where a block ends; 0 */
	int32_t level;	/* -1: blocks are not by level */
	char *path;	/* of the task that a subtree is below; NULL */
};

/* In the place of a block. */
enum { STRETCH_OVERHEAD = UINT32_MAX - 1, STRETCH_WAITING = UINT32_MAX };

struct stretch_places {
	enum stretch_by by;
	const struct chains *chains;
	struct chain_names *names; /* by path only */
	struct symbol_finder symbols;
	struct source_lines lines;
	struct mapped_code code;
	struct stretch_block *blocks;
	size_t count, capacity;
	void *tree; /* blocks by their key */
};

/* All are complete, and borrowed. */
void stretch_places_init(struct stretch_places *places, const struct samples *samples,
			 const struct chains *chains, enum stretch_by by);
void stretch_places_release(struct stretch_places *places);

/* That the block of `row` will be asked for; else each is slower to be found. */
void stretch_places_expect(struct stretch_places *places, const struct spin_row *row);

/* The number of a block, or one of the above. Samples with `row` alike have the same. */
uint32_t stretch_places_find(struct stretch_places *places, const struct spin_row *row);

/* That of samples in the kernel of which it is not known from where it was entered, if any. */
uint32_t stretch_places_kernel(const struct stretch_places *places);

void stretch_block_release(struct stretch_block *block);

/*
 * What makes blocks of two recordings the same, to be freed: the names of the function and of the
 * file that it is in, without the version of a library, and by line the line. That of the program
 * itself, `program`, is the same as any other's.
 */
char *stretch_block_key(const struct stretch_block *block, enum stretch_by by, const char *program);

#endif
