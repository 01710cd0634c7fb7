/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names: C++ and Rust names in readable form, the distance of two names, and the names nearest to a
 * mistyped one.
 */
#ifndef PSCAL_BASE_NAMES_H
#define PSCAL_BASE_NAMES_H

#include <stddef.h>

/* The longest mangled name that is demangled, and the longest result, in bytes. */
enum { DEMANGLE_MAX = 4096, DEMANGLED_MAX = 32768 };

/*
 * Returns the readable form of a mangled name: "ns::f(int)" of C++'s "_ZN2ns1fEi", "a::f" of Rust's
 * "_ZN1a1f17h<hash>E" and "_RNvCs<hash>_1a1f". The caller frees it. NULL: the name is not mangled,
 * or cannot be demangled. Time and memory are bounded for any name.
 */
char *demangle(const char *name);

/* Returns the readable form, or a copy of a name that has none. The caller frees it. */
char *demangle_or_copy(const char *name);

/* The length of a demangled name without its arguments: of "ns::f(int) const" that is "ns::f". */
size_t demangled_length(const char *name);

/* The length of the first `length` letters of a name without the digits at their end. */
size_t numbered_stem(const char *name, size_t length);

/*
 * Returns the number of letters to insert, delete, change or exchange with the next one, to turn
 * `from` into `to` [Damerau 1964; each part is changed only once]. Only the first EDIT_DISTANCE_MAX
 * letters count.
 */
enum { EDIT_DISTANCE_MAX = 128 };
size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length);

/*
 * Names that are near to a mistyped one.
 *
 *	nearest_init(&nearest, "porfile");
 *	for (...)
 *		nearest_try(&nearest, names[i]);
 *	question = nearest_question(&nearest);
 */
enum { NEAREST_MAX = 3, NEAREST_NAME_SIZE = 256 };

struct nearest {
	const char *typed;
	size_t count;
	char names[NEAREST_MAX][NEAREST_NAME_SIZE]; /* the nearest first */
	size_t distances[NEAREST_MAX];
};

void nearest_init(struct nearest *nearest, const char *typed);

/*
 * Keeps the name if it is near: up to a third of its letters are wrong, or it contains the typed
 * text. A name longer than NEAREST_NAME_SIZE is never near.
 */
void nearest_try(struct nearest *nearest, const char *name);

/*
 * Finds the files near to the missing file `path` in its directory, and those with the same ending.
 * Examines at most NEAREST_FILES_MAX files. `nearest` needs no nearest_init.
 */
enum { NEAREST_FILES_MAX = 10000 };
void nearest_files(struct nearest *nearest, const char *path);

/* Returns "'a', 'b' or 'c'": the nearest name, and names nearly as near. The caller frees it. */
char *nearest_list(const struct nearest *nearest);

/* Returns "did you mean 'a' or 'b'?", or NULL if no name is near. The caller frees it. */
char *nearest_question(const struct nearest *nearest);

#endif
