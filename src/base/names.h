/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in programs: as people write them, and how alike two are. */
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

/* How long such a name is without its arguments: of "ns::f(int) const" that is "ns::f". */
size_t demangled_length(const char *name);

/*
 * How many letters have to be put in, taken out or changed [Levenshtein 1966]. Of longer words only so
 * much counts.
 */
enum { EDIT_DISTANCE_MAX = 128 };
size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length);

#endif
