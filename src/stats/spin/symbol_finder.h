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
#include "stats/spin/map_finder.h"

struct chains;
struct samples;

struct symbol {
	const char *path;     /* of what is mapped there; borrowed, as is */
	const char *function; /* NULL: the file is gone, is another one by now, or has no symbol
				 for that place */
	uint64_t offset;      /* in the function; without one in the file */
	uint64_t begin, size; /* of the function in the file; without one 0 */
	bool readable;	      /* the file is there and still the same */
	bool separate;	      /* the file itself does not have the name */
	bool of_library;      /* of C or C++, where threads wait and begin on behalf of a program */
};

/* Files that have been read, and what was mapped. */
struct symbol_finder {
	struct map_finder maps; /* may be made anew, while the files stay */
	const char *root;	/* of the samples */
	struct symbol_file *files;
	size_t count, capacity;
};

/* Of samples that are complete, and which stay where they are. */
void symbol_finder_init(struct symbol_finder *finder, const struct samples *samples);
void symbol_finder_release(struct symbol_finder *finder);

/* The symbol at `ip` then. False: no code of a file, as far as is known. */
bool symbol_finder_find(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			uint64_t ip, uint64_t time_ns);

/*
 * The variable of a program or library at `address` then: `function` is its name, `begin` and
 * `offset` as its file has them. False: it is none, as memory of the heap and of stacks, or its
 * name is not known.
 */
bool symbol_finder_variable(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			    uint64_t address, uint64_t time_ns);

/* The maps of the file of that number, of `count`; borrowed until the next is looked for. */
const struct mapped *symbol_finder_file(const struct symbol_finder *finder, size_t number);

/* The call before the place that a function is to return to. */
enum call_found {
	CALL_NONE,    /* something else than a call: nothing returns there */
	CALL_UNKNOWN, /* that cannot be read, or a call that does not name its function */
	CALL_KNOWN,
};

/* That before `return_ip`; of CALL_KNOWN also *symbol, the function that is called. */
enum call_found symbol_finder_call(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
				   uint64_t return_ip, uint64_t time_ns);

/* --- Names of call chains ------------------------------------------------------------------ */

/*
 * Call chains as people name them: by the functions of the program, the innermost first, as in
 * "pool_take < worker". Those of the C library and of that of C++ are left out: in which of them a
 * thread waits is what the call is, and not where the program makes it.
 *
 * What has no symbols is "program+0x1234", by the place in its file.
 */

/* Of deeper chains the outer functions are left out. */
enum { CHAIN_NAME_FUNCTIONS = 6 };

struct chain_name {
	char *functions[CHAIN_NAME_FUNCTIONS];
	size_t count;
	char *text; /* "pool_take < worker" */
};

struct chain_names;

/* Both are complete, and borrowed until it is freed. */
struct chain_names *chain_names_new(const struct chains *chains, const struct samples *samples);
void chain_names_free(struct chain_names *names);

/* The number of a chain's name, the same of all that are named so, from 1 on; 0: it has none. */
uint32_t chain_names_find(struct chain_names *names, uint32_t chain);

/* The name of this number, of which there is one; borrowed until the next is looked for. */
const struct chain_name *chain_names_get(const struct chain_names *names, uint32_t number);

/* So many there are by now. */
size_t chain_names_count(const struct chain_names *names);

/* An object in the memory of a process. */
struct memory_object {
	int32_t pid;
	uint64_t address;
	const char *kind;	 /* "lock": it is called so where no more is known */
	bool waits_as_condition; /* threads wait there as at a word of a condition */
};

struct object_name {
	char *text;	  /* to be freed; NULL: no more is known */
	int32_t stack_of; /* ... but that it is on the stack of this thread; 0: not known */
	bool is_variable;
	bool is_condition; /* a word of one, where threads wait so */
};

/*
 * The name for people of the object then: "table_lock"; "locks[3]" or "state.lock" by the debug
 * information of the file, "locks+0x98" without; "KIND on the heap", "KIND on the stack of main",
 * "KIND on heap or stack". All words of a condition (pthread_cond_t) have its name.
 */
struct object_name chain_names_object(struct chain_names *names, const struct memory_object *object,
				      uint64_t time_ns);

#endif
