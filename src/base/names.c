/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI: what mangled names begin with. */
#define PREFIX "_Z"

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

/* It stays loaded, so that asking again takes next to nothing. */
static demangler *find_demangler(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
	demangler *found = NULL;

	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&found, &symbol, sizeof(found));
	}
	return found;
}

char *demangle(const char *name)
{
	demangler *ask;
	int status;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strlen(name) > DEMANGLE_MAX)
		return NULL;
	ask = find_demangler();
	return ask ? ask(name, NULL, NULL, &status) : NULL;
}

char *demangle_or_copy(const char *name)
{
	char *better = demangle(name);

	return better ? better : xstrdup(name);
}

/* The '(' that the ')' at `end` closes; 0: none does. */
static size_t find_opening(const char *name, size_t end)
{
	size_t depth = 0;

	for (size_t at = end + 1; at-- > 0;) {
		depth += name[at] == ')';
		if (name[at] == '(' && --depth == 0)
			return at;
	}
	return 0;
}

/* Behind the arguments: " const", "[abi:cxx11]", " [clone .cold]". */
size_t demangled_length(const char *name)
{
	const char *last = strrchr(name, ')');
	size_t end, opening;

	if (!last || strchr(last, '>') || strstr(last, "::"))
		return strlen(name);
	end = (size_t)(last - name);
	opening = find_opening(name, end);
	return opening ? opening : strlen(name);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
	size_t row[EDIT_DISTANCE_MAX + 1];

	from_length = smaller(from_length, EDIT_DISTANCE_MAX);
	to_length = smaller(to_length, EDIT_DISTANCE_MAX);
	for (size_t k = 0; k <= to_length; k++)
		row[k] = k;
	for (size_t i = 1; i <= from_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= to_length; k++) {
			size_t best = diagonal + (from[i - 1] != to[k - 1]);

			diagonal = row[k];
			row[k] = smaller(best, smaller(row[k], row[k - 1]) + 1);
		}
	}
	return row[to_length];
}
