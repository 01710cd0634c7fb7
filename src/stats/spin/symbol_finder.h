/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the functions of addresses in the memory of a process: by its mappings, and by the symbols
 * of the mapped files if these are unchanged, by their inodes and by their build ids if recorded.
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
	const char *path; /* the path of the mapped file, or "[vdso]"; borrowed */
	/* borrowed; NULL: the file is gone or another one by now, or has no symbol there */
	const char *function;
	uint64_t offset;      /* the offset in the function; without a function, in the file */
	uint64_t begin, size; /* the function in the file; 0 without one */
	bool readable;	      /* the file exists, unchanged */
	bool separate;	      /* the name is in a separate debug file */
	bool of_library; /* the C or C++ library, where threads wait and begin for the program */
};

/* The files that were read, and the mappings. */
struct symbol_finder {
	struct map_finder maps; /* may be rebuilt, with the files kept */
	const char *root;	/* the root of the samples */
	struct symbol_file *files;
	size_t count, capacity;
};

/* The samples must be complete and must not move. */
void symbol_finder_init(struct symbol_finder *finder, const struct samples *samples);
void symbol_finder_release(struct symbol_finder *finder);

/*
 * Finds the symbol at `ip` at that time. Returns false if no known code of a file is there. The
 * kernel's code in the process, the vDSO, is one function of the library.
 */
bool symbol_finder_find(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			uint64_t ip, uint64_t time_ns);

/*
 * Finds the variable of a program or library at `address` at that time: `function` is its name,
 * `begin` and `offset` are those of its file. Returns false if it is none, as on the heap and on
 * stacks, or if its name is not known.
 */
bool symbol_finder_variable(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
			    uint64_t address, uint64_t time_ns);

/* Returns the mapping of file `number` of `count`; borrowed until the next search. */
const struct mapped *symbol_finder_file(const struct symbol_finder *finder, size_t number);

/* The instruction before a return address. */
enum call_found {
	CALL_NONE,    /* not a call: no function returns there */
	CALL_UNKNOWN, /* cannot be read, or a call of an unknown function */
	CALL_KNOWN,
};

/* Reads the call before `return_ip`; CALL_KNOWN: *symbol is the called function. */
enum call_found symbol_finder_call(struct symbol *symbol, struct symbol_finder *finder, int32_t pid,
				   uint64_t return_ip, uint64_t time_ns);

/* --- Names of call chains ------------------------------------------------------------------ */

/*
 * Names of call chains for people: the functions of the program, the innermost first, as in
 * "pool_take < worker". Functions of the C and C++ libraries are left out: they show what kind of
 * call it is, and not where the program makes it.
 *
 * A place without symbols is "program+0x1234", by its offset in the file.
 */

/* The largest number of functions in a name; the outer ones beyond it are left out. */
enum { CHAIN_NAME_FUNCTIONS = 6 };

struct chain_name {
	char *functions[CHAIN_NAME_FUNCTIONS];
	size_t count;
	char *text; /* "pool_take < worker" */
};

struct chain_names;

/* Chains and samples are complete, and borrowed until the names are freed. */
struct chain_names *chain_names_new(const struct chains *chains, const struct samples *samples);
void chain_names_free(struct chain_names *names);

/* Returns the number of a chain's name, from 1 on, the same for all chains so named; 0: none. */
uint32_t chain_names_find(struct chain_names *names, uint32_t chain);

/* Returns the name with this number, which must exist; borrowed until the next search. */
const struct chain_name *chain_names_get(const struct chain_names *names, uint32_t number);

/* Returns the number of names so far. */
size_t chain_names_count(const struct chain_names *names);

/* An object in the memory of a process, as a lock. */
struct memory_object {
	int32_t pid;
	uint64_t address;
	const char *kind;	 /* "lock": its name if no more is known */
	bool waits_as_condition; /* threads wait at it as at a word of a condition variable */
};

struct object_name {
	char *text;	  /* the caller frees it; NULL: no name is known */
	int32_t stack_of; /* the thread on whose stack it is; 0: not known */
	bool is_variable;
	bool is_condition; /* a word of a condition variable */
};

/*
 * Returns the name of the object for people: "table_lock"; "locks[3]" or "state.lock" by the debug
 * information of the file, "locks+0x98" without; "KIND on the heap", "KIND on the stack of main",
 * "KIND on heap or stack". All words of a condition variable (pthread_cond_t) have its name.
 */
struct object_name chain_names_object(struct chain_names *names, const struct memory_object *object,
				      uint64_t time_ns);

#endif
