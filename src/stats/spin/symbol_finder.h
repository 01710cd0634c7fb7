/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses in the memory of a process to functions: by what was mapped there, and the symbols of
 * the files that it came from, as long as these are there and still the same. Whether they are is
 * told by their inode, and by their build id where the recording has that.
 */
#ifndef PSCAL_STATS_SPIN_SYMBOL_FINDER_H
#define PSCAL_STATS_SPIN_SYMBOL_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"

struct samples;

struct symbol {
	const char *path;     /* of what is mapped there; borrowed, as is */
	const char *function; /* NULL: the file is gone, is another one by now, or has no symbol
				 for that place */
	uint64_t offset;      /* in the function; without one in the file */
	uint64_t begin;	      /* of the function in the file; without one 0 */
	bool readable;	      /* the file is there and still the same */
	bool separate;	      /* the file itself does not have the name */
};

/* Files that have been read, and what was mapped. */
struct symbol_finder {
	struct map_finder maps;
	const char *root; /* of the samples */
	struct symbol_file *files;
	size_t count, capacity;
};

/* Of samples that are complete, and which stay where they are. */
void symbol_finder_init(struct symbol_finder *finder, const struct samples *samples);
void symbol_finder_release(struct symbol_finder *finder);

/* What was at `ip` then. False: no code of a file, as far as is known. */
bool symbol_finder_find(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			uint64_t ip, uint64_t time_ns);

/* What was mapped of the file of that number, of `count`, that has been looked into. */
const struct mapped *symbol_finder_file(const struct symbol_finder *finder, size_t number);

/* What stands before the place that a function is to return to. */
enum call_found {
	CALL_NONE,    /* something else than a call: nothing returns there */
	CALL_UNKNOWN, /* that cannot be read, or a call that does not name its function */
	CALL_KNOWN,
};

/* That before `return_ip`; of CALL_KNOWN also *symbol, the function that is called. */
enum call_found symbol_finder_call(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
				   uint64_t return_ip, uint64_t time_ns);

#endif
