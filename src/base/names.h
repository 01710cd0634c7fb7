/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names: those in programs as people write them, how alike two are, and the ones that are most like
 * what somebody has typed.
 */
#ifndef PSCAL_BASE_NAMES_H
#define PSCAL_BASE_NAMES_H

#include <stddef.h>

/*
 * Names of C++. The library that C++ programs run with knows how people write them, and is asked
 * where it is installed; nothing else needs it. It is given names from the files of programs
 * only: a short one may stand for a very long one.
 */
enum { DEMANGLE_MAX = 4096 }; /* longer names are left as they are */

/* "ns::f(int)" of "_ZN2ns1fEi", to be freed. NULL: it is no such name, or it is not known. */
char *demangle(const char *name);

/* The same, or a copy of what cannot be said better. */
char *demangle_or_copy(const char *name);

/* The length of such a name without its arguments: of "ns::f(int) const" that is "ns::f". */
size_t demangled_length(const char *name);

/* The length of the first `length` letters of a name without the digits at their end. */
size_t numbered_stem(const char *name, size_t length);

/*
 * The number of letters to put in, take out, change or exchange with the next one [Damerau 1964;
 * each part is changed once only]. Of longer words only so much counts.
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
 * Keeps the name if it is near: up to a third of its letters are wrong, or it has in it what was
 * typed. Longer ones than NEAREST_NAME_SIZE are near to nothing.
 */
void nearest_try(struct nearest *nearest, const char *name);

/*
 * The files near to the missing file `path` in its directory, and those with the same ending. Of a
 * very large directory only so many are looked at.
 */
enum { NEAREST_FILES_MAX = 10000 };
void nearest_files(struct nearest *nearest, const char *path);

/* "'a', 'b' or 'c'", to be freed: the nearest name, and names that are nearly as near. */
char *nearest_list(const struct nearest *nearest);

/* "did you mean 'a' or 'b'?", to be freed; NULL: none is near. */
char *nearest_question(const struct nearest *nearest);

#endif
